//! Candles and tapes of the markets that were shown, by market.

use super::{
    answer::MarketAnswer,
    candles::{CandleOrigin, CandleSeries},
    tape::Tape,
};
use crate::{
    app::account::prices::Prices,
    model::{Candle, Dated, Failure, Interval, MarketId, Num, Page, PublicTrade, Timestamp},
};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that are kept of a hidden series.
const ROWS_ASIDE: usize = 3_000;
/// Markets that are kept beside the shown one; the ones shown longest ago are dropped first.
const MARKETS_KEPT: usize = 16;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarketData {
    markets: BTreeMap<MarketId, KnownMarket>,
    /// The markets on the screen, and the intervals of their charts.
    shown: BTreeSet<(MarketId, Option<Interval>)>,
    version: u64,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct KnownMarket {
    series: BTreeMap<Interval, CandleSeries>,
    /// Whether the service has said that it reports no candles of this market.
    candles_absent: bool,
    tape: Option<Tape>,
    /// From how much USD on a trade is large.
    large_from: Option<Num>,
    /// When its source last changed; trades that were requested before are of the other one.
    source_since: Option<Timestamp>,
    /// When it was last on the screen.
    shown_at: Option<Timestamp>,
}

/// When a request was sent, by the desk's clock and by the service's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTime {
    pub desk: Timestamp,
    pub service: Timestamp,
}

impl MarketData {
    /// `None` before anything has come.
    pub fn candles(&self, market: &MarketId, interval: Interval) -> Option<&CandleSeries> {
        self.markets.get(market)?.series.get(&interval)
    }

    /// `None` before the first answer, and without a source of trades.
    pub fn tape(&self, market: &MarketId) -> Option<&Tape> {
        self.markets.get(market)?.tape.as_ref()
    }

    /// From how much USD on a trade of this market is large; `None` where none is.
    pub fn large_from(&self, market: &MarketId) -> Option<Num> {
        self.markets.get(market)?.large_from
    }

    pub(crate) fn mark_large(&mut self, market: &MarketId, from: Option<Num>) {
        let known = self.known(market);
        known.large_from = from;
        if let Some(tape) = &mut known.tape {
            tape.mark_large(from);
        }
        self.version += 1;
    }

    /// The delta of a market counts from now on.
    pub(crate) fn reset_delta(&mut self, market: &MarketId, service_now: Timestamp) {
        if let Some(tape) = &mut self.known(market).tape {
            tape.reset_delta(service_now);
        }
        self.version += 1;
    }

    /// Rises with every change of a row of any market.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether an older page of candles is still to come.
    pub(crate) fn awaits_older(&self) -> bool {
        let mut series = self
            .markets
            .values()
            .flat_map(|known| known.series.values());
        series.any(CandleSeries::awaits_older)
    }

    /// Whether the candles of a market are built from the marks seen, since the service reports none.
    pub fn builds_candles(&self, market: &MarketId) -> bool {
        self.markets
            .get(market)
            .is_some_and(|known| known.candles_absent)
    }

    /// Stores the answer to a request for candles or trades. A book belongs to [`Books`](crate::app::Books).
    pub fn arrive(&mut self, market: &MarketId, at: RequestTime, answer: MarketAnswer) {
        let changes = match answer {
            MarketAnswer::Candles(_, _, Ok(None)) => {
                let known = self.known(market);
                let is_known = known
                    .series
                    .values()
                    .any(|series| series.origin() == CandleOrigin::Source);
                u64::from(!is_known && !std::mem::replace(&mut known.candles_absent, true))
            }
            MarketAnswer::Candles(interval, before, result) => {
                let origin = CandleOrigin::Source;
                // A stream reports what the service's reads do not.
                self.known(market).candles_absent &= result.is_err();
                let series = self.series(market, interval, origin);
                let version = series.version();
                arrive_candles(
                    series,
                    before,
                    at.desk,
                    result.map(Option::unwrap_or_default),
                );
                series.version() - version
            }
            MarketAnswer::Trades(Ok(None)) | MarketAnswer::Book(_) | MarketAnswer::Quote(_) => 0,
            MarketAnswer::Trades(result) => {
                let known = self.known(market);
                if known.source_since.is_some_and(|since| at.desk < since) {
                    return;
                }
                let large_from = known.large_from;
                let tape = known.tape.get_or_insert_with(|| Tape::new(large_from));
                let version = tape.version();
                arrive_trades(tape, at, result.map(Option::unwrap_or_default));
                tape.version() - version
            }
        };
        self.version += changes;
    }

    /// Builds a market's candles from seen marks, if the service has none.
    pub(crate) fn build(&mut self, market: &MarketId, interval: Interval, seen: &Prices) {
        let series = self.series(market, interval, CandleOrigin::SeenMarks);
        let version = series.version();
        let after = series.marked_at().map_or(i64::MIN, |last| last.0 + 1);
        for (at, price) in seen.marks_since(Timestamp(after)) {
            series.mark(at, price);
        }
        let changes = series.version() - version;
        self.version += changes;
    }

    /// Another source serves these markets: what the one before said of trades, and of having no candles, is over.
    pub(crate) fn source_changed(&mut self, is_other: impl Fn(&MarketId) -> bool, now: Timestamp) {
        for (_, known) in self.markets.iter_mut().filter(|(id, _)| is_other(id)) {
            (known.tape, known.candles_absent) = (None, false);
            known.source_since = Some(now);
            self.version += 1;
        }
    }

    /// Sets what is on the screen; all other series are shortened.
    pub(crate) fn show(&mut self, shown: BTreeSet<(MarketId, Option<Interval>)>, now: Timestamp) {
        if self.shown == shown {
            return;
        }
        for (market, _) in &shown {
            self.known(market).shown_at = Some(now);
        }
        for (id, known) in &mut self.markets {
            let others = known.series.iter_mut();
            let others = others.filter(|(of, _)| !shown.contains(&(id.clone(), Some(**of))));
            for (_, series) in others {
                series.trim(ROWS_ASIDE);
            }
        }
        self.shown = shown;
        self.forget_excess();
    }

    /// The instant before which candles of this series are to be requested now, if the chart reaches back beyond it.
    pub(crate) fn ask_older(
        &mut self,
        market: &MarketId,
        interval: Interval,
        since: Timestamp,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let series = self.markets.get_mut(market)?.series.get_mut(&interval)?;
        series.ask_older(since, now)
    }

    fn known(&mut self, market: &MarketId) -> &mut KnownMarket {
        self.markets.entry(market.clone()).or_default()
    }

    /// The series of this origin; series of different origins are not mixed.
    fn series(
        &mut self,
        market: &MarketId,
        interval: Interval,
        origin: CandleOrigin,
    ) -> &mut CandleSeries {
        let new = || CandleSeries::new(interval, origin);
        let series = self
            .known(market)
            .series
            .entry(interval)
            .or_insert_with(new);
        if series.origin() != origin {
            *series = new();
        }
        series
    }

    fn forget_excess(&mut self) {
        while self.markets.len() > MARKETS_KEPT {
            let by_age = |(_, known): &(&MarketId, &KnownMarket)| known.shown_at;
            let Some(oldest) = self
                .markets
                .iter()
                .min_by_key(by_age)
                .map(|(id, _)| id.clone())
            else {
                return;
            };
            self.markets.remove(&oldest);
        }
    }
}

fn arrive_candles(
    series: &mut CandleSeries,
    before: Option<Timestamp>,
    at: Timestamp,
    result: Result<Dated<Page<Candle>>, Failure>,
) {
    if let Ok(page) = &result {
        series.count_unreadable(page.value.unreadable.len());
    }
    match (before, result) {
        (None, Ok(page)) => series.merge(page.value.rows, at, page.made_at),
        (None, Err(why)) => series.fail(why, at),
        (Some(before), Ok(page)) => series.merge_older(before, page.value.rows),
        (Some(before), Err(_)) => series.fail_older(before, at),
    }
}

fn arrive_trades(
    tape: &mut Tape,
    at: RequestTime,
    result: Result<Dated<Page<PublicTrade>>, Failure>,
) {
    match result {
        Ok(page) => {
            tape.count_unreadable(page.value.unreadable.len());
            tape.merge(page.value.rows, at.desk, at.service, page.made_at);
        }
        Err(why) => tape.fail(why, at.desk),
    }
}

#[cfg(test)]
mod tests;
