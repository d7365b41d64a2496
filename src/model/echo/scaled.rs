//! A scaled order against its request.

use super::found::Found;
use crate::model::{Num, PlaceScaled, Scaled};

pub(super) fn differences(request: &PlaceScaled, scaled: &Scaled) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &request.market_id, Some(&scaled.market_id));
    found.differ("side", request.side, scaled.side());
    found.differ("size", request.size, scaled.total_size.map(Num::abs));
    found.differ("reduce-only", request.reduce_only, scaled.reduce_only);
    found.differ("rungs", request.rung_count, scaled.rung_count);
    found.known("first price", Some(request.start_price), scaled.start_price);
    found.known("last price", Some(request.end_price), scaled.end_price);
    found.0
}
