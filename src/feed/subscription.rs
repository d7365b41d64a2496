//! One subscription of the market stream: how far it has come, and what of its events is believed.

use super::{
    event::{MarketEvent, Stats, Told},
    market_frame::{self as wire, EventHead},
    topic::{Channel, Topic},
};
use crate::model::{Interval, MarketId, PublicTrade, Timestamp};
use serde_json::value::RawValue;
use std::{collections::BTreeMap, time::Duration};

/// An acknowledgement, or the end of the snapshot, is this late: the subscription is asked for anew.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// A subscription that is silent while others are not is asked for anew after so long, and then after twice that, since
/// a market may rest.
const SILENT_AFTER: Duration = Duration::from_secs(10);
/// That is doubled so often at most.
const DOUBLED: u32 = 5;
/// After so many events in a row that cannot be believed, the source has begun anew or is broken; doubled like the
/// waits.
const REFUSED_IN_A_ROW: u32 = 5;

/// Numbers of trades that have risen by more than one so often, and never by one, do not count trades.
const SKIPS_BY_HABIT: u32 = 10;

/// How far a subscription has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Asked,
    /// Acknowledged; what comes is of before.
    Snapshot,
    Live,
    /// The service refused or ended it; it is asked for again at this instant.
    Ended(Timestamp),
}

#[derive(Debug)]
pub(super) struct Subscription {
    /// Ours.
    pub(super) id: u64,
    pub(super) topic: Topic,
    /// The service's.
    name: Option<String>,
    phase: Phase,
    /// Of the phase.
    since: Timestamp,
    heard_at: Timestamp,
    /// How often it was asked for anew without an event since.
    renewals: u32,
    refused: u32,
    known: BTreeMap<MarketId, Known>,
}

/// What this subscription has told of a market.
#[derive(Debug, Default)]
struct Known {
    made_at: Option<Timestamp>,
    trades: TradeTail,
    candle: Option<Timestamp>,
    stats: Stats,
}

/// The trades of the newest instant, and how their numbers rise.
#[derive(Debug, Default)]
struct TradeTail {
    last: Vec<PublicTrade>,
    /// Whether they have risen by one.
    steps: bool,
    /// How often they have risen by more.
    skips: u32,
}

impl Subscription {
    pub(super) fn new(id: u64, topic: Topic, now: Timestamp) -> Self {
        Self {
            id,
            topic,
            name: None,
            phase: Phase::Asked,
            since: now,
            heard_at: now,
            renewals: 0,
            refused: 0,
            known: BTreeMap::new(),
        }
    }

    /// Asks for it under a new number; what came under the old one is no longer believed.
    pub(super) fn renew(&mut self, id: u64, now: Timestamp) {
        *self = Self {
            renewals: self.renewals.saturating_add(1),
            ..Self::new(id, self.topic.clone(), now)
        };
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    /// The service calls it `name`, and tells what is there now.
    pub(super) fn acknowledged(&mut self, name: String, now: Timestamp) {
        self.name = Some(name);
        self.enter(Phase::Snapshot, now);
    }

    /// Everything of before has come.
    pub(super) fn snapshot_ended(&mut self, now: Timestamp) {
        self.enter(Phase::Live, now);
    }

    pub(super) fn ended(&mut self, again_at: Timestamp, now: Timestamp) {
        self.enter(Phase::Ended(again_at), now);
    }

    fn enter(&mut self, phase: Phase, now: Timestamp) {
        (self.phase, self.since, self.heard_at) = (phase, now, now);
    }

    /// Whether nothing that it was asked for is still to come.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.phase, Phase::Live | Phase::Ended(_))
    }

    pub(super) fn is_live(&self) -> bool {
        self.phase == Phase::Live
    }

    pub(super) fn heard_at(&self) -> Timestamp {
        self.heard_at
    }

    /// When it is to be asked for anew, unless something comes before; a silent one only while others are heard.
    pub(super) fn renewal_due(&self) -> Timestamp {
        let wait = |wait: Duration| wait * (1 << self.renewals.min(DOUBLED));
        match self.phase {
            Phase::Asked | Phase::Snapshot => self.since.plus(wait(ANSWER_WITHIN)),
            Phase::Live => self.heard_at.plus(wait(SILENT_AFTER)),
            Phase::Ended(again_at) => again_at,
        }
    }

    /// Events may be missing: what comes next follows nothing.
    pub(super) fn has_gap(&mut self) {
        for known in self.known.values_mut() {
            known.trades.last.clear();
        }
    }

    /// Whether what comes can no longer be believed.
    pub(super) fn is_refuted(&self) -> bool {
        self.refused >= REFUSED_IN_A_ROW << self.renewals.min(DOUBLED)
    }

    /// Takes an event in; `None` if it is not believed.
    pub(super) fn take(&mut self, event: &RawValue, now: Timestamp) -> Option<MarketEvent> {
        let taken = self.checked(event);
        match &taken {
            Some(_) => {
                (self.heard_at, self.refused) = (now, 0);
                if self.phase == Phase::Live {
                    self.renewals = 0;
                }
            }
            None => self.refused += 1,
        }
        taken
    }

    fn checked(&mut self, event: &RawValue) -> Option<MarketEvent> {
        let head: EventHead<'_> = serde_json::from_str(event.get()).ok()?;
        let market = self.topic.market(&head.provider, &head.symbol)?.clone();
        let told = match self.phase {
            Phase::Live => Told::AsNews,
            Phase::Asked | Phase::Snapshot | Phase::Ended(_) => Told::AsHistory,
        };
        let known = self.known.entry(market.clone()).or_default();
        match (self.topic.channel, &*head.kind) {
            (Channel::Book, "book") => {
                let book = wire::book(event)?;
                known.is_not_older(book.made_at)?;
                Some(MarketEvent::Book { market, book })
            }
            (Channel::Ticks, "tick") => {
                let tick = wire::tick(event)?;
                known.is_not_older(tick.at)?;
                Some(MarketEvent::Tick { market, tick })
            }
            (Channel::Stats, "marketStats") => {
                let stats = wire::patched(event, known.stats)?;
                known.is_not_older(stats.at)?;
                known.stats = stats;
                Some(MarketEvent::Stats { market, stats })
            }
            (Channel::Trades, "trade") => {
                let trade = wire::trade(event)?;
                let follows = known.trades.take(trade)?;
                Some(MarketEvent::Trade {
                    market,
                    follows,
                    trade,
                    told,
                })
            }
            (Channel::Candles(interval), "candle") => {
                let is_of = |word: &str| word == interval.to_string();
                head.interval.filter(|word| is_of(word))?;
                let candle = wire::candle(event)?;
                known.take_candle(candle.open_time, interval, told)?;
                Some(MarketEvent::Candle {
                    market,
                    interval,
                    candle,
                    told,
                })
            }
            (
                Channel::Book
                | Channel::Ticks
                | Channel::Stats
                | Channel::Trades
                | Channel::Candles(_),
                _,
            ) => None,
        }
    }
}

impl Known {
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
    fn take_candle(&mut self, opens: Timestamp, interval: Interval, told: Told) -> Option<()> {
        let newest = self.candle.unwrap_or(opens);
        let length = interval.millis();
        let ahead = opens.0.saturating_sub(newest.0);
        let is_near = ahead.abs() <= length || told == Told::AsHistory;
        let is_aligned = interval.open_of(opens) == opens;
        (is_near && is_aligned).then(|| self.candle = Some(newest.max(opens)))
    }
}

impl TradeTail {
    /// The trades that this one follows; `None` if it is known or late.
    fn take(&mut self, trade: PublicTrade) -> Option<Vec<PublicTrade>> {
        let last = self.last.last().copied();
        let mut follows = self.last.clone();
        if let Some((known, id)) = last.and_then(|last| last.id.zip(trade.id)) {
            let step = id.checked_sub(known).filter(|step| *step > 0)?;
            let is_by_one = step == 1;
            self.steps |= is_by_one;
            self.skips = self.skips.saturating_add(u32::from(!is_by_one));
            if !is_by_one && (self.steps || self.skips <= SKIPS_BY_HABIT) {
                follows.clear();
            }
        } else if last.is_some_and(|last| last.at > trade.at) {
            return None;
        }
        self.last.retain(|known| known.at == trade.at);
        self.last.push(trade);
        Some(follows)
    }
}
