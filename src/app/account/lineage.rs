//! Which orders belong to which TWAP, ladder or partly filled order, and what a row leads to.

use super::{
    feed::{Churn, among},
    store::Store,
};
use crate::{
    app::{
        activity::notice::{Event, Notice},
        desk::{model::Model, more_rows::parent},
        tables::pane::{Pane, RowId},
    },
    model::{Command, Order, OrderId, Past, Position, Receipt, Resource},
};
use std::collections::{HashMap, HashSet, VecDeque};

/// Children named at once; a TWAP of a day has thousands.
const MOST: usize = 50;

/// The children of every parent met in the order history.
#[derive(Debug, Default)]
pub struct Lineage(HashMap<RowId, Vec<OrderId>>);

impl Lineage {
    pub(crate) fn take(&mut self, churn: &Churn<Order>, rows: &VecDeque<Order>) {
        let come = among(rows, churn.come.clone());
        // A list that began again has lost rows which no cut names: what comes again with an older page is new then.
        let here: HashSet<&OrderId> = come.clone().map(|order| &order.id).collect();
        let lost = churn.lost().filter(|order| !here.contains(&order.id));
        self.forget(&lost.collect::<Vec<_>>());
        let known: HashSet<&OrderId> = churn.gone.iter().map(|order| &order.id).collect();
        for order in come.filter(|order| !known.contains(&order.id)) {
            if let Some(parent) = parent(order) {
                let children = self.0.entry(parent).or_default();
                children.push(order.id.clone());
            }
        }
    }

    /// Those that are not in the history any more.
    fn forget(&mut self, lost: &[&Order]) {
        let ids: HashSet<&OrderId> = lost.iter().map(|order| &order.id).collect();
        for parent in lost
            .iter()
            .filter_map(|order| parent(order))
            .collect::<HashSet<_>>()
        {
            let Some(children) = self.0.get_mut(&parent) else {
                continue;
            };
            children.retain(|id| !ids.contains(id));
            if children.is_empty() {
                self.0.remove(&parent);
            }
        }
    }

    pub(crate) fn children(&self, parent: &RowId) -> &[OrderId] {
        self.0.get(parent).map_or(&[], Vec::as_slice)
    }
}

/// Where Enter goes from the detail of a row: what it belongs to first, then what belongs to it.
pub fn links(model: &Model, row: &RowId) -> Vec<RowId> {
    let store = &model.store;
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
            let rungs = store.ladder(id).map(|ladder| ladder.rungs.iter());
            let orders = rungs.into_iter().flatten();
            orders
                .filter_map(|rung| rung.order_id.clone().map(RowId::Order))
                .collect()
        }
        RowId::Line(number) if model.focus.pane == Pane::Activity => {
            let notice = model.activity.line(*number);
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

/// What a line of the activity is about, and the order that came of it.
fn of_notice(notice: &Notice) -> Vec<RowId> {
    let (command, order) = match &notice.event {
        Event::Settled(command, Ok(Receipt::Order { order, .. })) => (command, Some(&order.id)),
        Event::Settled(command, Err(why)) => (command, why.order_id.as_ref()),
        Event::Sent(command) | Event::Progress(command, _) | Event::Settled(command, Ok(_)) => {
            (command, None)
        }
        Event::Alert(alert) => return alert.row().into_iter().collect(),
        Event::Past(past) => return of_past(past),
        Event::Said(..) | Event::Elsewhere(_) => return vec![],
    };
    let order = order.cloned().map(RowId::Order);
    order.into_iter().chain(target(command)).collect()
}

fn of_past(past: &Past) -> Vec<RowId> {
    let order = past.record.order_id.clone().map(RowId::Order);
    let about = past.command.as_ref().and_then(target);
    order.into_iter().chain(about).collect()
}

/// What a command was about, if that is a row.
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
    ];
    links.into_iter().flatten().collect()
}

/// The ladder of a rung and what its order leads to.
fn rung(store: &Store, id: &crate::model::ScaledId, number: usize) -> Vec<RowId> {
    let ladder = RowId::Scaled(id.clone());
    let order = store
        .ladder(id)
        .and_then(|l| l.rungs.get(number)?.order_id.clone());
    std::iter::once(ladder)
        .chain(order.map(RowId::Order))
        .collect()
}

/// The orders that would close some of a position, and the newest ones that did.
fn guards(store: &Store, position: &Position) -> Vec<RowId> {
    let orders = store.orders.rows().iter();
    let guards = orders.filter(|order| order.is_armed() && order.closes(position));
    guards.map(|order| RowId::Order(order.id.clone())).collect()
}

/// The newest first.
fn children(store: &Store, row: &RowId) -> Vec<RowId> {
    let working = store.orders.rows().iter();
    let working = working.filter(|order| parent(order).as_ref() == Some(row));
    let past = store.lineage.children(row).iter();
    let all = working.map(|order| &order.id).chain(past);
    let mut all: Vec<_> = all.take(4 * MOST).cloned().collect();
    let asked_at = |id: &OrderId| store.order(id).map(|order| order.requested_at);
    all.sort_by_key(|id| std::cmp::Reverse(asked_at(id)));
    all.into_iter().map(RowId::Order).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            account::poll::Answer,
            dialogs::overlay::{Detail, Overlay},
            testing::*,
        },
        model::Page,
    };

    fn opened(model: &Model) -> Vec<&RowId> {
        let details = model.overlays.iter().filter_map(|overlay| {
            let Overlay::Detail(Detail { row, .. }) = overlay else {
                return None;
            };
            Some(row)
        });
        details.collect()
    }

    #[test]
    fn enter_goes_from_an_order_to_its_twap_and_from_there_to_its_children_and_esc_goes_back() {
        let mut model = desk();
        let child = |id, more: &str| {
            let json = format!(
                r#""type":"market","mode":"market","side":"buy","size":1,"twap_order_id":"tw-1",{more}"#
            );
            order(id, "BTC", &json)
        };
        let rows = vec![
            child("ord-9", r#""status":"filled","fill_price":64000"#),
            child("ord-8", r#""status":"filled","fill_price":64000"#),
        ];
        arrive(&mut model, Answer::History(Ok(Page::of(rows))));
        press(&mut model, "6 enter enter");
        let (ninth, twap) = (RowId::Order("ord-9".into()), RowId::Twap("tw-1".into()));
        assert_eq!(opened(&model), [&ninth, &twap]);
        press(&mut model, "tab enter");
        let eighth = RowId::Order("ord-8".into());
        assert_eq!(opened(&model), [&ninth, &twap, &eighth]);
        press(&mut model, "esc esc");
        assert_eq!(opened(&model), [&ninth]);
    }

    #[test]
    fn a_list_that_began_again_has_the_children_it_shows_and_each_once() {
        let mut model = desk();
        let child = |number: usize| {
            let json = r#""type":"market","mode":"market","side":"buy","size":1,"twap_order_id":"tw-1","status":"filled""#;
            order(&format!("ord-{number}"), "BTC", json)
        };
        let page = |rows: Vec<Order>, next: &str| Page {
            next: Some(next.to_owned().into()),
            ..Page::of(rows)
        };
        let children = |model: &Model| {
            let all = model.store.lineage.children(&RowId::Twap("tw-1".into()));
            all.iter().map(|id| id.raw().to_owned()).collect::<Vec<_>>()
        };
        arrive(&mut model, Answer::History(Ok(page(vec![child(1)], "a"))));
        arrive(&mut model, Answer::History(Ok(page(vec![child(9)], "b"))));
        assert_eq!(children(&model), ["ord-9"]);
        let cursor = model.store.history.ask_more().unwrap();
        let older = Answer::MoreHistory(cursor, Ok(page(vec![child(1)], "c")));
        arrive(&mut model, older);
        assert_eq!(children(&model), ["ord-9", "ord-1"]);
    }

    #[test]
    fn a_position_leads_to_what_would_close_it() {
        let mut model = desk();
        let stop = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":59000,
            "status":"pending""#;
        let mut stop = order("ord-5", "BTC", stop);
        stop.reduce_only = true;
        arrive(&mut model, Answer::Orders(Ok(Page::of(vec![stop]))));
        let links = links(&model, &RowId::Position("pos-1".into()));
        assert_eq!(links, [RowId::Order("ord-5".into())]);
    }
}
