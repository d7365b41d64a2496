//! Data of accounts, orders and positions: ids, units, commands and refusals. Names no other room.

mod account;
mod arena;
mod challenge;
mod command;
mod counterparty;
mod fill;
mod history;
mod ids;
mod log;
mod position;
mod received;
mod records;
mod refusal;
mod row_ring;
mod spec;
pub(crate) mod tick;
mod units;
mod words;

pub(crate) use account::*;
pub(crate) use arena::*;
pub(crate) use challenge::*;
pub use command::*;
pub(crate) use counterparty::*;
pub(crate) use fill::*;
pub use history::*;
pub use ids::*;
pub use log::*;
pub(crate) use position::*;
pub use received::*;
pub use records::*;
pub use refusal::*;
pub(crate) use row_ring::*;
pub use spec::*;
pub use tick::*;
pub use units::*;
pub use words::*;
