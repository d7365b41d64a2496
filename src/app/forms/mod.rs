//! Forms of orders: fields, choices and errors. Names `tables` and the rooms below it.

pub(crate) mod answer;
pub(crate) mod choice;
mod entry_change;
pub(crate) mod faults;
pub mod form;
pub(crate) mod form_context;
pub(crate) mod markets;
pub(crate) mod observed;
pub(crate) mod open;
pub(crate) mod point;
pub(crate) mod relative;
pub(crate) mod scroll;
pub(crate) mod step;
#[cfg(test)]
mod tests;
mod typing;
