//! Settings: what they are, where they come from, and what is wrong with them.

mod connection;

pub use crate::api::Dialect;
pub use connection::{Connection, FactsSource, PriceSource, Secret};
