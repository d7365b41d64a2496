//! What a line reports, in the units of the engine.

use super::super::engine::{
    BookLevel, FrameContent, FrameOrigin, FrameSource, Lots, MAX_COUNT, MarketSpec, Millis,
    NanoRate, Px, ReceivedBook, ReceivedFrame, ReceivedPrices, ReceivedTouch, ReceivedTrade, Side,
    price_decimals,
};
use crate::{
    feed::{
        event::{Liveness, MarketEvent, Stats, Tick},
        recording::{DecodedLine, LineOutcome},
    },
    model::{self, Book, Dated, Num, Timestamp},
};

/// Levels of a side that the engine gets.
const LEVELS: usize = 50;
/// Trades of a line, which number them.
const MOST_TRADES: u64 = 10_000;

/// The units of a market, and what its frames are called after.
#[derive(Debug, Clone)]
pub(super) struct FrameConverter {
    size_decimals: u32,
    feed: String,
}

impl From<&MarketSpec> for FrameConverter {
    fn from(spec: &MarketSpec) -> Self {
        Self {
            size_decimals: spec.size_decimals,
            feed: spec.provider.clone(),
        }
    }
}

impl FrameConverter {
    /// The frames of a line, in its order. Its times are later by `shift`.
    pub(super) fn frames(
        &self,
        line: &DecodedLine,
        origin: &FrameOrigin,
        shift: Millis,
    ) -> Vec<ReceivedFrame> {
        let received_at = millis(line.received.timestamp_after()) + shift;
        let contents = match &line.outcome {
            LineOutcome::Gap => vec![FrameContent::GapBegins],
            LineOutcome::Events(events) => self.contents(line, events, shift),
        };
        let origin = match origin {
            FrameOrigin::File(_) => origin.clone(),
            FrameOrigin::Connection(_) => FrameOrigin::Connection(line.conn),
        };
        let frame = |content| ReceivedFrame {
            source: FrameSource {
                feed: self.feed.clone(),
                origin: origin.clone(),
                line: line.line,
            },
            received_at,
            content,
        };
        contents.into_iter().map(frame).collect()
    }

    fn contents(
        &self,
        line: &DecodedLine,
        events: &[MarketEvent],
        shift: Millis,
    ) -> Vec<FrameContent> {
        let mut contents = vec![];
        let (mut news, mut history) = (vec![], vec![]);
        for (number, event) in (0..MOST_TRADES).zip(events) {
            match event {
                MarketEvent::Trade {
                    trade, liveness, ..
                } => {
                    let id = line.line.saturating_mul(MOST_TRADES).saturating_add(number);
                    let trades = match liveness {
                        Liveness::Live => &mut news,
                        Liveness::Backfill => &mut history,
                    };
                    trades.extend(self.trade(trade, id, shift));
                }
                MarketEvent::Book { book, .. } => {
                    let at = millis(line.received.timestamp()) + shift;
                    contents.push(self.book(book, at, shift));
                }
                MarketEvent::Tick { tick, .. } => contents.extend(self.touch(tick, shift)),
                MarketEvent::Stats { stats, .. } => contents.extend(self.prices(stats, shift)),
                // Candles are built from the trades; a market that is refused has no frames.
                MarketEvent::Candle { .. } | MarketEvent::Refused { .. } => {}
            }
        }
        if !history.is_empty() {
            contents.push(FrameContent::TradeHistory(history));
        }
        if !news.is_empty() {
            contents.push(FrameContent::Trades(news));
        }
        contents
    }

    fn book(&self, dated: &Dated<Book>, received: Millis, shift: Millis) -> FrameContent {
        let side = |side: Side| {
            let levels = dated.value.levels(side).iter().take(LEVELS);
            merged(levels.filter_map(|level| self.level(level.price, level.size, side)))
        };
        FrameContent::Book(ReceivedBook {
            venue_time: dated.made_at.map_or(received, |at| millis(at) + shift),
            bids: side(Side::Buy),
            asks: side(Side::Sell),
        })
    }

    /// Without its time it cannot be compared with the book, and a side that is not reported may hold anything. Its sizes are
    /// not reported.
    fn touch(&self, tick: &Tick, shift: Millis) -> Option<FrameContent> {
        let smallest = Num::new(1, self.size_decimals);
        Some(FrameContent::Touch(ReceivedTouch {
            venue_time: millis(tick.at?) + shift,
            bid: self.level(tick.bid?, smallest, Side::Buy),
            ask: self.level(tick.ask?, smallest, Side::Sell),
        }))
    }

    fn prices(&self, stats: &Stats, shift: Millis) -> Option<FrameContent> {
        let mark = self.nearest(stats.mark?)?;
        let oracle = stats.oracle.and_then(|price| self.nearest(price));
        let funding = stats.hourly_funding();
        let funding = funding.and_then(|rate| rate.rounded(9).to_scaled(9));
        Some(FrameContent::Prices(ReceivedPrices {
            mark: Some(mark),
            oracle: Some(oracle.unwrap_or(mark)),
            funding: funding.map(NanoRate),
            next_funding_at: stats.next_funding_at.map(|at| millis(at) + shift),
        }))
    }

    fn trade(&self, trade: &model::PublicTrade, id: u64, shift: Millis) -> Option<ReceivedTrade> {
        Some(ReceivedTrade {
            id: trade.id.unwrap_or(id),
            venue_time: millis(trade.at) + shift,
            aggressor: trade.aggressor,
            px: self.nearest(trade.price)?,
            size: self.lots(trade.size)?,
        })
    }

    /// The level, with its price no better than reported.
    fn level(&self, price: Num, amount: Num, side: Side) -> Option<BookLevel> {
        let decimals = price_decimals(self.size_decimals);
        let down = price.truncated(decimals);
        let px = match side {
            Side::Sell if down < price => down.plus(Num::new(1, decimals))?,
            Side::Buy | Side::Sell => down,
        };
        Some(BookLevel {
            px: Px(count(px, decimals)?),
            size: self.lots(amount)?,
        })
    }

    pub(super) fn nearest(&self, price: Num) -> Option<Px> {
        let decimals = price_decimals(self.size_decimals);
        count(price.rounded(decimals), decimals).map(Px)
    }

    fn lots(&self, size: Num) -> Option<Lots> {
        count(size.truncated(self.size_decimals), self.size_decimals).map(Lots)
    }
}

/// `None` for what the engine has no number for: it is as good as nothing, or larger than any market.
fn count(number: Num, decimals: u32) -> Option<i64> {
    let count = number.to_scaled(decimals);
    count.filter(|count| (1..=MAX_COUNT).contains(count))
}

/// Levels of one price as one.
fn merged(levels: impl Iterator<Item = BookLevel>) -> Vec<BookLevel> {
    let mut merged: Vec<BookLevel> = vec![];
    for level in levels {
        match merged.last_mut() {
            Some(last) if last.px == level.px => last.size += level.size,
            Some(_) | None => merged.push(level),
        }
    }
    merged
}

pub(super) fn millis(at: Timestamp) -> Millis {
    Millis(at.0)
}
