//! `perpdeck serve`: the paper exchange alone, until it is interrupted.
//!
//! Contract: prints where it listens, whom it knows and with which keys, once, and then only works. Ctrl-C and SIGTERM
//! end it with code 0 after the answers under way are out.

use super::world::World;
use std::net::SocketAddr;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    #[command(flatten)]
    world: World,
    /// What to print; a table on a terminal and JSON elsewhere when left out
    #[arg(long, value_enum)]
    output: Option<Output>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Output {
    Table,
    Json,
}
