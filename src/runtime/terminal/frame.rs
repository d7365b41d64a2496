//! When to draw: at once after a key, slightly later after network messages, and never without a change. A frame that
//! was drawn for the network delays no key.

use crate::app::Motion;
use std::{future::pending, time::Duration};
use tokio::time::{Instant, sleep_until};

/// Sixty frames a second at most for keys that repeat. After a pause the first two changes are drawn at once: a key right
/// after news that was drawn need not wait.
const FRAME: Duration = Duration::from_millis(16);
/// Polls arrive in groups and are drawn together: when all that were sent are answered, and after this time in any case.
const POLL_FRAME: Duration = Duration::from_millis(60);
/// Where a market moves, what it does is drawn ten times a second at most.
const MOVING_FRAME: Duration = Duration::from_millis(100);
/// The first answers are drawn sooner: somebody waits for the desk to fill. So is what belongs to a market that is shown anew.
const OPENING_FRAME: Duration = Duration::from_millis(4);
/// How long a desk fills at most.
const OPENING: Duration = Duration::from_secs(1);
/// With reduced motion, numbers change together and no more often than this.
const REDUCED_MOTION_FRAME: Duration = Duration::from_secs(1);

/// What caused a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Person,
    /// The cursor has come to rest: the market of its row is shown.
    Rest,
    /// An order changed, and nobody here did it.
    Orders,
    Background,
}

#[derive(Debug)]
pub(crate) struct FrameGate {
    due: Option<DueFrame>,
    opened: Instant,
    last: Instant,
    /// The same of those that the network caused.
    last_moved: Instant,
    /// When the last two frames that a person waited for were drawn, the older one first.
    for_person: [Option<Instant>; 2],
}

/// A requested frame, and who waits for it.
#[derive(Debug, Clone, Copy)]
struct DueFrame {
    at: Instant,
    cause: Cause,
}

impl FrameGate {
    /// The first frame is due at once.
    pub(crate) fn open() -> Self {
        let now = Instant::now();
        Self {
            due: Some(DueFrame {
                at: now,
                cause: Cause::Background,
            }),
            opened: now,
            last: now,
            last_moved: now,
            for_person: [None; 2],
        }
    }

    /// Requests a frame. A frame that is already due is never delayed.
    pub(crate) fn want(&mut self, cause: Cause, motion: Motion) {
        let now = Instant::now();
        let soon = self.moves_from(now + self.gathering(now));
        let wanted = match (cause, motion) {
            (Cause::Person, _) => self.for_person[0].map_or(now, |older| older + 2 * FRAME),
            // Events come at most twenty times a second (`polling/streams/account.rs`), and wait for no beat of the market.
            (Cause::Rest, _) | (Cause::Orders, Motion::Full) => now + OPENING_FRAME,
            (Cause::Background, Motion::Full) => soon,
            (Cause::Orders | Cause::Background, Motion::Reduced) => {
                soon.max(self.last + REDUCED_MOTION_FRAME)
            }
        };
        let due = self.due.filter(|due| due.cause == Cause::Person);
        self.due = Some(DueFrame {
            at: self.due.map_or(wanted, |due| due.at.min(wanted)),
            cause: due.map_or(cause, |due| due.cause),
        });
    }

    /// No further answer is on its way: a frame that waits for more of them is due now, unless there just was one.
    pub(crate) fn settle(&mut self, motion: Motion) {
        let now = Instant::now();
        let earliest = self.moves_from(now.max(self.last + self.gathering(now)));
        if let Some(due) = &mut self.due
            && motion == Motion::Full
        {
            due.at = due.at.min(earliest);
        }
    }

    /// When a frame that the network causes may be drawn, if not before `at`. A desk that fills does not wait.
    fn moves_from(&self, at: Instant) -> Instant {
        let is_open = at.duration_since(self.opened) >= OPENING;
        let spaced = self.last_moved + MOVING_FRAME;
        if is_open { at.max(spaced) } else { at }
    }

    /// How long a frame for the network waits for further answers at most.
    fn gathering(&self, now: Instant) -> Duration {
        if now.duration_since(self.opened) < OPENING {
            OPENING_FRAME
        } else {
            POLL_FRAME
        }
    }

    pub(crate) fn drawn(&mut self) {
        let now = Instant::now();
        match self.due.map(|due| due.cause) {
            Some(Cause::Person) => {
                let [_, newer] = self.for_person;
                self.for_person = [newer, Some(now)];
            }
            Some(Cause::Orders | Cause::Background) => self.last_moved = now,
            Some(Cause::Rest) | None => {}
        }
        (self.due, self.last) = (None, now);
    }

    /// Resolves when a frame that a person waits for may be drawn; never while none is.
    pub(crate) async fn due_for_person(&self) {
        match self.due {
            Some(due) if due.cause == Cause::Person => reached(due.at).await,
            Some(_) | None => pending::<()>().await,
        }
    }

    /// Resolves when a frame may be drawn; never while none is requested.
    pub(crate) async fn due(&self) {
        match self.due {
            Some(due) => reached(due.at).await,
            None => pending::<()>().await,
        }
    }
}

/// A timer rounds up to whole milliseconds, and lets every other task run first: what is due is drawn without one.
async fn reached(at: Instant) {
    if at > Instant::now() {
        sleep_until(at).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const MOMENT: Duration = Duration::from_millis(5);

    /// How long it takes until the due frame may be drawn; draws it.
    async fn drawn_after(gate: &mut FrameGate) -> Duration {
        let began = Instant::now();
        gate.due().await;
        gate.drawn();
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_right_after_a_frame_for_the_network_is_drawn_at_once() {
        let mut gate = FrameGate::open();
        drawn_after(&mut gate).await;
        gate.want(Cause::Background, Motion::Full);
        drawn_after(&mut gate).await;
        gate.want(Cause::Background, Motion::Full);
        advance(MOMENT).await;
        gate.want(Cause::Person, Motion::Full);
        assert_eq!(drawn_after(&mut gate).await, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn keys_that_repeat_faster_than_a_screen_shows_are_drawn_sixty_times_a_second() {
        let mut gate = FrameGate::open();
        drawn_after(&mut gate).await;
        advance(OPENING).await;
        let mut waits = vec![];
        for _ in 0..6 {
            gate.want(Cause::Person, Motion::Full);
            gate.want(Cause::Background, Motion::Full);
            waits.push(drawn_after(&mut gate).await.as_millis());
            advance(MOMENT).await;
        }
        // Two at once, then each pair of frames takes as long as two frames of sixty a second.
        assert_eq!(waits, [0, 0, 22, 0, 22, 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_answer_of_a_beat_is_drawn_at_once_and_a_flood_of_them_in_groups() {
        let mut gate = FrameGate::open();
        drawn_after(&mut gate).await;
        advance(OPENING).await;
        let mut waits = vec![];
        for _ in 0..3 {
            gate.want(Cause::Background, Motion::Full);
            gate.settle(Motion::Full);
            waits.push(drawn_after(&mut gate).await);
            advance(MOMENT).await;
        }
        // A market that moves is drawn ten times a second.
        let rest = MOVING_FRAME.saturating_sub(MOMENT);
        assert_eq!(waits, [Duration::ZERO, rest, rest]);
        gate.want(Cause::Background, Motion::Reduced);
        gate.settle(Motion::Reduced);
        let rest = REDUCED_MOTION_FRAME.saturating_sub(MOMENT);
        assert_eq!(drawn_after(&mut gate).await, rest);
    }

    #[tokio::test(start_paused = true)]
    async fn an_order_that_changed_elsewhere_is_drawn_at_once_while_the_market_moves() {
        let mut gate = FrameGate::open();
        drawn_after(&mut gate).await;
        advance(OPENING).await;
        gate.want(Cause::Background, Motion::Full);
        drawn_after(&mut gate).await;
        gate.want(Cause::Background, Motion::Full);
        gate.want(Cause::Orders, Motion::Full);
        assert_eq!(drawn_after(&mut gate).await, OPENING_FRAME);
        gate.want(Cause::Orders, Motion::Reduced);
        assert_eq!(drawn_after(&mut gate).await, REDUCED_MOTION_FRAME);
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_answers_are_drawn_sooner_than_those_of_a_full_desk() {
        let mut gate = FrameGate::open();
        assert_eq!(drawn_after(&mut gate).await, Duration::ZERO);
        gate.want(Cause::Background, Motion::Full);
        assert_eq!(drawn_after(&mut gate).await, OPENING_FRAME);
        advance(OPENING).await;
        gate.want(Cause::Background, Motion::Full);
        assert_eq!(drawn_after(&mut gate).await, POLL_FRAME);
    }

    #[tokio::test(start_paused = true)]
    async fn a_market_that_the_cursor_rests_on_is_drawn_at_once_while_the_market_moves() {
        for motion in [Motion::Full, Motion::Reduced] {
            let mut gate = FrameGate::open();
            drawn_after(&mut gate).await;
            advance(OPENING).await;
            gate.want(Cause::Background, motion);
            drawn_after(&mut gate).await;
            gate.want(Cause::Background, motion);
            gate.want(Cause::Rest, motion);
            assert_eq!(drawn_after(&mut gate).await, OPENING_FRAME);
            // The next numbers wait for no longer because of it.
            gate.want(Cause::Background, Motion::Full);
            let rest = MOVING_FRAME.saturating_sub(OPENING_FRAME);
            assert_eq!(drawn_after(&mut gate).await, rest);
        }
    }
}
