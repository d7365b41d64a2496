//! A curve in braille, two by four dots per cell, with a zero line: profit and loss differ by position and tone.

use crate::{
    ui::{
        cells::{Canvas, after, below, braille, first, line, part, share, sum, width},
        theme::ThemePart,
    },
    view::{Curve, FULL, Span, Tone},
};
use ratatui::layout::Rect;

/// A smaller curve shows nothing.
pub(in crate::ui) const LEAST: (u16, u16) = (36, 5);
const WIDEST: u16 = 90;
/// Draws at the right end of `area`, under a title, with the extremes on the left.
pub(in crate::ui) fn draw(canvas: &mut Canvas<'_>, area: Rect, curve: &Curve) {
    let area = after(area, area.width.saturating_sub(WIDEST));
    canvas.spans_right(line(area, 0), &curve.title);
    let labels = width(&curve.high.text).max(width(&curve.low.text));
    let labels = sum([labels, 1]);
    let plot = below(after(area, labels), 1);
    let scale = Scale::of(plot);
    let beside = first(below(area, 1), labels);
    self::labels(canvas, beside, curve, scale);
    let zero = scale.line(curve.zero);
    for column in 0..plot.width {
        let dot = |at| Some(scale.row(sample(curve, scale, at)?));
        let joined = braille::joined(dot, column);
        let style = canvas.theme.tone(tone(curve, scale, column));
        for row in 0..plot.height {
            let place = (sum([plot.x, column]), sum([plot.y, row]));
            if let Some(symbol) = braille::symbol(&joined, row) {
                canvas.put(place, symbol, style);
            } else if zero == row {
                let style = canvas.theme.part(ThemePart::Border);
                canvas.put(place, '┄', style);
            }
        }
    }
}

/// The number of dots.
#[derive(Debug, Clone, Copy)]
struct Scale {
    columns: usize,
    dots: u16,
}

impl Scale {
    fn of(plot: Rect) -> Self {
        Self {
            columns: usize::from(plot.width).saturating_mul(2),
            dots: plot.height.saturating_mul(4),
        }
    }

    /// The dot row of a height, counted from the top.
    fn row(self, height: u16) -> i64 {
        let last = self.dots.saturating_sub(1);
        i64::from(last.saturating_sub(share(last, height, FULL)))
    }

    /// The line of a height, counted from the top.
    fn line(self, height: u16) -> u16 {
        u16::try_from(self.row(height) / 4).unwrap_or(0)
    }
}

/// The highest and lowest value and zero, right-aligned in `room`.
fn labels(canvas: &mut Canvas<'_>, room: Rect, curve: &Curve, scale: Scale) {
    let last = room.height.saturating_sub(1);
    let zero = scale.line(curve.zero);
    let between = (zero > 0 && zero < last).then(|| (zero, Span::muted("0")));
    let ends = [(0, curve.high.clone()), (last, curve.low.clone())];
    for (row, span) in ends.into_iter().chain(between) {
        canvas.spans_right(line(room, row), &[span, Span::plain(" ")]);
    }
}

/// The side of zero on which the curve leaves a cell.
fn tone(curve: &Curve, scale: Scale, column: u16) -> Tone {
    let last = usize::from(column).saturating_mul(2).saturating_add(1);
    match sample(curve, scale, last) {
        Some(height) if height < curve.zero => Tone::Bad,
        Some(_) | None => Tone::Good,
    }
}

/// The height at a dot column: the curve is stretched or thinned to the chart's width.
fn sample(curve: &Curve, scale: Scale, column: usize) -> Option<u16> {
    let last = curve.heights.len().checked_sub(1)?;
    let at = part(column, last, scale.columns.saturating_sub(1).max(1));
    curve.heights.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(heights: &[u16], zero: u16) -> Curve {
        Curve {
            title: vec![],
            heights: heights.to_vec(),
            zero,
            high: Span::default(),
            low: Span::default(),
        }
    }

    #[test]
    fn a_curve_is_joined_from_point_to_point_and_its_side_of_zero_decides_the_tone() {
        let scale = Scale {
            columns: 4,
            dots: 4,
        };
        let curve = curve(&[1_000, 1_000, 0, 0], 500);
        let shown = |column| {
            let dot = |at| Some(scale.row(sample(&curve, scale, at)?));
            let symbol = braille::symbol(&braille::joined(dot, column), 0);
            (symbol.unwrap(), tone(&curve, scale, column))
        };
        assert_eq!(shown(0), ('⠉', Tone::Good));
        assert_eq!(shown(1), ('⣇', Tone::Bad));
    }
}
