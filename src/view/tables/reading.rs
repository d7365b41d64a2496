//! The plain cell values that filters and sorts compare.

use super::{
    activity::{self, ACTIVITY},
    calls::{self, CALLS},
    closed::CLOSED,
    history::HISTORY,
    orders::WORKING,
    positions::OPEN,
    scaled::{self, RUNGS},
    twaps::{self, TWAPS},
};
use crate::{
    app::{
        Model, Pane, RowId, Store,
        tables::table_view::{ColumnName, Fact, Kind},
    },
    model::Zone,
    view::text::{Column, Scene, plain_text},
};

/// The columns of a pane, as a desk filters and sorts by them.
pub(crate) fn columns(pane: Pane) -> Vec<ColumnName> {
    match pane {
        Pane::Positions => risk_columns(OPEN),
        Pane::Orders => risk_columns(WORKING),
        Pane::Twaps => names(TWAPS),
        Pane::Scaled => names(RUNGS),
        Pane::Closed => names(CLOSED),
        Pane::History => names(HISTORY),
        Pane::Activity => names(ACTIVITY),
        Pane::Calls => names(CALLS),
    }
}

/// Columns up to this priority show risk.
const TELLS_RISK: u8 = 1;

/// The risk columns of open positions or working orders.
fn risk_columns<T>(columns: &[Column<T>]) -> Vec<ColumnName> {
    let columns = columns.iter().map(|column| ColumnName {
        tells_risk: column.priority <= TELLS_RISK,
        ..column.name()
    });
    columns.collect()
}

fn names<T>(columns: &[Column<T>]) -> Vec<ColumnName> {
    columns.iter().map(Column::name).collect()
}

/// The value of this row in this column.
pub(crate) fn fact(model: &Model, pane: Pane, at: usize, column: usize) -> Fact {
    // A comparison must not depend on the person's time zone.
    let zone = Zone::utc();
    let scene = Scene::of(model, &zone);
    row(pane, at, &scene, &FactOf(column)).unwrap_or(Fact::Unknown)
}

/// All words of this row.
pub(crate) fn words(model: &Model, pane: Pane, at: usize) -> String {
    let id = model.all_rows(pane).get(at);
    let cells = cells(model, pane, at, |kind| {
        matches!(kind, Kind::Words | Kind::Code)
    });
    // A note on an open position has no column of its own.
    let note = match &id {
        Some(RowId::Position(id)) => model.account.store.trades.text(id),
        _ => String::new(),
    };
    format!(
        "{cells} {} {note}",
        id_words(id.as_ref(), &model.account.store)
    )
    .to_lowercase()
}

/// The numbers of this row, without thousands separators.
pub(crate) fn numbers(model: &Model, pane: Pane, at: usize) -> String {
    cells(model, pane, at, |_| true).replace(',', "")
}

/// The cells of the columns of these kinds, or the words of a heading.
fn cells(model: &Model, pane: Pane, at: usize, has: fn(Kind) -> bool) -> String {
    let zone = Zone::utc();
    let scene = Scene::of(model, &zone);
    let heading = || heading(model.all_rows(pane).get(at).as_ref(), &scene);
    row(pane, at, &scene, &CellsOf(has)).unwrap_or_else(heading)
}

/// A request for one row of any type.
trait Ask {
    type Answer;
    fn of<T>(&self, columns: &[Column<T>], row: &T, scene: &Scene<'_>) -> Self::Answer;
}

/// The fact of this column.
struct FactOf(usize);

/// The words of the columns of these kinds.
struct CellsOf(fn(Kind) -> bool);

impl Ask for FactOf {
    type Answer = Fact;

    fn of<T>(&self, columns: &[Column<T>], row: &T, scene: &Scene<'_>) -> Fact {
        let column = columns.get(self.0);
        column.map_or(Fact::Unknown, |column| column.fact(row, scene))
    }
}

impl Ask for CellsOf {
    type Answer = String;

    fn of<T>(&self, columns: &[Column<T>], row: &T, scene: &Scene<'_>) -> String {
        let columns = columns.iter().filter(|column| (self.0)(column.name().kind));
        let cells: Vec<_> = columns
            .map(|column| column.cell(row, scene).text())
            .collect();
        cells.join(" ")
    }
}

/// Runs the request on the row at this index; `None` for a heading, which has no cells.
fn row<A: Ask>(pane: Pane, at: usize, scene: &Scene<'_>, ask: &A) -> Option<A::Answer> {
    let store = scene.store;
    Some(match pane {
        Pane::Positions => ask.of(OPEN, store.positions.rows().get(at)?, scene),
        Pane::Orders => {
            let id = store.tree.get(at)?.id.try_as_order_ref()?;
            ask.of(WORKING, store.order(id)?, scene)
        }
        Pane::Twaps => {
            let ended = store.ended_twaps.iter().rev().map(|ended| &ended.twap);
            let mut twaps = store.active_twaps().chain(ended);
            ask.of(TWAPS, twaps.nth(at)?, scene)
        }
        Pane::Scaled => {
            let RowId::Rung(id, number) = store.scaled_rows.get(at)? else {
                return None;
            };
            let line = scaled::rung_line(store.scaled_order(id)?, *number, scene)?;
            ask.of(RUNGS, &line, scene)
        }
        Pane::Closed => ask.of(CLOSED, store.closed.rows().get(at)?, scene),
        Pane::History => ask.of(HISTORY, store.history.rows().get(at)?, scene),
        Pane::Activity => ask.of(ACTIVITY, activity::newest_first(scene, at)?, scene),
        Pane::Calls => ask.of(CALLS, calls::newest_first(scene, at)?, scene),
    })
}

/// The line above rows that belong together.
fn heading(id: Option<&RowId>, scene: &Scene<'_>) -> String {
    let store = scene.store;
    let spans = match id {
        Some(RowId::Twap(id)) => store.twap(id).map(|twap| twaps::head(twap, scene)),
        Some(RowId::Scaled(id)) => store.scaled_order(id).map(|l| scaled::head(l, scene)),
        Some(RowId::Position(_) | RowId::Order(_) | RowId::Rung(..) | RowId::Line(_)) | None => {
            None
        }
    };
    plain_text(&spans.unwrap_or_default())
}

/// The ids of the row, and of what it belongs to.
fn id_words(id: Option<&RowId>, store: &Store) -> String {
    match id {
        Some(RowId::Position(id)) => id.to_string(),
        Some(RowId::Order(id)) => {
            let order = store.order(id);
            let twap = order.and_then(|o| o.twap_order_id.as_ref());
            let scaled = order.and_then(|o| o.scaled_order_id.as_ref());
            let twap = twap.map(ToString::to_string).unwrap_or_default();
            let scaled = scaled.map(ToString::to_string).unwrap_or_default();
            format!("{id} {twap} {scaled}")
        }
        Some(RowId::Twap(id)) => id.to_string(),
        Some(RowId::Scaled(id) | RowId::Rung(id, _)) => id.to_string(),
        Some(RowId::Line(_)) | None => String::new(),
    }
}
