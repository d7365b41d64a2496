//! TWAPs as cards: a head, a bar for the filled part, a bar for the time, and the facts.

use crate::{
    ui::{
        cells::{Canvas, after, first, inset, length, line, share, spans_width, sum, width},
        tables::table::{PickedRow, first_parts, fitting_parts},
    },
    view::{Bar, Span, Tone, TwapCard},
};
use ratatui::layout::Rect;

/// Lines per card: with facts and an empty line, with facts, and without.
const PITCHES: [u16; 3] = [5, 4, 3];
const LABEL: u16 = 7;
const SHARE: u16 = 5;
const BARS: std::ops::RangeInclusive<u16> = 6..=40;

/// The layout of cards: lines per card, and how many are visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) struct Setting {
    pitch: u16,
    pub(in crate::ui) seen: usize,
}

/// The widest layout that shows all cards, otherwise the tightest; `None` if not even one fits.
pub(in crate::ui) fn setting(area: Rect, cards: usize) -> Option<Setting> {
    let settings = PITCHES.map(|pitch| Setting {
        pitch,
        // The last card needs no empty line.
        seen: share(sum([area.height, u16::from(pitch == PITCHES[0])]), 1, pitch).into(),
    });
    let roomy = settings.into_iter().find(|setting| setting.seen >= cards);
    let setting = roomy.or(settings.last().copied());
    setting.filter(|setting| setting.seen > 0)
}

/// How many lines the cards would fill.
pub(in crate::ui) fn wanted(cards: usize) -> u16 {
    let cards = length(cards.max(1));
    cards.saturating_mul(PITCHES[0]).saturating_sub(1)
}

/// The area of the n-th visible card.
pub(in crate::ui) fn block(area: Rect, setting: Setting, number: u16) -> Rect {
    let top = number.saturating_mul(setting.pitch);
    Rect {
        y: area.y.saturating_add(top),
        height: setting.pitch.min(4).min(area.height.saturating_sub(top)),
        ..area
    }
}

pub(in crate::ui) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    cards: &[TwapCard],
    setting: Setting,
    picked: &PickedRow,
) {
    let bars = cards.iter().flat_map(|card| &card.bars);
    let words = bars.map(|bar| spans_width(&bar.words)).max().unwrap_or(0);
    let room = area.width.saturating_sub(LABEL + SHARE + 4);
    let bar = room.saturating_sub(sum([words, 2]));
    let bar = bar.clamp(*BARS.start(), *BARS.end()).min(room);
    for (number, card) in (0_u16..).zip(cards) {
        let block = self::block(area, setting, number);
        picked.draw(canvas, block, usize::from(number));
        one(canvas, inset(block, 1), card, bar);
    }
}

fn one(canvas: &mut Canvas<'_>, block: Rect, card: &TwapCard, bar: u16) {
    // A TWAP's state matters more than its terms, and less than its identity.
    let head = line(block, 0);
    let (name, terms) = (spans_width(&card.name), spans_width(&card.terms));
    let beside = head.width.saturating_sub(sum([name, 2]));
    let is_roomy = sum([spans_width(&card.state), terms]) <= beside;
    let words = if is_roomy {
        &card.state
    } else {
        &card.brief_state
    };
    let least = words.first().map_or(0, |span| width(&span.text));
    let has_terms = least.saturating_add(terms) <= beside;
    let room = beside.saturating_sub(if has_terms { terms } else { 0 });
    let mut state = vec![Span::plain("  ")];
    state.extend_from_slice(&first_parts(words, room));
    let rest = canvas.spans_right(head, &state);
    let rest = canvas.spans(rest, &card.name);
    if has_terms {
        canvas.spans(rest, &card.terms);
    }
    for (number, part) in (1..).zip(&card.bars) {
        self::bar(canvas, line(block, number), part, bar);
    }
    let row = canvas.spans(line(block, 3), &card.facts);
    if let Some(child) = &card.child {
        self::child(canvas, row, child);
    }
}

/// With a label if it fits, otherwise the id alone; never a part of it.
fn child(canvas: &mut Canvas<'_>, row: Rect, id: &str) {
    let words = [format!("  child {id}"), format!("  {id}")];
    if let Some(words) = words.iter().find(|words| width(words) <= row.width) {
        canvas.toned(row, words, Tone::Muted);
    }
}

fn bar(canvas: &mut Canvas<'_>, row: Rect, bar: &Bar, room: u16) {
    canvas.toned(row, bar.label, Tone::Muted);
    let row = after(row, LABEL);
    canvas.rail(first(row, room), bar.gauge);
    let row = after(row, room);
    let lead = SHARE.saturating_sub(width(&bar.share.text));
    canvas.span(after(row, lead), &bar.share);
    let row = after(row, SHARE + 2);
    canvas.spans(row, fitting_parts(&bar.words, row.width));
}
