//! What is known of a received market beyond the state that every market has (docs/engine.md 12).

mod claims;
mod prints;
mod view;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::{
    AfterGap, Lots, Millis, NanoRate, OrderId, Px, ReceivedPrices, ReceivedRules, Side,
};
use claims::Claims;
pub(crate) use claims::Reach;
use prints::SeenPrints;
pub(crate) use view::{ReceivedView, Snapshot};

/// The newest payments at an estimated rate that are kept as such.
const MAX_ESTIMATED: usize = 48;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReceivedMarket {
    pub(crate) rules: ReceivedRules,
    pub(crate) feed: FeedState,
    /// The newest of each figure.
    pub(crate) prices: ReceivedPrices,
    pub(crate) view: ReceivedView,
    pub(crate) claims: Claims,
    pub(crate) prints: SeenPrints,
    /// When the newest frame was received.
    pub(crate) received_at: Millis,
    /// Accepted orders, by the time they take effect.
    pub(crate) delayed: BTreeSet<(Millis, OrderId)>,
    /// Triggered orders that wait for the end of a gap.
    pub(crate) held_back: Vec<OrderId>,
    /// Orders that took less than they wanted: the next book may have had more.
    pub(crate) unfilled: Vec<UnfilledWalk>,
    /// Whole hours at which a gap kept funding from being paid.
    pub(crate) unpaid_hours: u32,
    /// When funding of an hour in a gap was paid, at the last known rate.
    pub(crate) estimated: BTreeSet<Millis>,
}

/// Whether orders can be matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum FeedState {
    /// Nothing was received yet.
    #[default]
    Waiting,
    Live,
    /// Matching resumes with this book and the next mark.
    Gap {
        since: Millis,
        book: GapBook,
    },
    /// Orders that the end of the gap fills say so.
    Resuming,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum GapBook {
    Missing,
    Received,
}

/// What a taker wanted and did not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnfilledWalk {
    pub(crate) order: OrderId,
    pub(crate) side: Side,
    pub(crate) limit: Option<Px>,
    pub(crate) wanted: Lots,
}

impl ReceivedMarket {
    pub(crate) fn new(rules: ReceivedRules) -> Self {
        Self {
            rules,
            feed: FeedState::default(),
            prices: ReceivedPrices::default(),
            view: ReceivedView::default(),
            claims: Claims::default(),
            prints: SeenPrints::default(),
            received_at: Millis::ZERO,
            delayed: BTreeSet::new(),
            held_back: Vec::new(),
            unfilled: Vec::new(),
            unpaid_hours: 0,
            estimated: BTreeSet::new(),
        }
    }

    /// Whether nothing may be filled now.
    pub(crate) fn is_frozen(&self) -> bool {
        match self.feed {
            FeedState::Waiting | FeedState::Gap { .. } => true,
            FeedState::Live | FeedState::Resuming => false,
        }
    }

    pub(crate) fn after_gap(&self) -> AfterGap {
        match self.feed {
            FeedState::Resuming => AfterGap::Yes,
            FeedState::Waiting | FeedState::Live | FeedState::Gap { .. } => AfterGap::No,
        }
    }

    /// Since when frames have been missing.
    pub(crate) fn gap_since(&self) -> Option<Millis> {
        match self.feed {
            FeedState::Gap { since, .. } => Some(since),
            FeedState::Waiting | FeedState::Live | FeedState::Resuming => None,
        }
    }

    /// A gap that has begun goes on.
    pub(crate) fn lose(&mut self, since: Millis) {
        let book = GapBook::Missing;
        self.feed = match self.feed {
            FeedState::Waiting => FeedState::Waiting,
            FeedState::Live | FeedState::Resuming => FeedState::Gap { since, book },
            FeedState::Gap { since, .. } => FeedState::Gap { since, book },
        };
    }

    /// When the newest book was received, if it is too old to match against at `at`.
    pub(crate) fn stale_since(&self, at: Millis) -> Option<Millis> {
        let since = self.view.live()?.received_at;
        (at - since > self.rules.max_book_age).then_some(since)
    }

    /// The time of the exchange, which moves in steps, or that of the newest frame.
    pub(crate) fn time(&self, now: Millis) -> Millis {
        now.max(self.received_at)
    }

    /// The rate of the hours that a gap covered, which are paid now: the last one received.
    pub(crate) fn estimate_rate(&mut self, paid_at: Millis) -> Option<NanoRate> {
        self.estimated.insert(paid_at);
        if self.estimated.len() > MAX_ESTIMATED {
            self.estimated.pop_first();
        }
        self.prices.funding
    }
}
