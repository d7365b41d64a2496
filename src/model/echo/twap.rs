//! A TWAP or VWAP order against its request.

use super::found::Found;
use crate::model::{Num, PlaceTwap, Twap};

pub(super) fn differences(asked: &PlaceTwap, twap: &Twap) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &asked.market_id, Some(&twap.market_id));
    found.differ("side", asked.side, twap.side());
    found.differ("size", asked.size, twap.total_size.map(Num::abs));
    found.differ("reduce-only", asked.reduce_only, twap.reduce_only);
    found.differ("minutes", asked.duration_minutes, twap.duration_minutes);
    found.known("trigger price", asked.trigger_price, twap.trigger_price);
    found.known("lowest price", asked.min_price, twap.min_price);
    found.known("highest price", asked.max_price, twap.max_price);
    found.0
}
