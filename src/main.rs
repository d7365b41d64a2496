//! The `perpdeck` program: what was typed goes to [`perpdeck::cli`], and how it went is the exit code.

use perpdeck::cli::{self, Environment, Exit};

fn main() -> Exit {
    let environment = Environment::take();
    cli::read().map_or_else(|exit| exit, |args| cli::run(args, environment))
}
