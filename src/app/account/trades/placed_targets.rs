//! The targets that the batches of brackets have placed, by the journal and by this session's receipts. One that has filled
//! since is no working order any more, and was placed all the same.
//!
//! Contract: each is of the entry that its batch names, whatever prices other brackets have.

use crate::model::{Command, ExitOperation, Num, OrderId, PastPage, PositionId};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PlacedTargets(Vec<PlacedTarget>);

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
                self.0.push(PlacedTarget {
                    entry: entry.clone(),
                    position: batch.position_id.clone(),
                    price: *price,
                });
            }
        }
    }

    /// Takes in a page of the journal.
    pub(super) fn recall(&mut self, page: &PastPage) {
        let done = page.rows.iter().filter(|past| past.result.is_ok());
        done.filter_map(|past| past.command.as_ref())
            .for_each(|command| self.settled(command));
    }

    /// The prices of those of this entry.
    pub(super) fn of(&self, entry: Option<&OrderId>) -> impl Iterator<Item = Num> {
        let placed = self.0.iter();
        let placed = placed.filter(move |placed| Some(&placed.entry) == entry);
        placed.map(|placed| placed.price)
    }

    /// The prices of those of the position's other entries.
    pub(super) fn beside(
        &self,
        entry: Option<&OrderId>,
        position: &PositionId,
    ) -> impl Iterator<Item = Num> {
        let placed = self.0.iter();
        let placed = placed
            .filter(move |placed| placed.position == *position && Some(&placed.entry) != entry);
        placed.map(|placed| placed.price)
    }
}
