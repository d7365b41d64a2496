//! `perpdeck cancel --all`: cancels every working order, and proves it by a read.
//!
//! One operation of the service cancels them, a part for each request (docs/delivery.md 6). The orders are canceled one by
//! one instead where stops of open positions have to stay (new entries are blocked), and where there are more orders than
//! one operation takes.

use super::each;
use crate::cli::act::{
    consent,
    perform::would_be_halted,
    prepared::{ActFlags, PreparedCommand, SendOutcome},
    receipt,
    sliced::{self, Start},
};
use crate::{
    cli::{
        Exit,
        service::Service,
        voice::{Output, json},
    },
    model::{CancelAll, Command, Failure, IdempotencyKey, Order, Page, Receipt, Risk},
    view::tables::activity::cancel_all_words,
};
use color_eyre::Result;
use serde::Serialize;
use std::time::Duration;
use tokio::time::sleep;

/// The most orders that one operation cancels (`docs/service-api.md 2.4`).
const MOST_TARGETS: usize = 200;
/// Reads of the working orders while cancels are queued, and the pause between two.
const QUEUED_READS: u32 = 30;
const READ_INTERVAL: Duration = Duration::from_millis(500);

const INCOMPLETE: &str = "the list of working orders is incomplete: some may remain";

/// The operation, and what a read found working afterwards; absent if that failed.
#[derive(Serialize)]
struct CancelAllReport<'a> {
    data: &'a CancelAll,
    #[serde(skip_serializing_if = "Option::is_none")]
    still_working: Option<&'a [Order]>,
    idempotency_key: Option<&'a str>,
}

pub(super) async fn run(service: &Service, how: ActFlags) -> Result<Exit> {
    let voice = how.output.voice();
    let page = match service.working_orders().await {
        Ok(page) => Some(page),
        Err(why) if may_keep_stops(service) => return Err(why.into()),
        // A way out does not depend on a read.
        Err(why) => {
            voice.note(&format!("the working orders could not be read: {why}"));
            None
        }
    };
    if let Some(page) = &page {
        let commands = each::cancels(service, &page.rows).await;
        let is_stop = |command: &Command| command.risk() == Risk::Increasing;
        let keeps_stops = || commands.iter().any(is_stop) && may_keep_stops(service);
        if page.rows.len() > MOST_TARGETS || keeps_stops() {
            return one_by_one(service, how, (page, commands)).await;
        }
    }
    at_once(service, how, page.as_ref()).await
}

async fn one_by_one(
    service: &Service,
    how: ActFlags,
    (page, commands): (&Page<Order>, Vec<Command>),
) -> Result<Exit> {
    let canceled = each::one_by_one(service, how, commands).await?;
    if page.is_whole() {
        return Ok(canceled);
    }
    how.output.voice().note(INCOMPLETE);
    Ok(canceled.or(Exit::Partial))
}

/// With one operation; `page` is what works, if that could be read.
async fn at_once(service: &Service, how: ActFlags, page: Option<&Page<Order>>) -> Result<Exit> {
    let voice = how.output.voice();
    let command = Command::CancelAll(service.account.clone());
    let (prepared, start) = sliced::prepare(service, voice, command, None)?;
    let is_none = page.is_some_and(|page| page.is_whole() && page.rows.is_empty());
    if is_none && start == Start::New && !service.is_dry_run() {
        voice.note("there is no working order");
        return Ok(Exit::Ok);
    }
    let orders = page.map_or_else(
        || "all working orders".to_owned(),
        |page| format!("{} working orders", page.rows.len()),
    );
    let (requests, what) = ([&prepared.request], format!("cancel {orders}"));
    if let Some(exit) = consent::withheld(service, how, &requests, &what).await? {
        return Ok(exit);
    }
    let note = "orders placed after it started still work; a new cancel-all follows";
    let placed_since = async |outcome: &SendOutcome| placed_since(service, outcome).await;
    let begun = (prepared, start);
    let (prepared, outcome) = sliced::send(service, voice, begun, (note, placed_since)).await?;
    ended(service, voice, &prepared, &outcome).await
}

/// Whether stops of open positions may have to stay: while new entries are blocked.
fn may_keep_stops(service: &Service) -> bool {
    would_be_halted(service).is_some()
}

/// Whether orders work that a continued cancel-all did not know: it cancels only those of its snapshot.
async fn placed_since(service: &Service, outcome: &SendOutcome) -> bool {
    let Ok(Receipt::CancelAll(operation)) = outcome else {
        return false;
    };
    let Ok(page) = service.working_orders().await else {
        return false;
    };
    let mut working = page.rows.iter();
    working.any(|order| !operation.knew(&order.id))
}

async fn ended(
    service: &Service,
    voice: Output,
    prepared: &PreparedCommand,
    outcome: &SendOutcome,
) -> Result<Exit> {
    let Ok(Receipt::CancelAll(operation)) = outcome else {
        return Ok(receipt::print_outcome(voice, prepared, outcome));
    };
    let left = still_working(service, operation).await;
    let rows = left.as_ref().ok().map(|page| page.rows.as_slice());
    let text = if voice.is_json() {
        let report = CancelAllReport {
            data: operation,
            still_working: rows,
            idempotency_key: prepared.kept_key().map(IdempotencyKey::raw),
        };
        format!("{}\n", json(&report))
    } else {
        report_text(operation, rows)
    };
    voice.result(&text, prepared.kept_key());
    Ok(exit_code(voice, operation, &left))
}

/// The orders that still work once no cancel of the operation is queued any more, or after about fifteen seconds.
async fn still_working(service: &Service, operation: &CancelAll) -> Result<Page<Order>, Failure> {
    let queued: Vec<_> = operation.queued().collect();
    let mut page = service.working_orders().await?;
    for _ in 0..QUEUED_READS {
        if !page.rows.iter().any(|order| queued.contains(&&order.id)) {
            break;
        }
        let pause = service.client.timeouts().scaled(READ_INTERVAL);
        sleep(pause.max(service.client.pause_left())).await;
        page = service.working_orders().await?;
    }
    Ok(page)
}

/// The exit code, and what to do about what is left.
fn exit_code(voice: Output, operation: &CancelAll, left: &Result<Page<Order>, Failure>) -> Exit {
    let next = match left {
        Ok(page) if !page.rows.is_empty() => {
            let is_queued = |order: &Order| operation.queued().any(|id| *id == order.id);
            if page.rows.iter().all(is_queued) {
                "cancels are still queued: these orders may execute first; \"perpdeck orders\" shows them"
            } else {
                "run the command again to cancel what still works"
            }
        }
        Ok(page) if page.is_whole() => return Exit::Ok,
        Ok(_) => INCOMPLETE,
        Err(why) => {
            voice.failure(why);
            "the working orders could not be read, so some may remain"
        }
    };
    voice.note(next);
    Exit::Partial
}

fn report_text(operation: &CancelAll, left: Option<&[Order]>) -> String {
    let mut lines = vec![format!("cancel-all: {}", cancel_all_words(operation))];
    let left = left.unwrap_or_default().iter();
    lines.extend(left.map(|order| format!("still working: {}", receipt::order_sentence(order))));
    lines.join("\n") + "\n"
}
