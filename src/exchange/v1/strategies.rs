//! TWAP/VWAP and scaled orders: list, look at, stop.

use super::super::{
    answer::Answer,
    engine::{AccountIx, EngineCommand, ScaledId, TwapId},
    fault::Fault,
    floor::{Floor, data},
    gate::Caller,
};
use crate::{
    api::{Data, TwapsQuery},
    model::{self, Twap},
};

/// Pending and active ones; of every account of the caller when none is named.
pub(super) fn twaps(floor: &Floor, caller: &Caller, query: &TwapsQuery) -> Result<Answer, Fault> {
    let accounts = match &query.account_id {
        Some(id) => vec![floor.account(caller, id.raw())?],
        None => caller.accounts.clone(),
    };
    let data: Vec<Twap> = accounts
        .into_iter()
        .flat_map(|account| floor.engine.live_twaps(account))
        .filter_map(|row| floor.rows().twap(row))
        .collect();
    Answer::ok(&Data { data })
}

/// Stops future slices; one that has ended is shown as it ended.
pub(super) fn stop_twap(
    floor: &mut Floor,
    caller: &Caller,
    id: &model::TwapId,
) -> Result<Answer, Fault> {
    let id = TwapId::parse(id.raw());
    let (account, twap) = floor.owned(caller, "TWAP order", id, |engine, account, id| {
        engine.twap(account, id).is_some()
    })?;
    floor.apply(account, EngineCommand::StopTwap(twap))?;
    let row = floor.engine.twap(account, twap);
    data(row.and_then(|row| floor.rows().twap(row)))
}

pub(super) fn scaled(
    floor: &Floor,
    caller: &Caller,
    id: &model::ScaledId,
) -> Result<Answer, Fault> {
    let (account, scaled) = owned(floor, caller, id)?;
    ladder(floor, account, scaled)
}

/// Cancels the rungs still working; one that has ended is shown as it ended.
pub(super) fn cancel_scaled(
    floor: &mut Floor,
    caller: &Caller,
    id: &model::ScaledId,
) -> Result<Answer, Fault> {
    let (account, scaled) = owned(floor, caller, id)?;
    floor.apply(account, EngineCommand::CancelScaled(scaled))?;
    ladder(floor, account, scaled)
}

fn ladder(floor: &Floor, account: AccountIx, scaled: ScaledId) -> Result<Answer, Fault> {
    let row = floor.engine.scaled(account, scaled);
    data(row.and_then(|row| floor.rows().scaled(row)))
}

fn owned(
    floor: &Floor,
    caller: &Caller,
    id: &model::ScaledId,
) -> Result<(AccountIx, ScaledId), Fault> {
    let id = ScaledId::parse(id.raw());
    floor.owned(caller, "scaled order", id, |engine, account, id| {
        engine.scaled(account, id).is_some()
    })
}
