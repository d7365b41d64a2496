//! Compares the placed order with the request: a service silently ignores a field whose name it does not know.

use super::{
    ClosePosition, Command, Num, Order, PlaceOrder, PlaceScaled, PlaceTwap, Placed, Receipt,
    Scaled, Side, TimeInForce, Timestamp, Trigger, Twap,
};
use std::fmt::Display;

/// Milliseconds.
const SECOND: u64 = 1_000;

/// What the sign of a TWAP's or scaled order's size means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Its side.
    Signed,
    Unsigned,
}

/// The differences between request and result, one phrase per field. A field missing in the response is no difference,
/// except where losing it changes the risk: without a time in force the order is `gtc`, and without a stop loss, expiry
/// or trigger direction there is none. Empty for commands that place nothing.
pub fn differences(command: &Command, receipt: &Receipt, sizes: Sizes) -> Vec<String> {
    match (command.facts().places, receipt) {
        (Some(Placed::Order(asked)), Receipt::Order { order, .. }) => placed(asked, order),
        (Some(Placed::Close(asked)), Receipt::Order { order, .. }) => closed(asked, order),
        (Some(Placed::Twap(asked)), Receipt::Twap(twap)) => sliced(asked, twap, sizes),
        (Some(Placed::Scaled(asked)), Receipt::Scaled(ladder)) => laddered(asked, ladder, sizes),
        // Nothing is placed, or the response is of another kind, which the client refuses.
        (_, _) => vec![],
    }
}

/// The name of the result.
pub fn name(receipt: &Receipt) -> String {
    match receipt {
        Receipt::Order { order, .. } => format!("order {}", order.id),
        Receipt::Twap(twap) => format!("TWAP {}", twap.id),
        Receipt::Scaled(ladder) => format!("ladder {}", ladder.id),
        Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::CloseAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => "the answer".to_owned(),
    }
}

/// The command that cancels a mismatched result while it can still be canceled.
pub fn undo(receipt: &Receipt) -> Option<Command> {
    match receipt {
        Receipt::Order { order, .. } => order
            .is_working()
            .then(|| Command::Cancel(order.id.clone())),
        Receipt::Twap(twap) if twap.ended_at().is_none() => {
            Some(Command::StopTwap(twap.id.clone()))
        }
        Receipt::Scaled(ladder) if ladder.ended_at().is_none() => {
            Some(Command::CancelScaled(ladder.id.clone()))
        }
        Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::CloseAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => None,
    }
}

fn placed(asked: &PlaceOrder, order: &Order) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &asked.market_id, Some(&order.market_id));
    found.side(asked.side, order);
    found.differ("size", asked.size, Some(order.asked_size().abs()));
    found.kind(&asked.kind.to_string(), order);
    found.differ("reduce-only", asked.reduce_only, Some(order.reduce_only));
    found.time_in_force(asked, order);
    found.known("limit price", asked.limit_price, order.limit_price);
    found.trigger(asked.trigger.as_ref(), order);
    found.kept(
        "take profit",
        asked.take_profit_price,
        order.attached_take_profit_price,
    );
    found.kept(
        "stop loss",
        asked.stop_loss_price,
        order.attached_stop_loss_price,
    );
    found.expiry(asked, order);
    found.known("chase offset", asked.chase_offset, order.chase_offset);
    found.known("chase cap", asked.chase_cap_price, order.chase_cap_price);
    // A reduce-only order takes leverage and margin mode from its position.
    if !asked.reduce_only {
        found.differ("leverage", asked.leverage, Some(order.leverage));
        let placed = order.margin_mode.is(&asked.margin_mode);
        let placed = (!placed).then(|| order.margin_mode.to_string());
        found.differ("margin", asked.margin_mode.to_string(), placed);
    }
    let target = asked.target_position_id.as_ref();
    found.known("position", target, order.target_position_id.as_ref());
    found.0
}

fn closed(asked: &ClosePosition, order: &Order) -> Vec<String> {
    let mut found = Found::default();
    if let Some(held) = &asked.held {
        found.differ("market", &held.market_id, Some(&order.market_id));
        found.side(held.side.opposite(), order);
    }
    found.known("size", asked.size, Some(order.asked_size().abs()));
    found.kind(&asked.kind.to_string(), order);
    found.differ("reduce-only", true, Some(order.reduce_only));
    found.known("limit price", asked.limit_price, order.limit_price);
    found.trigger(asked.trigger.as_ref(), order);
    let target = order.target_position_id.as_ref();
    found.differ("position", &asked.position_id, target);
    found.0
}

fn sliced(asked: &PlaceTwap, twap: &Twap, sizes: Sizes) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &asked.market_id, Some(&twap.market_id));
    found.signed((asked.side, asked.size), twap.total_size, sizes);
    found.differ("reduce-only", asked.reduce_only, twap.reduce_only);
    found.differ("minutes", asked.duration_minutes, twap.duration_minutes);
    found.known("trigger price", asked.trigger_price, twap.trigger_price);
    found.known("lowest price", asked.min_price, twap.min_price);
    found.known("highest price", asked.max_price, twap.max_price);
    found.0
}

fn laddered(asked: &PlaceScaled, ladder: &Scaled, sizes: Sizes) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &asked.market_id, Some(&ladder.market_id));
    found.signed((asked.side, asked.size), ladder.total_size, sizes);
    found.differ("reduce-only", asked.reduce_only, ladder.reduce_only);
    found.differ("rungs", asked.rung_count, ladder.rung_count);
    found.known("first price", Some(asked.start_price), ladder.start_price);
    found.known("last price", Some(asked.end_price), ladder.end_price);
    found.0
}

#[derive(Debug, Default)]
struct Found(Vec<String>);

impl Found {
    fn differ<T: PartialEq + Display>(&mut self, field: &str, asked: T, placed: Option<T>) {
        if let Some(placed) = placed.filter(|placed| *placed != asked) {
            self.note(field, asked, placed);
        }
    }

    /// A field that was not requested is the service's choice.
    fn known<T: PartialEq + Display>(&mut self, field: &str, asked: Option<T>, placed: Option<T>) {
        if let Some(asked) = asked {
            self.differ(field, asked, placed);
        }
    }

    /// A requested field that the response lacks was lost.
    fn kept<T: PartialEq + Display>(&mut self, field: &str, asked: Option<T>, placed: Option<T>) {
        match (asked, placed) {
            (Some(asked), None) => self.note(field, asked, "none"),
            (asked, placed) => self.known(field, asked, placed),
        }
    }

    fn note(&mut self, field: &str, asked: impl Display, placed: impl Display) {
        self.0.push(format!("{field} {placed} instead of {asked}"));
    }

    fn side(&mut self, asked: Side, order: &Order) {
        if !order.side.is(&asked) {
            self.note("side", asked, &order.side);
        }
    }

    fn signed(&mut self, asked: (Side, Num), placed: Option<Num>, sizes: Sizes) {
        let (to, size) = asked;
        let Some(placed) = placed else { return };
        self.differ("size", size, Some(placed.abs()));
        if sizes == Sizes::Signed {
            let turned = placed.times(Num::from(to.sign()));
            let turned = turned.is_some_and(Num::is_negative);
            self.differ("side", to, turned.then(|| to.opposite()));
        }
    }

    /// A chase executes as a limit, a conditional order as a market order: either word matches.
    fn kind(&mut self, asked: &str, order: &Order) {
        if order.kind.to_string() != asked && order.mode.to_string() != asked {
            self.note("type", asked, &order.kind);
        }
    }

    fn trigger(&mut self, asked: Option<&Trigger>, order: &Order) {
        let Some(asked) = asked else { return };
        self.differ("trigger price", asked.price, order.trigger_price);
        if let Some(wanted) = asked.direction {
            let placed = order.trigger_direction.as_ref();
            let placed = placed.map(ToString::to_string);
            self.kept("trigger direction", Some(wanted.to_string()), placed);
        }
        // Without a market it watches its own.
        let watched = order.trigger_market_id.as_ref().unwrap_or(&order.market_id);
        self.known("trigger market", asked.market_id.as_ref(), Some(watched));
    }

    /// A service that counts in seconds drops fractions.
    fn expiry(&mut self, asked: &PlaceOrder, order: &Order) {
        let Some(wanted) = asked.gtd_expires_at else {
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
    fn time_in_force(&mut self, asked: &PlaceOrder, order: &Order) {
        let Some(wanted) = asked.time_in_force.filter(|tif| *tif != TimeInForce::Gtc) else {
            return;
        };
        let placed = order.time_in_force.as_ref();
        if placed.is_none_or(|placed| !placed.is(&wanted)) {
            let placed = placed.map_or_else(|| TimeInForce::Gtc.to_string(), ToString::to_string);
            self.note("time in force", wanted, placed);
        }
    }
}

#[cfg(test)]
mod tests;
