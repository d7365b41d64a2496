//! The account as a whole: what is known of it, what it is set to, and the functions that need more than one of its
//! parts. Names `activity` and the rooms below it, and nothing of the screen: a verb has an account too.

pub(crate) mod account;
pub(crate) mod alerts;
pub(crate) mod effect;
pub mod sheet;
pub(crate) mod user_alerts;
