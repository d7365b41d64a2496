//! Replacements for a service in tests.

pub(crate) mod rehearsal;
pub(crate) mod responder;
