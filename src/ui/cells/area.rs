//! Parts of the screen. Nothing reaches beyond the area it is taken from, and no sum overflows.

use ratatui::layout::Rect;

/// The rest of a line after `used` columns.
pub(in crate::ui) fn after(room: Rect, used: u16) -> Rect {
    let used = used.min(room.width);
    Rect {
        x: room.x.saturating_add(used),
        width: room.width.saturating_sub(used),
        ..room
    }
}

/// The first `wide` columns.
pub(in crate::ui) fn first(room: Rect, wide: u16) -> Rect {
    Rect {
        width: wide.min(room.width),
        ..room
    }
}

/// Without the last columns.
pub(in crate::ui) fn without_last(room: Rect, columns: u16) -> Rect {
    first(room, room.width.saturating_sub(columns))
}

/// Without so many columns at each side.
pub(in crate::ui) fn inset(room: Rect, columns: u16) -> Rect {
    without_last(after(room, columns), columns)
}

/// The part of a line before `rest`.
pub(in crate::ui) fn before(room: Rect, rest: Rect) -> Rect {
    without_last(room, rest.width)
}

/// One line of `area`; empty if there is none.
pub(in crate::ui) fn line(area: Rect, number: u16) -> Rect {
    if number >= area.height {
        return Rect {
            height: 0,
            width: 0,
            ..area
        };
    }
    Rect {
        y: area.y.saturating_add(number),
        height: 1,
        ..area
    }
}

/// The last line of `area`.
pub(in crate::ui) fn last_line(area: Rect) -> Rect {
    line(area, area.height.saturating_sub(1))
}

/// What remains below the first lines.
pub(in crate::ui) fn below(area: Rect, lines: u16) -> Rect {
    rows(area, lines).1
}

/// The upper lines, and those below them.
pub(in crate::ui) fn rows(area: Rect, above: u16) -> (Rect, Rect) {
    let above = above.min(area.height);
    let upper = Rect {
        height: above,
        ..area
    };
    let lower = Rect {
        y: area.y.saturating_add(above),
        height: area.height.saturating_sub(above),
        ..area
    };
    (upper, lower)
}

/// The left columns, and those beside them.
pub(in crate::ui) fn columns(area: Rect, left: u16) -> (Rect, Rect) {
    (first(area, left), after(area, left))
}

/// Columns of these widths, one after the other.
pub(in crate::ui) fn split<const COUNT: usize>(room: Rect, widths: [u16; COUNT]) -> [Rect; COUNT] {
    let mut rest = room;
    widths.map(|wide| {
        let (cell, others) = columns(rest, wide);
        rest = others;
        cell
    })
}

/// In the middle of `body`, no larger than it.
pub(in crate::ui) fn centered(body: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(body.width), height.min(body.height));
    Rect {
        x: sum([body.x, body.width.saturating_sub(width) / 2]),
        y: sum([body.y, body.height.saturating_sub(height) / 2]),
        width,
        height,
    }
}

/// The saturating sum.
pub(in crate::ui) fn sum<const COUNT: usize>(lengths: [u16; COUNT]) -> u16 {
    lengths.into_iter().fold(0, u16::saturating_add)
}

/// As many lines or columns as there are of something.
pub(in crate::ui) fn length(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// `number` of `whole` as a part of `length`; zero for an empty whole.
pub(in crate::ui) fn part(number: usize, length: usize, whole: usize) -> usize {
    let product = number.saturating_mul(length);
    product.checked_div(whole).unwrap_or(0)
}

/// `parts` of `of` equal parts of a length.
pub(in crate::ui) fn share(length: u16, parts: u16, of: u16) -> u16 {
    self::length(part(length.into(), parts.into(), of.max(1).into()))
}
