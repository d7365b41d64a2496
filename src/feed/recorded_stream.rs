//! A stream that tells its frames as they came, for a recording or a replay. What it asks for, and when, is the stream's.

use super::{
    LONGEST_FRAME, Stream,
    link::LinkEnd,
    market::MarketStream,
    recording::{MarkEvent, Received, Recorded, RecordingMark},
    rest_read::{ReadSubject, StreamRead},
    topic::{Channel, Topic},
    venue::{VenueSocket, stream::VenueStream},
};
use crate::model::{MarketId, Timestamp};
use std::collections::BTreeSet;

/// What is asked of a market. Candles are built from its trades.
pub(crate) const CHANNELS: [Channel; 4] = [
    Channel::Book,
    Channel::Trades,
    Channel::Ticks,
    Channel::Stats,
];

/// The stream of one market.
pub(crate) struct RecordedStream<S> {
    stream: S,
    market: MarketId,
    /// None for the stream of a service.
    socket: Option<VenueSocket>,
    connections: u64,
    told: Vec<Received>,
    day: EachDay,
    end: Option<LinkEnd>,
}

/// What happens at midnight UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EachDay {
    GoesOn,
    /// A new connection, so that a file of the new day begins with a whole book.
    BeginsAnew {
        /// Of the connection.
        opened: Timestamp,
    },
}

const DAY: i64 = 24 * 60 * 60 * 1_000;

impl EachDay {
    fn is_over(self, now: Timestamp) -> bool {
        match self {
            Self::GoesOn => false,
            Self::BeginsAnew { opened } => now.0.div_euclid(DAY) != opened.0.div_euclid(DAY),
        }
    }
}

impl RecordedStream<VenueStream> {
    pub(crate) fn of_venue(socket: VenueSocket, market: MarketId) -> Self {
        Self::new(VenueStream::new(socket), market, Some(socket))
    }
}

impl RecordedStream<MarketStream> {
    pub(crate) fn of_service(market: MarketId) -> Self {
        Self::new(MarketStream::default(), market, None)
    }
}

impl<S: Stream> RecordedStream<S> {
    fn new(stream: S, market: MarketId, socket: Option<VenueSocket>) -> Self {
        Self {
            stream,
            market,
            socket,
            connections: 0,
            told: vec![],
            day: EachDay::GoesOn,
            end: None,
        }
    }

    /// The same with a new connection at midnight.
    pub(crate) fn by_day(self) -> Self {
        let opened = Timestamp(0);
        Self {
            day: EachDay::BeginsAnew { opened },
            ..self
        }
    }

    fn end_day(&mut self, now: Timestamp) {
        if self.day.is_over(now) {
            self.end = Some(LinkEnd::Fault("a new day begins"));
        }
    }

    fn tell(&mut self, content: Recorded, now: Timestamp) {
        let at = now.into();
        self.told.push(Received { at, content });
    }

    fn mark(&mut self, event: MarkEvent, now: Timestamp) {
        let mark = RecordingMark {
            event,
            conn: self.connections,
            market: Some(self.market.raw().to_owned()),
            socket: self.socket,
        };
        self.tell(Recorded::Mark(mark), now);
    }

    /// An answer takes two lines: what it is, and itself.
    fn tell_answer(&mut self, subject: &ReadSubject, answer: &[u8], now: Timestamp) {
        let Ok(answer) = str::from_utf8(answer) else {
            return;
        };
        if answer.len() <= LONGEST_FRAME {
            self.mark(subject.into(), now);
            self.tell(Recorded::Frame(answer.to_owned()), now);
        }
    }
}

impl From<&ReadSubject> for MarkEvent {
    fn from(subject: &ReadSubject) -> Self {
        match subject {
            ReadSubject::Book(_) => Self::WholeBook,
            ReadSubject::FundingHours => Self::FundingHours,
        }
    }
}

impl<S: Stream> Stream for RecordedStream<S> {
    type Event = Received;

    fn query(&mut self, now: Timestamp) -> String {
        self.stream.query(now)
    }

    fn want(&mut self, topics: BTreeSet<Topic>, now: Timestamp) {
        self.stream.want(topics, now);
    }

    fn opened(&mut self, now: Timestamp) {
        self.connections += 1;
        if let EachDay::BeginsAnew { opened } = &mut self.day {
            *opened = now;
        }
        self.mark(MarkEvent::Open, now);
        self.stream.opened(now);
    }

    fn frame(&mut self, text: &str, now: Timestamp) {
        self.end_day(now);
        let is_news = self.socket.is_none_or(|socket| socket.is_news(text));
        if is_news && self.end.is_none() {
            self.tell(Recorded::Frame(text.to_owned()), now);
        }
        self.stream.frame(text, now);
    }

    fn pass(&mut self, now: Timestamp) {
        self.end_day(now);
        self.stream.pass(now);
    }

    fn due(&self) -> Option<Timestamp> {
        self.stream.due()
    }

    fn requests(&mut self, now: Timestamp) -> Vec<String> {
        let requests = self.stream.requests(now);
        // A service numbers its answers as the requests were. Who reads the recording knows those of a new connection alone.
        if self.socket.is_none() && requests.iter().any(|text| text.contains(UNSUBSCRIBE)) {
            self.end = Some(LinkEnd::Fault("a subscription has to be asked for anew"));
        }
        requests
    }

    fn reads(&mut self, now: Timestamp) -> Vec<StreamRead> {
        self.stream.reads(now)
    }

    fn answer(&mut self, subject: ReadSubject, answer: Option<&[u8]>, now: Timestamp) {
        if let Some(answer) = answer {
            self.tell_answer(&subject, answer, now);
        }
        self.stream.answer(subject, answer, now);
    }

    fn refused(&mut self) -> u32 {
        self.stream.refused()
    }

    fn ping(&mut self) -> Option<String> {
        self.stream.ping()
    }

    fn events(&mut self) -> Vec<Received> {
        // Decoded once more by who reads the lines.
        drop(self.stream.events());
        std::mem::take(&mut self.told)
    }

    fn is_live(&self) -> bool {
        self.stream.is_live()
    }

    fn end(&self) -> Option<LinkEnd> {
        self.end.or_else(|| self.stream.end())
    }

    fn lost(&mut self) {
        self.end = None;
        self.stream.lost();
    }
}

const UNSUBSCRIBE: &str = r#""op":"unsub""#;
