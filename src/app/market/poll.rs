//! When to request what is shown of the markets.
//!
//! Contract: only what is wanted is requested, and each piece once at a time: the next request waits for the answer, or
//! for as long as an answer may take. Of books, of trades, of new and of older candles at most two requests leave in any
//! second each, and one quote, whatever is wanted meanwhile. What failed is requested less often, what the service does not offer never again.

mod wanted;

pub(crate) use wanted::PollTime;

use super::{
    answer::MarketAnswer,
    data::MarketData,
    wanted_data::{MarketRequest, WantedMarketData},
};
use crate::{
    app::account::poll::FULL_READ_EVERY,
    model::{Failure, MarketId, Timestamp},
};
use std::{collections::BTreeMap, time::Duration};
use wanted::{LOST_AFTER, PollKey, PollKind, Polled, Wanted, older, wanted, wanted_since};

/// What fails repeatedly is requested this often.
const FAILING_EVERY: Duration = Duration::from_secs(30);
/// What a stream reported so recently is not requested. Beyond that it is, now and then: a stream that is quiet may as well
/// stand still.
const STREAMED_WITHIN: Duration = Duration::from_millis(1_200);
/// This long a request about what a stream reports waits for others of the account to leave with.
const BEAT: Duration = Duration::from_secs(1);
/// Two requests of one kind leave within this time at most.
const BUDGET_WINDOW: Duration = Duration::from_secs(1);

/// How far the last request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestState {
    Awaited,
    Answered,
    /// The service has no such source.
    Absent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LastRequest {
    at: Timestamp,
    state: RequestState,
    /// How many requests in a row have failed.
    failures: u32,
}

/// The requests that were sent for what is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarketPolls {
    last: BTreeMap<PollKey, LastRequest>,
    /// When a stream last reported it.
    streamed: BTreeMap<PollKey, Timestamp>,
    /// When the last two requests of a kind were sent, the older first.
    recent: BTreeMap<PollKind, (Option<Timestamp>, Timestamp)>,
}

impl MarketPolls {
    /// What is to be requested now.
    pub(crate) fn ask(
        &mut self,
        wanted_data: &WantedMarketData,
        data: &mut MarketData,
        time: PollTime,
    ) -> Vec<(MarketId, MarketRequest)> {
        let wanted = wanted(wanted_data, data, time);
        self.forget_unwanted(&wanted, time.now);
        let mut requests = vec![];
        for wanted in wanted {
            if self.is_due(&wanted, time) {
                self.sent(&wanted.key, time.now);
                requests.push((wanted.key.0, wanted.request));
            }
        }
        if self.older_budget() <= time.now
            && let Some(older) = older(wanted_data, data, time.now)
        {
            self.spend(Polled::OlderCandles, time.now);
            requests.push(older);
        }
        requests
    }

    /// When something is to be requested next; `None` while nothing is shown that is polled.
    pub(crate) fn next_due(
        &self,
        wanted_data: &WantedMarketData,
        data: &MarketData,
        time: PollTime,
    ) -> Option<Timestamp> {
        let wanted = wanted(wanted_data, data, time);
        let polled = wanted.iter().filter_map(|wanted| self.due(wanted)).min();
        let older = wanted_data.candles.iter().filter_map(|chart| {
            let series = data.candles(&chart.market_id, chart.interval)?;
            let due = series.older_due(wanted_since(chart, data)?)?;
            Some(due.max(self.older_budget()))
        });
        polled.into_iter().chain(older).min()
    }

    /// Notes that a stream reported this at `at`.
    pub(crate) fn streamed(&mut self, market: &MarketId, answer: &MarketAnswer, at: Timestamp) {
        if let Some((key, _)) = answered(market, answer) {
            self.streamed.insert(key, at);
        }
    }

    /// The stream is gone: what it reported is requested again.
    pub(crate) fn stream_lost(&mut self) {
        self.streamed.clear();
    }

    /// Another source serves these markets: it may have what the one before had not.
    pub(crate) fn source_changed(&mut self, is_other: impl Fn(&MarketId) -> bool) {
        self.last.retain(|(market, _), _| !is_other(market));
        self.streamed.retain(|(market, _), _| !is_other(market));
    }

    /// Notes that an answer has come.
    pub(crate) fn answered(&mut self, market: &MarketId, answer: &MarketAnswer) {
        let Some((key, outcome)) = answered(market, answer) else {
            return;
        };
        if let Some(last) = self.last.get_mut(&key) {
            (last.state, last.failures) = match outcome {
                Outcome::Loaded => (RequestState::Answered, 0),
                Outcome::Failed => (RequestState::Answered, last.failures.saturating_add(1)),
                Outcome::Absent => (RequestState::Absent, 0),
            };
        }
    }

    /// Whether the service has no book of this market.
    pub(crate) fn has_no_book(&self, market: &MarketId) -> bool {
        let last = self.last.get(&(market.clone(), Polled::Book));
        last.is_some_and(|last| last.state == RequestState::Absent)
    }

    /// Whether an answer is still to come.
    pub(crate) fn is_awaiting(&self) -> bool {
        let mut last = self.last.values();
        last.any(|last| last.state == RequestState::Awaited)
    }

    /// A person requests everything again.
    pub(crate) fn renew(&mut self) {
        self.last
            .retain(|_, last| last.state == RequestState::Absent);
    }

    fn due(&self, wanted: &Wanted) -> Option<Timestamp> {
        let own = self.own_due(wanted)?;
        let is_streamed = self.streamed.contains_key(&wanted.key);
        let own = own.plus(if is_streamed { BEAT } else { Duration::ZERO });
        Some(own.max(self.budget(wanted.key.1)))
    }

    /// Whether to ask now; a request may leave early, but never beyond its budget.
    fn is_due(&self, wanted: &Wanted, time: PollTime) -> bool {
        let own = self.own_due(wanted);
        own.is_some_and(|due| due <= time.now.plus(time.lead))
            && self.budget(wanted.key.1) <= time.now
    }

    fn own_due(&self, wanted: &Wanted) -> Option<Timestamp> {
        match self.last.get(&wanted.key) {
            None => Some(Timestamp(i64::MIN)),
            Some(last) => {
                let due = last.due(wanted.every)?;
                let Some(streamed_at) = self.streamed.get(&wanted.key) else {
                    return Some(due);
                };
                let until = streamed_at.max(&last.at).plus(STREAMED_WITHIN);
                Some(due.max(until.min(last.at.plus(FULL_READ_EVERY))))
            }
        }
    }

    /// From when on another request of this kind may leave.
    fn budget(&self, polled: Polled) -> Timestamp {
        let recent = self.recent.get(&polled.into());
        let last = |(older, newest): &(Option<Timestamp>, Timestamp)| match polled {
            Polled::Quote => Some(*newest),
            Polled::Candles(_) | Polled::OlderCandles | Polled::Book | Polled::Trades => *older,
        };
        let budget = recent.and_then(|recent| Some(last(recent)?.plus(BUDGET_WINDOW)));
        budget.unwrap_or(Timestamp(i64::MIN))
    }

    fn older_budget(&self) -> Timestamp {
        self.budget(Polled::OlderCandles)
    }

    fn sent(&mut self, key: &PollKey, at: Timestamp) {
        let last = self.last.entry(key.clone()).or_insert(LastRequest {
            at,
            state: RequestState::Awaited,
            failures: 0,
        });
        (last.at, last.state) = (at, RequestState::Awaited);
        self.spend(key.1, at);
    }

    fn spend(&mut self, polled: Polled, at: Timestamp) {
        let recent = self.recent.entry(polled.into()).or_insert((None, at));
        *recent = (Some(recent.1).filter(|newest| *newest < at), at);
    }

    /// A request on its way is remembered for as long as it may be answered.
    fn forget_unwanted(&mut self, wanted: &[Wanted], now: Timestamp) {
        let is_wanted = |key: &PollKey| wanted.iter().any(|wanted| wanted.key == *key);
        self.streamed
            .retain(|key, streamed_at| is_wanted(key) || now.since(*streamed_at) < LOST_AFTER);
        self.last.retain(|key, last| {
            is_wanted(key) || last.state == RequestState::Absent || now.since(last.at) < LOST_AFTER
        });
    }
}

impl LastRequest {
    fn due(&self, every: Duration) -> Option<Timestamp> {
        match self.state {
            RequestState::Awaited => Some(self.at.plus(LOST_AFTER)),
            RequestState::Answered => {
                let slower = every.saturating_mul(1 << self.failures.min(8));
                let wait = if self.failures == 0 {
                    every
                } else {
                    slower.min(FAILING_EVERY).max(every)
                };
                Some(self.at.plus(wait))
            }
            RequestState::Absent => None,
        }
    }
}

enum Outcome {
    Loaded,
    Failed,
    Absent,
}

/// What an answer is about, and how it went; a page of the past is no part of the polling.
fn answered(market: &MarketId, answer: &MarketAnswer) -> Option<(PollKey, Outcome)> {
    let (polled, outcome) = match answer {
        MarketAnswer::Candles(_, Some(_), _) => return None,
        MarketAnswer::Candles(interval, None, result) => {
            (Polled::Candles(*interval), outcome(result))
        }
        MarketAnswer::Book(result) => (Polled::Book, outcome(result)),
        MarketAnswer::Trades(result) => (Polled::Trades, outcome(result)),
        MarketAnswer::Quote(Ok(_)) => (Polled::Quote, Outcome::Loaded),
        MarketAnswer::Quote(Err(_)) => (Polled::Quote, Outcome::Failed),
    };
    Some(((market.clone(), polled), outcome))
}

fn outcome<T>(result: &Result<Option<T>, Failure>) -> Outcome {
    match result {
        Ok(Some(_)) => Outcome::Loaded,
        Ok(None) => Outcome::Absent,
        Err(_) => Outcome::Failed,
    }
}

#[cfg(test)]
mod tests;
