//! perpdeck

pub mod api;
pub mod app;
pub mod config;
pub mod exchange;
pub mod model;
pub mod ui;
pub mod view;
