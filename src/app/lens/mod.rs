//! How a pane is looked at: which of its rows, in which order, which columns. Kept for the session.
//!
//! Contract: a lens changes what is shown, never what is known; the selection stays an id through it.
//! Known limit: the rows of a list longer than `ALWAYS` are sifted anew only when rows have come or gone,
//! so what time alone changes there (an age that passes a limit) waits for the next of those.

mod arrange;
mod fact;
mod filter;
mod flat;
#[cfg(test)]
mod tests;

pub use fact::{ColumnName, Fact, Kind, Read, Reading};
pub use filter::{Fault, Filter, find, number};

use super::{Model, pane::Pane, remote::Shift};
use std::collections::BTreeMap;
use strum::IntoEnumIterator;

/// Lists up to this long are sifted after every message.
const ALWAYS: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    pub column: usize,
    pub direction: Direction,
}

/// What a person has chosen to see of a pane.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lens {
    pub filter: Option<Filter>,
    pub sort: Option<Sort>,
    /// Which columns, in this order; `None` for all of them in their own.
    pub columns: Option<Vec<usize>>,
    picked: Option<Picked>,
}

/// The rows that are shown, as places in the pane's own order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picked {
    pub(super) places: Vec<u32>,
    order: flat::Order,
    hits: usize,
    version: u64,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lenses(BTreeMap<Pane, Lens>);

impl Lenses {
    pub fn of(&self, pane: Pane) -> Option<&Lens> {
        self.0.get(&pane)
    }
}

impl Lens {
    pub(super) fn picked(&self) -> Option<&[u32]> {
        self.picked.as_ref().map(|picked| picked.places.as_slice())
    }

    /// Where the row at this place of the pane's own order is shown, while rows are picked.
    pub(super) fn find(&self, at: usize) -> Option<usize> {
        self.picked.as_ref()?.find(u32::try_from(at).ok()?)
    }

    /// How many rows the filter takes; `None` without a filter.
    pub fn hits(&self) -> Option<usize> {
        self.filter.as_ref()?;
        self.picked.as_ref().map(|picked| picked.hits)
    }

    fn picks(&self) -> bool {
        self.filter.is_some() || self.sort.is_some()
    }
}

/// Changes how a pane is looked at; what is shown follows at once.
pub(super) fn change(model: &mut Model, pane: Pane, change: impl FnOnce(&mut Lens)) {
    let lens = model.lenses.0.entry(pane).or_default();
    change(lens);
    lens.picked = None;
    refresh(model);
}

/// Filters a pane by a text that this desk has written; one that has no term shows everything.
pub(super) fn show(model: &mut Model, pane: Pane, text: &str) {
    let columns = (model.options.reading.columns)(pane);
    let filter = Filter::parse(text, &columns).ok().flatten();
    change(model, pane, |lens| lens.filter = filter);
}

/// Sifts anew what may have changed.
pub(super) fn refresh(model: &mut Model) {
    for pane in Pane::iter() {
        let Some(lens) = model.lenses.of(pane) else {
            continue;
        };
        let version = version(model, pane);
        let is_fresh =
            |picked: &Picked| picked.version == version && model.all_rows(pane).len() > ALWAYS;
        if !lens.picks() || lens.picked.as_ref().is_some_and(is_fresh) {
            continue;
        }
        let old = model
            .lenses
            .0
            .get_mut(&pane)
            .and_then(|lens| lens.picked.take());
        let Some(lens) = model.lenses.of(pane) else {
            continue;
        };
        let shift = old
            .as_ref()
            .and_then(|old| shift_since(model, pane, old.version));
        let picked = match old.zip(shift) {
            _ if !has_branches(pane) && model.all_rows(pane).len() <= ALWAYS => {
                flat::picked(model, pane, lens, version)
            }
            Some((old, shift)) => flat::again(model, (pane, lens), old, (shift, version)),
            None if has_branches(pane) => arrange::picked(model, pane, lens, version),
            None => flat::picked(model, pane, lens, version),
        };
        if let Some(lens) = model.lenses.0.get_mut(&pane) {
            lens.picked = Some(picked);
        }
    }
}

/// How the places changed since this version, of the lists that are longer than what is seen.
fn shift_since(model: &Model, pane: Pane, version: u64) -> Option<Shift> {
    let store = &model.store;
    match pane {
        Pane::Closed => store.closed.shift_since(version),
        Pane::History => store.history.shift_since(version),
        Pane::Positions
        | Pane::Orders
        | Pane::Twaps
        | Pane::Scaled
        | Pane::Activity
        | Pane::Calls => None,
    }
}

/// Whether rows hang under others.
fn has_branches(pane: Pane) -> bool {
    matches!(pane, Pane::Orders | Pane::Scaled)
}

/// The same number, the same rows.
fn version(model: &Model, pane: Pane) -> u64 {
    let store = &model.store;
    match pane {
        Pane::Closed => store.closed.version(),
        Pane::History => store.history.version(),
        Pane::Activity => model.activity.lines.back().map_or(0, |line| line.number),
        Pane::Calls => store.calls.back().map_or(0, |(number, _)| *number),
        Pane::Positions | Pane::Orders | Pane::Twaps | Pane::Scaled => 0,
    }
}

/// The next column to sort by, the pane's own order after the last one. Columns that are not shown are left out.
pub(super) fn next_sort(model: &mut Model) {
    let pane = model.focus.pane;
    hold(model, pane);
    let count = (model.options.reading.columns)(pane).len();
    let lens = model.lenses.of(pane);
    let shown = lens.and_then(|lens| lens.columns.clone());
    let shown = shown.unwrap_or_else(|| (0..count).collect());
    let sort = lens.and_then(|lens| lens.sort);
    let next = match sort {
        None => shown.first(),
        Some(sort) => {
            let at = shown.iter().position(|column| *column == sort.column);
            at.and_then(|at| shown.get(at + 1))
        }
    };
    let direction = sort.map_or(Direction::Descending, |sort| sort.direction);
    let next = next.map(|column| Sort {
        column: *column,
        direction,
    });
    change(model, pane, |lens| lens.sort = next);
}

/// A row that is merely the first is meant from now on: sorting moves it, and the keys with it.
fn hold(model: &mut Model, pane: Pane) {
    let selected = model.focus.selected(pane, &model.rows(pane));
    if let Some((_, row)) = selected {
        model.focus.select(pane, row);
    }
}

/// The other way round; without a sort, the pane's own first column.
pub(super) fn turn_sort(model: &mut Model) {
    let pane = model.focus.pane;
    let Some(sort) = model.lenses.of(pane).and_then(|lens| lens.sort) else {
        return next_sort(model);
    };
    let direction = match sort.direction {
        Direction::Ascending => Direction::Descending,
        Direction::Descending => Direction::Ascending,
    };
    change(model, pane, |lens| {
        lens.sort = Some(Sort { direction, ..sort });
    });
}
