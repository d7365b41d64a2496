//! The only writer to the service: every command is journalled, sent, asked again as the policy says,
//! and settled exactly once.
//!
//! Contract: the intent is on disk before the first byte leaves (a way out waits for a slow disk only for a moment, and
//! then tells its key); every attempt carries the same key and the same bytes; at most one command per resource is on
//! the wire, those of earlier sessions among them, later ones wait in the order they were given (see [`resource_queues`]; new
//! orders do not wait for each other). What may have taken effect and cannot be found out is parked: it stays on the
//! desk as a question until a person decides or a later answer does. Without a working journal nothing that raises
//! exposure is sent, everything else is, with its key in the activity. Nor on a desk whose journal another desk has: see
//! [`hand_over`]. While the desk finds out what became of the last session's commands, or flattens, nothing
//! that raises exposure is sent; nor while it is halted, which outlives it, and ends when a person says so.

mod attempt_history;
mod context;
mod delivery;
mod entry_gate;
mod follow;
mod hand_over;
mod record;
mod resource_queues;
mod run;

pub(crate) use context::{OutboxContext, OutboxUse, ParkedDecision};
pub(crate) use delivery::{Delivery, Ownership, ProgressSink};
pub use follow::queued_end;
pub(crate) use record::CommandOrigin;
pub(crate) use run::{Resume, interrupted};

#[cfg(test)]
pub(super) mod tests;
