//! The price chart: braille dots for marks, signs for own fills, lines with names on the right for the account's
//! prices.

use super::{
    canvas::{Canvas, after, line, spans_width, width},
    chart::{Scale, braille},
    frame::panel,
    layout::{part, share, sum},
};
use crate::view::{FULL, Place, PriceView, Span, Tone};
use ratatui::layout::Rect;

/// Names use at most this many twentieths of the width.
const NAMES: u16 = 9;
/// From this width on there is room for round prices.
const WITH_PRICES: u16 = 60;
/// Before each name: the connection to its line.
const LEAD: u16 = 3;

pub(super) fn draw(canvas: &mut Canvas<'_>, body: Rect, view: &PriceView) {
    let inner = panel(canvas, body, &view.title);
    inside(canvas, inner, view);
}

/// The chart without a border: plot, names, times and foot.
pub(super) fn inside(canvas: &mut Canvas<'_>, area: Rect, view: &PriceView) {
    let height = area.height.saturating_sub(2);
    let names = view
        .levels
        .iter()
        .map(|level| spans_width(&level.words).saturating_add(4));
    let prices = view
        .axis
        .iter()
        .map(|(_, price)| width(&price.text).saturating_add(4));
    let prices = prices.max().filter(|_| area.width >= WITH_PRICES);
    let names = names.chain(prices).max().unwrap_or(0);
    let names = names.min(share(area.width, NAMES, 20));
    let plot = Rect {
        width: area.width.saturating_sub(names.saturating_add(1)),
        height,
        ..after(area, 1)
    };
    let beside = Rect {
        height,
        ..after(area, plot.width.saturating_add(1))
    };
    let scale = Scale::of(plot);
    lines(canvas, plot, view, scale);
    curve(canvas, plot, view, scale);
    fills(canvas, plot, view, scale);
    let taken = named(canvas, beside, view, scale);
    axis(canvas, beside, view, scale, taken);
    let times = Rect {
        width: plot.width,
        ..line(after(area, 1), height)
    };
    canvas.spans_right(times, std::slice::from_ref(&view.until));
    canvas.spans(times, std::slice::from_ref(&view.from));
    canvas.spans(line(after(area, 1), height.saturating_add(1)), &view.foot);
}

fn lines(canvas: &mut Canvas<'_>, plot: Rect, view: &PriceView, scale: Scale) {
    let across = "╌".repeat(usize::from(plot.width));
    for level in view.levels.iter().rev() {
        if let Place::At(height) = level.place {
            canvas.toned(line(plot, scale.line(height)), &across, dimmed(level.tone));
        }
    }
}

/// A line shows the position, its name the meaning: only what must not be overlooked keeps its full tone.
fn dimmed(tone: Tone) -> Tone {
    match tone {
        Tone::Alert | Tone::Accent => tone,
        Tone::Plain
        | Tone::Muted
        | Tone::Strong
        | Tone::Info
        | Tone::Good
        | Tone::Bad
        | Tone::Warn => Tone::Muted,
    }
}

fn curve(canvas: &mut Canvas<'_>, plot: Rect, view: &PriceView, scale: Scale) {
    let samples = samples(&view.strokes, usize::from(plot.width) * 2);
    for row in 0..plot.height {
        for column in 0..plot.width {
            let sample = |at: usize| samples.get(at).copied().flatten();
            if let Some(symbol) = braille(sample, scale, column, row) {
                canvas.toned(after(line(plot, row), column), &symbol, Tone::Plain);
            }
        }
    }
}

/// The height at each column of dots, linear between the marks of a stroke; `None` outside of it.
fn samples(strokes: &[Vec<(u16, u16)>], columns: usize) -> Vec<Option<u16>> {
    let mut heights = vec![None; columns];
    let column = |x: u16| part(x.into(), columns.saturating_sub(1), FULL.into());
    let pairs = strokes.iter().flat_map(|stroke| {
        let next = stroke.iter().skip(1).chain(stroke.last());
        stroke.iter().zip(next)
    });
    for ((x, y), (next_x, next_y)) in pairs {
        let (from, to) = (column(*x), column(*next_x));
        for at in from..=to {
            let [done, whole] = [at, to].map(|column| column.saturating_sub(from));
            let height = between(*y, *next_y, done, whole);
            if let Some(slot) = heights.get_mut(at) {
                *slot = Some(height);
            }
        }
    }
    heights
}

fn between(from: u16, to: u16, part: usize, whole: usize) -> u16 {
    let gone = self::part(from.abs_diff(to).into(), part, whole.max(1));
    let gone = u16::try_from(gone).unwrap_or(u16::MAX);
    if to > from {
        from.saturating_add(gone)
    } else {
        from.saturating_sub(gone)
    }
}

fn fills(canvas: &mut Canvas<'_>, plot: Rect, view: &PriceView, scale: Scale) {
    for trade in &view.fills {
        let (x, y) = trade.at;
        let last = usize::from(plot.width.saturating_sub(1));
        let column = part(x.into(), last, FULL.into());
        let place = after(
            line(plot, scale.line(y)),
            u16::try_from(column).unwrap_or(0),
        );
        canvas.spans(
            Rect { width: 1, ..place },
            std::slice::from_ref(&trade.mark),
        );
    }
}

/// The names, each on the row of its line or the nearest free one below; those beyond the edge show the direction.
/// Returns their rows.
fn named(canvas: &mut Canvas<'_>, beside: Rect, view: &PriceView, scale: Scale) -> Vec<u16> {
    let wanted = view.levels.iter().map(|level| match level.place {
        Place::Above => 0,
        Place::At(height) => scale.line(height),
        Place::Below => beside.height.saturating_sub(1),
    });
    let taken = rows(wanted.collect(), beside.height);
    for (level, row) in view.levels.iter().zip(&taken) {
        let room = line(beside, *row);
        let lead = match level.place {
            Place::Above => Span::muted(" ↑ "),
            Place::Below => Span::muted(" ↓ "),
            Place::At(_) => Span::new(" ╌ ", dimmed(level.tone)),
        };
        let room = canvas.spans(room, &[lead]);
        canvas.spans(room, &level.words);
    }
    taken
}

/// Round prices in the column of names, on free rows with enough room: the account's own prices come first.
fn axis(
    canvas: &mut Canvas<'_>,
    beside: Rect,
    view: &PriceView,
    scale: Scale,
    mut taken: Vec<u16>,
) {
    for (height, price) in &view.axis {
        let row = scale.line(*height);
        let room = after(line(beside, row), LEAD);
        if !taken.contains(&row) && width(&price.text) <= room.width {
            canvas.spans(room, std::slice::from_ref(price));
            taken.push(row);
        }
    }
}

/// A row for each name, in order and within the chart; a name without room is left out.
fn rows(wanted: Vec<u16>, height: u16) -> Vec<u16> {
    let mut rows = wanted;
    let mut free = 0;
    for row in &mut rows {
        *row = (*row).max(free);
        free = sum([*row, 1]);
    }
    let mut end = height;
    for row in rows.iter_mut().rev() {
        *row = (*row).min(end.saturating_sub(1));
        end = *row;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_stand_on_rows_of_their_own() {
        assert_eq!(rows(vec![0, 0, 3, 3, 9], 10), [0, 1, 3, 4, 9]);
        assert_eq!(rows(vec![8, 9, 9, 9], 10), [6, 7, 8, 9]);
    }

    #[test]
    fn a_stroke_goes_straight_from_mark_to_mark_and_not_beyond_them() {
        let strokes = [vec![(250, 0), (750, 1_000)]];
        let heights = samples(&strokes, 5);
        assert_eq!(heights, [None, Some(0), Some(500), Some(1_000), None]);
        let strokes = [vec![(250, 0)], vec![(750, 1_000)]];
        let heights = samples(&strokes, 5);
        assert_eq!(heights, [None, Some(0), None, Some(1_000), None]);
    }
}
