//! Working orders under what they belong to: their TWAP, their ladder, or the order they are a part of.

use super::super::{Store, pane::RowId};
use crate::model::{Order, OrderId};
use std::collections::BTreeSet;

/// One line of the tree. A parent that is not itself a working order is a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    pub id: RowId,
    /// 0 for roots, 1 for what hangs under one.
    pub depth: usize,
}

/// Roots in the order the service lists their newest member; children below their parent in that order.
pub fn order_tree(store: &Store) -> Vec<TreeRow> {
    let orders = store.orders.rows();
    let mut shown = BTreeSet::new();
    let mut tree = vec![];
    for order in orders {
        let parent = parent(order);
        let root = parent
            .clone()
            .unwrap_or_else(|| RowId::Order(order.id.clone()));
        if !shown.insert(root.clone()) {
            continue;
        }
        tree.push(TreeRow {
            id: root.clone(),
            depth: 0,
        });
        let children = orders
            .iter()
            .filter(|o| self::parent(o).as_ref() == Some(&root));
        tree.extend(children.map(|o| TreeRow {
            id: RowId::Order(o.id.clone()),
            depth: 1,
        }));
    }
    tree
}

fn parent(order: &Order) -> Option<RowId> {
    let part_of = |id: &OrderId| (*id != order.id).then(|| RowId::Order(id.clone()));
    let twap = order.twap_order_id.clone().map(RowId::Twap);
    let ladder = order.scaled_order_id.clone().map(RowId::Scaled);
    twap.or(ladder)
        .or_else(|| order.partial_fill_root_order_id.as_ref().and_then(part_of))
}
