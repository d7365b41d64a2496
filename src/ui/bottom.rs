//! The last lines: what is on its way, and the keys that work now or the strip that asks.

use super::{
    canvas::{Canvas, after, before, line, shortened, spans_width, width, wrapped},
    following,
    frame::outline,
    prompt, tour,
};
use crate::{
    app::mouse::Spot,
    view::{FlightView, Following, Hint, PromptView, Span, StripView, Tone, TourView},
};
use ratatui::layout::Rect;

const GAUGE: u16 = 12;
/// More flights than this are not drawn one by one.
const MOST_FLIGHTS: usize = 3;

/// What the bottom shows this time.
#[derive(Debug)]
pub(super) struct Bottom {
    pub(super) flights: Vec<FlightView>,
    /// What the open form must not hide.
    pub(super) news: Option<Span>,
    pub(super) tour: Option<TourView>,
    /// What can follow the first of two keys.
    pub(super) following: Option<Following>,
    pub(super) hints: Vec<Hint>,
    pub(super) strip: Option<StripView>,
    pub(super) prompt: Option<PromptView>,
}

impl Bottom {
    /// How many lines it needs at this width.
    pub(super) fn height(&self, width: u16) -> u16 {
        let flights = u16::try_from(self.flights.len().min(MOST_FLIGHTS)).unwrap_or(0);
        let last = match (&self.strip, &self.prompt) {
            (Some(strip), _) => strip_height(strip, width),
            (None, Some(_)) => prompt::HEIGHT,
            (None, None) => 1,
        };
        let tour = self
            .tour
            .as_ref()
            .map_or(0, |tour| tour::height(tour, width));
        let following = self.following.as_ref();
        let following = following.map_or(0, |keys| following::height(keys, width));
        flights + u16::from(self.news.is_some()) + tour + following + last
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let mut used = 0;
        for flight in self.flights.iter().take(MOST_FLIGHTS) {
            draw_flight(canvas, line(area, used), flight);
            used += 1;
        }
        if let Some(news) = &self.news {
            let row = canvas.toned(line(area, used), " ! ", news.tone);
            canvas.toned(row, &shortened(&news.text, row.width), news.tone);
            used += 1;
        }
        if let Some(tour) = &self.tour {
            tour::draw(canvas, below(area, used), tour);
            used += tour::height(tour, area.width);
        }
        if let Some(keys) = &self.following {
            following::draw(canvas, below(area, used), keys);
            used += following::height(keys, area.width);
        }
        let rest = below(area, used);
        match (&self.strip, &self.prompt) {
            (Some(strip), _) => draw_strip(canvas, rest, strip),
            (None, Some(prompt)) => prompt::draw(canvas, rest, prompt),
            (None, None) => draw_hints(canvas, rest, &self.hints),
        }
    }
}

/// What is left of an area under its first lines.
fn below(area: Rect, used: u16) -> Rect {
    let used = used.min(area.height);
    Rect {
        y: area.y + used,
        height: area.height - used,
        ..area
    }
}

/// Between two hints.
pub(super) const APART: u16 = 2;

/// The key that gets out of everything first and in its own tone; then each that still fits beside those that are
/// always there.
fn draw_hints(canvas: &mut Canvas<'_>, area: Rect, hints: &[Hint]) {
    let row = after(area, 1);
    let (kept, others): (Vec<&Hint>, Vec<&Hint>) = hints.iter().partition(|hint| hint.is_kept);
    let hint_width = |hint: &Hint| spans_width(&hint_spans(hint)) + APART;
    let mut room = row.width + APART
        - kept
            .iter()
            .map(|hint| hint_width(hint))
            .sum::<u16>()
            .min(row.width);
    let fitting = others.into_iter().filter(|hint| {
        let rest = room.checked_sub(hint_width(hint));
        room = rest.unwrap_or(room);
        rest.is_some()
    });
    let shown: Vec<&Hint> = fitting.chain(kept.iter().copied()).collect();
    let mut row = row;
    for hint in shown {
        let spans = hint_spans(hint);
        if spans_width(&spans) > row.width {
            break;
        }
        let rest = canvas.spans(row, &spans);
        canvas.spot(before(row, rest), Spot::Key(canvas.place, hint.action));
        row = after(rest, APART);
    }
}

pub(super) fn hint_spans(hint: &Hint) -> [Span; 2] {
    let (key, label) = if hint.is_way_out {
        (Tone::Alert, Tone::Warn)
    } else {
        (Tone::Accent, Tone::Muted)
    };
    [
        Span::new(hint.key.clone(), key),
        Span::new(format!(" {}", hint.label), label),
    ]
}

fn draw_flight(canvas: &mut Canvas<'_>, row: Rect, flight: &FlightView) {
    let mut row = canvas.toned(row, " ▸ ", Tone::Info);
    if let Some(gauge) = flight.gauge {
        canvas.gauge(
            Rect {
                width: GAUGE.min(row.width),
                ..row
            },
            gauge,
        );
        row = after(row, GAUGE + 1);
    }
    canvas.spans(row, &flight.words);
}

fn strip_height(strip: &StripView, width: u16) -> u16 {
    let lines = if fits_one_line(strip, width) { 1 } else { 2 };
    lines + 2
}

fn fits_one_line(strip: &StripView, width: u16) -> bool {
    let gauge = strip.left.map_or(0, |_| GAUGE + 2);
    spans_width(&strip.words) + gauge + 4 <= width
}

fn draw_strip(canvas: &mut Canvas<'_>, area: Rect, strip: &StripView) {
    canvas.clear(area);
    let inner = outline(canvas, area, canvas.theme.tone(strip.tone));
    let inner = after(inner, 1);
    let inner = Rect {
        width: inner.width.saturating_sub(1),
        ..inner
    };
    let first = line(inner, 0);
    if fits_one_line(strip, area.width) {
        if let Some(left) = strip.left {
            let start = first.width.saturating_sub(GAUGE);
            canvas.gauge(after(first, start), left);
        }
        canvas.spans(first, &strip.words);
        return;
    }
    let second = line(inner, 1);
    let (deed, keys) = strip.words.split_at(1.min(strip.words.len()));
    let lines = wrapped(deed.first().map_or("", |span| &span.text), first.width);
    canvas.toned(
        first,
        lines.first().map_or("", String::as_str),
        Tone::Strong,
    );
    let rest = format!("{} ", lines.get(1).map_or("", String::as_str));
    let needed = width(&rest) + spans_width(keys);
    let room = if width(&rest) > 1 && needed <= second.width {
        canvas.toned(second, &rest, Tone::Strong)
    } else {
        second
    };
    let room = canvas.spans(room, keys);
    if let Some(left) = strip.left.filter(|_| room.width > GAUGE) {
        canvas.gauge(after(room, room.width - GAUGE), left);
    }
}
