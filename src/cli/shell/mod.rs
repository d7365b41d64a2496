//! What the shell and `man` read of the command line: help with examples, completions and manual pages.

pub(super) mod completer;
pub(super) mod completions;
mod examples;
pub(super) mod help;
pub(super) mod man;
