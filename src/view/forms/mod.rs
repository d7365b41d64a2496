//! Forms in words: fields, preview, warnings and the exact request. Names `panels` and the rooms below it.

pub(crate) mod caution;
pub(crate) mod depth;
pub(crate) mod entry;
pub(crate) mod fee;
pub mod form;
pub(crate) mod preview;
mod protect;
#[cfg(test)]
mod tests;
pub(crate) mod trade;
pub(crate) mod trouble;
pub(crate) mod words;
