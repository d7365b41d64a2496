//! `perpdeck exits ORDER_ID`: the take profit and stop loss attached to a resting order.
//!
//! Both legs are always sent, because the meaning of a missing one is not documented: a leg that is not named is read
//! first and sent unchanged. A stop that is moved so that more can be lost waits when new entries do, as far as a read
//! of the order shows; a slow service is not waited for.

use super::consent;
use super::typed::FlagFaults;
use super::typed::id;
use crate::cli::act::perform::perform;
use crate::cli::act::prepared::ActFlags;
use crate::cli::act::prepared::PreparedCommand;
use crate::{
    app::Store,
    cli::{Exit, disk_wait::JOURNAL_OPEN_TIMEOUT, service::Service},
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
pub(in crate::cli) struct ExitsArgs {
    /// As `orders` shows it
    #[arg(value_parser = id::<OrderId>)]
    order_id: OrderId,
    /// A price, or none to remove it [default: unchanged]
    #[arg(long, value_name = "PRICE|none", allow_hyphen_values = true, value_parser = leg)]
    take_profit: Option<WrittenLeg>,
    /// A price, or none to remove it [default: unchanged]
    #[arg(long, value_name = "PRICE|none", allow_hyphen_values = true, value_parser = leg)]
    stop_loss: Option<WrittenLeg>,
    #[command(flatten)]
    how: ActFlags,
}

/// A leg as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WrittenLeg {
    None,
    /// Digits, or a price relative to another.
    Price(String),
}

fn leg(text: &str) -> Result<WrittenLeg, String> {
    let priced = || WrittenLeg::Price(text.to_owned());
    match text {
        "none" => Ok(WrittenLeg::None),
        said if RelativePrice::read(said).is_some() => Ok(priced()),
        price => positive(price)
            .map(|_| priced())
            .map_err(|why| format!("write a price or \"none\": {why}")),
    }
}

pub(in crate::cli) async fn run(args: ExitsArgs, sources: &Sources) -> Result<Exit> {
    exits(&args, sources).await
}

async fn exits(args: &ExitsArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.how.output.voice()).await?;
    consent::possible(&service, args.how)?;
    let mut store = Store::default();
    let order = match (&args.take_profit, &args.stop_loss) {
        (Some(_), Some(_)) => {
            let look = service.client.working_orders(&service.account);
            let page = timeout(JOURNAL_OPEN_TIMEOUT, look)
                .await
                .ok()
                .and_then(Result::ok);
            let mut orders = page.into_iter().flat_map(|page| page.rows);
            orders.find(|order| order.id == args.order_id)
        }
        _ => Some(found(&service, &args.order_id).await?),
    };
    if let Some(order) = &order {
        let market = std::slice::from_ref(&order.market_id);
        let prices = service.take_prices(&mut store, market);
        let _in_time = timeout(JOURNAL_OPEN_TIMEOUT, prices).await;
    }
    let seen = Seen {
        market: order.as_ref().and_then(|o| store.market(&o.market_id)),
        order: order.as_ref(),
        ..Seen::default()
    };
    let (mut typed, form) = (
        FlagFaults::default(),
        Draft::Exits(args.draft(order.as_ref())),
    );
    let Draft::Exits(draft) = typed.in_digits(&form, &seen, args.how.output.voice()) else {
        return Err(Failure::local("these exits cannot be set").into());
    };
    let exits = typed.faults(draft.exits(&seen));
    let command = Command::Exits(typed.finish(exits)?);
    let prepared = PreparedCommand::new(command, None)?;
    perform(&service, args.how, prepared, &[]).await
}

impl ExitsArgs {
    /// The draft, as in the desk's form: a leg that is not named stays.
    fn draft(&self, order: Option<&Order>) -> ExitsDraft {
        let text = |leg: &Option<WrittenLeg>, now: Option<Num>| match leg {
            Some(WrittenLeg::Price(price)) => price.clone(),
            Some(WrittenLeg::None) => String::new(),
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
    let why = format!(
        "there is no working order {id}; give both --take-profit and --stop-loss to set them without reading it"
    );
    order.ok_or_else(|| Failure::new(FailureKind::NotFound, why))
}
