//! One account's desk: the model, its messages, the settings in force, and functions on the model that all rooms above
//! share. Names `dialogs` and the rooms below it.

pub(crate) mod alerts;
pub(crate) mod cursor;
pub(crate) mod freeze;
pub(crate) mod links;
pub(crate) mod market_shown;
pub(crate) mod model;
pub(crate) mod msg;
pub(crate) mod older_pages;
pub(crate) mod options;
pub(crate) mod presets;
pub(crate) mod reading;
pub mod reload;
pub(crate) mod row_replacement;
pub(crate) mod table_view;
pub mod tour;
pub(crate) mod tracked;
pub(crate) mod user_alerts;
