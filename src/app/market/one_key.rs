//! One-key trading: whether a key on the price ladder sends at once.
//!
//! Contract: a person arms it in each session; it ends after [`ONE_KEY_IDLE`] without a key. A key that is held down acts
//! once.

use crate::model::Timestamp;
use std::time::Duration;

/// It ends after this long without a key or a click on the ladder.
pub const ONE_KEY_IDLE: Duration = Duration::from_mins(1);
/// The same key again within this time is one that is held down.
const HELD_KEY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct OneKey {
    /// When a key or a click last used the ladder; `None` while it is off.
    used_at: Option<Timestamp>,
    pressed: Option<(String, Timestamp)>,
}

impl OneKey {
    /// Whether this press acts: one that repeats the last within [`HELD_KEY`] is of a key that is held down.
    pub(crate) fn takes_press(&mut self, press: String, now: Timestamp) -> bool {
        let is_held =
            |(last, at): &(String, Timestamp)| *last == press && now.since(*at) < HELD_KEY;
        let is_repeat = self.pressed.as_ref().is_some_and(is_held);
        self.pressed = Some((press, now));
        !is_repeat
    }

    pub(crate) fn arm(&mut self, now: Timestamp) {
        self.used_at = Some(now);
    }

    /// Answers whether it was armed.
    pub(crate) fn disarm(&mut self) -> bool {
        self.used_at.take().is_some()
    }

    pub(crate) fn is_on(&self) -> bool {
        self.used_at.is_some()
    }

    pub(crate) fn is_armed(&self, now: Timestamp) -> bool {
        self.ends_at().is_some_and(|end| now < end)
    }

    pub(crate) fn ends_at(&self) -> Option<Timestamp> {
        Some(self.used_at?.plus(ONE_KEY_IDLE))
    }

    /// A key or a click on the ladder: the time until it ends begins anew.
    pub(crate) fn touch(&mut self, now: Timestamp) {
        if self.is_armed(now) {
            self.arm(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp(1_790_000_000_000).plus(Duration::from_millis(millis))
    }

    #[test]
    fn it_ends_after_a_minute_without_a_key() {
        let mut one_key = OneKey::default();
        one_key.arm(at(0));
        one_key.touch(at(59_000));
        assert!(one_key.is_armed(at(118_999)));
        assert!(!one_key.is_armed(at(119_000)));
        one_key.touch(at(119_000));
        assert!(!one_key.is_armed(at(119_000)), "a late key arms nothing");
    }

    #[test]
    fn a_key_that_is_held_down_acts_once() {
        let mut one_key = OneKey::default();
        let mut acts = vec![];
        for millis in [0, 660, 700, 1_600, 2_500, 3_500] {
            if one_key.takes_press("b 100".to_owned(), at(millis)) {
                acts.push(millis);
            }
        }
        assert_eq!(acts, [0, 3_500]);
        assert!(one_key.takes_press("s 100".to_owned(), at(3_501)));
    }
}
