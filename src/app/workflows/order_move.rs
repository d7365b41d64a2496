//! Moves orders in place: the stops and targets of a position with one guarded batch, any other order by itself
//! (`docs/delivery.md 3.6`).
//!
//! Contract: a position keeps the stop it had until the service accepts the new price. A batch says what was seen; where
//! that has changed, the service refuses it, and it is sent once more after positions and orders were read again, unless it
//! would now loosen a stop that it first tightened. One
//! move at a time per object: the latest request during a move starts when that is answered. Where the service cannot
//! move an order in place, a [`Replacement`] follows; what protects an open position is never replaced that way.

use super::{
    Known, LOOK_AGAIN, Replacement, Workflow, WorkflowEnd, WorkflowEvent, WorkflowRequest,
    goals::Moved, stop,
};
use crate::{
    app::{account::store::Store, activity::notice::Tone},
    model::{Command, Failure, FailureKind, Num, OrderId, Progress, Risk, Timestamp},
};
use std::time::Duration;

/// How long reads may take to show the exits of a position.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq)]
pub struct OrderMove {
    what: Moved,
    /// Later requests, sent once this one is answered: never two at once.
    later: Option<Moved>,
    /// What is done where the service does not move this order in place, or why nothing is.
    otherwise: Result<Box<Replacement>, String>,
    /// Of the command as it was first sent.
    risk: Option<Risk>,
    stage: MoveStage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum MoveStage {
    /// The command is in flight.
    Sent(Attempt),
    /// Only lists requested after `since` show the exits as they are; `look_at` is the next request for them.
    Reading {
        next: Attempt,
        since: Timestamp,
        look_at: Timestamp,
    },
}

/// A batch of exits is refused with 409 if they are not as they were seen; it is tried once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Second,
}

impl OrderMove {
    pub(crate) fn of_exits(what: Moved) -> Self {
        Self::new(what, Err("it protects a position".to_owned()))
    }

    pub(crate) fn new(what: Moved, otherwise: Result<Box<Replacement>, String>) -> Self {
        Self {
            what,
            later: None,
            otherwise,
            risk: None,
            stage: MoveStage::Sent(Attempt::First),
        }
    }

    /// The same, which begins once lists requested after `since` are there.
    #[must_use]
    pub(crate) fn after_reads(self, since: Timestamp, now: Timestamp) -> Self {
        let stage = MoveStage::Reading {
            next: Attempt::First,
            since,
            look_at: now,
        };
        Self { stage, ..self }
    }

    pub(crate) fn what(&self) -> &Moved {
        &self.what
    }

    /// The price that this order finally gets.
    pub(super) fn goal(&self, order: &OrderId, store: &Store) -> Option<Num> {
        let mut both = self.later.iter().chain([&self.what]);
        both.find_map(|what| what.price_of(order, store))
    }

    /// A request for some of its orders replaces earlier ones.
    pub(crate) fn then(&mut self, new: Moved) {
        let later = match self.later.take() {
            Some(later) => later.then(new),
            None => new,
        };
        self.later = later.beyond(&self.what);
    }

    pub(super) fn look_at(&self) -> Option<Timestamp> {
        match self.stage {
            MoveStage::Sent(_) => None,
            MoveStage::Reading { look_at, .. } => Some(look_at),
        }
    }

    pub(super) fn first(&mut self, known: Known) -> Result<Command, String> {
        let mut ending = self.what.orders().iter().map(|terms| &terms.order);
        if let Some(id) = ending.find(|id| known.store.queued_cancels.contains(*id)) {
            return Err(format!("{id} is being canceled already"));
        }
        let command = self.what.command(known.store)?;
        self.risk.get_or_insert(command.risk());
        Ok(command)
    }

    /// Whether it would loosen now what it tightened when it was first sent: somebody has moved it nearer since.
    fn loosens(&self, command: &Command) -> bool {
        command.risk() == Risk::Increasing && self.risk != Some(Risk::Increasing)
    }

    pub(super) fn tell(&mut self, known: Known, event: WorkflowEvent) -> Vec<WorkflowRequest> {
        match event {
            WorkflowEvent::Settled(result) | WorkflowEvent::SettledLate(result) => match result {
                Ok(_) => self.go_on(known),
                Err(why) => self.failed(known, why),
            },
            // The outcome is for a person to decide: nothing follows it.
            WorkflowEvent::Progressed(Progress::Parked { .. }) => self.parked(),
            WorkflowEvent::Refused(why) => self.stays(why),
            WorkflowEvent::Sent(command) => self.overtaken(command),
            WorkflowEvent::Passed => self.proceed(known),
            WorkflowEvent::Progressed(_)
            | WorkflowEvent::Mismatched(_)
            | WorkflowEvent::Continues
            | WorkflowEvent::OperationEnded(_)
            | WorkflowEvent::CancelEnded(..)
            | WorkflowEvent::Found(..)
            | WorkflowEvent::Stopped(_) => vec![],
        }
    }

    fn parked(&self) -> Vec<WorkflowRequest> {
        if self.later.is_none() {
            return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
        }
        let words = format!(
            "the later move of {} is not sent: the outcome of the first is unknown",
            self.names()
        );
        stop(words, WorkflowEnd::Answered)
    }

    fn failed(&mut self, known: Known, why: &Failure) -> Vec<WorkflowRequest> {
        if why.is_doubtful() {
            let (names, why) = (self.names(), &why.message);
            let words = format!("{names} may have been moved: {why}");
            return stop(words, WorkflowEnd::Answered);
        }
        let is_conflict = why.kind == FailureKind::Conflict;
        match (&self.what, &self.stage) {
            (Moved::Order(_), _) if is_not_moved_in_place(why) => self.replaced(known),
            (Moved::Exits(_), MoveStage::Sent(Attempt::First)) if is_conflict => {
                self.read(known, Attempt::Second)
            }
            (Moved::Exits(_), _) if is_conflict => {
                self.stays(&format!("the exits have changed again ({})", why.message))
            }
            (Moved::Order(_) | Moved::Exits(_), _) => self.stays(why.message.raw()),
        }
    }

    /// It is canceled, and what is left of it is placed at the price that was requested last.
    fn replaced(&self, known: Known) -> Vec<WorkflowRequest> {
        let wanted = self.later.as_ref().unwrap_or(&self.what);
        let replacement = self.otherwise.clone();
        let replacement = replacement.and_then(|one| one.with(wanted.orders()));
        // The order is not canceled for a price that could not be sent afterwards.
        let held = |one: &Replacement| one.too_late(known.now);
        let replacement = replacement.and_then(|one| held(&one).map_or(Ok(one), Err));
        match replacement {
            Ok(one) => vec![WorkflowRequest::Follow(Box::new(Workflow::Replace(one)))],
            Err(why) => self.stays(&why),
        }
    }

    /// What was requested meanwhile starts.
    fn go_on(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let Some(later) = self.later.take() else {
            return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
        };
        (self.what, self.risk) = (later, None);
        match self.what {
            Moved::Exits(_) => self.read(known, Attempt::First),
            Moved::Order(_) => self.send(known, Attempt::First),
        }
    }

    /// From now on lists decide.
    fn read(&mut self, known: Known, next: Attempt) -> Vec<WorkflowRequest> {
        self.stage = MoveStage::Reading {
            next,
            since: known.now,
            look_at: known.now,
        };
        self.proceed(known)
    }

    fn send(&mut self, known: Known, attempt: Attempt) -> Vec<WorkflowRequest> {
        self.stage = MoveStage::Sent(attempt);
        match self.first(known) {
            Ok(command) if is_without_effect(&command) => {
                vec![WorkflowRequest::End(WorkflowEnd::Reached)]
            }
            Ok(command) if self.loosens(&command) => {
                let words = format!("{} stays: it was moved nearer meanwhile", self.names());
                let say = WorkflowRequest::Say(Tone::Warn, words);
                vec![say, WorkflowRequest::End(WorkflowEnd::Answered)]
            }
            Ok(command) => vec![WorkflowRequest::Send(command)],
            Err(why) => self.stays(&why),
        }
    }

    fn proceed(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let MoveStage::Reading {
            next,
            since,
            look_at,
        } = &mut self.stage
        else {
            return vec![];
        };
        let (next, since) = (*next, *since);
        if known.has_lists_since(since) {
            if let Some(later) = self.later.take() {
                (self.what, self.risk) = (self.what.clone().then(later), None);
            }
            return self.send(known, next);
        }
        if known.now.since(since) > READ_TIMEOUT {
            let within = READ_TIMEOUT.as_secs();
            return self.stays(&format!(
                "positions and orders were not read within {within} s"
            ));
        }
        known.ask(look_at, LOOK_AGAIN, WorkflowRequest::ReadLists)
    }

    /// Nothing follows a close-all, a cancel-all or a flatten, or a cancel of the order.
    fn overtaken(&mut self, command: &Command) -> Vec<WorkflowRequest> {
        let canceled = command.cancels();
        let is_over = command.ends_everything()
            || canceled.is_some_and(|id| self.what.orders().iter().any(|one| one.order == *id));
        if is_over {
            if self.look_at().is_some() {
                return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
            }
            self.otherwise = Err(format!("{command} was requested"));
        }
        if command.ends_everything() {
            self.later = None;
        } else if let Some(id) = canceled {
            self.later = self.later.take().and_then(|later| later.without(id));
        }
        vec![]
    }

    pub(crate) fn names(&self) -> String {
        self.what.names().join(", ")
    }

    fn stays(&self, why: &str) -> Vec<WorkflowRequest> {
        let verb = match &self.what {
            Moved::Exits(goals) if goals.moved.is_empty() => "stay as they are",
            what if what.orders().len() == 1 => "stays as it is",
            Moved::Exits(_) | Moved::Order(_) => "stay as they are",
        };
        let words = format!("not moved, {} {verb}: {why}", self.names());
        stop(words, WorkflowEnd::Answered)
    }
}

/// Whether a refused `PATCH` is followed by cancel/replace: the service does not change this order in place. Where it
/// refuses the new terms, the replacement would be refused too, and the order would be gone.
fn is_not_moved_in_place(why: &Failure) -> bool {
    why.kind == FailureKind::Conflict || why.says_not_modifiable()
}

/// Whether it is a batch that changes nothing.
pub fn is_without_effect(command: &Command) -> bool {
    matches!(command, Command::ExitBatch(batch) if batch.operations.is_empty())
}
