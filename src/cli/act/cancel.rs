//! `perpdeck cancel`: orders by id, by market or side, or every working one; and the ends of TWAPs and scaled orders.

use super::{
    consent::ActingService,
    operation::PreparedOperation,
    prepared::{ActFlags, PreparedCommand, SendOutcome, would_be_halted},
    receipt::print_outcome,
    remains::INCOMPLETE,
    send_and_report::send,
    transport::Transport,
};
use crate::{
    app::workflows::{CancelAllPlan, OperationKind},
    cli::{
        Exit,
        named::id,
        read::filters::{MarketFilter, SideFilter},
        service::{Service, in_time},
        voice::Output,
    },
    config::Sources,
    model::{Command, FailureKind, Order, OrderId, Page, ScaledId, TwapId},
};
use color_eyre::Result;
use serde_json::json;

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
        cancel_all(&service).await
    } else if order_ids.is_empty() {
        matching(&service, &market, side).await
    } else {
        named(&service, &order_ids).await
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

/// Each with its own outcome.
async fn strategies(how: ActFlags, sources: &Sources, commands: Vec<Command>) -> Result<Exit> {
    let service = ActingService::open(sources, how).await?;
    let what = named_or(&commands, |count| format!("end {count} strategies"));
    send_all(&service, commands, &what, IfEnded::Refused).await
}

/// The only command by its words, several by their number.
fn named_or(commands: &[Command], several: impl Fn(usize) -> String) -> String {
    match commands {
        [command] => command.to_string(),
        commands => several(commands.len()),
    }
}

/// The cancel of each order, with the open positions in mind.
async fn cancels(service: &Service, orders: &[Order]) -> Vec<Command> {
    let look = service.client.open_positions();
    let open = if orders.iter().any(Order::is_armed) {
        in_time(look).await.and_then(Result::ok)
    } else {
        None
    };
    let open = open.map_or_else(Vec::new, |page| page.rows);
    orders.iter().map(|order| order.cancel(&open)).collect()
}

/// Cancels orders of this list, each with its own outcome. The stops of open positions go last, as cancels of their own:
/// they stay while new entries are blocked.
async fn one_by_one(
    service: &ActingService,
    page: &Page<Order>,
    commands: Vec<Command>,
) -> Result<Exit> {
    let what = format!("cancel {} working orders", commands.len());
    let exit = if commands.is_empty() {
        service.voice.note("no working order matches");
        Exit::Ok
    } else {
        send_all(service, commands, &what, IfEnded::Done).await?
    };
    if page.is_whole() {
        return Ok(exit);
    }
    service.voice.note(INCOMPLETE);
    Ok(exit.or(Exit::Partial))
}

/// Cancels the working orders of a market, of a side, or of a side of a market.
async fn matching(
    service: &ActingService,
    market: &MarketFilter,
    side: SideFilter,
) -> Result<Exit> {
    let market = market.wanted(service).await?;
    let page = service.working_orders().await?;
    market.check(page.rows.iter().map(|row| &row.market_id), service.voice)?;
    let rows = page.rows.iter();
    let wanted = rows.filter(|row| market.keeps(&row.market_id) && side.keeps(row.side.known()));
    let wanted: Vec<_> = wanted.cloned().collect();
    one_by_one(service, &page, cancels(service, &wanted).await).await
}

/// Cancels these orders, whether or not a list shows them.
async fn named(service: &ActingService, ids: &[OrderId]) -> Result<Exit> {
    let mut once = vec![];
    for id in ids {
        if once.contains(id) {
            service.voice.note(&format!("{id} is named twice"));
        } else {
            once.push(id.clone());
        }
    }
    let look = service.client.working_orders();
    let working = in_time(look).await.and_then(Result::ok);
    let working = working.map_or_else(Vec::new, |page| page.rows);
    let known: Vec<_> = working
        .into_iter()
        .filter(|order| once.contains(&order.id))
        .collect();
    let mut commands = cancels(service, &known).await;
    let unlisted = once
        .iter()
        .filter(|id| known.iter().all(|order| order.id != **id));
    commands.extend(unlisted.cloned().map(Command::Cancel));
    let what = named_or(&commands, |count| format!("cancel {count} orders"));
    send_all(service, commands, &what, IfEnded::Refused).await
}

/// What it means that an order has ended before it could be canceled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfEnded {
    /// It ended after it was listed: nothing is left to do.
    Done,
    /// The service's refusal is the outcome, as for one order.
    Refused,
}

/// Sends the cancels, each with its own outcome.
async fn send_all(
    service: &ActingService,
    mut commands: Vec<Command>,
    what: &str,
    if_ended: IfEnded,
) -> Result<Exit> {
    commands.sort_by_key(Command::risk);
    let prepared_commands = PreparedCommand::all(commands)?;
    let requests: Vec<_> = prepared_commands.iter().map(|one| &one.request).collect();
    if let Some(exit) = service.withheld(&requests, what).await? {
        return Ok(exit);
    }
    let outcomes = match prepared_commands.as_slice() {
        [] => vec![],
        [one] => vec![send(service, one).await?],
        [first, ..] => {
            let transport = Transport::open(service, &first.command)?;
            let sent = transport.deliver(&prepared_commands).await?;
            sent.into_iter().map(|sent| sent.outcome).collect()
        }
    };
    settled(service, &prepared_commands, &outcomes, if_ended).await
}

/// An order that could not be canceled may have ended: a read decides.
async fn settled(
    service: &Service,
    prepared_commands: &[PreparedCommand],
    outcomes: &[SendOutcome],
    if_ended: IfEnded,
) -> Result<Exit> {
    let contested = if_ended == IfEnded::Done && outcomes.iter().any(is_over);
    let left = if contested {
        service.working_orders().await.ok()
    } else {
        None
    };
    let mut exits = vec![];
    for (prepared, outcome) in prepared_commands.iter().zip(outcomes) {
        let is_gone = |id: &OrderId| {
            left.as_ref().is_some_and(|page| {
                page.is_whole() && page.rows.iter().all(|order| order.id != *id)
            })
        };
        let ended = if let Command::Cancel(id) | Command::Unprotect(id) = &prepared.command {
            Some(id).filter(|id| is_over(outcome) && is_gone(id))
        } else {
            None
        };
        exits.push(match ended {
            Some(id) => over(service.voice, id),
            None => print_outcome(service.voice, prepared, outcome),
        });
    }
    Ok(Exit::of_all(&exits))
}

fn is_over(outcome: &SendOutcome) -> bool {
    match outcome {
        Ok(receipt) => receipt.refusal().is_some(),
        Err(why) => matches!(why.kind, FailureKind::NotFound | FailureKind::Conflict),
    }
}

fn over(voice: Output, id: &OrderId) -> Exit {
    let data = json!({ "data": { "id": id, "canceled": false, "queued": false } });
    let words = format!("order {id}: was not working any more");
    voice.answer(&data, &words, None);
    Exit::Ok
}

async fn cancel_all(service: &ActingService) -> Result<Exit> {
    let page = match service.working_orders().await {
        Ok(page) => page,
        // A stop of an open position may have to stay.
        Err(why) if would_be_halted(service).is_some() => return Err(why.into()),
        // A way out does not depend on a read.
        Err(why) => {
            let words = format!("the working orders could not be read: {why}");
            service.voice.note(&words);
            return at_once(service, None).await;
        }
    };
    let commands = cancels(service, &page.rows).await;
    match CancelAllPlan::of(commands, |_| would_be_halted(service).is_some()) {
        CancelAllPlan::AtOnce => at_once(service, Some(&page)).await,
        CancelAllPlan::Each(commands) => one_by_one(service, &page, commands).await,
    }
}

/// With one operation; `page` is what works, if that could be read.
async fn at_once(service: &ActingService, page: Option<&Page<Order>>) -> Result<Exit> {
    let operation = PreparedOperation::new(service, OperationKind::CancelAll, None)?;
    let is_none = page.is_some_and(|page| page.is_whole() && page.rows.is_empty());
    if is_none && operation.is_new() && !service.is_dry_run() {
        service.voice.note("there is no working order");
        return Ok(Exit::Ok);
    }
    let orders = page.map_or_else(
        || "all working orders".to_owned(),
        |page| format!("{} working orders", page.rows.len()),
    );
    let what = format!("cancel {orders}");
    operation.carry_out(service, &what).await
}
