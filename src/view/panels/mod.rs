//! What is around and over the panes: header, footer, titles, strips, help, lists. Names `details` and the rooms below
//! it.

pub(crate) mod accounts;
pub(crate) mod bulk;
pub(crate) mod column_list;
pub(crate) mod export;
pub(crate) mod footer;
pub(crate) mod glossary;
pub(crate) mod guard;
pub(crate) mod header;
pub(crate) mod help;
mod key_needs;
pub(crate) mod markets;
pub(crate) mod panes;
pub(crate) mod prompt;
pub(crate) mod quality;
pub(crate) mod question;
pub(crate) mod review;
pub(crate) mod segment;
pub(crate) mod settings;
pub(crate) mod strip;
pub(crate) mod title;
pub(crate) mod toast;
pub(crate) mod tour;
pub(crate) mod unseen;
pub(crate) mod user_alerts;
