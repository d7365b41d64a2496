//! Verbs that change something: each builds commands and sends them through the desk's own outbox.
//!
//! Contract: an intent is on disk before its first byte is sent, every attempt has the same key and bytes, and a
//! command that may have executed is never reported as failed (exit 14, with the key that repeats it safely). Nothing
//! is sent without `--yes` or a typed `y`; `--dry-run` reads what it needs and sends nothing. Orders that increase
//! exposure obey the limits under `[checks]`; closes and cancels never wait for any.

pub(super) mod amend;
mod bracket;
pub(super) mod cancel;
pub(super) mod close;
mod consent;
pub(super) mod entry;
pub(super) mod exits;
pub(super) mod field_flags;
pub(super) mod flatten;
pub(super) mod flip;
pub(super) mod margin;
pub(super) mod operation;
pub(super) mod place;
mod prepared;
mod readings;
mod receipt;
mod remains;
mod repeat;
mod send_and_report;
mod transport;
mod typed;
mod workflow;
