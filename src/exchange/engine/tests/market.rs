use super::desk::{START, lax, order, spec};
use crate::exchange::engine::*;

/// Three markets of usual depths.
fn three() -> Vec<MarketSpec> {
    let mut markets = vec![
        spec("BTC", 5, 40, "64000"),
        spec("ETH", 4, 25, "3000"),
        spec("SOL", 2, 20, "150"),
    ];
    let depths = [120_000, 80_000, 30_000];
    for (market, depth) in markets.iter_mut().zip(depths) {
        market.base_depth = Usd::dollars(depth);
    }
    markets
}

pub(super) fn synthetic(seed: u64) -> Engine {
    over(seed, three())
}

fn over(seed: u64, markets: Vec<MarketSpec>) -> Engine {
    Engine::new(EngineConfig {
        seed,
        start: START,
        feed: PriceFeed::Synthetic,
        fees: FeeRates::default(),
        venue: VenueSpec::default(),
        markets,
        accounts: vec![AccountSpec {
            id: "me".to_owned(),
            cash: Usd::dollars(100_000),
            rules: lax(),
            terms: AccountTerms::default(),
        }],
    })
}

#[test]
fn the_market_is_open_from_the_first_instant_and_stays_orderly() {
    let mut engine = synthetic(42);
    for _ in 0..400 {
        for market in engine.market_ixs() {
            let facts = engine.market_facts(market);
            let decimals = engine.market_spec(market).size_decimals;
            let side = |side| engine.book_levels(market, side).collect::<Vec<_>>();
            let (bids, asks) = (side(Side::Buy), side(Side::Sell));
            assert!(bids.len() >= 15 && asks.len() >= 15);
            assert!(bids.is_sorted_by(|a, b| a.px > b.px));
            assert!(asks.is_sorted_by(|a, b| a.px < b.px));
            assert!(facts.bid < facts.ask);
            let mut levels = bids.iter().chain(&asks);
            assert!(levels.all(|level| level.size > Lots::ZERO && level.px.is_valid(decimals)));
            let off = (facts.mark.0 - facts.oracle.0).abs() * 10_000 / facts.oracle.0;
            assert!(off < 30, "the mark stays within 0.3 % of the index");
        }
        engine.advance_to(engine.now() + Millis::STEP);
    }
}

#[test]
fn prices_move_and_trades_print() {
    let mut engine = synthetic(42);
    let at = |engine: &Engine| -> Vec<Px> {
        let facts = engine.market_ixs().map(|ix| engine.market_facts(ix));
        facts.map(|facts| facts.mark).collect()
    };
    let before = at(&engine);
    engine.advance_to(START + Millis::seconds(60));
    let moved = at(&engine)
        .iter()
        .zip(&before)
        .all(|(now, then)| now != then);
    assert!(moved);
    for market in engine.market_ixs() {
        let facts = engine.market_facts(market);
        assert!(facts.last.is_some() && facts.day_volume > Usd::dollars(1_000));
    }
}

#[test]
fn a_level_somebody_ate_grows_back_within_seconds() {
    let mut engine = synthetic(42);
    let me = engine.account("me").unwrap();
    let market = MarketIx::from(2);
    let depth = |engine: &Engine| -> Lots {
        let asks = engine.book_levels(market, Side::Sell);
        asks.take(5).map(|level| level.size).sum()
    };
    let before = depth(&engine);
    let order = OrderParams {
        leverage: 20,
        ..order(market, Side::Buy, before)
    };
    engine.apply(me, EngineCommand::Place(order)).unwrap();
    engine.advance_to(engine.now() + Millis::STEP);
    let thin: Lots = engine
        .book_levels(market, Side::Sell)
        .filter(|level| level.size < before)
        .take(5)
        .map(|level| level.size)
        .sum();
    assert!(thin < before, "{thin:?} of {before:?}");
    engine.advance_to(engine.now() + Millis::seconds(30));
    assert!(depth(&engine).0 * 3 > before.0);
}

#[test]
fn a_nudge_moves_one_price_and_no_other() {
    let (mut still, mut moved) = (synthetic(7), synthetic(7));
    moved.nudge(MarketIx::from(0), Bps(500));
    let oracle = |engine: &mut Engine, market: usize| {
        engine.advance_to(START + Millis::STEP);
        engine.market_facts(MarketIx::from(market)).oracle
    };
    let (a, b) = (oracle(&mut still, 0), oracle(&mut moved, 0));
    assert!(
        (b.0 * 100 - a.0 * 105).abs() < a.0 / 1_000,
        "{a:?} to {b:?}"
    );
    assert_eq!(oracle(&mut still, 1), oracle(&mut moved, 1));
}

/// The distance of BTC's oracle from that of an untouched market, a second and five minutes after buys of that many
/// lots, one a step.
fn pushed(impact: ImpactModel, buys: &[i64]) -> [i64; 2] {
    let mut engines = [synthetic(42), synthetic(42)];
    let oracle = |engine: &Engine| engine.market_facts(MarketIx::from(0)).oracle;
    for (engine, buys) in engines.iter_mut().zip([buys, &[]]) {
        engine.venue.impact = impact;
        let me = engine.account("me").unwrap();
        for lots in buys {
            let order = OrderParams {
                leverage: 40,
                ..order(MarketIx::from(0), Side::Buy, Lots(*lots))
            };
            engine.apply(me, EngineCommand::Place(order)).unwrap();
            engine.advance_to(engine.now() + Millis::STEP);
        }
        engine.advance_to(START + Millis::seconds(10));
    }
    [1, 300].map(|seconds| {
        let [touched, untouched] = &mut engines;
        for engine in [&mut *touched, &mut *untouched] {
            engine.advance_to(engine.now() + Millis::seconds(seconds));
        }
        oracle(touched).0 - oracle(untouched).0
    })
}

#[test]
fn what_is_taken_moves_the_price_for_good_and_ten_slices_move_it_as_far_as_the_whole() {
    assert_eq!(pushed(ImpactModel::Off, &[1_000_000]), [0, 0]);
    let [at_once, later] = pushed(ImpactModel::Linear, &[1_000_000]);
    assert!(at_once > 5, "{at_once}");
    assert!((later - at_once).abs() <= 1, "{at_once} then {later}");
    let [sliced, _] = pushed(ImpactModel::Linear, &[100_000; 10]);
    assert!((sliced - at_once).abs() <= 1, "{sliced} of {at_once}");
}

/// Many nudges in one direction, with time between them; then one back, and an hour.
fn driven(by: i64) -> [Px; 2] {
    let mut engine = synthetic(7);
    let btc = MarketIx::from(0);
    let oracle = |engine: &Engine| engine.market_facts(btc).oracle;
    for _ in 0..300 {
        engine.nudge(btc, Bps(by));
        engine.advance_to(engine.now() + Millis::STEP);
    }
    let end = oracle(&engine);
    assert!(!engine.has_room(btc, Bps(by)) && engine.has_room(btc, Bps(-by)));
    engine.nudge(btc, Bps(-by));
    engine.advance_to(engine.now() + Millis::HOUR);
    [end, oracle(&engine)]
}

#[test]
fn no_number_of_nudges_takes_a_price_where_the_engine_cannot_count_and_one_back_is_felt() {
    let [highest, then] = driven(2_000);
    assert_eq!(highest, Px(MAX_COUNT));
    assert!(then < Px(MAX_COUNT / 10 * 9), "{then:?}");
    let [lowest, then] = driven(-2_000);
    assert_eq!(lowest, Px(1));
    assert!(then >= Px(1), "{then:?}");
}

#[test]
fn a_market_wilder_than_any_stays_within_what_a_price_may_be() {
    let mut wild = three();
    for (market, start) in wild.iter_mut().zip([MAX_COUNT, 1, MAX_COUNT / 2]) {
        market.start_price = Px(start);
        market.volatility = Bps(1_000_000);
    }
    let mut engine = over(7, wild);
    for _ in 0..60 {
        engine.advance_to(engine.now() + Millis::seconds(60));
        for market in engine.market_ixs() {
            let oracle = engine.market_facts(market).oracle;
            assert!((Px(1)..=Px(MAX_COUNT)).contains(&oracle), "{oracle:?}");
        }
    }
}
