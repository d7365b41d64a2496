//! Placing, cancelling and protecting orders.

use super::super::{
    answer::{Answer, Call, Haste},
    engine::{AccountIx, Cancellation, CommandOutcome, EngineCommand, OrderId},
    fault::Fault,
    floor::Floor,
    gate::Caller,
    idempotency::Deed,
    wire,
};
use crate::{
    api::{Data, DataQueued, ExitsBody, PlaceBody},
    model::{self, CancelResult},
};
use hyper::StatusCode;

/// 201 with the new order; 200 with the order as it is now when the key is known.
pub(super) fn place(floor: &mut Floor, caller: &Caller, call: &Call) -> Result<Answer, Fault> {
    let key = call.key()?;
    let body: PlaceBody = call.json()?;
    let deed = Deed::Place(Box::new(body.clone()));
    if let Some(data) = floor.replay(caller.user, key, &deed)? {
        return Answer::ok(&Data { data });
    }
    let account = floor.account(caller, body.account_id.raw())?;
    let command = EngineCommand::Place(wire::place(&floor.engine, &body)?);
    let data = floor.apply_keyed((caller.user, key, deed), account, command)?;
    Answer::new(StatusCode::CREATED, &Data { data })
}

/// A resting order is gone at once; an armed one is queued and gone with the next step.
pub(super) fn cancel(
    floor: &mut Floor,
    caller: &Caller,
    id: &model::OrderId,
    call: &Call,
) -> Result<Answer, Fault> {
    call.no_body()?;
    let (account, order) = owned(floor, caller, id)?;
    let command = match call.haste {
        Haste::AtOnce => EngineCommand::Cancel(order),
        Haste::NotYet => EngineCommand::QueueCancel(order),
    };
    let outcome = floor.apply(account, command)?;
    let queued = matches!(outcome, CommandOutcome::Cancel(Cancellation::Queued(_)));
    Answer::ok(&Data {
        data: CancelResult {
            id: id.clone(),
            canceled: !queued,
            queued,
        },
    })
}

/// `queued` is always false: the lock lets no fill happen in the middle of the change.
pub(super) fn attached_exits(
    floor: &mut Floor,
    caller: &Caller,
    id: &model::OrderId,
    call: &Call,
) -> Result<Answer, Fault> {
    let (account, order) = owned(floor, caller, id)?;
    let body: ExitsBody = call.json()?;
    let market = floor.engine.order(account, order).map(|row| row.market);
    let spec = market.and_then(|market| floor.engine.market_spec(market));
    let spec = spec.ok_or_else(|| Fault::broken("an order in no market"))?;
    let command = wire::exits(spec.into(), order, &body)?;
    floor.apply(account, EngineCommand::SetExits(command))?;
    Answer::ok(&DataQueued {
        data: floor.order(account, order)?,
        queued: false,
    })
}

fn owned(
    floor: &Floor,
    caller: &Caller,
    id: &model::OrderId,
) -> Result<(AccountIx, OrderId), Fault> {
    let id = OrderId::parse(id.raw());
    floor.owned(caller, "order", id, |engine, account, id| {
        engine.order(account, id).is_some()
    })
}
