//! Lists on standard output: as a table, as the rows the service sent, or as CSV.
//!
//! Contract: a row that could not be read, and a list that is not all there is, are said on standard error and in the
//! exit code (15); a list is never shorter in silence. Known limit: CSV holds the words of the table, so a time there
//! is as exact as on the screen; JSON holds every digit.

pub(super) mod orders;
mod pages;
pub(super) mod positions;
pub(super) mod scaled;
mod sheet;
pub(super) mod twaps;

use super::{
    Exit, out,
    service::Service,
    voice::{Output, Voice, json},
};
use crate::{
    app::{Motion, Store, notice::Activity},
    model::Page,
    runtime::{self, Clock},
    view::{self, Scene, format::Zone},
};
use color_eyre::Result;
use serde::Serialize;
use sheet::Sheet;
use std::io::{self, IsTerminal};

/// Prints the rows; `context` is what their cells need to know beside them, asked for only where there are cells.
async fn show<T: Serialize>(
    voice: Voice,
    page: &Page<T>,
    sheet: Sheet<T>,
    context: impl Future<Output = Store>,
) -> Result<Exit> {
    let text = match voice.output {
        Output::Json => array(&page.rows),
        Output::Table => drawn(&context.await, |scene| {
            sheet.table(&page.rows, scene, width())
        }),
        Output::Csv => drawn(&context.await, |scene| {
            sheet.csv(&page.rows, view::members, scene)
        }),
    };
    out::say(&text)?;
    Ok(complete(voice, page))
}

fn drawn(store: &Store, draw: impl FnOnce(&Scene<'_>) -> String) -> String {
    let (zone, now) = (Zone::local(), Clock::start().now());
    draw(&Scene {
        store,
        activity: &Activity::default(),
        now,
        own_now: now,
        zone: &zone,
        mode: None,
        motion: Motion::Full,
        priced: None,
    })
}

/// One row a line, so that the list is read by eyes, by `diff` and by `jq` alike.
fn array<T: Serialize>(rows: &[T]) -> String {
    let lines: Vec<_> = rows.iter().map(json).collect();
    if lines.is_empty() {
        return "[]\n".to_owned();
    }
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// A file or a pipe has no edge to keep clear of.
fn width() -> Option<usize> {
    io::stdout().is_terminal().then(runtime::columns).flatten()
}

/// Says what is missing, if anything is.
fn complete<T>(voice: Voice, page: &Page<T>) -> Exit {
    let count = page.unreadable.len();
    if let Some(first) = page.unreadable.first() {
        let rows = if count == 1 { "row" } else { "rows" };
        voice.note(&format!("{count} {rows} could not be read: {first}"));
    }
    if page.incomplete {
        voice.note("the list is not complete: the service says there is more, but not where");
    }
    if count == 0 && !page.incomplete {
        Exit::Ok
    } else {
        Exit::Partial
    }
}

/// Market prices, for cells that compare with them.
async fn prices(service: &Service) -> Store {
    let mut store = Store::default();
    service.take_prices(&mut store).await;
    store
}
