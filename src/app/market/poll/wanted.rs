//! What is to be requested of the markets, and how much of it.

use super::super::{
    data::MarketData,
    wanted_data::{
        BookWant, CandleWant, MarketRequest, QUOTE_EVERY, SHOWN_EVERY, TradesWant, WantedMarketData,
    },
};
use crate::model::{Interval, MarketId, Timestamp};
use std::time::Duration;
use strum::EnumDiscriminants;

/// Without an answer for so long, a request is lost and sent again.
pub(super) const LOST_AFTER: Duration = Duration::from_secs(15);
/// The first page of candles, wider than any screen.
const FIRST_CANDLES: u32 = 500;
/// A page of older candles.
const OLDER_CANDLES: u32 = 1_000;
/// The most that the service reports in one page.
const MOST_CANDLES: u32 = 1_500;
/// Enough trades for the volume of the last minutes, and for what traded between two answers.
const FIRST_TRADES: u32 = 1_000;
const NEW_TRADES: u32 = 100;
/// After this long without an answer, as many trades are requested as at first.
const CATCH_UP_AFTER: Duration = Duration::from_secs(5);

/// What is polled by itself; each kind has a budget of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumDiscriminants)]
#[strum_discriminants(name(PollKind), derive(PartialOrd, Ord))]
pub(super) enum Polled {
    Candles(Interval),
    OlderCandles,
    Book,
    Trades,
    Quote,
}

pub(super) type PollKey = (MarketId, Polled);

/// What time it is, and how often prices are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PollTime {
    pub(crate) now: Timestamp,
    pub(crate) service_now: Timestamp,
    pub(crate) price_interval: Duration,
    /// What falls due within this time is requested now, so that its answer comes with the others.
    pub(crate) lead: Duration,
}

/// One thing that is to be requested repeatedly.
pub(super) struct Wanted {
    pub(super) key: PollKey,
    pub(super) every: Duration,
    pub(super) request: MarketRequest,
}

pub(super) fn wanted(
    wanted_data: &WantedMarketData,
    data: &MarketData,
    time: PollTime,
) -> Vec<Wanted> {
    if wanted_data.is_held {
        return vec![];
    }
    let chart = wanted_data.candles.iter();
    let chart = chart.filter(|chart| !data.builds_candles(&chart.market_id));
    let candles = chart.map(|chart| Wanted {
        key: (chart.market_id.clone(), Polled::Candles(chart.interval)),
        every: time.price_interval.max(SHOWN_EVERY),
        request: newest_candles(chart, data, time),
    });
    let books = wanted_data
        .books
        .iter()
        .map(|(market, BookWant { depth, every })| Wanted {
            key: (market.clone(), Polled::Book),
            every: *every,
            request: MarketRequest::Book { depth: *depth },
        });
    let trades = wanted_data.trades.iter();
    let trades = trades.map(|TradesWant { market_id, every }| Wanted {
        key: (market_id.clone(), Polled::Trades),
        every: *every,
        request: newest_trades(market_id, data, time),
    });
    let quote = wanted_data.quote.iter();
    let quote = quote.map(|want| Wanted {
        key: (want.market_id.clone(), Polled::Quote),
        every: QUOTE_EVERY,
        request: MarketRequest::Quote {
            side: want.side,
            size: want.size,
        },
    });
    candles.chain(books).chain(trades).chain(quote).collect()
}

/// A page at first, then as many as have opened since by either clock, and the one before: it may have been in progress.
/// Those that open until a late answer is made belong to it too: a page that does not reach back replaces the series.
fn newest_candles(chart: &CandleWant, data: &MarketData, time: PollTime) -> MarketRequest {
    let interval = chart.interval;
    let series = data.candles(&chart.market_id, interval);
    let newest = series.and_then(|series| Some((series, series.newest()?.open_time)));
    let limit = newest.map_or(FIRST_CANDLES, |(series, open_time)| {
        let by_service = time.service_now.since(open_time);
        let answered = series.answered_at().map(|at| time.now.since(at));
        let passed = by_service.max(answered.unwrap_or_default()) + LOST_AFTER;
        let opened = passed.as_millis() / interval.length().as_millis().max(1);
        u32::try_from(opened.saturating_add(2)).unwrap_or(MOST_CANDLES)
    });
    MarketRequest::Candles {
        interval,
        before: None,
        limit: limit.min(MOST_CANDLES),
    }
}

/// After a pause more may have traded than a usual answer reports.
fn newest_trades(market: &MarketId, data: &MarketData, time: PollTime) -> MarketRequest {
    let tape = data.tape(market).filter(|tape| tape.last().is_some());
    let answered = tape.and_then(|tape| tape.answered_at());
    let is_recent = answered.is_some_and(|at| time.now.since(at) < CATCH_UP_AFTER);
    MarketRequest::Trades {
        limit: if is_recent { NEW_TRADES } else { FIRST_TRADES },
    }
}

/// From when on candles are wanted: from where the chart begins, and always as far back as a first page reaches. A late
/// answer may have replaced the series by a few rows.
pub(super) fn wanted_since(chart: &CandleWant, data: &MarketData) -> Option<Timestamp> {
    let newest = data.candles(&chart.market_id, chart.interval)?.newest()?;
    let length = chart.interval.millis();
    let page = i64::from(FIRST_CANDLES - 1).saturating_mul(length);
    let first_page = Timestamp(newest.open_time.0.saturating_sub(page));
    Some(
        chart
            .since
            .map_or(first_page, |since| since.min(first_page)),
    )
}

pub(super) fn older(
    wanted_data: &WantedMarketData,
    data: &mut MarketData,
    now: Timestamp,
) -> Option<(MarketId, MarketRequest)> {
    wanted_data.candles.iter().find_map(|chart| {
        let since = wanted_since(chart, data)?;
        let before = data.ask_older(&chart.market_id, chart.interval, since, now)?;
        let request = MarketRequest::Candles {
            interval: chart.interval,
            before: Some(before),
            limit: OLDER_CANDLES,
        };
        Some((chart.market_id.clone(), request))
    })
}
