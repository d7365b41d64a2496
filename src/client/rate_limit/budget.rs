//! The request budget of a key, learned from its 429s, since no document states it.
//!
//! Contract: pure, over instants that never go backwards. Nothing is held back until the first 429. Then requests share
//! a token bucket that fills at four fifths of the observed rate. Polls leave a part of it unused, entries a smaller
//! part, and closes and cancels may overdraw it. A 429 lowers the rate, and time without one raises it: slowly if a
//! whole minute was counted, fast if it was a guess from less. A rate that was learned too low is corrected, at the
//! cost of one 429.

use super::class::RequestClass;
use std::{collections::VecDeque, time::Duration};
use tokio::time::Instant;

/// Requests are counted per minute, as services state their limits.
const WINDOW: Duration = Duration::from_mins(1);
/// The smallest budget: with less, perpdeck could not show anything.
const LEAST: u32 = 6;
/// Above this the limit has no effect on perpdeck.
const PLENTY: u32 = 1_200;
/// Tokens are counted in thousandths.
const ONE: i64 = 1_000;

/// How reliable the learned rate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Confidence {
    /// Nearly a whole window was counted: its requests are the budget.
    Counted,
    /// The 429 came after too short a time, or a burst.
    Guessed,
}

impl Confidence {
    fn of(span: Duration) -> Self {
        if span < Duration::from_secs(55) {
            Self::Guessed
        } else {
            Self::Counted
        }
    }

    /// How long without a 429 raises the budget, and by which fraction.
    fn raise(self) -> (Duration, u32) {
        match self {
            Self::Counted => (Duration::from_mins(10), 10),
            Self::Guessed => (WINDOW, 4),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct RequestBudget {
    /// When requests were sent, within the last window.
    sent: VecDeque<Instant>,
    learned: Option<LearnedRate>,
}

#[derive(Debug, Clone, Copy)]
struct LearnedRate {
    per_minute: u32,
    confidence: Confidence,
    /// Thousandths of a token available at `at`; negative after many closes.
    level: i64,
    at: Instant,
    /// When the 429 came that taught it.
    taught: Instant,
    /// Since then no 429 has come and nothing was raised.
    quiet: Instant,
}

impl RequestBudget {
    pub(super) fn sent(&mut self, now: Instant) {
        self.sent
            .retain(|sent| now.saturating_duration_since(*sent) < WINDOW);
        self.sent.push_back(now);
        if let Some(learned) = &mut self.learned {
            learned.fill(now);
            learned.level = (learned.level - ONE).max(-learned.minute());
        }
    }

    /// A request sent at `sent` was answered with 429 and `wait`. Other requests in flight at the same time teach
    /// nothing new.
    pub(super) fn refused(&mut self, sent: Instant, now: Instant, wait: Duration) {
        if self.learned.is_some_and(|learned| sent <= learned.taught) {
            return;
        }
        let taken = self.sent.iter().filter(|taken| **taken < sent);
        let count = u32::try_from(taken.clone().count()).unwrap_or(PLENTY);
        let span = taken.min().map_or(Duration::ZERO, |first| sent - *first);
        let confidence = Confidence::of(span);
        let measured = rate(count, span + wait);
        let per_minute = match self.learned {
            // The last learned rate was certainly too high, whatever a short count says.
            Some(learned) if confidence == Confidence::Guessed => {
                measured.min(learned.per_minute * 3 / 4)
            }
            Some(_) | None => measured,
        };
        self.learned = Some(LearnedRate {
            per_minute: per_minute.clamp(LEAST, PLENTY),
            confidence,
            level: 0,
            at: now,
            taught: now,
            quiet: now,
        });
    }

    pub(super) fn wait(&mut self, class: RequestClass, now: Instant) -> Duration {
        let Some(learned) = &mut self.learned else {
            return Duration::ZERO;
        };
        learned.fill(now);
        if learned.per_minute >= PLENTY {
            self.learned = None;
            return Duration::ZERO;
        }
        learned.wait(class)
    }

    /// How long until fewer than `most` requests were sent within the last minute.
    pub(super) fn room_in(&self, most: usize, now: Instant) -> Duration {
        let full = self.sent.len().checked_sub(most);
        let leaves = full.and_then(|over| self.sent.get(over));
        leaves.map_or(Duration::ZERO, |sent| {
            (*sent + WINDOW).saturating_duration_since(now)
        })
    }

    pub(super) fn per_minute(&self) -> Option<u32> {
        self.learned.map(|learned| learned.per_minute)
    }

    pub(super) fn polls_per_minute(&self) -> Option<u32> {
        let filled = |learned: LearnedRate| u32::try_from(learned.filled_in(WINDOW) / ONE);
        self.learned.and_then(|learned| filled(learned).ok())
    }
}

impl LearnedRate {
    fn minute(&self) -> i64 {
        i64::from(self.per_minute) * ONE
    }

    /// Ten seconds' worth, and enough for one request of each class.
    fn capacity(&self) -> i64 {
        (self.minute() / 6).max(4 * ONE)
    }

    /// The other fifth of the rate is kept for closes.
    fn filled_in(&self, span: Duration) -> i64 {
        let millis = i64::try_from(span.min(WINDOW * 10).as_millis()).unwrap_or(0);
        self.minute() * millis / 60_000 * 4 / 5
    }

    fn fill(&mut self, now: Instant) {
        let added = self.filled_in(now.saturating_duration_since(self.at));
        if added > 0 {
            self.level = (self.level + added).min(self.capacity());
            self.at = now;
        }
        let (quiet, part) = self.confidence.raise();
        if now.saturating_duration_since(self.quiet) >= quiet {
            self.per_minute += self.per_minute.div_ceil(part);
            self.quiet = now;
        }
    }

    fn wait(&self, class: RequestClass) -> Duration {
        let left_alone = match class {
            RequestClass::Exit | RequestClass::CommandRead => return Duration::ZERO,
            RequestClass::Entry => self.capacity() / 5,
            RequestClass::Poll => self.capacity() / 2,
        };
        let missing = left_alone + ONE - self.level;
        if missing <= 0 {
            return Duration::ZERO;
        }
        let a_second = self.filled_in(Duration::from_secs(1)).max(1);
        let millis = u64::try_from(missing * 1_000 / a_second).unwrap_or(0);
        Duration::from_millis(millis + 1)
    }
}

/// Requests a minute, from `count` in `span`.
fn rate(count: u32, span: Duration) -> u32 {
    let millis = span.max(Duration::from_secs(1)).as_millis();
    u32::try_from(u128::from(count) * WINDOW.as_millis() / millis).unwrap_or(PLENTY)
}

#[cfg(test)]
mod tests;
