//! The targets that the batches of brackets have placed, by the journal and by this session's receipts. One that has filled
//! since is no working order any more, and was placed all the same.
//!
//! Contract: each is of the entry that its batch names, whatever prices other brackets have.

use crate::model::{Command, ExitOperation, Num, OrderId, PastPage, PositionId};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PlacedTargets {
    targets: Vec<PlacedTarget>,
    /// The numbers of the journal's rows that are in here.
    rows: BTreeSet<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PlacedTarget {
    entry: OrderId,
    position: PositionId,
    price: Num,
}

impl PlacedTargets {
    /// Takes in a command that has succeeded.
    pub(super) fn settled(&mut self, command: &Command) {
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

    /// Takes in rows of the journal, each once.
    pub(super) fn recall(&mut self, page: &PastPage) {
        for past in page.rows.iter().filter(|past| past.result.is_ok()) {
            if let Some(command) = &past.command
                && command.entry().is_some()
                && self.rows.insert(past.mark.number)
            {
                self.settled(command);
            }
        }
    }

    /// The prices of those of this entry.
    pub(super) fn of(&self, entry: Option<&OrderId>) -> impl Iterator<Item = Num> {
        let placed = self.targets.iter();
        let placed = placed.filter(move |placed| Some(&placed.entry) == entry);
        placed.map(|placed| placed.price)
    }

    /// The prices of those of the position's other entries.
    pub(super) fn beside(
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
