//! `perpdeck exits ORDER_ID`: the take profit and stop loss attached to a resting order.
//!
//! Both legs are always sent, because what a missing one means is not documented: the one that is not named is read
//! first and sent as it is. A stop that is moved so that more is lost there is held back where new risk is, as far as a look
//! at the order tells; a service that does not answer at once is not waited for.

use super::{Deed, How, consent, perform};
use crate::{
    cli::{Exit, disk_wait::MOMENT, service::Service},
    config::Sources,
    model::{Command, Exits, Failure, FailureKind, Leg, Num, Order, OrderId, draft::positive},
};
use color_eyre::Result;
use tokio::time::timeout;

#[derive(Debug, clap::Args)]
#[group(id = "legs", required = true, multiple = true, args = ["take_profit", "stop_loss"])]
pub(in crate::cli) struct Args {
    /// As `orders` shows it
    order_id: OrderId,
    /// A price, or none to take it away; as it is when left out
    #[arg(long, value_name = "PRICE|none", value_parser = leg)]
    take_profit: Option<Leg>,
    /// A price, or none to take it away; as it is when left out
    #[arg(long, value_name = "PRICE|none", value_parser = leg)]
    stop_loss: Option<Leg>,
    #[command(flatten)]
    how: How,
}

fn leg(text: &str) -> Result<Leg, String> {
    match text {
        "none" => Ok(Leg::Remove),
        price => positive(price)
            .map(Leg::Set)
            .map_err(|why| format!("a price or none: {why}")),
    }
}

pub(in crate::cli) async fn run(args: Args, sources: &Sources) -> Result<Exit> {
    args.how.output.voice().told(exits(&args, sources).await)
}

async fn exits(args: &Args, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources)?;
    consent::possible(&service, args.how)?;
    let exits = match (args.take_profit, args.stop_loss) {
        (Some(take_profit), Some(stop_loss)) => {
            let look = service.client.working_orders(&service.account);
            let page = timeout(MOMENT, look).await.ok().and_then(Result::ok);
            let mut orders = page.into_iter().flat_map(|page| page.rows);
            match orders.find(|order| order.id == args.order_id) {
                Some(order) => Exits::of(&order, take_profit, stop_loss),
                None => Exits::unseen(args.order_id.clone(), take_profit, stop_loss),
            }
        }
        (take_profit, stop_loss) => {
            let order = found(&service, &args.order_id).await?;
            let take_profit = take_profit.unwrap_or(as_it_is(order.attached_take_profit_price));
            let stop_loss = stop_loss.unwrap_or(as_it_is(order.attached_stop_loss_price));
            Exits::of(&order, take_profit, stop_loss)
        }
    };
    let deed = Deed::new(&service, Command::Exits(exits), None)?;
    perform(&service, args.how, deed, &[]).await
}

fn as_it_is(price: Option<Num>) -> Leg {
    price.map_or(Leg::Remove, Leg::Set)
}

async fn found(service: &Service, id: &OrderId) -> Result<Order, Failure> {
    let page = service.working_orders().await?;
    let order = page.rows.into_iter().find(|order| order.id == *id);
    let why = format!("no working order is called {id}: name both legs to send them unseen");
    order.ok_or_else(|| Failure::new(FailureKind::NotFound, why))
}
