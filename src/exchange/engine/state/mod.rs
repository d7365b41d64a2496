//! Data of accounts, orders and positions: ids, units, commands and refusals. Names no other room.

pub(crate) mod account;
pub(crate) mod account_history;
pub(crate) mod arena;
pub(crate) mod challenge;
pub(crate) mod command;
pub(crate) mod counterparty;
pub(crate) mod fill;
pub(crate) mod history;
pub(crate) mod ids;
pub(crate) mod log;
pub(crate) mod position;
pub(crate) mod records;
pub(crate) mod refusal;
pub(crate) mod ring;
pub(crate) mod spec;
pub(crate) mod tick;
pub(crate) mod units;
pub(crate) mod words;
