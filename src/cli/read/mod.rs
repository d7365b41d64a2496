//! Lists on standard output: as a table, JSON or CSV.
//!
//! Contract: unreadable rows and incomplete lists are reported on standard error and in the exit code (15); a list is
//! never silently shorter. JSON and CSV hold the same row: the service's fields and the derived ones, with every digit;
//! `perpdeck schema` describes them.

pub(super) mod accounts;
pub(super) mod export;
pub(super) mod fills;
mod filters;
pub(super) mod market;
pub(super) mod order;
pub(super) mod orders;
mod pages;
pub(super) mod positions;
pub(super) mod scaled;
mod sheet;
mod stream_link;
mod stream_snapshot;
pub(super) mod twaps;
pub(super) mod watch;

use super::{
    Exit,
    local_zone::local_zone,
    out,
    service::Service,
    voice::{ListFormat, Output, json},
};
use crate::{
    app::{Motion, Store, Workflows, activity::notice::Activity},
    model::{MarketId, Order, Page},
    runtime::{self, Clock},
    view::{Column, Scene, tables::rows::csv},
};
use color_eyre::Result;
use serde::Serialize;
use sheet::TextTable;
use std::{
    collections::BTreeMap,
    io::{self, IsTerminal},
};

/// How the rows of a list are printed: as a table, and exactly.
pub(super) struct ListView<T: 'static, R> {
    table: TextTable<T>,
    row: fn(&T, &Scene<'_>) -> R,
    /// The columns of a CSV.
    csv: &'static [&'static str],
}

impl<Own: Serialize + Clone> ListView<Own, Own> {
    /// Of rows that are printed as they are.
    pub(super) fn plain(columns: &'static [Column<Own>], csv: &'static [&'static str]) -> Self {
        Self {
            table: TextTable::of(columns),
            row: |row, _| row.clone(),
            csv,
        }
    }
}

impl<T, R: Serialize> ListView<T, R> {
    /// Prints the rows; `store` has the other data they need.
    pub(super) fn print(&self, voice: Output, page: &Page<T>, store: &Store) -> Result<Exit> {
        let text = drawn(store, |scene| {
            let rows = page.rows.iter().map(|row| (self.row)(row, scene));
            match voice.format {
                ListFormat::Json => array(&rows.collect::<Vec<_>>()),
                ListFormat::Table => self.table.table(&page.rows, scene, width()),
                ListFormat::Csv => csv(self.csv, &rows.collect::<Vec<_>>()),
            }
        });
        out::say(&text)?;
        Ok(complete(voice, page))
    }
}

fn drawn<T>(store: &Store, draw: impl FnOnce(&Scene<'_>) -> T) -> T {
    let (zone, now) = (local_zone(), Clock::start().now());
    draw(&Scene {
        store,
        activity: &Activity::default(),
        sent_forms: &BTreeMap::new(),
        workflows: &Workflows::default(),
        now,
        own_now: now,
        zone: &zone,
        ends_with_desk: false,
        mode: None,
        motion: Motion::Full,
        priced: None,
    })
}

/// One row per line, readable for people, `diff` and `jq`.
fn array<T: Serialize>(rows: &[T]) -> String {
    let lines: Vec<_> = rows.iter().map(json).collect();
    if lines.is_empty() {
        return "[]\n".to_owned();
    }
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// A file or a pipe has no width.
fn width() -> Option<usize> {
    io::stdout().is_terminal().then(runtime::columns).flatten()
}

/// Reports what is missing, if anything.
fn complete<T>(voice: Output, page: &Page<T>) -> Exit {
    let count = page.unreadable.len();
    if let Some(first) = page.unreadable.first() {
        let rows = if count == 1 { "row" } else { "rows" };
        voice.note(&format!("{count} {rows} could not be read: {first}"));
    }
    if page.left_out > 0 {
        let count = page.left_out;
        let rows = if count == 1 { "row" } else { "rows" };
        voice.note(&format!(
            "{count} {rows} left out: of another account, without an id, or listed twice"
        ));
    }
    if page.stalled {
        voice.note("the list is incomplete: it makes no progress, its pages bring no new row");
    } else if page.incomplete {
        voice.note(
            "the list is incomplete: the service says there are more rows, but gives no cursor",
        );
    }
    if count == 0 && !page.incomplete {
        Exit::Ok
    } else {
        Exit::Partial
    }
}

/// Reports orders that cannot be as their rows say.
fn doubts(voice: Output, orders: &[Order]) {
    let doubted = orders
        .iter()
        .map(|order| (order, order.contradictions()))
        .filter(|(_, doubts)| !doubts.is_empty());
    let doubted: Vec<_> = doubted.collect();
    if let Some((order, doubts)) = doubted.first() {
        let count = match doubted.len() {
            1 => String::new(),
            count => format!(", and of {} other orders", count - 1),
        };
        voice.note(&format!(
            "the service contradicts itself: order {}: {}{count}",
            order.id,
            doubts.join(", ")
        ));
    }
}

/// Prices of these markets and the service's clock, for columns that compare with them.
async fn prices(service: &Service, markets: Vec<MarketId>) -> Store {
    let mut store = Store::default();
    service.take_prices(&mut store, &markets).await;
    store.clocks = service.clocks().await;
    store
}
