//! The documented endpoints: one exhaustive match over [`Route`].

mod creation;
mod lists;
mod orders;
mod positions;
mod strategies;

use super::{
    api_error::{ApiError, ServiceCode},
    auth::AuthenticatedUser,
    close_all,
    faults::FaultTarget,
    message::{ApiRequest, ApiResponse},
    service::ExchangeService,
    state::ExchangeState,
};
use crate::{
    api::{Data, OrderFilter, OrdersQuery, PositionSelector, PositionsQuery, Route},
    model::{PlaceScaled, PlaceTwap},
};
use hyper::StatusCode;

/// Carries out one request.
pub(super) fn answer(
    service: &ExchangeService,
    caller: &AuthenticatedUser,
    route: Route,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let by = (Some(caller), request);
    match route {
        Route::Orders(OrdersQuery::Of(query, filter)) => {
            let rows = |state: &ExchangeState| match filter {
                OrderFilter::Working => lists::working_orders(state, caller, &query),
                OrderFilter::All => lists::orders(state, caller, &service.cursors, &query),
            };
            service.read(by, rows, |list| list)
        }
        Route::Orders(OrdersQuery::Named(name)) => {
            let rows = |state: &ExchangeState| lists::named_order(state, caller, &name);
            service.read(by, rows, |list| list)
        }
        Route::Positions(PositionsQuery { page, selector }) => {
            let rows = |state: &ExchangeState| match selector {
                PositionSelector::Open => lists::open_positions(state, caller, &page),
                PositionSelector::Closed => {
                    lists::closed_positions(state, caller, &service.cursors, &page)
                }
            };
            service.read(by, rows, |list| list)
        }
        Route::Twaps(query) => {
            let rows = |state: &ExchangeState| strategies::twaps(state, caller, &query);
            service.read(by, rows, |list| list)
        }
        Route::Twap(id) => {
            let rows = |state: &ExchangeState| strategies::twap(state, caller, &id);
            service.read(by, rows, |data| Data { data })
        }
        Route::ScaledOrders(query) => {
            let rows = |state: &ExchangeState| strategies::scaled_orders(state, caller, &query);
            service.read(by, rows, |list| list)
        }
        Route::Scaled(id) => {
            let rows = |state: &ExchangeState| strategies::scaled(state, caller, &id);
            service.read(by, rows, |data| Data { data })
        }
        Route::About
        | Route::Markets
        | Route::Market(_)
        | Route::Quote(..)
        | Route::Accounts
        | Route::Account(_)
        | Route::TradingPolicy(_)
        | Route::Order(_)
        | Route::Fills(_)
        | Route::Position(_) => Err(unserved()),
        Route::PlaceOrder
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
        | Route::CancelScaled(_) => command(&mut *service.state()?, caller, &route, request),
    }
}

fn unserved() -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        ServiceCode::UnknownEndpoint,
        "no such endpoint",
    )
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
        Route::AttachedExits(id) => orders::attached_exits(state, caller, id, request),
        Route::ClosePosition(id) => positions::close(state, caller, id, request),
        Route::IsolatedMargin(id) => positions::isolated_margin(state, caller, id, request),
        Route::CloseAll(id) => close_all::run(state, caller, id, request),
        Route::StopTwap(id) => request
            .no_body()
            .and_then(|()| strategies::stop_twap(state, caller, id)),
        Route::CancelScaled(id) => request
            .no_body()
            .and_then(|()| strategies::cancel_scaled(state, caller, id)),
        Route::PlaceTwap => creation::place::<PlaceTwap>(state, caller, request),
        Route::PlaceScaled => creation::place::<PlaceScaled>(state, caller, request),
        Route::ModifyOrder(_) | Route::ExitOrders(_) | Route::CancelAll(_) => Err(unserved()),
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
