//! The markets that a service lists, and what an order would meet in one (docs/service-api.md 2.7).

use super::{
    Lenient, MarketId, Num, Side, Text, Timestamp, value::lenient::or_none, value::words::words,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

/// A market of `GET /v1/markets`. It has no tick size: prices are never refused for one.
#[serde_with::apply(Text => #[serde(deserialize_with = "Text::read_name")])]
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_none")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// What is sent.
    pub market_id: MarketId,
    pub provider: Text,
    /// What a person sees and types.
    pub symbol: Text,
    /// What the venue calls it: `BTCUSDT`, `xyz:TSLA`.
    pub coin: Text,
    /// Decimals of a size; the lot is 10^-size_decimals.
    #[serialize_always]
    pub size_decimals: Option<u32>,
    #[serialize_always]
    pub max_leverage: Option<u32>,
    pub market_type: Option<Text>,
    pub category: Option<Text>,
    pub trading_enabled: Option<bool>,
    /// Only orders that reduce are accepted.
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
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_none")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Quote {
    /// Null for a market that is priced by its mark.
    #[serialize_always]
    pub bid: Option<Num>,
    #[serialize_always]
    pub ask: Option<Num>,
    #[serialize_always]
    pub mid: Option<Num>,
    /// When the prices were made, by the service's clock.
    #[serialize_always]
    pub time: Option<Timestamp>,
    pub fillable: Option<bool>,
    /// Null where it is fillable.
    #[serialize_always]
    pub unfillable_reason: Option<Lenient<UnfillableReason>>,
    pub reference_price: Option<Num>,
    pub reference_kind: Option<Lenient<ReferenceKind>>,
    pub estimated_fill_price: Option<Num>,
    pub estimated_notional: Option<Num>,
    pub estimated_fee: Option<Num>,
    pub fee_bps: Option<Num>,
    pub levels_consumed: Option<Num>,
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
#[serde_with::apply(Option => #[serde(deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceAbout {
    pub name: Option<Text>,
    pub version: Option<Text>,
    pub environment: Option<Lenient<ServiceEnvironment>>,
    pub documentation: Option<Text>,
    /// Where the controls of a simulated market are; perpdeck's own exchange says so, no other service does.
    #[serde(skip_serializing_if = "Option::is_none")]
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

    /// Whether it runs on this machine, too: `http` reaches no other one.
    pub fn is_paper_at(&self, base_url: &str) -> bool {
        base_url.starts_with("http://") && self.is_simulator()
    }

    pub fn is_test(&self) -> bool {
        let environment = self.environment.as_ref();
        environment.is_some_and(|word| word.is(&ServiceEnvironment::Test))
    }
}
