//! Cancel/replace: an order that the service does not move in place, or of which more than price and size changes, is
//! canceled, and the rest is placed anew.
//!
//! Contract: nothing is placed before the cancel has taken effect and a read requested after it shows how much of the
//! old order filled: two entries at once could both fill, two targets could close too much. The new size is the requested
//! one less what filled since the order was shown, never more. A cancel that is refused, that a person has to decide
//! about, or that takes longer than 10 s, and any close-all or flatten in between, end it with nothing placed and a
//! message. The queued cancel of an armed order is awaited. Each of the two requests has its own intent and key; the
//! second is recorded when it is sent, so after a crash in between the order is only canceled.

use super::{
    Known, LOOK_AGAIN, StopReason, WorkflowEnd, WorkflowEvent, WorkflowRequest, goals::NewTerms,
    refusal, stop,
};
use crate::{
    app::{account::trades::OpenBracket, activity::notice::Tone},
    model::{
        Command, Failure, Num, Order, OrderId, OrderStatus, PlaceOrder, Progress, Receipt,
        Timestamp,
    },
};
use std::time::Duration;

/// A replacement is not placed later than this after its price was decided on: an older price must be confirmed again.
const REPLACE_WITHIN: Duration = Duration::from_secs(10);

/// The replacement of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    old: OrderId,
    /// With the whole requested size.
    order: Box<PlaceOrder>,
    /// How much of the old order had filled when that size was read.
    filled: Num,
    /// When its price was decided on.
    since: Timestamp,
    /// What the old order was to bring once it had filled.
    bracket: Option<OpenBracket>,
    stage: ReplaceStage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplaceStage {
    /// The cancel has no response.
    Canceling,
    /// The cancel of an armed order is accepted, and not carried out yet.
    Queued(Timestamp),
    /// The order is canceled; a read is to show how much of it had filled. Both have the instant of the next read.
    Finding(Timestamp),
    Placing,
}

/// Why a price that was decided on so long ago is not sent.
fn too_late(age: Duration) -> Option<String> {
    let (most, age) = (REPLACE_WITHIN.as_secs(), age.as_secs_f64());
    (age > REPLACE_WITHIN.as_secs_f64()).then(|| {
        format!("prices and orders are {age:.1} s old, and the limit is {most} s: check the price, then send it again")
    })
}

impl Replacement {
    /// # Errors
    /// `filled` is not known: what is left of the old order could not be told from what filled of it.
    pub(crate) fn new(
        old: OrderId,
        order: Box<PlaceOrder>,
        filled: Option<Num>,
        since: Timestamp,
    ) -> Result<Self, &'static str> {
        let filled = filled.ok_or(
            "the service does not report how much of it has filled: cancel it and place a new one",
        )?;
        Ok(Self {
            old,
            order,
            filled,
            since,
            bracket: None,
            stage: ReplaceStage::Canceling,
        })
    }

    /// The targets that are to follow the fill of the old order follow that of the new one, unless it has its own.
    pub(crate) fn carry(&mut self, bracket: Option<OpenBracket>) {
        self.bracket = bracket.filter(|_| self.order.take_profit_price.is_none());
    }

    /// The bracket of the new order, once it is sent.
    pub(crate) fn bracket(&self) -> Option<&OpenBracket> {
        self.bracket.as_ref().filter(|_| !self.is_open())
    }

    /// The order that it replaces.
    pub(crate) fn old(&self) -> &OrderId {
        &self.old
    }

    /// The new order as it was requested.
    pub(crate) fn order(&self) -> &PlaceOrder {
        &self.order
    }

    /// Why the new order is not sent at `now`: its price was decided on too long ago.
    pub(crate) fn too_late(&self, now: Timestamp) -> Option<String> {
        too_late(now.since(self.since))
    }

    pub(super) fn deadline(&self) -> Timestamp {
        self.since.plus(REPLACE_WITHIN)
    }

    /// Whether the new order is not sent yet.
    pub(crate) fn is_open(&self) -> bool {
        self.stage != ReplaceStage::Placing
    }

    /// With these terms of its order, if they name it.
    pub(super) fn with(mut self, terms: &[NewTerms]) -> Result<Self, String> {
        if let Some(terms) = terms.iter().find(|terms| terms.order == self.old) {
            self.reprice(terms.price)?;
            self.order.size = terms.size.unwrap_or(self.order.size);
        }
        Ok(self)
    }

    /// Sets the price of the order that is not sent yet: its trigger if it waits for one, otherwise its limit.
    pub(crate) fn reprice(&mut self, price: Num) -> Result<(), String> {
        let Some(trigger) = &mut self.order.trigger_price else {
            self.order.limit_price = Some(price);
            return Ok(());
        };
        if let Some(limit) = &mut self.order.limit_price {
            *limit = limit_beside(*limit, (*trigger, price))?;
        }
        *trigger = price;
        Ok(())
    }

    pub(super) fn first(&self, known: Known) -> Command {
        let cancel = |order: &Order| order.cancel(known.store.positions.rows());
        let order = known.store.order(&self.old);
        order.map_or_else(|| Command::Cancel(self.old.clone()), cancel)
    }

    pub(super) fn look_at(&self) -> Option<Timestamp> {
        match self.stage {
            ReplaceStage::Queued(at) | ReplaceStage::Finding(at) => Some(at),
            ReplaceStage::Canceling | ReplaceStage::Placing => None,
        }
    }

    pub(super) fn half_done(&self) -> Option<String> {
        (!self.is_open()).then(|| self.not_placed())
    }

    fn not_placed(&self) -> String {
        format!("{} is canceled, its replacement is not placed", self.old)
    }

    pub(super) fn tell(&mut self, known: Known, event: WorkflowEvent) -> Vec<WorkflowRequest> {
        match event {
            WorkflowEvent::Settled(result) | WorkflowEvent::SettledLate(result) => {
                self.settled(known, result)
            }
            // By the time a person has decided, the price would be too old.
            WorkflowEvent::Progressed(Progress::Parked { .. })
            | WorkflowEvent::Stopped(StopReason::CancelAllRequested) => self.abandon(),
            WorkflowEvent::Refused(why) => self.refused(why),
            WorkflowEvent::CancelEnded(id, result) if *id == self.old => match result {
                Ok(_) => self.find(known),
                Err(_) => self.abandon(),
            },
            WorkflowEvent::Found(requested, found) if requested.contains(&self.old) => {
                self.found(known, found)
            }
            WorkflowEvent::Sent(command) => {
                let is_canceled = command.cancels() == Some(&self.old);
                if is_canceled || command.ends_everything() {
                    return self.abandon();
                }
                vec![]
            }
            WorkflowEvent::Passed if self.look_at().is_some_and(|at| at <= known.now) => {
                self.look(known)
            }
            WorkflowEvent::Progressed(_)
            | WorkflowEvent::CancelEnded(..)
            | WorkflowEvent::Found(..)
            | WorkflowEvent::Mismatched(_)
            | WorkflowEvent::Continues
            | WorkflowEvent::OperationEnded(_)
            | WorkflowEvent::Stopped(_)
            | WorkflowEvent::Passed => vec![],
        }
    }

    fn settled(&mut self, known: Known, result: &Result<Receipt, Failure>) -> Vec<WorkflowRequest> {
        if self.stage == ReplaceStage::Placing {
            let half = refusal(result).map(|_| WorkflowEnd::Half);
            return vec![WorkflowRequest::End(half.unwrap_or(WorkflowEnd::Answered))];
        }
        let old = &self.old;
        match result {
            Ok(Receipt::Cancel(cancel)) if cancel.canceled => self.find(known),
            Ok(Receipt::AlreadySo(_)) => self.find(known),
            Ok(Receipt::Cancel(cancel)) if cancel.queued && self.order.trigger_price.is_some() => {
                self.stage = ReplaceStage::Queued(known.now.plus(LOOK_AGAIN));
                vec![]
            }
            Ok(_) => fail(format!(
                "the cancel of {old} is only queued, it may still fill: no replacement is placed"
            )),
            Err(why) => {
                let message = why.message.raw();
                let message = if why.is_doubtful() {
                    format!("{old} may be canceled, nothing was placed: {message}")
                } else {
                    format!("{message}; nothing was changed")
                };
                vec![
                    WorkflowRequest::Fail(why.saying(message)),
                    WorkflowRequest::End(WorkflowEnd::Answered),
                ]
            }
        }
    }

    /// The order is canceled: reads are to show how much of it had filled.
    fn find(&mut self, known: Known) -> Vec<WorkflowRequest> {
        self.stage = ReplaceStage::Finding(known.now);
        self.look(known)
    }

    fn look(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let next = known.now.plus(LOOK_AGAIN);
        self.stage = match self.stage {
            ReplaceStage::Queued(_) => ReplaceStage::Queued(next),
            ReplaceStage::Finding(_) => ReplaceStage::Finding(next),
            ReplaceStage::Canceling | ReplaceStage::Placing => return vec![],
        };
        vec![WorkflowRequest::Find(self.old.clone())]
    }

    /// A search has ended. A row that shows the order at work may be older than its cancel.
    fn found(&mut self, known: Known, found: &[Order]) -> Vec<WorkflowRequest> {
        if self.look_at().is_none() {
            return vec![];
        }
        let late = self.too_late(known.now);
        let row = found.iter().find(|order| order.id == self.old);
        if late.is_none() && !row.is_some_and(Order::is_over) {
            return vec![];
        }
        let size = match self.left(row) {
            Ok(size) => size,
            Err(words) => return stop(words, WorkflowEnd::Half),
        };
        let remains = WorkflowRequest::Remains(size);
        let then = match late {
            Some(why) => self.refused_with(&why),
            None => self.place(size),
        };
        std::iter::once(remains).chain(then).collect()
    }

    /// From here on it is an ordinary order.
    fn place(&mut self, size: Num) -> Vec<WorkflowRequest> {
        self.stage = ReplaceStage::Placing;
        let is_less = size < self.order.size;
        self.order.size = size;
        self.order.replaces = Some(self.old.clone());
        let place = WorkflowRequest::Send(Command::Place(self.order.clone()));
        let old = &self.old;
        let less = is_less.then(|| {
            let words = format!(
                "part of {old} filled before its cancel: the replacement is for the remaining {size}"
            );
            WorkflowRequest::Say(Tone::Warn, words)
        });
        std::iter::once(place).chain(less).collect()
    }

    fn refused(&self, why: &str) -> Vec<WorkflowRequest> {
        if self.stage == ReplaceStage::Placing {
            return self.refused_with(why);
        }
        let words = format!("not moved, {} stays as it is: {why}", self.old);
        stop(words, WorkflowEnd::Answered)
    }

    fn refused_with(&self, why: &str) -> Vec<WorkflowRequest> {
        fail(format!("{}: {why}", self.not_placed()))
    }

    fn abandon(&self) -> Vec<WorkflowRequest> {
        if self.stage == ReplaceStage::Placing {
            return vec![];
        }
        let words = format!("no replacement of {} is placed", self.old);
        stop(words, WorkflowEnd::Half)
    }

    /// The size left to place, from the final row of the old order.
    fn left(&self, row: Option<&Order>) -> Result<Num, String> {
        let (old, requested) = (&self.old, self.order.size);
        let unknown = || {
            format!("{old} is canceled, but its filled size is not known: no replacement is placed")
        };
        let row = row.ok_or_else(unknown)?;
        match row.status.known() {
            Some(OrderStatus::Canceled) => {}
            Some(OrderStatus::Filled) => {
                return Err(format!("{old} has filled: no replacement is placed"));
            }
            Some(
                OrderStatus::Pending
                | OrderStatus::Resting
                | OrderStatus::Rejected
                | OrderStatus::Expired,
            )
            | None => {
                let status = &row.status;
                return Err(format!(
                    "{old} is {status} after its cancel: no replacement is placed"
                ));
            }
        }
        let filled = row.filled().ok_or_else(unknown)?;
        let meanwhile = filled.minus(self.filled).ok_or_else(unknown)?;
        let left = requested
            .minus(meanwhile.max(Num::ZERO))
            .ok_or_else(unknown)?;
        if left.is_positive() {
            Ok(left)
        } else {
            Err(format!(
                "{meanwhile} of {old} filled before it was canceled: no replacement is placed"
            ))
        }
    }
}

fn fail(words: String) -> Vec<WorkflowRequest> {
    vec![
        WorkflowRequest::Fail(Failure::local(words)),
        WorkflowRequest::End(WorkflowEnd::Half),
    ]
}

/// A limit keeps its distance from its trigger.
pub(crate) fn limit_beside(limit: Num, (from, to): (Num, Num)) -> Result<Num, String> {
    let moved = to.minus(from).and_then(|by| limit.plus(by));
    let moved = moved.ok_or("a price with too many digits")?;
    let moved = moved.is_positive().then_some(moved);
    moved.ok_or_else(|| format!("at {to} its limit would not be above zero"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_replaced_within_the_ten_seconds_that_the_desk_allows() {
        assert_eq!(too_late(Duration::from_secs(10)), None);
        let words = "prices and orders are 10.2 s old, and the limit is 10 s: check the price, then send it again";
        assert_eq!(
            too_late(Duration::from_millis(10_200)).as_deref(),
            Some(words)
        );
    }
}
