//! A stream that reports its frames as they came, for a recording or a replay. What it requests, and when, is the stream's.

use super::{
    LONGEST_FRAME, Stream,
    link::LinkEnd,
    market::MarketStream,
    recording::{Belief, MarkEvent, Received, Recorded, RecordingMark},
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
    received: Vec<Received>,
    day: EachDay,
    refused: u32,
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
            received: vec![],
            day: EachDay::GoesOn,
            refused: 0,
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

    /// Whether it reports something of the market. A service's answers belong to what follows them, but for a refusal.
    fn is_news(&self, text: &str) -> bool {
        match self.socket {
            Some(socket) => socket.is_news(text),
            None => !text.contains(REFUSAL),
        }
    }

    fn tell(&mut self, frame: &str, belief: Belief, now: Timestamp) {
        self.received.push(Received {
            at: now.into(),
            content: Recorded::Frame(frame.to_owned()),
            belief,
        });
    }

    fn mark(&mut self, event: MarkEvent, now: Timestamp) {
        let mark = RecordingMark {
            event,
            conn: self.connections,
            market: Some(self.market.raw().to_owned()),
            socket: self.socket,
        };
        self.received.push(Received::mark(mark, now));
    }

    /// An answer takes two lines: what it is, and itself.
    fn tell_answer(&mut self, subject: &ReadSubject, answer: &[u8], now: Timestamp) {
        let Ok(answer) = str::from_utf8(answer) else {
            return;
        };
        if answer.len() <= LONGEST_FRAME {
            self.mark(subject.into(), now);
            self.tell(answer, Belief::Believed, now);
        }
    }
}

impl From<&ReadSubject> for MarkEvent {
    fn from(subject: &ReadSubject) -> Self {
        match subject {
            ReadSubject::Book(_) => Self::WholeBook,
            ReadSubject::FundingHours => Self::FundingHours,
            ReadSubject::OpenInterest(_) => Self::OpenInterest,
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
        self.stream.frame(text, now);
        let refused = self.stream.refused();
        self.refused = self.refused.saturating_add(refused);
        if self.is_news(text) && self.end.is_none() {
            self.tell(text, Belief::of(refused), now);
        }
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
        std::mem::take(&mut self.refused)
    }

    fn ping(&mut self) -> Option<String> {
        self.stream.ping()
    }

    fn events(&mut self) -> Vec<Received> {
        // Decoded once more by who reads the lines.
        drop(self.stream.events());
        std::mem::take(&mut self.received)
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
const REFUSAL: &str = r#""sub_err""#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::{
        event::MarketEvent,
        recording::{DecodedLine, LineOutcome, compressed, market::MarketRecording},
        topic::StreamedMarket,
    };
    use std::io::Cursor;

    const START: i64 = 1_790_000_000_000;

    const fn at(millis: i64) -> Timestamp {
        Timestamp(START + millis)
    }

    fn wanting(socket: VenueSocket, market: &str) -> RecordedStream<VenueStream> {
        let id = MarketId::from(market);
        let mut stream = RecordedStream::of_venue(socket, id.clone());
        let channels = CHANNELS
            .into_iter()
            .filter(|channel| socket.carries(*channel));
        let topics = channels.map(|channel| Topic::of(channel, StreamedMarket::new(id.clone())));
        stream.want(topics.collect(), at(0));
        stream
    }

    /// What a file with these lines reports.
    fn replayed(lines: &[Received]) -> Vec<DecodedLine> {
        let text: String = lines.iter().map(|line| line.line().unwrap()).collect();
        let file = Cursor::new(compressed(&text).unwrap());
        let recording = MarketRecording::open(file, None).unwrap();
        recording.lines.map(Result::unwrap).collect()
    }

    fn books(received: &[DecodedLine]) -> usize {
        let events = received.iter().flat_map(|line| match &line.outcome {
            LineOutcome::Events(events) => events.as_slice(),
            LineOutcome::Gap => &[],
        });
        events
            .filter(|event| matches!(event, MarketEvent::Book { .. }))
            .count()
    }

    #[test]
    fn what_a_venue_tells_is_kept_as_it_came_and_what_it_answers_is_not() {
        let mut stream = wanting(VenueSocket::Hyperliquid, "hyperliquid|BTC");
        stream.query(at(0));
        stream.opened(at(0));
        stream.frame("Websocket connection established.", at(1));
        stream.frame(r#"{"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}}"#, at(2));
        stream.frame(r#"{"channel":"pong"}"#, at(3));
        let book = format!(
            r#"{{"channel":"l2Book","data":{{"coin":"BTC","time":{START},"levels":[[{{"px":"1","sz":"1"}}],[{{"px":"2","sz":"1"}}]]}}}}"#
        );
        stream.frame(&book, at(4));
        let received = stream.events();
        let kept: Vec<_> = received.iter().map(|line| line.at.timestamp()).collect();
        assert_eq!(kept, [at(0), at(4)], "the connection, and the book");
        assert_eq!(received[1].content, Recorded::Frame(book));
        assert_eq!(books(&replayed(&received)), 1);
    }

    #[test]
    fn a_market_that_its_service_refuses_has_told_nothing() {
        let mut stream = RecordedStream::of_service(MarketId::from("paper|NOPE"));
        stream.opened(at(0));
        stream.frame(
            r#"{"op": "sub_err", "id": 1, "error": "no such market"}"#,
            at(1),
        );
        let received = stream.events();
        assert!(
            matches!(
                received.as_slice(),
                [Received {
                    content: Recorded::Mark(_),
                    ..
                }]
            ),
            "{received:?}"
        );
    }

    #[test]
    fn a_book_that_comes_by_its_changes_is_replayed_from_the_answer_that_was_read() {
        let mut stream = wanting(VenueSocket::BinancePublic, "binance|BTCUSDT");
        stream.query(at(0));
        stream.opened(at(0));
        let change = |first: u64, last: u64, previous: u64| {
            format!(
                r#"{{"stream":"btcusdt@depth@100ms","data":{{"e":"depthUpdate","E":{START},"T":{START},"s":"BTCUSDT","U":{first},"u":{last},"pu":{previous},"b":[["100","2"]],"a":[]}}}}"#
            )
        };
        stream.frame(&change(90, 102, 89), at(10));
        let subject = ReadSubject::Book(MarketId::from("binance|BTCUSDT"));
        let answer = br#"{"lastUpdateId":100,"bids":[["100","1"]],"asks":[["101","1"]]}"#;
        stream.answer(subject, Some(answer), at(20));
        stream.frame(&change(103, 110, 102), at(30));
        let received = stream.events();
        assert_eq!(
            books(&replayed(&received)),
            2,
            "with the answer, and with the change after it"
        );
        // Other collectors write the answer among the frames.
        let is_whole = |line: &Received| match &line.content {
            Recorded::Mark(mark) => mark.event == MarkEvent::WholeBook,
            Recorded::Frame(_) => false,
        };
        let plain: Vec<_> = received
            .iter()
            .filter(|line| !is_whole(line))
            .cloned()
            .collect();
        assert_eq!(books(&replayed(&plain)), 2);
    }

    #[test]
    fn a_recording_by_day_takes_a_new_connection_at_midnight() {
        let mut stream = wanting(VenueSocket::Bybit, "bybit|BTCUSDT").by_day();
        let midnight = Timestamp((START / DAY + 1) * DAY);
        stream.query(at(0));
        stream.opened(at(0));
        stream.pass(Timestamp(midnight.0 - 1));
        assert_eq!(stream.end(), None);
        stream.pass(midnight);
        assert!(matches!(stream.end(), Some(LinkEnd::Fault(_))));
        stream.lost();
        stream.query(midnight);
        stream.opened(midnight);
        stream.pass(midnight);
        assert_eq!(stream.end(), None);
    }
}
