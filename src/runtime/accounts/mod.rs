//! The services behind the loop: each account's client, outbox and poller. Names `recovery`, `polling` and the rooms
//! below them.

pub(crate) mod account;
pub(crate) mod kept;
pub(crate) mod services;
pub(crate) mod settings_thread;
pub(super) mod trader_effects;
mod user_command;
