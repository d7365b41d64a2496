//! Writes the intent to the journal before the first byte is sent, and decides what to do if that fails or is slow.

use super::{OutboxContext, entry_gate::Epoch};
use crate::{
    api::Request,
    app::activity::notice::Tone,
    journal::{
        Claim, ClaimCheck, Intent, IntentRow, Journal, JournalError, Objection, ReplayWindow,
    },
    model::{AccountId, Command, Failure, FailureKind, IdempotencyKey, Risk, Timestamp},
    runtime::journal::journal_writer::{IntentRef, known_ref, log_in_background},
};
use secrecy::ExposeSecret as _;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// A command that waited longer than this for its turn is not sent: the market has moved.
fn patience(risk: Risk) -> Duration {
    Duration::from_secs(match risk {
        Risk::Increasing => 30,
        Risk::Neutral => 60,
        Risk::Reducing => 300,
    })
}

/// How long a close or cancel waits for recovery if the last session may have sent the same command, and for another
/// process that sends one for the same object.
const SAME_COMMAND_WAIT: Duration = Duration::from_secs(2);

/// How often it looks whether that process is done.
const BUSY_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The longest wait for the order rate.
const RATE_WAIT: Duration = Duration::from_secs(10);

const NEVER_TAKEN: &str =
    "its deadline has passed, and the disk of the journal has not recorded it: it is not sent";

/// The disk did not answer within 100 ms.
const SENT_FIRST: &str = "sent before the slow journal recorded it";

/// Why the row under the key of `request` must not be sent again for it, if so.
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
            "the key was used for another command, {}; each command needs its own key",
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

/// The parent, key and time of a command.
#[derive(Debug, Default)]
pub(crate) struct CommandOrigin {
    /// The flatten it is part of, if any.
    pub(crate) parent: IntentRef,
    /// `None`: a new random key.
    pub(crate) key: Option<IdempotencyKey>,
    /// The epoch in which it was given.
    pub(crate) epoch: Epoch,
    /// Set to its row once the journal has it.
    pub(crate) intent_ref: IntentRef,
}

impl CommandOrigin {
    pub(crate) fn part(parent: &IntentRef) -> Self {
        Self {
            parent: Arc::clone(parent),
            ..Self::default()
        }
    }
}

/// A request with its place in the journal.
#[derive(Debug)]
pub(super) struct RecordedRequest {
    pub(super) request: Request,
    /// Empty without a journal, and until a slow disk has written it.
    pub(super) intent: IntentRef,
    /// The row of the same request, if it was sent under the same key before.
    pub(super) before: Option<Box<IntentRow>>,
}

/// Creates a row, or finds the row of an earlier sending.
type ClaimIn = fn(&mut Journal, Timestamp, &Intent, &ClaimCheck) -> Result<Claim, JournalError>;

impl OutboxContext {
    /// Scaled by the client's timeouts.
    pub(super) fn patience(&self, risk: Risk) -> Duration {
        self.client.timeouts().scaled(patience(risk))
    }

    /// Writes the intent to the disk. Without a journal, only a command that does not increase exposure may go on. A
    /// command whose key was used before is resent as it was, and so is an unfinished close-all or cancel-all.
    pub(super) async fn record(
        &self,
        command: &Command,
        origin: CommandOrigin,
        requested_at: Timestamp,
    ) -> Result<RecordedRequest, Failure> {
        let risk = command.risk();
        let chosen = origin.key.clone();
        let own = || IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        let key = origin.key.unwrap_or_else(own);
        let request = Request::encode(command, key)
            .map_err(|why| Failure::local(format!("the request could not be written: {why}")))?;
        let intent = self.intent(command, &request, requested_at);
        let intent_ref = origin.intent_ref;
        let claim = match (command, &chosen) {
            (Command::CloseAll(_) | Command::CancelAll(_), None) => Journal::claim_or_resume,
            _ => Journal::claim,
        };
        let place = (&origin.parent, &intent_ref);
        let check = self.check((requested_at, origin.epoch));
        let recorded = match self
            .put_in_turn(command, (claim, intent.clone()), place, check.clone())
            .await
        {
            Ok(Claim::New(_)) => Ok(RecordedRequest {
                request: request.clone(),
                intent: Arc::clone(&intent_ref),
                before: None,
            }),
            Ok(Claim::Known(known)) => {
                self.wait_for_findings(risk).await?;
                self.resend(command, request.clone(), &known).await?
            }
            Ok(Claim::Refused(why)) => return Err(self.apply_objection(why).await),
            Err(why) => Err(why),
        };
        match recorded {
            Ok(recorded) => Ok(recorded),
            Err(JournalError::Slow) if risk == Risk::Increasing => {
                // Not awaited: the job runs after the row's own write.
                drop(self.record_unsent(&intent_ref, NEVER_TAKEN));
                Err(Failure::new(FailureKind::Unavailable, NEVER_TAKEN))
            }
            Err(JournalError::Slow) => {
                self.put_later(intent, place, check);
                Ok(self
                    .unrecorded(command, request, intent_ref, SENT_FIRST)
                    .await)
            }
            Err(why) if risk == Risk::Increasing => Err(Failure::local(format!(
                "{why}. New orders are refused without it; closing and canceling still work"
            ))),
            Err(_) => {
                let never = IntentRef::default();
                let how = "sent without the journal";
                Ok(self.unrecorded(command, request, never, how).await)
            }
        }
    }

    /// An earlier row may be open, and recovery may be deciding it right now. A close or cancel waits only briefly: it
    /// has the same key anyway.
    async fn wait_for_findings(&self, risk: Risk) -> Result<(), Failure> {
        match risk {
            Risk::Increasing => self.ready_within(self.patience(risk)).await,
            Risk::Neutral | Risk::Reducing => {
                let _in_time = self
                    .ready_within(self.client.timeouts().scaled(SAME_COMMAND_WAIT))
                    .await;
                Ok(())
            }
        }
    }

    /// The earlier request under the key of `request`, about to be resent as it was.
    async fn resend(
        &self,
        command: &Command,
        request: Request,
        known: &IntentRow,
    ) -> Result<Result<RecordedRequest, JournalError>, Failure> {
        let (connection, now) = (self.client.connection(), self.clock.now());
        let here = (connection.base_url.clone(), connection.account_id.clone());
        if let Some(why) = misused(known, &here, &request, now) {
            return Err(why);
        }
        let (id, risk) = (known.id, command.risk());
        let mark = move |journal: &mut Journal| {
            journal.mark_inflight(id)?;
            // As recovery, or another process, has left it meanwhile.
            journal.entry(id)
        };
        let entry = match self
            .writer
            .write_before_sending(risk, self.patience(risk), mark)
            .await
        {
            Ok(entry) => entry,
            Err(JournalError::Slow) if risk != Risk::Increasing => None,
            Err(JournalError::Slow) => {
                return Err(Failure::new(FailureKind::Unavailable, NEVER_TAKEN));
            }
            Err(why) => return Ok(Err(why)),
        };
        let recorded = RecordedRequest {
            before: Some(Box::new(entry.clone().unwrap_or_else(|| known.clone()))),
            // The row is kept out of the new command's reference: it may have executed, and must not be withdrawn.
            intent: known_ref(id),
            request: Request {
                key: known.intent.key.clone(),
                body: known.intent.body.clone(),
                ..request
            },
        };
        if entry.is_none() {
            self.without_journal(command, &recorded.request, SENT_FIRST)
                .await;
        }
        Ok(Ok(recorded))
    }

    /// Records a whole flatten, which is no request of its own. Its row may come after its first parts are sent.
    pub(crate) async fn record_flatten(&self, command: &Command) -> IntentRef {
        let request = Request::flatten(&self.client.connection().account_id);
        let intent = self.intent(command, &request, self.clock.now());
        let intent_ref = IntentRef::default();
        // The journal writer reports a failure.
        let place = (&IntentRef::default(), &intent_ref);
        let check = self.check((self.clock.now(), self.epoch()));
        let _put = self.put(Journal::claim, intent, place, check).await;
        intent_ref
    }

    fn intent(&self, command: &Command, request: &Request, requested_at: Timestamp) -> Intent {
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
            entry: command.entry().cloned(),
            replaces: command.replaces().cloned(),
            deadline: requested_at.plus(self.patience(risk)),
            replay_until: ReplayWindow::since(now).until(),
        }
    }

    /// Records it once no other process has a request under its key or for its object on the wire. What only ends something
    /// does no harm twice, and waits for nobody; a part of a close waits briefly.
    async fn put_in_turn(
        &self,
        command: &Command,
        (claim, intent): (ClaimIn, Intent),
        place: (&IntentRef, &IntentRef),
        check: ClaimCheck,
    ) -> Result<Claim, JournalError> {
        let check = ClaimCheck {
            waits: !command.facts().only_ends,
            ..check
        };
        let patience = match command.risk() {
            risk @ Risk::Increasing => self.patience(risk),
            Risk::Neutral | Risk::Reducing => self.client.timeouts().scaled(SAME_COMMAND_WAIT),
        };
        let began = Instant::now();
        let until = began + patience;
        loop {
            let put = self.put(claim, intent.clone(), place, check.clone()).await;
            match put {
                Ok(Claim::Refused(Objection::Busy(..))) if Instant::now() < until => {
                    sleep(BUSY_POLL_INTERVAL).await;
                }
                Ok(Claim::Refused(Objection::RateSpent)) if began.elapsed() < RATE_WAIT => {
                    sleep(BUSY_POLL_INTERVAL).await;
                }
                Ok(Claim::Refused(Objection::Busy(..))) if command.risk() != Risk::Increasing => {
                    let check = ClaimCheck {
                        waits: false,
                        ..check
                    };
                    return self.put(claim, intent, place, check).await;
                }
                put => return put,
            }
        }
    }

    async fn put(
        &self,
        claim: ClaimIn,
        intent: Intent,
        place: (&IntentRef, &IntentRef),
        check: ClaimCheck,
    ) -> Result<Claim, JournalError> {
        let risk = intent.risk;
        let write = self.put_job(claim, intent, place, check);
        self.writer
            .write_before_sending(risk, self.patience(risk), write)
            .await
    }

    /// Records what is sent without waiting any longer, if the job that was waited for does not: it may find that the
    /// command should wait for another process, or go on under another key.
    fn put_later(&self, intent: Intent, place: (&IntentRef, &IntentRef), check: ClaimCheck) {
        let check = ClaimCheck {
            waits: false,
            ..check
        };
        let intent_ref = Arc::clone(place.1);
        let write = self.put_job(Journal::claim, intent, place, check);
        // Not awaited: the job runs after the one that was waited for.
        drop(self.writer.ask(move |journal| match intent_ref.get() {
            Some(_) => Ok(()),
            None => write(journal).map(drop),
        }));
    }

    fn put_job(
        &self,
        claim: ClaimIn,
        mut intent: Intent,
        (parent, intent_ref): (&IntentRef, &IntentRef),
        check: ClaimCheck,
    ) -> impl FnOnce(&mut Journal) -> Result<Claim, JournalError> + Send + use<> {
        let (now, secret) = (self.clock.now(), self.client.api_key());
        let (parent, intent_ref) = (Arc::clone(parent), Arc::clone(intent_ref));
        move |journal: &mut Journal| {
            // Queued before this job, and written if it could be.
            intent.parent = parent.get().copied();
            intent.credential = journal.fingerprint(secret.expose_secret())?;
            let claim = claim(journal, now, &intent, &check)?;
            if let Claim::New(id) = &claim {
                // Only this job fills it.
                let _filled = intent_ref.set(*id);
            }
            Ok(claim)
        }
    }

    /// A close or cancel is sent though the journal does not have it yet, or never will; its key is shown.
    async fn unrecorded(
        &self,
        command: &Command,
        request: Request,
        intent: IntentRef,
        how: &'static str,
    ) -> RecordedRequest {
        self.without_journal(command, &request, how).await;
        RecordedRequest {
            request,
            intent,
            before: None,
        }
    }

    /// Shows and logs the key.
    pub(super) async fn without_journal(
        &self,
        command: &Command,
        request: &Request,
        how: &'static str,
    ) {
        let key = request.key.as_ref().map_or("none", IdempotencyKey::raw);
        let text = format!("{command}: {how}, idempotency key {key}");
        let line = text.clone();
        log_in_background(move || tracing::warn!("{line}"));
        self.note(Tone::Warn, text).await;
    }
}
