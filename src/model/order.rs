//! Orders, as `GET /v1/orders` and every placement response show them.

mod contradictions;
pub(super) mod mode;

use super::{
    AccountId, ClientOrderId, Lenient, LiquidityRole, MarginMode, MarketId, Num, OrderId,
    OrderStatus, PositionId, ScaledId, Side, Text, TimeInForce, Timestamp, TriggerDirection,
    TwapId,
};
use mode::{OrderMode, OrderType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An order. Prices in USD, sizes in coin, `fee` and `realized_pnl` in USD.
#[serde_with::apply(Text => #[serde(deserialize_with = "Text::read_name")])]
#[serde_with::apply(Num => #[serde(deserialize_with = "Num::read_row")])]
#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "Num::read_row_any")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Order {
    /// Its id.
    pub id: OrderId,
    pub account_id: AccountId,
    pub market_id: MarketId,
    /// The venue of the market.
    pub provider: Text,
    /// The market's short name.
    pub symbol: Text,
    /// The venue's name of the market.
    pub coin: Text,
    /// How it executes.
    #[serde(rename = "type")]
    pub kind: Lenient<OrderType>,
    /// What was placed: a chase has the type limit, a conditional order the type market.
    pub mode: Lenient<OrderMode>,
    /// buy or sell.
    pub side: Lenient<Side>,
    /// In coin; of a working order what is left.
    pub size: Num,
    /// The requested size, in coin.
    pub initial_size: Option<Num>,
    /// In coin.
    pub filled_size: Option<Num>,
    /// The mid price when the order was placed, USD.
    pub expected_price: Num,
    /// The average price of its fills, USD.
    pub fill_price: Option<Num>,
    /// The mark that fires it, USD.
    pub trigger_price: Option<Num>,
    /// The worst price it accepts, USD.
    pub limit_price: Option<Num>,
    /// USD: price times size of its fills.
    pub notional: Option<Num>,
    /// USD.
    pub fee: Option<Num>,
    /// USD, before fees and funding.
    pub realized_pnl: Option<Num>,
    /// Notional over margin.
    pub leverage: Num,
    /// cross or isolated.
    pub margin_mode: Lenient<MarginMode>,
    /// Whether it can only make a position smaller.
    pub reduce_only: bool,
    /// gtc, ioc, fok or gtd.
    pub time_in_force: Option<Lenient<TimeInForce>>,
    /// When a gtd order expires.
    pub gtd_expires_at: Option<Timestamp>,
    /// The target that it brings along, USD.
    pub attached_take_profit_price: Option<Num>,
    /// The stop that it brings along, USD.
    pub attached_stop_loss_price: Option<Num>,
    /// Distance of a chase from the best price, USD.
    pub chase_offset: Option<Num>,
    /// The last price of a chase, USD.
    pub chase_cap_price: Option<Num>,
    /// The market whose mark fires it.
    pub trigger_market_id: Option<MarketId>,
    /// above or below: the side of the trigger price that fires it.
    pub trigger_direction: Option<Lenient<TriggerDirection>>,
    /// The position that it closes.
    pub target_position_id: Option<PositionId>,
    /// maker or taker.
    pub liquidity_role: Option<Lenient<LiquidityRole>>,
    /// The order that it is a part of.
    pub partial_of_order_id: Option<OrderId>,
    /// The first order of the parts.
    pub partial_fill_root_order_id: Option<OrderId>,
    /// The TWAP that it is a slice of.
    pub twap_order_id: Option<TwapId>,
    /// The scaled order that it is a rung of.
    pub scaled_order_id: Option<ScaledId>,
    /// The name that the sender gave it.
    pub client_order_id: Option<ClientOrderId>,
    /// The other exit of a pair: a fill of one retires the same size of the other.
    pub oco_sibling_order_id: Option<OrderId>,
    /// pending, resting, filled, rejected, expired or canceled.
    pub status: Lenient<OrderStatus>,
    /// Why it was rejected or canceled.
    pub reject_reason: Option<Text>,
    /// The rule that rejected it.
    pub reject_rule_id: Option<Text>,
    /// When it was placed.
    pub requested_at: Timestamp,
    /// When it was filled, rejected or expired.
    pub settled_at: Option<Timestamp>,
    /// When it was canceled.
    pub canceled_at: Option<Timestamp>,
    /// When its trigger was reached.
    pub triggered_at: Option<Timestamp>,
    /// When a stop limit or take limit entered its limit leg.
    pub stop_triggered_at: Option<Timestamp>,
    /// When its cancel was queued; it may still fill.
    pub cancel_requested_at: Option<Timestamp>,
}

/// The reference price of a fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillReference {
    /// The midpoint when it was placed.
    Expected(Num),
    /// Its trigger price.
    Trigger(Num),
}

impl FillReference {
    #[must_use]
    pub fn price(self) -> Num {
        match self {
            Self::Expected(price) | Self::Trigger(price) => price,
        }
    }
}

impl Order {
    pub fn is_working(&self) -> bool {
        self.status.known().is_some_and(OrderStatus::is_working)
    }

    /// In a final state. An unknown status is not final: the order may still execute.
    pub fn is_over(&self) -> bool {
        self.status
            .known()
            .is_some_and(|status| !status.is_working())
    }

    /// Waiting for its trigger: it has a trigger price that was not reached, whether the service calls it resting or
    /// pending (docs/service-api.md 2.1).
    pub fn is_armed(&self) -> bool {
        !self.is_over() && self.is_untriggered()
    }

    fn is_untriggered(&self) -> bool {
        let triggered_at = self.triggered_at.or(self.stop_triggered_at);
        self.trigger_price.is_some() && triggered_at.is_none()
    }

    /// Where it stands: its trigger while it waits for that, then its limit.
    pub fn working_price(&self) -> Option<Num> {
        if self.is_armed() {
            self.trigger_price
        } else {
            self.limit_price
        }
    }

    /// How much of it has filled, in coin; `None` if its row does not say. A service may leave it out of a row without a
    /// fill, but `size` may be what is left or what was requested: only a trigger that was not reached shows that nothing
    /// has filled.
    pub fn filled(&self) -> Option<Num> {
        let stated = self.filled_size.map(Num::abs);
        let all = || {
            self.status
                .is(&OrderStatus::Filled)
                .then(|| self.size.abs())
        };
        let is_untouched = self.fill_price.is_none() && self.is_untriggered();
        stated
            .or_else(all)
            .or_else(|| is_untouched.then_some(Num::ZERO))
    }

    /// Waiting with a trigger and a limit: one new price does not say where both go.
    pub fn has_two_prices(&self) -> bool {
        self.is_armed() && self.limit_price.is_some()
    }

    /// Its cancel is accepted, but not carried out yet.
    pub fn is_cancel_queued(&self) -> bool {
        self.is_working() && self.cancel_requested_at.is_some()
    }

    /// The reference price of its fill. The midpoint at placement means nothing for an order that waited for a trigger;
    /// a trigger on another market is no reference either.
    pub fn yardstick(&self) -> Option<FillReference> {
        let Some(trigger) = self.trigger_price else {
            return Some(FillReference::Expected(self.expected_price));
        };
        let elsewhere = self.trigger_market_id.as_ref();
        let is_own = elsewhere.is_none_or(|id| *id == self.market_id);
        is_own.then_some(FillReference::Trigger(trigger))
    }

    /// How much better (+) or worse (−) its fill was than its [`yardstick`](Self::yardstick), USD per coin, on either
    /// side.
    pub fn fill_gain(&self) -> Option<Num> {
        let paid_less = self.yardstick()?.price().minus(self.fill_price?)?;
        Some(match self.side.known()? {
            Side::Buy => paid_less,
            Side::Sell => paid_less.negated(),
        })
    }

    /// [`fill_gain`](Self::fill_gain) in basis points of the reference price.
    pub fn fill_bps(&self) -> Option<Num> {
        let share = self.fill_gain()?.over(self.yardstick()?.price())?;
        share.times(Num::from(10_000_u32))
    }

    /// Whether the rows of this order's parts add to its own row. On some services the own row of an order that filled
    /// in parts covers only its last part, or none, or a remainder has a row of its own. On the paper exchange the own
    /// row covers the whole order, and the rows of its parts repeat it.
    pub fn adds_to_its_parts(&self) -> bool {
        if self.partial_of_order_id.is_some() {
            return !self.status.is(&OrderStatus::Filled);
        }
        let filled = self.filled_size.unwrap_or_default().abs();
        let is_short = self.status.is(&OrderStatus::Filled) && self.size.abs() < filled;
        filled.is_positive() && (is_short || self.fill_price.is_none())
    }

    /// The size that this row's figures cover: everything filled, or the last part.
    pub fn executed_size(&self) -> Num {
        let (filled, size) = (self.filled_size.map(Num::abs), self.size.abs());
        match filled {
            Some(filled) if self.adds_to_its_parts() => filled.min(size),
            Some(filled) => filled,
            None => size,
        }
    }

    /// From the request to the last fill.
    pub fn settle_time(&self) -> Option<Duration> {
        Some(self.settled_at?.since(self.requested_at))
    }

    /// The requested size before fills reduced `size`. Before any fill it is `size`: a stop grows and shrinks with its
    /// position.
    pub fn requested_size(&self) -> Num {
        let is_untouched = self.is_armed() || self.filled_size.is_some_and(Num::is_zero);
        let is_whole = self.is_working() && is_untouched;
        self.initial_size.filter(|_| !is_whole).unwrap_or(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rest: &str) -> Order {
        let json = format!(
            r#"{{"id":"o","account_id":"a","market_id":"x|BTC","provider":"x","symbol":"BTC","coin":"BTC",
            "type":"stop_limit","mode":"stop_limit","side":"buy","size":2,"expected_price":1,"leverage":5,
            "margin_mode":"cross","reduce_only":false,"requested_at":1790000000000,{rest}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn what_has_filled_is_known_without_a_filled_size_where_the_row_shows_it() {
        let filled = |rest: &str| order(rest).filled().map(|filled| filled.to_string());
        let known = |size: &str| Some(size.to_owned());
        for (rest, stated) in [
            (r#""status":"resting","filled_size":-0.5"#, known("0.5")),
            (r#""status":"filled""#, known("2")),
            (r#""status":"resting","initial_size":2"#, None),
            (r#""status":"canceled","initial_size":2"#, None),
            (r#""status":"canceled","trigger_price":9"#, known("0")),
            (r#""status":"resting""#, None),
            (r#""status":"canceled","initial_size":3"#, None),
            (
                r#""status":"canceled","trigger_price":9,"triggered_at":1"#,
                None,
            ),
            (
                r#""status":"canceled","initial_size":2,"fill_price":9"#,
                None,
            ),
        ] {
            assert_eq!(filled(rest), stated, "{rest}");
        }
    }

    #[test]
    fn an_order_works_at_its_trigger_until_that_is_reached() {
        let at = |rest: &str| {
            let rest = format!(r#""status":"resting","trigger_price":9,"limit_price":8{rest}"#);
            order(&rest).working_price()
        };
        assert_eq!(at(""), Some(Num::new(9, 0)));
        assert_eq!(at(r#","triggered_at":1"#), Some(Num::new(8, 0)));
        assert_eq!(at(r#","stop_triggered_at":1"#), Some(Num::new(8, 0)));
    }
}
