//! The account's scaled orders, known only through the orders they placed: no endpoint lists them.
//!
//! Contract: a scaled order that can still change is never left out. [`KEPT`] ended ones are kept, the latest;
//! [`Store::forgotten_scaled`] counts the others.

use super::{
    super::{feed::among, remote::Remote},
    Store,
};
use crate::{
    app::account::tree::scaled_rows,
    model::{Failure, Order, Scaled, ScaledId, Timestamp},
};
use std::{cmp::Reverse, collections::BTreeSet, ops::Range};

/// Ended scaled orders that are kept.
const KEPT: usize = 100;

impl Store {
    pub(super) fn remember_rungs(&mut self) {
        let orders = self.orders.rows().iter();
        let rungs = orders.filter(|order| order.scaled_order_id.is_some());
        let rungs = rungs.map(|order| (order.id.clone(), order.clone()));
        self.rungs.extend(rungs);
    }

    pub(super) fn arrive_scaled(
        &mut self,
        id: ScaledId,
        result: Result<Scaled, Failure>,
        at: Timestamp,
    ) {
        if self.forgotten.contains(&id) {
            return;
        }
        self.scaled.entry(id).or_default().arrive(result, at);
        self.forget_scaled();
        self.scaled_rows = scaled_rows(&self.scaled);
    }

    /// Drops ended ones, the earliest ended first.
    fn forget_scaled(&mut self) {
        let ended = self.scaled.iter().filter_map(|(id, scaled)| {
            let ended_at = scaled.value()?.ended_at()?;
            Some((Reverse(ended_at), id.clone()))
        });
        let mut ended: Vec<_> = ended.collect();
        if ended.len() <= KEPT {
            return;
        }
        ended.sort();
        let gone: BTreeSet<_> = ended.drain(KEPT..).map(|(_, id)| id).collect();
        self.scaled.retain(|id, _| !gone.contains(id));
        let is_gone = |order: &Order| {
            let scaled = order.scaled_order_id.as_ref();
            scaled.is_some_and(|id| gone.contains(id))
        };
        self.rungs.retain(|_, order| !is_gone(order));
        self.forgotten.extend(gone);
    }

    /// How many ended scaled orders were dropped.
    pub fn forgotten_scaled(&self) -> usize {
        self.forgotten.len()
    }

    /// How many more past scaled orders may be added: bounds the reads of an account with thousands.
    pub(super) fn room_for_scaled(&self) -> usize {
        KEPT.saturating_sub(self.scaled.len())
    }

    /// New ones among the working orders.
    pub(super) fn scaled_at_work(&mut self) -> Vec<ScaledId> {
        let scaled = scaled_of(self.orders.rows().iter());
        self.new_scaled(scaled, usize::MAX)
    }

    /// New ones among these rows of the order history, at most `most`.
    pub(super) fn scaled_among(&mut self, rows: Range<usize>, most: usize) -> Vec<ScaledId> {
        let scaled = scaled_of(among(self.history.rows(), rows));
        self.new_scaled(scaled, most)
    }

    /// Those that are not polled yet.
    pub(super) fn new_scaled(&mut self, met: BTreeSet<ScaledId>, most: usize) -> Vec<ScaledId> {
        let is_new = |id: &ScaledId| !self.watched.contains(id);
        let new: Vec<_> = met.into_iter().filter(is_new).take(most).collect();
        self.watched.extend(new.iter().cloned());
        for id in &new {
            self.scaled.entry(id.clone()).or_default();
        }
        if !new.is_empty() {
            self.scaled_rows = scaled_rows(&self.scaled);
        }
        new
    }

    /// The oldest answer of those that can still change, otherwise the newest of the others.
    pub(super) fn scaled_polled_at(&self) -> Option<Timestamp> {
        let all = self.scaled.values();
        let live = all.clone().filter(|scaled| !has_ended(scaled));
        let oldest = live.filter_map(Remote::at).min();
        oldest.or_else(|| all.filter_map(Remote::at).max())
    }

    /// Whether all scaled orders have ended: they are not polled.
    pub fn all_scaled_ended(&self) -> bool {
        !self.scaled.is_empty() && self.scaled.values().all(has_ended)
    }

    /// How many have not ended, as far as is known.
    pub fn live_scaled(&self) -> usize {
        self.scaled
            .values()
            .filter(|scaled| !has_ended(scaled))
            .count()
    }

    pub fn scaled_order(&self, id: &ScaledId) -> Option<&Scaled> {
        self.scaled.get(id)?.value()
    }
}

fn scaled_of<'a>(orders: impl Iterator<Item = &'a Order>) -> BTreeSet<ScaledId> {
    let ids = orders.filter_map(|order| order.scaled_order_id.clone());
    ids.collect()
}

fn has_ended(scaled: &Remote<Scaled>) -> bool {
    scaled.value().is_some_and(|l| l.ended_at().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            account::poll::Answer,
            testing::{NOON, arrive, desk, order},
        },
        model::Page,
    };

    fn scaled(number: i64, ended: &str) -> Answer {
        let json = format!(r#"{{"id":"lad-{number:03}","market_id":"paper|SOL"{ended}}}"#);
        let scaled: Scaled = serde_json::from_str(&json).unwrap();
        Answer::Scaled(scaled.id.clone(), Ok(Box::new(scaled)))
    }

    fn ended(number: i64) -> Answer {
        let at = NOON.0 - 1_000_000 + number;
        scaled(number, &format!(r#","completed_at":{at}"#))
    }

    #[test]
    fn the_earliest_ended_scaled_orders_make_room_and_one_that_works_never_does() {
        let mut model = desk();
        let working = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"resting",
            "scaled_order_id":"lad-000""#;
        let page = || Answer::Orders(Ok(Page::of(vec![order("ord-5", "SOL", working)])));
        arrive(&mut model, page());
        arrive(&mut model, scaled(0, ""));
        for number in 1..=130 {
            arrive(&mut model, ended(number));
        }
        let store = &model.account.store;
        assert_eq!((store.scaled.len(), store.forgotten_scaled()), (101, 30));
        assert!(store.scaled_order(&"lad-000".into()).is_some(), "it works");
        assert!(store.scaled_order(&"lad-030".into()).is_none());
        assert!(store.scaled_order(&"lad-031".into()).is_some());

        // A late answer does not restore a dropped one.
        arrive(&mut model, ended(7));
        assert_eq!(model.account.store.scaled.len(), 101);
        // The working one ends now, and is the latest.
        arrive(&mut model, ended(131));
        assert!(
            model
                .account
                .store
                .scaled_order(&"lad-031".into())
                .is_none()
        );
    }

    #[test]
    fn scaled_orders_on_older_pages_are_met_while_there_is_room() {
        let mut model = desk();
        let rung = |number: usize| {
            let more = format!(
                r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled",
                "scaled_order_id":"lad-{number:03}""#
            );
            order(&format!("h-{number}"), "SOL", &more)
        };
        let cursor = crate::model::Cursor::from("p2".to_owned());
        let newest = Page {
            next: Some(cursor.clone()),
            ..Page::of((0..50).map(rung).collect())
        };
        arrive(&mut model, Answer::History(Ok(newest)));
        model.account.store.history.ask_more();
        let older = Page::of((50..200).map(rung).collect());
        arrive(&mut model, Answer::MoreHistory(cursor, Ok(older)));
        assert_eq!(model.account.store.scaled.len(), KEPT);
    }
}
