//! `perpdeck schema`: the JSON Schemas of rows in verbs and exports.

use super::read::watch::{AccountLine, MarketLine, WatchLine};
use super::{Exit, exit::UsageError, failure_line::FailureLine, journal, out};
use crate::model::{EquitySample, FundingPayment};
use crate::view::EventRow;
use crate::view::tables::{
    alert_rows::UserAlertRow,
    quotes::{CandleRow, LevelRow, QuoteRow, TapeRow},
    rows::{ClosedPositionRow, OrderRow, PositionRow, RungRow, ScaledRow, TwapRow, schema_of},
    standing::{AccountRow, FillRow, ProfileRow},
};
use color_eyre::Result;
use schemars::Schema;

#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {
    /// The row [default: lists the rows]
    row: Option<String>,
}

/// A row, where it is printed, and its schema.
struct SchemaEntry {
    name: &'static str,
    printed_by: &'static str,
    schema: fn() -> Schema,
}

const fn row(name: &'static str, printed_by: &'static str, schema: fn() -> Schema) -> SchemaEntry {
    SchemaEntry {
        name,
        printed_by,
        schema,
    }
}

const ROWS: &[SchemaEntry] = &[
    row("position", "positions, position", schema_of::<PositionRow>),
    row(
        "closed_position",
        "positions --closed, position",
        schema_of::<ClosedPositionRow>,
    ),
    row(
        "order",
        "orders, orders --history, order",
        schema_of::<OrderRow>,
    ),
    row("fill", "fills", schema_of::<FillRow>),
    row(
        "funding_payment",
        "funding, export funding",
        schema_of::<FundingPayment>,
    ),
    row("equity_sample", "export equity", schema_of::<EquitySample>),
    row("twap", "twap list, twap show", schema_of::<TwapRow>),
    row(
        "scaled_order",
        "scaled list, scaled show",
        schema_of::<ScaledRow>,
    ),
    row("rung", "scaled list --output csv", schema_of::<RungRow>),
    row("account", "account", schema_of::<AccountRow>),
    row("profile", "accounts", schema_of::<ProfileRow>),
    row("market", "markets", schema_of::<QuoteRow>),
    row("level", "book", schema_of::<LevelRow>),
    row("candle", "candles", schema_of::<CandleRow>),
    row("trade", "trades", schema_of::<TapeRow>),
    row("alert", "alert list", schema_of::<UserAlertRow>),
    row(
        "order_change",
        "watch orders",
        schema_of::<WatchLine<OrderRow>>,
    ),
    row(
        "position_change",
        "watch positions",
        schema_of::<WatchLine<PositionRow>>,
    ),
    row("market_event", "watch market", schema_of::<MarketLine>),
    row("account_event", "watch account", schema_of::<AccountLine>),
    row("event", "watch events, events.jsonl", schema_of::<EventRow>),
    row(
        "journal",
        "journal list, journal show",
        schema_of::<journal::JournalRow>,
    ),
    row(
        "error",
        "the member `error` of a line on standard error",
        schema_of::<FailureLine<'static>>,
    ),
];

pub(super) fn run(args: &SchemaArgs) -> Result<Exit> {
    let Some(name) = &args.row else {
        let lines = ROWS
            .iter()
            .map(|row| format!("{:<16} {}\n", row.name, row.printed_by));
        out::say(&lines.collect::<String>())?;
        return Ok(Exit::Ok);
    };
    let Some(row) = ROWS.iter().find(|row| row.name == name) else {
        let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
        let words = format!(
            "there is no row {name:?}; the rows are {}",
            names.join(", ")
        );
        return Err(UsageError(words).into());
    };
    let text = serde_json::to_string_pretty(&(row.schema)())?;
    out::say(&(text + "\n"))?;
    Ok(Exit::Ok)
}
