//! A TWAP or VWAP order against its request.

use super::found::Found;
use crate::model::{Num, PlaceTwap, Twap};

pub(super) fn differences(request: &PlaceTwap, twap: &Twap) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &request.market_id, Some(&twap.market_id));
    found.differ("side", request.side, twap.side());
    found.differ("size", request.size, twap.total_size.map(Num::abs));
    found.differ("reduce-only", request.reduce_only, twap.reduce_only);
    found.differ("minutes", request.duration_minutes, twap.duration_minutes);
    found.known("trigger price", request.trigger_price, twap.trigger_price);
    found.known("lowest price", request.min_price, twap.min_price);
    found.known("highest price", request.max_price, twap.max_price);
    found.0
}
