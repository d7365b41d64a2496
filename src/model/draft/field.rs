//! The fields of drafts and their facts, in one table.

use strum::EnumIter;

/// A field of a draft. Each is one body field of the API, except [`Field::Share`] and [`Field::ReplacedExits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter)]
pub enum Field {
    Kind,
    /// What the slices of a TWAP follow: its type.
    Curve,
    Market,
    Side,
    /// A quick way to write the size of a close.
    Share,
    Size,
    LimitPrice,
    /// The market whose mark triggers the order.
    TriggerMarket,
    TriggerPrice,
    TriggerDirection,
    ChaseOffset,
    ChaseCap,
    TargetPosition,
    TimeInForce,
    /// When a `gtd` order ends.
    Expires,
    TakeProfit,
    StopLoss,
    Slippage,
    Leverage,
    MarginMode,
    ReduceOnly,
    /// The client's midpoint; the service never prices by it.
    ExpectedPrice,
    Acknowledged,
    ExtraMargin,
    /// For a TWAP, in whole minutes.
    Duration,
    Randomize,
    MinPrice,
    MaxPrice,
    /// For a scaled order: its first and its last price.
    StartPrice,
    EndPrice,
    Rungs,
    /// How a scaled order spreads its size over its rungs.
    Distribution,
    /// Between the slices of a TWAP, in seconds.
    SliceInterval,
    /// Whether exits that nobody has read may be replaced too; no form asks for it.
    ReplacedExits,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldInput {
    /// One of a few, by the arrows or a number.
    Choice,
    /// One of many markets: the arrows, or letters of its name.
    Market,
    /// A price in the form's own market, USD.
    Price,
    /// A price in the trigger's market.
    WatchedPrice,
    /// Coin, USD, a share or an amount at risk.
    Size,
    /// A count or an amount.
    Number,
    /// A time span from now, or a date.
    Instant,
    /// Minutes, or a time span.
    Span,
}

/// The facts of one field.
struct FieldFacts {
    label: &'static str,
    takes: FieldInput,
    /// What fills it on the command line, on the desk and in a shell.
    flag: &'static str,
    /// What the flag's value is called in the help of a shell; empty for a switch.
    value: &'static str,
    /// Its names in the API's bodies.
    body: &'static [&'static str],
}

const fn facts(
    label: &'static str,
    takes: FieldInput,
    flag: &'static str,
    value: &'static str,
    body: &'static [&'static str],
) -> FieldFacts {
    FieldFacts {
        label,
        takes,
        flag,
        value,
        body,
    }
}

impl Field {
    #[rustfmt::skip]
    fn facts(self) -> FieldFacts {
        match self {
            Self::Kind => facts("type", FieldInput::Choice, "--type", "TYPE", &["type", "kind"]),
            Self::Curve => facts("type", FieldInput::Choice, "--curve", "CURVE", &["strategy"]),
            Self::Market => facts("market", FieldInput::Market, "--market", "MARKET", &["market_id"]),
            Self::Side => facts("side", FieldInput::Choice, "--side", "SIDE", &["side"]),
            Self::Share => facts("part", FieldInput::Choice, "--size", "SIZE", &[]),
            Self::Size => facts("size", FieldInput::Size, "--size", "SIZE", &["size"]),
            Self::LimitPrice => facts("limit price", FieldInput::Price, "--limit-price", "PRICE", &["limit_price"]),
            Self::TriggerMarket => facts("trigger market", FieldInput::Market, "--trigger-market-id", "MARKET", &["trigger_market_id"]),
            Self::TriggerPrice => facts("trigger price", FieldInput::WatchedPrice, "--trigger-price", "PRICE", &["trigger_price"]),
            Self::TriggerDirection => facts("fires", FieldInput::Choice, "--trigger-direction", "WHERE", &["trigger_direction"]),
            Self::ChaseOffset => facts("chase offset", FieldInput::Number, "--chase-offset", "USD", &["chase_offset"]),
            Self::ChaseCap => facts("chase cap", FieldInput::Price, "--chase-cap-price", "PRICE", &["chase_cap_price"]),
            Self::TargetPosition => facts("position", FieldInput::Choice, "--target-position-id", "ID", &["target_position_id"]),
            Self::TimeInForce => facts("time in force", FieldInput::Choice, "--tif", "TIF", &["time_in_force"]),
            Self::Expires => facts("expires", FieldInput::Instant, "--gtd-expires-at", "WHEN", &["gtd_expires_at"]),
            Self::TakeProfit => facts("take profit", FieldInput::Price, "--take-profit", "PRICE", &["attached_take_profit_price", "take_profit_price"]),
            Self::StopLoss => facts("stop loss", FieldInput::Price, "--stop-loss", "PRICE", &["attached_stop_loss_price", "stop_loss_price"]),
            Self::Slippage => facts("slippage bps", FieldInput::Number, "--slippage-bps", "BPS", &["slippage_tolerance_bps"]),
            Self::Leverage => facts("leverage", FieldInput::Number, "--leverage", "LEVERAGE", &["leverage"]),
            Self::MarginMode => facts("margin mode", FieldInput::Choice, "--margin-mode", "MODE", &["margin_mode"]),
            Self::ReduceOnly => facts("reduce-only", FieldInput::Choice, "--reduce-only", "", &["reduce_only"]),
            Self::ExpectedPrice => facts("observed mid", FieldInput::Price, "--expected-price", "PRICE", &["expected_price"]),
            Self::Acknowledged => facts("may fill at once", FieldInput::Choice, "--marketable-limit-acknowledged", "", &["marketable_limit_acknowledged"]),
            Self::Duration => facts("duration", FieldInput::Span, "--duration", "TIME", &["duration_minutes"]),
            Self::Randomize => facts("randomize", FieldInput::Choice, "--randomize", "", &["randomize"]),
            Self::MinPrice => facts("min price", FieldInput::Price, "--min-price", "PRICE", &["min_price"]),
            Self::MaxPrice => facts("max price", FieldInput::Price, "--max-price", "PRICE", &["max_price"]),
            Self::StartPrice => facts("first price", FieldInput::Price, "--start-price", "PRICE", &["start_price"]),
            Self::EndPrice => facts("last price", FieldInput::Price, "--end-price", "PRICE", &["end_price"]),
            Self::Rungs => facts("rungs", FieldInput::Number, "--rungs", "COUNT", &["rung_count"]),
            Self::Distribution => facts("distribution", FieldInput::Choice, "--distribution", "DISTRIBUTION", &["distribution"]),
            Self::SliceInterval => facts("slice every s", FieldInput::Number, "--slice-interval", "SECONDS", &["slice_interval_seconds"]),
            Self::ReplacedExits => facts("replaced exits", FieldInput::Choice, "--replace-exits", "", &[]),
            Self::ExtraMargin => facts("extra margin", FieldInput::Number, "--extra", "USD", &["extra_margin"]),
        }
    }

    pub fn label(self) -> &'static str {
        self.facts().label
    }

    /// The flag that fills it: `--limit-price`.
    pub fn flag(self) -> &'static str {
        self.facts().flag
    }

    /// What the value of its flag is called: `PRICE`.
    pub fn value_name(self) -> &'static str {
        self.facts().value
    }

    /// Its names in the API's bodies.
    pub fn body_names(self) -> &'static [&'static str] {
        self.facts().body
    }

    pub fn takes(self) -> FieldInput {
        self.facts().takes
    }

    /// Whether it is a text, not a choice.
    pub fn is_typed(self) -> bool {
        !matches!(self.takes(), FieldInput::Choice | FieldInput::Market)
    }

    /// Whether it is on or off: its flag takes no value.
    pub fn is_switch(self) -> bool {
        self.facts().value.is_empty()
    }

    pub fn is_price(self) -> bool {
        matches!(self.takes(), FieldInput::Price | FieldInput::WatchedPrice)
    }

    /// Whether a body has it under this name.
    pub fn is_body_field(self, path: &str) -> bool {
        self.facts().body.contains(&path)
    }

    /// Whether `words` (a service's message) contains this field's name as a whole word: the refusal is then shown
    /// beside the field.
    pub fn is_named_in(self, words: &str) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        words
            .split(|c| !is_word(c))
            .any(|word| self.facts().body.contains(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{PlaceScaled, PlaceTwap};
    use serde::{Serialize, de::DeserializeOwned};
    use strum::IntoEnumIterator as _;

    /// The names in a body that no field has.
    fn strange<T: DeserializeOwned + Serialize>(body: &str) -> Vec<String> {
        let body: T = serde_json::from_str(body).unwrap();
        let body = serde_json::to_value(body).unwrap();
        let names = body.as_object().unwrap().keys().cloned();
        names
            .filter(|name| !Field::iter().any(|field| field.is_body_field(name)))
            .collect()
    }

    #[test]
    fn what_a_service_refuses_in_a_body_is_shown_at_its_field() {
        let sliced = r#"{"account_id": "a", "market_id": "m", "side": "buy", "size": 1, "expected_price": 1,
            "leverage": 1, "margin_mode": "cross", "duration_minutes": 5, "strategy": "vwap",
            "slice_interval_seconds": 30, "randomize": true, "reduce_only": true, "trigger_price": 1, "max_price": 1,
            "min_price": 1}"#;
        assert_eq!(strange::<PlaceTwap>(sliced), ["account_id"]);
        let scaled = r#"{"account_id": "a", "market_id": "m", "side": "buy", "size": 1, "start_price": 1,
            "end_price": 2, "rung_count": 2, "distribution": "flat", "leverage": 1, "margin_mode": "cross",
            "reduce_only": true, "marketable_limit_acknowledged": true}"#;
        assert_eq!(strange::<PlaceScaled>(scaled), ["account_id"]);
    }
}
