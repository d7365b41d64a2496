//! The first line. In a narrow window it shortens its segments, then drops the least important.

use super::theme::ThemePart;
use crate::{
    app::{Action, ClickTarget, Mode},
    ui::cells::{
        Canvas, after, before, first, length, shortened, spans_width, sum, width as width_of,
    },
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
    let style = canvas.theme.notice(Tone::Info);
    let row = header.badges.iter().fold(row, |row, words| {
        after(canvas.text(row, &format!(" {words} "), style), 1)
    });
    let mut row = match &header.chip {
        Some(chip) => self::chip(canvas, row, area.width, chip),
        None => row,
    };
    let border = canvas.theme.part(ThemePart::Border);
    for (at, segment) in fitting(&header.segments, row.width).iter().enumerate() {
        if at > 0 {
            row = canvas.text(row, SEPARATOR, border);
        }
        row = segment.draw(canvas, row);
    }
}

fn badge(canvas: &mut Canvas<'_>, area: Rect, mode: Option<Mode>) -> Rect {
    let words = match mode {
        Some(Mode::Paper) => " PAPER ",
        Some(Mode::LiveApi) => " LIVE-API ",
        None => " perpdeck ",
    };
    let style = match mode {
        Some(mode) => canvas.theme.badge(mode),
        None => canvas.theme.tone(Tone::Accent),
    };
    after(canvas.text(area, words, style), 1)
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

/// A segment as it is drawn.
struct ShownSegment<'a> {
    words: &'a [Span],
    gauge: Option<Gauge>,
    priority: u8,
}

impl<'a> ShownSegment<'a> {
    fn new(words: &'a [Span], gauge: Option<Gauge>, segment: &Segment) -> Self {
        Self {
            words,
            gauge,
            priority: segment.priority,
        }
    }

    fn width(&self) -> u16 {
        let gauge = self.gauge.map_or(0, |_| GAUGE + 1);
        sum([spans_width(self.words), gauge])
    }

    fn draw(&self, canvas: &mut Canvas<'_>, row: Rect) -> Rect {
        let Some(gauge) = self.gauge else {
            return canvas.spans(row, self.words);
        };
        let (label, rest) = self.words.split_at(1.min(self.words.len()));
        let row = canvas.spans(row, label);
        canvas.gauge(first(row, GAUGE), gauge);
        canvas.spans(after(row, GAUGE + 1), rest)
    }
}

/// The first of these that fits: all in full; without optional segments that have no brief form; brief; without bars;
/// without optional segments; in the fewest words; the most important of those.
fn fitting<'a>(segments: &'a [Segment], room: u16) -> Vec<ShownSegment<'a>> {
    let needed = || segments.iter().filter(|s| !s.brief.is_empty());
    let full = |s: &'a Segment| ShownSegment::new(&s.words, s.gauge, s);
    let mut shown: Vec<_> = segments.iter().map(full).collect();
    if width(&shown) <= room {
        return shown;
    }
    shown = needed().map(full).collect();
    if width(&shown) <= room {
        return shown;
    }
    shown = needed()
        .map(|s| ShownSegment::new(&s.brief, s.gauge, s))
        .collect();
    if width(&shown) <= room {
        return shown;
    }
    shown = needed()
        .map(|s| ShownSegment::new(&s.brief, None, s))
        .collect();
    drop_until_it_fits(&mut shown, room, GOOD_TO_KNOW);
    if width(&shown) > room {
        shown = needed()
            .map(|s| ShownSegment::new(&s.fewest, None, s))
            .collect();
        drop_until_it_fits(&mut shown, room, 0);
    }
    shown
}

/// Drops the least important first, down to priority `down_to`; keeps at least one.
fn drop_until_it_fits(segments: &mut Vec<ShownSegment<'_>>, room: u16, down_to: u8) {
    while width(segments) > room && segments.len() > 1 {
        let optional = segments
            .iter()
            .enumerate()
            .filter(|(_, s)| s.priority >= down_to);
        let Some((at, _)) = optional.max_by_key(|(at, s)| (s.priority, *at)) else {
            break;
        };
        segments.remove(at);
    }
}

fn width(segments: &[ShownSegment<'_>]) -> u16 {
    let gaps = length(segments.len().saturating_sub(1)).saturating_mul(SEPARATOR_WIDTH);
    let widths = segments.iter().map(ShownSegment::width);
    widths.fold(gaps, u16::saturating_add)
}
