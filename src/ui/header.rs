//! The first line. In a narrow window it shortens its segments, then drops the least important.

use super::canvas::{Canvas, after, before, shortened, spans_width, width as width_of};
use crate::{
    app::{Mode, keys::keymap::Action, tables::click_target::ClickTarget},
    view::{Chip, Gauge, Header, Segment, Span, Tone},
};
use ratatui::layout::Rect;

const GAUGE: u16 = 8;
const SEPARATOR: &str = " │ ";
const SEPARATOR_WIDTH: u16 = 3;
/// From this priority on, a segment is dropped before others are shortened.
const GOOD_TO_KNOW: u8 = 4;

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, header: &Header) {
    let row = badge(canvas, area, header.mode);
    let style = canvas.theme.restricted();
    let row = header.badges.iter().fold(row, |row, words| {
        after(canvas.text(row, &format!(" {words} "), style), 1)
    });
    let row = match &header.chip {
        Some(chip) => self::chip(canvas, row, area.width, chip),
        None => row,
    };
    let segments = fitting(&header.segments, row.width);
    let mut row = row;
    for (at, (spans, gauge, _)) in segments.iter().enumerate() {
        if at > 0 {
            row = canvas.text(
                row,
                SEPARATOR,
                canvas.theme.part(super::theme::ThemePart::Border),
            );
        }
        row = self::segment(canvas, row, spans, *gauge);
    }
}

fn badge(canvas: &mut Canvas<'_>, area: Rect, mode: Option<Mode>) -> Rect {
    let row = match mode {
        Some(mode) => {
            let words = match mode {
                Mode::Paper => " PAPER ",
                Mode::LiveApi => " LIVE-API ",
            };
            let style = canvas.theme.badge(mode);
            canvas.text(area, words, style)
        }
        None => canvas.toned(area, " perpdeck ", Tone::Accent),
    };
    after(row, 1)
}

/// At most a third of the line; a click opens the list of accounts.
fn chip(canvas: &mut Canvas<'_>, row: Rect, wide: u16, chip: &Chip) -> Rect {
    let room = (wide / 3).saturating_sub(2);
    let words = if width_of(&chip.words) <= room {
        &chip.words
    } else {
        &chip.brief
    };
    let style = canvas.theme.chip(chip.tint);
    let words = shortened(words, room);
    let rest = canvas.text(row, &format!(" {words} "), style);
    let accounts = ClickTarget::Key(canvas.place, Action::Accounts);
    canvas.spot(before(row, rest), accounts);
    after(rest, 1)
}

fn segment(canvas: &mut Canvas<'_>, row: Rect, spans: &[Span], gauge: Option<Gauge>) -> Rect {
    let Some(gauge) = gauge else {
        return canvas.spans(row, spans);
    };
    let (label, rest) = spans.split_at(1.min(spans.len()));
    let row = canvas.spans(row, label);
    canvas.gauge(
        Rect {
            width: GAUGE.min(row.width),
            ..row
        },
        gauge,
    );
    canvas.spans(after(row, GAUGE + 1), rest)
}

/// A segment as it is drawn.
type ShownSegment<'a> = (&'a [Span], Option<Gauge>, u8);

/// The first of these that fits: all in full; without optional segments that have no brief form; brief; without bars;
/// without optional segments; in the fewest words; the most important of those.
fn fitting(segments: &[Segment], room: u16) -> Vec<ShownSegment<'_>> {
    let full = segments.iter().map(|s| (&*s.words, s.gauge, s.priority));
    let full: Vec<ShownSegment> = full.collect();
    if width(&full) <= room {
        return full;
    }
    let needed = || segments.iter().filter(|s| !s.brief.is_empty());
    let full = needed().map(|s| (&*s.words, s.gauge, s.priority));
    let full: Vec<ShownSegment> = full.collect();
    if width(&full) <= room {
        return full;
    }
    let brief = needed().map(|s| (&*s.brief, s.gauge, s.priority));
    let mut brief: Vec<ShownSegment> = brief.collect();
    if width(&brief) > room {
        for (_, gauge, _) in &mut brief {
            *gauge = None;
        }
    }
    drop_until_it_fits(&mut brief, room, GOOD_TO_KNOW);
    if width(&brief) > room {
        let fewest = needed().map(|s| (&*s.fewest, None, s.priority));
        brief = fewest.collect();
        drop_until_it_fits(&mut brief, room, 0);
    }
    brief
}

/// Drops the least important first, down to priority `down_to`; keeps at least one.
fn drop_until_it_fits(segments: &mut Vec<ShownSegment<'_>>, room: u16, down_to: u8) {
    while width(segments) > room && segments.len() > 1 {
        let least = segments
            .iter()
            .enumerate()
            .filter(|(_, (.., priority))| *priority >= down_to)
            .max_by_key(|(at, (.., priority))| (*priority, *at));
        let Some((at, _)) = least else { break };
        segments.remove(at);
    }
}

fn width(segments: &[ShownSegment<'_>]) -> u16 {
    let gaps = u16::try_from(segments.len().saturating_sub(1)).unwrap_or(0);
    let gaps = gaps.saturating_mul(SEPARATOR_WIDTH);
    segments.iter().fold(gaps, |sum, (spans, gauge, _)| {
        let gauge = if gauge.is_some() { GAUGE + 1 } else { 0 };
        sum.saturating_add(spans_width(spans)).saturating_add(gauge)
    })
}
