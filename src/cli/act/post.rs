//! How the commands of one verb are sent: by its own outbox, from the journal, an overflow journal, or through the desk
//! that holds the journal (docs/delivery.md 8.1).
//!
//! Contract: one process writes a journal. While another verb holds it, this one waits briefly. While a desk does, this
//! verb hands its commands to the desk, which sends them as its own. If neither works (the desk is stopped, trades
//! another account, or a verb takes long), a close or cancel is sent at once, with an overflow journal under `aside`
//! that the next desk or verb imports; an entry is refused. A slow disk delays no close or cancel: it is recorded when
//! the disk catches up. An entry waits for the disk for a limited time.
//!
//! Known limit: a disk that hangs while the history of a key is read blocks the verb.

mod mail;
pub(super) mod outcomes;

use super::{
    post::outcomes::{JournalOpening, OpenedJournal, Outcomes, UnknownSeen, ticket},
    prepared::{PreparedCommand, SendOutcome},
};
use crate::{
    cli::{
        disk_wait::{JOURNAL_OPEN_TIMEOUT, Work, looked, no_answer},
        service::Service,
        voice::Output,
    },
    journal::{IntentRow, Journal, JournalError, lock_holder},
    model::{Command, Dispatch, Failure, FailureKind, JournalRole, ProcessKind, Risk},
    runtime::{Clock, FoundDesk, find_desk, interrupted, open_journal_after, prune_journal},
};
use color_eyre::Result;
use mail::LocalOutbox;
use std::{
    path::Path,
    sync::mpsc::{RecvTimeoutError, channel},
    time::Duration,
};
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
};

/// How long an entry waits for a slow disk.
const DISK_TIMEOUT: Duration = Duration::from_secs(29);

pub(super) struct Transport<'a> {
    service: &'a Service,
    voice: Output,
    opening: JournalOpening,
}

/// Polls of another verb's lock before a close uses an overflow journal, and anything else gives up.
fn patience(risk: Risk) -> u32 {
    match risk {
        Risk::Reducing => 10,
        Risk::Neutral => 40,
        Risk::Increasing => 300,
    }
}

impl<'a> Transport<'a> {
    /// Chooses the transport for `command` and others of its risk. The outbox receives a journal's error, and decides
    /// what may be sent without it.
    pub(super) async fn open(
        service: &'a Service,
        voice: Output,
        command: &Command,
    ) -> Result<Self, Failure> {
        let dir = &service.journal_dir;
        let waits = JournalRole::TakingOver.dispatch(ProcessKind::Verb, command);
        let opening = match journal(dir, command.risk()) {
            Err(late) if waits == Dispatch::AfterRecovery => {
                voice.note(&format!(
                    "{}; nothing is sent before it does",
                    no_answer(dir)
                ));
                let unsent = || format!("{}; nothing was sent", no_answer(dir));
                Ok(late
                    .within(DISK_TIMEOUT)
                    .ok_or_else(|| Failure::new(FailureKind::Unavailable, unsent()))?)
            }
            opening => opening,
        };
        let opening = match opening {
            Ok(Err(held @ JournalError::Held { .. })) => {
                Ok(beside(service, voice, command, held).await?)
            }
            Ok(Ok(mut journal)) => {
                prune_journal(&mut journal, Clock::start(), service.journal_days);
                Ok(Ok(journal))
            }
            Err(late) => {
                voice.note(&format!(
                    "{}; closes and cancels do not wait for it",
                    no_answer(dir)
                ));
                Err(late)
            }
            failed @ Ok(Err(_)) => failed,
        };
        Ok(Self {
            service,
            voice,
            opening,
        })
    }

    /// The earlier request under the command's key.
    pub(super) fn known(&self, prepared: &PreparedCommand) -> Option<IntentRow> {
        let key = prepared.kept_key()?.clone();
        self.read(move |journal| journal.by_key(&key)).flatten()
    }

    /// The recent rows of this account, newest first.
    pub(super) fn recent(&self, limit: u32) -> Vec<IntentRow> {
        let connection = self.service.client.connection();
        let (base_url, account) = (connection.base_url.clone(), connection.account_id.clone());
        let read = move |journal: &Journal| journal.recent_on((&base_url, &account), limit);
        self.read(read).unwrap_or_default()
    }

    /// Reads the journal, whoever writes it; `None` if it cannot be read.
    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> Option<T> {
        match &self.opening {
            Ok(Ok(journal)) => read(journal).ok(),
            Ok(Err(JournalError::Held { .. })) => looked(&self.service.journal_dir, read),
            Ok(Err(_)) | Err(_) => None,
        }
    }

    /// The journal, if this process writes it: then nobody else checks the commands.
    pub(super) fn journal(&self) -> Option<&Journal> {
        self.opening.as_ref().ok()?.as_ref().ok()
    }

    /// Whether an earlier run may have sent it under the same key.
    fn was_sent(&self, prepared: &PreparedCommand) -> bool {
        self.known(prepared)
            .is_some_and(|entry| entry.maybe_executed)
    }

    /// Sends all commands and waits for their outcomes, in the same order.
    pub(super) async fn deliver(
        self,
        prepared_commands: &[PreparedCommand],
        unknown: &UnknownSeen,
    ) -> Result<Vec<SendOutcome>> {
        let mut terminate = signal(SignalKind::terminate())?;
        let stopped = async {
            select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        };
        let before: Vec<_> = prepared_commands
            .iter()
            .map(|prepared| self.was_sent(prepared))
            .collect();
        let (service, voice) = (self.service, self.voice);
        let mut outcomes = Outcomes::new();
        let mut mail = LocalOutbox::open(service, prepared_commands, self.opening, &mut outcomes);
        select! {
            () = mail.carry(prepared_commands, voice, unknown) => {}
            () = stopped => mail.stop(&before).await,
        }
        let given = mail.close(voice).await;
        let ends = before.into_iter().enumerate().map(|(at, before)| {
            let may_have_left = before || at < given;
            let untold = || {
                Err(if may_have_left {
                    interrupted()
                } else {
                    unsent()
                })
            };
            outcomes.remove(&ticket(at)).unwrap_or_else(untold)
        });
        Ok(ends.collect())
    }
}

/// Opens the journal; waits while another verb holds it, but not for a desk or a slow disk.
fn journal(dir: &Path, risk: Risk) -> JournalOpening {
    let (place, (polls, polled)) = (dir.to_owned(), channel());
    let opening = Work::begin(move || {
        open_journal_after(&place, patience(risk), move |_, _| {
            // Nobody receives it once the opening counts as slow.
            let _late = polls.send(());
        })
    });
    loop {
        match polled.recv_timeout(JOURNAL_OPEN_TIMEOUT) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return Err(opening),
            Err(RecvTimeoutError::Disconnected) => {
                let opened = opening.within(JOURNAL_OPEN_TIMEOUT);
                return opened.ok_or(opening);
            }
        }
    }
}

/// The journal for commands like this one while another process holds its own.
async fn beside(
    service: &Service,
    voice: Output,
    command: &Command,
    held: JournalError,
) -> Result<OpenedJournal, Failure> {
    let (dir, account) = (&service.journal_dir, service.client.connection().into());
    let (role, why) = match find_desk(ProcessKind::Verb, dir, &account).await {
        FoundDesk::Trading(_) => (JournalRole::Client, held.to_string()),
        FoundDesk::Elsewhere(greeting) => {
            let places = greeting.accounts.iter();
            let places = places.map(|place| format!("{} at {}", place.account_id, place.base_url));
            let places = places.collect::<Vec<_>>().join(", ");
            (
                JournalRole::Bypass,
                format!("{held}; that desk trades {places}"),
            )
        }
        FoundDesk::Silent if lock_holder(dir).is_some_and(|holder| holder.listens) => (
            JournalRole::Bypass,
            format!("{held}; that desk does not answer"),
        ),
        FoundDesk::Silent => (JournalRole::Bypass, held.to_string()),
    };
    let dispatch = role.dispatch(ProcessKind::Verb, command);
    if dispatch == Dispatch::ByHolder {
        // The outbox hands it over.
        return Ok(Err(held));
    }
    let overflow = (dispatch != Dispatch::Refused).then(|| Journal::open_overflow(dir));
    let Some((dir, journal)) = overflow.flatten() else {
        return Err(Failure::local(format!(
            "{why}. Nothing was sent; closes and cancels are still sent"
        )));
    };
    voice.note(&format!(
        "{why}. The close or cancel is sent without it, from the journal in {}",
        dir.display()
    ));
    Ok(journal)
}

fn unsent() -> Failure {
    Failure::new(FailureKind::Unavailable, "interrupted; nothing was sent")
}
