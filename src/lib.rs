//! perpdeck

pub mod api;
pub mod config;
pub mod exchange;
pub mod model;
