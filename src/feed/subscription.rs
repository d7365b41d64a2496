//! One subscription of the market stream: how far it has come, and what of its events is believed.

use super::{
    event::{Liveness, MarketEvent, Stats},
    market_frame::{self as wire, EventHead},
    progress::{Progress, SubscriptionPhase},
    topic::{Channel, Topic},
    trade_tail::TradeTail,
};
use crate::model::{Interval, MarketId, Timestamp};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Subscription {
    /// Ours.
    pub(super) id: u64,
    pub(super) topic: Topic,
    /// The service's.
    name: Option<String>,
    progress: Progress,
    known: BTreeMap<MarketId, SubscribedMarket>,
}

/// What this subscription has reported of a market.
#[derive(Debug, Default)]
struct SubscribedMarket {
    made_at: Option<Timestamp>,
    trades: TradeTail,
    candle: Option<Timestamp>,
    stats: Stats,
}

impl Subscription {
    pub(super) fn new(id: u64, topic: Topic, now: Timestamp) -> Self {
        Self {
            id,
            topic,
            name: None,
            progress: Progress::requested(now),
            known: BTreeMap::new(),
        }
    }

    /// Asks for it under a new number; what came under the old one is no longer believed.
    pub(super) fn renew(&mut self, id: u64, now: Timestamp) {
        *self = Self {
            progress: self.progress.renewed(now),
            ..Self::new(id, self.topic.clone(), now)
        };
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    /// The service calls it `name`, and reports what is there now.
    pub(super) fn acknowledged(&mut self, name: String, now: Timestamp) {
        self.name = Some(name);
        self.progress.enter(SubscriptionPhase::Snapshot, now);
    }

    /// Everything of before has come.
    pub(super) fn snapshot_ended(&mut self, now: Timestamp) {
        self.progress.enter(SubscriptionPhase::Live, now);
    }

    pub(super) fn ended(&mut self, again_at: Timestamp, now: Timestamp) {
        self.progress.enter(SubscriptionPhase::Ended(again_at), now);
    }

    /// Whether the service has accepted it; one that is only requested again was.
    pub(super) fn is_accepted(&self) -> bool {
        self.progress.phase() != SubscriptionPhase::Requested || self.progress.is_renewed()
    }

    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Events may be missing: what comes next follows nothing.
    pub(super) fn has_gap(&mut self) {
        for known in self.known.values_mut() {
            known.trades.has_gap();
        }
    }

    /// Takes an event in; `None` if it is not believed.
    pub(super) fn take(&mut self, event: &RawValue, now: Timestamp) -> Option<MarketEvent> {
        let taken = self.checked(event);
        match &taken {
            Some(_) => self.progress.received(now),
            None => self.progress.refuse(),
        }
        taken
    }

    fn checked(&mut self, event: &RawValue) -> Option<MarketEvent> {
        let head: EventHead<'_> = serde_json::from_str(event.get()).ok()?;
        let market = self.topic.market(&head.provider, &head.symbol)?.clone();
        let liveness = match self.progress.phase() {
            SubscriptionPhase::Live => Liveness::Live,
            SubscriptionPhase::Requested
            | SubscriptionPhase::Snapshot
            | SubscriptionPhase::Ended(_) => Liveness::Backfill,
        };
        let known = self.known.entry(market.clone()).or_default();
        match (self.topic.channel, head.kind.as_deref()) {
            // What a book calls itself is not known for certain; its sides show that it is one.
            (Channel::Book, _) => {
                let book = wire::book(event)?;
                known.is_not_older(book.made_at)?;
                Some(MarketEvent::Book { market, book })
            }
            (Channel::Ticks, Some("tick")) => {
                let tick = wire::tick(event)?;
                known.is_not_older(tick.at)?;
                Some(MarketEvent::Tick { market, tick })
            }
            (Channel::Stats, Some("marketStats")) => {
                let stats = wire::patched(event, known.stats)?;
                known.is_not_older(stats.at)?;
                known.stats = stats;
                Some(MarketEvent::Stats { market, stats })
            }
            (Channel::Trades, Some("trade")) => {
                let trade = wire::trade(event)?;
                let follows = known.trades.take(trade)?;
                Some(MarketEvent::Trade {
                    market,
                    follows,
                    trade,
                    liveness,
                })
            }
            (Channel::Candles(interval), Some("candle")) => {
                let is_of = |word: &str| word == interval.to_string();
                head.interval.filter(|word| is_of(word))?;
                let candle = wire::candle(event)?;
                known.take_candle(candle.open_time, interval, liveness)?;
                Some(MarketEvent::Candle {
                    market,
                    interval,
                    candle,
                    liveness,
                })
            }
            (Channel::Ticks | Channel::Stats | Channel::Trades | Channel::Candles(_), _) => None,
        }
    }
}

impl SubscribedMarket {
    /// `None` for what was made before what is known.
    fn is_not_older(&mut self, made_at: Option<Timestamp>) -> Option<()> {
        let is_older = made_at
            .zip(self.made_at)
            .is_some_and(|(made_at, known)| made_at < known);
        self.made_at = self.made_at.max(made_at);
        (!is_older).then_some(())
    }

    /// `None` for a candle that is over, out of step with its interval, or behind a gap: the history of a new
    /// subscription fills that.
    fn take_candle(
        &mut self,
        opens: Timestamp,
        interval: Interval,
        liveness: Liveness,
    ) -> Option<()> {
        let newest = self.candle.unwrap_or(opens);
        let is_near = newest.gap_to(opens) <= interval.length() || liveness == Liveness::Backfill;
        let is_aligned = interval.open_of(opens) == opens;
        (is_near && is_aligned).then(|| self.candle = Some(newest.max(opens)))
    }
}
