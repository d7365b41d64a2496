//! A candle as characters: two levels a cell, so that body and wick share one. Where colors do not show the directions
//! apart, thin is up and solid is down.

use crate::{
    model::{Candle, Side, Timestamp},
    view::market::{
        chart::{ChartView, direction},
        scale::{PriceRange, PriceUnit},
    },
};

use std::collections::BTreeMap;

/// Which characters the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlyphSet {
    /// Bodies of both directions alike, as thick lines.
    Solid,
    /// Thick lines up, solid down: both are told apart without a color.
    Hollow,
    /// Shades and half blocks: a console's font has no half lines.
    Blocks,
}

/// The characters of each candle in view, for as long as neither it nor the scale changes.
#[derive(Debug, Clone, Default)]
pub struct GlyphColumns {
    of: Option<(PriceRange, PriceUnit, u16, GlyphSet)>,
    pub(crate) columns: BTreeMap<Timestamp, (Candle, Vec<char>)>,
}

impl GlyphColumns {
    pub fn scale(&mut self, view: &ChartView, rows: u16, set: GlyphSet) {
        let of = Some((view.range, view.unit, rows, set));
        if self.of != of {
            self.columns.clear();
            self.of = of;
        }
        let seen = view.slots.iter().filter_map(|slot| slot.candle);
        if let Some(first) = seen.map(|candle| candle.open_time).next() {
            self.columns = self.columns.split_off(&first);
        }
    }

    pub fn column(&mut self, candle: &Candle) -> &[char] {
        let Some((range, unit, rows, set)) = self.of else {
            return &[];
        };
        let draw = || (*candle, column(candle, (range, unit), rows, set));
        let known = self.columns.entry(candle.open_time).or_insert_with(draw);
        if known.0 != *candle {
            *known = draw();
        }
        &known.1
    }
}

/// What half a cell shows of a candle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CandlePart {
    Nothing,
    Wick,
    Body,
}

/// The rows of a candle, from above, in halves of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Halves {
    high: i64,
    top: i64,
    bottom: i64,
    low: i64,
}

impl Halves {
    fn new(candle: &Candle, (range, unit): (PriceRange, PriceUnit), rows: u16) -> Option<Self> {
        let half = |price| Some(range.half(unit.count(price)?, rows));
        let (open, close) = (half(candle.open)?, half(candle.close)?);
        Some(Self {
            high: half(candle.high)?,
            top: open.min(close),
            bottom: open.max(close),
            low: half(candle.low)?,
        })
    }

    fn part(self, half: i64) -> CandlePart {
        match half {
            half if (self.top..=self.bottom).contains(&half) => CandlePart::Body,
            half if (self.high..=self.low).contains(&half) => CandlePart::Wick,
            _ => CandlePart::Nothing,
        }
    }
}

/// The characters of a candle, one per row from above; a blank where there is nothing of it.
fn column(candle: &Candle, scale: (PriceRange, PriceUnit), rows: u16, set: GlyphSet) -> Vec<char> {
    let Some(halves) = Halves::new(candle, scale, rows) else {
        return vec![' '; usize::from(rows)];
    };
    let cell = |row: u16| {
        let upper = i64::from(row).saturating_mul(2);
        let parts = [upper, upper.saturating_add(1)].map(|half| halves.part(half));
        match direction(candle) {
            Some(side) => glyph(side, parts, set),
            None if parts.contains(&CandlePart::Body) => level(candle),
            None => wick(parts),
        }
    };
    (0..rows).map(cell).collect()
}

/// Closed where it opened.
fn level(candle: &Candle) -> char {
    match (candle.high > candle.open, candle.low < candle.open) {
        (true, true) => '┼',
        (true, false) => '┴',
        (false, true) => '┬',
        (false, false) => '─',
    }
}

fn wick(parts: [CandlePart; 2]) -> char {
    match parts {
        [CandlePart::Nothing, CandlePart::Nothing] => ' ',
        [CandlePart::Nothing, _] => '╷',
        [_, CandlePart::Nothing] => '╵',
        [_, _] => '│',
    }
}

fn glyph(side: Side, parts: [CandlePart; 2], set: GlyphSet) -> char {
    use CandlePart::{Body, Nothing, Wick};
    if set == GlyphSet::Blocks && side == Side::Buy && parts.contains(&Body) {
        return '▒';
    }
    let is_thick = set == GlyphSet::Solid || side == Side::Buy;
    match (parts, is_thick) {
        ([Nothing | Wick, Nothing | Wick], _) => wick(parts),
        ([Body, Body], true) => '┃',
        ([Wick, Body], true) => '╽',
        ([Body, Wick], true) => '╿',
        ([Nothing, Body], true) => '╻',
        ([Body, Nothing], true) => '╹',
        ([Body, Body], false) => '█',
        ([_, Body], false) => '▄',
        ([Body, _], false) => '▀',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CandlePart::{Body as B, Nothing as N, Wick as W};
    use unicode_width::UnicodeWidthChar;

    const STATES: [[CandlePart; 2]; 8] = [
        [B, B],
        [W, B],
        [B, W],
        [N, B],
        [B, N],
        [W, W],
        [N, W],
        [W, N],
    ];

    fn drawn(side: Side, set: GlyphSet) -> String {
        STATES.map(|parts| glyph(side, parts, set)).iter().collect()
    }

    #[test]
    fn all_eight_states_of_a_cell_are_drawn_up_and_down() {
        assert_eq!(drawn(Side::Buy, GlyphSet::Hollow), "┃╽╿╻╹│╷╵");
        assert_eq!(drawn(Side::Sell, GlyphSet::Hollow), "█▄▀▄▀│╷╵");
        assert_eq!(drawn(Side::Buy, GlyphSet::Blocks), "▒▒▒▒▒│╷╵");
        for side in [Side::Buy, Side::Sell] {
            assert_eq!(drawn(side, GlyphSet::Solid), "┃╽╿╻╹│╷╵");
        }
        assert_eq!(drawn(Side::Sell, GlyphSet::Blocks), "█▄▀▄▀│╷╵");
    }

    #[test]
    fn every_glyph_is_one_column_wide_and_no_body_of_one_direction_is_one_of_the_other() {
        for set in [GlyphSet::Hollow, GlyphSet::Blocks] {
            let (up, down) = (drawn(Side::Buy, set), drawn(Side::Sell, set));
            for glyph in up.chars().chain(down.chars()).chain("┼┬┴─·┄▲▼".chars()) {
                assert_eq!(glyph.width(), Some(1), "{glyph}");
            }
            let bodies = up.chars().take(5);
            assert!(bodies.clone().all(|body| !down.contains(body)), "{set:?}");
        }
    }
}
