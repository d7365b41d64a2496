//! The outbox of one verb: its commands side by side, each followed to its outcome.

use crate::{
    app::{
        Msg, Store,
        workflows::{BulkRun, State},
    },
    cli::{
        act::prepared::{PreparedCommand, Sent, halted},
        disk_wait::Work,
        service::Service,
    },
    journal::{Journal, JournalError},
    model::{Command, Failure, FailureKind, FollowUp, Progress, Ticket, Timestamp},
    runtime::{Outbox, ResumedIntents, VerbRun, interrupted},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use tokio::{
    sync::mpsc::{Receiver, channel},
    time::{Instant, timeout},
};

/// How long an interrupted verb stays to record what it did not send; its outbox needs half of that.
const LEAVING: Duration = Duration::from_secs(2);
/// How long a close-all may make no progress before the verb returns.
const STALL_TIMEOUT: Duration = Duration::from_mins(10);

/// A journal, or why it does not work.
type OpenedJournal = Result<Journal, JournalError>;

/// The opened journal, or the opening that still goes on.
pub(super) type JournalOpening = Result<OpenedJournal, Work<OpenedJournal>>;

pub(super) struct OutboxRun<'a> {
    outbox: Outbox,
    events: Receiver<Msg>,
    service: &'a Service,
    commands: &'a [PreparedCommand],
    /// Whether an earlier run may have sent each of them under the same key.
    sent_before: Vec<bool>,
    /// The ticket of each is its index.
    bulk: BulkRun,
    /// Those whose outcome was unknown for a while.
    unknown: BTreeSet<Ticket>,
    standstills: CloseAllProgress,
}

impl<'a> OutboxRun<'a> {
    pub(super) fn open(
        service: &'a Service,
        (commands, sent_before): (&'a [PreparedCommand], Vec<bool>),
        opening: JournalOpening,
    ) -> Self {
        let open = move || match opening {
            Ok(opened) => opened,
            Err(late) => late.end().unwrap_or(Err(JournalError::Stopped)),
        };
        let (sender, events) = channel(256);
        let run = VerbRun {
            clock: service.clock,
            others: service.others.clone(),
            resumed: resumed(commands),
            orders_per_second: service.orders_per_second(),
        };
        let (client, dir) = (service.client.clone(), &service.journal_dir);
        Self {
            outbox: Outbox::for_verb(client, run, dir, open, sender),
            events,
            service,
            commands,
            sent_before,
            bulk: BulkRun::new(
                commands.iter().map(|one| one.command.clone()),
                &Store::default(),
            ),
            unknown: BTreeSet::new(),
            standstills: CloseAllProgress::default(),
        }
    }

    /// Sends all commands, a few at once, until each has its outcome.
    pub(super) async fn carry(&mut self) {
        loop {
            while let Some(at) = self.bulk.due(|_| true) {
                self.send(at);
            }
            if self.bulk.settled().count() == self.commands.len() {
                return;
            }
            let Some(msg) = self.events.recv().await else {
                return;
            };
            self.take(msg);
        }
    }

    fn take(&mut self, msg: Msg) {
        if let Msg::Settled(ticket, outcome) = msg {
            // The ticket may belong to an earlier session, which the outbox handles.
            self.bulk.note(ticket, &outcome);
        } else if let Msg::Progress(ticket, progress) = msg {
            self.follow(ticket, progress);
        } else if let Msg::Notify(_, text) | Msg::Offered(text, _) = msg {
            self.service.voice.note(&text);
        }
        // The other messages are for a desk.
    }

    fn follow(&mut self, of: Ticket, progress: Progress) {
        match progress {
            // Without a screen nobody is asked: the journal keeps the question, and the key repeats the command.
            Progress::Parked { why, .. } => {
                self.unknown.insert(of);
                self.bulk.note(of, &Err(why));
            }
            Progress::Running { operation, .. }
                if self
                    .standstills
                    .is_over(of, operation.done_count(), Instant::now()) =>
            {
                self.bulk.note(of, &Err(stands_still()));
            }
            progress @ (Progress::Queued
            | Progress::Sending { .. }
            | Progress::Unknown { .. }
            | Progress::Waiting { .. }
            | Progress::Running { .. }
            | Progress::Flattening(_)) => {
                if matches!(progress, Progress::Unknown { .. }) {
                    self.unknown.insert(of);
                }
                let mut numbered = (0..).zip(self.commands);
                if let Some((_, prepared)) = numbered.find(|(at, _)| ticket(*at) == of) {
                    print_progress(self.service, &prepared.command, &progress);
                }
            }
        }
    }

    /// Stops sending, and returns when every command has its outcome or the time is up. A command that an earlier run may
    /// have sent never ends as unsent.
    pub(super) async fn stop(&mut self) {
        self.outbox.stop();
        let own = self.sent_before.iter().enumerate();
        let own: BTreeMap<_, _> = own.map(|(at, before)| (ticket(at), *before)).collect();
        let mut waited = self.bulk.in_flight();
        let ends = async {
            while waited > 0 {
                let Some(msg) = self.events.recv().await else {
                    return;
                };
                let Msg::Settled(ticket, outcome) = msg else {
                    continue;
                };
                match (own.get(&ticket), &outcome) {
                    (Some(true), Err(why)) if !why.is_doubtful() => waited -= 1,
                    (Some(_), _) => waited -= usize::from(self.bulk.note(ticket, &outcome)),
                    (None, _) => {}
                }
            }
        };
        // A command without an outcome by then is unknown.
        let _late = timeout(LEAVING, ends).await;
    }

    /// Gives the last writes a moment. A command without an outcome is unknown, or was not sent.
    pub(super) async fn close(self) -> Vec<Sent> {
        if !self.outbox.is_written().await {
            self.service
                .voice
                .note("the outcome may be missing in the journal: it does not answer");
        }
        let items = (0..).zip(self.bulk.items).zip(self.sent_before);
        let sent = items.map(|((at, item), before)| Sent {
            outcome: match item.state {
                State::Settled(result) => result.map(|receipt| *receipt),
                State::Listed if !before => Err(unsent()),
                State::Listed | State::Sent(_) => Err(interrupted()),
            },
            was_unknown: self.unknown.contains(&ticket(at)),
        });
        sent.collect()
    }

    /// Sends the one at this place. A halt may have come while others were in flight.
    fn send(&mut self, at: usize) {
        let (Some(prepared), Some(item)) = (self.commands.get(at), self.bulk.items.get_mut(at))
        else {
            return;
        };
        if self.commands.len() > 1
            && let Some(why) = halted(self.service, &prepared.command)
        {
            item.state = State::Settled(Err(Failure::held_back(&why)));
            return;
        }
        let (ticket, command) = (ticket(at), prepared.command.clone());
        item.state = State::Sent(ticket);
        match prepared.key.clone() {
            Some(key) => self.outbox.send_as(ticket, command, key),
            None => self.outbox.send(ticket, command),
        }
    }
}

fn ticket(at: usize) -> Ticket {
    Ticket(u64::try_from(at).unwrap_or(u64::MAX))
}

fn unsent() -> Failure {
    Failure::new(FailureKind::Unavailable, "interrupted; nothing was sent")
}

/// Which earlier rows these commands resume.
fn resumed(prepared_commands: &[PreparedCommand]) -> ResumedIntents {
    if prepared_commands
        .iter()
        .any(|prepared| prepared.key.is_none())
    {
        return ResumedIntents::Flatten;
    }
    ResumedIntents::Keys(
        prepared_commands
            .iter()
            .filter_map(|prepared| prepared.key.clone())
            .collect(),
    )
}

/// The progress of each close-all, and since when.
#[derive(Debug, Default)]
struct CloseAllProgress(BTreeMap<Ticket, (u32, Instant)>);

impl CloseAllProgress {
    /// Whether there was no progress for too long for a verb; a desk would go on.
    fn is_over(&mut self, ticket: Ticket, done: u32, now: Instant) -> bool {
        let (known, since) = self.0.entry(ticket).or_insert((done, now));
        if *known != done {
            (*known, *since) = (done, now);
        }
        now.duration_since(*since) > STALL_TIMEOUT
    }
}

fn stands_still() -> Failure {
    let minutes = STALL_TIMEOUT.as_secs() / 60;
    let why =
        format!("nothing more was done for {minutes} min; run the same command again to continue");
    Failure::new(FailureKind::Unknown, why)
}

/// Only what a person wants to know during a wait.
fn print_progress(service: &Service, command: &Command, progress: &Progress) {
    let next = |what: &str, at: Timestamp| match service.clock.until(at) {
        Duration::ZERO => what.to_owned(),
        wait => format!("{what} in {} s", wait.as_secs_f32().ceil()),
    };
    let words = match progress {
        // A parked command is settled above.
        Progress::Queued | Progress::Sending { .. } | Progress::Parked { .. } => return,
        Progress::Unknown {
            why,
            retry_at,
            then,
        } => {
            let what = match then {
                FollowUp::Again => "repeating the same request",
                FollowUp::Look => "reading the outcome from the service",
            };
            format!("outcome unknown ({why}); {}", next(what, *retry_at))
        }
        Progress::Waiting {
            why,
            retry_at,
            then,
        } => {
            let what = match then {
                FollowUp::Again => "again",
                FollowUp::Look => "reading the state from the service",
            };
            format!("{why}; {}", next(what, *retry_at))
        }
        Progress::Running { operation, .. } => format!(
            "{} of {} tried, {} failed",
            operation.done_count(),
            operation.total_count(),
            operation.failed_count()
        ),
        Progress::Flattening(flattening) => flattening.to_string(),
    };
    service.voice.note(&format!("{command}: {words}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_told_of_a_close_all_that_stands_still_and_of_none_that_comes_further() {
        let (began, mut standstills) = (Instant::now(), CloseAllProgress::default());
        let mut at = |minutes, done| {
            let now = began + Duration::from_mins(minutes);
            standstills.is_over(Ticket(1), done, now)
        };
        let told: Vec<_> = [(0, 1), (9, 1), (10, 2), (19, 2), (21, 2)]
            .map(|(minutes, done)| at(minutes, done))
            .into();
        assert_eq!(told, [false, false, false, false, true]);
    }
}
