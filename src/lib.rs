//! perpdeck

pub mod api;
pub mod app;
pub mod cli;
pub mod config;
pub mod exchange;
pub mod model;
