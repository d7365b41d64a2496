//! Orders and strategies that are canceled one by one, each with its own outcome.

use crate::{
    cli::{
        Exit,
        act::{
            consent::ActingService,
            perform::send,
            prepared::{PreparedCommand, SendOutcome},
            receipt::print_outcome,
            remains::INCOMPLETE,
            transport::Transport,
        },
        read::filters::{MarketFilter, SideFilter},
        service::Service,
        voice::Output,
    },
    model::{Command, FailureKind, Order, OrderId},
};
use color_eyre::Result;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// How long a cancel waits to learn whether it removes protection.
const READ_TIMEOUT: Duration = Duration::from_secs(1);

/// The cancel of each order, with the open positions in mind.
pub(super) async fn cancels(service: &Service, orders: &[Order]) -> Vec<Command> {
    let look = service.client.open_positions(&service.account);
    let open = if orders.iter().any(Order::is_armed) {
        timeout(READ_TIMEOUT, look).await.ok().and_then(Result::ok)
    } else {
        None
    };
    let open = open.map_or_else(Vec::new, |page| page.rows);
    orders.iter().map(|order| order.cancel(&open)).collect()
}

/// Cancels every working order, each with its own outcome. The stops of open positions go last, as cancels of their
/// own: they stay while new entries are blocked.
pub(super) async fn one_by_one(service: &ActingService, commands: Vec<Command>) -> Result<Exit> {
    let what = format!("cancel {} working orders", commands.len());
    send_all(service, commands, &what, IfEnded::Done).await
}

/// Cancels the working orders of a market, of a side, or of a side of a market.
pub(super) async fn matching(
    service: &ActingService,
    market: &MarketFilter,
    side: SideFilter,
) -> Result<Exit> {
    let market = market.wanted(service).await?;
    let page = service.working_orders().await?;
    market.check(page.rows.iter().map(|row| &row.market_id), service.voice)?;
    let is_whole = page.is_whole();
    let rows = page.rows.into_iter();
    let wanted = rows.filter(|row| market.keeps(&row.market_id) && side.keeps(row.side.known()));
    let wanted: Vec<_> = wanted.collect();
    let exit = if wanted.is_empty() {
        service.voice.note("no working order matches");
        Exit::Ok
    } else {
        one_by_one(service, cancels(service, &wanted).await).await?
    };
    if is_whole {
        return Ok(exit);
    }
    service.voice.note(INCOMPLETE);
    Ok(exit.or(Exit::Partial))
}

/// Stops TWAPs or cancels scaled orders.
pub(super) async fn strategies(service: &ActingService, commands: Vec<Command>) -> Result<Exit> {
    let what = match commands.as_slice() {
        [command] => command.to_string(),
        several => format!("end {} strategies", several.len()),
    };
    send_all(service, commands, &what, IfEnded::Refused).await
}

/// Cancels these orders, whether or not a list shows them.
pub(super) async fn named(service: &ActingService, ids: &[OrderId]) -> Result<Exit> {
    let mut once = vec![];
    for id in ids {
        if once.contains(id) {
            service.voice.note(&format!("{id} is named twice"));
        } else {
            once.push(id.clone());
        }
    }
    let look = service.client.working_orders(&service.account);
    let working = timeout(READ_TIMEOUT, look).await.ok().and_then(Result::ok);
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
    let what = match commands.as_slice() {
        [command] => command.to_string(),
        several => format!("cancel {} orders", several.len()),
    };
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
    let prepared_commands = commands.into_iter();
    let prepared_commands = prepared_commands
        .map(|command| PreparedCommand::new(command, None))
        .collect::<Result<Vec<_>>>()?;
    let requests: Vec<_> = prepared_commands.iter().map(|one| &one.request).collect();
    if let Some(exit) = service.withheld(&requests, what).await? {
        return Ok(exit);
    }
    let outcomes = match prepared_commands.as_slice() {
        [] => vec![],
        [one] => vec![send(service, one).await?],
        [first, ..] => {
            let transport = Transport::open(service, &first.command)?;
            transport.deliver(&prepared_commands).await?.outcomes
        }
    };
    settled(service, (&prepared_commands, &outcomes), if_ended).await
}

/// An order that could not be canceled may have ended: a read decides.
async fn settled(
    service: &Service,
    (prepared_commands, outcomes): (&[PreparedCommand], &[SendOutcome]),
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
    voice.answer(
        &data,
        &format!("order {id}: was not working any more"),
        None,
    );
    Exit::Ok
}
