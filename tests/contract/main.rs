//! The paper exchange over a real socket: every endpoint of the API description with its documented statuses.
//! The virtual clock stands still; time passes only where a test says so.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    reason = "a failed helper is a failed test; prices to trade at need no exactness"
)]

mod access;
mod bodies;
mod cancel_all;
mod close_all;
mod demo;
mod documented;
mod durable;
mod durable_refusals;
mod faults;
mod frozen;
mod history;
mod keep;
mod lists;
mod market_sources;
mod modify;
mod names;
mod openapi;
mod orders;
mod positions;
mod reads;
mod sim;
mod strategies;
mod streams;
mod strict;
#[path = "../support/mod.rs"]
mod support;
mod types;
