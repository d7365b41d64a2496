//! The last lines: commands in progress, and the keys that work now or an open strip.

use super::prompt;
use crate::{
    app::ClickTarget,
    ui::{
        cells::{
            Canvas, after, below, first, flowed, inset, length, line, outline, shortened,
            spans_width, sum, width,
        },
        theme::ThemePart,
    },
    view::{Hint, NoticeView, PendingCommandView, PromptView, Span, StripView, Tone},
};
use ratatui::layout::Rect;
use std::borrow::Cow;

const GAUGE: u16 = 12;
/// A shorter part of a command's name would say nothing.
const LEAST_NAME: u16 = 8;
/// Between two hints.
const APART: u16 = 2;
/// The most lines of a strip, or of what happened.
const MOST_LINES: u16 = 6;
/// The name of a command gets at least a third of its line.
const NAMED: u16 = 3;
/// With more of them, only their number is drawn.
const MOST_PENDING: usize = 3;

/// The contents of the bottom.
#[derive(Debug)]
pub(super) struct Bottom {
    pub(super) pending: Vec<PendingCommandView>,
    /// They have lines of their own above the keys, and cover nothing.
    pub(super) notices: Vec<NoticeView>,
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
        let pending = length(self.pending.len().min(MOST_PENDING));
        let notices = self
            .notices
            .iter()
            .map(|notice| notice_lines(notice, width));
        let notices = notices.map(|lines| length(lines.len()));
        notices.fold(sum([pending, last]), u16::saturating_add)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let mut rest = area;
        for command in self.pending.iter().take(MOST_PENDING) {
            draw_pending(canvas, line(rest, 0), command);
            rest = below(rest, 1);
        }
        for notice in &self.notices {
            rest = draw_notice(canvas, rest, notice);
        }
        match (&self.strip, &self.prompt) {
            (Some(strip), _) => draw_strip(canvas, rest, strip),
            (None, Some(prompt)) => prompt::draw(canvas, rest, prompt),
            (None, None) => draw_hints(canvas, rest, &self.hints),
        }
    }
}

/// Its words are aligned after its head.
fn notice_lead(notice: &NoticeView) -> u16 {
    sum([width(&notice.head), 1, APART])
}

/// With too many lines of what happened the middle is dropped: the start and the dismiss key stay.
fn notice_lines(notice: &NoticeView, wide: u16) -> Vec<Vec<Span>> {
    let room = wide.saturating_sub(sum([notice_lead(notice), 1]));
    let lines = with_keys(&notice.words, room, 0);
    if notice.is_news {
        without_middle(lines, MOST_LINES.into())
    } else {
        lines
    }
}

/// On the first lines of `area`; answers the rest of it.
fn draw_notice(canvas: &mut Canvas<'_>, area: Rect, notice: &NoticeView) -> Rect {
    let lines = notice_lines(notice, area.width);
    let height = length(lines.len());
    let block = Rect { height, ..area }.intersection(area);
    let head = format!(" {} ", notice.head);
    if notice.is_news {
        canvas.text(area, &head, canvas.theme.notice(notice.tone));
    } else {
        canvas.fill(block, ThemePart::Field);
        canvas.toned(area, &head, notice.tone);
    }
    for (number, words) in (0..).zip(&lines) {
        canvas.spans(after(line(area, number), notice_lead(notice)), words);
    }
    if notice.is_news {
        canvas.spot(block, ClickTarget::Toast);
    }
    below(area, height)
}

/// The key that closes everything first, in its own tone; then each that fits beside the keys that are always shown.
fn draw_hints(canvas: &mut Canvas<'_>, area: Rect, hints: &[Hint]) {
    let mut row = after(area, 1);
    let (kept, others): (Vec<&Hint>, Vec<&Hint>) = hints.iter().partition(|hint| hint.is_kept);
    let hint_width = |hint: &Hint| sum([spans_width(&hint.spans()), APART]);
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
        let spans = hint.spans();
        if spans_width(&spans) > row.width {
            break;
        }
        row = after(canvas.spans(row, &spans), APART);
    }
}

fn draw_pending(canvas: &mut Canvas<'_>, row: Rect, command: &PendingCommandView) {
    let mut row = canvas.toned(row, " ▸ ", Tone::Info);
    if let Some(gauge) = command.gauge {
        canvas.gauge(first(row, GAUGE), gauge);
        row = after(row, GAUGE + 1);
    }
    let Some((name, state)) = command.words.split_first() else {
        return;
    };
    let room = row.width.saturating_sub(spans_width(state));
    let room = room.max(row.width / NAMED);
    row = canvas.toned(row, &named(&name.text, room), name.tone);
    for span in state {
        row = canvas.toned(row, &shortened(&span.text, row.width), span.tone);
    }
}

/// The state of a command matters more than its name, so the name is shortened first, down to its share of the line:
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
    let lines = strip_lines(strip, width, MOST_LINES).len();
    sum([length(lines), 2])
}

/// On one line beside its gauge, or on several, with the keys on the last. If there are too many lines, the middle is
/// dropped.
fn strip_lines(strip: &StripView, width: u16, most: u16) -> Vec<Vec<Span>> {
    let gauge = strip.left.map_or(0, |_| GAUGE + 2);
    let lines = with_keys(&strip.words, width.saturating_sub(4), gauge);
    without_middle(lines, most.into())
}

/// The keys at the end of these words stand together: on the last line, if they and `more` fit there.
fn with_keys(spans: &[Span], room: u16, more: u16) -> Vec<Vec<Span>> {
    let keys = spans.iter().position(|span| span.presses.is_some());
    let (words, keys) = spans.split_at(keys.unwrap_or(spans.len()));
    if words.is_empty() {
        return flowed(keys, room);
    }
    let mut lines = flowed(words, room);
    match lines.last_mut() {
        Some(last) if sum([spans_width(last), spans_width(keys), more]) <= room => {
            last.extend_from_slice(keys);
        }
        Some(_) | None => lines.extend(flowed(keys, room)),
    }
    lines
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
