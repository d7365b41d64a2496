//! Rows as comma-separated values, for exports and the command line.
//!
//! Contract: a number has the service's digits, or is derived without rounding. Shares are fractions of 1, durations
//! are seconds, instants RFC 3339 in UTC. An unknown value is empty.

use crate::{
    app::tables::table_view::Fact,
    model::{Num, Zone},
    view::text::{Column, Scene, format::UNKNOWN},
};
use serde_json::value::RawValue;
use std::{collections::BTreeMap, iter, time::Duration};

/// The id of a row, safe to show.
pub type Name<T> = fn(&T) -> String;

/// A row's JSON members by name.
pub type Members = BTreeMap<String, Box<RawValue>>;

/// The source of a row's members.
pub(crate) type CsvSource<T> = fn(&T) -> Members;

/// For rows of the desk's own.
pub fn no_members<T>(_: &T) -> Members {
    Members::new()
}

/// RFC 4180 with column ids as header. `id` comes first if no column has it.
pub fn csv<T>(
    columns: &[Column<T>],
    id: Option<Name<T>>,
    (rows, members): (&[T], CsvSource<T>),
    scene: &Scene<'_>,
) -> String {
    let record = |fields: Vec<String>| format!("{}\r\n", fields.join(","));
    let names = id
        .map(|_| "id")
        .into_iter()
        .chain(columns.iter().flat_map(Column::names));
    let mut lines = vec![record(names.map(field).collect())];
    lines.extend(rows.iter().map(|row| {
        let own = id.map(|id| field(&id(row)));
        let members = members(row);
        let cells = columns.iter().flat_map(|column| {
            let cell = || vec![value(column, row, &members, scene)];
            column.values(row).unwrap_or_else(cell)
        });
        let cells = cells.map(|cell| field(&cell));
        record(iter::empty().chain(own).chain(cells).collect())
    }));
    lines.concat()
}

fn value<T>(column: &Column<T>, row: &T, members: &Members, scene: &Scene<'_>) -> String {
    match column.fact(row, scene) {
        Fact::Span(span) => return seconds(span),
        Fact::Moment(at) => return Zone::stamps().moment(at, at),
        Fact::Unknown | Fact::Words(_) | Fact::Number(_) | Fact::Code(..) => {}
    }
    let sent = members.get(column.id).map(|raw| raw.get());
    let sent = sent.filter(|raw| raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    let exact = || {
        column
            .number(row, scene)
            .map(|number| number.normalized().to_string())
    };
    let sent = sent.map(str::to_owned).or_else(exact);
    sent.unwrap_or_else(|| plain(&(column.cell)(row, scene).text()))
}

fn seconds(span: Duration) -> String {
    let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    Num::new(millis, 3).normalized().to_string()
}

/// A cell's plain number: no thousands separators, a percentage as a fraction.
fn plain(text: &str) -> String {
    if text == UNKNOWN {
        return String::new();
    }
    let bare = text.replace(',', "");
    let share = bare.strip_suffix('%').and_then(|percent| {
        let percent: Num = percent.trim_start_matches('+').trim().parse().ok()?;
        percent.over(Num::HUNDRED)
    });
    let is_number = bare.trim_start_matches('+').parse::<Num>().is_ok();
    match share {
        Some(share) => share.normalized().to_string(),
        None if is_number => bare,
        None => text.to_owned(),
    }
}

/// Characters that a spreadsheet may take for the start of a formula.
const BEGINS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Prefixes an apostrophe to a cell that a spreadsheet would take for a formula; a plain number stays.
pub fn field(text: &str) -> String {
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
        view::tables::{closed::CLOSED, history::HISTORY, positions::OPEN},
    };
    use serde::Serialize;
    use std::collections::BTreeMap;

    /// The members that the service sent.
    fn members<T: Serialize>(row: &T) -> Members {
        let text = serde_json::to_string(row).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

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
        let row = only(&csv(HISTORY, None, (&[filled], members), &scene));
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
        let row = only(&csv(OPEN, None, (&[open], members), &scene));
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
            ["0.5", "64000", "2000", "0.296875", "3600"]
        );
        let closed = position(
            "pos-7",
            "SOL",
            "0",
            r#""realized_pnl":10.005,"fees":1.0049,"funding":-0.00001,"closed_at":1790000000001,"realized_margin_basis":80"#,
        );
        let row = only(&csv(CLOSED, None, (&[closed], members), &scene));
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
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
        ] {
            assert_eq!(field(cell), written);
        }
    }
}
