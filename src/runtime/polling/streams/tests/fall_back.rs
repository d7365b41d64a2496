//! Which source serves a market, on paused time.

use super::super::{
    market::{FALL_BACK_AFTER, MarketSources, tell},
    tests::context,
    *,
};
use crate::{
    app::{MarketAnswer, Msg, StreamNews},
    client::testing::responder::connection,
    feed::event::{Stats, Tick},
    model::{Book, Dated, Level, MarketId, Num, Patch, Timestamp},
};
use std::time::Duration;
use tokio::{
    sync::mpsc::Sender,
    time::{Instant, timeout, timeout_at},
};

/// Longer than the desk waits for anything to be reported.
const BEAT: Duration = Duration::from_millis(150);

fn btc() -> MarketId {
    "binance|BTCUSDT".into()
}

fn eth() -> MarketId {
    "binance|ETHUSDT".into()
}

/// A desk with a stream of its service and a venue, of which the test says what they say.
struct Sources {
    service: Sender<Signal<MarketEvent>>,
    venues: Sender<Signal<MarketEvent>>,
    context: StreamContext,
    mail: Receiver<Msg>,
    _task: JoinSet<()>,
}

impl Sources {
    fn begin() -> Self {
        let (context, mail) = context(connection("http://127.0.0.1:1"));
        let (service, of_service) = channel(8);
        let (venues, of_venues) = channel(8);
        let sources = MarketSources {
            service: Some(of_service),
            venues: Some(of_venues),
        };
        let mut task = JoinSet::new();
        task.spawn(tell(context.clone(), sources));
        Self {
            service,
            venues,
            context,
            mail,
            _task: task,
        }
    }

    /// With the service's stream up.
    async fn up() -> Self {
        let mut sources = Self::begin();
        sources.service.send(Signal::Up).await.unwrap();
        assert_eq!(sources.news().await, [StreamNews::Up(StreamKind::Market)]);
        sources
    }

    /// What the desk receives within the next beat.
    async fn news(&mut self) -> Vec<StreamNews> {
        let (end, mut told) = (Instant::now() + BEAT, vec![]);
        while let Ok(Some(Msg::Streamed(_, news))) = timeout_at(end, self.mail.recv()).await {
            told.push(*news);
        }
        told
    }

    /// Market and best bid of each book that the desk receives within the next beat.
    async fn books(&mut self) -> Vec<(MarketId, i64)> {
        let mut books = vec![];
        for news in self.news().await {
            let StreamNews::Markets { answers, .. } = news else {
                continue;
            };
            books.extend(answers.into_iter().filter_map(|(market, answer)| {
                let MarketAnswer::Book(Ok(Some(book))) = answer else {
                    return None;
                };
                Some((market, book.value.best(crate::model::Side::Buy)?.to_i64()?))
            }));
        }
        books
    }

    /// Both send a book of this market: the service at 100, the venue at 200.
    async fn tells(&self, market: &MarketId) {
        let told = |bid| Signal::Events(vec![book(market, bid)]);
        self.service.send(told(100)).await.unwrap();
        self.venues.send(told(200)).await.unwrap();
    }
}

fn book(market: &MarketId, bid: i64) -> MarketEvent {
    let level = |price: i64| Level {
        price: price.into(),
        size: Num::ONE,
    };
    MarketEvent::Book {
        market: market.clone(),
        book: Dated::undated(Book::new(vec![level(bid)], vec![level(bid + 1)])),
    }
}

fn by_venue(markets: &[MarketId]) -> StreamNews {
    StreamNews::ByVenue(VenueMarkets::Only(markets.iter().cloned().collect()))
}

#[tokio::test(start_paused = true)]
async fn the_venue_serves_the_markets_while_the_stream_of_the_service_is_down() {
    let mut sources = Sources::up().await;
    sources.tells(&btc()).await;
    assert_eq!(sources.books().await, [(btc(), 100)]);
    let lost_at = Instant::now();
    sources
        .service
        .send(Signal::Down(String::new()))
        .await
        .unwrap();
    let down = StreamNews::Down(StreamKind::Market);
    assert_eq!(sources.news().await, std::slice::from_ref(&down));
    let news = timeout(FALL_BACK_AFTER, sources.mail.recv()).await;
    let Ok(Some(Msg::Streamed(_, news))) = news else {
        panic!("{news:?}");
    };
    assert_eq!(*news, StreamNews::ByVenue(VenueMarkets::All));
    assert_eq!(lost_at.elapsed(), FALL_BACK_AFTER);
    assert!(sources.context.wanted.borrow().by_venue.includes(&btc()));
    sources.venues.send(Signal::Up).await.unwrap();
    let up = StreamNews::Up(StreamKind::Market);
    assert_eq!(sources.news().await, std::slice::from_ref(&up));
    // The service reports what it has before it is up again: the venue serves until then.
    sources.tells(&btc()).await;
    assert_eq!(sources.books().await, [(btc(), 200)]);
    sources.service.send(Signal::Up).await.unwrap();
    assert_eq!(sources.news().await[..2], [by_venue(&[]), up]);
    sources.tells(&btc()).await;
    assert_eq!(sources.books().await, [(btc(), 100)]);
}

#[tokio::test(start_paused = true)]
async fn what_the_service_tells_before_it_is_up_again_is_shown_as_soon_as_it_is() {
    let mut sources = Sources::begin();
    tokio::time::sleep(FALL_BACK_AFTER).await;
    assert_eq!(
        sources.news().await,
        [StreamNews::ByVenue(VenueMarkets::All)]
    );
    let snapshot = Signal::Events(vec![book(&btc(), 100)]);
    sources.service.send(snapshot).await.unwrap();
    assert_eq!(sources.books().await, []);
    sources.service.send(Signal::Up).await.unwrap();
    assert_eq!(sources.books().await, [(btc(), 100)]);
}

#[tokio::test(start_paused = true)]
async fn a_book_that_waited_for_its_source_to_be_believed_is_not_shown_as_one_of_now() {
    let mut sources = Sources::begin();
    let snapshot = Signal::Events(vec![book(&btc(), 100)]);
    tokio::time::sleep(FALL_BACK_AFTER * 2).await;
    sources.news().await;
    sources.service.send(snapshot).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    sources.service.send(Signal::Up).await.unwrap();
    assert_eq!(sources.books().await, []);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_back_within_two_seconds_is_not_replaced() {
    let mut sources = Sources::up().await;
    sources
        .service
        .send(Signal::Down(String::new()))
        .await
        .unwrap();
    tokio::time::sleep(FALL_BACK_AFTER / 2).await;
    sources.service.send(Signal::Up).await.unwrap();
    tokio::time::sleep(FALL_BACK_AFTER * 2).await;
    let kind = StreamKind::Market;
    assert_eq!(
        sources.news().await,
        [StreamNews::Down(kind), StreamNews::Up(kind)]
    );
    assert_eq!(
        sources.context.wanted.borrow().by_venue,
        VenueMarkets::default()
    );
}

#[tokio::test(start_paused = true)]
async fn a_market_that_the_service_refuses_comes_from_its_venue_and_the_others_from_the_service() {
    let mut sources = Sources::up().await;
    let refused = |markets: &[MarketId]| {
        let markets = markets.iter().cloned().collect();
        Signal::Events(vec![MarketEvent::Refused { markets }])
    };
    sources.service.send(refused(&[eth()])).await.unwrap();
    assert_eq!(sources.news().await, [by_venue(&[eth()])]);
    sources.tells(&btc()).await;
    sources.tells(&eth()).await;
    let mut books = sources.books().await;
    books.sort();
    assert_eq!(books, [(btc(), 100), (eth(), 200)]);
    sources.service.send(refused(&[])).await.unwrap();
    assert_eq!(sources.news().await[0], by_venue(&[]));
    sources.tells(&eth()).await;
    assert_eq!(sources.books().await, [(eth(), 100)]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_was_late_still_refuses_what_it_refused_before() {
    let mut sources = Sources::up().await;
    let markets = [eth()].into();
    let refused = Signal::Events(vec![MarketEvent::Refused { markets }]);
    for signal in [refused, Signal::Down(String::new()), Signal::Up] {
        sources.service.send(signal).await.unwrap();
    }
    sources.news().await;
    sources.tells(&eth()).await;
    assert_eq!(sources.books().await, [(eth(), 200)]);
}

/// Mark and funding of the only price that the desk receives within the next beat.
async fn mark(sources: &mut Sources) -> (Patch, Patch) {
    let news = sources.news().await;
    let [StreamNews::Markets { prices, .. }] = news.as_slice() else {
        panic!("{news:?}");
    };
    (prices[0].mark, prices[0].funding_rate)
}

fn priced(mark: Option<u32>) -> Signal<MarketEvent> {
    let stats = Stats {
        mark: mark.map(Num::from),
        funding_rate: mark.map(|_| Num::ONE),
        ..Stats::default()
    };
    Signal::Events(vec![MarketEvent::Stats {
        market: btc(),
        stats,
    }])
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_the_statistics_clear_is_cleared_and_one_that_they_never_told_is_kept() {
    let mut sources = Sources::up().await;
    sources.service.send(priced(None)).await.unwrap();
    assert_eq!(mark(&mut sources).await, (Patch::Keep, Patch::Keep));
    sources.service.send(priced(Some(100))).await.unwrap();
    let is = |number: u32| Patch::Is(Some(number.into()));
    assert_eq!(mark(&mut sources).await, (is(100), is(1)));
    sources.service.send(priced(None)).await.unwrap();
    sources.service.send(priced(None)).await.unwrap();
    assert_eq!(mark(&mut sources).await, (Patch::Is(None), Patch::Is(None)));
}

#[tokio::test(start_paused = true)]
async fn a_tick_is_the_mark_only_where_the_statistics_tell_none_for_long() {
    let mut sources = Sources::up().await;
    let tick = || {
        let tick = Tick {
            price: 99_u32.into(),
            bid: None,
            ask: None,
            at: Some(Timestamp(1)),
        };
        Signal::Events(vec![MarketEvent::Tick {
            market: btc(),
            tick,
        }])
    };
    sources.service.send(tick()).await.unwrap();
    assert_eq!(
        mark(&mut sources).await.0,
        Patch::Keep,
        "its statistics may follow"
    );
    tokio::time::sleep(Duration::from_secs(3)).await;
    sources.service.send(tick()).await.unwrap();
    assert_eq!(mark(&mut sources).await.0, Patch::Is(Some(99_u32.into())));
    sources.service.send(priced(Some(100))).await.unwrap();
    sources.service.send(tick()).await.unwrap();
    assert_eq!(mark(&mut sources).await.0, Patch::Is(Some(100_u32.into())));
}
