//! The rows and columns of each resource, one file each, for panes, the command line and exports. Names `text`.

pub(crate) mod activity;
pub(crate) mod alert;
pub mod alert_rows;
pub(crate) mod calls;
pub(crate) mod closed;
pub(crate) mod csv;
pub(crate) mod days;
pub(crate) mod evidence;
pub(crate) mod history;
pub(crate) mod order_words;
pub(crate) mod orders;
pub(crate) mod positions;
pub(crate) mod protection;
pub mod quotes;
pub(crate) mod reading;
pub mod rows;
pub(crate) mod scaled;
#[cfg(test)]
mod sides;
pub mod standing;
pub(crate) mod twaps;
pub(crate) mod user_alert;
