//! The outbox of a dry run: every command ends here as the request it would have been.
//!
//! Contract: it has no journal to write and no way to send, and the client refuses every mutation as well. It does not
//! resume what an earlier session left open. Each command ends with one [`Msg::Settled`] that says it was not sent and
//! shows the request. A flatten shows what its first round would send now, and never reports flat.

use crate::{
    api::Request,
    app::{Msg, activity::notice::Tone},
    client::Client,
    journal::{Journal, JournalError},
    model::{AccountId, Command, Failure, IdempotencyKey, OpenExposure, Ticket},
};
use std::path::{Path, PathBuf};
use tokio::{
    sync::mpsc::Sender,
    task::{JoinSet, spawn_blocking},
};

#[derive(Debug)]
pub(crate) struct DryRunOutbox {
    client: Client,
    events: Sender<Msg>,
    telling: JoinSet<()>,
}

impl DryRunOutbox {
    /// First reports what the journal in `dir` has open and a dry run does not resume.
    ///
    /// Must be called within a tokio runtime.
    pub(crate) fn begin(client: Client, dir: PathBuf, events: Sender<Msg>) -> Self {
        let mut telling = JoinSet::new();
        telling.spawn(introduce(client.clone(), dir, events.clone()));
        Self {
            client,
            events,
            telling,
        }
    }

    pub(super) fn tell(&mut self, ticket: Ticket, command: Command) {
        while self.telling.try_join_next().is_some() {}
        let (client, events) = (self.client.clone(), self.events.clone());
        self.telling.spawn(async move {
            let why = if let Command::Flatten(account) = &command {
                flatten(&client, account).await
            } else {
                spelled(&command)
            };
            // The desk is shutting down: nobody receives it.
            drop(
                events
                    .send(Msg::Settled(ticket, Err(Failure::dry_run(why))))
                    .await,
            );
        });
    }
}

/// The request it would have been.
fn spelled(command: &Command) -> String {
    let key = IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
    match Request::encode(command, key) {
        Ok(request) => request.to_string(),
        Err(why) => format!("the request could not be written: {why}"),
    }
}

/// Everything the first round would send, and which reads failed.
async fn flatten(client: &Client, account: &AccountId) -> String {
    let remains: OpenExposure = client.remains().await;
    let commands = remains.risk_reducing(account.clone());
    let lines = commands.iter().map(spelled);
    let mut words = lines.collect::<Vec<_>>().join(" · ");
    if let Err(why) = remains.left() {
        words = format!("{words} · the rest could not be read: {why}");
    }
    words
}

async fn introduce(client: Client, dir: PathBuf, events: Sender<Msg>) {
    let connection = client.connection();
    let place = (connection.base_url.clone(), connection.account_id.clone());
    let left = spawn_blocking(move || left_open(&dir, &place)).await;
    let earlier = match left {
        Ok(Some(0)) => String::new(),
        Ok(Some(1)) => "; 1 open command of an earlier session is not continued".to_owned(),
        Ok(Some(many)) => {
            format!("; {many} open commands of an earlier session are not continued")
        }
        Ok(None) | Err(_) => {
            "; open commands of an earlier session are not known here and not continued".to_owned()
        }
    };
    let tone = if earlier.is_empty() {
        Tone::Plain
    } else {
        Tone::Warn
    };
    let text = format!(
        "DRY RUN: nothing is sent or journaled; each command that would be is listed here{earlier}"
    );
    // The desk is shutting down: nobody receives it.
    drop(events.send(Msg::Notify(tone, text)).await);
}

/// How many commands of this account are open in the journal, opened read-only; `None` if it cannot be read.
fn left_open(dir: &Path, (base_url, account): &(String, AccountId)) -> Option<usize> {
    if !Journal::is_there(dir) {
        return Some(0);
    }
    let open: Result<_, JournalError> =
        Journal::open_read_only(dir).and_then(|journal| journal.open_intents());
    let mut open = open.ok()?;
    open.retain(|entry| {
        let intent = &entry.intent;
        intent.base_url == *base_url && intent.account_id == *account
    });
    Some(open.len())
}
