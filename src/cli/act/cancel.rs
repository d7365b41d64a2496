//! `perpdeck cancel`: orders by id, by market or side, or every working one; and the ends of TWAPs and scaled orders.

mod all;
mod several;

use super::{consent::ActingService, prepared::ActFlags};
use crate::{
    cli::{
        Exit,
        named::id,
        read::filters::{MarketFilter, SideFilter},
    },
    config::Sources,
    model::{Command, OrderId, ScaledId, TwapId},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CancelArgs {
    #[command(flatten)]
    what: CancelTarget,
    #[command(flatten)]
    how: ActFlags,
}

#[derive(Debug, clap::Args)]
#[group(id = "target", required = true, multiple = true, args = ["order_ids", "market", "side", "all"])]
struct CancelTarget {
    /// The ids of orders; each has one line in the result
    #[arg(value_name = "ORDER_ID", value_parser = id::<OrderId>, conflicts_with_all = ["market", "side", "all"])]
    order_ids: Vec<OrderId>,
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    side: SideFilter,
    /// Every working order of the account. TWAPs continue. After a flatten (HALTED) the stops of open positions stay
    #[arg(long, conflicts_with_all = ["market", "side"])]
    all: bool,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct StopTwapArgs {
    /// As `twap list` shows them
    #[arg(required = true, value_name = "TWAP_ORDER_ID", value_parser = id::<TwapId>)]
    twap_ids: Vec<TwapId>,
    #[command(flatten)]
    how: ActFlags,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CancelScaledArgs {
    /// As `scaled list` shows them
    #[arg(required = true, value_name = "SCALED_ORDER_ID", value_parser = id::<ScaledId>)]
    scaled_ids: Vec<ScaledId>,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: CancelArgs, sources: &Sources) -> Result<Exit> {
    let service = ActingService::open(sources, args.how).await?;
    let CancelTarget {
        order_ids,
        market,
        side,
        all,
    } = args.what;
    if all {
        all::run(&service).await
    } else if order_ids.is_empty() {
        several::matching(&service, &market, side).await
    } else {
        several::named(&service, &order_ids).await
    }
}

pub(in crate::cli) async fn twaps(args: StopTwapArgs, sources: &Sources) -> Result<Exit> {
    let commands = args.twap_ids.into_iter().map(Command::StopTwap);
    strategies(args.how, sources, commands.collect()).await
}

pub(in crate::cli) async fn scaled(args: CancelScaledArgs, sources: &Sources) -> Result<Exit> {
    let commands = args.scaled_ids.into_iter().map(Command::CancelScaled);
    strategies(args.how, sources, commands.collect()).await
}

async fn strategies(how: ActFlags, sources: &Sources, commands: Vec<Command>) -> Result<Exit> {
    let service = ActingService::open(sources, how).await?;
    several::strategies(&service, commands).await
}
