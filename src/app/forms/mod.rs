//! Forms of orders: fields, choices, errors and questions. Names `tables` and the rooms below it.

pub(crate) mod answer;
mod asking;
pub(crate) mod bracket;
pub(crate) mod choice;
mod entry_change;
pub(crate) mod faults;
pub mod form;
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
