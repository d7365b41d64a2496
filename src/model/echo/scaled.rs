//! A scaled order against its request.

use super::found::{Found, Sizes};
use crate::model::{PlaceScaled, Scaled};

pub(super) fn differences(asked: &PlaceScaled, ladder: &Scaled, sizes: Sizes) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &asked.market_id, Some(&ladder.market_id));
    found.signed((asked.side, asked.size), ladder.total_size, sizes);
    found.differ("reduce-only", asked.reduce_only, ladder.reduce_only);
    found.differ("rungs", asked.rung_count, ladder.rung_count);
    found.known("first price", Some(asked.start_price), ladder.start_price);
    found.known("last price", Some(asked.end_price), ladder.end_price);
    found.0
}
