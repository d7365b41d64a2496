//! A source of prices: a document, and where each value is in it.

use crate::config::BookSource;
use serde::{Deserialize, Serialize};

/// A JSON document with one row per market. Pointers are RFC 6901; numbers may be JSON numbers or strings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PriceSource {
    /// Absolute, or a path on the service itself. The API key is sent only to the service itself.
    pub url: String,
    /// The array of rows; empty is the document itself.
    #[serde(default)]
    pub rows: String,
    /// Within a row: the market id as the service writes it (`<provider>|<symbol>`).
    pub market_id: String,
    pub mark: String,
    #[serde(default)]
    pub bid: Option<String>,
    #[serde(default)]
    pub ask: Option<String>,
    #[serde(default)]
    pub size_decimals: Option<String>,
    #[serde(default)]
    pub max_leverage: Option<String>,
    /// The step between order prices, if it is the same at every price.
    #[serde(default)]
    pub tick_size: Option<String>,
    /// Otherwise the number of significant figures of an order price, within the decimals that sizes leave.
    #[serde(default)]
    pub price_figures: Option<String>,
    #[serde(default)]
    pub funding_rate: Option<String>,
    /// When the prices were made, by the source's clock: prices without progress grow old.
    #[serde(default)]
    pub updated_at: Option<String>,
    /// The URL of one market's order book, with `{market_id}` in it. Within that document:
    #[serde(default)]
    pub book_url: Option<String>,
    /// The array of bids; then, of asks.
    #[serde(default)]
    pub bids: Option<String>,
    #[serde(default)]
    pub asks: Option<String>,
    /// Within a level of either side.
    #[serde(default)]
    pub level_price: Option<String>,
    #[serde(default)]
    pub level_size: Option<String>,
}

impl PriceSource {
    /// The paper exchange's source.
    pub fn paper() -> Self {
        Self {
            url: "/sim/markets".to_owned(),
            rows: "/data".to_owned(),
            market_id: "/market_id".to_owned(),
            mark: "/mark_price".to_owned(),
            bid: Some("/bid_price".to_owned()),
            ask: Some("/ask_price".to_owned()),
            size_decimals: Some("/size_decimals".to_owned()),
            max_leverage: Some("/max_leverage".to_owned()),
            tick_size: None,
            price_figures: Some("/price_figures".to_owned()),
            funding_rate: Some("/funding_rate".to_owned()),
            updated_at: Some("/updated_at".to_owned()),
            book_url: Some("/sim/markets/{market_id}/book".to_owned()),
            bids: Some("/data/bids".to_owned()),
            asks: Some("/data/asks".to_owned()),
            level_price: Some("/price".to_owned()),
            level_size: Some("/size".to_owned()),
        }
    }

    /// The order book that it serves beside its prices.
    pub fn book(&self) -> Option<BookSource> {
        let text = |pointer: &Option<String>| pointer.clone().unwrap_or_default();
        Some(BookSource {
            url: self.book_url.clone()?,
            bids: text(&self.bids),
            asks: text(&self.asks),
            level_price: text(&self.level_price),
            level_size: text(&self.level_size),
            updated_at: None,
        })
    }
}
