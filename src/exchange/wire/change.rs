//! Bodies that change existing objects, as engine commands: close, attached exits, isolated margin
//! (docs/engine.md 2.7, 2.9, 6.4).

use super::{
    super::{
        api_error::{ApiError, ApiResult},
        engine::{
            ChangeExits, CloseHow, CloseParams, Crossing, Engine, ExitBatchStep, ExitChange,
            MarketIx, NewExit, OrderChange, OrderId, OrderRecord, PositionId, PositionRecord,
            SetAttachedExits, SetIsolatedMargin,
        },
    },
    units::{
        MarketUnits, amount, client_order_id, market, observed, refuse, required, required_price,
        slippage,
    },
};
use crate::{
    api::{ExitBatchBody, ExitOperationBody, MarginBody},
    model::{self, CloseKind, ClosePosition, ExecutionType, Exits, Num},
};

/// `POST /v1/positions/{position_id}/close`; `market` is the position's own.
pub(crate) fn close(
    engine: &Engine,
    position: PositionId,
    market: MarketIx,
    body: &ClosePosition,
) -> ApiResult<CloseParams> {
    let units = MarketUnits::of(engine, market);
    refuse_unknown_close_fields(body)?;
    Ok(CloseParams {
        position,
        size: body.size.map(|size| units.size("size", size)).transpose()?,
        expected_price: body
            .expected_price
            .map(|given| observed("expected_price", given))
            .transpose()?,
        how: close_how(engine, units, body)?,
        client_order_id: client_order_id(body.client_order_id.as_ref())?,
    })
}

fn refuse_unknown_close_fields(body: &ClosePosition) -> ApiResult<()> {
    let given = [
        ("slippage_tolerance_bps", body.slippage_tolerance.is_some()),
        ("limit_price", body.limit_price.is_some()),
        ("trigger_price", body.trigger_price.is_some()),
        ("trigger_market_id", body.trigger_market_id.is_some()),
        ("trigger_direction", body.trigger_direction.is_some()),
    ];
    let known: &[&str] = match body.kind {
        CloseKind::Market => &["slippage_tolerance_bps"],
        CloseKind::Limit => &["limit_price"],
        CloseKind::Conditional => &[
            "slippage_tolerance_bps",
            "trigger_price",
            "trigger_market_id",
            "trigger_direction",
        ],
    };
    refuse(&given, known, body.kind)
}

fn close_how(engine: &Engine, units: MarketUnits, body: &ClosePosition) -> ApiResult<CloseHow> {
    let slippage = body
        .slippage_tolerance
        .map(|bps| slippage(bps.0))
        .transpose()?;
    Ok(match body.kind {
        CloseKind::Market => CloseHow::Market { slippage },
        CloseKind::Limit => CloseHow::Limit {
            price: required_price(units, "limit_price", body.limit_price, body.kind)?,
            crossing: if body.marketable_limit_acknowledged {
                Crossing::Acknowledged
            } else {
                Crossing::Unacknowledged
            },
        },
        CloseKind::Conditional => {
            let watched = body
                .trigger_market_id
                .as_ref()
                .map(|id| market(engine, "trigger_market_id", id))
                .transpose()?;
            let watched_units = watched.map_or(units, |(_, spec)| spec.into());
            CloseHow::Conditional {
                market: watched.map(|(market, _)| market),
                trigger: required_price(
                    watched_units,
                    "trigger_price",
                    body.trigger_price,
                    body.kind,
                )?,
                direction: required("trigger_direction", body.trigger_direction, body.kind)?,
                slippage,
            }
        }
    })
}

/// `PUT /v1/orders/{order_id}/attached-exits`.
pub(crate) fn exits(
    engine: &Engine,
    row: &OrderRecord,
    body: &Exits,
) -> ApiResult<SetAttachedExits> {
    let units = MarketUnits::of(engine, row.market);
    let leg = |field, leg| match leg {
        model::Leg::Keep => Ok(ExitChange::Keep),
        model::Leg::Remove => Ok(ExitChange::Remove),
        model::Leg::Set(price) => units.price(field, price).map(ExitChange::Set),
    };
    if body.take_profit.is_kept() && body.stop_loss.is_kept() {
        return Err(ApiError::body(
            "take_profit_price, stop_loss_price or both are required",
        ));
    }
    Ok(SetAttachedExits {
        order: row.id,
        take_profit: leg("take_profit_price", body.take_profit)?,
        stop_loss: leg("stop_loss_price", body.stop_loss)?,
    })
}

/// `PUT /v1/positions/{position_id}/isolated-margin`.
pub(crate) fn isolated_margin(
    position: PositionId,
    body: &MarginBody,
) -> ApiResult<SetIsolatedMargin> {
    Ok(SetIsolatedMargin {
        position,
        extra: amount("extra_margin", body.extra_margin)?,
    })
}

// `PATCH` of an order and the batch of a position's exits, as engine commands (docs/engine.md 2.12, 2.13).

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
