//! The terms of the orders of this session.

use crate::model::{Bps, MarginMode, MarketId, Num, PlaceKind, PlaceOrder, TimeInForce};
use std::collections::BTreeMap;

/// The terms of the last order that the service accepted in each market, in this session. Without prices, which mean
/// nothing later, and without reducing orders, whose terms depend on their position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsedTerms(BTreeMap<MarketId, LastTerms>);

/// The terms of the last order in one market.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastTerms {
    pub margin_mode: MarginMode,
    pub leverage: String,
    /// Offered, never filled in: the size of an order must be typed on purpose.
    pub size: String,
    habits: BTreeMap<PlaceKind, UsualTerms>,
}

/// The usual terms of an order type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsualTerms {
    pub time_in_force: TimeInForce,
    pub slippage: String,
}

/// A wider slippage tolerance was meant for one order and is not kept.
const WIDEST_SLIPPAGE: i64 = 500;

impl Default for UsualTerms {
    fn default() -> Self {
        Self {
            time_in_force: TimeInForce::Gtc,
            slippage: String::new(),
        }
    }
}

impl UsualTerms {
    fn of(order: &PlaceOrder) -> Self {
        // A date is meant for one order.
        let lasting = order.time_in_force.filter(|tif| *tif != TimeInForce::Gtd);
        let usual = |bps: &Bps| bps.0 <= Num::from(WIDEST_SLIPPAGE);
        let slippage = order.slippage_tolerance.filter(usual);
        Self {
            time_in_force: lasting.unwrap_or(TimeInForce::Gtc),
            slippage: slippage.map_or_else(String::new, |bps| bps.0.to_string()),
        }
    }
}

impl UsedTerms {
    pub fn of(&self, market: Option<&MarketId>) -> Option<&LastTerms> {
        self.0.get(market?)
    }

    /// The last terms of this type in this market.
    pub fn habit(&self, market: Option<&MarketId>, kind: PlaceKind) -> UsualTerms {
        let habit = self.of(market).and_then(|used| used.habits.get(&kind));
        habit.cloned().unwrap_or_default()
    }

    /// Records the terms of an accepted order.
    pub fn keep(&mut self, order: &PlaceOrder) {
        if order.reduce_only {
            return;
        }
        let before = self.0.remove(&order.market_id);
        let mut habits = before.map(|used| used.habits).unwrap_or_default();
        habits.insert(order.kind, UsualTerms::of(order));
        let values = LastTerms {
            margin_mode: order.margin_mode,
            leverage: order.leverage.to_string(),
            size: order.size.to_string(),
            habits,
        };
        self.0.insert(order.market_id.clone(), values);
    }
}
