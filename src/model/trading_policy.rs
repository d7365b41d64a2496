//! What an account may do now, as `GET /v1/accounts/{id}/trading-policy` says (docs/service-api.md 2.6). Advisory: the
//! service decides again for each order.

use super::{Lenient, MarketId, Num, PlaceKind, Text, Timestamp, value::lenient::or_none};
use crate::model::{AccountStage, AccountStatus};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A missing or unreadable field is not known; the row is read all the same.
#[serde_with::apply(Option => #[serde(deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TradingPolicy {
    pub status: Option<Lenient<AccountStatus>>,
    pub stage: Option<Lenient<AccountStage>>,
    /// No order by hand is accepted.
    pub manual_trading_blocked: Option<bool>,
    pub opening_exposure_restricted: Option<bool>,
    pub payout_pending: Option<bool>,
    /// The account copies another one: only that one opens.
    pub copy_follower_locked: Option<bool>,
    pub copy_scope_blocked: Option<bool>,
    pub fee_exempt: Option<bool>,
    pub restriction: Option<Restriction>,
    pub competition: Option<Competition>,
    pub trading_halt: Option<TradingHalt>,
    pub limits: Option<TradingLimits>,
    pub slippage_tolerance_bps: Option<SlippageTolerance>,
    pub account_rules: Option<Vec<AccountRule>>,
    /// The most notional of all open positions together, USD.
    pub maximum_total_notional_usd: Option<Num>,
}

/// Why an account may only reduce.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restriction {
    /// `reduce_only`, or a word of the service's own.
    pub restriction: Text,
    pub reason: Option<Text>,
    pub flagged_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Competition {
    /// The only markets that may be traded; `None` allows all.
    #[serde(deserialize_with = "or_none")]
    pub market_allowlist: Option<Vec<MarketId>>,
}

/// Where trading is halted for everybody.
#[serde_with::apply(Option => #[serde(deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TradingHalt {
    pub platform: Option<bool>,
    pub categories: Option<Vec<Text>>,
}

/// Limits of orders and positions. Times in milliseconds, amounts in USD.
#[serde_with::apply(Option => #[serde(deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TradingLimits {
    pub trades_per_minute: Option<Num>,
    pub trades_per_hour: Option<Num>,
    pub trades_per_day: Option<Num>,
    pub order_cooldown_ms: Option<Num>,
    pub max_open_positions: Option<Num>,
    pub max_position_value_usd: Option<Num>,
    pub min_order_notional_usd: Option<Num>,
    pub execution_delay_min_ms: Option<Num>,
    pub execution_delay_max_ms: Option<Num>,
    pub max_book_staleness_ms: Option<Num>,
    pub maintenance_margin_ratio_bps: Option<Num>,
    pub liquidation_fee_bps: Option<Num>,
    pub max_resting_orders: Option<Num>,
    pub risk_touch_window_ms: Option<Num>,
}

/// What `slippage_tolerance_bps` of an order may be.
#[serde_with::apply(Option => #[serde(deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SlippageTolerance {
    pub min: Option<Num>,
    pub max: Option<Num>,
    pub market_order_maximum_by_provider: Option<BTreeMap<String, Num>>,
}

impl SlippageTolerance {
    /// The bound that `bps` is below or above, for an order of this kind at this provider.
    pub fn outside(
        &self,
        bps: Num,
        kind: PlaceKind,
        provider: &str,
    ) -> Option<(&'static str, Num)> {
        let of_market = self.market_order_maximum_by_provider.as_ref();
        let of_market = of_market.filter(|_| kind == PlaceKind::Market);
        let of_provider = of_market.and_then(|most| most.get(provider).copied());
        let most = self.max.into_iter().chain(of_provider).min();
        let most = most.filter(|most| most.is_positive());
        // Bounds that allow nothing are no bounds: the service decides.
        if most.is_some_and(|most| self.min > Some(most)) {
            return None;
        }
        let below = self.min.filter(|least| bps < *least);
        let above = most.filter(|most| bps > *most);
        below
            .map(|least| ("below", least))
            .or_else(|| Some(("above", above?)))
    }
}

/// A rule of the account by its id; its parameters are the service's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountRule {
    pub id: Text,
    #[serde(default)]
    pub parameters: serde_json::Value,
}

/// Why an account may open nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLock {
    /// For the header of a narrow window.
    pub brief: &'static str,
    pub words: String,
}

impl EntryLock {
    pub(super) fn new(brief: &'static str, words: impl Into<String>) -> Self {
        let words = words.into();
        Self { brief, words }
    }
}

impl TradingPolicy {
    /// Whether trading is halted in all markets of `category`.
    pub fn halts(&self, category: &Text) -> bool {
        let halt = self.trading_halt.as_ref();
        let halted = halt.and_then(|halt| halt.categories.as_ref());
        halted.is_some_and(|halted| halted.contains(category))
    }

    /// Why nothing may be opened in `market` now, in words; `None` if the policy allows it.
    pub fn refuses_entries(&self, market: Option<&MarketId>) -> Option<String> {
        let lock = self.lock().map(|lock| lock.words);
        lock.or_else(|| self.not_allowed(market?))
    }

    /// Why nothing may be opened in any market.
    pub(super) fn lock(&self) -> Option<EntryLock> {
        let is_halted = self.trading_halt.as_ref().and_then(|halt| halt.platform);
        let flags = [
            (is_halted, "TRADING HALT", "the service has halted trading"),
            (
                self.manual_trading_blocked,
                "MANUAL TRADING BLOCKED",
                "manual trading is blocked on this account",
            ),
            (
                self.copy_follower_locked,
                "COPY FOLLOWER",
                "this account copies another one: only that one opens positions",
            ),
            (
                self.copy_scope_blocked,
                "COPY LOCK",
                "copy trading blocks this account from opening positions",
            ),
            (
                self.payout_pending,
                "PAYOUT PENDING",
                "a payout is pending: nothing can be opened until it is done",
            ),
            (
                self.opening_exposure_restricted,
                "NO ENTRIES",
                "this account may not open positions now",
            ),
        ];
        let set = flags.into_iter().find(|(flag, ..)| *flag == Some(true));
        set.map(|(_, brief, words)| EntryLock::new(brief, words))
            .or_else(|| self.restricted())
    }

    fn restricted(&self) -> Option<EntryLock> {
        let restriction = self.restriction.as_ref()?;
        let why = restriction.reason.as_ref().filter(|why| !why.is_empty());
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let word = restriction.restriction.to_string().replace('_', "-");
        let brief = if word == "reduce-only" {
            "REDUCE-ONLY"
        } else {
            "RESTRICTED"
        };
        Some(EntryLock::new(brief, format!("the account is {word}{why}")))
    }

    fn not_allowed(&self, market: &MarketId) -> Option<String> {
        let allowed = self.competition.as_ref()?.market_allowlist.as_ref()?;
        (!allowed.contains(market))
            .then(|| format!("{market} is not among the markets of this competition"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> TradingPolicy {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_the_policy_blocks_is_said_and_what_it_does_not_say_is_allowed() {
        let btc = MarketId::from("binance|BTCUSDT");
        let refuses = |json: &str| read(json).refuses_entries(Some(&btc));
        assert_eq!(refuses("{}"), None);
        assert_eq!(
            refuses(
                r#"{"payout_pending":null,"restriction":null,"trading_halt":{"platform":false,"categories":[]}}"#
            ),
            None
        );
        assert_eq!(
            refuses(r#"{"restriction":{"restriction":"reduce_only","reason":"under review"}}"#)
                .unwrap(),
            "the account is reduce-only: under review"
        );
        assert_eq!(
            refuses(r#"{"competition":{"market_allowlist":["binance|ETHUSDT"]}}"#).unwrap(),
            "binance|BTCUSDT is not among the markets of this competition"
        );
        assert!(refuses(r#"{"copy_follower_locked":true}"#).is_some());
    }

    #[test]
    fn a_field_of_another_shape_is_unknown_and_costs_nothing_else() {
        let policy = read(
            r#"{"trading_halt":"none","limits":{"max_open_positions":"many","order_cooldown_ms":250}}"#,
        );
        let limits = policy.limits.unwrap();
        assert_eq!(
            (policy.trading_halt, limits.max_open_positions),
            (None, None)
        );
        assert_eq!(limits.order_cooldown_ms, Some(Num::from(250_u32)));
    }
}
