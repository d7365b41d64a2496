//! Many commands at once: the list before sending, and each outcome afterwards.
//!
//! Contract: the commands are final when the list opens; what is shown is what is sent, in the order of [`BulkRun`]. Nothing
//! is sent without confirmation, and an unanswered list closes by itself.

use super::{next::Next, strip::NOT_IN_DOUBT};
use crate::{
    app::{
        account::store::Store,
        keys::{DEAF, keymap::Action},
        workflows::BulkRun,
    },
    model::{Command, Timestamp},
};
use std::time::Duration;

/// A list takes longer to read than a strip; it too must not stay armed for long.
const DISARM_AFTER: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq)]
pub struct Bulk {
    pub run: BulkRun,
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
        Self {
            run: BulkRun::new(commands, store),
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
            (Action::Dismiss, Stage::Going) if self.run.waiting().next().is_some() => {
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
}
