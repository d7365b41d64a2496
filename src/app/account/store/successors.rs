//! Replacements that are not sent yet.

use super::{Store, Then};
use crate::{app::account::successor::Successor, model::OrderId};

impl Store {
    /// The replacement of this order that is not sent yet: its cancel has no response, or a read is awaited.
    pub(crate) fn successor(&self, old: &OrderId) -> Option<&Successor> {
        let flights = self.flights.values().map(|flight| &flight.then);
        let flights = flights.filter_map(|then| match then {
            Some(Then::Place(successor)) => Some(successor),
            Some(Then::Open(_) | Then::EndFlip) | None => None,
        });
        let mut all = flights.chain(self.successors.iter().map(|(_, one)| one));
        all.find(|one| one.old == *old)
    }

    pub(crate) fn successor_mut(&mut self, old: &OrderId) -> Option<&mut Successor> {
        let flights = self.flights.values_mut().map(|flight| &mut flight.then);
        let flights = flights.filter_map(|then| match then {
            Some(Then::Place(successor)) => Some(successor),
            Some(Then::Open(_) | Then::EndFlip) | None => None,
        });
        let mut all = flights.chain(self.successors.iter_mut().map(|(_, one)| one));
        all.find(|one| one.old == *old)
    }
}
