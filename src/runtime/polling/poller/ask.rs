//! One request to the service, and its answer as a message.

use super::{activity::PollActivity, beat::Beat, markets::MarketQueue};
use crate::runtime::polling::{
    cover::StreamCover,
    market_reads::{self, MarketReads, WantedCandles},
    streams::MarketsWanted,
};
use crate::{
    api::QuoteSize,
    app::{
        MarketAnswer, MarketRequest, Msg, ReadOnce,
        account::poll::{Answer, Poll, Source},
    },
    client::Client,
    config::ServiceKind,
    model::{Cursor, Failure, FailureKind, Market, MarketId, OrderId, Page, ScaledId, SizedQuote},
    runtime::base::{clock::Clock, in_flight::InFlight, jitter::Jitter},
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, mpsc::Sender, watch},
    time::sleep,
};

/// When a pause ends, commands go first: reads follow this much later.
const AFTER_COMMANDS: Duration = Duration::from_millis(250);

/// Quotes of one poll of the markets.
const QUOTES: usize = 1;
/// How long until a service that did not say what it is, is asked again.
const MEET_AGAIN: Duration = Duration::from_secs(15);

/// Pages read to find orders: a TWAP with slices every thirty seconds fills as many in eight hours.
const TRACED: usize = 20;
/// Reads of the evidence of an order, and the pause between two.
const EVIDENCE_READS: u32 = 5;
const EVIDENCE_PAUSE: Duration = Duration::from_secs(2);

/// What every request needs.
#[derive(Debug, Clone)]
pub(super) struct PollContext {
    pub client: Client,
    pub clock: Clock,
    pub events: Sender<Msg>,
    pub in_flight: InFlight,
    /// Requests that wait for the budget, in order of arrival.
    pub queue: Arc<Mutex<()>>,
    pub beat: Beat,
    pub markets: MarketQueue,
    pub activity: PollActivity,
    pub cover: StreamCover,
    /// What is requested of the market stream.
    pub wanted: watch::Sender<MarketsWanted>,
}

/// One request (or walk over pages), and where its rows belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PollRequest {
    Positions,
    Orders,
    Twaps,
    Scaled(ScaledId),
    Closed(Option<Cursor>),
    History(Option<Cursor>),
    Markets,
    Account,
}

impl PollRequest {
    /// The request that polls `source`; scaled orders have one each, by id.
    pub(super) fn of(source: Source) -> Option<Self> {
        match source {
            Source::Positions => Some(Self::Positions),
            Source::Orders => Some(Self::Orders),
            Source::Twaps => Some(Self::Twaps),
            Source::Scaled => None,
            Source::Closed => Some(Self::Closed(None)),
            Source::History => Some(Self::History(None)),
            Source::Markets => Some(Self::Markets),
            Source::Account => Some(Self::Account),
        }
    }
}

impl PollRequest {
    fn source(&self) -> Source {
        match self {
            Self::Positions => Source::Positions,
            Self::Orders => Source::Orders,
            Self::Twaps => Source::Twaps,
            Self::Scaled(_) => Source::Scaled,
            Self::Closed(_) => Source::Closed,
            Self::History(_) => Source::History,
            Self::Markets => Source::Markets,
            Self::Account => Source::Account,
        }
    }
}

impl PollContext {
    /// Asks the service what it is until it answers, and forwards the answer.
    pub(super) async fn meet(&self) {
        // The desk's own exchange needs no introduction.
        while self.client.connection().kind != ServiceKind::Simulator {
            match self.client.known_about().await {
                Ok(about) => {
                    return self.say(Msg::Met(Box::new(about.clone()))).await;
                }
                Err(_) => sleep(MEET_AGAIN).await,
            }
        }
    }

    /// Sends the request as soon as the service's pause and the budget allow, and forwards the answer. A list that the
    /// stream has changed meanwhile is read again: the answer could take the change back.
    ///
    /// Returns its failure, and whether the answer can still change.
    pub(super) async fn ask(&self, question: PollRequest, jitter: &mut Jitter) -> PollResult {
        let source = question.source();
        self.silence(jitter).await;
        let _in_flight = self.in_flight.begin();
        let mut poll = self.read(question.clone()).await;
        if poll.answer.trouble().is_none() && self.cover.has_changed(source) {
            self.silence(jitter).await;
            poll = self.read(question).await;
        }
        let new_markets = self.activity.learn(&poll.answer);
        self.stream_learns(&poll.answer);
        let result = PollResult {
            trouble: poll.answer.trouble().cloned(),
            is_final: is_final(&poll.answer),
        };
        self.say(Msg::Polled(Box::new(poll))).await;
        self.price(&new_markets);
        result
    }

    pub(super) async fn read_once(&self, read: ReadOnce, jitter: &mut Jitter) {
        let page = match read {
            ReadOnce::MoreClosed(cursor) => PollRequest::Closed(Some(cursor)),
            ReadOnce::MoreHistory(cursor) => PollRequest::History(Some(cursor)),
            ReadOnce::Trace(orders) => return self.trace(orders, jitter).await,
            ReadOnce::Evidence(order) => return self.evidence(&order, jitter).await,
            ReadOnce::Market(market, request) => {
                return self.market(market, request, jitter).await;
            }
        };
        self.ask(page, jitter).await;
    }

    async fn read(&self, question: PollRequest) -> Poll {
        self.cover.begins(question.source());
        Poll {
            at: self.clock.now(),
            answer: self.answer(question).await,
        }
    }

    /// What an answer means for the streams.
    fn stream_learns(&self, answer: &Answer) {
        self.cover.polled(answer.source(), answer.trouble());
        let held = self.activity.wanted();
        self.stream_wants(|wanted| {
            wanted.held = held;
            if let Answer::Markets(Ok(markets)) = answer {
                wanted.list(markets);
            }
        });
    }

    pub(super) fn stream_wants(&self, change: impl FnOnce(&mut MarketsWanted)) {
        self.wanted.send_if_modified(|wanted| {
            let before = wanted.clone();
            change(wanted);
            *wanted != before
        });
    }

    /// Where markets are quoted one by one, a new one is not left without a price until the next poll.
    pub(super) fn price(&self, new_markets: &BTreeSet<MarketId>) {
        if !new_markets.is_empty() && !self.client.is_known_simulator() {
            self.activity.markets_nudge.notify_one();
        }
    }

    /// Asks about a market, unless the same request still waits or its turn is too far away. Otherwise its answer always
    /// comes, so that the desk knows when to ask again.
    pub(super) async fn market(
        &self,
        market: MarketId,
        request: MarketRequest,
        jitter: &mut Jitter,
    ) {
        let Some(place) = self.markets.enter(&market, request) else {
            return;
        };
        if !self.markets.turn(self.client.polls_per_minute()).await {
            self.markets.leave(&place);
            return;
        }
        self.silence(jitter).await;
        let at = self.clock.now();
        let answer = self.market_answer(&market, request).await;
        self.markets.leave(&place);
        self.say(Msg::MarketData(market, at, answer)).await;
    }

    async fn market_answer(&self, market: &MarketId, request: MarketRequest) -> MarketAnswer {
        let client = &self.client;
        let (named, is_by_venue) = {
            let wanted = self.wanted.borrow();
            (wanted.named(market), wanted.by_venue.includes(market))
        };
        let reads = MarketReads {
            client,
            venues: client.venues().filter(|_| is_by_venue),
        };
        match request {
            MarketRequest::Candles {
                interval,
                before,
                limit,
            } => {
                let wanted = WantedCandles {
                    interval,
                    before,
                    limit,
                };
                let now = self.clock.now();
                let page = market_reads::candles(reads, &named, wanted, now).await;
                MarketAnswer::Candles(interval, before, page)
            }
            MarketRequest::Book { depth } => {
                MarketAnswer::Book(market_reads::book(reads, &named, depth).await)
            }
            MarketRequest::Trades { limit } => {
                MarketAnswer::Trades(market_reads::trades(reads, &named, limit).await)
            }
            MarketRequest::Quote { side, size } => {
                let quote = client.quote(market, Some(QuoteSize { side, size })).await;
                MarketAnswer::Quote(quote.map(|quote| SizedQuote { side, size, quote }))
            }
        }
    }

    /// Searches page by page, each in its turn, until all orders are found, a page fails or the limit is reached.
    pub(super) async fn trace(&self, wanted: Vec<OrderId>, jitter: &mut Jitter) {
        let mut missing: BTreeSet<_> = wanted.iter().cloned().collect();
        let (mut found, mut cursor) = (vec![], None);
        for _ in 0..TRACED {
            self.silence(jitter).await;
            let Ok(page) = self.client.orders(cursor.take()).await else {
                break;
            };
            let rows = page.rows.into_iter();
            found.extend(rows.filter(|order| missing.remove(&order.id)));
            cursor = page.next;
            if cursor.is_none() || missing.is_empty() {
                break;
            }
        }
        self.say(Msg::Traced(wanted, found)).await;
    }

    /// An order without evidence shows none. A read that may be answered later is repeated.
    pub(super) async fn evidence(&self, order: &OrderId, jitter: &mut Jitter) {
        for _ in 0..EVIDENCE_READS {
            self.silence(jitter).await;
            match self.client.evidence(order).await {
                Ok(Some(evidence)) => return self.say(Msg::Evidence(Box::new(evidence))).await,
                Err(why) if why.is_passing() => {
                    sleep(self.client.timeouts().scaled(EVIDENCE_PAUSE)).await;
                }
                Ok(None) | Err(_) => return,
            }
        }
    }

    pub(super) async fn say(&self, msg: Msg) {
        // The desk is shutting down: nobody receives it.
        let _closed = self.events.send(msg).await;
    }

    /// Returns when the pause is over and the budget allows a poll.
    async fn silence(&self, jitter: &mut Jitter) {
        let _turn = self.queue.lock().await;
        loop {
            let (pause, wait) = (self.client.pause_left(), self.client.wait());
            if wait.is_zero() {
                return;
            }
            let after = if pause.is_zero() {
                Duration::ZERO
            } else {
                AFTER_COMMANDS + AFTER_COMMANDS * jitter.per_mille() / 1000
            };
            sleep(wait + after).await;
        }
    }

    async fn answer(&self, question: PollRequest) -> Answer {
        let client = &self.client;
        match question {
            PollRequest::Positions => Answer::Positions(client.open_positions().await),
            PollRequest::Orders => Answer::Orders(client.working_orders().await),
            PollRequest::Twaps => Answer::Twaps(client.active_twaps().await),
            PollRequest::Scaled(id) => {
                let scaled = client.scaled(&id).await.map(Box::new);
                Answer::Scaled(id, scaled)
            }
            PollRequest::Closed(None) => Answer::Closed(client.closed_positions(None).await),
            PollRequest::Closed(Some(cursor)) => {
                let page = client.closed_positions(Some(cursor.clone())).await;
                Answer::MoreClosed(cursor, page)
            }
            PollRequest::History(None) => Answer::History(client.orders(None).await),
            PollRequest::History(Some(cursor)) => {
                let page = client.orders(Some(cursor.clone())).await;
                Answer::MoreHistory(cursor, page)
            }
            PollRequest::Markets => {
                let markets = client.markets(&self.activity.wanted(), QUOTES).await;
                Answer::Markets(markets.and_then(readable))
            }
            PollRequest::Account => Answer::Account(client.account_facts().await),
        }
    }
}

/// The result of a request.
#[derive(Debug)]
pub(super) struct PollResult {
    pub trouble: Option<Failure>,
    /// Another read is not expected to bring anything new.
    pub is_final: bool,
}

/// A market without a readable price is left out; a source without any readable one fails.
fn readable(page: Page<Market>) -> Result<Vec<Market>, Failure> {
    match page.unreadable.into_iter().next() {
        Some(why) if page.rows.is_empty() => Err(Failure::new(FailureKind::Unreadable, why)),
        _ => Ok(page.rows),
    }
}

/// A scaled order that ended or is gone.
fn is_final(answer: &Answer) -> bool {
    let Answer::Scaled(_, result) = answer else {
        return false;
    };
    match result {
        Ok(scaled) => scaled.completed_at.is_some() || scaled.canceled_at.is_some(),
        Err(why) => why.kind == FailureKind::NotFound,
    }
}
