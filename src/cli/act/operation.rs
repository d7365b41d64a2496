//! Close-all and cancel-all: under which key they are sent, how they have ended, and what they have left.
//!
//! Contract: an interrupted one goes on under its own key when it is given again (docs/delivery.md 6). Another key would
//! begin a second operation. "completed" means submitted, not closed, so a close-all is proved by reads. Resting orders
//! can open positions again; a close-all does not touch them.

use super::{
    consent::ActingService,
    flatten::still_open,
    prepared::{ActFlags, KeyFlag, PreparedCommand},
    receipt::order_sentence,
    workflow,
};
use crate::{
    app::{
        Store, Workflow,
        workflows::{OperationKind, OperationRun, OperationStart},
    },
    cli::{Exit, disk_wait::looked, service::Service, voice::Output},
    config::Sources,
    journal::{IntentRow, Journal, SenderIdentity},
    model::{
        CancelAll, CloseAll, CloseCheck, Fallible, IdempotencyKey, Operation, OperationEnd, Order,
        Page, Position,
    },
    view::tables::activity::cancel_all_words,
};
use color_eyre::Result;
use secrecy::ExposeSecret as _;
use serde::Serialize;

/// An operation with its first request.
pub(super) struct PreparedOperation {
    run: OperationRun,
    prepared: PreparedCommand,
}

impl PreparedOperation {
    /// Under the chosen key, under that of its unfinished run, or under a new one.
    pub(super) fn new(
        service: &Service,
        kind: OperationKind,
        chosen: Option<IdempotencyKey>,
    ) -> Result<Self> {
        let (now, account) = (service.clock.now(), service.account.clone());
        let run = |start| OperationRun::new(kind, account.clone(), start, now);
        let new = run(OperationStart::New);
        let prepared = PreparedCommand::new(new.command(), chosen)?;
        let unfinished = (!prepared.is_key_chosen)
            .then(|| unfinished(service, &prepared.request.target))
            .flatten();
        let known = unfinished.and_then(|entry| Some((entry.created_at, entry.intent.key?)));
        let Some((began, key)) = known else {
            return Ok(Self { run: new, prepared });
        };
        let (command, ago) = (prepared.command, now.since(began).as_secs());
        service.voice.note(&format!(
            "{command}: what started {ago} s ago is unfinished; perpdeck continues it under its key"
        ));
        Ok(Self {
            run: run(OperationStart::Continued),
            prepared: PreparedCommand::new(command, Some(key))?,
        })
    }

    pub(super) fn is_new(&self) -> bool {
        !self.run.may_send()
    }

    /// Asks whether to do `what`, carries it out, and prints what it did and has left.
    pub(super) async fn carry_out(self, service: &ActingService, what: &str) -> Result<Exit> {
        let requests = [&self.prepared.request];
        if let Some(exit) = service.withheld(&requests, what).await? {
            return Ok(exit);
        }
        let run = Workflow::Operation(self.run);
        workflow::run(service, &mut Store::default(), run, Some(self.prepared)).await
    }
}

/// The unfinished request to this target in the journal.
fn unfinished(service: &Service, target: &str) -> Option<IntentRow> {
    let (dir, connection) = (&service.journal_dir, service.client.connection().clone());
    let now = service.clock.now();
    if !Journal::is_there(dir) {
        return None;
    }
    let target = target.to_owned();
    let read = move |journal: &Journal| {
        let secret = connection.api_key.expose_secret();
        let sender = SenderIdentity {
            base_url: &connection.base_url,
            account_id: &connection.account_id,
            credential: &journal.fingerprint(secret)?,
        };
        journal.unfinished(now, &target, sender)
    };
    looked(dir, read).flatten()
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CloseAllArgs {
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn close_all(args: CloseAllArgs, sources: &Sources) -> Result<Exit> {
    let service = ActingService::open(sources, args.how).await?;
    let operation = PreparedOperation::new(&service, OperationKind::CloseAll, args.key.chosen)?;
    let what = "close all positions, at most 2.5 % slippage,";
    operation.carry_out(&service, what).await
}

pub(super) const INCOMPLETE: &str = "the list of working orders is incomplete: some may remain";

/// The operation, and what a read found afterwards; absent if that failed.
#[derive(Serialize)]
struct OperationReport<'a, R> {
    data: &'a Operation<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    still_open: Option<&'a [Position]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    still_working: Option<&'a [Order]>,
    idempotency_key: Option<&'a str>,
}

/// Prints how an operation has ended; `key` repeats its answer.
pub(super) fn report(voice: Output, key: Option<&IdempotencyKey>, end: &OperationEnd) -> Exit {
    match end {
        OperationEnd::CloseAll(operation, read) => closed(voice, key, operation, read),
        OperationEnd::CancelAll(operation, read) => canceled(voice, key, operation, read),
    }
}

fn closed(
    voice: Output,
    key: Option<&IdempotencyKey>,
    operation: &CloseAll,
    read: &Fallible<CloseCheck>,
) -> Exit {
    let open = read.as_ref().map(|check| match check {
        CloseCheck::Closed(_) | CloseCheck::MayOpen(_) => &[],
        CloseCheck::Open(open) => open.as_slice(),
    });
    let report = OperationReport {
        data: operation,
        still_open: open.ok(),
        still_working: None,
        idempotency_key: key.map(IdempotencyKey::raw),
    };
    voice.answer(&report, &closed_text(operation, open.ok()), key);
    let next = match (open, operation.failed_count) {
        (Ok([]), 0) => return Exit::Ok,
        (Ok([]), _) => {
            "the positions whose close failed are closed by now; nothing is left to close"
        }
        (Ok(_), _) => {
            "run the command again under a new key to close the rest; under this key it only repeats this answer"
        }
        (Err(why), _) => {
            voice.note("the positions could not be read, so something may still be open");
            voice.failure(why);
            "\"perpdeck positions\" lists what is left"
        }
    };
    voice.note(next);
    Exit::Partial
}

fn closed_text(operation: &CloseAll, open: Option<&[Position]>) -> String {
    let mut lines = vec![format!("close-all {operation}")];
    lines.extend(operation.failures().map(|failed| {
        let (id, why) = (&failed.position_id, failed.reason());
        format!("position {id} failed: {why}")
    }));
    lines.extend(open.unwrap_or_default().iter().map(still_open));
    if open.is_some_and(<[Position]>::is_empty) {
        lines.push("no position is open".to_owned());
    }
    lines.join("\n")
}

fn canceled(
    voice: Output,
    key: Option<&IdempotencyKey>,
    operation: &CancelAll,
    read: &Fallible<Page<Order>>,
) -> Exit {
    let working = read.as_ref().ok().map(|page| page.rows.as_slice());
    let report = OperationReport {
        data: operation,
        still_open: None,
        still_working: working,
        idempotency_key: key.map(IdempotencyKey::raw),
    };
    voice.answer(&report, &canceled_text(operation, working), key);
    let is_queued = |order: &Order| operation.queued().any(|id| *id == order.id);
    let next = match read {
        Ok(page) if page.rows.is_empty() && page.is_whole() => return Exit::Ok,
        Ok(page) if page.rows.is_empty() => INCOMPLETE,
        Ok(page) if page.rows.iter().all(is_queued) => {
            "cancels are still queued: these orders may execute first; \"perpdeck orders\" shows them"
        }
        Ok(_) => "run the command again to cancel what still works",
        Err(why) => {
            voice.failure(why);
            "the working orders could not be read, so some may remain"
        }
    };
    voice.note(next);
    Exit::Partial
}

fn canceled_text(operation: &CancelAll, working: Option<&[Order]>) -> String {
    let mut lines = vec![format!("cancel-all: {}", cancel_all_words(operation))];
    let working = working.unwrap_or_default().iter();
    lines.extend(working.map(|order| format!("still working: {}", order_sentence(order))));
    lines.join("\n")
}
