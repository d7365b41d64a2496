//! How the commands of one verb are sent: through its own outbox and the journal, or through the desk that holds the
//! journal.
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
    post::outcomes::{OpenedJournal, Outcomes, UnknownSeen, ticket},
    prepared::{PreparedCommand, SendOutcome, held_back},
    repeat,
};
use crate::{
    app::Sending,
    cli::{
        disk_wait::{JOURNAL_OPEN_TIMEOUT, Work, looked, no_answer},
        service::Service,
        voice::Output,
    },
    journal::{IntentRow, Journal, JournalError, lock_holder},
    model::{Failure, FailureKind, OrderId, Progress, Risk},
    runtime::{
        Clock, DeskConnection, HandOverRequest, HandOverResult, call, prune_journal, queued_end,
        unknown_after_hand_over,
    },
};
use color_eyre::Result;
use futures_util::{StreamExt as _, stream};
use mail::{ABREAST, LocalOutbox, print_progress};
use std::{cell::Cell, path::Path, time::Duration};
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
    time::sleep,
};

/// How long an entry waits for a slow disk.
const DISK_TIMEOUT: Duration = Duration::from_secs(29);
/// Poll interval while another verb holds the journal.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(super) struct Transport<'a> {
    service: &'a Service,
    voice: Output,
    way: SendPath,
}

enum SendPath {
    Own(Box<OpenedJournal>),
    /// The same, once the disk catches up.
    Late(Work<OpenedJournal>),
    /// Through the desk that holds the journal.
    Desk,
}

/// The opened journal, or the opening that still goes on.
type JournalOpening = Result<OpenedJournal, Work<OpenedJournal>>;

/// Polls of another verb's lock before a close uses an overflow journal, and anything else gives up.
fn patience(risk: Risk) -> u32 {
    match risk {
        Risk::Reducing => 10,
        Risk::Neutral => 40,
        Risk::Increasing => 300,
    }
}

impl<'a> Transport<'a> {
    /// Chooses the transport for commands of this risk. The outbox receives a journal's error and decides what may be
    /// sent without it.
    pub(super) async fn open(
        service: &'a Service,
        voice: Output,
        risk: Risk,
    ) -> Result<Self, Failure> {
        let dir = &service.journal_dir;
        let opened = match journal(dir, risk).await {
            Err(late) if risk == Risk::Increasing => {
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
        let way = match opened {
            Ok(Err(why @ JournalError::Held { .. })) => {
                form_context(service, voice, risk, &why).await?
            }
            Ok(mut journal) => {
                if let Ok(journal) = &mut journal {
                    prune_journal(journal, Clock::start(), service.journal_days);
                }
                SendPath::Own(Box::new(journal))
            }
            Err(late) => {
                voice.note(&format!(
                    "{}; closes and cancels do not wait for it",
                    no_answer(dir)
                ));
                SendPath::Late(late)
            }
        };
        Ok(Self {
            service,
            voice,
            way,
        })
    }

    /// The earlier request under the command's key.
    pub(super) fn known(&self, prepared: &PreparedCommand) -> Option<IntentRow> {
        let key = prepared.kept_key()?.clone();
        self.read(move |journal| journal.by_key(&key)).flatten()
    }

    /// Orders that commands of this service are known to have made.
    pub(super) fn linked(&self) -> Option<Vec<OrderId>> {
        let base_url = self.service.client.connection().base_url.clone();
        self.read(move |journal| journal.linked_orders(&base_url))
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
        match &self.way {
            SendPath::Own(journal) => read(journal.as_ref().as_ref().ok()?).ok(),
            SendPath::Desk => looked(&self.service.journal_dir, read),
            SendPath::Late(_) => None,
        }
    }

    /// The journal, if this process writes it: then nobody else checks the commands.
    pub(super) fn journal(&self) -> Option<&Journal> {
        match &self.way {
            SendPath::Own(journal) => journal.as_ref().as_ref().ok(),
            SendPath::Desk | SendPath::Late(_) => None,
        }
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
        let mut outcomes = Outcomes::new();
        let (service, voice) = (self.service, self.voice);
        let given = match self.way {
            SendPath::Own(journal) => {
                let mail =
                    LocalOutbox::open(service, prepared_commands, move || *journal, &mut outcomes);
                carried(
                    mail,
                    prepared_commands,
                    (&before, stopped),
                    (voice, unknown),
                )
                .await
            }
            SendPath::Late(late) => {
                let open = move || late.end().unwrap_or(Err(JournalError::Stopped));
                let mail = LocalOutbox::open(service, prepared_commands, open, &mut outcomes);
                carried(
                    mail,
                    prepared_commands,
                    (&before, stopped),
                    (voice, unknown),
                )
                .await
            }
            SendPath::Desk => {
                let asked = Cell::new(0);
                select! {
                    () = hand_over(service, (voice, unknown), prepared_commands, &asked, &mut outcomes) => {}
                    () = stopped => {}
                }
                asked.get()
            }
        };
        let ends = before.into_iter().enumerate().map(|(at, before)| {
            let may_have_left = before || at < given;
            let untold = || Err(if may_have_left { in_doubt() } else { unsent() });
            outcomes.remove(&ticket(at)).unwrap_or_else(untold)
        });
        Ok(ends.collect())
    }
}

/// Sends until done or `stopped`; returns how many commands reached the outbox.
async fn carried(
    mut mail: LocalOutbox<'_>,
    prepared_commands: &[PreparedCommand],
    (before, stopped): (&[bool], impl Future<Output = ()>),
    (voice, unknown): (Output, &UnknownSeen),
) -> usize {
    select! {
        () = mail.carry(prepared_commands, voice, unknown) => {}
        () = stopped => mail.stop(before).await,
    }
    mail.close(voice).await
}

/// Hands all commands to the desk, a few at a time; `asked` counts them.
async fn hand_over(
    service: &Service,
    told: (Output, &UnknownSeen),
    prepared_commands: &[PreparedCommand],
    asked: &Cell<usize>,
    outcomes: &mut Outcomes,
) {
    let requests = prepared_commands
        .iter()
        .enumerate()
        .map(|(at, prepared)| async move {
            // Started in order.
            asked.set(at + 1);
            (ticket(at), ask(service, told, prepared).await)
        });
    let mut settled = stream::iter(requests).buffer_unordered(ABREAST);
    while let Some((ticket, outcome)) = settled.next().await {
        outcomes.insert(ticket, outcome);
    }
}

async fn ask(
    service: &Service,
    (voice, unknown): (Output, &UnknownSeen),
    prepared: &PreparedCommand,
) -> SendOutcome {
    let dir = &service.journal_dir;
    let Some(desk) = call(dir).await else {
        return Err(unasked());
    };
    let key = prepared.kept_key().cloned();
    let known = key.and_then(|key| looked(dir, move |journal| journal.by_key(&key)).flatten());
    let sending = if repeat::may_have_acted(known.as_ref()) {
        Sending::Again
    } else {
        Sending::First
    };
    let asked = match &prepared.key {
        None => HandOverRequest::Flatten,
        Some(key) => HandOverRequest::Send {
            request: &prepared.request,
            key,
            sending,
            risk: prepared.command.risk(),
        },
    };
    let hear = |progress: &Progress| {
        unknown.observe(progress);
        print_progress(voice, &prepared.command, progress);
    };
    let place = service.client.connection().into();
    match desk.hand_over(place, asked, hear).await {
        HandOverResult::Ended(outcome) => {
            let end = queued_end(&service.client, &prepared.command, &outcome).await;
            end.unwrap_or(outcome)
        }
        HandOverResult::TurnedAway(why) => Err(held_back(&why)),
        HandOverResult::NeverAsked => Err(unasked()),
        HandOverResult::Lost => Err(unknown_after_hand_over()),
    }
}

/// Opens the journal; waits while another verb holds it, but not for a desk.
async fn journal(dir: &Path, risk: Risk) -> JournalOpening {
    let mut tries = 0..patience(risk);
    loop {
        let place = dir.to_owned();
        let open = Work::begin(move || Journal::open(&place));
        match open.within(JOURNAL_OPEN_TIMEOUT) {
            Some(Err(JournalError::Held { .. })) if tries.next().is_some() && !is_desk(dir) => {
                sleep(LOCK_POLL_INTERVAL).await;
            }
            Some(opened) => return Ok(opened),
            None => return Err(open),
        }
    }
}

fn is_desk(dir: &Path) -> bool {
    lock_holder(dir).is_some_and(|holder| holder.listens)
}

/// What to do while another process holds the journal.
async fn form_context(
    service: &Service,
    voice: Output,
    risk: Risk,
    held: &JournalError,
) -> Result<SendPath, Failure> {
    let connection = service.client.connection();
    let why = match call(&service.journal_dir).await {
        Some(DeskConnection { greeting, .. }) if greeting.accounts.contains(&connection.into()) => {
            return Ok(SendPath::Desk);
        }
        Some(DeskConnection { greeting, .. }) => {
            let places = greeting.accounts.iter();
            let places = places.map(|place| format!("{} at {}", place.account_id, place.base_url));
            let places = places.collect::<Vec<_>>().join(", ");
            format!("{held}; that desk trades {places}")
        }
        None if is_desk(&service.journal_dir) => format!("{held}; that desk does not answer"),
        None => held.to_string(),
    };
    // Never for an entry.
    let beside = (risk != Risk::Increasing).then(|| Journal::open_overflow(&service.journal_dir));
    let Some((dir, journal)) = beside.flatten() else {
        return Err(Failure::local(format!(
            "{why}. Nothing was sent; closes and cancels are still sent"
        )));
    };
    voice.note(&format!(
        "{why}. The close or cancel is sent without it, from the journal in {}",
        dir.display()
    ));
    Ok(SendPath::Own(Box::new(journal)))
}

/// The outcome of a command that was stopped and may have been sent.
fn in_doubt() -> Failure {
    let why = "interrupted; a request that was already sent may still take effect";
    Failure::new(FailureKind::Unknown, why)
}

fn unasked() -> Failure {
    let why = "the desk that has the journal does not answer any more; nothing was sent";
    Failure::new(FailureKind::Unavailable, why)
}

fn unsent() -> Failure {
    Failure::new(FailureKind::Unavailable, "interrupted; nothing was sent")
}
