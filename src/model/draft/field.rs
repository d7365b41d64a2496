//! The fields a draft can have, and what is known of each: one table.

/// A field of a draft. Each is one body field of the API, [`Field::Share`] excepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Kind,
    Market,
    Side,
    /// A quick way to write the size of a close.
    Share,
    Size,
    LimitPrice,
    /// The market whose mark is watched.
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
    /// What was observed; the service never prices by it.
    ExpectedPrice,
    Acknowledged,
    ExtraMargin,
    /// Of a TWAP, in whole minutes.
    Duration,
    Randomize,
    MinPrice,
    MaxPrice,
    /// Of a ladder: its first and its last price.
    StartPrice,
    EndPrice,
    Rungs,
    /// The size of the last rung over the first.
    Skew,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// One of a few, by the arrows or its number.
    Choice,
    /// One of many markets: the arrows, or letters of its name.
    Market,
    /// A price in the form's own market, USD.
    Price,
    /// A price in the market that is watched.
    WatchedPrice,
    /// Coin, USD, a share or what may be lost.
    Size,
    /// A count or an amount.
    Number,
    /// A span from now, or a date.
    Instant,
    /// Minutes, or a span.
    Span,
}

/// What is known of one field.
struct Facts {
    label: &'static str,
    takes: Takes,
    /// How the API's bodies spell it.
    body: &'static [&'static str],
}

const fn facts(label: &'static str, takes: Takes, body: &'static [&'static str]) -> Facts {
    Facts { label, takes, body }
}

impl Field {
    #[rustfmt::skip]
    fn facts(self) -> Facts {
        match self {
            Self::Kind => facts("type", Takes::Choice, &["type", "kind"]),
            Self::Market => facts("market", Takes::Market, &["market_id"]),
            Self::Side => facts("side", Takes::Choice, &["side"]),
            Self::Share => facts("part", Takes::Choice, &[]),
            Self::Size => facts("size", Takes::Size, &["size"]),
            Self::LimitPrice => facts("limit price", Takes::Price, &["limit_price"]),
            Self::TriggerMarket => facts("trigger market", Takes::Market, &["trigger_market_id"]),
            Self::TriggerPrice => facts("trigger price", Takes::WatchedPrice, &["trigger_price"]),
            Self::TriggerDirection => facts("fires", Takes::Choice, &["trigger_direction"]),
            Self::ChaseOffset => facts("chase offset", Takes::Number, &["chase_offset"]),
            Self::ChaseCap => facts("chase cap", Takes::Price, &["chase_cap_price"]),
            Self::TargetPosition => facts("position", Takes::Choice, &["target_position_id"]),
            Self::TimeInForce => facts("time in force", Takes::Choice, &["time_in_force"]),
            Self::Expires => facts("expires", Takes::Instant, &["gtd_expires_at"]),
            Self::TakeProfit => facts("take profit", Takes::Price, &["attached_take_profit_price", "take_profit_price"]),
            Self::StopLoss => facts("stop loss", Takes::Price, &["attached_stop_loss_price", "stop_loss_price"]),
            Self::Slippage => facts("slippage bps", Takes::Number, &["slippage_tolerance_bps"]),
            Self::Leverage => facts("leverage", Takes::Number, &["leverage"]),
            Self::MarginMode => facts("margin mode", Takes::Choice, &["margin_mode"]),
            Self::ReduceOnly => facts("reduce-only", Takes::Choice, &["reduce_only"]),
            Self::ExpectedPrice => facts("observed mid", Takes::Price, &["expected_price"]),
            Self::Acknowledged => facts("may fill at once", Takes::Choice, &["marketable_limit_acknowledged"]),
            Self::Duration => facts("duration", Takes::Span, &["duration_minutes"]),
            Self::Randomize => facts("randomize", Takes::Choice, &["randomize"]),
            Self::MinPrice => facts("ends below", Takes::Price, &["min_price"]),
            Self::MaxPrice => facts("ends above", Takes::Price, &["max_price"]),
            Self::StartPrice => facts("first price", Takes::Price, &["start_price"]),
            Self::EndPrice => facts("last price", Takes::Price, &["end_price"]),
            Self::Rungs => facts("rungs", Takes::Number, &["rung_count"]),
            Self::Skew => facts("skew", Takes::Number, &["skew"]),
            Self::ExtraMargin => facts("extra margin", Takes::Number, &["extra_margin"]),
        }
    }

    pub fn label(self) -> &'static str {
        self.facts().label
    }

    /// How the API's bodies spell it.
    pub fn body_names(self) -> &'static [&'static str] {
        self.facts().body
    }

    pub fn takes(self) -> Takes {
        self.facts().takes
    }

    /// Whether it is written, and not chosen.
    pub fn is_typed(self) -> bool {
        !matches!(self.takes(), Takes::Choice | Takes::Market)
    }

    pub fn is_price(self) -> bool {
        matches!(self.takes(), Takes::Price | Takes::WatchedPrice)
    }

    /// Whether `words` (a message of the service) name this field as a whole word: a refusal that names one
    /// is shown beside it.
    pub fn is_named_in(self, words: &str) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        words
            .split(|c| !is_word(c))
            .any(|word| self.facts().body.contains(&word))
    }
}
