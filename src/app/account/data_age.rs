//! The age of one source's data.
//!
//! Contract: the age counts from the data, not from the last answer. A source that reports the same instant again has
//! nothing new: its data keeps growing old.

use crate::model::{Failure, Timestamp};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataAge {
    /// When the newest answer was requested.
    polled_at: Option<Timestamp>,
    /// The source's own time, and the request that first returned it.
    made: Option<(Timestamp, Timestamp)>,
    trouble: Option<Failure>,
}

impl DataAge {
    /// Records the answer to a request sent at `at`, with the source's own time. `false` if a newer answer has arrived:
    /// this one must be dropped.
    pub fn answered(&mut self, at: Timestamp, made_at: Option<Timestamp>) -> bool {
        if self.polled_at.is_some_and(|newest| newest > at) {
            return false;
        }
        self.polled_at = Some(at);
        self.trouble = None;
        self.made = made_at.map(|made_at| match self.made {
            Some((known, since)) if known == made_at => (known, since),
            Some(_) | None => (made_at, at),
        });
        true
    }

    /// A request sent at `at` failed: what is known stays, and its age too. Whether that is new.
    pub fn failed(&mut self, at: Timestamp, why: Failure) -> bool {
        let is_overtaken = self.polled_at.is_some_and(|newest| newest > at);
        if is_overtaken || self.trouble.as_ref() == Some(&why) {
            return false;
        }
        self.trouble = Some(why);
        true
    }

    /// When the newest answer was requested, whether or not it brought anything new.
    pub fn answered_at(&self) -> Option<Timestamp> {
        self.polled_at
    }

    /// When the request was sent that first returned this data; `None` before the first.
    pub fn dated(&self) -> Option<Timestamp> {
        self.made.map(|(_, since)| since).or(self.polled_at)
    }

    /// The source's own time in the newest answer.
    pub fn made_at(&self) -> Option<Timestamp> {
        self.made.map(|(made_at, _)| made_at)
    }

    /// How old the data is at `now`, an instant of the desk's time.
    pub fn age(&self, now: Timestamp) -> Option<Duration> {
        self.dated().map(|dated| now.since(dated))
    }

    /// Why there is nothing newer, if the last request failed.
    pub fn trouble(&self) -> Option<&Failure> {
        self.trouble.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FailureKind;

    #[test]
    fn data_whose_own_time_stands_still_grows_old_although_it_is_polled() {
        let mut age = DataAge::default();
        assert_eq!(age.age(Timestamp(0)), None);
        for at in [1_000, 2_000, 3_000] {
            assert!(age.answered(Timestamp(at), Some(Timestamp(77))));
        }
        assert_eq!(age.age(Timestamp(5_000)), Some(Duration::from_secs(4)));
        age.answered(Timestamp(6_000), Some(Timestamp(78)));
        assert_eq!(age.age(Timestamp(6_000)), Some(Duration::ZERO));
        age.answered(Timestamp(7_000), None);
        assert_eq!(age.dated(), Some(Timestamp(7_000)));
    }

    #[test]
    fn an_overtaken_answer_is_dropped_and_a_failure_keeps_the_age() {
        let mut age = DataAge::default();
        age.answered(Timestamp(2_000), None);
        assert!(!age.answered(Timestamp(1_000), None));
        let down = Failure::new(FailureKind::Unavailable, "down");
        age.failed(Timestamp(1_500), down.clone());
        assert_eq!(age.trouble(), None, "overtaken");
        age.failed(Timestamp(3_000), down.clone());
        assert_eq!(
            (age.dated(), age.trouble()),
            (Some(Timestamp(2_000)), Some(&down))
        );
    }
}
