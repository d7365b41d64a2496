//! perpdeck

pub mod api;
pub mod exchange;
pub mod model;
