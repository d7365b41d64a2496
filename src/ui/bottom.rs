//! The last lines: commands in progress, and the keys that work now or an open strip.

mod following;
mod hints;
mod toast;
mod tour;

use super::{
    bottom::hints::{APART, draw_hint, hint_spans},
    prompt,
};
use crate::{
    ui::cells::{
        Canvas, after, below, first, flowed, inset, length, line, outline, shortened, spans_width,
        sum, width,
    },
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
        let last = match (&self.strip, &self.prompt) {
            (Some(strip), _) => strip_height(strip, width),
            (None, Some(_)) => prompt::HEIGHT,
            (None, None) => 1,
        };
        let flights = length(self.flights.len().min(MOST_FLIGHTS));
        let notices = self.notices().map(|notice| notice.height(width));
        notices.fold(sum([flights, last]), u16::saturating_add)
    }

    /// What has lines of its own above the keys.
    fn notices(&self) -> impl Iterator<Item = &dyn OwnLines> {
        let toast = self.toast.as_ref().map(|toast| toast as &dyn OwnLines);
        let tour = self.tour.as_ref().map(|tour| tour as &dyn OwnLines);
        let following = self.following.as_ref().map(|keys| keys as &dyn OwnLines);
        [toast, tour, following].into_iter().flatten()
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let mut rest = area;
        for flight in self.flights.iter().take(MOST_FLIGHTS) {
            draw_flight(canvas, line(rest, 0), flight);
            rest = below(rest, 1);
        }
        for notice in self.notices() {
            notice.draw(canvas, rest);
            rest = below(rest, notice.height(area.width));
        }
        match (&self.strip, &self.prompt) {
            (Some(strip), _) => draw_strip(canvas, rest, strip),
            (None, Some(prompt)) => prompt::draw(canvas, rest, prompt),
            (None, None) => draw_hints(canvas, rest, &self.hints),
        }
    }
}

/// What has lines of its own above the keys, and covers nothing.
trait OwnLines {
    /// How many lines it needs at this width.
    fn height(&self, width: u16) -> u16;

    /// On the first lines of `area`.
    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect);
}

/// The key that closes everything first, in its own tone; then each that fits beside the keys that are always shown.
fn draw_hints(canvas: &mut Canvas<'_>, area: Rect, hints: &[Hint]) {
    let mut row = after(area, 1);
    let (kept, others): (Vec<&Hint>, Vec<&Hint>) = hints.iter().partition(|hint| hint.is_kept);
    let hint_width = |hint: &Hint| sum([spans_width(&hint_spans(hint)), APART]);
    let taken = kept.iter().map(|hint| hint_width(hint));
    let taken = taken.fold(0, u16::saturating_add).min(row.width);
    let mut room = sum([row.width, APART]).saturating_sub(taken);
    let fitting = others.into_iter().filter(|hint| {
        let rest = room.checked_sub(hint_width(hint));
        room = rest.unwrap_or(room);
        rest.is_some()
    });
    let shown: Vec<&Hint> = fitting.chain(kept.iter().copied()).collect();
    for hint in shown {
        if spans_width(&hint_spans(hint)) > row.width {
            break;
        }
        row = draw_hint(canvas, row, hint);
    }
}

fn draw_flight(canvas: &mut Canvas<'_>, row: Rect, flight: &PendingCommandView) {
    let mut row = canvas.toned(row, " ▸ ", Tone::Info);
    if let Some(gauge) = flight.gauge {
        canvas.gauge(first(row, GAUGE), gauge);
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
    sum([length(lines), 2])
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
    without_middle(lines, most.into())
}

/// No more than these: what is before the last line is dropped.
fn without_middle(mut lines: Vec<Vec<Span>>, most: usize) -> Vec<Vec<Span>> {
    if let (Some(over), Some(kept)) = (lines.len().checked_sub(most), most.checked_sub(1)) {
        lines.drain(kept..kept.saturating_add(over));
    }
    lines
}

fn draw_strip(canvas: &mut Canvas<'_>, area: Rect, strip: &StripView) {
    canvas.clear(area);
    let inner = inset(outline(canvas, area, canvas.theme.tone(strip.tone)), 1);
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
