//! The brackets whose targets are not placed yet, kept so that the next session can say so (`docs/delivery.md 3.7`).

use super::{ReplacedBy, TradeLog};
use crate::model::{
    MarketId, Num, Order, OrderId, Position, PositionId, Protection, Side, Text, Timestamp,
    draft::LaterTarget,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The targets that are placed once an entry has filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenBracket {
    /// `None` before the service has reported the order.
    pub order: Option<OrderId>,
    pub market: MarketId,
    pub side: Side,
    pub targets: Vec<LaterTarget>,
}

/// What depends on the process that does it: another one takes it over once that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessLog {
    /// The brackets that a workflow goes on with.
    running: Vec<OpenBracket>,
    /// Those that nothing goes on with.
    left: Vec<OpenBracket>,
    /// How far the stop of each position trails, as it was written.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    trailing: BTreeMap<PositionId, String>,
    /// Those left that need nothing more by the lists, each with when that was first seen.
    #[serde(skip)]
    finished: Vec<(OpenBracket, Timestamp)>,
    /// Those that another session has left, which nobody has said yet. Older lists may not show its last batch.
    #[serde(skip)]
    unreported: Vec<(OpenBracket, Timestamp)>,
}

impl OpenBracket {
    pub(crate) fn is_of(&self, position: &Position) -> bool {
        position.market_id == self.market && position.side() == Some(self.side)
    }

    /// `bracket of ord_20: 2 of 3 targets not placed`.
    pub fn words(&self, missing: usize) -> String {
        let (entry, all) = (self.entry_name(), self.targets.len());
        format!("bracket of {entry}: {missing} of {all} targets not placed")
    }

    /// That its entry is canceled, and nothing replaces it; `symbol` is that of its market.
    pub(crate) fn dropped(&self, symbol: &Text) -> String {
        let (entry, all) = (self.entry_name(), self.targets.len());
        format!("{symbol}: {entry} is canceled, and its {all} targets are dropped")
    }

    pub(crate) fn entry_name(&self) -> String {
        let order = self.order.as_ref();
        order.map_or_else(|| "an order".to_owned(), ToString::to_string)
    }
}

impl ProcessLog {
    /// What a process leaves that runs this bracket.
    pub(crate) fn running(bracket: OpenBracket) -> Self {
        Self {
            running: vec![bracket],
            ..Self::default()
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.running.is_empty() && self.left.is_empty() && self.trailing.is_empty()
    }

    /// Adds what a process has left that has ended.
    pub(crate) fn inherit(&mut self, ended: Self) {
        self.running.extend(ended.running);
        self.left.extend(ended.left);
        for (position, distance) in ended.trailing {
            self.trailing.entry(position).or_insert(distance);
        }
    }

    /// Nothing goes on with what another session has begun.
    pub(super) fn recall(&mut self, mut kept: Self, now: Timestamp) {
        kept.left.append(&mut kept.running);
        let left = kept.left.iter().cloned();
        self.unreported.extend(left.map(|bracket| (bracket, now)));
        self.inherit(kept);
    }
}

impl TradeLog {
    /// Nothing but what processes have left that have ended.
    pub(crate) fn left_by(ended: ProcessLog) -> Self {
        Self {
            process: ended,
            ..Self::default()
        }
    }

    pub(crate) fn process_mut(&mut self) -> &mut ProcessLog {
        &mut self.process
    }

    /// Its stop trails at this distance from now on, or no longer.
    pub(crate) fn trails(&mut self, id: &PositionId, distance: Option<&str>) {
        let trailing = &mut self.process.trailing;
        match distance {
            Some(distance) => trailing.insert(id.clone(), distance.to_owned()),
            None => trailing.remove(id),
        };
        self.version += 1;
    }

    /// How far the stops trail, or trailed in the session that began it.
    pub(crate) fn trailing(&self) -> &BTreeMap<PositionId, String> {
        &self.process.trailing
    }

    pub(crate) fn running_brackets(&self) -> &[OpenBracket] {
        &self.process.running
    }

    pub(crate) fn run_brackets(&mut self, running: Vec<OpenBracket>) {
        self.process.running = running;
        self.version += 1;
    }

    /// The targets that this position lacks, and that nothing places by itself.
    pub fn left_bracket(&self, position: &Position, orders: &[Order]) -> Option<&OpenBracket> {
        let mut left = self.process.left.iter();
        left.find(|bracket| self.lacks(position, bracket, orders))
    }

    /// The targets of a bracket that no working order of the position stands for, and that were not placed before.
    pub fn missing_targets(
        &self,
        bracket: &OpenBracket,
        position: &Position,
        orders: &[Order],
    ) -> Vec<LaterTarget> {
        let mut placed = self.working_targets(bracket, position, orders);
        placed.extend(self.placed_orders.targets_of(bracket.order.as_ref()));
        let targets = bracket.targets.iter().copied();
        targets
            .filter(|target| !placed.contains(&target.price))
            .collect()
    }

    /// The prices of the working targets of the position that the brackets of other entries do not account for.
    fn working_targets(
        &self,
        bracket: &OpenBracket,
        position: &Position,
        orders: &[Order],
    ) -> Vec<Num> {
        let protects = |order: &&Order| order.protects(position) == Some(Protection::Target);
        let prices = orders.iter().filter(protects);
        let prices = prices.filter_map(|order| order.trigger_price.or(order.limit_price));
        let mut working: Vec<_> = prices.collect();
        let entry = bracket.order.as_ref();
        for price in self.placed_orders.targets_beside(entry, &position.id) {
            if let Some(at) = working.iter().position(|target| *target == price) {
                working.swap_remove(at);
            }
        }
        working
    }

    /// Whether the position lacks targets. One at another price was set by hand, instead of these.
    fn lacks(&self, position: &Position, bracket: &OpenBracket, orders: &[Order]) -> bool {
        let is_own = |price: &Num| bracket.targets.iter().any(|target| target.price == *price);
        let working = || self.working_targets(bracket, position, orders);
        bracket.is_of(position)
            && working().iter().all(is_own)
            && !self.missing_targets(bracket, position, orders).is_empty()
    }

    /// The order in the place of this canceled one, if perpdeck has put one there.
    pub(crate) fn replacement(&self, old: &OrderId) -> Option<&ReplacedBy> {
        self.placed_orders.replacement(old)
    }

    /// Whether a process that shares the journal has placed it.
    pub(crate) fn is_placed_by_perpdeck(&self, order: &OrderId) -> bool {
        self.placed_orders.includes(order)
    }

    /// The brackets that are left whose entry has been replaced, each with the new entry.
    pub(crate) fn replaced_brackets(&self) -> Vec<(OpenBracket, OrderId)> {
        let left = self.process.left.iter();
        let replaced = left.filter_map(|bracket| {
            let old = bracket.order.as_ref()?;
            let by = self.placed_orders.replacement(old)?;
            let is_new = !self.placed_orders.carried.contains(old) && !by.has_own_target;
            is_new.then(|| (bracket.clone(), by.order.clone()))
        });
        replaced.collect()
    }

    /// Whether the bracket of this entry was left, and goes on as that of its replacement.
    pub(crate) fn is_carried(&self, entry: &OrderId) -> bool {
        self.placed_orders.carried.contains(entry)
    }

    /// The bracket that is left follows the order that has replaced its entry. It stays with the old one too, unless it is
    /// known that nothing of that has `filled`, in coin.
    pub(crate) fn carry_left(&mut self, old: &OpenBracket, new: OrderId, filled: Option<Num>) {
        let left = &mut self.process.left;
        let carried = OpenBracket {
            order: Some(new),
            ..old.clone()
        };
        left.push(carried);
        if filled.is_some_and(Num::is_zero) {
            left.retain(|left| left != old);
            self.note_reported(old);
        }
        self.placed_orders.carried.extend(old.order.clone());
        self.version += 1;
    }

    /// Nothing goes on with it from now on.
    pub(crate) fn leave_bracket(&mut self, bracket: OpenBracket) {
        self.process.left.push(bracket);
        self.version += 1;
    }

    /// Something goes on with it.
    pub(crate) fn take_up_bracket(&mut self, bracket: &OpenBracket) {
        self.process.left.retain(|left| left != bracket);
        self.note_reported(bracket);
        self.version += 1;
    }

    /// Those left that have no working entry and no position without targets by these lists, each with when that was first
    /// seen: an entry that fills leaves the one list before its position is on the other.
    pub(crate) fn finished_brackets(
        &self,
        (positions, orders): (&[Position], &[Order]),
        now: Timestamp,
    ) -> Vec<(OpenBracket, Timestamp)> {
        let works = |bracket: &OpenBracket| {
            let mut working = orders.iter().filter(|order| order.is_working());
            working.any(|order| Some(&order.id) == bracket.order.as_ref())
        };
        let lacks = |bracket: &OpenBracket| {
            let mut positions = positions.iter();
            positions.any(|position| self.lacks(position, bracket, orders))
        };
        let since = |bracket: &OpenBracket| {
            let mut known = self.process.finished.iter();
            known
                .find(|(known, _)| known == bracket)
                .map_or(now, |(_, since)| *since)
        };
        let left = self.process.left.iter();
        let finished = left.filter(|bracket| !works(bracket) && !lacks(bracket));
        finished
            .map(|bracket| (bracket.clone(), since(bracket)))
            .collect()
    }

    /// As last noted.
    pub(crate) fn known_finished(&self) -> &[(OpenBracket, Timestamp)] {
        &self.process.finished
    }

    pub(crate) fn note_finished(&mut self, finished: Vec<(OpenBracket, Timestamp)>) {
        self.process.finished = finished;
    }

    /// What other sessions have left, is not finished by lists that were requested at `at`, and nobody has said.
    pub(crate) fn unreported_brackets(&self, at: Timestamp) -> Vec<OpenBracket> {
        let ProcessLog {
            left,
            finished,
            unreported,
            ..
        } = &self.process;
        let needs_more = |bracket| {
            left.contains(bracket) && finished.iter().all(|(finished, _)| finished != bracket)
        };
        let unreported = unreported
            .iter()
            .filter(|(bracket, since)| at > *since && needs_more(bracket));
        unreported.map(|(bracket, _)| bracket.clone()).collect()
    }

    /// It was said, or something goes on with it.
    pub(crate) fn note_reported(&mut self, bracket: &OpenBracket) {
        self.process
            .unreported
            .retain(|(unreported, _)| unreported != bracket);
    }
}
