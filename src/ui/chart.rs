//! A curve in braille, two by four dots per cell, with a zero line: profit and loss differ by position and tone.

use super::{
    canvas::{Canvas, after, line, width},
    layout::part,
    theme::ThemePart,
};
use crate::view::{Curve, FULL, Span, Tone};
use ratatui::layout::Rect;

/// A smaller curve shows nothing.
pub(super) const LEAST: (u16, u16) = (36, 5);
const WIDEST: u16 = 90;
/// The bits of a cell's dots in Unicode, column by column from the top.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
const EMPTY: u32 = 0x2800;

/// Draws at the right end of `area`, under a title, with the extremes on the left.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, curve: &Curve) {
    let wide = area.width.min(WIDEST);
    let area = after(area, area.width.saturating_sub(wide));
    canvas.spans_right(line(area, 0), &curve.title);
    let labels = width(&curve.high.text).max(width(&curve.low.text));
    let labels = labels.saturating_add(1);
    let plot = after(area, labels);
    let plot = Rect {
        y: plot.y.saturating_add(1),
        height: plot.height.saturating_sub(1),
        ..plot
    };
    let scale = Scale::of(plot);
    let beside = Rect {
        x: area.x,
        width: labels,
        ..plot
    };
    self::labels(canvas, beside, curve, scale);
    for row in 0..plot.height {
        for column in 0..plot.width {
            let place = after(line(plot, row), column);
            let sampled = |at| sample(curve, scale, at);
            if let Some(symbol) = braille(sampled, scale, column, row) {
                canvas.toned(place, &symbol, tone(curve, scale, column));
            } else if scale.line(curve.zero) == row {
                let style = canvas.theme.part(ThemePart::Border);
                canvas.text(place, "┄", style);
            }
        }
    }
}

/// The number of dots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    columns: usize,
    dots: i32,
}

impl Scale {
    pub(super) fn of(plot: Rect) -> Self {
        Self {
            columns: usize::from(plot.width) * 2,
            dots: i32::from(plot.height).saturating_mul(4),
        }
    }

    /// The dot row of a height, counted from the top.
    fn row(self, height: u16) -> i32 {
        let last = usize::try_from(self.dots.saturating_sub(1)).unwrap_or(0);
        let up = part(usize::from(height), last, usize::from(FULL));
        i32::try_from(last.saturating_sub(up)).unwrap_or(0)
    }

    /// The line of a height, counted from the top.
    pub(super) fn line(self, height: u16) -> u16 {
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

/// The dots of one cell, with each column joined to the previous one; `None` if there are none.
pub(super) fn braille(
    sample: impl Fn(usize) -> Option<u16>,
    scale: Scale,
    column: u16,
    row: u16,
) -> Option<String> {
    let mut symbol = EMPTY;
    for (side, bits) in DOTS.iter().enumerate() {
        let at = usize::from(column).saturating_mul(2).saturating_add(side);
        let Some(height) = sample(at) else {
            continue;
        };
        let value = scale.row(height);
        let before = at.checked_sub(1).and_then(&sample);
        let before = before.map_or(value, |height| scale.row(height));
        let joined = value.min(before)..=value.max(before);
        for (dot, bit) in (i32::from(row).saturating_mul(4)..).zip(bits) {
            if joined.contains(&dot) {
                symbol |= bit;
            }
        }
    }
    let drawn = (symbol != EMPTY).then_some(symbol);
    drawn.and_then(char::from_u32).map(String::from)
}

/// The side of zero on which the curve leaves a cell.
fn tone(curve: &Curve, scale: Scale, column: u16) -> Tone {
    match sample(
        curve,
        scale,
        usize::from(column).saturating_mul(2).saturating_add(1),
    ) {
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
            let symbol = braille(|at| sample(&curve, scale, at), scale, column, 0);
            (symbol.unwrap(), tone(&curve, scale, column))
        };
        assert_eq!(shown(0), ("⠉".to_owned(), Tone::Good));
        assert_eq!(shown(1), ("⣇".to_owned(), Tone::Bad));
    }
}
