//! The documented endpoints: one exhaustive match over [`Route`].

mod lists;
mod orders;
mod positions;
mod strategies;

use super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    close_all,
    faults::FaultTarget,
    message::{ApiRequest, ApiResponse},
    service::ExchangeService,
    state::ExchangeState,
};
use crate::api::{Data, OrderFilter, PositionSelector, Route};

/// Carries out one request.
pub(super) fn answer(
    service: &ExchangeService,
    caller: &AuthenticatedUser,
    route: Route,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let by = (Some(caller), request);
    match route {
        Route::Orders(query) => {
            let rows = |state: &ExchangeState| match query.filter {
                OrderFilter::Working => lists::working_orders(state, caller, &query),
                OrderFilter::All => lists::orders(state, caller, &service.cursors, &query),
            };
            service.read(by, rows, |list| list)
        }
        Route::Positions(query) => {
            let rows = |state: &ExchangeState| match query.selector {
                PositionSelector::Open => lists::open_positions(state, caller, &query),
                PositionSelector::Closed => {
                    lists::closed_positions(state, caller, &service.cursors, &query)
                }
            };
            service.read(by, rows, |list| list)
        }
        Route::Twaps(query) => {
            let rows = |state: &ExchangeState| strategies::twaps(state, caller, &query);
            service.read(by, rows, |data| Data { data })
        }
        Route::Scaled(id) => {
            let rows = |state: &ExchangeState| strategies::scaled(state, caller, &id);
            service.read(by, rows, |data| Data { data })
        }
        Route::PlaceOrder
        | Route::CancelOrder(_)
        | Route::AttachedExits(_)
        | Route::ClosePosition(_)
        | Route::IsolatedMargin(_)
        | Route::CloseAll(_)
        | Route::StopTwap(_)
        | Route::CancelScaled(_) => command(&mut *service.state()?, caller, &route, request),
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
        Route::Orders(_) | Route::Positions(_) | Route::Twaps(_) | Route::Scaled(_) => {
            Err(ApiError::broken("a read among the commands"))
        }
    }
}

/// The name that fault rules use for a route.
pub(super) fn endpoint(route: &Route) -> FaultTarget {
    match route {
        Route::PlaceOrder => FaultTarget::PlaceOrder,
        Route::Orders(_) => FaultTarget::Orders,
        Route::CancelOrder(_) => FaultTarget::CancelOrder,
        Route::AttachedExits(_) => FaultTarget::AttachedExits,
        Route::Positions(_) => FaultTarget::Positions,
        Route::ClosePosition(_) => FaultTarget::ClosePosition,
        Route::IsolatedMargin(_) => FaultTarget::IsolatedMargin,
        Route::CloseAll(_) => FaultTarget::CloseAll,
        Route::Twaps(_) => FaultTarget::TwapOrders,
        Route::StopTwap(_) => FaultTarget::StopTwap,
        Route::Scaled(_) => FaultTarget::ScaledOrder,
        Route::CancelScaled(_) => FaultTarget::CancelScaled,
    }
}
