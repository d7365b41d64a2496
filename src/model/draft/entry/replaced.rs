//! The exits of a position that those of a new order replace.

use super::{
    super::{
        super::{Order, Protection},
        Field, Seen,
    },
    EntryDraft,
};

impl EntryDraft {
    /// An exit of the position that this order adds to, if its own overlaps it: the service replaces that with consent
    /// only (`docs/service-api.md 4.1`).
    pub fn replaced<'a>(&self, seen: &Seen<'a>) -> Option<(&'a Order, Protection)> {
        let position = seen.position?;
        let adds = position.side() == Some(self.side) && !self.only_reduces();
        let brings = |purpose| {
            let field = match purpose {
                Protection::Stop => Field::StopLoss,
                Protection::Target => Field::TakeProfit,
            };
            self.known(field).is_some()
        };
        let exits = seen
            .working
            .iter()
            .filter(|order| !order.is_cancel_queued());
        exits
            .filter_map(|order| Some((order, order.protects(position)?)))
            .find(|(_, purpose)| adds && brings(*purpose))
    }
}
