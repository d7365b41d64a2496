//! The rows of every pane in its own order, before any filter.

use crate::{
    app::{
        account::{feed::Feed, pane::Pane, row_id::RowId, store::Store, tree::TreeRow},
        activity::notice::Activity,
    },
    model::{Order, OrderId, Position, PositionId},
};
use std::ops::Range;

/// A pane's rows in its own order, before any filter. Borrowed from the store, so that a history of a hundred thousand
/// orders costs no more than a screenful.
#[derive(Debug, Clone)]
pub(crate) enum All<'a> {
    Open(&'a [Position]),
    Tree(&'a [TreeRow]),
    Twaps(Vec<RowId>),
    Scaled(&'a [RowId]),
    Closed(&'a Feed<PositionId, Position>),
    History(&'a Feed<OrderId, Order>),
    /// Numbered lines, newest first.
    Lines(Range<u64>),
}

pub(crate) fn all<'a>(store: &'a Store, activity: &Activity, pane: Pane) -> All<'a> {
    match pane {
        Pane::Positions => All::Open(store.positions.rows()),
        Pane::Orders => All::Tree(&store.tree),
        Pane::Twaps => All::Twaps(twaps(store)),
        Pane::Scaled => All::Scaled(&store.scaled_rows),
        Pane::Closed => All::Closed(&store.closed),
        Pane::History => All::History(&store.history),
        Pane::Activity => lines(
            activity.lines.front().map(|l| l.number),
            activity.lines.len(),
        ),
        Pane::Calls => lines(store.calls.front().map(|(n, _)| *n), store.calls.len()),
    }
}

impl All<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Open(rows) => rows.len(),
            Self::Tree(rows) => rows.len(),
            Self::Twaps(rows) => rows.len(),
            Self::Scaled(rows) => rows.len(),
            Self::Closed(feed) => feed.rows().len(),
            Self::History(feed) => feed.rows().len(),
            Self::Lines(numbers) => {
                usize::try_from(numbers.end - numbers.start).unwrap_or(usize::MAX)
            }
        }
    }

    /// The row at this index.
    pub(crate) fn get(&self, at: usize) -> Option<RowId> {
        let position = |p: &Position| RowId::Position(p.id.clone());
        match self {
            Self::Open(rows) => rows.get(at).map(position),
            Self::Tree(rows) => rows.get(at).map(|row| row.id.clone()),
            Self::Twaps(rows) => rows.get(at).cloned(),
            Self::Scaled(rows) => rows.get(at).cloned(),
            Self::Closed(feed) => feed.rows().get(at).map(position),
            Self::History(feed) => feed.rows().get(at).map(|o| RowId::Order(o.id.clone())),
            Self::Lines(numbers) => {
                let below = u64::try_from(at).ok()?.checked_add(1)?;
                let number = numbers.end.checked_sub(below)?;
                numbers.contains(&number).then_some(RowId::Line(number))
            }
        }
    }

    /// The index of a row, if it is here.
    pub(crate) fn position(&self, row: &RowId) -> Option<usize> {
        match (self, row) {
            (Self::Open(rows), RowId::Position(id)) => rows.iter().position(|p| p.id == *id),
            (Self::Tree(rows), row) => rows.iter().position(|known| known.id == *row),
            (Self::Twaps(rows), row) => rows.iter().position(|known| known == row),
            (Self::Scaled(rows), row) => rows.iter().position(|known| known == row),
            (Self::Closed(feed), RowId::Position(id)) => feed.position(id),
            (Self::History(feed), RowId::Order(id)) => feed.position(id),
            (Self::Lines(numbers), RowId::Line(number)) if numbers.contains(number) => {
                usize::try_from(numbers.end - 1 - number).ok()
            }
            _ => None,
        }
    }

    /// Whether the row is a child of one above it.
    pub(crate) fn is_child(&self, at: usize) -> bool {
        match self {
            Self::Tree(rows) => rows.get(at).is_some_and(|row| row.depth > 0),
            Self::Scaled(rows) => matches!(rows.get(at), Some(RowId::Rung(..))),
            Self::Open(_)
            | Self::Twaps(_)
            | Self::Closed(_)
            | Self::History(_)
            | Self::Lines(_) => false,
        }
    }

    /// Whether the row is a heading, which has no cells.
    pub(crate) fn is_heading(&self, at: usize) -> bool {
        match self {
            Self::Tree(rows) => {
                let row = rows.get(at);
                row.is_some_and(|row| !matches!(row.id, RowId::Order(_)))
            }
            Self::Scaled(rows) => matches!(rows.get(at), Some(RowId::Scaled(_))),
            Self::Open(_)
            | Self::Twaps(_)
            | Self::Closed(_)
            | Self::History(_)
            | Self::Lines(_) => false,
        }
    }

    /// Whether the row counts in the pane's title.
    pub(crate) fn counts(&self, at: usize) -> bool {
        match self {
            Self::Tree(_) => !self.is_heading(at),
            Self::Scaled(_) => self.is_heading(at),
            Self::Open(_)
            | Self::Twaps(_)
            | Self::Closed(_)
            | Self::History(_)
            | Self::Lines(_) => true,
        }
    }
}

fn twaps(store: &Store) -> Vec<RowId> {
    let live = store.active_twaps().map(|t| &t.id);
    let ended = store.ended_twaps.iter().rev().map(|e| &e.twap.id);
    live.chain(ended)
        .map(|id| RowId::Twap(id.clone()))
        .collect()
}

fn lines<'a>(first: Option<u64>, count: usize) -> All<'a> {
    let first = first.unwrap_or_default();
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    All::Lines(first..first.saturating_add(count))
}
