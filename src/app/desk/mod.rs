//! One account's desk: the model, its messages, the settings in force, and functions on the model that all rooms above
//! share. Names `dialogs` and the rooms below it.

pub(crate) mod cursor;
pub(crate) mod evidence;
pub(crate) mod freeze;
pub(crate) mod frozen;
pub(crate) mod links;
pub(crate) mod market_shown;
pub(crate) mod model;
pub(crate) mod msg;
pub(crate) mod older_pages;
pub(crate) mod presets;
pub mod reload;
pub(crate) mod replaced_row;
pub(crate) mod row_replacement;
pub(crate) mod table_view;
pub mod tour;
pub mod tour_step;
