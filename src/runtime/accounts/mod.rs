//! The services behind the loop: each account's client, outbox and poller. Names `recovery`, `polling` and the rooms
//! below them.

pub(crate) mod account;
pub(crate) mod channel;
pub(crate) mod kept;
pub(crate) mod renewals;
pub(crate) mod services;
mod trader_effects;
mod user_command;
