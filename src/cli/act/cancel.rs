//! `perpdeck cancel`: an order, a TWAP, a scaled order, or every working order.

mod all;
mod each;

use super::{
    consent,
    perform::perform,
    prepared::{ActFlags, PreparedCommand},
    typed::id,
};
use crate::{
    cli::{Exit, service::Service},
    config::Sources,
    model::{Command, OrderId, ScaledId, TwapId},
};
use color_eyre::Result;
use each::{READ_TIMEOUT, cancels, several};
use tokio::time::timeout;

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
    fn one(&self) -> Option<Command> {
        let order = match self.order_ids.as_slice() {
            [id] => Some(Command::Cancel(id.clone())),
            [] | [_, _, ..] => None,
        };
        let twap = self.twap.clone().map(Command::StopTwap);
        let scaled = self.scaled.clone().map(Command::CancelScaled);
        order.or(twap).or(scaled)
    }
}

pub(in crate::cli) async fn run(args: CancelArgs, sources: &Sources) -> Result<Exit> {
    let service = consent::service(sources, args.how).await?;
    match args.what.one() {
        Some(command) => {
            let command = classed(&service, command).await;
            let prepared = PreparedCommand::new(command, None)?;
            perform(&service, args.how, prepared, &[]).await
        }
        None if args.what.all => all::run(&service, args.how).await,
        None => several(&service, args.how, &args.what.order_ids).await,
    }
}

/// Marks the cancel of an open position's stop, which waits when new entries do. If the service does not answer in
/// time, it is treated like any other cancel.
async fn classed(service: &Service, command: Command) -> Command {
    let Command::Cancel(id) = &command else {
        return command;
    };
    let look = async {
        let working = service.client.working_orders(&service.account).await.ok()?;
        let order = working.rows.into_iter().find(|order| order.id == *id)?;
        Some(cancels(service, &[order]).await)
    };
    let looked = timeout(READ_TIMEOUT, look).await.ok().flatten();
    let classed = looked.and_then(|mut commands| commands.pop());
    classed.unwrap_or(command)
}
