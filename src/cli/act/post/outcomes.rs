//! Types shared by the desk's and the verb's way of sending.

use crate::{
    cli::act::prepared::SendOutcome,
    journal::{Journal, JournalError},
    model::Ticket,
};
use color_eyre::Result;
use std::collections::BTreeMap;

/// A journal, or why it does not work.
pub(super) type OpenedJournal = Result<Journal, JournalError>;

/// By the index of the command.
pub(super) type Outcomes = BTreeMap<Ticket, SendOutcome>;

pub(super) fn ticket(at: usize) -> Ticket {
    Ticket(u64::try_from(at).unwrap_or(u64::MAX))
}
