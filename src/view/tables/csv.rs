//! Comma-separated values, for exports and the command line.
//!
//! Contract: durations are seconds, instants RFC 3339 in UTC. An unknown value is empty.

use crate::{
    app::tables::table_view::Fact,
    model::{Num, Zone},
    view::text::{Column, Scene},
};
use std::time::Duration;

/// RFC 4180, with the names on top.
pub(crate) fn file<'a>(
    names: impl Iterator<Item = &'a str>,
    records: impl Iterator<Item = Vec<String>>,
) -> String {
    let names: Vec<_> = names.collect();
    let records = records.map(|cells| {
        let cells = names.iter().zip(&cells);
        let fields = cells.map(|(name, cell)| {
            if is_id(name, cell) {
                cell.clone()
            } else {
                field(cell)
            }
        });
        format!("{}\r\n", fields.collect::<Vec<_>>().join(","))
    });
    let records: String = records.collect();
    format!("{}\r\n{records}", names.join(","))
}

/// The desk's own lines, which are no rows of the service: their cells.
pub(crate) fn cells<T>(columns: &[Column<T>], rows: &[T], scene: &Scene<'_>) -> String {
    let cells_of = |row: &T| {
        let cells = columns.iter().map(|column| cell(column, row, scene));
        cells.collect()
    };
    let records = rows.iter().map(cells_of);
    file(columns.iter().map(|column| column.id), records)
}

/// One of them, for a program.
pub(crate) fn cell<T>(column: &Column<T>, row: &T, scene: &Scene<'_>) -> String {
    match column.fact(row, scene) {
        Fact::Span(span) => seconds(span).to_string(),
        Fact::Moment(at) => Zone::stamps().moment(at, at),
        Fact::Unknown => String::new(),
        Fact::Words(_) | Fact::Number(_) | Fact::Code(..) => column.cell(row, scene).text(),
    }
}

pub(super) fn seconds(span: Duration) -> Num {
    let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    Num::new(millis, 3).normalized()
}

/// An id that no spreadsheet can take for a formula that calls or names something: a program reads it unchanged.
fn is_id(name: &str, text: &str) -> bool {
    let is_named = name == "id" || name.ends_with("_id");
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:|".contains(c);
    is_named && text.chars().all(is_plain)
}

/// Characters that a spreadsheet may take for the start of a formula (OWASP, CSV injection).
const BEGINS: [char; 11] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'];

/// Prefixes an apostrophe to a cell that a spreadsheet would take for a formula; a plain number stays.
fn field(text: &str) -> String {
    let quote = if text.starts_with(BEGINS) && !is_number(text) {
        "'"
    } else {
        ""
    };
    if quote.is_empty() && !text.contains([',', '"', '\r', '\n']) {
        return text.to_owned();
    }
    format!("\"{quote}{}\"", text.replace('"', "\"\""))
}

/// A sign, digits with at most one point, and perhaps a percent sign.
fn is_number(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['+', '-']) else {
        return false;
    };
    let rest = rest.strip_suffix('%').unwrap_or(rest);
    let (whole, part) = rest.split_once('.').unwrap_or((rest, "0"));
    [whole, part]
        .iter()
        .all(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::{desk, order, position},
        view::tables::rows::{ClosedPositionRow, OrderRow, PositionRow, columns_of, csv},
    };
    use std::collections::BTreeMap;

    /// The only row of the text, by column.
    fn only(text: &str) -> BTreeMap<String, String> {
        let mut lines = text.split("\r\n");
        let mut fields = || lines.next().unwrap().split(',').map(str::to_owned);
        let names: Vec<_> = fields().collect();
        names.into_iter().zip(fields()).collect()
    }

    fn shown<const N: usize>(row: &BTreeMap<String, String>, names: [&str; N]) -> [String; N] {
        names.map(|name| row[name].clone())
    }

    #[test]
    fn an_id_is_read_unchanged_and_other_text_is_no_formula() {
        let rows = [["-7f", "-7f"], ["=1+1", "=1+1"], ["+A1()", "note"]];
        let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            file(["id", "detail"].into_iter(), rows),
            "id,detail\r\n-7f,\"'-7f\"\r\n\"'=1+1\",\"'=1+1\"\r\n\"'+A1()\",note\r\n"
        );
    }

    #[test]
    fn an_order_has_every_digit_it_was_sent_with_and_its_instants_in_full() {
        let model = desk();
        let zone = Zone::utc();
        let scene = Scene::of(&model, &zone);
        let filled = order(
            "ord-9",
            "BTC",
            r#""type":"limit","mode":"limit","side":"buy","size":0.10,"limit_price":60000.0,"fill_price":59999.98765,
            "fee":1.23456789,"settled_at":1790000000250,"status":"filled""#,
        );
        let row = only(&csv(columns_of::ORDER, &[OrderRow::new(&filled, &scene)]));
        let names = [
            "requested_at",
            "size",
            "limit_price",
            "fill_price",
            "fee",
            "settle_time",
        ];
        assert_eq!(
            shown(&row, names),
            [
                "2026-09-21T14:11:40.000Z",
                "0.10",
                "60000.0",
                "59999.98765",
                "1.23456789",
                "100.25"
            ]
        );
    }

    #[test]
    fn what_follows_from_a_row_is_not_rounded_and_shares_are_of_one() {
        let model = desk();
        let zone = Zone::utc();
        let scene = Scene::of(&model, &zone);
        let open = position(
            "pos-1",
            "BTC",
            "0.5",
            r#""leverage":10,"liquidation_price":45000"#,
        );
        let row = only(&csv(
            columns_of::POSITION,
            &[PositionRow::new(&open, &scene)],
        ));
        assert_eq!(
            shown(
                &row,
                [
                    "size",
                    "mark_price",
                    "unrealized_pnl",
                    "liquidation_distance",
                    "age"
                ]
            ),
            ["0.5", "64000", "2000.0", "0.296875", "3600"]
        );
        let closed = position(
            "pos-7",
            "SOL",
            "0",
            r#""realized_pnl":10.005,"fees":1.0049,"funding":-0.00001,"closed_at":1790000000001,"realized_margin_basis":80"#,
        );
        let row = ClosedPositionRow::new(&closed, &scene);
        let row = only(&csv(columns_of::CLOSED_POSITION, &[row]));
        assert_eq!(
            shown(&row, ["closed_at", "realized_pnl", "net_pnl", "held"]),
            ["2026-09-21T14:13:20.001Z", "10.005", "9.00009", "3600.001"]
        );
        assert!(row["roi"].starts_with("0.1125"), "{row:?}");
    }

    #[test]
    fn a_spreadsheet_reads_numbers_as_numbers_and_text_as_text() {
        for (cell, written) in [
            ("BTC", "BTC"),
            ("+312.40", "+312.40"),
            ("-5", "-5"),
            ("=HYPERLINK(1)", "\"'=HYPERLINK(1)\""),
            ("@x", "\"'@x\""),
            ("-x", "\"'-x\""),
            ("-0.4%", "-0.4%"),
            ("-1+cmd|'/C calc'!A1", "\"'-1+cmd|'/C calc'!A1\""),
            ("+1=2", "\"'+1=2\""),
            ("-1.2.3", "\"'-1.2.3\""),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "\"'\r=1\""),
            ("\n=1", "\"'\n=1\""),
            ("＝1", "\"'＝1\""),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
        ] {
            assert_eq!(field(cell), written);
        }
    }
}
