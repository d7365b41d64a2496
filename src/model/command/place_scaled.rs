//! The creation of a scaled order: `POST /v1/scaled-orders` (docs/service-api.md 4.3).

use crate::model::{AccountId, MarginMode, MarketId, MarketNames, Num, Side, value::words::words};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

words! {
    /// How a scaled order spreads its size from the first price to the last: evenly, more at the end, or more at the start.
    Distribution { Flat, Ascending, Descending }
}

/// A new scaled order, as in JSON: limit orders between two prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceScaled {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
    /// In coin, above zero, all rungs together.
    pub size: Num,
    pub leverage: Num,
    pub margin_mode: MarginMode,
    #[serde(default)]
    pub reduce_only: bool,
    pub start_price: Num,
    pub end_price: Num,
    /// 2 to 10.
    pub rung_count: Num,
    pub distribution: Distribution,
    /// A limit that crosses the market and would fill at once is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marketable_limit_acknowledged: Option<bool>,
}

impl PlaceScaled {
    pub(super) fn words(&self, names: &MarketNames) -> String {
        let (size, market) = (self.size.grouped(), names.shown(&self.market_id));
        let (start, end) = (self.start_price.grouped(), self.end_price.grouped());
        let rungs = self.rung_count;
        let reduces = if self.reduce_only { " reduce-only" } else { "" };
        let what = format!("{} {size} {market}", self.side);
        format!("{what} scaled order, {rungs} rungs from {start} to {end}{reduces}")
    }
}
