//! The pauses that 429s asked for, one for each class of request: a poll that must wait says nothing about a close.

use super::class::RequestClass;
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

/// Until when each class waits.
#[derive(Debug, Default)]
pub(super) struct Pauses(BTreeMap<RequestClass, Instant>);

impl Pauses {
    /// Holds `class` back for `span` from now; a longer pause stays.
    pub(super) fn pause(&mut self, class: RequestClass, span: Duration) {
        let until = Instant::now() + span.min(class.longest_pause());
        let current = self.0.entry(class).or_insert(until);
        *current = until.max(*current);
    }

    /// The rest of the pause; zero if there is none.
    pub(super) fn left(&self, class: RequestClass) -> Duration {
        let until = self.0.get(&class);
        until.map_or(Duration::ZERO, |until| until.duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: Duration = Duration::from_hours(366 * 24);

    #[tokio::test(start_paused = true)]
    async fn a_shorter_pause_never_cuts_a_longer_one() {
        let mut pauses = Pauses::default();
        let left = |pauses: &Pauses| pauses.left(RequestClass::Poll);
        assert_eq!(left(&pauses), Duration::ZERO);
        pauses.pause(RequestClass::Poll, Duration::from_secs(10));
        pauses.pause(RequestClass::Poll, Duration::from_secs(2));
        assert_eq!(left(&pauses), Duration::from_secs(10));
        tokio::time::advance(Duration::from_secs(11)).await;
        assert_eq!(left(&pauses), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_the_class_that_was_told_to_wait_and_no_longer_than_its_limit() {
        let classes = [
            (RequestClass::Exit, 60),
            (RequestClass::CommandRead, 60),
            (RequestClass::Entry, 300),
            (RequestClass::Poll, 300),
        ];
        for (told, limit) in classes {
            let mut pauses = Pauses::default();
            pauses.pause(told, YEAR);
            for (class, _) in classes {
                let expected = if class == told { limit } else { 0 };
                assert_eq!(
                    pauses.left(class),
                    Duration::from_secs(expected),
                    "{class:?}"
                );
            }
        }
    }
}
