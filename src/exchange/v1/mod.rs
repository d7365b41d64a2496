//! The documented endpoints: one exhaustive match over [`Route`].

mod accounts;
mod creation;
mod exits;
mod lists;
mod markets;
mod orders;
mod positions;

pub(super) use accounts::{with_risk, without_risk};

use super::{
    api_error::ApiResult,
    auth::AuthenticatedUser,
    call::{ApiAnswer, RouteCall},
    engine::{EngineCommand, OrderId, PositionId, ScaledId, TwapId},
    message::{ApiRequest, ApiResponse},
    service::ExchangeService,
    sliced::SlicedWork,
    state::{CommandCall, ExchangeState, OwnedId},
};
use crate::api::{List, Route};
use lists::ListReader;
use serde::Serialize;

/// Carries out one request; the caller is absent on public routes only.
pub(super) fn answer(
    service: &ExchangeService,
    caller: Option<&AuthenticatedUser>,
    route: &Route,
    request: &ApiRequest,
) -> ApiAnswer {
    let call = RouteCall {
        service,
        caller,
        request,
    };
    match route {
        Route::About => ApiResponse::data(markets::about(service.simulator.root())),
        Route::Markets => call.public(|state| Ok(markets::markets(&state.engine))),
        Route::Market(id) => call.public(|state| markets::market(state, id)),
        Route::Quote(id, size) => call.row(|state, _| markets::quote(state, id, *size)),
        Route::Accounts => call.row(|state, caller| Ok(accounts::accounts(state, caller))),
        Route::Account(id) => call.row(|state, caller| accounts::of_caller(state, caller, id)),
        Route::TradingPolicy(id) => {
            call.row(|state, caller| accounts::trading_policy(state, caller, id))
        }
        Route::Order(id) => call.object::<OrderId>(id.raw()),
        Route::Position(id) => call.object::<PositionId>(id.raw()),
        Route::Twap(id) => call.object::<TwapId>(id.raw()),
        Route::Scaled(id) => call.object::<ScaledId>(id.raw()),
        Route::Orders(query) => call.list(|lists| lists.orders(query)),
        Route::Fills(query) => call.list(|lists| lists.fills(query)),
        Route::Positions(query) => call.list(|lists| lists.positions(query)),
        Route::Twaps(query) => call.list(|lists| lists.twaps(query)),
        Route::ScaledOrders(query) => call.list(|lists| lists.scaled_orders(query)),
        Route::PlaceOrder => call.command(creation::order),
        Route::PlaceTwap => call.command(creation::twap),
        Route::PlaceScaled => call.command(creation::scaled),
        Route::CancelOrder(id) => call.command(|call| orders::cancel(call, id)),
        Route::ModifyOrder(id) => call.command(|call| orders::modify(call, id)),
        Route::AttachedExits(id) => call.command(|call| orders::attached_exits(call, id)),
        Route::ClosePosition(id) => call.command(|call| positions::close(call, id)),
        Route::ExitOrders(id) => call.command(|call| exits::change(call, id)),
        Route::IsolatedMargin(id) => call.command(|call| positions::isolated_margin(call, id)),
        Route::CloseAll(id) => call.command(|call| SlicedWork::CloseAll.run(call, id)),
        Route::CancelAll(id) => call.command(|call| SlicedWork::CancelAll.run(call, id)),
        Route::StopTwap(id) => call.stop(id.raw(), EngineCommand::StopTwap),
        Route::CancelScaled(id) => call.stop(id.raw(), EngineCommand::CancelScaled),
    }
}

impl RouteCall<'_> {
    /// `{data: […], has_more, next_cursor}` of the caller.
    fn list<T: Serialize>(
        self,
        rows: impl FnOnce(ListReader<'_>) -> ApiResult<List<T>>,
    ) -> ApiAnswer {
        let caller = self.caller()?;
        let cursors = &self.service.cursors;
        let rows = |state: &ExchangeState| {
            rows(ListReader {
                state,
                caller,
                cursors,
            })
        };
        let read = self.request.read_by(self.caller);
        self.service.read(read, rows, |list| list)
    }

    /// `{data: …}` of an object of the caller, whatever its state.
    fn object<Id: OwnedId>(self, id: &str) -> ApiAnswer {
        self.row(|state, caller| {
            let (account, id): (_, Id) = state.owned(caller, id)?;
            state.read(account, id)
        })
    }

    /// Stops an object without a body to say how; one that has ended is returned unchanged.
    fn stop<Id: OwnedId>(self, id: &str, stop: fn(Id) -> EngineCommand) -> ApiAnswer {
        self.command(|CommandCall { state, caller, .. }| {
            self.request.no_body()?;
            let (account, id) = state.owned(caller, id)?;
            state.apply(account, stop(id))?;
            ApiResponse::data(state.read(account, id)?)
        })
    }
}
