//! A scaled order against its request.

use super::found::Found;
use crate::model::{Num, PlaceScaled, Scaled};

pub(super) fn differences(asked: &PlaceScaled, scaled: &Scaled) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &asked.market_id, Some(&scaled.market_id));
    found.differ("side", asked.side, scaled.side());
    found.differ("size", asked.size, scaled.total_size.map(Num::abs));
    found.differ("reduce-only", asked.reduce_only, scaled.reduce_only);
    found.differ("rungs", asked.rung_count, scaled.rung_count);
    found.known("first price", Some(asked.start_price), scaled.start_price);
    found.known("last price", Some(asked.end_price), scaled.end_price);
    found.0
}
