//! What lies over the panes and is no form: help, lists, an export, a review. Names `panels` and the rooms below it.

pub(crate) mod accounts;
pub(crate) mod bulk;
pub(crate) mod column_list;
pub(crate) mod export;
pub(crate) mod glossary;
pub(crate) mod help;
pub(crate) mod markets;
pub(crate) mod quality;
pub(crate) mod review;
pub(crate) mod settings;
pub(crate) mod user_alerts;
