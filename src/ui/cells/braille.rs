//! Curves in braille: two columns and four rows of dots a cell.

use std::ops::RangeInclusive;

/// The bits of a cell's dots in Unicode, column by column from the top.
pub(in crate::ui) const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
pub(in crate::ui) const EMPTY: u32 = 0x2800;

/// The dots of the two columns of a cell, from above: each column is joined to the one before it. `dot` is the row of
/// dots at which the curve crosses a column of dots.
pub(in crate::ui) fn joined(
    dot: impl Fn(usize) -> Option<i64>,
    column: u16,
) -> [Option<RangeInclusive<i64>>; 2] {
    [0, 1].map(|side| {
        let at = usize::from(column).saturating_mul(2).saturating_add(side);
        let here = dot(at)?;
        let before = at.checked_sub(1).and_then(&dot).unwrap_or(here);
        Some(here.min(before)..=here.max(before))
    })
}

/// The character of such a cell in this row of cells; `None` where it has no dots.
pub(in crate::ui) fn symbol(joined: &[Option<RangeInclusive<i64>>; 2], row: u16) -> Option<char> {
    let top = i64::from(row).saturating_mul(4);
    let dots = DOTS.iter().zip(joined).flat_map(|(bits, joined)| {
        let dots = (top..).zip(bits);
        dots.filter(move |(dot, _)| joined.as_ref().is_some_and(|joined| joined.contains(dot)))
    });
    let symbol = dots.fold(EMPTY, |symbol, (_, bit)| symbol | bit);
    char::from_u32(symbol).filter(|_| symbol != EMPTY)
}
