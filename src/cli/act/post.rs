//! The outbox of one verb: opened on the desk's own journal, waited for until everything is settled.
//!
//! Known limit: one process writes the journal. While another verb does, this waits a moment; while a desk does,
//! nothing is sent: trade there, or give the verbs a `--state-dir` of their own.

use super::{Deed, Outcome};
use crate::{
    app::Msg,
    cli::{service::Service, voice::Voice},
    journal::{Entry, Journal, JournalError, holder},
    model::{Failure, FailureKind, Progress, Ticket},
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
/// How often, and how long apart, another verb is waited for to be done with the journal.
const PATIENCE: u32 = 100;
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
    /// How many of the deeds are.
    sent: usize,
    outcomes: BTreeMap<Ticket, Outcome>,
}

impl<'a> Post<'a> {
    /// A journal that another desk writes is a failure; one that does not work is said to the outbox, which knows what
    /// may go out without it.
    pub(super) async fn open(service: &'a Service, voice: Voice) -> Result<Self, Failure> {
        let journal = match journal(&service.journal_dir).await {
            Err(why @ JournalError::Held { .. }) => return Err(Failure::from(&why)),
            journal => journal,
        };
        Ok(Self {
            service,
            voice,
            journal,
        })
    }

    /// What was sent before under the deed's key.
    pub(super) fn known(&self, deed: &Deed) -> Option<Entry> {
        let journal = self.journal.as_ref().ok()?;
        journal.by_key(deed.kept_key()?).ok()?
    }

    /// Sends them all and waits until each is settled; the outcomes stand in the order of the deeds.
    pub(super) async fn deliver(self, deeds: &[Deed]) -> Result<Vec<Outcome>> {
        let (sender, events) = channel(256);
        let (client, journal) = (self.service.client.clone(), self.journal);
        let mut mail = Mail {
            outbox: Outbox::spawn(client, Clock::Wall, move || journal, sender),
            events,
            sent: 0,
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
        while self.sent < deeds.len().min(ABREAST) {
            self.send(deeds);
        }
        while self.outcomes.len() < deeds.len() {
            let Some(msg) = self.events.recv().await else {
                return;
            };
            match msg {
                Msg::Settled(ticket, outcome) => self.settle(ticket, outcome),
                // Without a screen nobody is asked: the journal keeps the question, the key repeats the deed.
                Msg::Progress(ticket, Progress::Parked { why, .. }) => {
                    self.settle(ticket, Err(why));
                }
                Msg::Progress(ticket, progress) => told(voice, deeds, ticket, &progress),
                Msg::Said(_, text) | Msg::Offered(text, _) => voice.note(&text),
                Msg::Key(_)
                | Msg::Paste(_)
                | Msg::Tick
                | Msg::Opened(_)
                | Msg::Polled(_)
                | Msg::Called(_)
                | Msg::TriesAgain(_)
                | Msg::Ended(..)
                | Msg::Resumed(..)
                | Msg::Flatten => {}
            }
            while self.sent < deeds.len().min(self.outcomes.len() + ABREAST) {
                self.send(deeds);
            }
        }
    }

    /// The ticket may be of an earlier session, which the outbox looks after.
    fn settle(&mut self, ticket: Ticket, outcome: Outcome) {
        if (0..self.sent).any(|at| self::ticket(at) == ticket) {
            self.outcomes.insert(ticket, outcome);
        }
    }

    /// The next one.
    fn send(&mut self, deeds: &[Deed]) {
        if let Some(deed) = deeds.get(self.sent) {
            let (command, key) = (deed.command.clone(), deed.key.clone());
            self.outbox.send_as(ticket(self.sent), command, key);
        }
        self.sent += 1;
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
        // A flatten is none of these verbs'; a parked one has been settled.
        Progress::Sending { .. } | Progress::Flattening(_) | Progress::Parked { .. } => {}
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

/// Opens the journal, waiting while another verb has it; a desk keeps it too long to wait for.
async fn journal(dir: &Path) -> Result<Journal, JournalError> {
    for _ in 0..PATIENCE {
        match Journal::open(dir) {
            Err(JournalError::Held { .. }) if !is_desk(dir) => sleep(LOOK_AGAIN).await,
            opened => return opened,
        }
    }
    Journal::open(dir)
}

fn is_desk(dir: &Path) -> bool {
    holder(dir).is_some_and(|holder| holder.listens)
}

fn interrupted() -> Failure {
    Failure::new(
        FailureKind::Unknown,
        "interrupted; what was on the wire may still take effect",
    )
}
