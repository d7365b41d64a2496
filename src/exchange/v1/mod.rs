//! The documented endpoints: one exhaustive match over [`Route`].

mod accounts;
mod creation;
mod exits;
mod lists;
mod markets;
mod orders;
mod positions;
mod strategies;

pub(super) use accounts::{with_risk, without_risk};

use super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    faults::FaultTarget,
    message::{ApiRequest, ApiResponse},
    service::ExchangeService,
    sliced::{self, SlicedWork},
    state::ExchangeState,
};
use crate::{
    api::{Data, List, PlaceBody, Route},
    model::{PlaceScaled, PlaceTwap},
};
use lists::ListReader;
use serde::Serialize;

/// Carries out one request; the caller is absent on public routes only.
pub(super) fn answer(
    service: &ExchangeService,
    caller: Option<&AuthenticatedUser>,
    route: &Route,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
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
        Route::Order(id) => call.row(|state, caller| orders::order(state, caller, id)),
        Route::Position(id) => call.row(|state, caller| positions::position(state, caller, id)),
        Route::Twap(id) => call.row(|state, caller| strategies::twap(state, caller, id)),
        Route::Scaled(id) => call.row(|state, caller| strategies::scaled(state, caller, id)),
        Route::Orders(query) => call.list(|lists| lists.orders(query)),
        Route::Fills(query) => call.list(|lists| lists.fills(query)),
        Route::Positions(query) => call.list(|lists| lists.positions(query)),
        Route::Twaps(query) => call.list(|lists| lists.twaps(query)),
        Route::ScaledOrders(query) => call.list(|lists| lists.scaled_orders(query)),
        Route::PlaceOrder => call.command(creation::create::<PlaceBody>),
        Route::PlaceTwap => call.command(creation::create::<PlaceTwap>),
        Route::PlaceScaled => call.command(creation::create::<PlaceScaled>),
        Route::CancelOrder(id) => call.command_on(id, orders::cancel),
        Route::ModifyOrder(id) => call.command_on(id, orders::modify),
        Route::AttachedExits(id) => call.command_on(id, orders::attached_exits),
        Route::ClosePosition(id) => call.command_on(id, positions::close),
        Route::ExitOrders(id) => call.command_on(id, exits::change),
        Route::IsolatedMargin(id) => call.command_on(id, positions::isolated_margin),
        Route::CloseAll(id) => call.command_on(id, |state, caller, id, request| {
            sliced::run(SlicedWork::CloseAll, state, caller, id, request)
        }),
        Route::CancelAll(id) => call.command_on(id, |state, caller, id, request| {
            sliced::run(SlicedWork::CancelAll, state, caller, id, request)
        }),
        Route::StopTwap(id) => call.command_on(id, strategies::stop_twap),
        Route::CancelScaled(id) => call.command_on(id, strategies::cancel_scaled),
    }
}

/// One request, and who sent it.
#[derive(Debug, Clone, Copy)]
struct RouteCall<'a> {
    service: &'a ExchangeService,
    caller: Option<&'a AuthenticatedUser>,
    request: &'a ApiRequest,
}

impl<'a> RouteCall<'a> {
    fn caller(self) -> Result<&'a AuthenticatedUser, ApiError> {
        self.caller
            .ok_or_else(|| ApiError::broken("a private route without a caller"))
    }

    /// `{data: …}` for anybody.
    fn public<T: Serialize>(
        self,
        row: impl FnOnce(&ExchangeState) -> Result<T, ApiError>,
    ) -> Result<ApiResponse, ApiError> {
        let read = self.request.read_by(self.caller);
        self.service.read(read, row, |data| Data { data })
    }

    /// `{data: …}` for the caller.
    fn row<T: Serialize>(
        self,
        row: impl FnOnce(&ExchangeState, &AuthenticatedUser) -> Result<T, ApiError>,
    ) -> Result<ApiResponse, ApiError> {
        let caller = self.caller()?;
        self.public(|state| row(state, caller))
    }

    /// `{data: […], has_more, next_cursor}` of the caller.
    fn list<T: Serialize>(
        self,
        rows: impl FnOnce(ListReader<'_>) -> Result<List<T>, ApiError>,
    ) -> Result<ApiResponse, ApiError> {
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

    /// What changes something, under the lock of the state.
    fn command(
        self,
        command: impl FnOnce(
            &mut ExchangeState,
            &AuthenticatedUser,
            &ApiRequest,
        ) -> Result<ApiResponse, ApiError>,
    ) -> Result<ApiResponse, ApiError> {
        let caller = self.caller()?;
        command(&mut *self.service.state()?, caller, self.request)
    }

    /// The same for one object.
    fn command_on<Id>(
        self,
        id: &Id,
        command: impl FnOnce(
            &mut ExchangeState,
            &AuthenticatedUser,
            &Id,
            &ApiRequest,
        ) -> Result<ApiResponse, ApiError>,
    ) -> Result<ApiResponse, ApiError> {
        self.command(|state, caller, request| command(state, caller, id, request))
    }
}

/// The name that fault rules use for a route.
pub(super) fn endpoint(route: &Route) -> FaultTarget {
    match route {
        Route::About => FaultTarget::About,
        Route::Markets => FaultTarget::Markets,
        Route::Market(_) => FaultTarget::Market,
        Route::Quote(..) => FaultTarget::Quote,
        Route::Accounts => FaultTarget::Accounts,
        Route::Account(_) => FaultTarget::Account,
        Route::TradingPolicy(_) => FaultTarget::TradingPolicy,
        Route::PlaceOrder => FaultTarget::PlaceOrder,
        Route::Orders(_) => FaultTarget::Orders,
        Route::Order(_) => FaultTarget::Order,
        Route::ModifyOrder(_) => FaultTarget::ModifyOrder,
        Route::CancelOrder(_) => FaultTarget::CancelOrder,
        Route::AttachedExits(_) => FaultTarget::AttachedExits,
        Route::Fills(_) => FaultTarget::Fills,
        Route::Positions(_) => FaultTarget::Positions,
        Route::Position(_) => FaultTarget::Position,
        Route::ClosePosition(_) => FaultTarget::ClosePosition,
        Route::ExitOrders(_) => FaultTarget::ExitOrders,
        Route::IsolatedMargin(_) => FaultTarget::IsolatedMargin,
        Route::CloseAll(_) => FaultTarget::CloseAll,
        Route::CancelAll(_) => FaultTarget::CancelAll,
        Route::Twaps(_) => FaultTarget::TwapOrders,
        Route::PlaceTwap => FaultTarget::PlaceTwap,
        Route::Twap(_) => FaultTarget::TwapOrder,
        Route::StopTwap(_) => FaultTarget::StopTwap,
        Route::ScaledOrders(_) => FaultTarget::ScaledOrders,
        Route::PlaceScaled => FaultTarget::PlaceScaled,
        Route::Scaled(_) => FaultTarget::ScaledOrder,
        Route::CancelScaled(_) => FaultTarget::CancelScaled,
    }
}
