//! The newest notice in full, on lines of its own above the keys: it covers nothing.

use crate::{
    app::{keys::keymap::Action, tables::click_target::ClickTarget},
    ui::{
        canvas::{Canvas, after, line, width},
        flow::flowed,
        layout::sum,
    },
    view::{Span, ToastView},
};
use ratatui::layout::Rect;

/// The most lines.
const MOST_LINES: usize = 6;

/// How many lines it needs at this width.
pub(in crate::ui) fn height(toast: &ToastView, wide: u16) -> u16 {
    u16::try_from(lines(toast, wide).len()).unwrap_or(u16::MAX)
}

/// On the first lines of `area`.
pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, area: Rect, toast: &ToastView) {
    let lines = lines(toast, area.width);
    let style = canvas.theme.notice(toast.tone);
    canvas.text(area, &badge(toast), style);
    for (number, words) in (0..).zip(&lines) {
        canvas.spans(after(line(area, number), lead(toast)), words);
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let block = Rect { height, ..area };
    canvas.spot(block.intersection(area), ClickTarget::Toast);
}

fn badge(toast: &ToastView) -> String {
    format!(" {} ", toast.head)
}

/// Its words are aligned after the badge.
fn lead(toast: &ToastView) -> u16 {
    width(&badge(toast)).saturating_add(1)
}

/// With too many lines the middle is dropped: the start and the dismiss key stay.
fn lines(toast: &ToastView, wide: u16) -> Vec<Vec<Span>> {
    let mut spans = vec![Span::plain(toast.words.clone())];
    if !toast.references.is_empty() {
        spans.push(Span::muted(format!("  {}", toast.references)));
    }
    if let Some(key) = &toast.dismiss {
        spans.push(Span::plain("  "));
        spans.push(Span::accent(key.clone()).pressing(Action::Dismiss));
        spans.push(Span::muted(" dismiss").pressing(Action::Dismiss));
    }
    let room = wide.saturating_sub(sum([lead(toast), 1]));
    let mut lines = flowed(&spans, room);
    if let Some(over) = lines.len().checked_sub(MOST_LINES) {
        let kept = MOST_LINES - 1;
        lines.drain(kept..kept.saturating_add(over));
    }
    lines
}
