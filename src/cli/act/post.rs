//! The outbox of one verb: opened on the desk's own journal, waited for until everything is settled.
//!
//! Known limit: while a desk (or another verb) writes the journal, this waits for it a moment; after that nothing that
//! raises exposure is sent, and the rest goes out with its key said aloud instead of written down.

use super::{Deed, Outcome};
use crate::{
    app::Msg,
    cli::{service::Service, voice::Voice},
    journal::{Entry, Journal, JournalError},
    model::{Failure, FailureKind, Progress, Risk, Ticket},
    runtime::{Clock, Outbox},
};
use color_eyre::Result;
use std::{collections::BTreeMap, path::Path, time::Duration};
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
    sync::mpsc::{Receiver, channel},
    time::sleep,
};

/// Commands on the wire at once: enough to be quick, too few to spend a request budget in one burst.
const ABREAST: usize = 8;
/// How long another process may keep the journal before this gives up on it.
const ENTRY_PATIENCE: u32 = 60;
const EXIT_PATIENCE: u32 = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(50);

pub(super) struct Post<'a> {
    service: &'a Service,
    voice: Voice,
    journal: Result<Journal, JournalError>,
}

/// What is on its way, by its place among the deeds.
struct Mail {
    outbox: Outbox,
    events: Receiver<Msg>,
    outcomes: BTreeMap<Ticket, Outcome>,
}

impl<'a> Post<'a> {
    /// An exit does not wait long for a journal.
    pub(super) async fn open(service: &'a Service, voice: Voice, risk: Risk) -> Self {
        let patience = match risk {
            Risk::Increasing => ENTRY_PATIENCE,
            Risk::Neutral | Risk::Reducing => EXIT_PATIENCE,
        };
        Self {
            journal: journal(&service.journal_dir, patience).await,
            service,
            voice,
        }
    }

    /// What was sent before under the deed's key.
    pub(super) fn known(&self, deed: &Deed) -> Option<Entry> {
        let journal = self.journal.as_ref().ok()?;
        journal.by_key(deed.kept_key()?).ok()?
    }

    /// Sends them all and waits until each is settled; the outcomes stand in the order of the deeds.
    pub(super) async fn deliver(self, deeds: &[Deed]) -> Result<Vec<Outcome>> {
        if self.journal.is_err() {
            for key in deeds.iter().filter_map(Deed::kept_key) {
                self.voice.note(&format!("idempotency key {key}"));
            }
        }
        let (sender, events) = channel(256);
        let (client, journal) = (self.service.client.clone(), self.journal);
        let mut mail = Mail {
            outbox: Outbox::spawn(client, Clock::Wall, move || journal, sender),
            events,
            outcomes: BTreeMap::new(),
        };
        let mut terminate = signal(SignalKind::terminate())?;
        select! {
            () = mail.carry(deeds, self.voice) => {}
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        let outcomes = (0..deeds.len()).map(|at| {
            let settled = mail.outcomes.remove(&ticket(at));
            settled.unwrap_or_else(|| Err(interrupted()))
        });
        Ok(outcomes.collect())
    }
}

impl Mail {
    async fn carry(&mut self, deeds: &[Deed], voice: Voice) {
        let mut waiting = deeds.iter().enumerate();
        for (at, deed) in waiting.by_ref().take(ABREAST) {
            self.send(at, deed);
        }
        while self.outcomes.len() < deeds.len() {
            let Some(msg) = self.events.recv().await else {
                return;
            };
            match msg {
                Msg::Settled(ticket, outcome) => {
                    self.outcomes.insert(ticket, outcome);
                    if let Some((at, deed)) = waiting.next() {
                        self.send(at, deed);
                    }
                }
                Msg::Progress(ticket, progress) => told(voice, deeds, ticket, &progress),
                Msg::Said(_, text) => voice.note(&text),
                Msg::Key(_)
                | Msg::Paste(_)
                | Msg::Tick
                | Msg::Opened(_)
                | Msg::Polled(_)
                | Msg::Called(_) => {}
            }
        }
    }

    fn send(&mut self, at: usize, deed: &Deed) {
        let (command, key) = (deed.command.clone(), deed.key.clone());
        self.outbox.send_as(ticket(at), command, key);
    }
}

fn ticket(at: usize) -> Ticket {
    Ticket(u64::try_from(at).unwrap_or(u64::MAX))
}

/// Only what a person would want to know while it takes its time.
fn told(voice: Voice, deeds: &[Deed], of: Ticket, progress: &Progress) {
    let deed = deeds.iter().enumerate().find(|(at, _)| ticket(*at) == of);
    let Some((_, deed)) = deed else { return };
    let command = &deed.command;
    let again = |at: &crate::model::Timestamp| Clock::Wall.until(*at).as_secs_f32().ceil();
    match progress {
        Progress::Sending { .. } => {}
        Progress::Unknown { why, retry_at } => voice.note(&format!(
            "{command}: outcome unknown ({why}); the same request again in {} s",
            again(retry_at)
        )),
        Progress::Waiting { why, retry_at } => {
            voice.note(&format!("{command}: {why}; again in {} s", again(retry_at)));
        }
        Progress::Running { operation, .. } => voice.note(&format!(
            "{command}: {} of {} tried, {} failed",
            operation.done_count(),
            operation.total_count,
            operation.failed_count
        )),
    }
}

/// Opens the journal, waiting while another verb has it.
async fn journal(dir: &Path, patience: u32) -> Result<Journal, JournalError> {
    for _ in 0..patience {
        match Journal::open(dir) {
            Err(JournalError::Held(_)) => sleep(LOOK_AGAIN).await,
            opened => return opened,
        }
    }
    Journal::open(dir)
}

fn interrupted() -> Failure {
    Failure::new(
        FailureKind::Unknown,
        "interrupted; what was on the wire may still take effect",
    )
}
