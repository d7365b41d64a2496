//! What the engine holds: accounts, rows, ids, units, commands and refusals. Names no other room.

pub(crate) mod account;
pub(crate) mod arena;
pub(crate) mod command;
pub(crate) mod core;
pub(crate) mod house;
pub(crate) mod ids;
pub(crate) mod log;
pub(crate) mod position;
pub(crate) mod refusal;
pub(crate) mod rows;
pub(crate) mod spec;
pub(crate) mod tick;
pub(crate) mod units;
pub(crate) mod words;
