//! Exchanges on recordings and on a live feed.

mod damaged;
mod long;
mod sample;

use super::{
    LiveFeed, LiveSource, ReceivedSource, ReplayEnd, ReplayOptions, convert::FrameConverter,
};
use crate::{
    exchange::{
        ClockMode, ExchangeOptions, Scenario, SimulatorAccess, StartFault,
        engine::{
            AccountIx, AttachedExits, CandleRange, CommandOutcome, EngineCommand, ExitOverlap,
            FillCause, FillEvidence, FrameOrigin, Interval, LiquidityRole, Lots, MarginMode,
            MarketIx, MarketReport, Millis, NanoPx, NanoRate, OrderId, OrderParams, PlaceMode, Px,
            Reduction, Side, Tif,
        },
        message::{ApiRequest, Execution},
        open,
        received::Reached,
        sim::{self, SimRoute},
        store::LoadedExchange,
    },
    feed::{
        event::{MarketEvent, Tick},
        recording::{Belief, DecodedLine, LineOutcome, MarkEvent, Nanos, Received, RecordingMark},
        venue::VenueSocket,
    },
    model::{MarketId, Num, Timestamp},
};
use hyper::HeaderMap;
use sample::{START, Sample};
use std::{env, path::PathBuf};
use tempfile::TempDir;

const BTC: &str = "hyperliquid|BTC";

fn market() -> MarketIx {
    MarketIx::from(0)
}

fn replay(files: &[PathBuf], end: ReplayEnd) -> ReceivedSource {
    ReceivedSource::Replay(ReplayOptions {
        files: files.to_vec(),
        market: Some(MarketId::from(BTC)),
        end,
    })
}

fn options(source: Option<ReceivedSource>, data_dir: Option<PathBuf>) -> ExchangeOptions {
    let scenario = Scenario::parse(include_str!("../../../tests/support/bare.toml")).unwrap();
    ExchangeOptions {
        scenario: match source {
            Some(source) => scenario.on_received(source),
            None => scenario,
        },
        start: Timestamp(0),
        pace: Some(ClockMode::Paused),
        data_dir,
        simulator: SimulatorAccess::Served,
    }
}

/// An exchange in memory on these files.
fn replaying(files: &[PathBuf]) -> LoadedExchange {
    open(options(Some(replay(files, ReplayEnd::Stop)), None)).unwrap()
}

impl LoadedExchange {
    /// Virtual time is so many milliseconds after the start of the sample.
    fn runs_to(&mut self, millis: i64) -> Reached {
        let markets = self.markets.as_mut().unwrap();
        markets.advance_to(&mut self.engine, Millis(START + millis))
    }

    fn report(&self) -> MarketReport {
        self.engine.market_facts(market())
    }

    /// The order, unless it is refused.
    fn places(&mut self, side: Side, lots: i64, mode: PlaceMode) -> Option<OrderId> {
        let order = OrderParams {
            market: market(),
            side,
            size: Lots(lots),
            leverage: 10,
            margin_mode: MarginMode::Cross,
            expected_price: NanoPx::ZERO,
            reduction: Reduction::May,
            tif: Tif::Gtc,
            slippage: None,
            exits: AttachedExits::default(),
            overlap: ExitOverlap::Replaced,
            mode,
            client_order_id: None,
        };
        let account = AccountIx::from(0);
        match self.engine.apply(account, EngineCommand::Place(order)) {
            Ok(CommandOutcome::Order(id)) => Some(id),
            _ => None,
        }
    }

    /// Trades on every fifth step of the sample's walk until `until`.
    fn trades_until(&mut self, from: i64, until: i64) {
        for at in (from..until).step_by(1_250) {
            self.runs_to(at);
            let price = self.report().bid.unwrap();
            let _ = self.places(Side::Buy, 10_000, PlaceMode::Limit { price });
            let side = if at % 2_500 == 0 {
                Side::Sell
            } else {
                Side::Buy
            };
            let _ = self.places(side, 20_000, PlaceMode::Market);
        }
        self.runs_to(until);
    }
}

#[test]
fn a_received_market_has_the_leverage_that_the_scenario_gives_its_symbol_and_else_20() {
    let home = TempDir::new().unwrap();
    let file = Sample::default().walk(4).in_dir(&home, "btc.txt");
    let leverage = |scenario: &str| {
        let source = replay(std::slice::from_ref(&file), ReplayEnd::Stop);
        let scenario = Scenario::parse(scenario).unwrap().on_received(source);
        let exchange = open(ExchangeOptions {
            scenario,
            ..options(None, None)
        });
        let exchange = exchange.unwrap();
        exchange.engine.market_spec(market()).max_leverage
    };
    let bare = include_str!("../../../tests/support/bare.toml");
    assert_eq!(leverage(bare), 40);
    assert_eq!(leverage(&bare.replace("\"BTC\"", "\"XRP\"")), 20);
}

#[test]
fn a_replay_begins_at_its_first_frame_with_the_figures_of_its_venue() {
    let home = TempDir::new().unwrap();
    let file = Sample::default().walk(20).in_dir(&home, "btc.txt");
    let mut exchange = replaying(&[file]);
    assert_eq!(exchange.engine.now(), Millis(START));
    let best = |side| {
        let best = exchange.engine.book_levels(market(), side).next().unwrap();
        (best.px, best.size)
    };
    let touch = [Side::Buy, Side::Sell].map(best);
    let first = exchange.report();
    assert_eq!(
        touch,
        [
            (Px(1_000_000), Lots(150_000)),
            (Px(1_000_010), Lots(120_000))
        ]
    );
    assert_eq!(
        first.mark,
        Px(1_000_005),
        "the middle, until a mark is told"
    );
    exchange.runs_to(250);
    let told = exchange.report();
    assert_eq!((told.mark, told.oracle), (Px(1_000_005), Px(1_000_010)));
    assert_eq!(told.funding_rate, NanoRate(12_500));
    let fees = [LiquidityRole::Taker, LiquidityRole::Maker];
    assert_eq!(fees.map(|role| exchange.engine.fee_rate(role)), [45, 15]);
    assert_eq!(exchange.engine.trades(market(), None).count(), 0, "history");
}

#[test]
fn candles_are_of_what_the_recording_traded_and_nothing_is_invented_before_it() {
    let home = TempDir::new().unwrap();
    let file = Sample::default().walk(20).in_dir(&home, "btc.txt");
    let mut exchange = replaying(&[file]);
    exchange.runs_to(9_500);
    let range = CandleRange {
        interval: Interval::Minute1,
        before: None,
        limit: 500,
    };
    let candles = exchange.engine.candles(market(), range).reports();
    assert_eq!(candles.len(), 1);
    assert!(!candles[0].is_synthetic);
    assert_eq!(candles[0].candle.trades, 9);
}

#[test]
fn the_same_recording_and_commands_give_one_history_however_often() {
    let home = TempDir::new().unwrap();
    let file = Sample::default().walk(80).in_dir(&home, "btc.txt");
    let times = env::var("PERPDECK_REPLAYS").map_or(5, |count| count.parse().unwrap());
    let mut hashes = (0..times).map(|_| {
        let mut exchange = replaying(std::slice::from_ref(&file));
        exchange.trades_until(0, 40_000);
        (exchange.engine.log_hash(), exchange.engine.log_len())
    });
    let first = hashes.next().unwrap();
    assert!(hashes.all(|hash| hash == first));
}

/// What `order` has for evidence: cause, line and size of each fill.
fn fills(exchange: &LoadedExchange, order: OrderId) -> Vec<(FillCause, u64, i64)> {
    let evidence = exchange.engine.order_evidence(AccountIx::from(0), order);
    let fill = |fill: &FillEvidence| (fill.cause, fill.frame.source.line, fill.size.0);
    evidence.unwrap().fills.into_iter().map(fill).collect()
}

/// 25 seconds of Hyperliquid's BTC, as its file is replayed: the fills are those that the engine's own tests expect.
#[test]
#[ignore = "reads a recording: PERPDECK_SAMPLE names its file"]
fn the_file_of_the_real_sample_fills_by_its_books_and_prints() {
    let path = env::var_os("PERPDECK_SAMPLE").expect("PERPDECK_SAMPLE names the recording");
    let file = PathBuf::from(path);
    let until =
        |exchange: &mut LoadedExchange, at: i64| exchange.runs_to(1_737_918_840_000 + at - START);
    let mut exchange = replaying(std::slice::from_ref(&file));
    let walk = exchange
        .places(Side::Buy, 150_000, PlaceMode::Market)
        .unwrap();
    assert_eq!(fills(&exchange, walk), [(FillCause::Walk, 0, 150_000)]);

    let mut exchange = replaying(&[file]);
    until(&mut exchange, 25_250);
    let price = Px(1_050_540);
    let rests = exchange
        .places(Side::Buy, 50_000, PlaceMode::Limit { price })
        .unwrap();
    until(&mut exchange, 29_250);
    let expected = [
        (FillCause::Through, 46, 14_280),
        (FillCause::Through, 46, 19_435),
        (FillCause::Cross, 48, 16_285),
    ];
    assert_eq!(fills(&exchange, rests), expected);
}

#[tokio::test]
async fn a_stored_replay_continues_as_if_it_had_never_stopped() {
    let home = TempDir::new().unwrap();
    let file = Sample::default().walk(80).in_dir(&home, "btc.txt");
    let mut whole = replaying(std::slice::from_ref(&file));
    whole.trades_until(0, 20_000);
    let halfway = whole.engine.log_hash();
    whole.trades_until(20_000, 40_000);

    let source = Some(replay(std::slice::from_ref(&file), ReplayEnd::Stop));
    let stored = || options(source.clone(), Some(home.path().join("data")));
    let first = open(stored()).unwrap();
    let first = kept(first, |exchange| exchange.trades_until(0, 20_000)).await;
    assert_eq!(first, halfway);
    // Without its file it is the same, and only stands still.
    let alone = ExchangeOptions {
        scenario: options(None, None).scenario,
        ..stored()
    };
    assert_eq!(kept(open(alone).unwrap(), |_| ()).await, halfway);
    let second = open(stored()).unwrap();
    let second = kept(second, |exchange| exchange.trades_until(20_000, 40_000)).await;
    assert_eq!(second, whole.engine.log_hash());
}

#[test]
fn files_of_one_market_follow_each_other_and_those_of_two_run_side_by_side() {
    let home = TempDir::new().unwrap();
    let book = |sample: Sample, at, bid, ask| sample.book(at, &[(bid, "1.12345")], &[(ask, "1")]);
    let early = book(Sample::default(), 0, "100", "101").in_dir(&home, "early.txt");
    let late = book(Sample::default(), 5_000, "200", "201").in_dir(&home, "late.txt");
    let mark = r#"{"channel":"perpdeck","data":{"event":"open","conn":1,"market":"hyperliquid|ETH","socket":"hyperliquid"}}"#;
    let other = book(Sample::default().line(2_000, mark), 3_000, "10", "11");
    let other = Sample {
        text: other.text.replace("\"coin\":\"BTC\"", "\"coin\":\"ETH\""),
        ..other
    };
    let other = other.in_dir(&home, "eth.txt");
    let mut exchange = replaying(&[late, early, other]);
    let mut bids = |at| {
        exchange.runs_to(at);
        let reports = [0, 1].map(|ix| exchange.engine.market_facts(MarketIx::from(ix)));
        reports.map(|report| report.bid.map(|px| px.0))
    };
    let [hundred, two_hundred, ten] = [1_000, 2_000, 100];
    assert_eq!(bids(0), [Some(hundred), None]);
    assert_eq!(bids(3_000), [Some(hundred), Some(ten)]);
    assert_eq!(bids(5_000), [Some(two_hundred), Some(ten)]);
}

#[test]
fn a_replay_ends_with_its_last_line_or_begins_again_behind_it() {
    let home = TempDir::new().unwrap();
    let file = Sample::default().walk(4).in_dir(&home, "btc.txt");
    let mut once = replaying(std::slice::from_ref(&file));
    assert_eq!(once.runs_to(60_000), Reached::End);
    assert_eq!(once.engine.now(), Millis(START + 1_750));

    let source = replay(&[file], ReplayEnd::BeginAgain);
    let mut looped = open(options(Some(source), None)).unwrap();
    assert_eq!(looped.runs_to(60_000), Reached::Time);
    assert_eq!(looped.engine.now(), Millis(START + 60_000));
    // A round takes 1,790 ms and has two trades.
    assert_eq!(looped.engine.trades(market(), None).count(), 67);
}

#[test]
fn what_cannot_be_replayed_is_said_with_its_file() {
    let home = TempDir::new().unwrap();
    let said = |text: &str, market: Option<&str>| {
        let sample = Sample {
            text: text.to_owned(),
            ..Sample::default()
        };
        let source = ReceivedSource::Replay(ReplayOptions {
            files: vec![sample.in_dir(&home, "some.txt")],
            market: market.map(MarketId::from),
            end: ReplayEnd::Stop,
        });
        let why = open(options(Some(source), None)).unwrap_err().to_string();
        why.replace(&home.path().display().to_string(), "")
    };
    let book = Sample::default().book(0, &[("1", "1")], &[("2", "1")]).text;
    assert_eq!(
        [
            said("", Some(BTC)),
            said("hello\n", Some(BTC)),
            said(&book, None)
        ],
        [
            "/some.txt cannot be replayed: it is empty",
            "/some.txt cannot be replayed: it holds no line of a recording (line 1: it is no instant in nanoseconds, a space and a frame)",
            "/some.txt cannot be replayed: it does not say its market: --market names it, as in --market 'hyperliquid|BTC'",
        ]
    );
    let trade = Sample::default().trade(0, "B", "1", "1").text;
    assert!(said(&trade, Some(BTC)).contains("has no order book"));
    let missing = replay(&[home.path().join("gone.gz")], ReplayEnd::Stop);
    let why = open(options(Some(missing), None)).unwrap_err().to_string();
    assert!(why.ends_with("gone.gz cannot be read"), "{why}");
}

#[tokio::test]
async fn a_directory_of_other_markets_is_refused() {
    let home = TempDir::new().unwrap();
    let data = Some(home.path().join("data"));
    kept(open(options(None, data.clone())).unwrap(), |_| ()).await;
    let file = Sample::default().walk(4).in_dir(&home, "btc.txt");
    let why = open(options(Some(replay(&[file], ReplayEnd::Stop)), data)).unwrap_err();
    assert!(matches!(why, StartFault::Received(_)), "{why}");
    assert!(
        why.to_string()
            .contains("other markets than hyperliquid|BTC"),
        "{why}"
    );
}

/// Runs a stored exchange, and stops it in order; answers its hash.
async fn kept(mut exchange: LoadedExchange, act: impl FnOnce(&mut LoadedExchange)) -> String {
    act(&mut exchange);
    let hash = exchange.engine.log_hash();
    let service = crate::exchange::tests::served(exchange);
    service.close().await;
    hash
}

/// An exchange on a feed that has reported the first lines of the sample.
async fn live() -> (LiveFeed, LiveSource, LoadedExchange) {
    let (feed, source) = LiveFeed::new(vec![MarketId::from(BTC)]);
    let opened = RecordingMark {
        event: MarkEvent::Open,
        conn: 3,
        market: None,
        socket: Some(VenueSocket::Hyperliquid),
    };
    let sample = Sample::default().walk(3);
    let opened = Received::mark(opened, Timestamp(START));
    for line in [opened].into_iter().chain(sample.received()) {
        feed.tell(0, line).await.unwrap();
    }
    let exchange = open(options(Some(ReceivedSource::Live(source.clone())), None)).unwrap();
    (feed, source, exchange)
}

#[tokio::test]
async fn a_live_market_is_what_its_sockets_have_told_until_now() {
    let (_feed, source, mut exchange) = live().await;
    assert_eq!(exchange.runs_to(60_000), Reached::Time);
    assert_eq!(exchange.engine.now(), Millis(START + 60_000));
    assert!(exchange.report().bid.is_some());
    let again = open(options(Some(ReceivedSource::Live(source)), None));
    assert!(
        again
            .unwrap_err()
            .to_string()
            .contains("a live feed has no beginning: start the exchange again")
    );
}

/// A crash leaves the clock some seconds ahead, and the sockets know nothing of it.
#[tokio::test]
async fn what_comes_live_is_new_however_far_ahead_the_clock_of_the_exchange_is() {
    let (feed, _source, mut exchange) = live().await;
    exchange.runs_to(60_000);
    assert!(exchange.engine.gap_since(market()).is_some());
    let later = Sample::default()
        .book(50_000, &[("100000", "1")], &[("100001", "1")])
        .figures(50_001, "100000.5", "100001", "0.0000125");
    for line in later.received() {
        feed.tell(0, line).await.unwrap();
    }
    exchange.runs_to(60_250);
    assert_eq!(exchange.engine.gap_since(market()), None);
}

#[tokio::test]
async fn nobody_holds_or_hurries_the_clock_of_a_live_market() {
    let (_feed, _source, exchange) = live().await;
    let service = crate::exchange::tests::served(exchange);
    for body in [
        r#"{"paused":true}"#,
        r#"{"advance_ms":1000}"#,
        r#"{"speed":2}"#,
    ] {
        let request = ApiRequest {
            uri: "/sim/clock".parse().unwrap(),
            headers: HeaderMap::new(),
            body: body.into(),
            execution: Execution::Immediate,
        };
        let why = sim::answer(&service, None, SimRoute::SetClock, &request).unwrap_err();
        assert_eq!(why.status.as_u16(), 400, "{body}");
        assert!(
            why.message.contains("clock of a live feed"),
            "{}",
            why.message
        );
    }
}

#[test]
fn a_best_price_that_tells_one_side_takes_nothing_away_from_the_other() {
    let home = TempDir::new().unwrap();
    let file = Sample::default().walk(4).in_dir(&home, "btc.txt");
    let exchange = replaying(&[file]);
    let converter = FrameConverter::from(exchange.engine.market_spec(market()));
    let frames = |bid: Option<u32>, ask: Option<u32>| {
        let tick = Tick {
            price: 100_u32.into(),
            bid: bid.map(Num::from),
            ask: ask.map(Num::from),
            at: Some(Timestamp(START)),
        };
        let market = MarketId::from(BTC);
        let line = DecodedLine {
            line: 0,
            received: Nanos(START * 1_000_000),
            conn: 0,
            outcome: LineOutcome::Events(vec![MarketEvent::Tick { market, tick }]),
            belief: Belief::Believed,
        };
        let origin = FrameOrigin::Connection(0);
        converter.frames(&line, &origin, Millis::ZERO).len()
    };
    assert_eq!(frames(Some(99), Some(101)), 1);
    assert_eq!([frames(None, Some(101)), frames(Some(99), None)], [0, 0]);
}
