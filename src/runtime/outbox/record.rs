//! The intent, on disk before the first byte leaves; and what is done when the disk says no.

use super::Desk;
use crate::{
    api::Request,
    app::notice::Tone,
    journal::{Intent, IntentId, JournalError, REPLAY_WINDOW, Used},
    model::{Command, Failure, IdempotencyKey, Risk, Timestamp},
};
use secrecy::ExposeSecret as _;
use std::time::Duration;

/// Past this a command that is still waiting for its turn is not sent any more: what it was decided on
/// is no longer so.
pub(super) fn patience(risk: Risk) -> Duration {
    Duration::from_secs(match risk {
        Risk::Increasing => 30,
        Risk::Neutral => 60,
        Risk::Reducing => 300,
    })
}

fn only_shows(why: &JournalError) -> Failure {
    Failure::local(format!("{why}. This desk only shows: it sends nothing"))
}

/// A request with its place in the journal.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) request: Request,
    /// `None` where there is no journal.
    pub(super) intent: Option<IntentId>,
}

impl Desk {
    /// Puts the intent on disk; without a journal only what does not raise exposure may go on.
    pub(super) async fn record(
        &self,
        command: &Command,
        parent: Option<IntentId>,
    ) -> Result<Recorded, Failure> {
        let key = IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        let request = Request::of(command, key, &self.client.connection().dialect)
            .map_err(|why| Failure::local(format!("the request could not be written: {why}")))?;
        let intent = self.intent(command, &request, parent);
        match self.put(command.risk(), intent).await {
            Ok(id) => Ok(Recorded {
                request,
                intent: Some(id),
            }),
            Err(why @ JournalError::Held { .. }) => Err(only_shows(&why)),
            Err(why) if command.risk() == Risk::Increasing => Err(Failure::local(format!(
                "{why}. Nothing that raises exposure is sent without it; closing and canceling still work"
            ))),
            Err(_) => Ok(self.unrecorded(command, request).await),
        }
    }

    /// Intents that mark a whole deed, not a request: a flatten.
    pub(in crate::runtime) async fn record_deed(
        &self,
        command: &Command,
    ) -> Result<Option<IntentId>, Failure> {
        let request = Request {
            method: crate::api::Method::Post,
            target: format!("flatten:{}", self.client.connection().account_id.raw()),
            key: None,
            body: vec![],
        };
        let intent = self.intent(command, &request, None);
        match self.put(command.risk(), intent).await {
            Ok(id) => Ok(Some(id)),
            Err(why @ JournalError::Held { .. }) => Err(only_shows(&why)),
            Err(_) => Ok(None),
        }
    }

    fn intent(&self, command: &Command, request: &Request, parent: Option<IntentId>) -> Intent {
        let connection = self.client.connection();
        let (risk, now) = (command.risk(), self.clock.now());
        Intent {
            base_url: connection.base_url.clone(),
            account_id: connection.account_id.clone(),
            credential: String::new(),
            method: request.method.to_string(),
            target: request.target.clone(),
            body: request.body.clone(),
            key: request.key.clone(),
            risk,
            command: command.to_string(),
            resource: command.resource().raw().map(str::to_owned),
            parent,
            deadline: now.plus(patience(risk)),
            replay_until: now.plus(REPLAY_WINDOW),
        }
    }

    async fn put(&self, risk: Risk, mut intent: Intent) -> Result<IntentId, JournalError> {
        let (now, secret) = (self.clock.now(), self.client.connection().api_key.clone());
        let write = move |journal: &mut crate::journal::Journal| {
            intent.credential = journal.fingerprint(secret.expose_secret())?;
            journal.record(now, &intent)
        };
        if risk == Risk::Increasing {
            self.scribe.write(write).await
        } else {
            self.scribe.write_soon(write).await
        }
    }

    /// No journal: what closes or cancels goes out all the same, and its key is where a person finds it.
    async fn unrecorded(&self, command: &Command, mut request: Request) -> Recorded {
        if let Command::CloseAll(_) = command
            && let Some(spare) = self.spare(&request).await
        {
            request.key = Some(spare);
        }
        let key = request.key.as_ref().map_or("none", IdempotencyKey::raw);
        tracing::warn!(%command, key, "sent without the journal");
        self.note(
            Tone::Warn,
            format!("{command}: sent without the journal, idempotency key {key}"),
        )
        .await;
        Recorded {
            request,
            intent: None,
        }
    }

    /// A key that is on disk already.
    async fn spare(&self, request: &Request) -> Option<IdempotencyKey> {
        let connection = self.client.connection().clone();
        let (at, target): (Timestamp, _) = (self.clock.now(), request.target.clone());
        let taken = self.scribe.write_soon(move |journal| {
            let credential = journal.fingerprint(connection.api_key.expose_secret());
            Ok(journal.spare(|key| Used {
                key,
                at,
                credential: credential.unwrap_or_default(),
                account_id: connection.account_id,
                base_url: connection.base_url,
                target,
            }))
        });
        taken.await.ok().flatten().map(|used| used.key)
    }
}
