//! perpdeck

pub mod api;
pub mod cli;
pub mod config;
pub mod exchange;
pub mod model;
