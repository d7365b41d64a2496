//! From the market stream to the desk: at most ten times a second, the newest of each.

use super::{super::cover::StreamUse, StreamContext, socket::Signal};
use crate::{
    app::{MarketAnswer, StreamNews, StreamedPrice},
    feed::event::{MarketEvent, Stats, Tick},
    model::{
        Book, Candle, Dated, DayStats, Interval, MarketId, Num, Page, PublicTrade, StreamKind,
        Timestamp,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use tokio::{
    sync::mpsc::Receiver,
    time::{Instant, sleep_until},
};

/// What belongs together comes within this.
const GATHERED: Duration = Duration::from_millis(20);
/// The desk is told at most this often.
const TOLD_EVERY: Duration = Duration::from_millis(100);
/// Without a tick for so long, prices are polled as ever.
const TICKS_WITHIN: Duration = Duration::from_millis(2_500);
/// Trades of a market that wait for the desk; beyond them the oldest are left out, and said to be missing.
const MOST_TRADES: usize = 2_000;

/// Candles by when they open.
type OpenTimes = BTreeMap<Timestamp, Candle>;
/// Trades without a gap.
type Run = Vec<PublicTrade>;

/// What the desk was not told yet.
#[derive(Debug, Default)]
struct Batch {
    books: BTreeMap<MarketId, Dated<Book>>,
    trades: BTreeMap<MarketId, Vec<Run>>,
    candles: BTreeMap<(MarketId, Interval), OpenTimes>,
    prices: BTreeMap<MarketId, StreamedPrice>,
    /// Markets whose mark comes with their statistics: their ticks tell another price.
    marked: BTreeSet<MarketId>,
    has_ticks: bool,
}

/// Runs until the stream or the desk is gone.
pub(super) async fn tell(context: StreamContext, mut signals: Receiver<Signal<MarketEvent>>) {
    let mut batch = Batch::default();
    let (mut due, mut told_at) = (None, Instant::now());
    let mut ticks_end = None;
    loop {
        let signal = tokio::select! {
            signal = signals.recv() => signal,
            () = reached(due) => {
                (due, told_at) = (None, Instant::now());
                if std::mem::take(&mut batch.has_ticks) {
                    ticks_end = Some(told_at + TICKS_WITHIN);
                    context.cover.prices(StreamUse::Told);
                }
                context.say(batch.news()).await;
                continue;
            }
            () = reached(ticks_end) => {
                ticks_end = None;
                context.cover.prices(StreamUse::NotTold);
                continue;
            }
        };
        match signal {
            None => return,
            Some(Signal::Up) => context.say(StreamNews::Up(StreamKind::Market)).await,
            Some(Signal::Down(_)) => {
                (batch, due, ticks_end) = (Batch::default(), None, None);
                context.cover.prices(StreamUse::NotTold);
                context.say(StreamNews::Down(StreamKind::Market)).await;
            }
            Some(Signal::Heard) => {}
            Some(Signal::Told(events)) => {
                for event in events {
                    batch.take(event);
                }
                let gathered = Instant::now() + GATHERED;
                due = due.or(Some(gathered.max(told_at + TOLD_EVERY)));
            }
        }
    }
}

/// Returns at this instant; never without one.
async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

impl Batch {
    fn take(&mut self, event: MarketEvent) {
        match event {
            MarketEvent::Book { market, book } => drop(self.books.insert(market, book)),
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
            }
            MarketEvent::Tick { market, tick } => self.tick(&market, tick),
            MarketEvent::Stats { market, stats } => self.stats(&market, stats),
        }
    }

    fn price(&mut self, market: &MarketId) -> &mut StreamedPrice {
        let new = || StreamedPrice {
            market_id: market.clone(),
            ..StreamedPrice::default()
        };
        self.prices.entry(market.clone()).or_insert_with(new)
    }

    fn tick(&mut self, market: &MarketId, tick: Tick) {
        self.has_ticks |= tick.bid.is_some() && tick.ask.is_some();
        let is_marked = self.marked.contains(market);
        let price = self.price(market);
        if !is_marked {
            price.mark = Some(tick.price);
        }
        (price.bid, price.ask) = (tick.bid.or(price.bid), tick.ask.or(price.ask));
        price.at = price.at.max(tick.at);
    }

    fn stats(&mut self, market: &MarketId, stats: Stats) {
        if stats.mark.is_some() {
            self.marked.insert(market.clone());
        }
        let price = self.price(market);
        price.mark = stats.mark.or(price.mark);
        price.funding_rate = stats.hourly_funding().or(price.funding_rate);
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

    /// What the desk is told now.
    fn news(&mut self) -> StreamNews {
        let books = std::mem::take(&mut self.books).into_iter();
        let books = books.map(|(market, book)| (market, MarketAnswer::Book(Ok(Some(book)))));
        let trades = std::mem::take(&mut self.trades).into_iter();
        let trades = trades.flat_map(|(market, runs)| {
            let runs = runs.into_iter();
            runs.map(move |run| {
                let page = Dated::undated(Page::of(run));
                (market.clone(), MarketAnswer::Trades(Ok(Some(page))))
            })
        });
        let candles = std::mem::take(&mut self.candles).into_iter();
        let candles = candles.map(|((market, interval), rows)| {
            let page = Dated::undated(Page::of(rows.into_values().collect()));
            (
                market,
                MarketAnswer::Candles(interval, None, Ok(Some(page))),
            )
        });
        StreamNews::Markets {
            answers: books.chain(trades).chain(candles).collect(),
            prices: std::mem::take(&mut self.prices).into_values().collect(),
        }
    }
}

/// Adds a trade to the last run of them, or begins another one where some may be missing between.
fn take_trade(runs: &mut Vec<Run>, follows: Run, trade: PublicTrade) {
    let has_gap = follows.is_empty();
    match runs.last_mut() {
        Some(run) if !has_gap && run.len() < MOST_TRADES => run.push(trade),
        Some(run) if !has_gap => *run = vec![trade],
        Some(_) | None => runs.push(follows.into_iter().chain([trade]).collect()),
    }
}
