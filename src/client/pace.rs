//! The pause a 429 orders: it covers every request of the key, whichever of them earned it.

use std::time::Duration;
use tokio::{sync::watch, time::Instant};

#[derive(Debug)]
pub(super) struct Pace(watch::Sender<Option<Instant>>);

impl Default for Pace {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Pace {
    /// Holds everything back for `span` from now; a pause already longer stays as it is.
    pub(super) fn pause(&self, span: Duration) {
        let Some(until) = Instant::now().checked_add(span) else {
            return;
        };
        self.0.send_if_modified(|current| {
            let longer = current.is_none_or(|current| current < until);
            if longer {
                *current = Some(until);
            }
            longer
        });
    }

    /// What is left of the pause; zero when requests may go out.
    pub(super) fn left(&self) -> Duration {
        self.0
            .borrow()
            .map_or(Duration::ZERO, |until| until.duration_since(Instant::now()))
    }
}

impl super::Client {
    /// How long the service has asked every request of this key to wait. Nothing here enforces it:
    /// who sends looks first.
    pub fn pause_left(&self) -> Duration {
        self.0.pace.left()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_shorter_pause_never_cuts_a_longer_one() {
        let pace = Pace::default();
        assert_eq!(pace.left(), Duration::ZERO);
        pace.pause(Duration::from_secs(10));
        pace.pause(Duration::from_secs(2));
        assert_eq!(pace.left(), Duration::from_secs(10));
        tokio::time::advance(Duration::from_secs(11)).await;
        assert_eq!(pace.left(), Duration::ZERO);
    }
}
