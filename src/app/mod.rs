//! The desk's behaviour as one pure function: what happened comes in as [`Msg`], what is wanted of the
//! world goes out as [`Effect`], and [`update()`] joins them.
//!
//! Contract: no I/O, no clock, no terminal, no async. Time comes in with every message.

mod about;
mod alerts;
pub mod amend;
mod arrival;
mod backing;
mod books;
mod bulk;
mod caller;
pub mod checks;
mod clocks;
pub mod command;
mod cursor;
mod days;
mod doubt;
pub mod earlier;
mod effect;
mod equity;
pub mod export;
mod feed;
pub mod fees;
mod fleet;
mod flight;
pub mod form;
mod freeze;
pub mod guard;
pub mod halt;
mod health;
mod identity;
mod idle;
mod key_prefix;
pub mod keymap;
pub mod lens;
mod line;
mod lineage;
mod lookup;
pub mod marks;
mod model;
pub mod mouse;
mod msg;
mod next;
pub mod notice;
mod options;
pub mod overlay;
pub mod pane;
pub mod poll;
mod press;
mod prices;
pub mod prompt;
mod remote;
pub mod renewal;
mod screen;
pub mod second;
pub mod slips;
mod store;
mod submit;
mod tally;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod tour;
mod unseen;
mod update;
mod wake;

pub use about::{About, Target};
pub use alerts::Alert;
pub use books::{Books, Unfit};
pub use bulk::marked;
pub use caller::{CallerId, CallerRequest, Sending};
pub use clocks::Clocks;
pub use days::{DayResult, Days};
pub use effect::{Clip, Effect, TerminalOut};
pub use equity::Equity;
pub use feed::{Churn, Feed};
pub use fleet::{AccountLabel, AccountLabels, Desks, Fleet, Switch, Visibility, Whose};
pub use freeze::Frozen;
pub use health::Health;
pub use identity::{Identity, Mode, Profile};
pub use key_prefix::{KeyPrefix, awaited};
pub use lineage::{Lineage, links};
pub use model::Model;
pub use msg::Msg;
pub use next::Next;
pub use options::{CloseAllRule, Options};
pub use prices::{Fill, Prices};
pub use remote::Remote;
pub use screen::{Rows, TreeRow};
pub use store::{Closing, Ended, EndedBy, Flight, Reckoning, Store, Then};
pub use tally::{Fills, MarketResults, Quality, Results, Rule, Sum};
pub use update::update;
pub use wake::wake;

pub use crate::config::{Motion, Tint};
