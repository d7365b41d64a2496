//! Many commands at once: the list before sending, and each outcome afterwards.
//!
//! Contract: the commands are final when the list opens; what is shown is what is sent. Nothing is sent without
//! confirmation, and an unanswered list closes by itself.

use super::{next::Next, strip::NOT_IN_DOUBT};
use crate::{
    app::{
        account::{about::About, store::Store},
        keys::{DEAF, keymap::Action},
    },
    model::{Command, Failure, Receipt, Ticket, Timestamp},
};
use std::time::Duration;

/// A list takes longer to read than a strip; it too must not stay armed for long.
const DISARM_AFTER: Duration = Duration::from_secs(30);
/// Commands in flight at once: enough to be quick, few enough for a request budget.
const COMMANDS_IN_FLIGHT: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub struct Bulk {
    pub items: Vec<Item>,
    pub stage: Stage,
    /// Marked rows that cannot be acted on, and why.
    pub left_out: Vec<String>,
    /// The first visible line.
    pub offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Asking {
        drawn_at: Timestamp,
    },
    Going,
    /// Unsent commands stay unsent.
    Stopped,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub command: Command,
    /// Its object when the list opened.
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

impl Bulk {
    /// A list that waits for confirmation.
    pub fn asking(
        commands: Vec<Command>,
        left_out: Vec<String>,
        store: &Store,
        now: Timestamp,
    ) -> Self {
        Self {
            left_out,
            ..Self::new(commands, store, Stage::Asking { drawn_at: now })
        }
    }

    /// A list that a strip has already confirmed.
    pub fn going(commands: Vec<Command>, store: &Store) -> Self {
        Self::new(commands, store, Stage::Going)
    }

    fn new(commands: Vec<Command>, store: &Store, stage: Stage) -> Self {
        let items = commands.into_iter().map(|command| Item {
            about: About::of(&command, store),
            command,
            state: State::Listed,
        });
        Self {
            items: items.collect(),
            stage,
            left_out: vec![],
            offset: 0,
        }
    }

    pub fn act(&mut self, action: Action, now: Timestamp) -> Next {
        match (action, self.stage) {
            (Action::Confirm, Stage::Asking { drawn_at }) if now.since(drawn_at) >= DEAF => {
                self.stage = Stage::Going;
            }
            (Action::Dismiss, Stage::Going) if self.waiting().next().is_some() => {
                self.stage = Stage::Stopped;
            }
            (Action::Dismiss, _) => return Next::Close,
            (Action::Reopen, _) => return Next::Refuse(NOT_IN_DOUBT.to_owned()),
            (Action::Down, _) => self.offset += 1,
            (Action::Up, _) => self.offset = self.offset.saturating_sub(1),
            _ => {}
        }
        Next::Stay
    }

    /// The effect of passing time.
    pub fn pass(&self, now: Timestamp) -> Next {
        match self.ends_at() {
            Some(end) if now >= end => Next::Close,
            Some(_) | None => Next::Stay,
        }
    }

    /// When it disarms, while it waits.
    pub fn ends_at(&self) -> Option<Timestamp> {
        match self.stage {
            Stage::Asking { drawn_at } => Some(drawn_at.plus(DISARM_AFTER)),
            Stage::Going | Stage::Stopped => None,
        }
    }

    /// The unsent commands.
    fn waiting(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.state == State::Listed)
    }

    /// The commands with an outcome so far.
    pub fn settled(&self) -> impl Iterator<Item = SettledItem<'_>> {
        self.items.iter().filter_map(|item| match &item.state {
            State::Settled(result) => Some((&item.command, result)),
            State::Listed | State::Sent(_) => None,
        })
    }

    /// The next commands to send, given which tickets are still in flight.
    pub(crate) fn due(&mut self, flies: impl Fn(Ticket) -> bool) -> Vec<&mut Item> {
        if self.stage != Stage::Going {
            return vec![];
        }
        let flying = self.items.iter().filter(|item| match item.state {
            State::Sent(ticket) => flies(ticket),
            State::Listed | State::Settled(_) => false,
        });
        let room = COMMANDS_IN_FLIGHT.saturating_sub(flying.count());
        let waiting = self
            .items
            .iter_mut()
            .filter(|item| item.state == State::Listed);
        waiting.take(room).collect()
    }

    /// Records an outcome; returns whether it was one of its own.
    pub(crate) fn note(&mut self, ticket: Ticket, result: &Result<Receipt, Failure>) -> bool {
        let own = self
            .items
            .iter_mut()
            .find(|item| item.state == State::Sent(ticket));
        let Some(item) = own else { return false };
        item.state = State::Settled(result.clone().map(Box::new));
        true
    }
}
