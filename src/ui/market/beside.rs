//! What stands beside and below the candles: prices that matter, round prices, volume, times.

use super::areas::ChartAreas;
use crate::{
    ui::{
        cells::{Canvas, line, sum, width},
        theme::ThemePart,
    },
    view::{
        Span,
        market::{
            chart::ChartView,
            overlays::{LineKind, LineLook, PriceLine},
        },
    },
};
use ratatui::layout::Rect;
use std::{cmp::Reverse, iter};

pub(super) fn times(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    let mut free = areas.times.x;
    for (slot, label) in &view.times {
        let (x, wide) = (areas.x(*slot), width(&label.text));
        let end = sum([x, wide]);
        if x < free || end > areas.times.right() || areas.times.is_empty() {
            continue;
        }
        let room = Rect {
            x,
            width: wide,
            ..areas.times
        };
        canvas.span(room, label);
        free = sum([end, 1]);
    }
}

/// The prices that matter, each on its row or the nearest free one, those outside at the edge they lie beyond; then round
/// prices on the rows that are left; the most that traded; the zone of the times.
pub(super) fn gutter(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    let rows = areas.plot.height;
    let beside = Rect {
        height: rows,
        ..areas.gutter
    };
    if beside.is_empty() {
        return;
    }
    let mut taken = vec![None; usize::from(rows)];
    let named = placed(&mut taken, view, rows);
    for (row, lead, price) in &named {
        let row_area = line(beside, *row);
        if price.kind == LineKind::Cursor {
            canvas.fill(row_area, ThemePart::Selection);
        }
        label(canvas, row_area, *lead, price);
    }
    for (count, price) in &view.axis {
        let row = view.range.row(*count, rows);
        // A name that stands beside its row has no round price on the wrong side of it.
        let is_ordered = |row: &u16| {
            let mut named = named.iter();
            named.all(|(other, _, price)| (other < row) == (price.count > *count))
        };
        let row = row.filter(is_ordered).map(usize::from);
        if let Some(slot) = row.and_then(|row| taken.get_mut(row))
            && slot.replace(*count).is_none()
        {
            let row = row.and_then(|row| u16::try_from(row).ok()).unwrap_or(0);
            canvas.span_right(line(beside, row), price);
        }
    }
    let volume = line(areas.gutter, areas.volume.y.saturating_sub(areas.gutter.y));
    if !areas.volume.is_empty() {
        canvas.spans_right(volume, view.volume.as_slice());
    }
    if !areas.times.is_empty() {
        let last = areas.gutter.height.saturating_sub(1);
        canvas.span_right(line(areas.gutter, last), &view.zone);
    }
}

/// The prices that have a row, with what joins each to its line or points beyond the edge. The most important ones choose
/// first whether they have one; then the higher price stands above.
fn placed<'a>(
    taken: &mut [Option<i64>],
    view: &'a ChartView,
    rows: u16,
) -> Vec<(u16, char, &'a PriceLine)> {
    let last = rows.saturating_sub(1);
    let (mut chosen, mut named) = (vec![], vec![]);
    for price in &view.lines {
        let (wanted, lead) = match view.range.row(price.count, rows) {
            Some(row) => (row, price.kind.lead()),
            None if price.count > view.range.high => (0, '▲'),
            None => (last, '▼'),
        };
        if let Some(row) = free_row(taken, wanted, price.count) {
            chosen.push(row);
            named.push((lead, price));
        }
    }
    chosen.sort_unstable();
    named.sort_by_key(|(_, price)| Reverse(price.count));
    let labels = chosen.into_iter().zip(named);
    labels
        .map(|(row, (lead, price))| (row, lead, price))
        .collect()
}

/// A name stands so many rows from its line at most.
const FARTHEST: i16 = 4;

/// The row itself, or one near it: first on the side where this price is from the one that has the row.
fn free_row(taken: &mut [Option<i64>], wanted: u16, count: i64) -> Option<u16> {
    let has_it = taken.get(usize::from(wanted)).copied().flatten();
    let away = if has_it.is_some_and(|other| other > count) {
        [1, -1]
    } else {
        [-1, 1]
    };
    let steps = (1..=FARTHEST).flat_map(|rows| away.map(|way: i16| way.saturating_mul(rows)));
    let row = iter::once(0)
        .chain(steps)
        .filter_map(|step| wanted.checked_add_signed(step))
        .find(|row| taken.get(usize::from(*row)) == Some(&None))?;
    if let Some(slot) = taken.get_mut(usize::from(row)) {
        *slot = Some(count);
    }
    Some(row)
}

/// `◂entry 65,607`, or `◂E 65,607`.
fn label(canvas: &mut Canvas<'_>, room: Rect, lead: char, price: &PriceLine) {
    let LineLook { name, sign, tone } = price.kind.look();
    let with_name = sum([width(name), width(&price.price), 2]);
    let words = if with_name <= room.width {
        name.to_owned()
    } else {
        sign.to_string()
    };
    let lead = Span::new(format!("{lead}{words}"), tone);
    let rest = canvas.span(room, &lead);
    if width(&price.price) <= rest.width {
        canvas.spans_right(rest, &[Span::new(price.price.clone(), tone)]);
    }
}
