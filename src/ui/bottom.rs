//! The last lines: commands in progress, and the keys that work now or an open strip.

mod following;
mod hints;
pub(super) mod toast;

use super::{
    bottom::hints::{APART, hint_spans},
    canvas::{Canvas, after, before, line, shortened, spans_width, width},
    flow::flowed,
    frame::outline,
    prompt, tour,
};
use crate::{
    app::tables::click_target::ClickTarget,
    view::{
        Following, Hint, PendingCommandView, PromptView, Span, StripView, ToastView, Tone, TourView,
    },
};
use ratatui::layout::Rect;
use std::borrow::Cow;

const GAUGE: u16 = 12;
/// A shorter part of a flight's name would say nothing.
const LEAST_NAME: u16 = 8;
/// The most lines of a strip.
const MOST_STRIP_LINES: u16 = 6;
/// The name of a flight gets at least a third of its line.
const NAMED: u16 = 3;
/// With more flights, only their number is drawn.
const MOST_FLIGHTS: usize = 3;

/// The contents of the bottom.
#[derive(Debug)]
pub(super) struct Bottom {
    pub(super) flights: Vec<PendingCommandView>,
    pub(super) toast: Option<ToastView>,
    pub(super) tour: Option<TourView>,
    /// The keys that can follow the first of two.
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
        let toast = self.toast.as_ref();
        let toast = toast.map_or(0, |toast| toast::height(toast, width));
        [flights, toast, tour, following, last]
            .into_iter()
            .fold(0, u16::saturating_add)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let mut used = 0;
        for flight in self.flights.iter().take(MOST_FLIGHTS) {
            draw_flight(canvas, line(area, used), flight);
            used = used.saturating_add(1);
        }
        if let Some(toast) = &self.toast {
            toast::draw(canvas, below(area, used), toast);
            used = toast::height(toast, area.width).saturating_add(used);
        }
        if let Some(tour) = &self.tour {
            tour::draw(canvas, below(area, used), tour);
            used = tour::height(tour, area.width).saturating_add(used);
        }
        if let Some(keys) = &self.following {
            following::draw(canvas, below(area, used), keys);
            used = following::height(keys, area.width).saturating_add(used);
        }
        let rest = below(area, used);
        match (&self.strip, &self.prompt) {
            (Some(strip), _) => draw_strip(canvas, rest, strip),
            (None, Some(prompt)) => prompt::draw(canvas, rest, prompt),
            (None, None) => draw_hints(canvas, rest, &self.hints),
        }
    }
}

/// What remains of an area below its first lines.
fn below(area: Rect, used: u16) -> Rect {
    let used = used.min(area.height);
    Rect {
        y: area.y.saturating_add(used),
        height: area.height.saturating_sub(used),
        ..area
    }
}

/// The key that closes everything first, in its own tone; then each that fits beside the keys that are always shown.
fn draw_hints(canvas: &mut Canvas<'_>, area: Rect, hints: &[Hint]) {
    let row = after(area, 1);
    let (kept, others): (Vec<&Hint>, Vec<&Hint>) = hints.iter().partition(|hint| hint.is_kept);
    let hint_width = |hint: &Hint| spans_width(&hint_spans(hint)).saturating_add(APART);
    let taken = kept.iter().map(|hint| hint_width(hint));
    let taken = taken.fold(0, u16::saturating_add).min(row.width);
    let mut room = row.width.saturating_add(APART).saturating_sub(taken);
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
        canvas.spot(
            before(row, rest),
            ClickTarget::Key(canvas.place, hint.action),
        );
        row = after(rest, APART);
    }
}

fn draw_flight(canvas: &mut Canvas<'_>, row: Rect, flight: &PendingCommandView) {
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
    let Some((name, state)) = flight.words.split_first() else {
        return;
    };
    let room = row.width.saturating_sub(spans_width(state));
    let room = room.max(row.width / NAMED);
    row = canvas.toned(row, &named(&name.text, room), name.tone);
    for span in state {
        row = canvas.toned(row, &shortened(&span.text, row.width), span.tone);
    }
}

/// The state of a flight matters more than its name, so the name is shortened first, down to its share of the line:
/// without it the order cannot be identified.
fn named(name: &str, room: u16) -> Cow<'_, str> {
    if width(name) <= room {
        return Cow::Borrowed(name);
    }
    if room < LEAST_NAME {
        return Cow::Borrowed("");
    }
    let bare = name.trim_end_matches([':', ' ']);
    Cow::Owned(format!("{} ", shortened(bare, room.saturating_sub(1))))
}

fn strip_height(strip: &StripView, width: u16) -> u16 {
    let lines = strip_lines(strip, width, MOST_STRIP_LINES).len();
    u16::try_from(lines)
        .unwrap_or(MOST_STRIP_LINES)
        .saturating_add(2)
}

/// On one line beside its gauge, or on several, with the keys on the last. If there are too many lines, the middle is
/// dropped.
fn strip_lines(strip: &StripView, width: u16, most: u16) -> Vec<Vec<Span>> {
    let inner = width.saturating_sub(4);
    let gauge = strip.left.map_or(0, |_| GAUGE + 2);
    let keys = strip.words.iter().position(|span| span.presses.is_some());
    let (proposal, keys) = strip.words.split_at(keys.unwrap_or(strip.words.len()));
    let mut lines = flowed(proposal, inner);
    let beside = spans_width(keys).saturating_add(gauge);
    match lines.last_mut() {
        Some(last) if spans_width(last).saturating_add(beside) <= inner => {
            last.extend_from_slice(keys);
        }
        Some(_) | None => lines.extend(flowed(keys, inner)),
    }
    let most = usize::from(most);
    if let (Some(over), Some(kept)) = (lines.len().checked_sub(most), most.checked_sub(1)) {
        lines.drain(kept..kept.saturating_add(over));
    }
    lines
}

fn draw_strip(canvas: &mut Canvas<'_>, area: Rect, strip: &StripView) {
    canvas.clear(area);
    let inner = outline(canvas, area, canvas.theme.tone(strip.tone));
    let inner = after(inner, 1);
    let inner = Rect {
        width: inner.width.saturating_sub(1),
        ..inner
    };
    let lines = strip_lines(strip, area.width, inner.height);
    let mut rest = inner;
    for (number, words) in (0..inner.height).zip(&lines) {
        rest = canvas.spans(line(inner, number), words);
    }
    // The words also state the time left.
    if let Some(left) = strip.left.filter(|_| rest.width > GAUGE) {
        canvas.gauge(after(rest, rest.width.saturating_sub(GAUGE)), left);
    }
}
