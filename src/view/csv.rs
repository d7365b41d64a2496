//! Rows as comma-separated values, for exports and the command line alike.

use super::{Align, Cell, Column, Scene, format::UNKNOWN};
use std::iter;

/// The id of a row, fit for showing.
pub type Name<T> = fn(&T) -> String;

/// RFC 4180, with the columns' ids on top. Numbers have no separators between their thousands, and what is unknown
/// is empty. `id` comes first where no column tells it.
pub fn csv<T>(columns: &[Column<T>], id: Option<Name<T>>, rows: &[T], scene: &Scene<'_>) -> String {
    let record = |fields: Vec<String>| format!("{}\r\n", fields.join(","));
    let names = id
        .map(|_| "id")
        .into_iter()
        .chain(columns.iter().map(|column| column.id));
    let mut lines = vec![record(names.map(field).collect())];
    lines.extend(rows.iter().map(|row| {
        let own = id.map(|id| field(&id(row)));
        let cells = columns
            .iter()
            .map(|column| value(column.align, &(column.cell)(row, scene)));
        record(iter::empty().chain(own).chain(cells).collect())
    }));
    lines.concat()
}

fn value(align: Align, cell: &Cell) -> String {
    let text = cell.text();
    match align {
        _ if text == UNKNOWN => String::new(),
        Align::Number => field(&text.replace(',', "")),
        Align::Left | Align::Words => field(&text),
    }
}

/// A cell that a spreadsheet would take for a formula begins with an apostrophe; a number stays one.
pub(super) fn field(text: &str) -> String {
    let is_number = text
        .strip_prefix(['+', '-'])
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let quote = if text.starts_with(['=', '+', '-', '@']) && !is_number {
        "'"
    } else {
        ""
    };
    if quote.is_empty() && !text.contains([',', '"', '\r', '\n']) {
        return text.to_owned();
    }
    format!("\"{quote}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spreadsheet_reads_numbers_as_numbers_and_text_as_text() {
        for (cell, written) in [
            ("BTC", "BTC"),
            ("+312.40", "+312.40"),
            ("-5", "-5"),
            ("=HYPERLINK(1)", "\"'=HYPERLINK(1)\""),
            ("@x", "\"'@x\""),
            ("-x", "\"'-x\""),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
        ] {
            assert_eq!(field(cell), written);
        }
    }
}
