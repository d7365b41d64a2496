//! The attempts of a delivery so far, and what the next one may do.

use super::entry_gate::Epoch;
use crate::{
    client::Attempt,
    journal::ReplayWindow,
    model::{Command, Failure, FailureKind, Risk, Timestamp},
};
use std::time::Duration;
use tokio::time::Instant;

/// How far the request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendState {
    /// The journal says `inflight`; nothing was sent yet.
    Released,
    /// The journal says `prepared`: nothing was sent, and `inflight` must be written first.
    Prepared,
    /// An attempt is running: its effect is not known yet.
    Sending,
    /// A byte may have been sent, in this session or an earlier one.
    MaybeSent,
}

#[derive(Debug)]
pub(super) struct AttemptHistory {
    send_state: SendState,
    /// When the current attempts were decided on.
    decided_at: Timestamp,
    /// The epoch of that decision.
    given: Epoch,
    /// When a close-all last got a 202; before that its first sending.
    last_response: Timestamp,
    /// The end of the `Retry-After` of the last response.
    quiet_until: Option<Instant>,
    is_stalled: bool,
}

impl AttemptHistory {
    /// For a command first sent at `since`, or about to be sent.
    pub(super) fn new(send_state: SendState, since: Timestamp) -> Self {
        Self {
            send_state,
            decided_at: since,
            given: Epoch::default(),
            last_response: since,
            quiet_until: None,
            is_stalled: false,
        }
    }

    /// A decision made at `at` covers what is sent from here on.
    pub(super) fn begin(&mut self, at: Timestamp, given: Epoch) {
        self.decided_at = at;
        self.given = given;
    }

    /// When the current attempts were decided on, and the epoch of that decision.
    pub(super) fn given(&self) -> (Timestamp, Epoch) {
        (self.decided_at, self.given)
    }

    /// Whether a byte may have been sent.
    pub(super) fn has_left(&self) -> bool {
        matches!(self.send_state, SendState::Sending | SendState::MaybeSent)
    }

    pub(super) fn is_held(&self) -> bool {
        self.send_state == SendState::Prepared
    }

    /// The journal says `inflight` again.
    pub(super) fn launch(&mut self) {
        if self.is_held() {
            self.send_state = SendState::Released;
        }
    }

    /// One more attempt begins.
    pub(super) fn leave(&mut self) {
        if self.send_state != SendState::MaybeSent {
            self.send_state = SendState::Sending;
        }
    }

    /// One more attempt ended at `now`.
    pub(super) fn tried(&mut self, attempt: &Attempt, now: Timestamp) {
        match attempt {
            Attempt::NotSent(_) if self.send_state == SendState::MaybeSent => return,
            Attempt::NotSent(_) => {
                self.send_state = SendState::Prepared;
                return;
            }
            Attempt::Running { .. } => self.last_response = now,
            Attempt::Done(_) | Attempt::Refused(_) | Attempt::Doubtful(_) => {}
        }
        self.send_state = SendState::MaybeSent;
        let stated = attempt.retry_after();
        self.quiet_until = stated.and_then(|stated| Instant::now().checked_add(stated));
    }

    /// Notes a stall; `true` the first time.
    pub(super) fn stall(&mut self) -> bool {
        !std::mem::replace(&mut self.is_stalled, true)
    }

    /// Until when the same request may be resent.
    pub(super) fn window(&self) -> ReplayWindow {
        if self.has_left() {
            ReplayWindow::since(self.last_response)
        } else {
            ReplayWindow::endless()
        }
    }

    /// Refuses a resend before the `Retry-After` of the last response ends. The policy waits by itself; a read in
    /// between, or a person who retries, does not.
    pub(super) fn early(&self) -> Option<Failure> {
        let left = self.quiet_until?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then(|| Failure {
            retry_after: Some(left),
            ..Failure::new(
                FailureKind::Limited,
                format!(
                    "the service asks to wait {} s before the next request",
                    left.as_secs() + 1
                ),
            )
        })
    }

    /// Why `command` must not be sent `now`, if so. An entry is too late some time after its decision, and the service
    /// keeps its key only for `window`. Wall-clock time counts: a timer may stop while the machine sleeps; the market
    /// and the service's key store do not.
    pub(super) fn too_late(
        &self,
        command: &Command,
        now: Timestamp,
        patience: Duration,
        window: ReplayWindow,
    ) -> Option<Failure> {
        if command.is_keyed() && !window.is_open(now) {
            return Some(Failure::local(
                "the service may have forgotten its key and could execute it again: it is not sent again",
            ));
        }
        // A command that never left has until its intent's deadline.
        let until = self.decided_at.plus(if self.has_left() {
            patience * 2
        } else {
            patience
        });
        (command.risk() == Risk::Increasing && now > until)
            .then(|| Failure::local("its deadline has passed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::outbox::tests::buy;

    const GIVEN: Timestamp = Timestamp(1_790_000_000_000);

    /// The refusal of a `command` that is `minutes` old; `last_response` is the last response, or `None` if it never left.
    fn after(command: &Command, minutes: u64, last_response: Option<Timestamp>) -> Option<String> {
        let send_state = last_response.map_or(SendState::Prepared, |_| SendState::MaybeSent);
        let history = AttemptHistory {
            decided_at: GIVEN,
            ..AttemptHistory::new(send_state, last_response.unwrap_or(GIVEN))
        };
        let now = GIVEN.plus(Duration::from_mins(minutes));
        history
            .too_late(command, now, Duration::from_secs(30), history.window())
            .map(|why| why.message.to_string())
    }

    #[test]
    fn a_machine_that_slept_sends_no_order_at_a_price_of_hours_ago_and_no_key_that_may_be_forgotten()
     {
        assert_eq!(after(&buy(), 1, Some(GIVEN)), None);
        let old = after(&buy(), 2, None).unwrap();
        assert!(old.contains("its deadline has passed"), "{old}");
        let forgotten = after(&buy(), 8 * 60, Some(GIVEN)).unwrap();
        assert!(forgotten.contains("forgotten its key"), "{forgotten}");
        let close_all = Command::CloseAll("chal-1".into());
        assert!(after(&close_all, 8 * 60, Some(GIVEN)).is_some());
    }

    #[test]
    fn an_exit_that_never_left_and_a_close_all_that_is_being_answered_go_on_for_as_long_as_it_takes()
     {
        let close_all = Command::CloseAll("chal-1".into());
        assert_eq!(after(&close_all, 8 * 60, None), None);
        let answered = GIVEN.plus(Duration::from_mins(8 * 60 - 1));
        assert_eq!(after(&close_all, 8 * 60, Some(answered)), None);
        let cancel = Command::Cancel("o-1".into());
        assert_eq!(after(&cancel, 8 * 60, Some(GIVEN)), None);
    }

    #[test]
    fn what_may_have_left_is_never_said_not_to_have_left_again() {
        let not_sent = || Attempt::NotSent(Failure::local("refused here"));
        let mut history = AttemptHistory::new(SendState::Released, GIVEN);
        history.tried(&not_sent(), GIVEN);
        assert!(history.is_held());
        history.launch();
        history.leave();
        assert!(history.has_left(), "while it is on its way");
        history.tried(&not_sent(), GIVEN);
        assert!(history.is_held(), "proved not to have left");
        history.launch();
        history.tried(&Attempt::Doubtful(Failure::local("cut")), GIVEN);
        assert!(history.has_left());
        history.tried(&not_sent(), GIVEN);
        history.launch();
        assert!(history.has_left() && !history.is_held());
    }
}
