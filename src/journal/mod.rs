//! The write-ahead journal: every request with its key and bytes, on disk before the first byte leaves this machine,
//! and its outcome. Names `model` and `disk`.
//!
//! Contract: the journal is a [log](crate::disk::Log), `journal.jsonl`; what its records add up to is kept in memory.
//! [`Journal::claim`] returns after the intent is synced. Every process may write: it locks the log for the write alone,
//! reads what the others have recorded since, checks, and appends. Each open row has a [writer](WriterId); what a dead
//! one leaves open is [taken over](Journal::take_over) once. No file holds the API key, only a salted fingerprint. Bodies
//! and idempotency keys are stored, so only the owner can read the files. After a failed write the journal refuses writes
//! until it is reopened. Failures and halts are recorded beside the log and outlive a restart. On a full disk what closes
//! or cancels is still recorded, and nothing else. A damaged log is copied and written anew with all that can be read of
//! it; every account is halted, and what is lost is said. A log of a newer version is refused and left unchanged.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is reliable.

mod entry;
mod error;
mod exact;
mod halt;
mod handle;
mod read;
mod record;
mod replay_window;
mod row;
mod rows;
mod write;
mod writers;

pub use entry::{
    AttemptRow, Claim, ClaimCheck, Intent, IntentId, IntentRow, IntentState, Objection, Outcome,
    StateUpdate,
};
pub use error::{HANG_CAUSES, JournalError};
pub use halt::Halts;
pub use handle::Journal;
pub use read::{ReportedRow, SenderIdentity};
pub use replay_window::ReplayWindow;
pub use writers::{WriterId, WriterProcess, writer_processes};

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod tests;
