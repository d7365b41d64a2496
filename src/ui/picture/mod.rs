//! A drawn screen as plain text, text with ANSI colors, or a self-contained SVG.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "dots of a picture of at most 65,535 cells a side, in types wide enough for all of them"
)]

mod ansi;
mod shapes;
mod svg;

pub use ansi::ansi;
pub use svg::svg;

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
};
use unicode_width::UnicodeWidthStr;

/// The screen as lines of text, without trailing blanks.
pub fn text(screen: &Buffer) -> String {
    let mut out = String::new();
    for row in screen.area.rows() {
        let line: String = cells(screen, row).map(|(_, cell)| cell.symbol()).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The cells of a row with their columns, without the empty second half of a wide character.
fn cells(screen: &Buffer, row: Rect) -> impl Iterator<Item = (u16, &Cell)> {
    let mut covered = 0;
    row.positions().filter_map(move |position| {
        let cell = screen.cell(position)?;
        if position.x < covered {
            return None;
        }
        let wide = u16::try_from(cell.symbol().width()).unwrap_or(1).max(1);
        covered = position.x.saturating_add(wide);
        Some((position.x, cell))
    })
}
