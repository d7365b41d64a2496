//! The rows of every pane, in the order they are shown.

use super::{
    super::{
        Feed, Remote, Store,
        notice::Activity,
        pane::{Pane, RowId},
    },
    TreeRow,
};
use crate::model::{Order, OrderId, Position, PositionId, Scaled, ScaledId};
use std::{collections::BTreeMap, ops::Range};

/// A pane's rows, top to bottom: the view draws this order and the keys move along it. Borrowed from the
/// store, so that a history of a hundred thousand orders costs no more than a screenful.
#[derive(Debug, Clone)]
pub enum Rows<'a> {
    Open(&'a [Position]),
    Tree(&'a [TreeRow]),
    Twaps(Vec<RowId>),
    Ladders(&'a [RowId]),
    Closed(&'a Feed<PositionId, Position>),
    History(&'a Feed<OrderId, Order>),
    /// Numbered lines, the newest first.
    Lines(Range<u64>),
}

pub fn rows<'a>(store: &'a Store, activity: &Activity, pane: Pane) -> Rows<'a> {
    match pane {
        Pane::Positions => Rows::Open(store.positions.rows()),
        Pane::Orders => Rows::Tree(&store.tree),
        Pane::Twaps => Rows::Twaps(twaps(store)),
        Pane::Scaled => Rows::Ladders(&store.ladder_rows),
        Pane::Closed => Rows::Closed(&store.closed),
        Pane::History => Rows::History(&store.history),
        Pane::Activity => lines(
            activity.lines.front().map(|l| l.number),
            activity.lines.len(),
        ),
        Pane::Calls => lines(store.calls.front().map(|(n, _)| *n), store.calls.len()),
    }
}

impl Rows<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Open(rows) => rows.len(),
            Self::Tree(rows) => rows.len(),
            Self::Twaps(rows) => rows.len(),
            Self::Ladders(rows) => rows.len(),
            Self::Closed(feed) => feed.rows().len(),
            Self::History(feed) => feed.rows().len(),
            Self::Lines(numbers) => {
                usize::try_from(numbers.end - numbers.start).unwrap_or(usize::MAX)
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the row at this place stands for.
    pub fn get(&self, at: usize) -> Option<RowId> {
        let position = |p: &Position| RowId::Position(p.id.clone());
        match self {
            Self::Open(rows) => rows.get(at).map(position),
            Self::Tree(rows) => rows.get(at).map(|row| row.id.clone()),
            Self::Twaps(rows) => rows.get(at).cloned(),
            Self::Ladders(rows) => rows.get(at).cloned(),
            Self::Closed(feed) => feed.rows().get(at).map(position),
            Self::History(feed) => feed.rows().get(at).map(|o| RowId::Order(o.id.clone())),
            Self::Lines(numbers) => {
                let below = u64::try_from(at).ok()?.checked_add(1)?;
                let number = numbers.end.checked_sub(below)?;
                numbers.contains(&number).then_some(RowId::Line(number))
            }
        }
    }

    /// Where a row is, if it is here.
    pub fn position(&self, row: &RowId) -> Option<usize> {
        match (self, row) {
            (Self::Open(rows), RowId::Position(id)) => rows.iter().position(|p| p.id == *id),
            (Self::Tree(rows), row) => rows.iter().position(|known| known.id == *row),
            (Self::Twaps(rows), row) => rows.iter().position(|known| known == row),
            (Self::Ladders(rows), row) => rows.iter().position(|known| known == row),
            (Self::Closed(feed), RowId::Position(id)) => feed.position(id),
            (Self::History(feed), RowId::Order(id)) => feed.position(id),
            (Self::Lines(numbers), RowId::Line(number)) if numbers.contains(number) => {
                usize::try_from(numbers.end - 1 - number).ok()
            }
            _ => None,
        }
    }

    /// The rows at these places.
    pub fn at(&self, places: Range<usize>) -> Vec<RowId> {
        places.map_while(|at| self.get(at)).collect()
    }
}

fn twaps(store: &Store) -> Vec<RowId> {
    let live = store.active_twaps().map(|t| &t.id);
    let ended = store.ended_twaps.iter().rev().map(|e| &e.twap.id);
    live.chain(ended)
        .map(|id| RowId::Twap(id.clone()))
        .collect()
}

fn lines<'a>(first: Option<u64>, count: usize) -> Rows<'a> {
    let first = first.unwrap_or_default();
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    Rows::Lines(first..first.saturating_add(count))
}

/// The ladders, the newest id first, each with its rungs below it, the highest price first.
pub(crate) fn ladder_rows(ladders: &BTreeMap<ScaledId, Remote<Scaled>>) -> Vec<RowId> {
    let mut rows = vec![];
    for (id, ladder) in ladders.iter().rev() {
        rows.push(RowId::Scaled(id.clone()));
        let rungs = ladder.value().map_or(&[][..], |ladder| &ladder.rungs);
        let mut prices: Vec<_> = rungs.iter().map(|rung| rung.price).zip(0..).collect();
        prices.sort_by(|a, b| b.cmp(a));
        rows.extend(
            prices
                .into_iter()
                .map(|(_, at)| RowId::Rung(id.clone(), at)),
        );
    }
    rows
}
