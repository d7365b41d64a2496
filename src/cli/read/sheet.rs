//! Rows of a resource in the desk's columns, as lines of text.

use crate::view::{Align, Column, Scene};
use std::iter;
use unicode_width::UnicodeWidthStr;

/// The id of a row, safe to show.
type RowName<T> = fn(&T) -> String;

/// A resource's columns, and its id if no column shows it.
pub(super) struct TextTable<T: 'static> {
    pub(super) columns: &'static [Column<T>],
    pub(super) id: Option<RowName<T>>,
}

/// One column with its cells as text.
struct ColumnCells {
    title: &'static str,
    align: Align,
    priority: u8,
    cells: Vec<String>,
}

/// Between two columns.
const GAP: &str = "  ";

impl<T> TextTable<T> {
    /// Columns of which one shows the id, or that need none.
    pub(super) fn of(columns: &'static [Column<T>]) -> Self {
        Self { columns, id: None }
    }

    /// Aligned columns under their titles; beyond `width` the least important columns are dropped.
    pub(super) fn table(&self, rows: &[T], scene: &Scene<'_>, width: Option<usize>) -> String {
        let mut strips = self.strips(rows, scene);
        if let Some(width) = width {
            fit(&mut strips, width);
        }
        let widths: Vec<usize> = strips.iter().map(ColumnCells::width).collect();
        let heading = strips.iter().map(|strip| strip.title).collect();
        let mut lines = vec![line(&strips, &widths, heading)];
        lines.extend((0..rows.len()).map(|row| {
            let cells = strips.iter().map(|strip| strip.cell(row)).collect();
            line(&strips, &widths, cells)
        }));
        lines.concat()
    }

    fn strips(&self, rows: &[T], scene: &Scene<'_>) -> Vec<ColumnCells> {
        let id = self.id.map(|id| ColumnCells {
            title: "id",
            align: Align::Left,
            priority: 0,
            cells: rows.iter().map(id).collect(),
        });
        let others = self.columns.iter().map(|column| ColumnCells {
            title: column.title,
            align: column.align,
            priority: column.priority,
            cells: rows
                .iter()
                .map(|row| column.cell(row, scene).text())
                .collect(),
        });
        iter::empty().chain(id).chain(others).collect()
    }
}

impl ColumnCells {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(String::as_str);
        cells
            .chain([self.title])
            .map(UnicodeWidthStr::width)
            .max()
            .unwrap_or(0)
    }

    fn cell(&self, row: usize) -> &str {
        self.cells.get(row).map_or("", String::as_str)
    }
}

/// Drops whole columns, the least important and last first; the most important ones stay at any width.
fn fit(strips: &mut Vec<ColumnCells>, width: usize) {
    loop {
        let total: usize = strips.iter().map(|s| s.width() + GAP.len()).sum();
        let least = strips
            .iter()
            .enumerate()
            .max_by_key(|(at, strip)| (strip.priority, *at));
        match least.map(|(at, strip)| (at, strip.priority)) {
            Some((at, 1..)) if total > width + GAP.len() => drop(strips.remove(at)),
            _ => return,
        }
    }
}

fn line(strips: &[ColumnCells], widths: &[usize], cells: Vec<&str>) -> String {
    let aligned: Vec<_> = strips
        .iter()
        .zip(widths)
        .zip(cells)
        .map(|((strip, width), cell)| {
            let room = " ".repeat(width.saturating_sub(cell.width()));
            match strip.align {
                Align::Number => format!("{room}{cell}"),
                Align::Left | Align::Words | Align::Parts => format!("{cell}{room}"),
            }
        })
        .collect();
    format!("{}\n", aligned.join(GAP).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(title: &'static str, priority: u8, cells: &[&str]) -> ColumnCells {
        ColumnCells {
            title,
            align: Align::Left,
            priority,
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
        }
    }

    #[test]
    fn a_narrow_terminal_loses_the_least_important_columns_whole() {
        let mut strips = vec![
            strip("id", 0, &["pos-1"]),
            strip("fees", 9, &["12.34"]),
            strip("side", 1, &["LONG"]),
        ];
        fit(&mut strips, 12);
        let left: Vec<_> = strips.iter().map(|strip| strip.title).collect();
        assert_eq!(left, ["id", "side"]);
        fit(&mut strips, 1);
        assert_eq!(strips.len(), 1);
    }
}
