//! Flips a position: closes it, then opens the same size in the other direction (`docs/delivery.md 3.5`).
//!
//! Contract: the second command is sent only after reads, sent after the close's response, show neither the position
//! nor an order that closes it, and within ten seconds of the request. It is not recorded before it is sent, so after a
//! crash only the close remains. An unknown or partial close, a close-all, a halt, or any other change of the position
//! ends the flip with nothing opened, and a message says so.

use super::{
    Known, LOOK_AGAIN, StopReason, WorkflowEnd, WorkflowEvent, WorkflowRequest, refusal, stop,
    traced,
};
use crate::model::{
    Command, Failure, Flip, FlipStanding, Market, Num, Order, OrderId, Progress, Receipt, Resource,
    Timestamp,
};

/// A flip that a person has confirmed.
#[derive(Debug, Clone, PartialEq)]
pub struct FlipRun {
    flip: Box<Flip>,
    stage: FlipStage,
    /// When the next read is requested.
    look_at: Timestamp,
    waits_for: String,
}

#[derive(Debug, Clone, PartialEq)]
enum FlipStage {
    /// The close has no response.
    Closing,
    /// Its order still works.
    Working(OrderId),
    /// All of it is closed, with this size; only reads sent after the response show what is left.
    Closed { size: Num, answered_at: Timestamp },
    /// The other way is sent, with this size.
    Opening(Num),
}

impl FlipRun {
    pub(crate) fn new(flip: Flip) -> Self {
        Self {
            look_at: flip.deadline(),
            flip: Box::new(flip),
            stage: FlipStage::Closing,
            waits_for: "its close".to_owned(),
        }
    }

    pub(crate) fn flip(&self) -> &Flip {
        &self.flip
    }

    /// What it waits for before it opens the other way, in words.
    pub(crate) fn waits_for(&self) -> &str {
        &self.waits_for
    }

    pub(super) fn half_done(&self) -> Option<String> {
        let words = "flip stopped: the position is closed, the other way is not opened";
        matches!(self.stage, FlipStage::Opening(_)).then(|| words.to_owned())
    }

    pub(super) fn first(&self, known: Known) -> Command {
        Command::Close(self.flip.close(self.mid(known)))
    }

    fn mid(&self, known: Known) -> Option<Num> {
        let market = known.store.market(&self.flip.position().market_id);
        market.and_then(Market::mid)
    }

    pub(super) fn look_at(&self) -> Option<Timestamp> {
        match self.stage {
            FlipStage::Working(_) | FlipStage::Closed { .. } => Some(self.look_at),
            FlipStage::Closing | FlipStage::Opening(_) => None,
        }
    }

    pub(super) fn tell(&mut self, known: Known, event: WorkflowEvent) -> Vec<WorkflowRequest> {
        match event {
            WorkflowEvent::Settled(result) => match self.stage {
                FlipStage::Opening(_) => opened(result),
                FlipStage::Closing | FlipStage::Working(_) | FlipStage::Closed { .. } => {
                    self.closed(known, result)
                }
            },
            WorkflowEvent::SettledLate(result) => self.settled_late(known, result),
            WorkflowEvent::Progressed(progress) => self.progressed(progress),
            WorkflowEvent::Refused(why) => self.refused(why),
            WorkflowEvent::Found(requested, found) => self.found(known, requested, found),
            WorkflowEvent::Sent(command) => {
                let position = Resource::Position(self.flip.position().id.clone());
                if command.facts().ends(&position) {
                    return self.abandon(&format!("{command} was requested"));
                }
                vec![]
            }
            WorkflowEvent::Stopped(StopReason::Requested(command)) => {
                self.abandon(&format!("{command} was requested"))
            }
            WorkflowEvent::Stopped(StopReason::CancelAllRequested) => {
                self.abandon("cancel-all was requested")
            }
            WorkflowEvent::Stopped(StopReason::Halted(why)) => {
                self.abandon(&format!("the desk is halted ({why})"))
            }
            WorkflowEvent::Passed => self.proceed(known),
            WorkflowEvent::CancelEnded(..)
            | WorkflowEvent::Mismatched(_)
            | WorkflowEvent::Continues
            | WorkflowEvent::OperationEnded(_) => vec![],
        }
    }

    fn closed(&mut self, known: Known, result: &Result<Receipt, Failure>) -> Vec<WorkflowRequest> {
        let id = &self.flip.position().id;
        let refused = result.as_ref().map(Receipt::refusal);
        if let Some(why) = refused.unwrap_or_else(|why| Some(why.clone())) {
            let words = format!("flip stopped: nothing is opened: {}", why.message);
            return stop(words, WorkflowEnd::Answered);
        }
        if let Ok(Receipt::Order { order, .. }) = result {
            return self.take(known, order);
        }
        let words = format!(
            "flip stopped: {id} is closed, but the size that this close closed is not known; nothing is opened"
        );
        stop(words, WorkflowEnd::Half)
    }

    /// The row of the closing order.
    fn take(&mut self, known: Known, order: &Order) -> Vec<WorkflowRequest> {
        self.stage = match self.flip.closed_by(order) {
            Ok(None) if matches!(self.stage, FlipStage::Working(_)) => return vec![],
            Ok(None) => FlipStage::Working(order.id.clone()),
            Ok(Some(size)) => FlipStage::Closed {
                size,
                answered_at: known.now,
            },
            Err(words) => return stop(words, WorkflowEnd::Half),
        };
        self.look_at = known.now;
        self.proceed(known)
    }

    /// The price of the request may be an old one by now: what was unknown for a while is followed by nothing.
    fn settled_late(
        &mut self,
        known: Known,
        result: &Result<Receipt, Failure>,
    ) -> Vec<WorkflowRequest> {
        match (&self.stage, result) {
            (FlipStage::Opening(_), _) => opened(result),
            (_, Err(_)) => self.closed(known, result),
            (_, Ok(_)) => {
                let id = &self.flip.position().id;
                let words = format!(
                    "flip stopped: the close of {id} is done, but confirming it took too long; the opening was not sent"
                );
                stop(words, WorkflowEnd::Half)
            }
        }
    }

    fn progressed(&self, progress: &Progress) -> Vec<WorkflowRequest> {
        let is_doubtful = matches!(progress, Progress::Unknown { .. } | Progress::Parked { .. });
        if !is_doubtful || self.stage != FlipStage::Closing {
            return vec![];
        }
        let words = "flip stopped: the outcome of the close is unknown; nothing is opened";
        stop(words, WorkflowEnd::Answered)
    }

    /// The other way is not sent.
    fn refused(&self, why: &str) -> Vec<WorkflowRequest> {
        let FlipStage::Opening(size) = self.stage else {
            return stop(format!("flip: {why}"), WorkflowEnd::Answered);
        };
        let closed = size.normalized();
        let words = format!("flip stopped: closed {closed}, nothing is opened: {why}");
        stop(words, WorkflowEnd::Half)
    }

    /// A working close may be done by now.
    fn found(
        &mut self,
        known: Known,
        requested: &[OrderId],
        found: &[Order],
    ) -> Vec<WorkflowRequest> {
        let FlipStage::Working(id) = &self.stage else {
            return vec![];
        };
        match traced(id, requested, found) {
            Some(order) => self.take(known, order),
            None => vec![],
        }
    }

    /// Nothing is opened; says why, and what became of the close.
    fn abandon(&self, cause: &str) -> Vec<WorkflowRequest> {
        let id = &self.flip.position().id;
        let state = match self.stage {
            FlipStage::Closing | FlipStage::Working(_) => format!("the close of {id} continues"),
            FlipStage::Closed { .. } => format!("{id} is closed"),
            FlipStage::Opening(_) => return vec![],
        };
        let words = format!("flip stopped: {cause}; {state}, nothing is opened");
        stop(words, WorkflowEnd::Half)
    }

    fn proceed(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let request = match &self.stage {
            FlipStage::Closing | FlipStage::Opening(_) => return vec![],
            FlipStage::Working(id) => WorkflowRequest::Find(id.clone()),
            FlipStage::Closed { .. } => WorkflowRequest::ReadLists,
        };
        if self.flip.is_late(known.now) {
            let words = format!(
                "flip stopped: nothing is opened: it took longer than 10 s ({})",
                self.waits_for
            );
            return stop(words, WorkflowEnd::Half);
        }
        match self.standing(known) {
            FlipStanding::Waits(why) => self.waits_for = why,
            FlipStanding::Stopped(words) => return stop(words, WorkflowEnd::Half),
            FlipStanding::Gone => return self.open(known),
        }
        known.ask(&mut self.look_at, LOOK_AGAIN, request)
    }

    /// What the lists show of the closed position.
    fn standing(&self, known: Known) -> FlipStanding {
        let answered_at = match &self.stage {
            FlipStage::Closed { answered_at, .. } => Some(*answered_at),
            FlipStage::Working(id) => return FlipStanding::Waits(format!("{id} still works")),
            FlipStage::Closing | FlipStage::Opening(_) => None,
        };
        let (open, working) = (&known.store.positions, &known.store.orders);
        // A request of the same instant may have been sent before the response came.
        let is_read = open.at() > answered_at && working.at() > answered_at;
        let lists = open.value().zip(working.value()).filter(|_| is_read);
        match lists {
            Some((open, working)) => self.flip.standing(open, working),
            None => FlipStanding::Waits("positions and orders are being read".to_owned()),
        }
    }

    /// Nothing is left of the position: from here on it is an ordinary order.
    fn open(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let FlipStage::Closed { size, .. } = self.stage else {
            return vec![];
        };
        self.stage = FlipStage::Opening(size);
        let order = self.flip.opening(size, self.mid(known));
        vec![WorkflowRequest::Send(Command::Place(Box::new(order)))]
    }
}

/// The other half has settled: if it opened nothing, the position is flat.
fn opened(result: &Result<Receipt, Failure>) -> Vec<WorkflowRequest> {
    let Some(why) = refusal(result) else {
        return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
    };
    let why = why.message;
    let words = format!("flip stopped: the position is closed, the other way is refused: {why}");
    stop(words, WorkflowEnd::Half)
}
