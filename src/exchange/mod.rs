//! The paper exchange.

pub mod engine;
