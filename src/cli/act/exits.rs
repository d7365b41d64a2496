//! `perpdeck exits`: the take profit and stop loss of a position, or of a resting order.
//!
//! The exits of a position change with one batch (`docs/delivery.md 3.6`): what is not named stays, an exit that
//! is there is moved, and two that are placed together are a pair. Those of an order are attached to it, and both are
//! always sent, because the meaning of a missing one is not documented: a leg that is not named is read first and sent
//! unchanged. A stop that is moved so that more can be lost waits when new entries do, as far as a read shows; where
//! both legs of an order are named, a slow service is not waited for.

use super::{
    consent, drive,
    perform::perform,
    prepared::{ActFlags, PreparedCommand},
    readings::read_rows,
    typed::{self, FlagFaults, id},
};
use crate::{
    app::{
        Store,
        workflows::{
            OrderMove,
            goals::{ExitGoals, Moved},
        },
    },
    cli::{Exit, disk_wait::JOURNAL_OPEN_TIMEOUT, exit::UsageError, service::Service},
    config::Sources,
    model::{
        Command, Failure, FailureKind, Num, Order, OrderId, PositionId, WantedExits,
        draft::{Draft, ExitsDraft, Field, ProtectDraft, RelativePrice, Seen, Texts, positive},
    },
};
use color_eyre::Result;
use tokio::time::timeout;

#[derive(Debug, clap::Args)]
#[group(id = "legs", required = true, multiple = true, args = ["take_profit", "stop_loss"])]
pub(in crate::cli) struct ExitsArgs {
    /// A position as `positions` shows it, its market (btc), or a resting order as `orders` shows it
    #[arg(value_name = "POSITION_ID|MARKET|ORDER_ID", value_parser = id::<String>)]
    of: String,
    /// A price, or none to remove it [default: unchanged]
    #[arg(long, value_name = "PRICE|none", allow_hyphen_values = true, value_parser = leg)]
    take_profit: Option<WrittenLeg>,
    /// A price, or none to remove it [default: unchanged]
    #[arg(long, value_name = "PRICE|none", allow_hyphen_values = true, value_parser = leg)]
    stop_loss: Option<WrittenLeg>,
    /// Their size, of a position only: coin, or a share as 50% [default: an exit keeps its size, a new one is for the
    /// whole position]
    #[arg(long)]
    size: Option<String>,
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
    let service = consent::service(sources, args.how).await?;
    let is_complete = args.take_profit.is_some() && args.stop_loss.is_some() && args.size.is_none();
    let mut store = if is_complete {
        let reads = timeout(JOURNAL_OPEN_TIMEOUT, read_rows(&service)).await;
        reads.unwrap_or_default()
    } else {
        read_rows(&service).await
    };
    let order_id = OrderId::from(args.of.as_str());
    let order = store.order(&order_id).filter(|order| order.is_working());
    if order.is_none() && !store.positions_named(&args.of).is_empty() {
        return of_position(&args, &service, &mut store).await;
    }
    if let Some(size) = &args.size {
        let why = format!("--size {size}: exits that are attached to an order have its size");
        return Err(UsageError(why).into());
    }
    if order.is_none() && (!is_complete || typed::is_word(&args.of)) {
        return Err(unknown(&args.of, &store).into());
    }
    let command = args.attached(order_id, (order, &store))?;
    let prepared = PreparedCommand::new(command, None)?;
    perform(&service, args.how, prepared, &[]).await
}

async fn of_position(args: &ExitsArgs, service: &Service, store: &mut Store) -> Result<Exit> {
    let id = typed::position(PositionId::from(args.of.as_str()), store)?;
    let wanted = args.wanted(&id, store)?;
    let one = OrderMove::of_exits(Moved::Exits(ExitGoals::setting(id, wanted)));
    drive::in_place(service, args.how, store, one).await
}

impl ExitsArgs {
    /// The exits of the position as they were named.
    fn wanted(&self, id: &PositionId, store: &Store) -> Result<WantedExits> {
        let Some(position) = store.position(id) else {
            return Err(unknown(&self.of, store).into());
        };
        if let Some(why) = store.orders.trouble() {
            return Err(why.clone().into());
        }
        let seen = Seen {
            market: store.market(&position.market_id),
            position: Some(position),
            working: store.orders.rows(),
            ..Seen::default()
        };
        let written = |leg: &Option<WrittenLeg>| match leg {
            Some(WrittenLeg::Price(price)) => price.clone(),
            Some(WrittenLeg::None) => "none".to_owned(),
            None => String::new(),
        };
        let form = Draft::Protect(ProtectDraft {
            position_id: id.clone(),
            shown: Texts::default(),
            texts: Texts::default()
                .with(Field::TakeProfit, written(&self.take_profit))
                .with(Field::StopLoss, written(&self.stop_loss))
                .with(Field::Size, self.size.clone().unwrap_or_default()),
        });
        let mut typed = FlagFaults::default();
        let Draft::Protect(draft) = typed.in_digits(&form, &seen, self.how.output.voice()) else {
            return Err(unknown(&self.of, store).into());
        };
        let wanted = draft.batch(&seen).and_then(|_| draft.wanted(&seen));
        let wanted = typed.faults(wanted);
        Ok(typed.finish(wanted)?)
    }

    /// The exits attached to an order, as far as that is known.
    fn attached(
        &self,
        order_id: OrderId,
        (order, store): (Option<&Order>, &Store),
    ) -> Result<Command> {
        let seen = Seen {
            market: order.and_then(|order| store.market(&order.market_id)),
            order,
            ..Seen::default()
        };
        let text = |leg: &Option<WrittenLeg>, now: Option<Num>| match leg {
            Some(WrittenLeg::Price(price)) => price.clone(),
            Some(WrittenLeg::None) => String::new(),
            None => now.map(|price| price.to_string()).unwrap_or_default(),
        };
        let target = order.and_then(|order| order.attached_take_profit_price);
        let stop = order.and_then(|order| order.attached_stop_loss_price);
        let form = Draft::Exits(ExitsDraft {
            order_id,
            texts: Texts::default()
                .with(Field::TakeProfit, text(&self.take_profit, target))
                .with(Field::StopLoss, text(&self.stop_loss, stop)),
        });
        let mut typed = FlagFaults::default();
        let draft = typed.in_digits(&form, &seen, self.how.output.voice());
        let command = typed.faults(draft.command(&seen));
        Ok(typed.finish(command)?)
    }
}

/// Why nothing of this name was found: the lists could not be read, or do not have it.
fn unknown(named: &str, store: &Store) -> Failure {
    let trouble = store.orders.trouble().or(store.positions.trouble());
    let why = format!(
        "there is no open position and no working order {named}; give both --take-profit and --stop-loss of an order to \
         set them without reading it"
    );
    trouble
        .cloned()
        .unwrap_or_else(|| Failure::new(FailureKind::NotFound, why))
}
