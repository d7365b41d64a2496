//! The newest notice in full, on lines of its own above the keys: it covers nothing.

use super::{OwnLines, without_middle};
use crate::{
    app::{Action, ClickTarget},
    ui::cells::{Canvas, after, flowed, length, line, sum, width},
    view::{Span, ToastView},
};
use ratatui::layout::Rect;

/// The most lines.
const MOST_LINES: usize = 6;

impl OwnLines for ToastView {
    fn height(&self, width: u16) -> u16 {
        length(lines(self, width).len())
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let lines = lines(self, area.width);
        let style = canvas.theme.notice(self.tone);
        canvas.text(area, &badge(self), style);
        for (number, words) in (0..).zip(&lines) {
            canvas.spans(after(line(area, number), lead(self)), words);
        }
        let height = length(lines.len());
        let block = Rect { height, ..area };
        canvas.spot(block.intersection(area), ClickTarget::Toast);
    }
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
    without_middle(flowed(&spans, room), MOST_LINES)
}
