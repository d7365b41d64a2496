//! The targets that batches of exits have placed, by the journal and by this session's receipts. One that has filled since
//! is no working order any more, and was placed all the same.
//!
//! Known limit: of two brackets at the same prices, whose entries both worked when the first one's targets were placed, the
//! second one counts as placed, too.

use crate::model::{
    Command, ExitGroup, ExitOperation, Num, OrderId, PastMark, PastPage, PositionId,
    draft::LaterTarget,
};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PlacedTargets {
    rows: Vec<PlacedTarget>,
    /// When the entries were recorded of which the journal tells: a batch of before is not theirs.
    entries: BTreeMap<OrderId, PastMark>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PlacedTarget {
    position: PositionId,
    price: Num,
    mark: PastMark,
}

impl PlacedTargets {
    /// Takes in a command that has succeeded now.
    pub(super) fn settled(&mut self, command: &Command) {
        self.learn(command, PastMark::END);
    }

    /// Takes in a page of the journal.
    pub(super) fn recall(&mut self, page: &PastPage) {
        for past in page.rows.iter().filter(|past| past.result.is_ok()) {
            match (&past.command, &past.record.order_id) {
                (Some(Command::Place(_)), Some(order)) => {
                    self.entries.insert(order.clone(), past.mark);
                }
                (Some(command), _) => self.learn(command, past.mark),
                (None, _) => {}
            }
        }
    }

    fn learn(&mut self, command: &Command, mark: PastMark) {
        let Command::ExitBatch(batch) = command else {
            return;
        };
        for operation in &batch.operations {
            if let ExitOperation::Place {
                group: ExitGroup::Tp,
                price,
                ..
            } = operation
            {
                self.rows.push(PlacedTarget {
                    position: batch.position_id.clone(),
                    price: *price,
                    mark,
                });
            }
        }
    }

    pub(super) fn forget(&mut self, targets: &[LaterTarget]) {
        let is_one = |price| targets.iter().any(|target| target.price == price);
        self.rows.retain(|placed| !is_one(placed.price));
    }

    /// Whether a target of the position was placed at this price, after its entry `order`.
    pub(super) fn has(&self, position: &PositionId, price: Num, order: Option<&OrderId>) -> bool {
        let entered = order.and_then(|order| self.entries.get(order));
        self.rows.iter().any(|placed| {
            (&placed.position, placed.price) == (position, price)
                && entered.is_none_or(|entered| *entered < placed.mark)
        })
    }
}
