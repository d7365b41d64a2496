//! Simple bots on the generated market, without fees: none earns (docs/market-model.md). A bot that pays for what it
//! takes loses, so only a profit is a fault; foreseeing the midpoint is one both ways.
#![expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the statistics of a test"
)]

use super::desk::{START, lax, order, spec};
use crate::exchange::engine::*;

/// A bot and an engine with the one market it trades, and with no other account.
struct Desk {
    engine: Engine,
    me: AccountIx,
}

const MARKET: usize = 0;

/// The deepest and the thinnest market of the demo.
fn markets() -> [MarketSpec; 2] {
    let thin = MarketSpec {
        volatility: Bps(12_000),
        beta: Bps(7_000),
        base_depth: Usd::dollars(3_000),
        ..spec("HYPE", 2, 10, "38.215")
    };
    [spec("BTC", 5, 40, "64250"), thin]
}

impl Desk {
    fn new(seed: u64, market: MarketSpec) -> Self {
        let engine = Engine::new(EngineConfig {
            seed,
            start: START,
            feed: PriceFeed::Synthetic,
            fees: FeeRates { taker: 0, maker: 0 },
            // A new quote takes the place of an old one that it would meet.
            venue: VenueSpec {
                self_trade: SelfTrade::CancelOldest,
                impact: ImpactModel::Linear,
                ..VenueSpec::default()
            },
            markets: vec![market],
            accounts: vec![AccountSpec {
                id: "bot".to_owned(),
                cash: Usd::dollars(10_000_000),
                rules: lax(),
                terms: AccountTerms::default(),
            }],
        });
        let me = engine.account("bot").unwrap();
        Self { engine, me }
    }

    fn step(&mut self) {
        self.engine.advance_to(self.engine.now() + Millis::STEP);
    }

    fn facts(&self) -> MarketReport {
        self.engine.market_facts(MARKET.into())
    }

    /// Of other traders: its own quotes are in the public book too.
    fn best(&self) -> [Px; 2] {
        let book = &self.engine.markets.at(MARKET.into()).book;
        [Side::Buy, Side::Sell].map(|side| book.best(side).unwrap())
    }

    fn mid(&self) -> f64 {
        let [bid, ask] = self.best();
        (bid.0 + ask.0) as f64 / 2.0
    }

    fn held(&self) -> i64 {
        let open = self.engine.open_positions(self.me);
        open.iter().map(|position| position.size.0).sum()
    }

    /// Micro-USD made so far, at the midpoint.
    fn made(&self) -> f64 {
        let account = self.engine.account_facts(self.me);
        let made = account.equity - Usd::dollars(10_000_000);
        made.0 as f64 + self.held() as f64 * (self.mid() - self.facts().mark.0 as f64)
    }

    fn lots(&self, usd: f64) -> i64 {
        (usd * 1e6 / self.mid()) as i64
    }

    fn hold(&mut self, wanted: i64) {
        let missing = wanted - self.held();
        if missing != 0 {
            let side = if missing > 0 { Side::Buy } else { Side::Sell };
            let order = order(MARKET.into(), side, Lots(missing.abs()));
            self.engine
                .apply(self.me, EngineCommand::Place(order))
                .unwrap();
        }
    }

    fn flatten(&mut self) {
        while self.held() != 0 {
            self.hold(0);
            self.step();
        }
    }

    /// A limit order at that price; the one before is canceled unless it is there already.
    fn quote(&mut self, side: Side, price: Px, lots: i64) {
        let working = self.engine.working_orders(self.me);
        let before = working.into_iter().find(|row| row.side == side);
        let before = before.map(|row| (row.id, row.limit_price, row.size));
        if let Some((id, at, left)) = before {
            if at == Some(price) && left.0 * 2 > lots {
                return;
            }
            let cancel = EngineCommand::Cancel(id);
            self.engine.apply(self.me, cancel).unwrap();
        }
        let order = OrderParams {
            mode: PlaceMode::Limit { price },
            ..order(MARKET.into(), side, Lots(lots))
        };
        self.engine
            .apply(self.me, EngineCommand::Place(order))
            .unwrap();
    }

    /// What of the trades of the last step others did.
    fn printed(&self) -> impl Iterator<Item = &TapeRecord> {
        let trades = self.engine.trades(MARKET.into(), None);
        trades
            .map(|(_, trade)| trade)
            .take_while(|trade| trade.at == self.engine.now())
    }
}

/// The mean over its standard error.
fn t_value(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (count - 1.0);
    mean / (variance / count).sqrt()
}

#[derive(Debug, Clone, Copy)]
enum TakerBot {
    /// Holds the direction of the last minute.
    Momentum,
    /// Holds against the direction of the last minute.
    Reversion,
    /// Holds towards the price that the run began with.
    ReturnToStart,
    /// Follows a second that moved four times as far as usual, for six seconds.
    Jump,
}

const TAKERS: [TakerBot; 4] = [
    TakerBot::Momentum,
    TakerBot::Reversion,
    TakerBot::ReturnToStart,
    TakerBot::Jump,
];

impl TakerBot {
    /// 1, 0 or -1; `None` keeps what is held.
    fn wants(self, mids: &[f64]) -> Option<i64> {
        let step = mids.len() - 1;
        let since = |steps: usize| mids[step] - mids[step.saturating_sub(steps)];
        let direction = |change: f64| {
            if change == 0.0 {
                0
            } else {
                change.signum() as i64
            }
        };
        match self {
            Self::Momentum => step.is_multiple_of(60).then(|| direction(since(240))),
            Self::Reversion => step.is_multiple_of(60).then(|| -direction(since(240))),
            Self::ReturnToStart => step.is_multiple_of(60).then(|| -direction(since(step))),
            Self::Jump if step.is_multiple_of(24) => {
                let minute = mids[step.saturating_sub(240)..].windows(5);
                let squares = minute.map(|part| (part[4] - part[0]).powi(2));
                let usual = (squares.sum::<f64>() / 240.0).sqrt();
                let is_jump = since(4).abs() > 2.0 * usual;
                Some(if is_jump { direction(since(4)) } else { 0 })
            }
            Self::Jump => None,
        }
    }
}

/// What it made at its fills, and what it would have made at midpoints, per USD held.
fn takes(bot: TakerBot, seed: u64, market: MarketSpec, steps: usize) -> [f64; 2] {
    let mut desk = Desk::new(seed, market);
    // The bot is judged by the market, not by its own impact.
    desk.engine.venue.impact = ImpactModel::Off;
    let lots = desk.lots(200.0).max(1);
    let (mut mids, mut wanted, mut foreseen) = (vec![desk.mid().ln()], 0, 0.0);
    for _ in 0..steps {
        if let Some(wants) = bot.wants(&mids) {
            wanted = wants;
            desk.hold(wanted * lots);
        }
        desk.step();
        let mid = desk.mid().ln();
        foreseen += wanted as f64 * (mid - mids[mids.len() - 1]);
        mids.push(mid);
    }
    [desk.made() / 200e6, foreseen]
}

/// What a maker of that size makes, in USD, and its share of what others traded in the market.
fn quotes(seed: u64, market: MarketSpec, usd: f64, ticks_inside: i64, steps: usize) -> [f64; 2] {
    let mut desk = Desk::new(seed, market);
    let lots = desk.lots(usd);
    let decimals = desk.engine.market_spec(MARKET.into()).size_decimals;
    for _ in 0..steps {
        let [bid, ask] = desk.best();
        let tick = bid.tick(decimals).0;
        let inside = ticks_inside.min((ask.0 - bid.0 - tick) / tick / 2);
        for (side, best) in [(Side::Buy, bid), (Side::Sell, ask)] {
            let price = Px(best.0 + side.sign() * tick * inside);
            if desk.held() * side.sign() < 10 * lots {
                desk.quote(side, price, lots);
            }
        }
        desk.step();
    }
    let orders = desk.engine.filled_orders(desk.me, None);
    let filled: Usd = orders.map(|row| row.notional).sum();
    let share = filled.0 as f64 / desk.facts().day_volume.0 as f64;
    [desk.made() / 1e6, share]
}

/// Every bot on every market; its t-values over the seeds.
fn judged(seeds: u64, steps: usize) -> Vec<(String, f64)> {
    let mut judged = Vec::new();
    for market in markets() {
        let over = |run: &dyn Fn(u64) -> [f64; 2]| -> [Vec<f64>; 2] {
            let runs: Vec<_> = (1..=seeds).map(run).collect();
            [0, 1].map(|part| runs.iter().map(|run| run[part]).collect())
        };
        for bot in TAKERS {
            let [made, foreseen] = over(&|seed| takes(bot, seed, market.clone(), steps));
            judged.push((format!("{} {bot:?}", market.coin), t_value(&made)));
            let both_ways = t_value(&foreseen).abs();
            judged.push((format!("{} {bot:?} at midpoints", market.coin), both_ways));
        }
        for (usd, inside) in [(750.0, 0), (750.0, 1), (75.0, 1)] {
            let [made, _] = over(&|seed| quotes(seed, market.clone(), usd, inside, steps));
            let name = format!("{} maker of {usd} USD, {inside} inside", market.coin);
            judged.push((name, t_value(&made)));
        }
    }
    judged
}

/// Of six seeds one in a hundred bots has a t-value of 4 by chance.
#[test]
fn no_simple_bot_earns_in_the_generated_market() {
    for (bot, t) in judged(6, 1_200) {
        assert!(t < 4.0, "{bot}: t = {t:.2}");
    }
}

/// `cargo test --release --lib no_simple_bot -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
#[expect(clippy::print_stdout, reason = "the figures of docs/verification.md")]
fn no_simple_bot_earns_over_sixty_seeds() {
    let judged = judged(60, 4 * 3_600);
    for (bot, t) in &judged {
        println!("{bot}: t = {t:.2}");
    }
    for (bot, t) in judged {
        assert!(t < 2.0, "{bot}: t = {t:.2}");
    }
}

#[test]
fn a_quote_at_the_best_price_fills_less_than_others_trade() {
    let [_, thin] = markets();
    let [_, share] = quotes(3, thin, 750.0, 1, 4_800);
    assert!((0.05..1.0).contains(&share), "{share}");
}

#[test]
fn the_price_passes_a_quote_only_where_something_traded_and_the_spread_is_wider_than_a_step() {
    for market in markets() {
        let mut desk = Desk::new(5, market);
        let (mut squares, mut spreads, mut passed) = (0.0, 0.0, 0);
        for _ in 0..4_000 {
            let (mid, [bid, ask]) = (desk.mid(), desk.best());
            desk.step();
            let [next_bid, next_ask] = desk.best();
            squares += (desk.mid() - mid).powi(2);
            spreads += (next_ask.0 - next_bid.0) as f64;
            for (side, passes) in [(Side::Buy, next_bid >= ask), (Side::Sell, next_ask <= bid)] {
                passed += usize::from(passes);
                let traded = desk.printed().any(|trade| trade.aggressor == side);
                assert!(!passes || traded, "{side:?} at {:?}", desk.engine.now());
            }
        }
        assert!(passed < 4_000 / 5, "{passed} steps passed a quote");
        let deviation = (squares / 4_000.0).sqrt();
        assert!(spreads / 4_000.0 > deviation, "{spreads} and {deviation}");
    }
}

/// What a round trip of that many USD makes in a market that moves by nothing else, in parts a second apart.
fn round_trip(market: MarketSpec, usd: f64, [buys, sales]: [i64; 2]) -> f64 {
    let still = MarketSpec {
        volatility: Bps(0),
        ..market
    };
    let mut desk = Desk::new(9, still);
    let lots = desk.lots(usd);
    for part in 1..=buys {
        desk.hold(lots * part / buys);
        desk.engine
            .advance_to(desk.engine.now() + Millis::seconds(1));
    }
    let held = desk.held();
    for part in 1..sales {
        desk.hold(held - held * part / sales);
        desk.engine
            .advance_to(desk.engine.now() + Millis::seconds(1));
    }
    desk.flatten();
    desk.made()
}

#[test]
fn a_round_trip_that_moves_the_price_earns_nothing_however_it_is_sliced() {
    for market in markets() {
        for levels in [1.0, 5.0, 20.0] {
            let usd = levels * market.base_depth.0 as f64 / 1e6;
            for parts in [[100, 1], [1, 100], [100, 100], [1, 1]] {
                let made = round_trip(market.clone(), usd, parts);
                assert!(made < 0.0, "{usd} USD in {parts:?}: {made}");
            }
        }
    }
}
