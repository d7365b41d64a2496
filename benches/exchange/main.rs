//! What the paper exchange costs: `cargo bench`, or `cargo bench --bench exchange -- history`, `engine` or `service` for one part;
//! `place` for one case of `service`.
//!
//! Own timing, no harness: the figures are whole-process ones (a step with so many orders, requests per second with
//! so many connections, resident memory), told once, for the table in the README.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "it measures, and says what it measured"
)]

mod bare;
mod engine;
mod service;
mod world;

use std::time::{Duration, Instant};

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| {
        let mut names = asked.iter().filter(|arg| !arg.starts_with('-')).peekable();
        names.peek().is_none() || names.any(|arg| arg == name)
    };
    // Memory is told as what the process has more than before: only the first of these has none to use again.
    if wanted("history") {
        engine::history();
    }
    if wanted("engine") {
        engine::measure();
    }
    if wanted("service") {
        service::measure();
    }
    // A part of `service`, so only by its name.
    if asked.iter().any(|arg| arg == "place") {
        service::place();
    }
}

/// The middle one of `count` runs.
fn median(count: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[count / 2]
}

/// Memory of this process, in MiB.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<f64>().ok());
    pages.unwrap_or(f64::NAN) * 4.0 / 1024.0
}
