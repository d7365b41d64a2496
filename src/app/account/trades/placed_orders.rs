//! The orders that perpdeck has placed, by the journal and by this session's receipts, which canceled order each of them
//! replaces (what the bracket of that was to bring follows the new one), and the targets that the batches of brackets have
//! placed.
//!
//! Contract: all processes that share the journal count, no other client does. A target is of the entry that its batch
//! names, whatever prices other brackets have; one that has filled since is no working order any more, and was placed all
//! the same.

use crate::model::{Command, ExitOperation, Num, OrderId, PastPage, PositionId, Receipt};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PlacedOrders {
    all: BTreeSet<OrderId>,
    /// By the canceled order.
    replacements: BTreeMap<OrderId, ReplacedBy>,
    /// The canceled orders whose left bracket was carried over.
    pub(super) carried: BTreeSet<OrderId>,
    targets: Vec<PlacedTarget>,
    /// The numbers of the journal's rows whose targets are in here.
    rows: BTreeSet<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PlacedTarget {
    entry: OrderId,
    position: PositionId,
    price: Num,
}

/// The order in the place of a canceled one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReplacedBy {
    pub(crate) order: OrderId,
    /// It has a target of its own, instead of those of the bracket.
    pub(crate) has_own_target: bool,
}

impl PlacedOrders {
    /// Takes in a command of this session that has succeeded.
    pub(super) fn settled(&mut self, command: &Command, receipt: &Receipt) {
        if let Receipt::Order { order, .. } = receipt
            && receipt.refusal().is_none()
        {
            self.learn(command, &order.id);
        }
        self.learn_targets(command);
    }

    /// Takes in rows of the journal, the targets of each once.
    pub(super) fn recall(&mut self, page: &PastPage) {
        for past in page.rows.iter().filter(|past| past.result.is_ok()) {
            let Some(command) = &past.command else {
                continue;
            };
            if let Some(order) = &past.record.order_id {
                self.learn(command, order);
            }
            if command.entry().is_some() && self.rows.insert(past.mark.number) {
                self.learn_targets(command);
            }
        }
    }

    fn learn_targets(&mut self, command: &Command) {
        let (Command::ExitBatch(batch), Some(entry)) = (command, command.entry()) else {
            return;
        };
        for operation in &batch.operations {
            if let ExitOperation::Place { price, .. } = operation {
                self.targets.push(PlacedTarget {
                    entry: entry.clone(),
                    position: batch.position_id.clone(),
                    price: *price,
                });
            }
        }
    }

    fn learn(&mut self, command: &Command, order: &OrderId) {
        let Command::Place(placed) = command else {
            return;
        };
        self.all.insert(order.clone());
        if let Some(old) = &placed.replaces {
            let by = ReplacedBy {
                order: order.clone(),
                has_own_target: placed.take_profit_price.is_some(),
            };
            self.replacements.insert(old.clone(), by);
        }
    }

    pub(super) fn includes(&self, order: &OrderId) -> bool {
        self.all.contains(order)
    }

    pub(super) fn replacement(&self, old: &OrderId) -> Option<&ReplacedBy> {
        self.replacements.get(old)
    }

    /// The prices of the targets of this entry.
    pub(super) fn targets_of(&self, entry: Option<&OrderId>) -> impl Iterator<Item = Num> {
        let placed = self.targets.iter();
        let placed = placed.filter(move |placed| Some(&placed.entry) == entry);
        placed.map(|placed| placed.price)
    }

    /// The prices of the targets of the position's other entries.
    pub(super) fn targets_beside(
        &self,
        entry: Option<&OrderId>,
        position: &PositionId,
    ) -> impl Iterator<Item = Num> {
        let placed = self.targets.iter();
        let placed = placed
            .filter(move |placed| placed.position == *position && Some(&placed.entry) != entry);
        placed.map(|placed| placed.price)
    }
}
