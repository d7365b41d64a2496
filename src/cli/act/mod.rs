//! Verbs that change something: each makes commands, and all of them go out through the desk's own outbox.
//!
//! Contract: an intent is on disk before its first byte leaves, every attempt carries the same key and the same bytes,
//! and what may have taken effect is never told as failed (exit 14, with the key that repeats it safely). Nothing is
//! sent without `--yes` or a `y` typed on a terminal; `--dry-run` reads what it needs and sends nothing. Orders that
//! raise exposure keep to the limits under `[checks]`, exits never wait for any.

pub(super) mod amend;
pub(super) mod cancel;
mod checks;
pub(super) mod close;
pub(super) mod close_all;
mod consent;
mod dry;
pub(super) mod exits;
pub(super) mod flatten;
pub(super) mod flip;
mod ground;
pub(super) mod margin;
mod market;
mod perform;
pub(super) mod place;
mod post;
mod prepared;
mod recall;
mod receipt;
mod repeat;
pub(super) mod strategy;
mod typed;
