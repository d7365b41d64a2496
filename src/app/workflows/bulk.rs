//! Commands that a person has confirmed together: a few are in flight at once, and each has its own outcome.
//!
//! Contract: one with an unknown outcome does not hold up the others. What raises the risk, as the cancel of a stop does,
//! goes last.

use crate::{
    app::account::{about::About, store::Store},
    model::{Command, Failure, Receipt, Risk, Ticket},
};

/// Commands in flight at once: enough to be quick, few enough for a request budget.
const IN_FLIGHT: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub struct BulkRun {
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub command: Command,
    /// Its object when the list was made.
    pub about: About,
    pub state: State,
}

#[derive(Debug, Clone, PartialEq)]
pub enum State {
    Listed,
    /// Under this ticket.
    Sent(Ticket),
    Settled(Result<Box<Receipt>, Failure>),
}

/// A command and its outcome.
type SettledItem<'a> = (&'a Command, &'a Result<Box<Receipt>, Failure>);

impl BulkRun {
    pub(crate) fn new(commands: impl IntoIterator<Item = Command>, store: &Store) -> Self {
        let items = commands.into_iter().map(|command| Item {
            about: store.object_of(&command),
            command,
            state: State::Listed,
        });
        Self {
            items: items.collect(),
        }
    }

    /// The unsent commands.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.state == State::Listed)
    }

    /// How many were sent and have no outcome.
    pub(crate) fn in_flight(&self) -> usize {
        let is_sent = |item: &&Item| matches!(item.state, State::Sent(_));
        self.items.iter().filter(is_sent).count()
    }

    /// The commands with an outcome so far.
    pub fn settled(&self) -> impl Iterator<Item = SettledItem<'_>> {
        self.items.iter().filter_map(|item| match &item.state {
            State::Settled(result) => Some((&item.command, result)),
            State::Listed | State::Sent(_) => None,
        })
    }

    /// The place of the next command to send, given which tickets are still in flight.
    pub(crate) fn due(&self, flies: impl Fn(Ticket) -> bool) -> Option<usize> {
        let is_flying = |item: &&Item| match item.state {
            State::Sent(ticket) => flies(ticket),
            State::Listed | State::Settled(_) => false,
        };
        let goes_first = |item: &Item| item.command.risk() != Risk::Increasing;
        let listed = |item: &Item| item.state == State::Listed;
        let mut flying = self.items.iter().filter(is_flying);
        if flying.clone().count() >= IN_FLIGHT {
            return None;
        }
        let mut items = self.items.iter();
        let first = items.position(|item| listed(item) && goes_first(item));
        first.or_else(|| {
            let is_due = !flying.any(goes_first);
            self.items.iter().position(|item| is_due && listed(item))
        })
    }

    /// Records an outcome; returns whether it was one of its own.
    pub(crate) fn note(&mut self, ticket: Ticket, result: &Result<Receipt, Failure>) -> bool {
        let mut items = self.items.iter_mut();
        let own = items.find(|item| item.state == State::Sent(ticket));
        let Some(item) = own else { return false };
        item.state = State::Settled(result.clone().map(Box::new));
        true
    }
}
