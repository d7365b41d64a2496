//! The far side of the loop: each account's client, outbox and poller. Names `recovery` and below.

pub(crate) mod account;
pub(crate) mod channel;
mod kept;
pub(crate) mod renewals;
pub(crate) mod services;
mod trader_effects;
mod user_command;
