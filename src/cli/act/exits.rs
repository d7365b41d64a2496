//! `perpdeck exits`, `stop` and `target`: the take profit and stop loss of positions, or of resting orders.
//!
//! The exits of a position change with one batch (`docs/delivery.md 3.6`): what is not named stays, an exit that
//! is there is moved, and two that are placed together are a pair. Those of an order are attached to it, and both are
//! always sent, because the meaning of a missing one is not documented: a leg that is not named is read first and sent
//! unchanged. A stop that is moved so that more can be lost waits when new entries do, as far as a read shows; where
//! both legs of an order are named, a slow service is not waited for.

use super::{
    consent::ActingService,
    perform::perform,
    prepared::{ActFlags, PreparedCommand},
    readings::read_rows,
    typed, workflow,
};
use crate::{
    app::{
        Store,
        workflows::{
            OrderMove,
            goals::{ExitGoals, Moved},
        },
    },
    cli::{
        Exit,
        exit::UsageError,
        named::{self, id},
        service::{Service, in_time},
    },
    config::Sources,
    model::{
        Command, Failure, FailureKind, Num, Order, OrderId, PositionId, WantedExits,
        draft::{
            Draft, ExitsDraft, Faults, Field, ProtectDraft, RelativePrice, Seen, Texts, positive,
        },
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
#[group(id = "legs", required = true, multiple = true, args = ["take_profit", "stop_loss"])]
pub(in crate::cli) struct ExitsArgs {
    /// Positions as `positions` shows them, their markets (btc), or resting orders as `orders` shows them
    #[arg(required = true, value_name = "POSITION_ID|MARKET|ORDER_ID", value_parser = id::<String>)]
    of: Vec<String>,
    /// A price, or none to remove it [default: unchanged]
    #[arg(long, value_name = "PRICE|none", allow_hyphen_values = true, value_parser = leg)]
    take_profit: Option<String>,
    /// A price, or none to remove it [default: unchanged]
    #[arg(long, value_name = "PRICE|none", allow_hyphen_values = true, value_parser = leg)]
    stop_loss: Option<String>,
    /// Their size, of a position only: coin, or a share as 50% [default: an exit keeps its size, a new one is for the
    /// whole position]
    #[arg(long)]
    size: Option<String>,
    #[command(flatten)]
    how: ActFlags,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LegArgs {
    /// Positions as `positions` shows them, their markets (btc), or resting orders as `orders` shows them
    #[arg(required = true, value_name = "POSITION_ID|MARKET|ORDER_ID", value_parser = id::<String>)]
    of: Vec<String>,
    /// A price, as a number or an expression (entry-2%), or none to remove it
    #[arg(value_name = "PRICE|none", value_parser = leg)]
    price: String,
    /// Its size, of a position only: coin, or a share as 50% [default: it keeps its size, a new one is for the whole
    /// position]
    #[arg(long)]
    size: Option<String>,
    #[command(flatten)]
    how: ActFlags,
}

impl LegArgs {
    pub(in crate::cli) fn stop_loss(self) -> ExitsArgs {
        ExitsArgs {
            take_profit: None,
            stop_loss: Some(self.price),
            of: self.of,
            size: self.size,
            how: self.how,
        }
    }

    pub(in crate::cli) fn take_profit(self) -> ExitsArgs {
        let args = self.stop_loss();
        ExitsArgs {
            take_profit: args.stop_loss,
            stop_loss: None,
            ..args
        }
    }
}

/// A price, digits or relative to another, or `none`.
fn leg(text: &str) -> Result<String, String> {
    if text != "none" && RelativePrice::read(text).is_none() {
        positive(text).map_err(|why| format!("write a price or \"none\": {why}"))?;
    }
    Ok(text.to_owned())
}

pub(in crate::cli) async fn run(args: ExitsArgs, sources: &Sources) -> Result<Exit> {
    let service = ActingService::open(sources, args.how).await?;
    let one = async |of: String, _| set(&args, &of, &service).await;
    service.each(&args.of, one).await
}

async fn set(args: &ExitsArgs, of: &str, service: &ActingService) -> Result<Exit> {
    let is_complete = args.take_profit.is_some() && args.stop_loss.is_some() && args.size.is_none();
    let mut store = if is_complete {
        in_time(read_rows(service)).await.unwrap_or_default()
    } else {
        read_rows(service).await
    };
    let order_id = OrderId::from(of);
    let order = store.order(&order_id).filter(|order| order.is_working());
    if order.is_none() && !store.positions_named(of).is_empty() {
        return of_position(args, of, service, &mut store).await;
    }
    if let Some(size) = &args.size {
        let why = format!("--size {size}: exits that are attached to an order have its size");
        return Err(UsageError(why).into());
    }
    if order.is_none() && (!is_complete || named::is_word(of)) {
        return Err(unknown(of, &store).into());
    }
    let command = args.attached(service, order_id, (order, &store))?;
    let prepared = PreparedCommand::new(command, None)?;
    perform(service, prepared).await
}

async fn of_position(
    args: &ExitsArgs,
    of: &str,
    service: &ActingService,
    store: &mut Store,
) -> Result<Exit> {
    let id = named::position(PositionId::from(of), store)?;
    let wanted = args.wanted(service, &id, store)?;
    let one = OrderMove::of_exits(Moved::Exits(ExitGoals::setting(id, wanted)));
    workflow::in_place(service, store, one).await
}

impl ExitsArgs {
    /// The exits of the position as they were named.
    fn wanted(&self, service: &Service, id: &PositionId, store: &Store) -> Result<WantedExits> {
        let Some(position) = store.position(id) else {
            return Err(unknown(id.raw(), store).into());
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
        let written = |leg: &Option<String>| leg.clone().unwrap_or_default();
        let form = Draft::Protect(ProtectDraft {
            position_id: id.clone(),
            shown: Texts::default(),
            texts: Texts::default()
                .with(Field::TakeProfit, written(&self.take_profit))
                .with(Field::StopLoss, written(&self.stop_loss))
                .with(Field::Size, written(&self.size)),
        });
        let (_, wanted) = typed::read(service, &form, &seen, |draft| {
            draft.command(&seen)?;
            match draft {
                Draft::Protect(draft) => draft.wanted(&seen),
                Draft::Entry(_) | Draft::Close(_) | Draft::Exits(_) | Draft::Margin(_) => {
                    Err(Faults::default())
                }
            }
        })?;
        Ok(wanted)
    }

    /// The exits attached to an order, as far as that is known.
    fn attached(
        &self,
        service: &Service,
        order_id: OrderId,
        (order, store): (Option<&Order>, &Store),
    ) -> Result<Command> {
        let seen = Seen {
            market: order.and_then(|order| store.market(&order.market_id)),
            order,
            ..Seen::default()
        };
        let text = |leg: &Option<String>, now: Option<Num>| {
            let unchanged = || now.map(|price| price.to_string());
            leg.clone().or_else(unchanged).unwrap_or_default()
        };
        let target = order.and_then(|order| order.attached_take_profit_price);
        let stop = order.and_then(|order| order.attached_stop_loss_price);
        let form = Draft::Exits(ExitsDraft {
            order_id,
            texts: Texts::default()
                .with(Field::TakeProfit, text(&self.take_profit, target))
                .with(Field::StopLoss, text(&self.stop_loss, stop)),
        });
        let (_, command) = typed::read(service, &form, &seen, |draft| draft.command(&seen))?;
        Ok(command)
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
