//! The documented endpoints: one exhaustive match over [`Route`].

mod accounts;
mod creation;
mod exits;
mod lists;
mod markets;
mod orders;
mod positions;
mod strategies;

pub(super) use accounts::{account_row, account_with_risk_row};

use super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    faults::FaultTarget,
    message::{ApiRequest, ApiResponse},
    operations::SlicedWork,
    service::ExchangeService,
    sliced,
    state::{ExchangeState, existing},
};
use crate::{
    api::{Data, List, Method, Route},
    model::{PlaceScaled, PlaceTwap},
};
use serde::Serialize;

/// Carries out one request; the caller is absent on public routes only.
pub(super) fn answer(
    service: &ExchangeService,
    caller: Option<&AuthenticatedUser>,
    route: Route,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    match caller {
        None => public(service, &route, request),
        Some(caller) if route.method() == Method::Get => read(service, caller, route, request),
        Some(caller) => command(&mut *service.state()?, caller, &route, request),
    }
}

/// Answers anybody.
fn public(
    service: &ExchangeService,
    route: &Route,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let anybody = (None, request);
    match route {
        Route::About => {
            let data = markets::about(service.simulator.root());
            ApiResponse::ok(&Data { data })
        }
        Route::Markets => {
            let rows = |state: &ExchangeState| Ok(markets::markets(&state.engine));
            service.read(anybody, rows, |data| Data { data })
        }
        Route::Market(id) => {
            let row = |state: &ExchangeState| markets::market(state, id);
            service.read(anybody, row, |data| Data { data })
        }
        Route::Quote(..)
        | Route::Accounts
        | Route::Account(_)
        | Route::TradingPolicy(_)
        | Route::CloseAll(_)
        | Route::CancelAll(_)
        | Route::Orders(_)
        | Route::PlaceOrder
        | Route::Order(_)
        | Route::ModifyOrder(_)
        | Route::CancelOrder(_)
        | Route::AttachedExits(_)
        | Route::Fills(_)
        | Route::Positions(_)
        | Route::Position(_)
        | Route::ClosePosition(_)
        | Route::ExitOrders(_)
        | Route::IsolatedMargin(_)
        | Route::Twaps(_)
        | Route::PlaceTwap
        | Route::Twap(_)
        | Route::StopTwap(_)
        | Route::ScaledOrders(_)
        | Route::PlaceScaled
        | Route::Scaled(_)
        | Route::CancelScaled(_) => Err(ApiError::broken("a private route without a caller")),
    }
}

/// Answers a read with the caller's own rows.
fn read(
    service: &ExchangeService,
    caller: &AuthenticatedUser,
    route: Route,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let one = Reading {
        service,
        caller,
        request,
    };
    match route {
        Route::Quote(id, size) => one.row(|state| markets::quote(state, &id, size)),
        Route::Accounts => one.row(|state| Ok(accounts::accounts(&state.engine, caller))),
        Route::Account(id) => one.row(|state| {
            let account = state.account(caller, id.raw())?;
            existing(accounts::with_risk(&state.engine, account))
        }),
        Route::TradingPolicy(id) => one.row(|state| {
            let account = state.account(caller, id.raw())?;
            existing(accounts::trading_policy(&state.engine, account))
        }),
        Route::Order(id) => one.row(|state| orders::order(state, caller, &id)),
        Route::Position(id) => one.row(|state| positions::position(state, caller, &id)),
        Route::Twap(id) => one.row(|state| strategies::twap(state, caller, &id)),
        Route::Scaled(id) => one.row(|state| strategies::scaled(state, caller, &id)),
        Route::Orders(query) => {
            one.list(|state| lists::orders(state, caller, &service.cursors, &query))
        }
        Route::Fills(query) => {
            one.list(|state| lists::fills(state, caller, &service.cursors, &query))
        }
        Route::Positions(query) => {
            one.list(|state| lists::positions(state, caller, &service.cursors, &query))
        }
        Route::Twaps(query) => {
            one.list(|state| lists::twaps(state, caller, &service.cursors, &query))
        }
        Route::ScaledOrders(query) => {
            one.list(|state| lists::scaled_orders(state, caller, &service.cursors, &query))
        }
        Route::About
        | Route::Markets
        | Route::Market(_)
        | Route::PlaceOrder
        | Route::ModifyOrder(_)
        | Route::CancelOrder(_)
        | Route::AttachedExits(_)
        | Route::ClosePosition(_)
        | Route::ExitOrders(_)
        | Route::IsolatedMargin(_)
        | Route::CloseAll(_)
        | Route::CancelAll(_)
        | Route::PlaceTwap
        | Route::StopTwap(_)
        | Route::PlaceScaled
        | Route::CancelScaled(_) => Err(ApiError::broken("no read of the caller's own")),
    }
}

/// A read of one caller.
#[derive(Debug, Clone, Copy)]
struct Reading<'a> {
    service: &'a ExchangeService,
    caller: &'a AuthenticatedUser,
    request: &'a ApiRequest,
}

impl Reading<'_> {
    /// `{data: …}`
    fn row<T: Serialize>(
        self,
        row: impl FnOnce(&ExchangeState) -> Result<T, ApiError>,
    ) -> Result<ApiResponse, ApiError> {
        let by = (Some(self.caller), self.request);
        self.service.read(by, row, |data| Data { data })
    }

    /// `{data: […], has_more, next_cursor}`
    fn list<T: Serialize>(
        self,
        rows: impl FnOnce(&ExchangeState) -> Result<List<T>, ApiError>,
    ) -> Result<ApiResponse, ApiError> {
        let by = (Some(self.caller), self.request);
        self.service.read(by, rows, |list| list)
    }
}

/// Carries out what changes something, under the lock of the state.
fn command(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    route: &Route,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    match route {
        Route::PlaceOrder => orders::place(state, caller, request),
        Route::CancelOrder(id) => orders::cancel(state, caller, id, request),
        Route::ModifyOrder(id) => orders::modify(state, caller, id, request),
        Route::AttachedExits(id) => orders::attached_exits(state, caller, id, request),
        Route::ClosePosition(id) => positions::close(state, caller, id, request),
        Route::ExitOrders(id) => exits::change(state, caller, id, request),
        Route::IsolatedMargin(id) => positions::isolated_margin(state, caller, id, request),
        Route::CloseAll(id) => sliced::run(SlicedWork::CloseAll, state, caller, id, request),
        Route::CancelAll(id) => sliced::run(SlicedWork::CancelAll, state, caller, id, request),
        Route::StopTwap(id) => request
            .no_body()
            .and_then(|()| strategies::stop_twap(state, caller, id)),
        Route::CancelScaled(id) => request
            .no_body()
            .and_then(|()| strategies::cancel_scaled(state, caller, id)),
        Route::PlaceTwap => creation::place::<PlaceTwap>(state, caller, request),
        Route::PlaceScaled => creation::place::<PlaceScaled>(state, caller, request),
        Route::About
        | Route::Markets
        | Route::Market(_)
        | Route::Quote(..)
        | Route::Accounts
        | Route::Account(_)
        | Route::TradingPolicy(_)
        | Route::Orders(_)
        | Route::Order(_)
        | Route::Fills(_)
        | Route::Positions(_)
        | Route::Position(_)
        | Route::Twaps(_)
        | Route::Twap(_)
        | Route::ScaledOrders(_)
        | Route::Scaled(_) => Err(ApiError::broken("a read among the commands")),
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
