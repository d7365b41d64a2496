//! The beat of polling: sources of one interval are asked in the same instant, so that a quiet desk wakes once for all
//! of them and draws their answers in one frame. Desks began at different times, so they do not ask a service together.

use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug, Clone, Copy)]
pub(super) struct Beat(Instant);

impl Beat {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// The time until the next whole `interval` since the start; a source that was asked on request just before it
    /// skips that one.
    pub(super) fn until_next(self, interval: Duration) -> Duration {
        let interval_nanos = interval.as_nanos().max(1);
        let into = self.0.elapsed().as_nanos() % interval_nanos;
        let left = interval_nanos - into;
        let wait = if left * 4 < interval_nanos {
            left + interval_nanos
        } else {
            left
        };
        Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn whatever_an_answer_takes_the_next_request_leaves_on_the_beat() {
        let beat = Beat::start();
        let second = Duration::from_secs(1);
        assert_eq!(beat.until_next(second), second);
        advance(Duration::from_millis(2_040)).await;
        assert_eq!(beat.until_next(second), Duration::from_millis(960));
        assert_eq!(beat.until_next(2 * second), Duration::from_millis(1_960));
    }

    #[tokio::test(start_paused = true)]
    async fn a_source_that_was_just_asked_skips_a_beat() {
        let beat = Beat::start();
        advance(Duration::from_millis(900)).await;
        let wait = beat.until_next(Duration::from_secs(1));
        assert_eq!(wait, Duration::from_millis(1_100));
    }
}
