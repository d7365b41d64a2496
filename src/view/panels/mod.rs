//! What is around the panes: header, footer, titles, strips. Names `details` and the rooms below it.

pub(crate) mod footer;
pub(crate) mod guard;
pub(crate) mod header;
mod key_needs;
pub(crate) mod notices;
pub(crate) mod panes;
pub(crate) mod prompt;
pub(crate) mod question;
pub(crate) mod segment;
pub(crate) mod strip;
pub(crate) mod title;
pub(crate) mod toast;
pub(crate) mod tour;
pub(crate) mod unseen;
