//! `perpdeck close-all`: closes every open position and proves it by reads.
//!
//! The service closes one target per response and asks to wait in between. "completed" means submitted, not closed, so
//! the open positions are read afterwards. Resting orders can open positions again and are not touched.

use super::{
    consent::ActingService,
    operation::PreparedOperation,
    prepared::{ActFlags, KeyFlag},
};
use crate::{app::workflows::OperationKind, cli::Exit, config::Sources};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CloseAllArgs {
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: CloseAllArgs, sources: &Sources) -> Result<Exit> {
    let service = ActingService::open(sources, args.how).await?;
    let operation = PreparedOperation::new(&service, OperationKind::CloseAll, args.key.chosen)?;
    let what = "close all positions, at most 2.5 % slippage,";
    operation.carry_out(&service, what).await
}
