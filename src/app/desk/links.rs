//! The links of a row.

use crate::{
    app::{
        account::{pane::Pane, row_id::RowId, store::Store, tree::parent},
        activity::notice::{Event, Notice},
        desk::model::Model,
    },
    model::{Command, Order, OrderId, Past, Position, Receipt, Resource},
};
use std::collections::HashSet;

/// The most children listed; a TWAP of a day has thousands.
const MOST: usize = 50;

/// Where Enter goes from the detail of a row: parents first, then children.
pub fn links(model: &Model, row: &RowId) -> Vec<RowId> {
    let store = &model.account.store;
    let mut links = match row {
        RowId::Order(id) => store.order(id).map(parents).unwrap_or_default(),
        RowId::Rung(id, number) => rung(store, id, *number),
        RowId::Position(id) => {
            let position = store.position(id);
            position.map_or_else(Vec::new, |position| guards(store, position))
        }
        RowId::Twap(id) => {
            let child = store
                .twap(id)
                .and_then(|t| t.current_child_order_id.clone());
            child.map(RowId::Order).into_iter().collect()
        }
        RowId::Scaled(id) => {
            let rungs = store.scaled_order(id).map(|scaled| scaled.rungs.iter());
            let orders = rungs.into_iter().flatten();
            orders
                .filter_map(|rung| rung.order_id.clone().map(RowId::Order))
                .collect()
        }
        RowId::Line(number) if model.focus.pane == Pane::Activity => {
            let notice = model.account.activity.line(*number);
            notice.map(of_notice).unwrap_or_default()
        }
        RowId::Line(_) => vec![],
    };
    links.extend(children(store, row));
    let mut met = HashSet::new();
    links.retain(|link| link != row && met.insert(link.clone()));
    links.truncate(MOST);
    links
}

/// The object of an activity line, and the resulting order.
fn of_notice(notice: &Notice) -> Vec<RowId> {
    let (command, order) = match &notice.event {
        Event::Settled(command, Ok(Receipt::Order { order, .. })) => (command, Some(&order.id)),
        Event::Settled(command, Err(why)) => (command, why.order_id.as_ref()),
        Event::Sent(command) | Event::Progress(command, _) | Event::Settled(command, Ok(_)) => {
            (command, None)
        }
        Event::Alert(alert) => return alert.row().into_iter().collect(),
        Event::Past(past) => return of_past(past),
        Event::Message(..) | Event::Elsewhere(_) => return vec![],
    };
    let order = order.cloned().map(RowId::Order);
    order.into_iter().chain(target(command)).collect()
}

fn of_past(past: &Past) -> Vec<RowId> {
    let order = past.record.order_id.clone().map(RowId::Order);
    let about = past.command.as_ref().and_then(target);
    order.into_iter().chain(about).collect()
}

/// The object of a command, if it is a row.
fn target(command: &Command) -> Option<RowId> {
    match command.resource() {
        Resource::Position(id) => Some(RowId::Position(id)),
        Resource::Order(id) => Some(RowId::Order(id)),
        Resource::Twap(id) => Some(RowId::Twap(id)),
        Resource::Scaled(id) => Some(RowId::Scaled(id)),
        Resource::NewOrder | Resource::Account(_) => None,
    }
}

fn parents(order: &Order) -> Vec<RowId> {
    let links = [
        order.twap_order_id.clone().map(RowId::Twap),
        order.scaled_order_id.clone().map(RowId::Scaled),
        order.partial_fill_root_order_id.clone().map(RowId::Order),
        order.partial_of_order_id.clone().map(RowId::Order),
        order.target_position_id.clone().map(RowId::Position),
        order.oco_sibling_order_id.clone().map(RowId::Order),
    ];
    links.into_iter().flatten().collect()
}

/// The scaled order of a rung, and the links of its order.
fn rung(store: &Store, id: &crate::model::ScaledId, number: usize) -> Vec<RowId> {
    let scaled = RowId::Scaled(id.clone());
    let order = store
        .scaled_order(id)
        .and_then(|l| l.rungs.get(number)?.order_id.clone());
    std::iter::once(scaled)
        .chain(order.map(RowId::Order))
        .collect()
}

/// The orders that would close some of a position, and the newest ones that did.
fn guards(store: &Store, position: &Position) -> Vec<RowId> {
    let orders = store.orders.rows().iter();
    let guards = orders.filter(|order| order.is_armed() && order.closes(position));
    guards.map(|order| RowId::Order(order.id.clone())).collect()
}

/// Newest first.
pub(crate) fn children(store: &Store, row: &RowId) -> Vec<RowId> {
    let working = store.orders.rows().iter();
    let working = working.filter(|order| parent(order).as_ref() == Some(row));
    let past = store.lineage.children(row).iter();
    let all = working.map(|order| &order.id).chain(past);
    let mut all: Vec<_> = all.take(4 * MOST).cloned().collect();
    let requested_at = |id: &OrderId| store.order(id).map(|order| order.requested_at);
    all.sort_by_key(|id| std::cmp::Reverse(requested_at(id)));
    all.into_iter().map(RowId::Order).collect()
}
