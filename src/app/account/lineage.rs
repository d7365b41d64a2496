//! Which orders belong to which TWAP, scaled order or partly filled order, and the links of a row.

use super::feed::{AnswerDiff, among};
use crate::{
    app::account::{row_id::RowId, tree::parent},
    model::{Order, OrderId},
};
use std::collections::{HashMap, HashSet, VecDeque};

/// The children of every parent in the order history.
#[derive(Debug, Clone, Default)]
pub struct Lineage(HashMap<RowId, Vec<OrderId>>);

impl Lineage {
    pub(crate) fn take(&mut self, churn: &AnswerDiff<Order>, rows: &VecDeque<Order>) {
        let come = among(rows, churn.come.clone());
        // A list that starts anew loses rows that no churn names: they are new when an older page returns them.
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

    /// Removes rows that left the history.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Model, links};
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
            let all = model
                .account
                .store
                .lineage
                .children(&RowId::Twap("tw-1".into()));
            all.iter().map(|id| id.raw().to_owned()).collect::<Vec<_>>()
        };
        arrive(&mut model, Answer::History(Ok(page(vec![child(1)], "a"))));
        arrive(&mut model, Answer::History(Ok(page(vec![child(9)], "b"))));
        assert_eq!(children(&model), ["ord-9"]);
        let cursor = model.account.store.history.ask_more().unwrap();
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
