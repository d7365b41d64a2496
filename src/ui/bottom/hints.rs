//! The keys that work now, with their actions.

use crate::{
    app::ClickTarget,
    ui::cells::{Canvas, after, before},
    view::{Hint, Span, Tone},
};
use ratatui::layout::Rect;

/// Between two hints.
pub(super) const APART: u16 = 2;

pub(super) fn hint_spans(hint: &Hint) -> [Span; 2] {
    let (key, label) = if hint.closes_all {
        (Tone::Alert, Tone::Warn)
    } else {
        (Tone::Accent, Tone::Muted)
    };
    [
        Span::new(hint.key.clone(), key),
        Span::new(format!(" {}", hint.label), label),
    ]
}

/// Draws a hint that a click presses; answers where the next begins.
pub(super) fn draw_hint(canvas: &mut Canvas<'_>, row: Rect, hint: &Hint) -> Rect {
    let rest = canvas.spans(row, &hint_spans(hint));
    let key = ClickTarget::Key(canvas.place, hint.action);
    canvas.spot(before(row, rest), key);
    after(rest, APART)
}
