//! How the rows of each resource are printed.

use super::{ListView, drawn, sheet::TextTable};
use crate::{
    app::Store,
    model::{Order, Position, Scaled, Twap},
    view::{
        Scene,
        columns::{CLOSED_AS_STATED, HISTORY, OPEN, SCALED, TWAPS, WORKING},
        tables::rows::{
            ClosedPositionRow, OrderRow, PositionRow, RungRow, ScaledRow, TwapRow, columns_of,
        },
    },
};

pub(super) fn working() -> ListView<Order, OrderRow> {
    ListView::new(
        TextTable::with_id(WORKING),
        OrderRow::new,
        columns_of::ORDER,
    )
}

pub(super) fn history() -> ListView<Order, OrderRow> {
    ListView::new(TextTable::of(HISTORY), OrderRow::new, columns_of::ORDER)
}

/// Orders that were named, working or ended.
pub(super) fn orders() -> ListView<Order, OrderRow> {
    ListView::new(
        TextTable::with_id(HISTORY),
        OrderRow::new,
        columns_of::ORDER,
    )
}

pub(super) fn open() -> ListView<Position, PositionRow> {
    ListView::new(
        TextTable::with_id(OPEN),
        PositionRow::new,
        columns_of::POSITION,
    )
}

pub(super) fn closed() -> ListView<Position, ClosedPositionRow> {
    let table = TextTable::of(CLOSED_AS_STATED);
    ListView::new(table, ClosedPositionRow::new, columns_of::CLOSED_POSITION)
}

pub(super) fn twaps() -> ListView<Twap, TwapRow> {
    ListView::new(TextTable::with_id(TWAPS), TwapRow::new, columns_of::TWAP)
}

pub(super) fn scaled() -> ListView<Scaled, ScaledRow> {
    let row = |row: &Scaled, _: &Scene<'_>| ScaledRow(row.clone());
    ListView::new(TextTable::with_id(SCALED), row, columns_of::RUNG)
}

/// A line of CSV for each rung: the scaled order's own fields would repeat.
pub(super) fn rungs() -> ListView<RungRow, RungRow> {
    ListView::plain(&[], columns_of::RUNG)
}

pub(super) fn rung_rows(rows: &[Scaled], store: &Store) -> Vec<RungRow> {
    drawn(store, |scene| {
        let rungs = rows.iter().map(|row| RungRow::all(row, scene));
        rungs.flatten().collect()
    })
}
