//! Hours of a market: short forms here, and the long ones by the variables that docs/verification.md lists.

use super::{BTC, START, Sample, market, options, replaying};
use crate::{
    exchange::{
        LiveFeed, ReceivedSource,
        engine::{AccountIx, PlaceMode, Px, Side},
        open,
    },
    feed::{
        Stream as _,
        recorded_stream::{CHANNELS, RecordedStream},
        recording::{MarkEvent, Received, RecordingMark},
        topic::{StreamedMarket, Topic},
        venue::VenueSocket,
    },
    model::{MarketId, Timestamp},
};
use std::{env, io::Write as _};
use tempfile::TempDir;
use tokio::time::Instant;

fn number(variable: &str, usual: i64) -> i64 {
    env::var(variable).map_or(usual, |text| text.parse().unwrap())
}

#[test]
fn a_replay_with_many_resting_orders_reaches_its_end() {
    let minutes = number("PERPDECK_REPLAY_MINUTES", 2);
    let home = TempDir::new().unwrap();
    let file = Sample::default()
        .walk(minutes * 120)
        .in_dir(&home, "btc.txt");
    let mut exchange = replaying(&[file]);
    exchange.runs_to(1_000);
    let orders = number("PERPDECK_REPLAY_ORDERS", 40);
    for number in 0..orders {
        // Far from the market, so that they rest all the time.
        let price = Px(900_000 - 10 * number);
        let _full = exchange.places(Side::Buy, 20, PlaceMode::Limit { price });
    }
    let account = AccountIx::from(0);
    let resting = exchange.engine.working_orders(account).count();
    assert!(resting >= 40, "{resting}");
    let began = Instant::now();
    exchange.runs_to(minutes * 60_000);
    let took = began.elapsed();
    let words = format!("{minutes} min with {resting} resting orders took {took:?}");
    writeln!(std::io::stderr(), "{words}").unwrap();
    assert_eq!(exchange.engine.working_orders(account).count(), resting);
}

/// A venue in virtual time: what it sends, and when its connection is cut.
struct Venue {
    stream: RecordedStream<crate::feed::venue::stream::VenueStream>,
    feed: LiveFeed,
}

impl Venue {
    fn connects(&mut self, at: Timestamp) {
        self.stream.query(at);
        self.stream.opened(at);
    }

    async fn passes_on(&mut self) {
        for line in self.stream.events() {
            self.feed.tell(0, line).await.unwrap();
        }
    }

    /// As the task of a socket reports it.
    async fn is_cut(&mut self, at: Timestamp) {
        self.stream.lost();
        let mark = RecordingMark {
            event: MarkEvent::Gap,
            conn: 0,
            market: None,
            socket: None,
        };
        let gap = Received::mark(mark, at);
        self.feed.tell(0, gap).await.unwrap();
    }
}

#[tokio::test]
async fn hours_of_a_venue_whose_connection_is_cut_twenty_times_fill_nothing_without_a_frame() {
    let hours = number("PERPDECK_FEED_HOURS", 1);
    let halves = hours * 7_200;
    let cut_every = halves / 21;
    let id = MarketId::from(BTC);
    let (feed, source) = LiveFeed::new(vec![id.clone()]);
    let mut stream = RecordedStream::of_venue(VenueSocket::Hyperliquid, id.clone());
    let topics = CHANNELS.map(|channel| Topic::of(channel, StreamedMarket::new(id.clone())));
    stream.want(topics.into(), Timestamp(START));
    let mut venue = Venue { stream, feed };
    venue.connects(Timestamp(START));
    let sample = Sample::default().walk(halves);
    let (mut exchange, mut placed) = (None, vec![]);
    let (mut cuts, mut gaps, mut is_down) = (0, 0, false);
    for (number, line) in (0_i64..).zip(sample.text.lines()) {
        let (at, frame) = line.split_once(' ').unwrap();
        let at = Timestamp(at.parse::<i64>().unwrap() / 1_000_000);
        let passed = at.0 - START;
        // Two frames make a half second. A cut lasts ten seconds.
        let half = passed / 500;
        if half > 20 && half % cut_every == 0 && !is_down && cuts < 20 {
            (cuts, is_down) = (cuts + 1, true);
            venue.is_cut(at).await;
        }
        if is_down && half % cut_every == 20 {
            is_down = false;
            venue.connects(at);
        }
        if !is_down {
            venue.stream.frame(frame, at);
            venue.passes_on().await;
        }
        if number == 3 {
            exchange = open(options(Some(ReceivedSource::Live(source.clone())), None)).ok();
        }
        let Some(exchange) = &mut exchange else {
            continue;
        };
        exchange.runs_to(passed);
        gaps += i32::from(exchange.engine.gap_since(market()).is_some());
        if number % 97 == 0 {
            let price = exchange.report().bid.unwrap_or(Px(1_000_000));
            placed.extend(exchange.places(Side::Buy, 1_000, PlaceMode::Limit { price }));
            placed.extend(exchange.places(Side::Sell, 1_000, PlaceMode::Market));
        }
    }
    let exchange = exchange.unwrap();
    assert_eq!(cuts, 20);
    assert!(gaps > 100, "{gaps}");
    let account = AccountIx::from(0);
    // The evidence of some thousand fills is kept.
    let newest = placed.iter().rev().take(2_000);
    let kept = newest.filter_map(|id| exchange.engine.order_evidence(account, *id));
    let mut fills = 0;
    for order in kept {
        let rests_on: i64 = order.fills.iter().map(|fill| fill.size.0).sum();
        assert_eq!(rests_on, order.filled.0);
        fills += order.fills.len();
    }
    assert!(fills > 20, "{fills}");
}
