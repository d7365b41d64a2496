//! The types of a verb's sending.

use crate::{
    cli::{act::prepared::SendOutcome, disk_wait::Work},
    journal::{Journal, JournalError},
    model::{Progress, Ticket},
};
use color_eyre::Result;
use std::{cell::Cell, collections::BTreeMap};

/// A journal, or why it does not work.
pub(super) type OpenedJournal = Result<Journal, JournalError>;

/// The opened journal, or the opening that still goes on.
pub(super) type JournalOpening = Result<OpenedJournal, Work<OpenedJournal>>;

/// By the index of the command.
pub(super) type Outcomes = BTreeMap<Ticket, SendOutcome>;

pub(super) fn ticket(at: usize) -> Ticket {
    Ticket(u64::try_from(at).unwrap_or(u64::MAX))
}

/// Whether the outcome of a command was unknown for a while, whatever it was in the end.
#[derive(Debug, Default)]
pub(in crate::cli::act) struct UnknownSeen(Cell<bool>);

impl UnknownSeen {
    pub(super) fn observe(&self, progress: &Progress) {
        if matches!(progress, Progress::Unknown { .. } | Progress::Parked { .. }) {
            self.0.set(true);
        }
    }

    pub(in crate::cli::act) fn is_set(&self) -> bool {
        self.0.get()
    }
}
