//! perpdeck

pub mod api;
pub mod app;
pub mod client;
pub mod config;
pub mod exchange;
pub mod journal;
pub mod model;
pub mod view;
