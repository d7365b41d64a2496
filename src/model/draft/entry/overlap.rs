//! The exits of a position that those of a new order overlap.

use super::{
    super::{
        super::{Order, Position},
        Field, Seen,
    },
    EntryDraft,
};

/// Which exits of the position the attached ones replace where they overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacedExits {
    /// Those that are known: the form names them.
    Known,
    /// Also those that nobody has read.
    Any,
}

impl EntryDraft {
    /// The exits of the open position that the attached ones overlap: the service takes the order only if it may replace
    /// them (docs/service-api.md 4.1).
    pub fn overlapped<'a>(&self, seen: &Seen<'a>) -> Vec<&'a Order> {
        let adds =
            |position: &&Position| position.side() == Some(self.side) && !self.only_reduces();
        let Some(position) = seen.position.filter(adds) else {
            return vec![];
        };
        let brings = |role| {
            let field = Field::from(role);
            self.has(field) && self.known(field).is_some()
        };
        let exits = seen
            .working
            .iter()
            .filter(|order| !order.is_cancel_queued());
        exits
            .filter(|order| order.protects(position).is_some_and(brings))
            .collect()
    }
}
