//! The `perpdeck` program: what was typed goes to [`perpdeck::cli`], and how it went is the exit code.

use clap::Parser;
use perpdeck::cli::{self, Args, Exit};

fn main() -> Exit {
    cli::run(Args::parse())
}
