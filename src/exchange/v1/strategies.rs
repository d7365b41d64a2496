//! TWAP/VWAP and scaled orders: list, look at, stop.

use super::super::{
    answer::ApiResponse,
    engine::{AccountIx, EngineCommand, ScaledId, TwapId},
    fault::ApiError,
    floor::{ExchangeState, data},
    gate::AuthenticatedUser,
};
use crate::{
    api::{Data, TwapsQuery},
    model::{self, Twap},
};

/// Pending and active ones; of every account of the caller when none is named.
pub(super) fn twaps(
    floor: &ExchangeState,
    caller: &AuthenticatedUser,
    query: &TwapsQuery,
) -> Result<ApiResponse, ApiError> {
    let accounts = match &query.account_id {
        Some(id) => vec![floor.account(caller, id.raw())?],
        None => caller.accounts.clone(),
    };
    let data: Vec<Twap> = accounts
        .into_iter()
        .flat_map(|account| floor.engine.live_twaps(account))
        .filter_map(|row| floor.rows().twap(row))
        .collect();
    ApiResponse::ok(&Data { data })
}

/// Stops future slices; one that has ended is shown as it ended.
pub(super) fn stop_twap(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::TwapId,
) -> Result<ApiResponse, ApiError> {
    let id = TwapId::parse(id.raw());
    let (account, twap) = floor.owned(caller, "TWAP order", id, |engine, account, id| {
        engine.twap(account, id).is_some()
    })?;
    floor.apply(account, EngineCommand::StopTwap(twap))?;
    let row = floor.engine.twap(account, twap);
    data(row.and_then(|row| floor.rows().twap(row)))
}

pub(super) fn scaled(
    floor: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
) -> Result<ApiResponse, ApiError> {
    let (account, scaled) = owned(floor, caller, id)?;
    ladder(floor, account, scaled)
}

/// Cancels the rungs still working; one that has ended is shown as it ended.
pub(super) fn cancel_scaled(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
) -> Result<ApiResponse, ApiError> {
    let (account, scaled) = owned(floor, caller, id)?;
    floor.apply(account, EngineCommand::CancelScaled(scaled))?;
    ladder(floor, account, scaled)
}

fn ladder(
    floor: &ExchangeState,
    account: AccountIx,
    scaled: ScaledId,
) -> Result<ApiResponse, ApiError> {
    let row = floor.engine.scaled(account, scaled);
    data(row.and_then(|row| floor.rows().scaled(row)))
}

fn owned(
    floor: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
) -> Result<(AccountIx, ScaledId), ApiError> {
    let id = ScaledId::parse(id.raw());
    floor.owned(caller, "scaled order", id, |engine, account, id| {
        engine.scaled(account, id).is_some()
    })
}
