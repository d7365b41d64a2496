//! Working orders under their TWAP, their scaled order, or the order they are part of.

use crate::{
    app::account::{remote::Remote, row_id::RowId},
    model::{Order, OrderId, Scaled, ScaledId},
};

use std::{cmp::Reverse, collections::BTreeMap};

/// One line of the tree. A parent that is not a working order has a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    pub id: RowId,
    /// 0 for roots, 1 for children.
    pub depth: usize,
}

/// Roots in the order of their newest member; children below their parent in the service's order, the rungs of a scaled
/// order by price, highest first, as in pane 4.
pub(crate) fn order_tree(orders: &[Order]) -> Vec<TreeRow> {
    let mut roots = vec![];
    let mut children: BTreeMap<RowId, Vec<RowId>> = BTreeMap::new();
    for order in orders {
        let own = RowId::Order(order.id.clone());
        let parent = parent(order).or_else(|| pair(order, orders));
        let root = parent.clone().unwrap_or_else(|| own.clone());
        let family = children.entry(root.clone()).or_insert_with(|| {
            roots.push(root);
            vec![]
        });
        if parent.is_some() {
            family.push(own);
        }
    }
    let prices: BTreeMap<_, _> = orders.iter().map(|o| (&o.id, o.limit_price)).collect();
    let price = |row: &RowId| prices.get(row.try_as_order_ref()?).copied().flatten();
    let mut tree = Vec::with_capacity(orders.len());
    for root in roots {
        let mut family = children.remove(&root).unwrap_or_default();
        if matches!(root, RowId::Scaled(_)) {
            family.sort_by_key(|rung| Reverse(price(rung)));
        }
        tree.push(TreeRow { id: root, depth: 0 });
        tree.extend(family.into_iter().map(|id| TreeRow { id, depth: 1 }));
    }
    tree
}

pub(crate) fn parent(order: &Order) -> Option<RowId> {
    let part_of = |id: &OrderId| (*id != order.id).then(|| RowId::Order(id.clone()));
    let twap = order.twap_order_id.clone().map(RowId::Twap);
    let scaled = order.scaled_order_id.clone().map(RowId::Scaled);
    twap.or(scaled)
        .or_else(|| order.partial_fill_root_order_id.as_ref().and_then(part_of))
}

/// Two exits that are one pair are listed together, the lower id first.
fn pair(order: &Order, orders: &[Order]) -> Option<RowId> {
    let sibling = order.oco_sibling_order_id.as_ref()?;
    let mut working = orders.iter().map(|order| &order.id);
    let first = working.find(|id| *id == sibling && **id < order.id)?;
    Some(RowId::Order(first.clone()))
}

/// The scaled orders, newest id first, each with its rungs below it, highest price first.
pub(crate) fn scaled_rows(scaled: &BTreeMap<ScaledId, Remote<Scaled>>) -> Vec<RowId> {
    let mut rows = vec![];
    for (id, scaled) in scaled.iter().rev() {
        rows.push(RowId::Scaled(id.clone()));
        let rungs = scaled.value().map_or(&[][..], |scaled| &scaled.rungs);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::order;

    #[test]
    fn the_two_exits_of_a_pair_are_one_family() {
        let exit = |id: &str, sibling: &str| {
            let json = format!(
                r#""type":"stop_market","mode":"stop_market","side":"sell","size":1,"trigger_price":1,
                "oco_sibling_order_id":"{sibling}","status":"resting""#
            );
            order(id, "BTC", &json)
        };
        let orders = [
            exit("ord-2", "ord-1"),
            exit("ord-1", "ord-2"),
            exit("ord-3", "ord-9"),
        ];
        let tree = order_tree(&orders)
            .into_iter()
            .map(|row| (row.id, row.depth));
        let of = |id: &str, depth| (RowId::Order(id.into()), depth);
        let expected = [of("ord-1", 0), of("ord-2", 1), of("ord-3", 0)];
        assert_eq!(tree.collect::<Vec<_>>(), expected);
    }
}
