//! The write-ahead journal: every request with its key and bytes, on disk before the first byte leaves this machine,
//! and its outcome. Names `model`, `api` and `disk`.
//!
//! Contract: [`Journal::record`] returns after the intent is synced (`SQLite`, WAL, `synchronous=FULL`). One process
//! writes, guarded by a lock file that is never deleted; others may [`Journal::open_read_only`]. No file holds the API
//! key, only a salted fingerprint. Bodies and idempotency keys are stored, so only the owner can read the files. After
//! a failed write the journal refuses writes until it is reopened: a failed commit may appear on disk later, so nothing
//! after it could be trusted. Failures and halts are recorded beside the database and outlive a restart. On a full disk
//! the journal opens as failed: its halts and reserved keys work, since they need no space. A damaged or newer file is
//! refused and left unchanged; an older one is copied before it is migrated.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is reliable.

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
pub use error::{Holder, JournalError};
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
