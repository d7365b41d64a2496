//! What may be read of a venue: far below its limit, since other programs may share the address.

use std::time::Duration;
use tokio::time::Instant;

/// Weight that may be spent at once: the first picture of a market with all of its panes.
const MOST: u32 = 240;
/// How long a unit of weight takes to come back: a quarter of the lowest limit of a venue, 1,200 a minute.
const UNIT: Duration = Duration::from_millis(200);
/// A read whose turn is further away is refused: by then another market may be on the screen.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// When the budget is whole again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct VenueBudget {
    full_at: Option<Instant>,
    paused_until: Option<Instant>,
}

impl VenueBudget {
    /// Spends `weight`; returns when the read may leave. `None`, and nothing is spent, if that is too far away.
    pub(super) fn spend(&mut self, weight: u32, now: Instant) -> Option<Instant> {
        let full_at = self.full_at.map_or(now, |full_at| full_at.max(now)) + UNIT * weight;
        let whole = UNIT * MOST;
        let late = full_at.duration_since(now).saturating_sub(whole);
        let turn = self
            .paused_until
            .map_or(now, |until| until.max(now))
            .max(now + late);
        if turn > now + LONGEST_WAIT {
            return None;
        }
        self.full_at = Some(full_at);
        Some(turn)
    }

    /// The venue refused a read: none leaves for so long.
    pub(super) fn pause(&mut self, pause: Duration, now: Instant) {
        self.paused_until = self.paused_until.max(Some(now + pause));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_first_picture_leaves_at_once_and_what_follows_in_its_turn() {
        let (mut budget, now) = (VenueBudget::default(), Instant::now());
        for _ in 0..4 {
            assert_eq!(budget.spend(60, now), Some(now));
        }
        assert_eq!(budget.spend(25, now), Some(now + Duration::from_secs(5)));
        assert_eq!(budget.spend(25, now), Some(now + Duration::from_secs(10)));
        assert_eq!(budget.spend(60, now), None, "it is too far away");
        let later = now + Duration::from_mins(2);
        assert_eq!(budget.spend(60, later), Some(later));
    }

    #[tokio::test(start_paused = true)]
    async fn a_venue_that_refused_is_left_alone_for_as_long_as_it_says() {
        let (mut budget, now) = (VenueBudget::default(), Instant::now());
        budget.pause(Duration::from_secs(10), now);
        assert_eq!(budget.spend(2, now), Some(now + Duration::from_secs(10)));
        budget.pause(Duration::from_mins(1), now);
        assert_eq!(budget.spend(2, now), None);
        let after = now + Duration::from_mins(1);
        assert_eq!(budget.spend(2, after), Some(after));
    }
}
