//! Orders that are canceled one by one, each with its own outcome.

use crate::cli::act::{
    consent,
    perform::send,
    post::{Transport, outcomes::UnknownSeen},
    prepared::{ActFlags, PreparedCommand, SendOutcome},
    receipt::print_outcome,
};
use crate::{
    cli::{
        Exit,
        service::Service,
        voice::{Output, json},
    },
    model::{Command, Failure, FailureKind, Order, OrderId, Risk},
};
use color_eyre::Result;
use std::time::Duration;
use tokio::time::timeout;

/// How long a cancel waits to learn whether it removes protection.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(1);

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
pub(super) async fn one_by_one(
    service: &Service,
    how: ActFlags,
    commands: Vec<Command>,
) -> Result<Exit> {
    let what = format!("cancel {} working orders", commands.len());
    together(service, how, (commands, what), Absent::Over).await
}

/// Cancels these orders, whether or not a list shows them.
pub(super) async fn several(service: &Service, how: ActFlags, ids: &[OrderId]) -> Result<Exit> {
    let voice = how.output.voice();
    let mut named = vec![];
    for id in ids {
        if named.contains(id) {
            voice.note(&format!("{id} is named twice"));
        } else {
            named.push(id.clone());
        }
    }
    let look = service.client.working_orders(&service.account);
    let working = timeout(READ_TIMEOUT, look).await.ok().and_then(Result::ok);
    let working = working.map_or_else(Vec::new, |page| page.rows);
    let known: Vec<_> = working
        .into_iter()
        .filter(|order| named.contains(&order.id))
        .collect();
    let mut commands = cancels(service, &known).await;
    let unlisted = named
        .iter()
        .filter(|id| known.iter().all(|order| order.id != **id));
    commands.extend(unlisted.cloned().map(Command::Cancel));
    let what = format!("cancel {} orders", commands.len());
    together(service, how, (commands, what), Absent::Refused).await
}

/// What it means that an order is no longer there to be canceled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Absent {
    /// It ended after it was listed: nothing is left to do.
    Over,
    /// The service's refusal is the outcome, as for one order.
    Refused,
}

/// Sends the cancels, each with its own outcome.
async fn together(
    service: &Service,
    how: ActFlags,
    (mut commands, what): (Vec<Command>, String),
    absent: Absent,
) -> Result<Exit> {
    let voice = how.output.voice();
    commands.sort_by_key(Command::risk);
    let prepared_commands = commands.into_iter();
    let prepared_commands = prepared_commands
        .map(|command| PreparedCommand::new(command, None))
        .collect::<Result<Vec<_>>>()?;
    let requests: Vec<_> = prepared_commands.iter().map(|one| &one.request).collect();
    if let Some(exit) = consent::withheld(service, how, &requests, &what).await? {
        return Ok(exit);
    }
    let (stops, others): (Vec<_>, Vec<_>) = prepared_commands
        .iter()
        .cloned()
        .partition(|prepared| prepared.command.risk() == Risk::Increasing);
    let mut outcomes = vec![];
    if let Some(first) = others.first() {
        let post = Transport::open(service, voice, &first.command)?;
        outcomes = post.deliver(&others, &UnknownSeen::default()).await?;
    }
    for stop in &stops {
        outcomes.push(match send(service, voice, stop, &[]).await {
            Ok(outcome) => outcome,
            Err(why) => Err(why.downcast::<Failure>()?),
        });
    }
    settled(service, voice, (&prepared_commands, &outcomes), absent).await
}

/// An order that could not be canceled may have ended: a read decides.
async fn settled(
    service: &Service,
    voice: Output,
    (prepared_commands, outcomes): (&[PreparedCommand], &[SendOutcome]),
    absent: Absent,
) -> Result<Exit> {
    let contested = absent == Absent::Over && outcomes.iter().any(is_over);
    let left = if contested {
        service.working_orders().await.ok()
    } else {
        None
    };
    let mut exits = vec![];
    for (prepared, outcome) in prepared_commands.iter().zip(outcomes) {
        let (Command::Cancel(id) | Command::Unprotect(id)) = &prepared.command else {
            continue;
        };
        let gone = left
            .as_ref()
            .is_some_and(|page| page.is_whole() && page.rows.iter().all(|order| order.id != *id));
        exits.push(if is_over(outcome) && gone {
            over(voice, id)
        } else {
            print_outcome(voice, prepared, outcome)
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
    let line = if voice.is_json() {
        json(&serde_json::json!({ "data": { "id": id, "canceled": false, "queued": false } }))
    } else {
        format!("order {id}: was not working any more")
    };
    voice.result(&format!("{line}\n"), None);
    Exit::Ok
}
