//! perpdeck

pub mod exchange;
