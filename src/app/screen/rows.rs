//! The rows of every pane, in the order they are shown.

use super::{
    super::{
        Store,
        notice::Activity,
        pane::{Pane, RowId},
    },
    tree::order_tree,
};

/// The ids of a pane's rows, top to bottom. The view draws this order and the keys move along it.
pub fn rows(store: &Store, activity: &Activity, pane: Pane) -> Vec<RowId> {
    match pane {
        Pane::Positions => store
            .positions
            .rows()
            .iter()
            .map(|p| RowId::Position(p.id.clone()))
            .collect(),
        Pane::Orders => order_tree(store).into_iter().map(|row| row.id).collect(),
        Pane::Twaps => twaps(store),
        Pane::Scaled => store
            .scaled
            .keys()
            .rev()
            .flat_map(|id| ladder(store, id))
            .collect(),
        Pane::Closed => store
            .closed
            .rows()
            .iter()
            .map(|p| RowId::Position(p.id.clone()))
            .collect(),
        Pane::History => store
            .history
            .rows()
            .iter()
            .map(|o| RowId::Order(o.id.clone()))
            .collect(),
        Pane::Activity => activity
            .lines
            .iter()
            .rev()
            .map(|line| RowId::Line(line.number))
            .collect(),
        Pane::Calls => store
            .calls
            .iter()
            .rev()
            .map(|(number, _)| RowId::Line(*number))
            .collect(),
    }
}

fn twaps(store: &Store) -> Vec<RowId> {
    let live = store.twaps.rows().iter().map(|t| &t.id);
    let ended = store.ended_twaps.iter().rev().map(|e| &e.twap.id);
    live.chain(ended)
        .map(|id| RowId::Twap(id.clone()))
        .collect()
}

/// A ladder and its rungs, the highest price first.
fn ladder(store: &Store, id: &crate::model::ScaledId) -> Vec<RowId> {
    let mut rungs: Vec<_> = store
        .ladder(id)
        .map(|ladder| {
            ladder
                .rungs
                .iter()
                .enumerate()
                .map(|(i, rung)| (rung.price, i))
                .collect()
        })
        .unwrap_or_default();
    rungs.sort_by(|a, b| b.cmp(a));
    let head = std::iter::once(RowId::Scaled(id.clone()));
    head.chain(rungs.into_iter().map(|(_, i)| RowId::Rung(id.clone(), i)))
        .collect()
}
