//! The only writer to the service: journals, sends, retries and settles every command exactly once. Names `journal` and
//! `base`.
//!
//! Contract: the intent is on disk before the first byte leaves. A close or cancel waits for a slow disk at most 100 ms
//! and then shows its key. Every attempt sends the same key and the same bytes. At most one command per resource is in
//! flight, including those of earlier sessions; later ones wait in order (see [`resource_queues`]; new orders do not
//! wait for each other). A command whose outcome cannot be found out is parked: it stays a question on the desk until a
//! person or a later response decides. If the journal cannot be written,
//! new entries are refused, and everything else is sent with its key in the activity. New entries also wait during
//! recovery and a flatten, and while the desk is halted. A halt outlives the desk and ends when a person resumes entries.

mod attempt_history;
mod context;
mod delivery;
mod entry_gate;
mod follow;
mod record;
mod resource_queues;
mod run;

pub(crate) use context::{OutboxContext, ParkedDecision};
pub(crate) use delivery::{Delivery, Ownership, ProgressSink};
pub(crate) use record::CommandOrigin;
pub(crate) use run::{Resume, interrupted};

#[cfg(test)]
pub(super) mod tests;
