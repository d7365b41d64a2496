//! What was asked of the service, with which key and which bytes, and what came of it: on disk before
//! the first byte leaves this machine.
//!
//! Contract: [`Journal::record`] returns after the intent is synced (`SQLite`, WAL, `synchronous=FULL`).
//! One process writes, held apart by a lock file that is never deleted; others may [`Journal::open_read_only`]. The
//! API key is in nothing that is stored, only a salted fingerprint of it; bodies and idempotency keys are,
//! so the files are readable by their owner only. After the first failed write the journal stays failed
//! until it is opened again: a commit that failed may be found on disk later, so what follows it could
//! not be trusted; that it failed, or that a desk was halted, is noted beside the database and outlives a
//! restart. On a disk without room the journal opens failed: its halts and spare keys, which need none, are there, and
//! nothing else. A damaged or newer file is refused and left as it is; before an older one is changed,
//! a copy is kept beside it.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is to be relied on.

mod checksum;
mod damage_report;
mod entry;
mod error;
mod file;
mod halt;
mod handle;
mod insert;
mod inspection;
mod overflow;
mod prune;
mod read;
mod repair;
mod replay_window;
mod reserved_keys;
mod ring;
mod schema;
mod settled;
mod transaction;
mod unfinished;
mod wal;
mod write;

pub use entry::{Claim, Intent, IntentId, IntentRow, IntentState, Outcome, StateUpdate};
pub use error::JournalError;
pub use file::{LockHolder, lock_holder};
pub use handle::Journal;
pub use overflow::overflow_dirs;
pub use replay_window::ReplayWindow;
pub use reserved_keys::UsedKey;
pub use settled::{AttemptRow, SettledIntent};
pub use unfinished::SenderIdentity;

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod tests;
