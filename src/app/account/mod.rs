//! The data of an account, and its age: lists, prices, equity, results, limits, commands in progress, identity. Names
//! no other room.

pub(crate) mod about;
pub(crate) mod books;
pub(crate) mod clocks;
pub(crate) mod data_age;
pub(crate) mod equity;
pub(crate) mod evidence;
pub(crate) mod feed;
pub mod fees;
pub(crate) mod guard;
pub(crate) mod health;
pub(crate) mod identity;
pub mod labels;
pub(crate) mod lineage;
pub(crate) mod lookup;
pub(crate) mod options;
pub mod pane;
pub mod poll;
pub(crate) mod prices;
pub(crate) mod remote;
pub mod row_id;
pub(crate) mod session;
pub(crate) mod store;
pub(crate) mod streamed;
pub(crate) mod tally;
pub(crate) mod tracked;
pub mod trades;
pub(crate) mod tree;
pub(crate) mod used_terms;
pub mod watchlists;
