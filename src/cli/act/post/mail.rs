//! Commands through an outbox of this process, each followed to its outcome.

use crate::cli::act::post::outcomes::JournalOpening;
use crate::cli::act::post::outcomes::Outcomes;
use crate::cli::act::post::outcomes::UnknownSeen;
use crate::cli::act::post::outcomes::ticket;
use crate::cli::act::prepared::PreparedCommand;
use crate::cli::act::prepared::SendOutcome;
use crate::{
    app::Msg,
    cli::{service::Service, voice::Output},
    journal::JournalError,
    model::{Command, Failure, FailureKind, FollowUp, Progress, Ticket, Timestamp},
    runtime::{Clock, Outbox, ResumedIntents, VerbRun},
};
use std::{collections::BTreeMap, time::Duration};
use tokio::{
    sync::mpsc::{Receiver, channel},
    time::{Instant, timeout},
};

/// Commands in flight at once: enough to be quick, too few to use up a request budget in one burst.
const ABREAST: usize = 8;
/// How long an interrupted verb stays to record what it did not send; its outbox needs half of that.
const LEAVING: Duration = Duration::from_secs(2);
/// How long a close-all may make no progress before the verb returns.
const STALL_TIMEOUT: Duration = Duration::from_mins(10);

/// The commands in flight.
pub(super) struct LocalOutbox<'a> {
    outbox: Outbox,
    events: Receiver<Msg>,
    /// How many commands were sent.
    sent: usize,
    outcomes: &'a mut Outcomes,
    standstills: CloseAllProgress,
}

impl<'a> LocalOutbox<'a> {
    pub(super) fn open(
        service: &Service,
        prepared_commands: &[PreparedCommand],
        opening: JournalOpening,
        outcomes: &'a mut Outcomes,
    ) -> Self {
        let open = move || match opening {
            Ok(opened) => opened,
            Err(late) => late.end().unwrap_or(Err(JournalError::Stopped)),
        };
        let (sender, events) = channel(256);
        let client = service.client.clone();
        let run = VerbRun {
            clock: Clock::start(),
            others: service.others.clone(),
            resumed: resumed(prepared_commands),
            orders_per_second: service.checks.orders_per_second,
        };
        Self {
            outbox: Outbox::for_verb(client, run, &service.journal_dir, open, sender),
            events,
            sent: 0,
            outcomes,
            standstills: CloseAllProgress::default(),
        }
    }

    pub(super) async fn carry(
        &mut self,
        prepared_commands: &[PreparedCommand],
        voice: Output,
        unknown: &UnknownSeen,
    ) {
        while self.sent < prepared_commands.len().min(ABREAST) {
            self.send(prepared_commands);
        }
        while self.outcomes.len() < prepared_commands.len() {
            let Some(msg) = self.events.recv().await else {
                return;
            };
            if let Msg::Progress(_, progress) = &msg {
                unknown.observe(progress);
            }
            self.take(msg, prepared_commands, voice);
            while self.sent < prepared_commands.len().min(self.outcomes.len() + ABREAST) {
                self.send(prepared_commands);
            }
        }
    }

    fn take(&mut self, msg: Msg, prepared_commands: &[PreparedCommand], voice: Output) {
        match msg {
            Msg::Settled(ticket, outcome) => self.settle(ticket, outcome),
            // Without a screen nobody is asked: the journal keeps the question, and the key repeats the command.
            Msg::Progress(ticket, Progress::Parked { why, .. }) => {
                self.settle(ticket, Err(why));
            }
            Msg::Progress(of, Progress::Running { operation, .. })
                if self
                    .standstills
                    .is_over(of, operation.done_count(), Instant::now()) =>
            {
                self.settle(of, Err(stands_still()));
            }
            Msg::Progress(of, progress) => {
                let mut numbered = prepared_commands.iter().enumerate();
                if let Some((_, prepared)) = numbered.find(|(at, _)| ticket(*at) == of) {
                    print_progress(voice, &prepared.command, &progress);
                }
            }
            Msg::Notify(_, text) | Msg::Offered(text, _) => voice.note(&text),
            Msg::Key(_)
            | Msg::Unseen(_)
            | Msg::Paste(_)
            | Msg::Click(_)
            | Msg::Scrolled(..)
            | Msg::Ladder(_)
            | Msg::Resized(..)
            | Msg::Tick
            | Msg::Opened(_)
            | Msg::Met(_)
            | Msg::Polled(_)
            | Msg::MarketData(..)
            | Msg::Streamed(..)
            | Msg::CallEnded(_)
            | Msg::TriesAgain(..)
            | Msg::Traced(..)
            | Msg::Ended(..)
            | Msg::Resumed(..)
            | Msg::Outlived(_)
            | Msg::Asked(..)
            | Msg::Written(_)
            | Msg::Recalled(_)
            | Msg::Kept(_)
            | Msg::ClockSet(_)
            | Msg::Flatten
            | Msg::OpenedSince
            | Msg::Halted(_)
            | Msg::Reload(_) => {}
        }
    }

    /// Stops sending, and returns when every command has its outcome or the time is up. A command that an earlier run
    /// may have sent `before` never ends as unsent.
    pub(super) async fn stop(&mut self, before: &[bool]) {
        self.outbox.stop();
        let mut waited = BTreeMap::new();
        for (at, before) in before.iter().enumerate().take(self.sent) {
            if !self.outcomes.contains_key(&ticket(at)) {
                waited.insert(ticket(at), *before);
            }
        }
        let ends = async {
            while !waited.is_empty() {
                let Some(msg) = self.events.recv().await else {
                    return;
                };
                let Msg::Settled(ticket, outcome) = msg else {
                    continue;
                };
                match (waited.remove(&ticket), &outcome) {
                    (Some(true), Err(why)) if !why.is_doubtful() => {}
                    (Some(_), _) => drop(self.outcomes.insert(ticket, outcome)),
                    (None, _) => {}
                }
            }
        };
        // A command without an outcome by then is unknown.
        let _late = timeout(LEAVING, ends).await;
    }

    /// The number of commands that were sent; gives their last writes a moment.
    pub(super) async fn close(self, voice: Output) -> usize {
        if !self.outbox.is_written().await {
            voice.note("the outcome may be missing in the journal: its disk does not answer");
        }
        self.sent
    }

    /// The ticket may belong to an earlier session, which the outbox handles.
    fn settle(&mut self, ticket: Ticket, outcome: SendOutcome) {
        if (0..self.sent).any(|at| self::ticket(at) == ticket) {
            self.outcomes.insert(ticket, outcome);
        }
    }

    /// Sends the next one.
    fn send(&mut self, prepared_commands: &[PreparedCommand]) {
        let ticket = ticket(self.sent);
        if let Some(prepared) = prepared_commands.get(self.sent) {
            let command = prepared.command.clone();
            match prepared.key.clone() {
                Some(key) => self.outbox.send_as(ticket, command, key),
                None => self.outbox.send(ticket, command),
            }
        }
        self.sent += 1;
    }
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
fn print_progress(voice: Output, command: &Command, progress: &Progress) {
    let next = |at: Timestamp, then: FollowUp, again: &str, read: &str| {
        let wait = Clock::start().until(at);
        let what = match then {
            FollowUp::Again => again,
            FollowUp::Look => read,
        };
        if wait.is_zero() {
            what.to_owned()
        } else {
            format!("{what} in {} s", wait.as_secs_f32().ceil())
        }
    };
    match progress {
        // A parked command is settled above.
        Progress::Queued | Progress::Sending { .. } | Progress::Parked { .. } => {}
        Progress::Unknown {
            why,
            retry_at,
            then,
        } => voice.note(&format!(
            "{command}: outcome unknown ({why}); {}",
            next(
                *retry_at,
                *then,
                "repeating the same request",
                "reading the outcome from the service"
            )
        )),
        Progress::Waiting {
            why,
            retry_at,
            then,
        } => {
            let next = next(
                *retry_at,
                *then,
                "again",
                "reading the state from the service",
            );
            voice.note(&format!("{command}: {why}; {next}"));
        }
        Progress::Running { operation, .. } => voice.note(&format!(
            "{command}: {} of {} tried, {} failed",
            operation.done_count(),
            operation.total_count(),
            operation.failed_count()
        )),
        Progress::Flattening(flattening) => voice.note(&format!("{command}: {flattening}")),
    }
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
