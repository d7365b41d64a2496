//! Many commands at once: the list of them before, what came of each after.
//!
//! Contract: the commands are finished when the list opens and none is added or changed; what is shown is
//! what is sent. Nothing goes before it is confirmed, and a list nobody answers closes by itself.

use super::{next::Next, overlay::DEAF, strip::NOT_IN_DOUBT};
use crate::{
    app::{
        account::{about::About, store::Store},
        keys::keymap::Action,
    },
    model::{Command, Failure, Receipt, Ticket, Timestamp},
};
use std::time::Duration;

/// A list takes longer to read than a strip, and is no more to be left loaded.
const DISARM: Duration = Duration::from_secs(30);
/// Commands on the wire at once: enough to be quick, few enough for a service's budget.
const ABREAST: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub struct Bulk {
    pub items: Vec<Item>,
    pub stage: Stage,
    /// What was marked and cannot be acted on, and why.
    pub left_out: Vec<String>,
    /// The first line shown.
    pub offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Asking {
        drawn_at: Timestamp,
    },
    Going,
    /// What has not been sent stays unsent.
    Stopped,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub command: Command,
    /// What it is about as it was when the list opened.
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

impl Bulk {
    /// A list that asks.
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

    /// A list that a strip has asked for already.
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

    /// What time alone does to it.
    pub fn pass(&self, now: Timestamp) -> Next {
        match self.ends_at() {
            Some(end) if now >= end => Next::Close,
            Some(_) | None => Next::Stay,
        }
    }

    /// When it disarms, while it asks.
    pub fn ends_at(&self) -> Option<Timestamp> {
        match self.stage {
            Stage::Asking { drawn_at } => Some(drawn_at.plus(DISARM)),
            Stage::Going | Stage::Stopped => None,
        }
    }

    /// What has not been sent.
    fn waiting(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.state == State::Listed)
    }

    /// How many have come to an end, well or not.
    pub fn settled(&self) -> impl Iterator<Item = &Result<Box<Receipt>, Failure>> {
        self.items.iter().filter_map(|item| match &item.state {
            State::Settled(result) => Some(result),
            State::Listed | State::Sent(_) => None,
        })
    }

    /// The next commands to go, given which tickets keep a place on the wire.
    pub(crate) fn due(&mut self, flies: impl Fn(Ticket) -> bool) -> Vec<&mut Item> {
        if self.stage != Stage::Going {
            return vec![];
        }
        let flying = self.items.iter().filter(|item| match item.state {
            State::Sent(ticket) => flies(ticket),
            State::Listed | State::Settled(_) => false,
        });
        let room = ABREAST.saturating_sub(flying.count());
        let waiting = self
            .items
            .iter_mut()
            .filter(|item| item.state == State::Listed);
        waiting.take(room).collect()
    }

    /// Takes note of how one of its commands ended; whether it was one of its own.
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
