//! Close-all and cancel-all, and under which key they are sent.
//!
//! Contract: an interrupted one goes on under its own key when it is given again (docs/delivery.md 6). Another key would
//! begin a second operation. "completed" means submitted, not closed, so a close-all is proved by reads. Resting orders
//! can open positions again; a close-all does not touch them.

use super::{
    consent::ActingService,
    prepared::{ActFlags, KeyFlag, PreparedCommand},
    workflow,
};
use crate::{
    app::{
        Store, Workflow,
        workflows::{OperationKind, OperationRun, OperationStart},
    },
    cli::{Exit, disk_wait::looked, service::Service},
    config::Sources,
    journal::{IntentRow, Journal, SenderIdentity},
    model::IdempotencyKey,
};
use color_eyre::Result;
use secrecy::ExposeSecret as _;

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
