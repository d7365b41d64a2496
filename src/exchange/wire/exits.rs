//! `PATCH` of an order and the batch of a position's exits, as engine commands (docs/engine.md 2.12, 2.13).

use super::super::{
    api_error::{ApiError, ApiResult},
    engine::{
        ChangeExits, Engine, ExitBatchStep, NewExit, OrderChange, OrderId, OrderRecord,
        PositionRecord,
    },
};
use super::units::MarketUnits;
use crate::{
    api::{ExitBatchBody, ExitOperationBody},
    model::{self, ExecutionType, Num},
};

/// A price in the units of what it moves: the trigger of an order that waits, else the limit.
pub(crate) fn modify(
    engine: &Engine,
    row: &OrderRecord,
    price: Num,
    size: Option<Num>,
) -> ApiResult<OrderChange> {
    let watched = row.trigger_market.filter(|_| row.waits());
    let units = |market| MarketUnits::of(engine, market);
    let own = units(row.market);
    Ok(OrderChange {
        order: row.id,
        price: watched.map_or(own, units).price("price", price)?,
        size: size.map(|size| own.size("size", size)).transpose()?,
    })
}

/// `PUT /v1/positions/{position_id}/exit-orders`, without its guard.
pub(crate) fn exit_batch(
    engine: &Engine,
    row: &PositionRecord,
    body: &ExitBatchBody,
) -> ApiResult<ChangeExits> {
    if body.operations.is_empty() {
        let message = "operations must name at least one change";
        return Err(ApiError::invalid("operations", message));
    }
    let operations = body.operations.iter().enumerate();
    let read = operations.map(|(index, given)| {
        operation(engine, row, given).map_err(|why| why.within(&format!("operations[{index}]")))
    });
    Ok(ChangeExits {
        position: row.id,
        operations: read.collect::<Result<_, _>>()?,
    })
}

fn operation(
    engine: &Engine,
    row: &PositionRecord,
    given: &ExitOperationBody,
) -> ApiResult<ExitBatchStep> {
    let shaped = given.clone().into_operation().map_err(|field| {
        let message = format!("{field} is missing, or does not go with this kind of operation");
        ApiError::invalid(field, message)
    })?;
    match shaped {
        model::ExitOperation::Cancel { order_id } => {
            Ok(ExitBatchStep::Cancel(exit(engine, row, &order_id)?.id))
        }
        model::ExitOperation::Modify {
            order_id,
            price,
            size,
        } => {
            let exit = exit(engine, row, &order_id)?;
            modify(engine, exit, price, size).map(ExitBatchStep::Modify)
        }
        model::ExitOperation::Place {
            group,
            execution_type,
            price,
            size,
            oco_pair_with,
        } => {
            let units = MarketUnits::of(engine, row.market);
            Ok(ExitBatchStep::Place(NewExit {
                group,
                execution: execution_type.unwrap_or(ExecutionType::Market),
                price: units.price("price", price)?,
                size: units.size("size", size)?,
                pair: oco_pair_with,
            }))
        }
    }
}

/// An order of the position's account; the engine checks that it is an exit of the position.
fn exit<'a>(
    engine: &'a Engine,
    row: &PositionRecord,
    id: &model::OrderId,
) -> ApiResult<&'a OrderRecord> {
    let known = OrderId::parse(id.raw()).and_then(|id| engine.order(row.account, id));
    known.ok_or_else(|| {
        let message = format!("order_id `{id}` is no exit of the position");
        ApiError::invalid("order_id", message)
    })
}
