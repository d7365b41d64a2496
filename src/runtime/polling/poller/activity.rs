//! What happens at the desk, as far as it decides how often a service is asked, and which markets need a price.

use crate::{
    app::account::poll::{Answer, Source},
    model::{MarketId, Order, Page, Position},
    runtime::base::lock::locked,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};

/// Shared by all sources of one account.
#[derive(Debug, Clone, Default)]
pub(super) struct PollActivity {
    state: watch::Sender<Happening>,
    markets: Arc<Mutex<WantedMarkets>>,
    /// Polls the markets now.
    pub(super) markets_nudge: Arc<Notify>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Happening {
    attended_until: Option<Instant>,
    has_orders: bool,
    has_twaps: bool,
}

impl Happening {
    fn state(&self) -> DeskState {
        let is_attended = self
            .attended_until
            .is_some_and(|until| Instant::now() < until);
        match (is_attended, self.has_orders || self.has_twaps) {
            (true, _) => DeskState::Attended,
            (false, true) => DeskState::Working,
            (false, false) => DeskState::Idle,
        }
    }
}

#[derive(Debug, Default)]
struct WantedMarkets {
    shown: BTreeSet<MarketId>,
    of_positions: BTreeSet<MarketId>,
    of_orders: BTreeSet<MarketId>,
}

impl WantedMarkets {
    fn all(&self) -> BTreeSet<MarketId> {
        let held = self.of_positions.union(&self.of_orders);
        held.chain(&self.shown).cloned().collect()
    }
}

impl PollActivity {
    /// What has a source polled now.
    pub(super) fn nudge(&self, source: Source) -> Arc<Notify> {
        match source {
            Source::Markets => Arc::clone(&self.markets_nudge),
            Source::Positions
            | Source::Orders
            | Source::Twaps
            | Source::Scaled
            | Source::Closed
            | Source::History
            | Source::Account => Arc::default(),
        }
    }

    pub(super) fn state(&self) -> DeskState {
        self.state.borrow().state()
    }

    /// Reported when the state becomes a faster one; a slower one is seen at the next poll.
    pub(super) fn subscribe(&self) -> watch::Receiver<Happening> {
        self.state.subscribe()
    }

    /// A key was pressed or a command was sent.
    pub(super) fn attend(&self) {
        self.change(|happening| happening.attended_until = Some(Instant::now() + ATTENDED));
    }

    /// The markets on the screen, and those of open forms; returns those that needed no price before.
    pub(super) fn show(&self, markets: BTreeSet<MarketId>) -> BTreeSet<MarketId> {
        self.want(|wanted| wanted.shown = markets)
    }

    /// Every market that needs a price.
    pub(super) fn wanted(&self) -> BTreeSet<MarketId> {
        locked(&self.markets).all()
    }

    fn want(&self, change: impl FnOnce(&mut WantedMarkets)) -> BTreeSet<MarketId> {
        let mut markets = locked(&self.markets);
        let before = markets.all();
        change(&mut markets);
        &markets.all() - &before
    }

    /// Learns from an answer what works and which markets are held; returns those that needed no price before.
    pub(super) fn learn(&self, answer: &Answer) -> BTreeSet<MarketId> {
        match answer {
            Answer::Positions(Ok(page)) => {
                let held = markets_of(page, |row: &Position| &row.market_id);
                self.want(|wanted| wanted.of_positions = held)
            }
            Answer::Orders(Ok(page)) => {
                self.change(|happening| happening.has_orders = !page.rows.is_empty());
                let ordered = markets_of(page, |row: &Order| &row.market_id);
                self.want(|wanted| wanted.of_orders = ordered)
            }
            Answer::Twaps(Ok(page)) => {
                self.change(|happening| happening.has_twaps = !page.rows.is_empty());
                BTreeSet::new()
            }
            Answer::Positions(Err(_))
            | Answer::Orders(Err(_))
            | Answer::Twaps(Err(_))
            | Answer::Scaled(..)
            | Answer::Closed(_)
            | Answer::MoreClosed(..)
            | Answer::History(_)
            | Answer::MoreHistory(..)
            | Answer::Markets(_)
            | Answer::Account(_) => BTreeSet::new(),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Happening)) {
        self.state.send_if_modified(|happening| {
            let before = happening.state();
            change(happening);
            happening.state() > before
        });
    }
}

fn markets_of<T>(page: &Page<T>, market: impl Fn(&T) -> &MarketId) -> BTreeSet<MarketId> {
    page.rows.iter().map(|row| market(row).clone()).collect()
}

/// This long after a key or a command somebody is at the desk.
pub(super) const ATTENDED: Duration = Duration::from_secs(20);

/// What happens at the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DeskState {
    /// Nothing works, and nobody is here.
    Idle,
    /// Orders, TWAPs or scaled orders work, and nobody is here.
    Working,
    /// A key was pressed or a command sent in the last seconds.
    Attended,
}

impl DeskState {
    /// What all accounts of a key may use together. Commands come on top: with them it stays below 200.
    pub(super) fn requests_per_minute(self) -> u32 {
        match self {
            Self::Idle | Self::Working => 60,
            Self::Attended => 160,
        }
    }

    /// The interval of `source`; of the markets, between two quotes.
    fn interval(self, source: Source) -> Duration {
        let (working, attended) = match source {
            Source::Positions | Source::Orders => (5, 3),
            Source::Account => (15, 5),
            Source::Twaps | Source::Scaled => (20, 12),
            Source::Closed | Source::History => (60, 20),
            Source::Markets => (3, 2),
        };
        match self {
            Self::Idle => source.idle_interval(),
            Self::Working => Duration::from_secs(working),
            Self::Attended => Duration::from_secs(attended),
        }
    }

    /// The intervals of a service with a budget, none shorter than the setting.
    pub(super) fn intervals(
        self,
        settings: &BTreeMap<Source, Duration>,
    ) -> BTreeMap<Source, Duration> {
        let slower = |(source, set): (&Source, &Duration)| {
            let interval = self.interval(*source).max(*set);
            (*source, interval)
        };
        settings.iter().map(slower).collect()
    }
}

/// Requests a minute at these intervals without limits. The account is read with its policy, once a minute.
pub(super) fn demand(intervals: &BTreeMap<Source, Duration>) -> u32 {
    let each = intervals
        .values()
        .map(|interval| 60_000 / interval.as_millis().max(1));
    u32::try_from(each.sum::<u128>().saturating_add(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;

    #[test]
    fn the_table_keeps_to_the_budget_of_each_state_and_a_slower_setting_counts() {
        let fast = Source::iter().map(|source| (source, Duration::from_millis(500)));
        let fast: BTreeMap<_, _> = fast.collect();
        for state in [DeskState::Idle, DeskState::Working, DeskState::Attended] {
            let demand = demand(&state.intervals(&fast));
            assert!(demand <= state.requests_per_minute(), "{state:?}: {demand}");
        }
        let hourly = BTreeMap::from([(Source::Orders, Duration::from_hours(1))]);
        assert_eq!(DeskState::Attended.intervals(&hourly), hourly);
    }
}
