//! Where candles, books and trades come from: an address with placeholders, and JSON pointers.
//!
//! Contract: a query parameter whose placeholder has no value is left out, so that one address serves the newest page
//! (`{before}`) and a book of any depth (`{depth}`).

use crate::config::SourceChoice;
use serde::{Deserialize, Serialize};

/// The sources of one service. `Auto` is the simulator's own, and none on any other service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarketSources {
    pub candles: SourceChoice<CandleSource>,
    pub books: SourceChoice<BookSource>,
    pub trades: SourceChoice<TradeSource>,
}

/// A JSON document with one row per candle.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct CandleSource {
    /// With `{market_id}` and `{interval}` (`1m`); `{limit}` rows, of those that open before `{before}` (milliseconds).
    pub url: String,
    /// The array of rows; empty is the document itself.
    #[serde(default)]
    pub rows: String,
    /// Within a row, which may be an array: `/0`.
    pub open_time: String,
    pub open: String,
    pub high: String,
    pub low: String,
    pub close: String,
    #[serde(default)]
    pub volume: Option<String>,
    #[serde(default)]
    pub turnover: Option<String>,
    #[serde(default)]
    pub trades: Option<String>,
    /// `true` or `false`; without it every row but the newest is over.
    #[serde(default)]
    pub closed: Option<String>,
    #[serde(default)]
    pub synthetic: Option<String>,
    /// Within the document: when it was made.
    #[serde(default)]
    pub updated_at: Option<String>,
}

/// The order book of one market.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct BookSource {
    /// With `{market_id}`; `{depth}` levels a side.
    pub url: String,
    /// The array of what is bid; then, of what is asked.
    pub bids: String,
    pub asks: String,
    /// Within a level, which may be an array: `/0`.
    pub level_price: String,
    pub level_size: String,
    /// Within the document: when it was made.
    #[serde(default)]
    pub updated_at: Option<String>,
}

/// A JSON document with one row per trade.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TradeSource {
    /// With `{market_id}`; the newest `{limit}` rows.
    pub url: String,
    /// The array of rows; empty is the document itself.
    #[serde(default)]
    pub rows: String,
    /// A whole number that rises from trade to trade.
    #[serde(default)]
    pub trade_id: Option<String>,
    pub price: String,
    pub size: String,
    /// Who crossed the spread: `buy` or `sell`.
    pub aggressor: String,
    pub time: String,
    /// Whether the trade is the account's own: `true` or `false`.
    #[serde(default)]
    pub own: Option<String>,
    /// Within the document: when it was made.
    #[serde(default)]
    pub updated_at: Option<String>,
}

impl MarketSources {
    /// What the paper exchange serves.
    pub fn paper() -> Self {
        Self {
            candles: SourceChoice::Paper,
            books: SourceChoice::Paper,
            trades: SourceChoice::Paper,
        }
    }
}

impl CandleSource {
    /// What the paper exchange serves.
    pub fn paper() -> Self {
        let url =
            "/sim/markets/{market_id}/candles?interval={interval}&limit={limit}&before={before}";
        Self {
            url: url.to_owned(),
            rows: "/data".to_owned(),
            open_time: "/open_time".to_owned(),
            open: "/open".to_owned(),
            high: "/high".to_owned(),
            low: "/low".to_owned(),
            close: "/close".to_owned(),
            volume: Some("/volume".to_owned()),
            turnover: Some("/turnover".to_owned()),
            trades: Some("/trades".to_owned()),
            closed: Some("/closed".to_owned()),
            synthetic: Some("/synthetic".to_owned()),
            updated_at: Some("/updated_at".to_owned()),
        }
    }
}

impl BookSource {
    /// What the paper exchange serves.
    pub fn paper() -> Self {
        Self {
            url: "/sim/markets/{market_id}/book?depth={depth}".to_owned(),
            bids: "/data/bids".to_owned(),
            asks: "/data/asks".to_owned(),
            level_price: "/price".to_owned(),
            level_size: "/size".to_owned(),
            updated_at: Some("/data/updated_at".to_owned()),
        }
    }
}

impl TradeSource {
    /// What the paper exchange serves.
    pub fn paper() -> Self {
        Self {
            url: "/sim/markets/{market_id}/trades?limit={limit}".to_owned(),
            rows: "/data".to_owned(),
            trade_id: Some("/trade_id".to_owned()),
            price: "/price".to_owned(),
            size: "/size".to_owned(),
            aggressor: "/aggressor".to_owned(),
            time: "/time".to_owned(),
            own: Some("/own".to_owned()),
            updated_at: Some("/updated_at".to_owned()),
        }
    }
}
