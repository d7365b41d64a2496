//! What a form is read against, and what this session has used so far.

use crate::{
    app::account::store::Store,
    config::Fees,
    model::{Bps, MarginMode, MarketId, Num, PlaceKind, PlaceOrder, TimeInForce, Timestamp, Zone},
};
use std::collections::BTreeMap;

/// The desk as a form sees it.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    pub store: &'a Store,
    pub used: &'a Used,
    /// By the desk's own clock: it says how old a thing is.
    pub own: Timestamp,
    /// By the service's clock: it ends what has a date.
    pub now: Timestamp,
    pub zone: &'a Zone,
    /// What is charged where no fill tells.
    pub fees: &'a Fees,
}

/// The terms of the last order the service accepted in each market, for the session. Prices are not among them: they
/// mean nothing later; nor is anything of an order that reduces, which is about its position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used(BTreeMap<MarketId, Values>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    pub margin_mode: MarginMode,
    pub leverage: String,
    /// Offered, never filled in: an order needs a size that was meant.
    pub size: String,
    habits: BTreeMap<PlaceKind, Habit>,
}

/// What orders of one type are placed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Habit {
    pub time_in_force: TimeInForce,
    pub slippage: String,
}

/// Nobody means to pay this much more each time: a wider tolerance was of one order.
const WIDEST_SLIPPAGE: i64 = 500;

impl Default for Habit {
    fn default() -> Self {
        Self {
            time_in_force: TimeInForce::Gtc,
            slippage: String::new(),
        }
    }
}

impl Habit {
    fn of(order: &PlaceOrder) -> Self {
        // A date is of one order.
        let lasting = order.time_in_force.filter(|tif| *tif != TimeInForce::Gtd);
        let usual = |bps: &Bps| bps.0 <= Num::from(WIDEST_SLIPPAGE);
        let slippage = order.slippage_tolerance.filter(usual);
        Self {
            time_in_force: lasting.unwrap_or(TimeInForce::Gtc),
            slippage: slippage.map_or_else(String::new, |bps| bps.0.to_string()),
        }
    }
}

impl Used {
    pub fn of(&self, market: Option<&MarketId>) -> Option<&Values> {
        self.0.get(market?)
    }

    /// How orders of this type were placed there last.
    pub fn habit(&self, market: Option<&MarketId>, kind: PlaceKind) -> Habit {
        let habit = self.of(market).and_then(|used| used.habits.get(&kind));
        habit.cloned().unwrap_or_default()
    }

    /// Takes note of an order that was accepted.
    pub fn keep(&mut self, order: &PlaceOrder) {
        if order.reduce_only {
            return;
        }
        let before = self.0.remove(&order.market_id);
        let mut habits = before.map(|used| used.habits).unwrap_or_default();
        habits.insert(order.kind, Habit::of(order));
        let values = Values {
            margin_mode: order.margin_mode,
            leverage: order.leverage.to_string(),
            size: order.size.to_string(),
            habits,
        };
        self.0.insert(order.market_id.clone(), values);
    }
}
