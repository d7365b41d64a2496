//! The fields of an answer that differ from the request, as phrases.

use crate::model::{
    MarketId, Num, Order, PlaceOrder, Side, TimeInForce, Timestamp, TriggerDirection,
};
use std::fmt::Display;

/// Milliseconds.
const SECOND: u64 = 1_000;

#[derive(Debug, Default)]
pub(super) struct Found(pub(super) Vec<String>);

impl Found {
    pub(super) fn differ<T: PartialEq + Display>(
        &mut self,
        field: &str,
        requested: T,
        placed: Option<T>,
    ) {
        if let Some(placed) = placed.filter(|placed| *placed != requested) {
            self.note(field, requested, placed);
        }
    }

    /// A field that was not requested is the service's choice.
    pub(super) fn known<T: PartialEq + Display>(
        &mut self,
        field: &str,
        requested: Option<T>,
        placed: Option<T>,
    ) {
        if let Some(requested) = requested {
            self.differ(field, requested, placed);
        }
    }

    /// A requested field that the response lacks was lost.
    pub(super) fn kept<T: PartialEq + Display>(
        &mut self,
        field: &str,
        requested: Option<T>,
        placed: Option<T>,
    ) {
        match (requested, placed) {
            (Some(requested), None) => self.note(field, requested, "none"),
            (requested, placed) => self.known(field, requested, placed),
        }
    }

    fn note(&mut self, field: &str, requested: impl Display, placed: impl Display) {
        self.0
            .push(format!("{field} {placed} instead of {requested}"));
    }

    pub(super) fn side(&mut self, requested: Side, order: &Order) {
        if !order.side.is(&requested) {
            self.note("side", requested, &order.side);
        }
    }

    /// A chase executes as a limit, a conditional order as a market order: either word matches.
    pub(super) fn kind(&mut self, requested: &str, order: &Order) {
        if order.kind.to_string() != requested && order.mode.to_string() != requested {
            self.note("type", requested, &order.kind);
        }
    }

    pub(super) fn trigger(
        &mut self,
        requested: Option<Num>,
        (market_id, direction): (&Option<MarketId>, Option<TriggerDirection>),
        order: &Order,
    ) {
        let Some(requested) = requested else { return };
        self.differ("trigger price", requested, order.trigger_price);
        if let Some(wanted) = direction {
            let placed = order.trigger_direction.as_ref();
            let placed = placed.map(ToString::to_string);
            self.kept("trigger direction", Some(wanted.to_string()), placed);
        }
        // Without a market it watches its own.
        let watched = order.trigger_market_id.as_ref().unwrap_or(&order.market_id);
        self.known("trigger market", market_id.as_ref(), Some(watched));
    }

    /// A service that counts in seconds drops fractions.
    pub(super) fn expiry(&mut self, requested: &PlaceOrder, order: &Order) {
        let Some(wanted) = requested.gtd_expires_at else {
            return;
        };
        let placed = order.gtd_expires_at;
        let apart = placed.map(|placed| placed.0.abs_diff(wanted.0));
        if apart.is_none_or(|apart| apart >= SECOND) {
            let placed = placed.map_or_else(|| "none".to_owned(), Timestamp::to_utc);
            self.note("expiry", wanted.to_utc(), placed);
        }
    }

    /// Only resting orders have a time in force.
    pub(super) fn time_in_force(&mut self, requested: &PlaceOrder, order: &Order) {
        let Some(wanted) = requested
            .time_in_force
            .filter(|tif| *tif != TimeInForce::Gtc)
        else {
            return;
        };
        let placed = order.time_in_force.as_ref();
        if placed.is_none_or(|placed| !placed.is(&wanted)) {
            let placed = placed.map_or_else(|| TimeInForce::Gtc.to_string(), ToString::to_string);
            self.note("time in force", wanted, placed);
        }
    }
}
