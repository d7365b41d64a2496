//! The `perpdeck` program: passes its arguments to [`perpdeck::cli`] and returns the exit code.

use perpdeck::cli::{self, Exit};

fn main() -> Exit {
    if cli::complete() {
        return Exit::Ok;
    }
    cli::read().map_or_else(|exit| exit, |args| cli::run(args))
}
