//! Rows of a resource in the desk's columns, as lines of text.

use super::listed::Listed;
use crate::view::{
    Align, Column, Scene, UNKNOWN,
    tables::rows::{RowMembers, member_text},
};
use std::iter;
use unicode_width::UnicodeWidthStr;

/// The id of a row, safe to show.
type RowName<T> = fn(&T) -> String;

/// A resource's columns, and its id if no column shows it.
pub(super) struct TextTable<T: 'static> {
    columns: &'static [Column<T>],
    id: Option<RowName<T>>,
}

/// One column with its cells as text.
struct ColumnCells {
    title: String,
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

    /// Columns without the id, which stands before them.
    pub(super) fn with_id(columns: &'static [Column<T>]) -> Self
    where
        T: Listed,
    {
        let id = Some(T::id as RowName<T>);
        Self { columns, id }
    }

    /// Aligned columns under their titles; beyond `width` the least important columns are dropped.
    pub(super) fn table(&self, rows: &[&T], scene: &Scene<'_>, width: Option<usize>) -> String {
        let mut strips = self.strips(rows, scene);
        if let Some(width) = width {
            fit(&mut strips, width);
        }
        lines(&strips, rows.len())
    }

    /// These fields: as the column of the same name shows it, otherwise the member of the row as it was sent.
    pub(super) fn of_fields(
        &self,
        fields: &[&str],
        rows: &[&T],
        members: &[RowMembers],
        scene: &Scene<'_>,
    ) -> String {
        let strip = |name: &&str| {
            let mut columns = self.columns.iter();
            if let Some(column) = columns.find(|column| column.id == *name) {
                return ColumnCells::of(column, rows, scene);
            }
            let cell = |row: &RowMembers| {
                let member = row.get(*name);
                member.map_or_else(|| UNKNOWN.to_owned(), |raw| member_text(name, raw.get()))
            };
            ColumnCells {
                title: (*name).to_owned(),
                align: Align::Left,
                priority: 0,
                cells: members.iter().map(cell).collect(),
            }
        };
        let strips: Vec<_> = fields.iter().map(strip).collect();
        lines(&strips, rows.len())
    }

    fn strips(&self, rows: &[&T], scene: &Scene<'_>) -> Vec<ColumnCells> {
        let id = self.id.map(|id| ColumnCells {
            title: "id".to_owned(),
            align: Align::Left,
            priority: 0,
            cells: rows.iter().map(|row| id(row)).collect(),
        });
        let columns = self.columns.iter();
        let others = columns.map(|column| ColumnCells::of(column, rows, scene));
        iter::empty().chain(id).chain(others).collect()
    }
}

/// The titles, and a line for each row.
fn lines(strips: &[ColumnCells], rows: usize) -> String {
    let widths: Vec<usize> = strips.iter().map(ColumnCells::width).collect();
    let heading = strips.iter().map(|strip| strip.title.as_str()).collect();
    let mut lines = vec![line(strips, &widths, heading)];
    lines.extend((0..rows).map(|row| {
        let cells = strips.iter().map(|strip| strip.cell(row)).collect();
        line(strips, &widths, cells)
    }));
    lines.concat()
}

impl ColumnCells {
    fn of<T>(column: &Column<T>, rows: &[&T], scene: &Scene<'_>) -> Self {
        let cells = rows.iter().map(|row| column.cell(row, scene).text());
        Self {
            title: column.title.to_owned(),
            align: column.align,
            priority: column.priority,
            cells: cells.collect(),
        }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(String::as_str);
        cells
            .chain([self.title.as_str()])
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
            title: title.to_owned(),
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
        let left: Vec<_> = strips.iter().map(|strip| strip.title.as_str()).collect();
        assert_eq!(left, ["id", "side"]);
        fit(&mut strips, 1);
        assert_eq!(strips.len(), 1);
    }
}
