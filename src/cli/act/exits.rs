//! `perpdeck exits`, `stop` and `target`: the take profit and stop loss of positions, or of resting orders.
//!
//! The exits of a position change with one batch (`docs/delivery.md 3.6`): what is not named stays, an exit that
//! is there is moved, and two that are placed together are a pair. Those of an order are attached to it, and both are
//! always sent, because the meaning of a missing one is not documented: a leg that is not named is read first and sent
//! unchanged. A stop that is moved so that more can be lost waits when new entries do, as far as a read shows; where
//! both legs of an order are named, a slow service is not waited for.

use super::{
    consent::ActingService,
    prepared::{ActFlags, PreparedCommand},
    readings::read_rows,
    send_and_report::send_and_report,
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
        Command, Failure, FailureKind, Order, OrderId, PositionId, WantedExits,
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

/// A price, digits or relative to another, or `none`.
fn leg(text: &str) -> Result<String, String> {
    if text != "none" && RelativePrice::read(text).is_none() {
        positive(text).map_err(|why| format!("write a price or \"none\": {why}"))?;
    }
    Ok(text.to_owned())
}

pub(in crate::cli) async fn run(args: ExitsArgs, sources: &Sources) -> Result<Exit> {
    let given = [
        (Field::TakeProfit, args.take_profit),
        (Field::StopLoss, args.stop_loss),
        (Field::Size, args.size),
    ];
    each(sources, args.how, &args.of, given).await
}

/// The stop loss or the take profit alone.
pub(in crate::cli) async fn leg_of(leg: Field, args: LegArgs, sources: &Sources) -> Result<Exit> {
    let given = [(leg, Some(args.price)), (Field::Size, args.size)];
    each(sources, args.how, &args.of, given).await
}

async fn each(
    sources: &Sources,
    how: ActFlags,
    of: &[String],
    given: impl IntoIterator<Item = (Field, Option<String>)>,
) -> Result<Exit> {
    let mut texts = Texts::default();
    for (field, text) in given {
        if let Some(text) = text {
            texts.set(field, text);
        }
    }
    let service = ActingService::open(sources, how).await?;
    let one = async |of: String, _| set(&service, &texts, &of).await;
    service.each(of, one).await
}

async fn set(service: &ActingService, given: &Texts, of: &str) -> Result<Exit> {
    let has_size = given.has(Field::Size);
    let is_complete = given.has(Field::TakeProfit) && given.has(Field::StopLoss) && !has_size;
    let mut store = if is_complete {
        // On the heap, because it is large.
        let read = Box::pin(read_rows(service));
        in_time(read).await.unwrap_or_default()
    } else {
        read_rows(service).await
    };
    let order_id = OrderId::from(of);
    let order = store.order(&order_id).filter(|order| order.is_working());
    if order.is_none() && !store.positions_named(of).is_empty() {
        let id = named::position(PositionId::from(of), &store)?;
        let wanted = of_position(service, given, &id, &store)?;
        let one = OrderMove::of_exits(Moved::Exits(ExitGoals::setting(id, wanted)));
        return workflow::in_place(service, &mut store, one).await;
    }
    if has_size {
        let size = given.of(Field::Size);
        let why = format!("--size {size}: exits that are attached to an order have its size");
        return Err(UsageError(why).into());
    }
    if order.is_none() && (!is_complete || named::is_word(of)) {
        return Err(unknown(of, &store).into());
    }
    let command = attached(service, given, order_id, order, &store)?;
    send_and_report(service, PreparedCommand::new(command, None)?).await
}

/// The exits of the position as they were named.
fn of_position(
    service: &Service,
    given: &Texts,
    id: &PositionId,
    store: &Store,
) -> Result<WantedExits> {
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
    let form = Draft::Protect(ProtectDraft {
        position_id: id.clone(),
        shown: Texts::default(),
        texts: given.clone(),
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
    service: &Service,
    given: &Texts,
    order_id: OrderId,
    order: Option<&Order>,
    store: &Store,
) -> Result<Command> {
    let seen = Seen {
        market: order.and_then(|order| store.market(&order.market_id)),
        order,
        ..Seen::default()
    };
    let target = order.and_then(|order| order.attached_take_profit_price);
    let stop = order.and_then(|order| order.attached_stop_loss_price);
    let mut texts = given.clone();
    for (leg, unchanged) in [(Field::TakeProfit, target), (Field::StopLoss, stop)] {
        if let Some(price) = unchanged.filter(|_| !given.has(leg)) {
            texts.set(leg, price.to_string());
        }
    }
    let form = Draft::Exits(ExitsDraft { order_id, texts });
    let (_, command) = typed::read(service, &form, &seen, |draft| draft.command(&seen))?;
    Ok(command)
}

/// Why nothing of this name was found: the lists could not be read, or do not have it.
fn unknown(named: &str, store: &Store) -> Failure {
    let gap = store.orders.gap().or_else(|| store.positions.gap());
    let why = format!(
        "there is no open position and no working order {named}; give both --take-profit and --stop-loss of an order to \
         set them without reading it"
    );
    gap.unwrap_or_else(|| Failure::new(FailureKind::NotFound, why))
}
