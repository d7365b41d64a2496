//! What venues send, in any order and condition, and what is believed of it.

mod binance;
mod bybit;
mod hyperliquid;
mod properties;

use super::{VenueSocket, stream::VenueStream};
use crate::{
    feed::{
        Stream as _,
        event::{Liveness, MarketEvent, Stats, Tick},
        rest_read::{ReadSubject, StreamRead},
        topic::{Channel, StreamedMarket, Topic},
    },
    model::{Book, Dated, MarketId, Side, Timestamp},
};
use std::collections::BTreeSet;

const START: i64 = 1_790_000_000_000;

const fn at(millis: i64) -> Timestamp {
    Timestamp(START + millis)
}

/// A socket of a venue on which channels of one market are wanted.
struct Talk {
    stream: VenueStream,
    query: String,
    now: i64,
}

impl Talk {
    fn of(socket: VenueSocket, market: &str, channels: &[Channel]) -> Self {
        let market = StreamedMarket::new(MarketId::from(market));
        let topics = channels.iter();
        let topics: BTreeSet<_> = topics
            .map(|channel| Topic::of(*channel, market.clone()))
            .collect();
        let mut stream = VenueStream::new(socket);
        stream.want(topics, at(0));
        let query = stream.query(at(0));
        stream.opened(at(0));
        Self {
            stream,
            query,
            now: 0,
        }
    }

    /// Time passes.
    fn later(&mut self, millis: i64) -> &mut Self {
        self.now += millis;
        self.stream.pass(at(self.now));
        self
    }

    fn asks(&mut self) -> Vec<String> {
        self.stream.requests(at(self.now))
    }

    fn hears(&mut self, frame: &str) -> &mut Self {
        self.stream.frame(frame, at(self.now));
        self
    }

    fn reads(&mut self) -> Vec<StreamRead> {
        self.stream.reads(at(self.now))
    }

    fn answers(&mut self, subject: ReadSubject, body: &str) -> &mut Self {
        let body = Some(body.as_bytes());
        self.stream.answer(subject, body, at(self.now));
        self
    }

    /// The connection is gone, and another one is open.
    fn reconnects(&mut self) -> &mut Self {
        self.stream.lost();
        self.query = self.stream.query(at(self.now));
        self.stream.opened(at(self.now));
        self
    }

    fn books(&mut self) -> Vec<Dated<Book>> {
        let events = self.stream.events().into_iter();
        let books = events.filter_map(|event| match event {
            MarketEvent::Book { book, .. } => Some(book),
            MarketEvent::Trade { .. }
            | MarketEvent::Candle { .. }
            | MarketEvent::Tick { .. }
            | MarketEvent::Stats { .. }
            | MarketEvent::Refused { .. } => None,
        });
        books.collect()
    }

    fn stats(&mut self) -> (Option<Tick>, Option<Stats>) {
        let mut told = (None, None);
        for event in self.stream.events() {
            match event {
                MarketEvent::Tick { tick, .. } => told.0 = Some(tick),
                MarketEvent::Stats { stats, .. } => told.1 = Some(stats),
                MarketEvent::Book { .. }
                | MarketEvent::Trade { .. }
                | MarketEvent::Candle { .. }
                | MarketEvent::Refused { .. } => {}
            }
        }
        told
    }

    /// Price, side, whether it is history, and how many trades it follows.
    fn trades(&mut self) -> Vec<String> {
        let events = self.stream.events().into_iter();
        let trades = events.filter_map(|event| match event {
            MarketEvent::Trade {
                trade,
                liveness: told,
                follows,
                ..
            } => {
                let era = if told == Liveness::Backfill {
                    "history"
                } else {
                    "news"
                };
                let side = trade.aggressor;
                let (price, follows) = (trade.price, follows.len());
                Some(format!("{side} {price} {era} {follows}"))
            }
            MarketEvent::Book { .. }
            | MarketEvent::Candle { .. }
            | MarketEvent::Tick { .. }
            | MarketEvent::Stats { .. }
            | MarketEvent::Refused { .. } => None,
        });
        trades.collect()
    }

    fn candles(&mut self) -> Vec<String> {
        let events = self.stream.events().into_iter();
        let candles = events.filter_map(|event| match event {
            MarketEvent::Candle {
                interval, candle, ..
            } => Some(format!("{interval} {}", candle.close)),
            MarketEvent::Book { .. }
            | MarketEvent::Trade { .. }
            | MarketEvent::Tick { .. }
            | MarketEvent::Stats { .. }
            | MarketEvent::Refused { .. } => None,
        });
        candles.collect()
    }
}

/// Price and size of each level, the best first.
fn levels(book: &Book, side: Side) -> Vec<String> {
    let levels = book.levels(side).iter();
    levels
        .map(|level| format!("{}x{}", level.size, level.price))
        .collect()
}
