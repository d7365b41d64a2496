//! A stop that is moved: the new one is placed, a read shows it armed, then the old one is canceled.
//!
//! Contract: decides by responses and complete lists alone, for the desk and for `perpdeck move` alike. Nothing is
//! canceled that no read shows to be doubled. The cases are in `docs/delivery.md 3.6`.

use crate::model::{Failure, Order, OrderId, Page, Position, PositionId, Receipt, Timestamp};
use std::time::Duration;

/// How long reads may take to show the two stops.
pub const STOP_READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The two stops of a move, and the position that they guard.
#[derive(Debug, Clone, Copy)]
pub struct StopPair<'a> {
    pub old: &'a OrderId,
    pub new: &'a OrderId,
    pub position: &'a PositionId,
}

/// What complete lists of positions and orders show of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMoveStanding {
    /// A list is incomplete: it shows nothing.
    Unread,
    BothArmed,
    OnlyNew,
    OnlyOld,
    NoneArmed,
    /// The position is gone; the new stop is not.
    ClosedButNew,
    Closed,
}

/// The last response; only lists requested after it count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMoveEvent {
    NewAccepted,
    /// Its outcome was no cancel: the old one may have fired, or still be armed.
    OldNotCanceled,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopMoveStep {
    Waits,
    CancelsOld,
    /// The new stop guards nothing.
    CancelsNew,
    /// Only the new stop is left.
    Done,
    /// Neither stop nor position is left.
    Closed,
    Fails(StopMoveFailure),
}

/// Why the move ends without having moved the stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopMoveFailure {
    pub words: String,
    /// Both stand: the old one is left for the trader to cancel.
    pub left: Option<OrderId>,
}

impl StopPair<'_> {
    pub fn standing(&self, open: &Page<Position>, working: &Page<Order>) -> StopMoveStanding {
        if !open.is_whole() || !working.is_whole() {
            return StopMoveStanding::Unread;
        }
        let is_open = open.rows.iter().any(|row| row.id == *self.position);
        let is_armed = |id: &OrderId| {
            let mut rows = working.rows.iter();
            rows.any(|order| order.id == *id && order.is_armed())
        };
        match (is_open, is_armed(self.new), is_armed(self.old)) {
            (true, true, true) => StopMoveStanding::BothArmed,
            (true, true, false) => StopMoveStanding::OnlyNew,
            (true, false, true) => StopMoveStanding::OnlyOld,
            (true, false, false) => StopMoveStanding::NoneArmed,
            (false, true, _) => StopMoveStanding::ClosedButNew,
            (false, false, _) => StopMoveStanding::Closed,
        }
    }

    pub fn step(&self, standing: StopMoveStanding, after: StopMoveEvent) -> StopMoveStep {
        let (old, new) = (self.old, self.new);
        match (standing, after) {
            (StopMoveStanding::Unread, _) => StopMoveStep::Waits,
            (StopMoveStanding::BothArmed, StopMoveEvent::NewAccepted) => StopMoveStep::CancelsOld,
            (StopMoveStanding::BothArmed, StopMoveEvent::OldNotCanceled) => {
                self.both(format!("both stops stand, {new} and {old}"))
            }
            (StopMoveStanding::OnlyNew, _) => StopMoveStep::Done,
            (StopMoveStanding::OnlyOld, _) => fails(format!(
                "the new stop {new} is not armed: {old} is not canceled"
            )),
            (StopMoveStanding::NoneArmed, _) => fails(format!(
                "neither {new} nor {old} is armed: look at the stop of this position"
            )),
            (StopMoveStanding::ClosedButNew, _) => StopMoveStep::CancelsNew,
            (StopMoveStanding::Closed, _) => StopMoveStep::Closed,
        }
    }

    /// No complete list came in time.
    pub fn unread(&self, after: StopMoveEvent) -> StopMoveStep {
        let within = STOP_READ_TIMEOUT.as_secs();
        match after {
            StopMoveEvent::NewAccepted => self.both(format!(
                "both stops stand: the new one was not read within {within} s"
            )),
            StopMoveEvent::OldNotCanceled => fails(format!(
                "whether {} is canceled was not read within {within} s: look at the stops of this position",
                self.old
            )),
        }
    }

    fn both(&self, words: String) -> StopMoveStep {
        StopMoveStep::Fails(StopMoveFailure {
            words,
            left: Some(self.old.clone()),
        })
    }
}

fn fails(words: String) -> StopMoveStep {
    StopMoveStep::Fails(StopMoveFailure { words, left: None })
}

/// Whether a read of `after`, a response at `since`, has taken too long.
pub fn is_stop_read_late(since: Timestamp, now: Timestamp) -> bool {
    now.since(since) > STOP_READ_TIMEOUT
}

/// The id of the new stop that was accepted; or why `old` stands.
///
/// # Errors
/// If the new stop was not sent, refused, is of unknown outcome or over already.
pub fn accepted_stop(old: &OrderId, result: &Result<Receipt, Failure>) -> Result<OrderId, String> {
    match result {
        Ok(Receipt::Order { order, .. }) if !order.is_over() => Ok(order.id.clone()),
        Ok(Receipt::Order { order, .. }) => Err(format!(
            "the new stop {} is {}: {old} is not canceled",
            order.id, order.status
        )),
        Ok(_) => Err(stands_unknown(old)),
        Err(why) if why.is_doubtful() => Err(stands_unknown(old)),
        Err(why) => Err(format!(
            "the stop is not moved, {old} stands: {}",
            why.message
        )),
    }
}

/// The same while the outcome of the new stop is unknown.
pub fn stands_unknown(old: &OrderId) -> String {
    format!("whether the new stop stands is not known: {old} is not canceled")
}

/// Whether the old stop is canceled, or will be: a queued cancel is followed by itself.
pub fn is_stop_canceled(result: &Result<Receipt, Failure>) -> bool {
    matches!(result, Ok(Receipt::Cancel(cancel)) if cancel.canceled || cancel.queued)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CancelResult, FailureKind};

    const OLD: &str = "ord-5";
    const NEW: &str = "ord-6";

    fn stop(id: &str, status: &str) -> Order {
        let json = format!(
            r#"{{"id":"{id}","account_id":"a","market_id":"paper|BTC","provider":"paper","symbol":"BTC","coin":"BTC",
            "type":"stop_market","mode":"stop_market","side":"sell","expected_price":1,"leverage":1,
            "margin_mode":"cross","reduce_only":true,"requested_at":0,"size":1,"trigger_price":1,
            "status":"{status}"}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn open() -> Page<Position> {
        let json = r#"{"id":"pos-1","market_id":"paper|BTC","size":1}"#;
        Page::of(vec![serde_json::from_str(json).unwrap()])
    }

    /// The steps after an accepted new stop and after a failed cancel of the old one.
    fn steps(open: &Page<Position>, working: Vec<Order>) -> [StopMoveStep; 2] {
        let (old, new, position) = (&OLD.into(), &NEW.into(), &"pos-1".into());
        let pair = StopPair { old, new, position };
        let standing = pair.standing(open, &Page::of(working));
        let events = [StopMoveEvent::NewAccepted, StopMoveEvent::OldNotCanceled];
        events.map(|after| pair.step(standing, after))
    }

    fn words(step: &StopMoveStep) -> &str {
        let StopMoveStep::Fails(why) = step else {
            panic!("{step:?}");
        };
        &why.words
    }

    // docs/delivery.md 3.6, row by row.
    #[test]
    fn the_old_stop_is_canceled_only_where_both_are_armed() {
        let armed = |id| stop(id, "pending");
        let [accepted, failed] = steps(&open(), vec![armed(OLD), armed(NEW)]);
        assert_eq!(accepted, StopMoveStep::CancelsOld);
        assert_eq!(words(&failed), "both stops stand, ord-6 and ord-5");

        let gone = [StopMoveStep::Done, StopMoveStep::Done];
        assert_eq!(steps(&open(), vec![armed(NEW)]), gone);
        assert_eq!(steps(&open(), vec![armed(NEW), stop(OLD, "filled")]), gone);

        for step in steps(&open(), vec![armed(OLD)]) {
            assert_eq!(
                words(&step),
                "the new stop ord-6 is not armed: ord-5 is not canceled"
            );
        }
        for step in steps(&open(), vec![]) {
            assert!(words(&step).starts_with("neither ord-6 nor ord-5 is armed"));
        }
    }

    #[test]
    fn a_position_that_is_gone_takes_the_new_stop_with_it() {
        let flat = Page::of(vec![]);
        let new = [StopMoveStep::CancelsNew, StopMoveStep::CancelsNew];
        assert_eq!(steps(&flat, vec![stop(NEW, "pending")]), new);
        let none = [StopMoveStep::Closed, StopMoveStep::Closed];
        assert_eq!(steps(&flat, vec![]), none);
    }

    #[test]
    fn an_incomplete_list_shows_nothing() {
        let cut = Page {
            incomplete: true,
            ..open()
        };
        let waits = [StopMoveStep::Waits, StopMoveStep::Waits];
        assert_eq!(steps(&cut, vec![stop(NEW, "pending")]), waits);
    }

    #[test]
    fn only_an_accepted_stop_that_is_not_over_is_read_back() {
        let order = |status| {
            Ok(Receipt::Order {
                order: Box::new(stop(NEW, status)),
                queued: false,
            })
        };
        let old = OLD.into();
        assert_eq!(accepted_stop(&old, &order("pending")), Ok(NEW.into()));
        let filled = "the new stop ord-6 is filled: ord-5 is not canceled";
        assert_eq!(
            accepted_stop(&old, &order("filled")),
            Err(filled.to_owned())
        );
        let fails = |kind, words: &str| {
            let why = Failure::new(kind, "why");
            assert_eq!(accepted_stop(&old, &Err(why)), Err(words.to_owned()));
        };
        fails(
            FailureKind::Invalid,
            "the stop is not moved, ord-5 stands: why",
        );
        let unknown = "whether the new stop stands is not known: ord-5 is not canceled";
        fails(FailureKind::Unknown, unknown);
    }

    #[test]
    fn a_queued_cancel_counts_as_one() {
        let cancel = |canceled, queued| {
            let id = OLD.into();
            Ok(Receipt::Cancel(CancelResult {
                id,
                canceled,
                queued,
            }))
        };
        assert!(is_stop_canceled(&cancel(true, false)) && is_stop_canceled(&cancel(false, true)));
        assert!(!is_stop_canceled(&cancel(false, false)));
        assert!(!is_stop_canceled(&Ok(Receipt::AlreadySo("over".into()))));
    }
}
