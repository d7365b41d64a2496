//! What a venue has reported of one market, and what of its news is believed.

use super::{
    book_mirror::{BookMirror, Mirrored},
    dialect::{BookDelivery, Update},
    trades::TradeMemory,
    whole_books::WholeBooks,
};
use crate::{
    feed::{
        event::{Liveness, MarketEvent, Stats, Tick},
        retry::Retry,
        topic::{Channel, StreamedMarket},
    },
    model::{Candle, Interval, MarketId, Num, Timestamp},
};
use std::{collections::BTreeMap, time::Duration};

/// What a venue has made so far in the future is not believed.
const AHEAD: Duration = Duration::from_mins(1);
/// Statistics of several channels come out of order by less than this.
const STATS_BEHIND: Duration = Duration::from_secs(5);

/// What became of an update.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Taken {
    Events(Vec<MarketEvent>),
    /// It is not believed.
    Refused,
    /// The book has to be sent whole.
    BookGap,
}

#[derive(Debug)]
pub(super) struct MarketMemory {
    market: MarketId,
    pub(super) symbol: String,
    whole: WholeBooks,
    pub(super) mirror: BookMirror,
    /// When the book was last requested whole.
    pub(super) whole_book_retry: Retry,
    pub(super) trades: TradeMemory,
    candles: BTreeMap<Interval, Timestamp>,
    bid: Option<Num>,
    ask: Option<Num>,
    best_at: Option<Timestamp>,
    pub(super) stats: Stats,
    /// When the open interest was last read.
    pub(super) interest_requested_at: Option<Timestamp>,
    /// In coins, where it is read.
    open_coins: Option<Num>,
}

impl MarketMemory {
    pub(super) fn new(market: &StreamedMarket) -> Self {
        Self {
            market: market.id.clone(),
            symbol: market.symbol.clone(),
            whole: WholeBooks::default(),
            mirror: BookMirror::default(),
            whole_book_retry: Retry::default(),
            trades: TradeMemory::default(),
            candles: BTreeMap::new(),
            bid: None,
            ask: None,
            best_at: None,
            stats: Stats::default(),
            interest_requested_at: None,
            open_coins: None,
        }
    }

    /// The connection is gone, or something was not believed: what comes next follows nothing.
    pub(super) fn has_gap(&mut self) {
        self.trades.has_gap();
        self.candles.clear();
        self.mirror.forget();
        (self.bid, self.ask) = (None, None);
    }

    /// A subscription to this channel was requested: what comes next follows nothing.
    pub(super) fn requested(&mut self, channel: Channel, books: BookDelivery, now: Timestamp) {
        match channel {
            Channel::Book => {
                self.mirror.forget();
                if matches!(books, BookDelivery::Changes) {
                    self.whole_book_retry.tried(now);
                }
            }
            Channel::Trades => self.trades.has_gap(),
            Channel::Candles(interval) => drop(self.candles.remove(&interval)),
            Channel::Ticks | Channel::Stats => {}
        }
    }

    /// Takes in how many coins are open.
    pub(super) fn interest_read(&mut self, coins: Num, now: Timestamp) -> Vec<MarketEvent> {
        self.open_coins = Some(coins);
        let has_price = self.stats.mark.is_some();
        let liveness = has_price.then(|| self.stats(Stats::default(), now));
        liveness.flatten().unwrap_or_default()
    }

    /// Takes an update in.
    pub(super) fn take(&mut self, update: Update, liveness: Liveness, now: Timestamp) -> Taken {
        let is_ahead = |at: Timestamp| at > now.plus(AHEAD);
        if update.made_at().is_some_and(is_ahead) {
            return Taken::Refused;
        }
        let events = match update {
            Update::Book(book) => self.whole.take(book).map(|book| {
                let market = self.market.clone();
                vec![MarketEvent::Book { market, book }]
            }),
            Update::Change(change) => match self.mirror.take(change) {
                Mirrored::Shown(book) => {
                    let market = self.market.clone();
                    Some(vec![MarketEvent::Book { market, book }])
                }
                Mirrored::Waits => Some(vec![]),
                Mirrored::Gap => return Taken::BookGap,
            },
            Update::Trades(rows) => Some(self.trades.take(&self.market, rows, liveness)),
            Update::Candle(interval, candle) => self.candle(interval, candle),
            Update::Best { bid, ask, at } => self.best(bid, ask, at),
            Update::Stats(stats) => self.stats(stats, now),
            Update::Ticker { bid, ask, stats } => {
                let best = self.best(bid, ask, stats.at);
                let stats = self.stats(stats, now);
                best.zip(stats).map(|(best, stats)| [best, stats].concat())
            }
        };
        events.map_or(Taken::Refused, Taken::Events)
    }

    /// A candle that is over, out of step with its interval, or behind a gap is not believed: a read fills that.
    fn candle(&mut self, interval: Interval, candle: Candle) -> Option<Vec<MarketEvent>> {
        let opens = candle.open_time;
        let newest = *self.candles.get(&interval).unwrap_or(&opens);
        let is_near = newest.gap_to(opens) <= interval.length();
        let is_aligned = interval.open_of(opens) == opens;
        if !is_near || !is_aligned {
            return None;
        }
        self.candles.insert(interval, newest.max(opens));
        Some(vec![MarketEvent::Candle {
            market: self.market.clone(),
            interval,
            candle,
            liveness: Liveness::Live,
        }])
    }

    fn best(
        &mut self,
        bid: Option<Num>,
        ask: Option<Num>,
        at: Option<Timestamp>,
    ) -> Option<Vec<MarketEvent>> {
        if at.zip(self.best_at).is_some_and(|(at, known)| at < known) {
            return None;
        }
        let (bid, ask) = (bid.or(self.bid), ask.or(self.ask));
        let Some((best_bid, best_ask)) = bid.zip(ask) else {
            (self.bid, self.ask) = (bid, ask);
            return Some(vec![]);
        };
        if best_bid >= best_ask {
            return None;
        }
        (self.bid, self.ask, self.best_at) = (bid, ask, at.or(self.best_at));
        let price = best_bid.plus(best_ask)?.over(Num::from(2_u32))?;
        let tick = Tick {
            price,
            bid,
            ask,
            at,
        };
        Some(vec![MarketEvent::Tick {
            market: self.market.clone(),
            tick,
        }])
    }

    fn stats(&mut self, newer: Stats, now: Timestamp) -> Option<Vec<MarketEvent>> {
        let known = newer.at.zip(self.stats.at);
        if known.is_some_and(|(at, known)| at.plus(STATS_BEHIND) < known) {
            return None;
        }
        let at = newer.at.max(self.stats.at);
        self.stats = Stats {
            at,
            ..self.stats.patched(newer)
        };
        let mut stats = self.stats;
        // Without its hours a rate is of nobody knows how long.
        stats.funding_rate = stats.funding_rate.filter(|_| stats.funding_hours.is_some());
        let read = self.open_coins.zip(stats.mark);
        let read = read.and_then(|(coins, mark)| coins.times(mark));
        stats.open_interest = stats.open_interest.or(read);
        // Hyperliquid does not say when it pays, which it does at each full hour.
        if stats.next_funding_at.is_none() && stats.funding_hours == Some(Num::ONE) {
            let hour = Interval::Hour1;
            stats.next_funding_at = Some(hour.open_of(now).plus(hour.length()));
        }
        Some(vec![MarketEvent::Stats {
            market: self.market.clone(),
            stats,
        }])
    }
}
