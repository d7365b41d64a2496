//! The intent, on disk before the first byte leaves; and what is done when the disk says no, or not in time.

use super::{Desk, gate::Wave};
use crate::{
    api::Request,
    app::activity::notice::Tone,
    journal::{Claim, Intent, IntentRow, Journal, JournalError, ReplayWindow, UsedKey},
    model::{AccountId, Command, Failure, FailureKind, IdempotencyKey, OrderId, Risk, Timestamp},
    runtime::journal::{
        journals::{Journals, Row, Slot, slot_of},
        scribe::aside,
    },
};
use secrecy::ExposeSecret as _;
use std::{sync::Arc, time::Duration};

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

const NEVER_TAKEN: &str = "too much time has passed since it was given, and the disk of the journal has not taken it: it \
                           is not sent";

/// Why what is in the journal under the key of `request` is not to be sent again for it, if so.
fn misused(
    entry: &IntentRow,
    here: &(String, AccountId),
    request: &Request,
    now: Timestamp,
) -> Option<Failure> {
    let intent = &entry.intent;
    let why = if (&intent.base_url, &intent.account_id) != (&here.0, &here.1) {
        format!(
            "the key was used on account {} at {}; another account needs another key",
            intent.account_id, intent.base_url
        )
    } else if (&intent.method, &intent.target) != (&request.method.to_string(), &request.target) {
        format!(
            "the key was used for another deed, {}; each needs its own",
            intent.command
        )
    } else if !entry.is_replayable(now) {
        format!(
            "its key was first sent at {} (UTC) and may be forgotten by now: it is not sent again",
            entry.created_at.to_utc()
        )
    } else {
        return None;
    };
    Some(Failure::local(why))
}

/// Where a command comes from.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// The flatten it is a part of, if it is.
    pub(crate) parent: Slot,
    /// One of its own where none was chosen.
    pub(crate) key: Option<IdempotencyKey>,
    /// The close-alls it was given after.
    pub(crate) wave: Wave,
    /// Where its place in the journal will be found.
    pub(crate) slot: Slot,
}

impl Origin {
    pub(crate) fn part(parent: &Slot) -> Self {
        Self {
            parent: Arc::clone(parent),
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
    pub(super) fn of(entry: &IntentRow) -> Self {
        let told = entry.outcome.as_ref();
        Self {
            at: entry.created_at,
            may_have_acted: entry.maybe_executed,
            order: told.and_then(|told| told.order_id.clone()),
        }
    }
}

/// How an intent gets its row: a new one, or that of an earlier sending.
type ClaimIn = fn(&mut Journal, Timestamp, &Intent) -> Result<Claim, JournalError>;

impl Desk {
    /// At the pace of the client.
    pub(super) fn patience(&self, risk: Risk) -> Duration {
        self.client.timeouts().scaled(patience(risk))
    }

    /// Puts the intent on disk; without a journal only what does not raise exposure may go on. What the caller's own key
    /// was used for before goes out as it did then, and so does a close-all that is unfinished.
    pub(super) async fn record(
        &self,
        command: &Command,
        origin: Origin,
        asked_at: Timestamp,
    ) -> Result<Recorded, Failure> {
        let risk = command.risk();
        let chosen = origin.key.clone();
        let own = || IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        let key = origin.key.unwrap_or_else(own);
        let request = Request::of(command, key, &self.client.dialect())
            .map_err(|why| Failure::local(format!("the request could not be written: {why}")))?;
        let (intent, slot) = (self.intent(command, &request, asked_at), origin.slot);
        let claim = match (command, &chosen) {
            (Command::CloseAll(_), None) => Journal::claim_or_resume,
            _ => Journal::claim,
        };
        let recorded = match self.put(claim, intent, (&origin.parent, &slot)).await {
            Ok((Claim::New(_), _)) => Ok(Recorded {
                request: request.clone(),
                intent: Arc::clone(&slot),
                before: None,
            }),
            Ok((Claim::Known(known), row)) => {
                self.wait_for_findings(risk).await?;
                self.again(command, request.clone(), (&known, row)).await?
            }
            Err(why) => Err(why),
        };
        match recorded {
            Ok(recorded) => Ok(recorded),
            Err(JournalError::Slow) if risk == Risk::Increasing => {
                // Not waited for: it is done with the row itself, when the disk gets to that.
                drop(self.let_go(&slot, NEVER_TAKEN));
                Err(Failure::new(FailureKind::Unavailable, NEVER_TAKEN))
            }
            Err(JournalError::Slow) => Ok(self.ahead(command, request, slot).await),
            Err(why) if risk == Risk::Increasing => Err(Failure::local(format!(
                "{why}. Nothing that raises exposure is sent without it; closing and canceling still work"
            ))),
            Err(_) if chosen.is_some() => Ok(self.unrecorded(command, request).await),
            Err(_) => {
                let request = self.with_spare(command, request).await;
                Ok(self.unrecorded(command, request).await)
            }
        }
    }

    /// What was used before may be open since the last session, and be found out about this moment. A way out waits
    /// little for that: it goes under the same key all the same.
    async fn wait_for_findings(&self, risk: Risk) -> Result<(), Failure> {
        match risk {
            Risk::Increasing => self.ready_within(self.patience(risk)).await,
            Risk::Neutral | Risk::Reducing => {
                let _in_time = self
                    .ready_within(self.client.timeouts().scaled(ALIKE))
                    .await;
                Ok(())
            }
        }
    }

    /// What was sent under the key of `request` before, about to be sent again as it was.
    async fn again(
        &self,
        command: &Command,
        request: Request,
        (known, row): (&IntentRow, Row),
    ) -> Result<Result<Recorded, JournalError>, Failure> {
        let (connection, now) = (self.client.connection(), self.clock.now());
        let here = (connection.base_url.clone(), connection.account_id.clone());
        if let Some(why) = misused(known, &here, &request, now) {
            return Err(why);
        }
        let (slot, risk) = (slot_of(row), command.risk());
        let place = Arc::clone(&slot);
        let again = move |journals: &mut Journals| {
            let Some((journal, id)) = journals.page(&place)? else {
                return Ok(None);
            };
            // As it stands after what was found out meanwhile.
            let entry = journal.entry(id)?;
            journal.mark_inflight(id)?;
            Ok(entry)
        };
        let entry = match self.scribe.carry(risk, self.patience(risk), again).await {
            Ok(entry) => entry,
            Err(JournalError::Slow) if risk != Risk::Increasing => None,
            Err(JournalError::Slow) => {
                return Err(Failure::new(FailureKind::Unavailable, NEVER_TAKEN));
            }
            Err(why) => return Ok(Err(why)),
        };
        let recorded = Recorded {
            before: Some(Before::of(entry.as_ref().unwrap_or(known))),
            // Not where the row of something new is looked for: it may have acted, and is not withdrawn.
            intent: slot,
            request: Request {
                key: known.intent.key.clone(),
                body: known.intent.body.clone(),
                ..request
            },
        };
        if entry.is_none() {
            let how = "sent ahead of a journal that is slow";
            self.without_journal(command, &recorded.request, how).await;
        }
        Ok(Ok(recorded))
    }

    /// Intents that mark a whole deed, not a request: a flatten. Its row may come later than its first parts leave.
    pub(crate) async fn record_deed(&self, command: &Command) -> Slot {
        let request = Request::flatten(&self.client.connection().account_id);
        let intent = self.intent(command, &request, self.clock.now());
        let slot = Slot::default();
        // The scribe has said why, if it has none.
        let place = (&Slot::default(), &slot);
        let _put = self.put(Journal::claim, intent, place).await;
        slot
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
            replay_until: ReplayWindow::since(now).until(),
        }
    }

    async fn put(
        &self,
        claim: ClaimIn,
        mut intent: Intent,
        (parent, slot): (&Slot, &Slot),
    ) -> Result<(Claim, Row), JournalError> {
        let (now, secret) = (self.clock.now(), self.client.connection().api_key.clone());
        let (risk, parent, slot) = (intent.risk, Arc::clone(parent), Arc::clone(slot));
        let write = move |journals: &mut Journals| {
            // Written before this, if it can be written.
            intent.parent = journals.number(&parent);
            let journal = journals.new_page()?;
            intent.credential = journal.fingerprint(secret.expose_secret())?;
            let claim = claim(journal, now, &intent)?;
            let row = match &claim {
                Claim::New(id) => {
                    let row = journals.row(*id);
                    // Only this job fills it.
                    let _filled = slot.set(row);
                    row
                }
                Claim::Known(entry) => journals.row(entry.id),
            };
            Ok((claim, row))
        };
        self.scribe.carry(risk, self.patience(risk), write).await
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
    async fn unrecorded(&self, command: &Command, request: Request) -> Recorded {
        let how = "sent without the journal";
        self.without_journal(command, &request, how).await;
        Recorded {
            request,
            intent: Slot::default(),
            before: None,
        }
    }

    /// The key is told where a person finds it.
    pub(super) async fn without_journal(
        &self,
        command: &Command,
        request: &Request,
        how: &'static str,
    ) {
        let key = request.key.as_ref().map_or("none", IdempotencyKey::raw);
        let text = format!("{command}: {how}, idempotency key {key}");
        let line = text.clone();
        aside(move || tracing::warn!("{line}"));
        self.note(Tone::Warn, text).await;
    }

    /// A close-all under a key that is on disk already, where there is one.
    async fn with_spare(&self, command: &Command, mut request: Request) -> Request {
        if let Command::CloseAll(_) = command
            && let Some(spare) = self.take_reserved_key(&request).await
        {
            request.key = Some(spare);
        }
        request
    }

    async fn take_reserved_key(&self, request: &Request) -> Option<IdempotencyKey> {
        let connection = self.client.connection().clone();
        let (at, target): (Timestamp, _) = (self.clock.now(), request.target.clone());
        let taken = self.scribe.write_soon(move |journals| {
            let journal = journals.new_page()?;
            let credential = journal.fingerprint(connection.api_key.expose_secret());
            Ok(journal.take_reserved_key(|key| UsedKey {
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
