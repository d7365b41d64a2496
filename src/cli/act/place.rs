//! `perpdeck place`: a new order of any type, or many from a file.

mod lines;

use super::{
    bracket::BracketRule,
    consent::ActingService,
    entry::{self, EntryArgs, WrittenEntry},
    field_flags::PlaceFlags,
};
use crate::{cli::Exit, config::Sources};
use clap::ValueHint;
use color_eyre::Result;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PlaceArgs {
    #[command(flatten)]
    order: EntryArgs<PlaceFlags>,
    #[arg(
        long,
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["market", "side", "type", "size"],
        help = "Places one order for each line of JSON; - is standard input",
        long_help = "Places one order for each line of JSON in this file; - is standard input. The members are the \
                     flags: {\"market\": \"btc\", \"side\": \"buy\", \"type\": \"limit\", \"size\": 0.1, \"limit_price\": 60000}. \
                     A line that cannot be read means that nothing is sent. With --idempotency-key KEY, the order of line N \
                     has the key KEY-N, so that the same file can be repeated",
    )]
    file: Option<PathBuf>,
    /// Adds the exits of `bracket`; several targets wait for the fill
    #[arg(long, conflicts_with = "file")]
    bracket: bool,
}

pub(in crate::cli) async fn run(args: PlaceArgs, sources: &Sources) -> Result<Exit> {
    let Some(file) = args.file else {
        let mut order = WrittenEntry::from(args.order);
        if args.bracket {
            order.bracket = BracketRule::OfSettings;
        }
        return entry::run(order, sources).await;
    };
    let service = ActingService::open(sources, args.order.how).await?;
    lines::place(&service, &file, &args.order.key).await
}
