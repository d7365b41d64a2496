//! The recent trades of one market, and the volume at each price.
//!
//! Contract: a trade is kept once. Trades with an id are identified by it, others by their time and number at that
//! time. A market that begins anew begins a new tape. Known limit: trades between two answers that do not overlap are missing; [`Tape::whole_since`] is the time
//! since which none is.

use crate::{
    app::account::{books::MARKET_STALE_AFTER, data_age::DataAge},
    model::{Failure, Num, PublicTrade, Side, Timestamp},
};
use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

/// How far back the volume at a price counts, flowsurface's default.
pub(crate) const VOLUME_WINDOW: Duration = Duration::from_mins(8);
/// The most trades that are kept.
const TRADES_KEPT: usize = 10_000;
/// The trades that are kept however old they are.
const TRADES_SHOWN: usize = 500;

/// What traded at one price, coin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TradedVolume {
    /// By buyers at the ask.
    pub bought: Num,
    /// By sellers at the bid.
    pub sold: Num,
    /// How many of the trades are large.
    pub large: usize,
}

#[derive(Debug, Clone, PartialEq, Default, derive_more::Deref)]
pub struct Tape {
    /// The newest last.
    trades: VecDeque<PublicTrade>,
    /// How many of the oldest are out of the window of the volumes.
    outside: usize,
    volumes: BTreeMap<Num, TradedVolume>,
    /// From how much USD on a trade is large; `None` where none is.
    large_from: Option<Num>,
    /// What was bought less what was sold, since that instant.
    delta: Num,
    delta_since: Option<Timestamp>,
    whole_since: Option<Timestamp>,
    #[deref]
    age: DataAge,
    unreadable: usize,
    version: u64,
}

impl Tape {
    pub(crate) fn new(large_from: Option<Num>) -> Self {
        Self {
            large_from,
            ..Self::default()
        }
    }

    /// The newest first.
    pub fn trades(&self) -> impl DoubleEndedIterator<Item = &PublicTrade> + ExactSizeIterator {
        self.trades.iter().rev()
    }

    pub fn last(&self) -> Option<&PublicTrade> {
        self.trades.back()
    }

    /// What buyers took less what sellers hit, coin, and since when; `None` before anything has come. It begins anew where
    /// trades are missing.
    pub fn delta(&self) -> Option<(Num, Timestamp)> {
        Some((self.delta, self.delta_since?))
    }

    /// The delta counts from now on.
    pub(crate) fn reset_delta(&mut self, service_now: Timestamp) {
        (self.delta, self.delta_since) = (Num::ZERO, Some(service_now));
        self.version += 1;
    }

    /// Whether a trade is large: none while no size is set.
    pub fn is_large(&self, trade: &PublicTrade) -> bool {
        let value = trade.price.times(trade.size);
        value
            .zip(self.large_from)
            .is_some_and(|(value, least)| value >= least)
    }

    /// From so much USD on trades are large.
    pub(crate) fn mark_large(&mut self, from: Option<Num>) {
        self.large_from = from;
        self.volumes.clear();
        let counted: Vec<_> = self.trades.range(self.outside..).copied().collect();
        for trade in counted {
            self.count(&trade);
        }
        self.version += 1;
    }

    /// What traded at each price within the last eight minutes, as of the newest answer.
    pub fn volume_at_price(&self) -> &BTreeMap<Num, TradedVolume> {
        &self.volumes
    }

    /// Since when no trade is missing, by the service's clock; `None` before anything has come.
    pub fn whole_since(&self) -> Option<Timestamp> {
        self.whole_since
    }

    /// Since when the volumes count, where that is less than their window.
    pub fn counts_since(&self, service_now: Timestamp) -> Option<Timestamp> {
        let since = self.whole_since?;
        (service_now.since(since) < VOLUME_WINDOW).then_some(since)
    }

    /// Rises with every change of what is known.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether the trades are too old to trade by.
    pub fn is_stale(&self, now: Timestamp) -> bool {
        self.age(now).is_some_and(|age| age > MARKET_STALE_AFTER)
    }

    /// How many rows of the newest answer could not be read.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Takes the newest trades in, requested at `at`, when the service's clock said `service_now`.
    pub fn merge(
        &mut self,
        page: Vec<PublicTrade>,
        at: Timestamp,
        service_now: Timestamp,
        made_at: Option<Timestamp>,
    ) {
        self.version += u64::from(self.age.trouble().is_some());
        if !self.age.answered(at, made_at) {
            return;
        }
        let page = ascending(page);
        if self.has_restarted(&page, made_at) {
            self.forget();
        }
        self.note_gap(&page, made_at.unwrap_or(service_now));
        let new = self.unknown(page);
        self.version += u64::from(!new.is_empty());
        for trade in new {
            self.count(&trade);
            let signed = match trade.aggressor {
                Side::Buy => self.delta.plus(trade.size),
                Side::Sell => self.delta.minus(trade.size),
            };
            self.delta = signed.unwrap_or(self.delta);
            self.trades.push_back(trade);
        }
        self.expire(service_now);
    }

    pub fn fail(&mut self, why: Failure, at: Timestamp) {
        self.version += u64::from(self.age.failed(at, why));
    }

    pub fn count_unreadable(&mut self, rows: usize) {
        self.unreadable = rows;
    }

    /// Whether the market began anew, with numbers or a clock from before: its newest trade is older than a known one,
    /// and either is unknown or the source's clock went back. Otherwise the answer is only late.
    fn has_restarted(&self, page: &[PublicTrade], made_at: Option<Timestamp>) -> bool {
        let Some(last) = self.trades.back() else {
            return false;
        };
        let is_clock_back = made_at.is_some_and(|made_at| made_at < last.at);
        page.last().map_or(is_clock_back, |newest| {
            is_after(last, newest) && (is_clock_back || !self.trades.contains(newest))
        })
    }

    fn forget(&mut self) {
        self.trades.clear();
        self.volumes.clear();
        (self.outside, self.whole_since) = (0, None);
        (self.delta, self.delta_since) = (Num::ZERO, None);
        self.version += 1;
    }

    /// A page that begins after the newest known trade may have lost some between.
    fn note_gap(&mut self, page: &[PublicTrade], service_now: Timestamp) {
        let Some(first) = page.first() else {
            self.whole_since = self.whole_since.or(Some(service_now));
            self.delta_since = self.delta_since.or(self.whole_since);
            return;
        };
        let overlaps = self
            .trades
            .back()
            .is_some_and(|last| !is_after(first, last));
        if !overlaps {
            self.whole_since = Some(first.at);
            (self.delta, self.delta_since) = (Num::ZERO, self.whole_since);
        }
    }

    /// Those of an ascending page that are not known.
    fn unknown(&self, page: Vec<PublicTrade>) -> Vec<PublicTrade> {
        let Some(last) = self.trades.back() else {
            return page;
        };
        let newest = self.trades.iter().rev();
        let known = newest.take_while(|trade| trade.at == last.at).count();
        let mut same = 0_usize;
        page.into_iter()
            .filter(|trade| {
                if let Some((id, newest)) = trade.id.zip(last.id) {
                    id > newest
                } else {
                    same += usize::from(trade.at == last.at);
                    trade.at > last.at || (trade.at == last.at && same > known)
                }
            })
            .collect()
    }

    fn count(&mut self, trade: &PublicTrade) {
        let large = usize::from(self.is_large(trade));
        let volume = self
            .volumes
            .entry(trade.price)
            .or_insert(TradedVolume::NOTHING);
        volume.large += large;
        let side = volume.side(trade.aggressor);
        // A sum with too many digits stays as it is: no such volume exists.
        *side = side.plus(trade.size).unwrap_or(*side);
    }

    fn uncount(&mut self, trade: &PublicTrade) {
        let large = usize::from(self.is_large(trade));
        let Some(volume) = self.volumes.get_mut(&trade.price) else {
            return;
        };
        volume.large = volume.large.saturating_sub(large);
        let side = volume.side(trade.aggressor);
        *side = side.minus(trade.size).unwrap_or(*side);
        if volume.bought.is_zero() && volume.sold.is_zero() {
            self.volumes.remove(&trade.price);
        }
    }

    fn expire(&mut self, service_now: Timestamp) {
        let old = |trade: &PublicTrade| service_now.since(trade.at) > VOLUME_WINDOW;
        while let Some(trade) = self.trades.get(self.outside).copied()
            && (old(&trade) || self.trades.len() - self.outside > TRADES_KEPT)
        {
            self.uncount(&trade);
            self.outside += 1;
            self.version += 1;
        }
        let excess = self
            .trades
            .len()
            .saturating_sub(TRADES_SHOWN)
            .min(self.outside);
        self.trades.drain(..excess);
        self.outside -= excess;
    }
}

impl TradedVolume {
    pub(crate) const NOTHING: Self = Self {
        bought: Num::ZERO,
        sold: Num::ZERO,
        large: 0,
    };

    /// Both together; a sum with too many digits stays as it is.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            bought: self.bought.plus(other.bought).unwrap_or(self.bought),
            sold: self.sold.plus(other.sold).unwrap_or(self.sold),
            large: self.large.saturating_add(other.large),
        }
    }

    fn side(&mut self, aggressor: Side) -> &mut Num {
        match aggressor {
            Side::Buy => &mut self.bought,
            Side::Sell => &mut self.sold,
        }
    }

    /// Both together; `None` where that has too many digits.
    pub fn total(self) -> Option<Num> {
        self.bought.plus(self.sold)
    }
}

/// Oldest first; trades of one instant without ids keep the source's order, if that is by time.
fn ascending(mut page: Vec<PublicTrade>) -> Vec<PublicTrade> {
    let falls = |page: &[PublicTrade]| {
        let ends = page.first().zip(page.last());
        ends.is_some_and(|(first, last)| is_after(first, last))
    };
    if falls(&page) {
        page.reverse();
    }
    page.sort_by_key(|trade| (trade.id, trade.at));
    page.dedup_by(|next, trade| trade.id.is_some() && trade.id == next.id);
    page
}

fn is_after(trade: &PublicTrade, other: &PublicTrade) -> bool {
    match trade.id.zip(other.id) {
        Some((id, known)) => id > known,
        None => trade.at > other.at,
    }
}

#[cfg(test)]
mod tests;
