//! How a venue is spoken to, as one table of functions for each socket, and what its frames say in the words of all.

use super::{book_change::BookChange, trades::VenueTrade, whole_books::WholeBook};
use crate::{
    feed::{event::Stats, rest_read::RestRead, topic::Channel},
    model::{Candle, Interval, Num, Timestamp},
};
use std::{collections::BTreeMap, time::Duration};

/// Frames that request these names in the request of this number.
pub(super) type Frames = fn(&[String], u64) -> Vec<String>;
/// What the body of a REST answer holds; `None` if that is not to be believed.
pub(super) type AnswerReader<T> = fn(&[u8]) -> Option<T>;

/// The table of one socket.
pub(super) struct Dialect {
    /// What the venue calls that which a channel of this symbol needs; empty where this socket does not carry it.
    pub(super) names: fn(Channel, &str) -> Vec<String>,
    /// The frames that subscribe to these names, of which at most [`MOST_NAMES`] are in a frame.
    pub(super) subscribe: Frames,
    pub(super) unsubscribe: Frames,
    /// The query of the socket's address with what is wanted at first; empty where frames say all of it.
    pub(super) query: fn(&[String]) -> String,
    /// What requests a sign of life; `None` if the socket's own ping does.
    pub(super) ping: Option<&'static str>,
    /// Reads a frame; `None` if it is none of this venue.
    pub(super) parse: fn(&str) -> Option<VenueMessage>,
    pub(super) books: BookDelivery,
    /// Where the hours between two fundings are reported, if this socket does not.
    pub(super) funding_hours: Option<FundingHoursRead>,
    /// Where the open interest is reported, if no socket does.
    pub(super) open_interest: Option<OpenInterestRead>,
    pub(super) first_trades: FirstTrades,
    /// Another connection takes over when one has lived for so long, before the venue cuts it.
    pub(super) longest_life: Option<Duration>,
}

/// How a venue sends a book.
#[derive(Debug, Clone, Copy)]
pub(super) enum BookDelivery {
    /// Whole, repeatedly.
    Whole,
    /// By its changes, after the whole of it.
    Changes,
    /// By its changes alone; the whole of it is to be read.
    ChangesOf(WholeBookRead),
}

/// How the book of a symbol is read whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct WholeBookRead {
    pub(super) ask: fn(&str) -> RestRead,
    pub(super) answer: AnswerReader<BookChange>,
}

/// How the hours between two fundings are read, for all symbols at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct FundingHoursRead {
    pub(super) ask: fn() -> RestRead,
    /// Of the symbols that differ from `usual`.
    pub(super) answer: AnswerReader<BTreeMap<String, Num>>,
    pub(super) usual: u32,
}

/// How the open interest of a symbol is read, in coins.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenInterestRead {
    pub(super) ask: fn(&str) -> RestRead,
    pub(super) answer: AnswerReader<Num>,
}

/// Names of one frame.
pub(super) const MOST_NAMES: usize = 50;

/// What the first trades of a subscription are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstTrades {
    /// Those of before the subscription.
    History,
    News,
}

/// What most venues call an interval; shorter ones than a minute would have to be built from trades.
pub(super) fn usual_interval(interval: Interval) -> Option<String> {
    (interval >= Interval::Minute1).then(|| interval.to_string())
}

/// What a frame says.
#[expect(
    clippy::large_enum_variant,
    reason = "one is read off a frame and taken apart at once"
)]
#[derive(Debug, Clone, PartialEq)]
pub(super) enum VenueMessage {
    /// Of the subscription of this name; `None` if the rest of the frame is not to be believed.
    Data(String, Option<Update>),
    Accepted(AnswerSubject),
    Refused(AnswerSubject),
    /// A sign of life, or what nobody requested.
    Nothing,
}

/// What an answer is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerSubject {
    /// All names of the request of this number.
    Request(u64),
    Name(String),
}

/// What is new of a market.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Update {
    Book(WholeBook),
    Change(BookChange),
    Trades(Vec<VenueTrade>),
    Candle(Interval, Candle),
    /// The best prices; a side that did not change is `None`.
    Best {
        bid: Option<Num>,
        ask: Option<Num>,
        at: Option<Timestamp>,
    },
    /// What did not change is `None`.
    Stats(Stats),
    /// The best prices and statistics.
    Ticker {
        bid: Option<Num>,
        ask: Option<Num>,
        stats: Stats,
    },
}

impl Update {
    /// When it was made, by the venue's clock.
    pub(super) fn made_at(&self) -> Option<Timestamp> {
        match self {
            Self::Book(book) => Some(book.made_at),
            Self::Change(change) => change.made_at,
            Self::Trades(trades) => trades.iter().map(|row| row.trade.at).max(),
            Self::Candle(_, candle) => Some(candle.open_time),
            Self::Best { at, .. } => *at,
            Self::Stats(stats) | Self::Ticker { stats, .. } => stats.at,
        }
    }
}
