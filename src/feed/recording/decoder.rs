//! The frames of one market through the decoders of its live feed.

use super::{Belief, MarkEvent, Nanos, Recorded, RecordedLine, RecordingMark};
use crate::{
    feed::{
        Stream,
        event::MarketEvent,
        market::MarketStream,
        recorded_stream::CHANNELS,
        rest_read::ReadSubject,
        topic::{StreamedMarket, Topic},
        venue::{VenueSocket, stream::VenueStream},
    },
    model::{MarketId, Timestamp, Venue},
};
use strum::IntoEnumIterator as _;

/// What a line reports of its market.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DecodedLine {
    /// From 0.
    pub(crate) line: u64,
    pub(crate) received: Nanos,
    /// The number of the connection.
    pub(crate) conn: u64,
    pub(crate) outcome: LineOutcome,
    pub(crate) belief: Belief,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LineOutcome {
    /// Empty for a frame that is not believed, or reports nothing new.
    Events(Vec<MarketEvent>),
    /// Something is missing from here on.
    Gap,
}

/// A whole book of Binance as its REST answer begins: collectors write it among the frames.
const WHOLE_BOOK: &str = "{\"lastUpdateId\"";
/// Without an answer fundings are as far apart as is usual there.
const USUAL_FUNDING: &[u8] = b"[]";

type MarketDecoder = Box<dyn Stream<Event = MarketEvent> + Send>;

/// One decoder for each socket of the market's venue; for other providers that of a service's stream.
pub(crate) struct FrameDecoder {
    market: StreamedMarket,
    sockets: Vec<(Option<VenueSocket>, MarketDecoder)>,
    conn: u64,
    /// What the next line is an answer to.
    answer: Option<ReadSubject>,
    is_open: bool,
}

impl FrameDecoder {
    pub(crate) fn new(market: MarketId) -> Self {
        let market = StreamedMarket::new(market);
        let sockets = match Venue::of(&market.provider) {
            None => vec![(None, Box::new(MarketStream::default()) as MarketDecoder)],
            Some(venue) => VenueSocket::iter()
                .filter(|socket| socket.venue() == venue)
                .map(|socket| {
                    let decoder: MarketDecoder = Box::new(VenueStream::new(socket));
                    (Some(socket), decoder)
                })
                .collect(),
        };
        Self {
            market,
            sockets,
            conn: 0,
            answer: None,
            is_open: false,
        }
    }

    pub(crate) fn take(&mut self, line: RecordedLine) -> DecodedLine {
        let RecordedLine {
            number,
            received,
            content,
        } = line;
        let now = received.timestamp();
        let outcome = match content {
            Recorded::Mark(mark) => self.mark(&mark, now),
            Recorded::Frame(frame) => LineOutcome::Events(self.frame(&frame, now)),
        };
        let decoders = self.sockets.iter_mut();
        let refused = decoders.map(|(_, decoder)| decoder.refused()).sum();
        DecodedLine {
            line: number,
            received,
            conn: self.conn,
            outcome,
            belief: Belief::of(refused),
        }
    }

    fn mark(&mut self, mark: &RecordingMark, now: Timestamp) -> LineOutcome {
        match mark.event {
            MarkEvent::Open => {
                self.conn = mark.conn;
                self.open(mark.socket, now);
            }
            MarkEvent::Gap => return LineOutcome::Gap,
            MarkEvent::WholeBook => self.answer = Some(ReadSubject::Book(self.market.id.clone())),
            MarkEvent::FundingHours => self.answer = Some(ReadSubject::FundingHours),
            MarkEvent::OpenInterest => {
                self.answer = Some(ReadSubject::OpenInterest(self.market.id.clone()));
            }
            MarkEvent::End => {}
        }
        LineOutcome::Events(vec![])
    }

    /// A connection begins: of this socket, or of all of them.
    fn open(&mut self, opened: Option<VenueSocket>, now: Timestamp) {
        self.is_open = true;
        let sockets = self.sockets.iter_mut();
        for (socket, decoder) in sockets.filter(|(socket, _)| opened.is_none() || opened == *socket)
        {
            let carries = |socket: VenueSocket, channel| socket.carries(channel);
            let topics = CHANNELS.into_iter();
            let topics =
                topics.filter(|channel| socket.is_none_or(|socket| carries(socket, *channel)));
            let topics = topics.map(|channel| Topic::of(channel, self.market.clone()));
            decoder.lost();
            decoder.want(topics.collect(), now);
            decoder.query(now);
            decoder.opened(now);
            decoder.answer(ReadSubject::FundingHours, Some(USUAL_FUNDING), now);
        }
    }

    fn frame(&mut self, frame: &str, now: Timestamp) -> Vec<MarketEvent> {
        if !self.is_open {
            self.open(None, now);
        }
        let is_whole = frame.starts_with(WHOLE_BOOK);
        let of_market = || ReadSubject::Book(self.market.id.clone());
        let subject = self.answer.take().or_else(|| is_whole.then(of_market));
        let mut events = vec![];
        for (_, decoder) in &mut self.sockets {
            match &subject {
                Some(subject) => decoder.answer(subject.clone(), Some(frame.as_bytes()), now),
                None => decoder.frame(frame, now),
            }
            // What it would request was requested when this was recorded.
            drop(decoder.requests(now));
            events.extend(decoder.events());
        }
        events
    }
}
