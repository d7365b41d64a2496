//! What stands beside and below the candles: prices that matter, round prices, volume, times.

use super::areas::ChartAreas;
use crate::{
    ui::{
        canvas::{Canvas, line, width},
        layout::sum,
        theme::ThemePart,
    },
    view::{
        Span,
        market::{
            chart::ChartView,
            overlays::{LineKind, PriceLine},
        },
    },
};
use ratatui::layout::Rect;

pub(super) fn times(canvas: &mut Canvas<'_>, areas: &ChartAreas, view: &ChartView) {
    let mut free = areas.times.x;
    for (slot, label) in &view.times {
        let x = areas.x(*slot);
        let wide = width(&label.text);
        let end = sum([x, wide]);
        if x < free || end > areas.times.right() || areas.times.is_empty() {
            continue;
        }
        let room = Rect {
            x,
            width: wide,
            ..areas.times
        };
        canvas.spans(room, std::slice::from_ref(label));
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
    let mut taken = vec![false; usize::from(rows)];
    for price in &view.lines {
        let row = view.range.row(price.count, rows);
        let lead = match row {
            Some(_) => '◂',
            None if price.count > view.range.high => '▲',
            None => '▼',
        };
        let wanted = row.unwrap_or(if lead == '▲' {
            0
        } else {
            rows.saturating_sub(1)
        });
        if let Some(row) = free_row(&mut taken, wanted) {
            if price.kind == LineKind::Cursor {
                canvas.fill(line(beside, row), ThemePart::Selection);
            }
            let lead = if lead == '◂' {
                price.kind.lead()
            } else {
                lead
            };
            label(canvas, line(beside, row), lead, price);
        }
    }
    for (count, price) in &view.axis {
        let row = view.range.row(*count, rows).map(usize::from);
        if let Some(slot) = row.and_then(|row| taken.get_mut(row))
            && !std::mem::replace(slot, true)
        {
            let row = row.and_then(|row| u16::try_from(row).ok()).unwrap_or(0);
            canvas.spans_right(line(beside, row), std::slice::from_ref(price));
        }
    }
    let volume = line(areas.gutter, areas.volume.y.saturating_sub(areas.gutter.y));
    if !areas.volume.is_empty() {
        canvas.spans_right(volume, view.volume.as_slice());
    }
    if !areas.times.is_empty() {
        let last = areas.gutter.height.saturating_sub(1);
        canvas.spans_right(line(areas.gutter, last), std::slice::from_ref(&view.zone));
    }
}

/// The row itself, or one beside it.
fn free_row(taken: &mut [bool], wanted: u16) -> Option<u16> {
    let beside = [0, -1, 1, -2, 2].into_iter();
    let row = beside
        .filter_map(|step| wanted.checked_add_signed(step))
        .find(|row| taken.get(usize::from(*row)) == Some(&false))?;
    if let Some(slot) = taken.get_mut(usize::from(row)) {
        *slot = true;
    }
    Some(row)
}

/// `◂entry 65,607`, or `◂E 65,607`.
fn label(canvas: &mut Canvas<'_>, room: Rect, lead: char, price: &PriceLine) {
    let tone = price.kind.tone();
    let name = sum([width(price.kind.name()), width(&price.price), 2]);
    let words = if name <= room.width {
        price.kind.name().to_owned()
    } else {
        price.kind.sign().to_string()
    };
    let lead = Span::new(format!("{lead}{words}"), tone);
    let rest = canvas.spans(room, &[lead]);
    if width(&price.price) <= rest.width {
        canvas.spans_right(rest, &[Span::new(price.price.clone(), tone)]);
    }
}
