//! Whether the service placed what was asked: a field name it does not know is a field it ignores.

use super::{
    ClosePosition, Command, Num, Order, PlaceOrder, PlaceScaled, PlaceTwap, Placed, Receipt,
    Scaled, Side, TimeInForce, Timestamp, Trigger, Twap,
};
use std::fmt::Display;

/// Milliseconds.
const SECOND: u64 = 1_000;

/// What the sign of a TWAP's or ladder's size says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Its side.
    Signed,
    Unsigned,
}

/// What differs between what was asked and what came of it, one phrase per field. A field that the answer does not
/// have is no difference, but for those that change what is at risk when they are lost on the way: a service that says
/// no time in force rests by `gtc`, and one that says no stop loss, end or direction knows of none. Empty for commands
/// that place nothing.
pub fn differences(command: &Command, receipt: &Receipt, sizes: Sizes) -> Vec<String> {
    match (command.facts().places, receipt) {
        (Some(Placed::Order(asked)), Receipt::Order { order, .. }) => placed(asked, order),
        (Some(Placed::Close(asked)), Receipt::Order { order, .. }) => closed(asked, order),
        (Some(Placed::Twap(asked)), Receipt::Twap(twap)) => sliced(asked, twap, sizes),
        (Some(Placed::Scaled(asked)), Receipt::Scaled(ladder)) => laddered(asked, ladder, sizes),
        // Nothing is placed, or the answer is of another kind, which the client does not take.
        (_, _) => vec![],
    }
}

/// What came of it, by its name.
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

/// What stops that which is not as asked, while there is something to stop.
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
    // What only reduces has the leverage and the margin of its position.
    if !asked.reduce_only {
        found.differ("leverage", asked.leverage, Some(order.leverage));
        let told = order.margin_mode.is(&asked.margin_mode);
        let told = (!told).then(|| order.margin_mode.to_string());
        found.differ("margin", asked.margin_mode.to_string(), told);
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
    fn differ<T: PartialEq + Display>(&mut self, field: &str, asked: T, told: Option<T>) {
        if let Some(told) = told.filter(|told| *told != asked) {
            self.note(field, asked, told);
        }
    }

    /// What was not asked for is for the service to choose.
    fn known<T: PartialEq + Display>(&mut self, field: &str, asked: Option<T>, told: Option<T>) {
        if let Some(asked) = asked {
            self.differ(field, asked, told);
        }
    }

    /// What was asked for and is not told has been lost.
    fn kept<T: PartialEq + Display>(&mut self, field: &str, asked: Option<T>, told: Option<T>) {
        match (asked, told) {
            (Some(asked), None) => self.note(field, asked, "none"),
            (asked, told) => self.known(field, asked, told),
        }
    }

    fn note(&mut self, field: &str, asked: impl Display, told: impl Display) {
        self.0.push(format!("{field} {told} instead of {asked}"));
    }

    fn side(&mut self, asked: Side, order: &Order) {
        if !order.side.is(&asked) {
            self.note("side", asked, &order.side);
        }
    }

    fn signed(&mut self, asked: (Side, Num), told: Option<Num>, sizes: Sizes) {
        let (to, size) = asked;
        let Some(told) = told else { return };
        self.differ("size", size, Some(told.abs()));
        if sizes == Sizes::Signed {
            let turned = told.times(Num::from(to.sign()));
            let turned = turned.is_some_and(Num::is_negative);
            self.differ("side", to, turned.then(|| to.opposite()));
        }
    }

    /// Chase executes as a limit, a conditional order as one at the market: either word will do.
    fn kind(&mut self, asked: &str, order: &Order) {
        if order.kind.to_string() != asked && order.mode.to_string() != asked {
            self.note("type", asked, &order.kind);
        }
    }

    fn trigger(&mut self, asked: Option<&Trigger>, order: &Order) {
        let Some(asked) = asked else { return };
        self.differ("trigger price", asked.price, order.trigger_price);
        if let Some(wanted) = asked.direction {
            let told = order.trigger_direction.as_ref();
            let told = told.map(ToString::to_string);
            self.kept("trigger direction", Some(wanted.to_string()), told);
        }
        // Without one it watches its own.
        let watched = order.trigger_market_id.as_ref().unwrap_or(&order.market_id);
        self.known("trigger market", asked.market_id.as_ref(), Some(watched));
    }

    /// A service that counts in seconds keeps no part of one.
    fn expiry(&mut self, asked: &PlaceOrder, order: &Order) {
        let Some(wanted) = asked.gtd_expires_at else {
            return;
        };
        let told = order.gtd_expires_at;
        let apart = told.map(|told| told.0.abs_diff(wanted.0));
        if apart.is_none_or(|apart| apart >= SECOND) {
            let told = told.map_or_else(|| "none".to_owned(), Timestamp::to_utc);
            self.note("expiry", wanted.to_utc(), told);
        }
    }

    /// Only a resting kind of order has a time in force at all.
    fn time_in_force(&mut self, asked: &PlaceOrder, order: &Order) {
        let Some(wanted) = asked.time_in_force.filter(|tif| *tif != TimeInForce::Gtc) else {
            return;
        };
        let told = order.time_in_force.as_ref();
        if told.is_none_or(|told| !told.is(&wanted)) {
            let told = told.map_or_else(|| TimeInForce::Gtc.to_string(), ToString::to_string);
            self.note("time in force", wanted, told);
        }
    }
}

#[cfg(test)]
mod tests;
