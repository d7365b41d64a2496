//! Closing a position and moving its isolated margin.

use super::super::{
    answer::{Answer, Call},
    engine::{AccountIx, EngineCommand, PositionId},
    fault::Fault,
    floor::{Floor, data},
    gate::Caller,
    idempotency::Deed,
    wire,
};
use crate::{
    api::{CloseBody, DataQueued, MarginBody},
    model::{self, Order, OrderStatus},
};
use hyper::StatusCode;

/// 201 with the closing order; 200 with that order as it is now when the key is known.
pub(super) fn close(
    floor: &mut Floor,
    caller: &Caller,
    id: &model::PositionId,
    call: &Call,
) -> Result<Answer, Fault> {
    let key = call.key()?;
    let (account, position) = owned(floor, caller, id)?;
    let body: CloseBody = call.json()?;
    let deed = Deed::Close(position, Box::new(body.clone()));
    if let Some(order) = floor.replay(caller.user, key, &deed)? {
        return Answer::ok(&queued(order));
    }
    let market = floor
        .engine
        .position(account, position)
        .map(|row| row.market)
        .ok_or_else(|| Fault::not_found("position"))?;
    let command = EngineCommand::Close(wire::close(&floor.engine, position, market, &body)?);
    let order = floor.apply_keyed((caller.user, key, deed), account, command)?;
    Answer::new(StatusCode::CREATED, &queued(order))
}

/// A close that waits for its trigger is queued; every other one has been sent to the book.
fn queued(order: Order) -> DataQueued<Order> {
    DataQueued {
        queued: order.status.is(&OrderStatus::Pending),
        data: order,
    }
}

/// The desired total, so the same request twice is the same state.
pub(super) fn isolated_margin(
    floor: &mut Floor,
    caller: &Caller,
    id: &model::PositionId,
    call: &Call,
) -> Result<Answer, Fault> {
    let (account, position) = owned(floor, caller, id)?;
    let body: MarginBody = call.json()?;
    let command = wire::isolated_margin(position, &body)?;
    floor.apply(account, EngineCommand::SetIsolatedMargin(command))?;
    let row = floor.engine.position(account, position);
    data(row.and_then(|row| floor.rows().position(&row)))
}

fn owned(
    floor: &Floor,
    caller: &Caller,
    id: &model::PositionId,
) -> Result<(AccountIx, PositionId), Fault> {
    let id = PositionId::parse(id.raw());
    floor.owned(caller, "position", id, |engine, account, id| {
        engine.position(account, id).is_some()
    })
}
