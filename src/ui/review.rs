//! The review over the desk: its lines, and under them the curve of a part that has one.

use super::{
    canvas::{Canvas, after, line},
    chart, detail,
    frame::panel,
    help::centered,
};
use crate::view::{DetailLine, ReviewView, Span};
use ratatui::layout::Rect;

const WIDEST: u16 = 96;
const HIGHEST: u16 = 28;
/// Two borders.
const AROUND: u16 = 2;

pub(super) fn draw(canvas: &mut Canvas<'_>, body: Rect, review: &ReviewView, offset: usize) {
    let Some(curve) = &review.curve else {
        detail::draw(canvas, body, &review.lines, offset);
        return;
    };
    let lines = u16::try_from(review.lines.lines.len()).unwrap_or(u16::MAX);
    let beside = lines.saturating_add(AROUND).saturating_add(chart::LEAST.1);
    let is_small = body.height < beside || body.width < chart::LEAST.0.saturating_add(AROUND);
    if is_small {
        detail::draw(canvas, body, &review.lines, offset);
        return;
    }
    let area = centered(body, body.width.min(WIDEST), body.height.min(HIGHEST));
    let inner = panel(canvas, area, &review.lines.title);
    for (number, detail) in (0..lines).zip(&review.lines.lines) {
        let DetailLine::Field { label, value } = detail else {
            continue;
        };
        let row = after(line(inner, number), 1);
        canvas.spans(row, &[Span::muted(format!("{label:>14}  "))]);
        canvas.spans(after(row, 16), value);
    }
    let below = Rect {
        y: inner.y.saturating_add(lines),
        height: inner.height.saturating_sub(lines),
        ..inner
    };
    chart::draw(canvas, below, curve);
}
