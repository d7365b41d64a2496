//! A scaled order against its request.

use super::found::Found;
use crate::model::{Num, PlaceScaled, Scaled};

pub(super) fn differences(asked: &PlaceScaled, ladder: &Scaled) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &asked.market_id, Some(&ladder.market_id));
    found.differ("side", asked.side, ladder.side());
    found.differ("size", asked.size, ladder.total_size.map(Num::abs));
    found.differ("reduce-only", asked.reduce_only, ladder.reduce_only);
    found.differ("rungs", asked.rung_count, ladder.rung_count);
    found.known("first price", Some(asked.start_price), ladder.start_price);
    found.known("last price", Some(asked.end_price), ladder.end_price);
    found.0
}
