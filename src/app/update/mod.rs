//! One message in, the changed model and the effects out: keys, mouse, the typed line, answers, time, and all accounts
//! of a desk. Names all rooms.

pub mod account_set;
pub(crate) mod act;
pub(crate) mod arrival;
pub(crate) mod chart_mouse;
pub(crate) mod closing_keys;
pub mod command;
pub(crate) mod complete;
pub(crate) mod export;
mod idle;
pub(crate) mod ladder_follow;
pub(crate) mod ladder_mouse;
pub(crate) mod market;
pub(crate) mod market_data;
pub mod mouse;
mod position_keys;
pub(crate) mod press;
pub(crate) mod price_ladder;
pub(crate) mod prompt;
pub(crate) mod reload;
pub(crate) mod review;
pub(crate) mod router;
pub(crate) mod streamed;
pub(crate) mod unanswered;
pub(crate) mod wake;
