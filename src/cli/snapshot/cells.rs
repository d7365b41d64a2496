//! A frame as rows of runs: neighbouring cells that look alike.

use ratatui::{buffer::Buffer, style::Style};
use unicode_width::UnicodeWidthStr;

/// Neighbouring cells of one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) column: usize,
    /// In cells, which is not the number of characters.
    pub(super) width: usize,
    pub(super) text: String,
    pub(super) style: Style,
}

/// The rows of a frame, top to bottom.
pub(super) fn rows(frame: &Buffer) -> impl Iterator<Item = Vec<Run>> {
    let columns = usize::from(frame.area.width.max(1));
    frame.content.chunks(columns).map(|row| {
        let mut runs: Vec<Run> = vec![];
        let mut column = 0;
        while let Some(cell) = row.get(column) {
            // A wide character hides the cell behind it.
            let width = cell.symbol().width().max(1);
            match runs.last_mut() {
                Some(run) if run.style == cell.style() => {
                    run.width += width;
                    run.text += cell.symbol();
                }
                _ => runs.push(Run {
                    column,
                    width,
                    text: cell.symbol().to_owned(),
                    style: cell.style(),
                }),
            }
            column += width;
        }
        runs
    })
}

/// Characters only; nothing trails a line.
pub(super) fn text(frame: &Buffer) -> String {
    let mut out = String::new();
    for row in rows(frame) {
        let line: String = row.iter().map(|run| run.text.as_str()).collect();
        out += line.trim_end();
        out.push('\n');
    }
    out
}
