//! The `perpdeck` program: passes its arguments to [`perpdeck::cli`] and returns the exit code.

use perpdeck::cli::{self, Environment, Exit};

fn main() -> Exit {
    let environment = Environment::take();
    if cli::complete(&environment) {
        return Exit::Ok;
    }
    cli::read().map_or_else(|exit| exit, |args| cli::run(args, &environment))
}
