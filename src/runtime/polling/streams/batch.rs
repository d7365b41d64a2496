//! What the desk has not received yet of the markets: of books and prices the newest, of trades and candles all.

use crate::{
    app::{MarketAnswer, StreamNews, StreamedPrice},
    feed::event::{MarketEvent, Stats, Tick},
    model::{
        Book, Candle, Dated, DayStats, Interval, MarketId, Num, Page, Patch, PublicTrade, Timestamp,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use tokio::time::Instant;

/// Trades of a market that wait for the desk; beyond them the oldest are left out, and said to be missing.
const MOST_TRADES: usize = 2_000;
/// Runs of trades with a gap between that wait for the desk.
const MOST_RUNS: usize = 50;
/// Candles of a series that wait for the desk, the newest.
const MOST_CANDLES: usize = 2_000;
/// While a market's statistics have reported no mark for so long, the price of its ticks is the best one known.
const MARK_WITHIN: Duration = Duration::from_millis(2_500);

/// A book that waited for longer, since its source was not the one that is believed, says nothing of the market now.
const BOOK_WITHIN: Duration = Duration::from_secs(1);

/// Candles by when they open.
type OpenTimes = BTreeMap<Timestamp, Candle>;
/// Trades without a gap.
type Run = Vec<PublicTrade>;

#[derive(Debug, Default)]
pub(super) struct Batch {
    /// With when each came.
    books: BTreeMap<MarketId, (Instant, Dated<Book>)>,
    trades: BTreeMap<MarketId, Vec<Run>>,
    candles: BTreeMap<(MarketId, Interval), OpenTimes>,
    prices: BTreeMap<MarketId, StreamedPrice>,
    /// The last statistics of each market.
    stats: BTreeMap<MarketId, Stats>,
    /// Markets whose mark comes with their statistics: their ticks report another price.
    marked: BTreeSet<MarketId>,
    /// The first tick of each market.
    ticks_since: BTreeMap<MarketId, Instant>,
}

impl Batch {
    pub(super) fn take(&mut self, event: MarketEvent, now: Instant) {
        match event {
            MarketEvent::Book { market, book } => drop(self.books.insert(market, (now, book))),
            MarketEvent::Trade {
                market,
                follows,
                trade,
                ..
            } => take_trade(self.trades.entry(market).or_default(), follows, trade),
            MarketEvent::Candle {
                market,
                interval,
                candle,
                ..
            } => {
                let series = self.candles.entry((market, interval)).or_default();
                series.insert(candle.open_time, candle);
                if series.len() > MOST_CANDLES {
                    series.pop_first();
                }
            }
            MarketEvent::Tick { market, tick } => self.tick(&market, tick, now),
            MarketEvent::Stats { market, stats } => self.stats(&market, stats),
            MarketEvent::Refused { .. } => {}
        }
    }

    fn price(&mut self, market: &MarketId) -> &mut StreamedPrice {
        let new = || StreamedPrice {
            market_id: market.clone(),
            ..StreamedPrice::default()
        };
        self.prices.entry(market.clone()).or_insert_with(new)
    }

    fn tick(&mut self, market: &MarketId, tick: Tick, now: Instant) {
        let since = *self.ticks_since.entry(market.clone()).or_insert(now);
        let is_mark = !self.marked.contains(market) && now - since >= MARK_WITHIN;
        let price = self.price(market);
        if is_mark {
            price.mark = Patch::Is(Some(tick.price));
        }
        (price.bid, price.ask) = (tick.bid.or(price.bid), tick.ask.or(price.ask));
        price.at = price.at.max(tick.at);
    }

    fn stats(&mut self, market: &MarketId, stats: Stats) {
        if stats.mark.is_some() {
            self.marked.insert(market.clone());
        }
        let before = self.stats.insert(market.clone(), stats).unwrap_or_default();
        let price = self.price(market);
        learn(&mut price.mark, before.mark, stats.mark);
        learn(&mut price.gap_since, before.gap_since, stats.gap_since);
        let (before, rate) = (before.hourly_funding(), stats.hourly_funding());
        learn(&mut price.funding_rate, before, rate);
        price.day = Some(DayStats {
            change: stats
                .day_change
                .and_then(|percent| percent.over(Num::from(100_u32))),
            volume: stats.day_volume,
            open_interest: stats.open_interest,
            next_funding_at: stats.next_funding_at,
        });
        price.at = price.at.max(stats.at);
    }

    /// What is new of these markets.
    pub(super) fn news(
        &mut self,
        is_reported: impl Fn(&MarketId) -> bool,
        now: Instant,
    ) -> StreamNews {
        self.books.retain(|_, (at, _)| now - *at < BOOK_WITHIN);
        let books = self.books.extract_if(.., |market, _| is_reported(market));
        let books = books.map(|(market, (_, book))| (market, MarketAnswer::Book(Ok(Some(book)))));
        let trades = self.trades.extract_if(.., |market, _| is_reported(market));
        let trades = trades.flat_map(|(market, runs)| {
            let runs = runs.into_iter();
            runs.map(move |run| {
                let page = Dated::undated(Page::of(run));
                (market.clone(), MarketAnswer::Trades(Ok(Some(page))))
            })
        });
        let candles = self
            .candles
            .extract_if(.., |(market, _), _| is_reported(market));
        let candles = candles.map(|((market, interval), rows)| {
            let page = Dated::undated(Page::of(rows.into_values().collect()));
            let answer = MarketAnswer::Candles(interval, None, Ok(Some(page)));
            (market, answer)
        });
        let answers = books.chain(trades).chain(candles).collect();
        let prices = self.prices.extract_if(.., |market, _| is_reported(market));
        StreamNews::Markets {
            answers,
            prices: prices.map(|(_, price)| price).collect(),
        }
    }
}

/// Notes a figure of the statistics. One that they never reported is not cleared: another source may know it.
fn learn<T: Copy>(patch: &mut Patch<T>, before: Option<T>, now: Option<T>) {
    if before.is_some() || now.is_some() {
        *patch = Patch::Is(now);
    }
}

/// Adds a trade to the last run of them, or begins another one where some may be missing between.
fn take_trade(runs: &mut Vec<Run>, follows: Run, trade: PublicTrade) {
    let has_gap = follows.is_empty();
    match runs.last_mut() {
        Some(run) if !has_gap && run.len() < MOST_TRADES => run.push(trade),
        Some(run) if !has_gap => *run = vec![trade],
        Some(_) | None => {
            if runs.len() >= MOST_RUNS {
                runs.remove(0);
            }
            runs.push(follows.into_iter().chain([trade]).collect());
        }
    }
}
