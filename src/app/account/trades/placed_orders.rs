//! The orders that perpdeck has placed, by the journal and by this session's receipts, and which canceled order each of them
//! replaces: what the bracket of that was to bring follows the new one.
//!
//! Contract: all processes that share the journal count, no other client does.

use crate::model::{Command, OrderId, PastPage, Receipt};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PlacedOrders {
    all: BTreeSet<OrderId>,
    /// By the canceled order.
    replacements: BTreeMap<OrderId, ReplacedBy>,
    /// The canceled orders whose left bracket was carried over.
    pub(super) carried: BTreeSet<OrderId>,
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
    }

    /// Takes in a page of the journal.
    pub(super) fn recall(&mut self, page: &PastPage) {
        for past in page.rows.iter().filter(|past| past.result.is_ok()) {
            if let (Some(command), Some(order)) = (&past.command, &past.record.order_id) {
                self.learn(command, order);
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
}
