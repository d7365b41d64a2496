//! What of a trade is reported in figures: its first risk, how far the mark went, and how it ended against that.

use crate::model::{Num, Position, Side, Timestamp};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Milliseconds. Marks, and lists of positions, further apart than this leave a gap.
pub(super) const NO_GAP: i64 = 15_000;

/// What was risked when the first stop was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstStop {
    pub price: Num,
    pub entry: Num,
    /// In coin, without its sign.
    pub size: Num,
}

/// How far the mark went while it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excursion {
    pub low: Num,
    pub high: Num,
    /// How long the mark was seen, in milliseconds.
    pub seen_millis: i64,
    /// When it was last seen, by the wall clock.
    pub last_at: Timestamp,
}

impl FirstStop {
    /// What it loses of a position on `side`, USD; `None` where that is nothing.
    pub fn risk(&self, side: Side) -> Option<Num> {
        let risk = match side {
            Side::Buy => self.entry.minus(self.price)?,
            Side::Sell => self.price.minus(self.entry)?,
        };
        let risk = risk.times(self.size)?;
        risk.is_positive().then_some(risk)
    }
}

impl Excursion {
    pub(super) fn begin(mark: Num, at: Timestamp) -> Self {
        Self {
            low: mark,
            high: mark,
            seen_millis: 0,
            last_at: at,
        }
    }

    pub(super) fn see(&mut self, mark: Num, at: Timestamp) {
        let since = at.0.saturating_sub(self.last_at.0);
        if (0..=NO_GAP).contains(&since) {
            self.seen_millis = self.seen_millis.saturating_add(since);
        }
        self.low = self.low.min(mark);
        self.high = self.high.max(mark);
        self.last_at = self.last_at.max(at);
    }

    /// The maximum adverse and the maximum favourable excursion of `quantity` entered at `entry`, USD, both zero or more.
    pub fn extremes(&self, side: Side, entry: Num, quantity: Num) -> Option<(Num, Num)> {
        let (worst, best) = match side {
            Side::Buy => (entry.minus(self.low)?, self.high.minus(entry)?),
            Side::Sell => (self.high.minus(entry)?, entry.minus(self.low)?),
        };
        let worth = |moved: Num| moved.max(Num::ZERO).times(quantity);
        Some((worth(worst)?, worth(best)?))
    }
}

/// How one closed trade went against what was risked, as far as this desk saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TradeReview {
    /// USD.
    pub risk: Option<Num>,
    /// Net profit over the risk.
    pub r_multiple: Option<Num>,
    /// Maximum adverse and favourable excursion, USD.
    pub mae: Option<Num>,
    pub mfe: Option<Num>,
    /// The share of its time in which marks were seen.
    pub marks_seen: Option<Num>,
}

/// Both together; the time between them is not seen.
pub(super) fn joined(before: Option<Excursion>, now: Option<Excursion>) -> Option<Excursion> {
    let (Some(a), Some(b)) = (before, now) else {
        return before.or(now);
    };
    Some(Excursion {
        low: a.low.min(b.low),
        high: a.high.max(b.high),
        seen_millis: a.seen_millis.saturating_add(b.seen_millis),
        last_at: a.last_at.max(b.last_at),
    })
}

/// Not more than all of it.
pub(super) fn seen_share(seen: &Excursion, position: &Position) -> Option<Num> {
    let held = position.closed_at?.since(position.opened_at?);
    let share = Num::from(seen.seen_millis).over(millis(held))?;
    Some(share.min(Num::ONE))
}

fn millis(span: Duration) -> Num {
    Num::from(i64::try_from(span.as_millis()).unwrap_or(i64::MAX))
}
