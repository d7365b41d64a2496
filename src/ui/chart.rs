//! A curve as braille, two by four dots a cell, with a line where zero is: above and below it are told apart
//! by place as well as by tone.

use super::{
    canvas::{Canvas, after, line, width},
    theme::Part,
};
use crate::view::{Curve, FULL, Span, Tone};
use ratatui::layout::Rect;

/// Narrower or lower than this a curve says nothing.
pub(super) const LEAST: (u16, u16) = (36, 5);
const WIDEST: u16 = 90;
/// Dots of a cell, from its upper left one down each side; the bits Unicode gives them.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
const EMPTY: u32 = 0x2800;

/// Draws at the right end of `area`, under a title and with its ends at the left.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, curve: &Curve) {
    let wide = area.width.min(WIDEST);
    let area = after(area, area.width - wide);
    canvas.spans_right(line(area, 0), &curve.title);
    let labels = width(&curve.high.text).max(width(&curve.low.text)) + 1;
    let plot = after(area, labels);
    let plot = Rect {
        y: plot.y.saturating_add(1),
        height: plot.height.saturating_sub(1),
        ..plot
    };
    let scale = Scale {
        columns: usize::from(plot.width) * 2,
        dots: i32::from(plot.height) * 4,
    };
    let beside = Rect {
        x: area.x,
        width: labels,
        ..plot
    };
    self::labels(canvas, beside, curve, scale);
    for row in 0..plot.height {
        for column in 0..plot.width {
            let place = after(line(plot, row), column);
            let (symbol, tone) = cell(curve, scale, column, row);
            if symbol != EMPTY {
                let text = char::from_u32(symbol).map(String::from).unwrap_or_default();
                canvas.toned(place, &text, tone);
            } else if scale.row(curve.zero) / 4 == i32::from(row) {
                let style = canvas.theme.part(Part::Border);
                canvas.text(place, "┄", style);
            }
        }
    }
}

/// How many dots there are.
#[derive(Debug, Clone, Copy)]
struct Scale {
    columns: usize,
    dots: i32,
}

impl Scale {
    /// The dot row of a height, counted from above.
    fn row(self, height: u16) -> i32 {
        let last = self.dots - 1;
        last - i32::from(height) * last / i32::from(FULL)
    }
}

/// The highest and the lowest value and zero, against the right end of `room`.
fn labels(canvas: &mut Canvas<'_>, room: Rect, curve: &Curve, scale: Scale) {
    let last = room.height.saturating_sub(1);
    let zero = u16::try_from(scale.row(curve.zero) / 4).unwrap_or(0);
    let between = (zero > 0 && zero < last).then(|| (zero, Span::muted("0")));
    let ends = [(0, curve.high.clone()), (last, curve.low.clone())];
    for (row, span) in ends.into_iter().chain(between) {
        canvas.spans_right(line(room, row), &[span, Span::plain(" ")]);
    }
}

/// The dots of one cell and what they mean; each column of dots joins the one before it.
fn cell(curve: &Curve, scale: Scale, column: u16, row: u16) -> (u32, Tone) {
    let mut symbol = EMPTY;
    let mut tone = Tone::Muted;
    for (side, bits) in DOTS.iter().enumerate() {
        let at = usize::from(column) * 2 + side;
        let Some(height) = sample(curve, scale, at) else {
            continue;
        };
        let value = scale.row(height);
        let before = sample(curve, scale, at.saturating_sub(1)).map_or(value, |h| scale.row(h));
        let joined = value.min(before)..=value.max(before);
        for (dot, bit) in (i32::from(row) * 4..).zip(bits) {
            if joined.contains(&dot) {
                symbol |= bit;
            }
        }
        tone = if height >= curve.zero {
            Tone::Good
        } else {
            Tone::Bad
        };
    }
    (symbol, tone)
}

/// The height over a dot column: the curve is stretched or thinned to the chart's width.
fn sample(curve: &Curve, scale: Scale, column: usize) -> Option<u16> {
    let last = curve.heights.len().checked_sub(1)?;
    let at = column * last / scale.columns.saturating_sub(1).max(1);
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
            let (symbol, tone) = cell(&curve, scale, column, 0);
            (char::from_u32(symbol).unwrap(), tone)
        };
        assert_eq!(shown(0), ('⠉', Tone::Good));
        assert_eq!(shown(1), ('⣇', Tone::Bad));
    }
}
