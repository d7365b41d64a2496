//! `perpdeck exits ORDER_ID`: the take profit and stop loss attached to a resting order.
//!
//! Both legs are always sent, because what a missing one means is not documented: the one that is not named is read
//! first and sent as it is. A stop that is moved so that more is lost there is held back where new risk is, as far as a look
//! at the order tells; a service that does not answer at once is not waited for.

use super::consent;
use super::typed::Typed;
use crate::cli::act::perform::perform;
use crate::cli::act::prepared::Deed;
use crate::cli::act::prepared::How;
use crate::{
    app::Store,
    cli::{Exit, disk_wait::MOMENT, service::Service},
    config::Sources,
    model::{
        Command, Failure, FailureKind, Num, Order, OrderId,
        draft::{Draft, ExitsDraft, Field, RelativePrice, Seen, Texts, positive},
    },
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
    take_profit: Option<Written>,
    /// A price, or none to take it away; as it is when left out
    #[arg(long, value_name = "PRICE|none", value_parser = leg)]
    stop_loss: Option<Written>,
    #[command(flatten)]
    how: How,
}

/// A leg as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Written {
    None,
    /// In digits, or said by another price.
    Price(String),
}

fn leg(text: &str) -> Result<Written, String> {
    let priced = || Written::Price(text.to_owned());
    match text {
        "none" => Ok(Written::None),
        said if RelativePrice::read(said).is_some() => Ok(priced()),
        price => positive(price)
            .map(|_| priced())
            .map_err(|why| format!("a price or none: {why}")),
    }
}

pub(in crate::cli) async fn run(args: Args, sources: &Sources) -> Result<Exit> {
    exits(&args, sources).await
}

async fn exits(args: &Args, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources)?;
    consent::possible(&service, args.how)?;
    let mut store = Store::default();
    let order = match (&args.take_profit, &args.stop_loss) {
        (Some(_), Some(_)) => {
            let look = service.client.working_orders(&service.account);
            let page = timeout(MOMENT, look).await.ok().and_then(Result::ok);
            let mut orders = page.into_iter().flat_map(|page| page.rows);
            orders.find(|order| order.id == args.order_id)
        }
        _ => Some(found(&service, &args.order_id).await?),
    };
    if order.is_some() {
        let _in_time = timeout(MOMENT, service.take_prices(&mut store)).await;
    }
    let seen = Seen {
        market: order.as_ref().and_then(|o| store.market(&o.market_id)),
        order: order.as_ref(),
        ..Seen::default()
    };
    let (mut typed, form) = (Typed::default(), Draft::Exits(args.draft(order.as_ref())));
    let Draft::Exits(draft) = typed.in_digits(&form, &seen, args.how.output.voice()) else {
        return Err(Failure::local("no draft of exits").into());
    };
    let exits = typed.faults(draft.exits(&seen));
    let command = Command::Exits(typed.finish(exits)?);
    let deed = Deed::new(&service, command, None)?;
    perform(&service, args.how, deed, &[]).await
}

impl Args {
    /// As the form of the desk has them: a leg that is not named is as it is.
    fn draft(&self, order: Option<&Order>) -> ExitsDraft {
        let text = |leg: &Option<Written>, now: Option<Num>| match leg {
            Some(Written::Price(price)) => price.clone(),
            Some(Written::None) => String::new(),
            None => now.map(|price| price.to_string()).unwrap_or_default(),
        };
        let target = order.and_then(|order| order.attached_take_profit_price);
        let stop = order.and_then(|order| order.attached_stop_loss_price);
        ExitsDraft {
            order_id: self.order_id.clone(),
            texts: Texts::default()
                .with(Field::TakeProfit, text(&self.take_profit, target))
                .with(Field::StopLoss, text(&self.stop_loss, stop)),
        }
    }
}

async fn found(service: &Service, id: &OrderId) -> Result<Order, Failure> {
    let page = service.working_orders().await?;
    let order = page.rows.into_iter().find(|order| order.id == *id);
    let why = format!("no working order is called {id}: name both legs to send them unseen");
    order.ok_or_else(|| Failure::new(FailureKind::NotFound, why))
}
