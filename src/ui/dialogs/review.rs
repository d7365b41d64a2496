//! The review over the desk: its lines, and under them the curve of a part that has one.

use crate::{
    ui::{
        cells::{Canvas, after, below, centered, length, line, panel, sum},
        dialogs::detail,
        tables::chart,
    },
    view::{ReviewView, Span},
};
use ratatui::layout::Rect;

const WIDEST: u16 = 96;
const HIGHEST: u16 = 28;
/// Two borders.
const AROUND: u16 = 2;

pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, body: Rect, review: &ReviewView, offset: usize) {
    let lines = length(review.lines.lines.len());
    let is_large = body.height >= sum([lines, AROUND, chart::LEAST.1])
        && body.width >= sum([chart::LEAST.0, AROUND]);
    let Some(curve) = review.curve.as_ref().filter(|_| is_large) else {
        return detail::draw(canvas, body, &review.lines, Some(offset));
    };
    let area = centered(body, body.width.min(WIDEST), body.height.min(HIGHEST));
    let inner = panel(canvas, area, &review.lines.title);
    for (number, detail) in (0..lines).zip(&review.lines.lines) {
        let row = after(line(inner, number), 1);
        canvas.spans(row, &[Span::muted(format!("{:>14}  ", detail.label))]);
        canvas.spans(after(row, 16), &detail.value);
    }
    chart::draw(canvas, below(inner, lines), curve);
}
