//! The markets that a service lists, and what an order would meet in one (docs/service-api.md 2.7).

use super::{
    Lenient, MarketId, Num, Side, Text, Timestamp, value::lenient::or_none, value::words::words,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

/// A market of `GET /v1/markets`. It has no tick size: prices are never refused for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// What is sent.
    pub market_id: MarketId,
    #[serde(deserialize_with = "Text::read_name")]
    pub provider: Text,
    /// What a person sees and types.
    #[serde(deserialize_with = "Text::read_name")]
    pub symbol: Text,
    /// What the venue calls it: `BTCUSDT`, `xyz:TSLA`.
    #[serde(deserialize_with = "Text::read_name")]
    pub coin: Text,
    /// Decimals of a size; the lot is 10^-size_decimals.
    #[serde(default, deserialize_with = "or_none")]
    pub size_decimals: Option<u32>,
    #[serde(default, deserialize_with = "or_none")]
    pub max_leverage: Option<u32>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub market_type: Option<Text>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub category: Option<Text>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub trading_enabled: Option<bool>,
    /// Only orders that reduce are accepted.
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub reduce_only: Option<bool>,
}

words! {
    UnfillableReason { EmptyBook, InsufficientDepth, SizePrecisionMismatch }
    /// What a fill is priced by.
    ReferenceKind { VenueMark, BookMid }
    /// How many levels of the book the estimate has seen.
    QuoteDepth { Standard, Deep }
}

/// Prices of one market, and with a side and a size the expected fill. USD.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Quote {
    /// Null for a market that is priced by its mark.
    #[serde(default, deserialize_with = "or_none")]
    pub bid: Option<Num>,
    #[serde(default, deserialize_with = "or_none")]
    pub ask: Option<Num>,
    #[serde(default, deserialize_with = "or_none")]
    pub mid: Option<Num>,
    /// When the prices were made, by the service's clock.
    #[serde(default, deserialize_with = "or_none")]
    pub time: Option<Timestamp>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub fillable: Option<bool>,
    /// Null where it is fillable.
    #[serde(default, deserialize_with = "or_none")]
    pub unfillable_reason: Option<Lenient<UnfillableReason>>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub reference_price: Option<Num>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub reference_kind: Option<Lenient<ReferenceKind>>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub estimated_fill_price: Option<Num>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub estimated_notional: Option<Num>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub estimated_fee: Option<Num>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub fee_bps: Option<Num>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub levels_consumed: Option<Num>,
    #[serde(
        default,
        deserialize_with = "or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub depth: Option<Lenient<QuoteDepth>>,
}

impl Quote {
    /// The price to value a position by: the venue's own mark where the quote has it, else the middle.
    pub fn mark(&self) -> Option<Num> {
        let kind = self.reference_kind.as_ref();
        let is_mark = kind.is_some_and(|kind| kind.is(&ReferenceKind::VenueMark));
        self.reference_price.filter(|_| is_mark).or(self.mid)
    }
}

/// What an order of one side and size would meet now.
#[derive(Debug, Clone, PartialEq)]
pub struct SizedQuote {
    pub side: Side,
    /// In coin, above zero.
    pub size: Num,
    pub quote: Quote,
}

impl SizedQuote {
    /// The average price of an order of `side` and `quantity`; `None` for another order, for one that cannot fill, and for a
    /// limit that is worse than the estimate.
    pub fn fills_at(&self, side: Side, quantity: Num, limit: Option<Num>) -> Option<Num> {
        let is_same =
            (self.side, self.size) == (side, quantity) && self.quote.fillable != Some(false);
        let price = self.quote.estimated_fill_price.filter(|_| is_same)?;
        let is_within = limit.is_none_or(|limit| match side {
            Side::Buy => price <= limit,
            Side::Sell => price >= limit,
        });
        is_within.then_some(price)
    }
}

/// What a service says of itself: `GET /v1`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceAbout {
    #[serde(deserialize_with = "or_none")]
    pub name: Option<Text>,
    #[serde(deserialize_with = "or_none")]
    pub version: Option<Text>,
    #[serde(deserialize_with = "or_none")]
    pub environment: Option<Lenient<ServiceEnvironment>>,
    #[serde(deserialize_with = "or_none")]
    pub documentation: Option<Text>,
    /// Where the controls of a simulated market are; perpdeck's own exchange says so, no other service does.
    #[serde(deserialize_with = "or_none", skip_serializing_if = "Option::is_none")]
    pub simulator: Option<Text>,
}

words! {
    ServiceEnvironment { Live, Test }
}

/// What an API key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyScope {
    Trade,
    ReadOnly,
}

impl ServiceAbout {
    /// Whether this is perpdeck's own exchange with its controls: it has no request budget.
    pub fn is_simulator(&self) -> bool {
        self.simulator.is_some()
    }

    pub fn is_test(&self) -> bool {
        let environment = self.environment.as_ref();
        environment.is_some_and(|word| word.is(&ServiceEnvironment::Test))
    }
}
