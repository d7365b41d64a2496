//! The intent, on disk before the first byte leaves; and what is done when the disk says no.

use super::Desk;
use crate::{
    api::Request,
    app::notice::Tone,
    journal::{Entry, Intent, IntentId, Journal, JournalError, Used, Window},
    model::{Command, Failure, IdempotencyKey, OrderId, Risk, Timestamp},
    runtime::scribe::aside,
};
use secrecy::ExposeSecret as _;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Past this a command that is still waiting for its turn is not sent any more: what it was decided on
/// is no longer so.
fn patience(risk: Risk) -> Duration {
    Duration::from_secs(match risk {
        Risk::Increasing => 30,
        Risk::Neutral => 60,
        Risk::Reducing => 300,
    })
}

/// How long a way out waits where the last session may have sent the very same.
const ALIKE: Duration = Duration::from_secs(2);

fn only_shows(why: &JournalError) -> Failure {
    Failure::local(format!("{why}. This desk only shows: it sends nothing"))
}

fn used_elsewhere(intent: &Intent) -> Failure {
    Failure::local(format!(
        "the key was used on account {} at {}; another account needs another key",
        intent.account_id, intent.base_url
    ))
}

fn forgotten(entry: &Entry) -> Failure {
    Failure::local(format!(
        "its key was first sent at {} (UTC) and may be forgotten by now: it is not sent again",
        entry.created_at.to_utc()
    ))
}

/// Where a command comes from.
#[derive(Debug, Default)]
pub(in crate::runtime) struct Origin {
    /// The flatten it is a part of.
    pub(in crate::runtime) parent: Option<IntentId>,
    /// One of its own where none was chosen.
    pub(in crate::runtime) key: Option<IdempotencyKey>,
    /// Where its place in the journal will be found.
    pub(super) slot: Slot,
}

impl Origin {
    pub(in crate::runtime) fn part(parent: Option<IntentId>) -> Self {
        Self {
            parent,
            ..Self::default()
        }
    }
}

/// A request with its place in the journal.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) request: Request,
    /// Empty where there is no journal, and until a slow disk has taken it.
    pub(super) intent: Slot,
    /// The same request was sent under the same key before.
    pub(super) before: Option<Before>,
}

/// An earlier sending.
#[derive(Debug, Clone)]
pub(super) struct Before {
    pub(super) at: Timestamp,
    pub(super) may_have_acted: bool,
    /// The order that answered to it.
    pub(super) order: Option<OrderId>,
}

impl Before {
    pub(super) fn of(entry: &Entry) -> Self {
        let told = entry.outcome.as_ref();
        Self {
            at: entry.created_at,
            may_have_acted: entry.maybe_executed,
            order: told.and_then(|told| told.order_id.clone()),
        }
    }
}

/// The intent's number as the journal's thread learns it: what is written later finds it there.
pub(super) type Slot = Arc<OnceLock<IntentId>>;

impl Desk {
    /// At the pace of the client.
    pub(super) fn patience(&self, risk: Risk) -> Duration {
        self.client.tempo().of(patience(risk))
    }

    /// Puts the intent on disk; without a journal only what does not raise exposure may go on.
    pub(super) async fn record(
        &self,
        command: &Command,
        origin: Origin,
        asked_at: Timestamp,
    ) -> Result<Recorded, Failure> {
        let chosen = origin.key.is_some();
        let own = || IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        let key = origin.key.unwrap_or_else(own);
        let request = Request::of(command, key, &self.client.dialect())
            .map_err(|why| Failure::local(format!("the request could not be written: {why}")))?;
        if chosen && let Some(recorded) = self.recorded_before(&request, command.risk()).await {
            return recorded;
        }
        let intent = Intent {
            parent: origin.parent,
            ..self.intent(command, &request, asked_at)
        };
        let slot = origin.slot;
        match self.put(command.risk(), intent, &slot).await {
            Ok(()) => Ok(Recorded {
                request,
                intent: slot,
                before: None,
            }),
            Err(JournalError::Slow) => Ok(self.ahead(command, request, slot).await),
            Err(why @ JournalError::Held { .. }) => Err(only_shows(&why)),
            Err(why) if command.risk() == Risk::Increasing => Err(Failure::local(format!(
                "{why}. Nothing that raises exposure is sent without it; closing and canceling still work"
            ))),
            Err(_) => Ok(self.unrecorded(command, request).await),
        }
    }

    /// What was sent under the key of `request` before, about to be sent again as it was.
    async fn recorded_before(
        &self,
        request: &Request,
        risk: Risk,
    ) -> Option<Result<Recorded, Failure>> {
        let key = request.key.clone()?;
        if !self.is_known(&key).await {
            return None;
        }
        // It may be open since the last session, and be found out about this moment. A way out waits little for that:
        // it goes under the same key all the same.
        let patience = match risk {
            Risk::Increasing => self.patience(risk),
            Risk::Neutral | Risk::Reducing => self.client.tempo().of(ALIKE),
        };
        let found = self.ready_within(patience).await;
        if let (Risk::Increasing, Err(why)) = (risk, found) {
            return Some(Err(why));
        }
        let (connection, now) = (self.client.connection(), self.clock.now());
        let here = (connection.base_url.clone(), connection.account_id.clone());
        let known = self.scribe.write(move |journal| {
            let Some(entry) = journal.by_key(&key)? else {
                return Ok(None);
            };
            let intent = &entry.intent;
            if (&intent.base_url, &intent.account_id) != (&here.0, &here.1) {
                return Ok(Some(Err(used_elsewhere(intent))));
            }
            if !entry.is_replayable(now) {
                return Ok(Some(Err(forgotten(&entry))));
            }
            journal.launch(entry.id)?;
            Ok(Some(Ok(entry)))
        });
        // A journal that cannot be read says so when the intent is to be recorded.
        let entry = match known.await.ok().flatten()? {
            Ok(entry) => entry,
            Err(why) => return Some(Err(why)),
        };
        Some(Ok(Recorded {
            before: Some(Before::of(&entry)),
            request: Request {
                body: entry.intent.body,
                ..request.clone()
            },
            intent: Slot::from(OnceLock::from(entry.id)),
        }))
    }

    /// Whether the journal holds something under this key. One that cannot be read says so when the intent is to be
    /// recorded.
    async fn is_known(&self, key: &IdempotencyKey) -> bool {
        let key = key.clone();
        let known = self.scribe.write(move |journal| journal.by_key(&key));
        known.await.ok().flatten().is_some()
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
        let intent = self.intent(command, &request, self.clock.now());
        let slot = Slot::default();
        match self.put(command.risk(), intent, &slot).await {
            Err(why @ JournalError::Held { .. }) => Err(only_shows(&why)),
            Ok(()) | Err(_) => Ok(slot.get().copied()),
        }
    }

    fn intent(&self, command: &Command, request: &Request, asked_at: Timestamp) -> Intent {
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
            parent: None,
            deadline: asked_at.plus(self.patience(risk)),
            replay_until: Window::since(now).until(),
        }
    }

    async fn put(&self, risk: Risk, mut intent: Intent, slot: &Slot) -> Result<(), JournalError> {
        let (now, secret) = (self.clock.now(), self.client.connection().api_key.clone());
        let slot = Arc::clone(slot);
        let write = move |journal: &mut Journal| {
            intent.credential = journal.fingerprint(secret.expose_secret())?;
            let id = journal.record(now, &intent)?;
            // Only this job fills it.
            let _filled = slot.set(id);
            Ok(())
        };
        if risk == Risk::Increasing {
            self.scribe.write(write).await
        } else {
            self.scribe.write_soon(write).await
        }
    }

    /// The disk has not answered in a moment, which is all that an exit waits.
    async fn ahead(&self, command: &Command, request: Request, intent: Slot) -> Recorded {
        let how = "sent ahead of a journal that is slow";
        self.without_journal(command, &request, how).await;
        Recorded {
            request,
            intent,
            before: None,
        }
    }

    /// No journal: what closes or cancels goes out all the same, and its key is where a person finds it.
    async fn unrecorded(&self, command: &Command, mut request: Request) -> Recorded {
        if let Command::CloseAll(_) = command
            && let Some(spare) = self.spare(&request).await
        {
            request.key = Some(spare);
        }
        let how = "sent without the journal";
        self.without_journal(command, &request, how).await;
        Recorded {
            request,
            intent: Slot::default(),
            before: None,
        }
    }

    /// The key is told where a person finds it.
    async fn without_journal(&self, command: &Command, request: &Request, how: &'static str) {
        let key = request.key.as_ref().map_or("none", IdempotencyKey::raw);
        let text = format!("{command}: {how}, idempotency key {key}");
        let line = text.clone();
        aside(move || tracing::warn!("{line}"));
        self.note(Tone::Warn, text).await;
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
