//! What the desk and the outbox of a verb both answer with.

use crate::{
    cli::act::prepared::SendOutcome,
    journal::{Journal, JournalError},
    model::Ticket,
};
use color_eyre::Result;
use std::collections::BTreeMap;

/// A journal, or why it does not work.
pub(super) type OpenedJournal = Result<Journal, JournalError>;

/// By the place among the deeds.
pub(super) type Outcomes = BTreeMap<Ticket, SendOutcome>;

pub(super) fn ticket(at: usize) -> Ticket {
    Ticket(u64::try_from(at).unwrap_or(u64::MAX))
}
