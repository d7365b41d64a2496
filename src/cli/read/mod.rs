//! Lists on standard output: as a table, JSON or CSV.
//!
//! Contract: unreadable rows and incomplete lists are reported on standard error and in the exit code (15); a list is
//! never silently shorter. JSON and CSV hold the same row: the service's fields and the derived ones, with every digit;
//! `perpdeck schema` describes them.

pub(super) mod accounts;
pub(super) mod export;
pub(super) mod filters;
mod list_view;
pub(super) mod listed;
pub(super) mod lists;
pub(super) mod market;
mod pages;
mod sheet;
pub(super) mod shows;
mod stream_link;
mod views;
pub(super) mod wait;
pub(super) mod watch;

use super::{
    Exit,
    local_zone::local_zone,
    service::{Service, patiently},
    voice::Output,
};
use crate::{
    app::{Mode, Motion, Store, Workflows, activity::notice::Activity},
    model::{Failure, FailureKind, MarketId, Order, Page},
    runtime::{self, Clock},
    view::Scene,
};
pub(super) use list_view::ListView;
use std::{
    collections::BTreeMap,
    io::{self, IsTerminal},
};

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
        mode: paper(store),
        motion: Motion::Full,
        priced: None,
    })
}

/// Whether the rows are of a paper exchange, as the desk knows it.
fn paper(store: &Store) -> Option<Mode> {
    let about = store.about.as_ref();
    about
        .filter(|about| about.is_simulator())
        .map(|_| Mode::Paper)
}

/// A file or a pipe has no width.
fn width() -> Option<usize> {
    io::stdout().is_terminal().then(runtime::columns).flatten()
}

/// Reports what is missing, if anything.
fn complete<T>(voice: Output, page: &Page<T>) -> Exit {
    let rows = |count: usize| format!("{count} {}", if count == 1 { "row" } else { "rows" });
    let count = page.unreadable.len();
    if let Some(first) = page.unreadable.first() {
        voice.note(&format!("{} could not be read: {first}", rows(count)));
    }
    if page.left_out > 0 {
        let rows = rows(page.left_out);
        voice.note(&format!(
            "{rows} left out: of another account, without an id, or listed twice"
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
    store.about = service.about_paper().await;
    store
}

/// The objects of these ids, in the order in which they were named; the first that is missing fails.
async fn each<Id: Clone, T, F>(
    ids: &[Id],
    read: impl Fn(Id) -> F,
    missing: impl Fn(&Id) -> String,
) -> Result<Vec<T>, Failure>
where
    F: Future<Output = Result<Option<T>, Failure>>,
{
    let mut found = vec![];
    for id in ids {
        let row = patiently(|| read(id.clone())).await?;
        found.push(row.ok_or_else(|| Failure::new(FailureKind::NotFound, missing(id)))?);
    }
    Ok(found)
}
