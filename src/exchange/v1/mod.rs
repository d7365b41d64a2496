//! The documented endpoints: one exhaustive match over [`Route`].

mod lists;
mod orders;
mod positions;
mod strategies;

use super::{
    answer::{ApiRequest, ApiResponse},
    chaos::FaultTarget,
    close_all,
    fault::ApiError,
    gate::AuthenticatedUser,
    service::Service,
};
use crate::api::{OrderFilter, PositionSelector, Route};

/// Carries one request out. Every branch holds the floor's lock for its own work only.
pub(super) fn answer(
    service: &Service,
    caller: &AuthenticatedUser,
    route: Route,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let mut floor = service.floor()?;
    let floor = &mut *floor;
    match route {
        Route::PlaceOrder => orders::place(floor, caller, call),
        Route::Orders(query) => match query.filter {
            OrderFilter::Working => lists::working_orders(floor, caller, &query),
            OrderFilter::All => lists::orders(floor, caller, &service.cursors, &query),
        },
        Route::CancelOrder(id) => orders::cancel(floor, caller, &id, call),
        Route::AttachedExits(id) => orders::attached_exits(floor, caller, &id, call),
        Route::Positions(query) => match query.selector {
            PositionSelector::Open => lists::open_positions(floor, caller, &query),
            PositionSelector::Closed => {
                lists::closed_positions(floor, caller, &service.cursors, &query)
            }
        },
        Route::ClosePosition(id) => positions::close(floor, caller, &id, call),
        Route::IsolatedMargin(id) => positions::isolated_margin(floor, caller, &id, call),
        Route::CloseAll(id) => close_all::run(floor, caller, &id, call),
        Route::Twaps(query) => strategies::twaps(floor, caller, &query),
        Route::StopTwap(id) => call
            .no_body()
            .and_then(|()| strategies::stop_twap(floor, caller, &id)),
        Route::Scaled(id) => strategies::scaled(floor, caller, &id),
        Route::CancelScaled(id) => call
            .no_body()
            .and_then(|()| strategies::cancel_scaled(floor, caller, &id)),
    }
}

/// The name a disturbance is addressed by.
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
