//! `perpdeck cancel`: an order, a TWAP, a scaled order, or every working order.

mod all;
mod several;

use super::{
    consent,
    perform::perform,
    prepared::{ActFlags, PreparedCommand},
    typed::id,
};
use crate::{
    cli::Exit,
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
#[group(required = true, multiple = false)]
struct CancelTarget {
    /// The ids of orders; each has one line in the result
    #[arg(value_name = "ORDER_ID", value_parser = id::<OrderId>)]
    order_ids: Vec<OrderId>,
    /// Stops a TWAP or VWAP order; its open slice stays
    #[arg(long, value_name = "TWAP_ORDER_ID", value_parser = id::<TwapId>)]
    twap: Option<TwapId>,
    /// Cancels a ladder and its working rungs
    #[arg(long, value_name = "SCALED_ORDER_ID", value_parser = id::<ScaledId>)]
    scaled: Option<ScaledId>,
    /// Cancels every working order of the account. TWAPs continue. After a flatten (HALTED) the stops of open
    /// positions stay
    #[arg(long)]
    all: bool,
}

impl CancelTarget {
    fn strategy(&self) -> Option<Command> {
        let twap = self.twap.clone().map(Command::StopTwap);
        twap.or_else(|| self.scaled.clone().map(Command::CancelScaled))
    }
}

pub(in crate::cli) async fn run(args: CancelArgs, sources: &Sources) -> Result<Exit> {
    let service = consent::service(sources, args.how).await?;
    match args.what.strategy() {
        Some(command) => {
            let prepared = PreparedCommand::new(command, None)?;
            perform(&service, args.how, prepared).await
        }
        None if args.what.all => all::run(&service, args.how).await,
        None => several::named(&service, args.how, &args.what.order_ids).await,
    }
}
