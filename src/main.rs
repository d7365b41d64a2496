//! The `perpdeck` program: what was typed goes to [`perpdeck::cli`], and how it went is the exit code.

use perpdeck::cli::{self, Exit};

fn main() -> Exit {
    cli::read().map_or_else(|exit| exit, cli::run)
}
