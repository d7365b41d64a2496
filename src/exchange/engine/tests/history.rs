//! Histories: candles, trades, fills, equity and funding.

use std::collections::BTreeMap;

use super::{
    desk::{BTC, Desk, ETH, START, facts, lax, markets, usd},
    market::synthetic,
    same_again::{MINUTE, script},
};
use crate::exchange::engine::{
    market::history::{HistoryOrigin, MarketHistory},
    *,
};
use proptest::prelude::*;
use strum::IntoEnumIterator as _;

const ALL: usize = 100_000;

fn whole(interval: Interval) -> CandleRange {
    CandleRange {
        interval,
        before: None,
        limit: ALL,
    }
}

fn reports(engine: &Engine, market: MarketIx, range: CandleRange) -> Vec<CandleReport> {
    engine.candles(market, range).reports()
}

/// Trades, and the candles that follow from them without any ring.
struct Direct {
    origin: Millis,
    trades: Vec<(Millis, Px, Lots)>,
}

impl Direct {
    /// What an interval is by its trades alone.
    fn candle(&self, open: Millis, interval: Interval) -> Option<CandleRecord> {
        let end = Millis(open.0 + interval.millis());
        let inside = |(at, ..): &&(Millis, Px, Lots)| (open..end).contains(at);
        let traded: Vec<_> = self.trades.iter().filter(inside).collect();
        let prices = traded.iter().map(|(_, px, _)| *px);
        Some(CandleRecord {
            open: traded.first()?.1,
            high: prices.clone().max()?,
            low: prices.min()?,
            close: traded.last()?.1,
            volume: traded.iter().map(|(.., size)| *size).sum(),
            turnover: traded.iter().map(|(_, px, size)| *px * *size).sum(),
            trades: traded.len() as u64,
        })
    }

    fn check(&self, told: &[CandleReport], interval: Interval) {
        let first = interval.open_of(crate::model::Timestamp(self.origin.0));
        let mut close = None;
        for report in told {
            let candle = report.candle;
            assert!(candle.low <= candle.open.min(candle.close), "{report:?}");
            assert!(candle.high >= candle.open.max(candle.close), "{report:?}");
            assert!(!report.is_synthetic || report.open_time.0 <= first.0);
            if !report.is_synthetic {
                let flat = CandleRecord::flat(close.unwrap_or(candle.close));
                let direct = self.candle(report.open_time, interval);
                assert_eq!(candle, direct.unwrap_or(flat), "{interval} {report:?}");
            }
            close = Some(candle.close);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_interval_is_what_its_trades_say_and_pages_join(
        start in 0..86_400_000_i64,
        trades in prop::collection::vec((0..200_000_i64, 63_000..65_000_i64, 1..900_i64), 1..150),
        limit in 1..40_usize,
    ) {
        let market = Desk::new(1_000);
        let spec = market.engine.market_spec(BTC.into());
        let mut at = Millis(START.0 + start / 250 * 250);
        let origin = HistoryOrigin { at, px: Px(64_000) };
        let mut history = MarketHistory::new(origin);
        let mut direct = Direct { origin: at, trades: vec![] };
        for (wait, px, size) in trades {
            at += Millis(wait / 250 * 250);
            let trade = TapeRecord {
                px: Px(px),
                size: Lots(size),
                aggressor: Side::Buy,
                at,
                account: None,
                maker: None,
            };
            history.trade(trade);
            direct.trades.push((at, trade.px, trade.size));
        }
        let rng = &market.engine.rng;
        let read = |range| history.candles(spec, rng, at, range).reports();
        for interval in Interval::iter() {
            let told = read(whole(interval));
            direct.check(&told, interval);
            let opens: Vec<_> = told.iter().map(|row| row.open_time.0).collect();
            prop_assert!(opens.windows(2).all(|pair| pair[1] - pair[0] == interval.millis()));
            let last = told.last().unwrap();
            prop_assert!(!last.is_closed && at.0 < last.open_time.0 + interval.millis());
            prop_assert!(told.iter().rev().skip(1).all(|row| row.is_closed));
            // The newest pages, joined, are the newest candles.
            let (mut before, mut joined) = (None, Vec::new());
            for _ in 0..4 {
                let page = read(CandleRange { interval, before, limit });
                before = page.first().map(|row| row.open_time);
                joined.splice(0..0, page);
            }
            let newest = told.get(told.len().saturating_sub(4 * limit)..).unwrap();
            prop_assert_eq!(&joined[..], newest);
        }
    }
}

#[test]
fn the_oldest_page_is_followed_by_an_empty_one() {
    let engine = synthetic(3);
    for interval in Interval::iter() {
        let told = reports(&engine, BTC.into(), whole(interval));
        let before = told.first().map(|row| row.open_time);
        let range = CandleRange {
            before,
            ..whole(interval)
        };
        assert_eq!(reports(&engine, BTC.into(), range), []);
        let all = CandleRange {
            before: Some(Millis(0)),
            ..whole(interval)
        };
        assert_eq!(reports(&engine, BTC.into(), all), []);
    }
}

#[test]
fn copied_candles_stay_what_they_were_while_the_engine_goes_on() {
    let market = MarketIx::from(0);
    for interval in [Interval::Second5, Interval::Minute1, Interval::Hour4] {
        let [mut engine, twin] = [synthetic(3), synthetic(3)];
        // Nothing was read yet: what is from before the scenario is generated from the copy.
        let copied = engine.candles(market, whole(interval));
        engine.advance_to(engine.now() + Millis::HOUR);
        let before = reports(&twin, market, whole(interval));
        assert_eq!(copied.reports(), before, "{interval}");
        assert_ne!(reports(&engine, market, whole(interval)), before);
    }
}

#[test]
fn a_market_without_volatility_has_a_flat_past_with_the_usual_volume() {
    let mut calm = markets();
    for market in &mut calm {
        market.volatility = Bps(0);
    }
    let desk = Desk::with(1_000, lax(), calm);
    let day = reports(&desk.engine, ETH.into(), whole(Interval::Day1));
    let price = desk.px(ETH, "3000");
    let usual = reports(&Desk::new(1_000).engine, ETH.into(), whole(Interval::Day1));
    let volume = |rows: &[CandleReport]| rows.iter().map(|row| row.candle.volume.0).sum::<i64>();
    for row in &day {
        let candle = row.candle;
        let prices = [candle.open, candle.high, candle.low, candle.close];
        assert_eq!(prices, [price; 4], "{row:?}");
    }
    assert!(volume(&day) * 3 > volume(&usual), "{}", volume(&day));
    assert!(volume(&day) < volume(&usual) * 3, "{}", volume(&day));
}

/// A chart is full when it is first opened.
#[test]
fn before_the_scenario_every_interval_is_full_and_ends_at_the_start_price() {
    let start = Millis(START.0 + 45_296_250);
    let desk = Desk::starting(start, 1_000, lax(), markets());
    for (market, price) in [(BTC, "50000"), (ETH, "3000")] {
        for (interval, least) in [
            (Interval::Second1, 3_600),
            (Interval::Second15, 239),
            (Interval::Minute1, 4_320),
            (Interval::Minute15, 287),
            (Interval::Hour1, 2_160),
            (Interval::Hour4, 539),
            (Interval::Day1, 730),
        ] {
            let told = reports(&desk.engine, market.into(), whole(interval));
            assert!(told.len() >= least, "{interval}: {}", told.len());
            assert!(told.iter().all(|row| row.is_synthetic), "{interval}");
            assert_eq!(told.last().unwrap().candle.close, desk.px(market, price));
            // The first trade of a candle is near the last one before it.
            for pair in told.windows(2) {
                let (close, open) = (pair[0].candle.close.0, pair[1].candle.open.0);
                assert!((close - open).abs() * 300 < close, "{interval} {pair:?}");
            }
        }
    }
}

#[test]
fn the_time_before_is_as_wild_as_the_market_and_stays_around_its_price() {
    let engine = synthetic(5);
    for market in engine.market_ixs() {
        let spec = engine.market_spec(market);
        let days = reports(&engine, market, whole(Interval::Day1));
        let prices = days.iter().map(|row| row.candle.close.0);
        let (low, high) = (prices.clone().min().unwrap(), prices.max().unwrap());
        assert!(low * 3 > spec.start_price.0, "{low}");
        assert!(high < spec.start_price.0 * 3, "{high}");
        assert!(high * 10 > low * 11, "{low} to {high}");
        for (interval, least) in [(Interval::Minute1, 90), (Interval::Hour1, 99)] {
            let told = reports(&engine, market, whole(interval));
            let moved = told.iter().filter(|row| row.candle.high > row.candle.low);
            let share = 100 * moved.count() / told.len();
            assert!(share >= least, "{market:?} {interval}: {share} %");
            assert!(told.iter().all(|row| {
                let px = [row.candle.open, row.candle.high, row.candle.low];
                px.iter().all(|px| px.is_valid(spec.size_decimals))
            }));
        }
    }
}

#[test]
fn one_seed_has_one_past_and_another_seed_another() {
    let past = |seed| {
        let engine = synthetic(seed);
        reports(&engine, ETH.into(), whole(Interval::Minute1))
    };
    assert_eq!(past(7), past(7));
    assert_ne!(past(7), past(8));
}

/// Ten minutes with commands; `pass` may put the engine away and take it out.
fn ten_minutes(mut pass: impl FnMut(Engine) -> Engine) -> Engine {
    let mut engine = synthetic(42);
    let me = engine.account("me").unwrap();
    let mut commands = script().into_iter();
    for minute in 1..=10 {
        engine = pass(engine);
        engine.advance_to(START + Millis(minute * MINUTE.0));
        if let Some(command) = commands.next() {
            engine.apply(me, command).unwrap();
        }
    }
    engine
}

type Histories = (
    Vec<Vec<CandleReport>>,
    Vec<(i64, TapeRecord)>,
    Vec<EquityRecord>,
    Vec<(i64, FundingRecord)>,
);

fn histories(engine: &Engine) -> Histories {
    let me = engine.account("me").unwrap();
    let markets = || engine.market_ixs();
    let candles = markets().flat_map(|market| {
        Interval::iter().map(move |interval| reports(engine, market, whole(interval)))
    });
    let trades = markets().flat_map(|market| engine.trades(market, None));
    (
        candles.collect(),
        trades.map(|(id, row)| (id, *row)).collect(),
        engine.equity_curve(me).copied().collect(),
        engine
            .funding_payments(me, None)
            .map(|(id, row)| (id, *row))
            .collect(),
    )
}

#[test]
fn a_restart_keeps_every_history_equal() {
    let through = histories(&ten_minutes(|engine| engine));
    let mut kept = BTreeMap::new();
    let resumed = histories(&ten_minutes(|mut engine| {
        let Checkpoint { core, chunks } = engine.checkpoint().unwrap();
        for chunk in chunks {
            kept.insert((chunk.table, chunk.place), chunk);
        }
        Engine::restore(&core, kept.values().cloned()).unwrap()
    }));
    assert!(!through.1.is_empty() && through.2.len() == 11);
    assert_eq!(resumed, through);
}

#[test]
fn a_checkpoint_of_before_there_were_histories_begins_them_where_it_was_taken() {
    let mut engine = ten_minutes(|engine| engine);
    let Checkpoint { core, chunks } = engine.checkpoint().unwrap();
    let rows = chunks
        .into_iter()
        .filter(|chunk| chunk.table < CheckpointTable::Origins);
    let mut again = Engine::restore(&core, rows).unwrap();
    assert_eq!(again.log_hash(), engine.log_hash());
    let last = again.market_facts(BTC.into()).last;
    let minutes = reports(&again, BTC.into(), whole(Interval::Minute1));
    assert!(
        minutes.len() >= 4_320
            && minutes
                .iter()
                .all(|row| row.is_synthetic || row.candle.trades == 0)
    );
    assert_eq!(minutes.last().map(|row| row.candle.close), last);
    let origins = |engine: &mut Engine| {
        let chunks = engine.checkpoint().unwrap().chunks;
        chunks
            .iter()
            .filter(|chunk| chunk.table == CheckpointTable::Origins)
            .count()
    };
    assert_eq!((origins(&mut again), origins(&mut again)), (3, 0));
}

#[test]
fn candles_hold_what_the_tape_and_users_traded_and_no_more() {
    let engine = ten_minutes(|engine| engine);
    let me = engine.account("me").unwrap();
    for market in engine.market_ixs() {
        let trades: Vec<_> = engine.trades(market, None).map(|(_, row)| *row).collect();
        let volume: Lots = trades.iter().map(|trade| trade.size).sum();
        let turnover: Usd = trades.iter().map(|trade| trade.px * trade.size).sum();
        for interval in Interval::iter() {
            let told = reports(&engine, market, whole(interval));
            let since_start = || {
                told.iter()
                    .filter(|row| !row.is_synthetic)
                    .map(|row| row.candle)
            };
            assert_eq!(
                since_start().map(|row| row.volume).sum::<Lots>(),
                volume,
                "{interval}"
            );
            assert_eq!(since_start().map(|row| row.turnover).sum::<Usd>(), turnover);
            assert_eq!(
                since_start().map(|row| row.trades).sum::<u64>(),
                trades.len() as u64
            );
        }
        let own: Lots = trades
            .iter()
            .filter(|row| row.account == Some(me))
            .map(|row| row.size)
            .sum();
        let fills = engine
            .filled_orders(me, None)
            .filter(|row| row.market == market);
        assert_eq!(fills.map(|row| row.filled_size).sum::<Lots>(), own);
    }
}

#[test]
fn a_trade_that_fills_an_order_is_recorded_in_its_parts() {
    let mut desk = Desk::new(10_000);
    desk.book(ETH, &[("2999", "5")], &[("3001", "5")], "3000");
    let bid = desk.limit(ETH, Side::Buy, "1", "3000");
    desk.place(bid).unwrap();
    desk.trade(ETH, Side::Sell, "2999", "3");
    let told: Vec<_> = desk
        .engine
        .trades(ETH.into(), None)
        .map(|(id, row)| (id, *row))
        .collect();
    let (now, me) = (desk.engine.now(), Some(desk.me));
    let trade = |px, size, account| TapeRecord {
        px: desk.px(ETH, px),
        size: desk.lots(ETH, size),
        aggressor: Side::Sell,
        at: now,
        account,
        maker: None,
    };
    assert_eq!(
        told,
        [(2, trade("2999", "2", None)), (1, trade("3000", "1", me))]
    );
}

#[test]
fn what_a_taker_takes_of_each_level_is_a_trade_and_its_fill_is_one_row() {
    let mut desk = Desk::new(10_000);
    desk.book(
        ETH,
        &[("2999", "5")],
        &[("3001", "1"), ("3003", "5")],
        "3000",
    );
    desk.market(ETH, Side::Buy, "2");
    let trades = desk
        .engine
        .trades(ETH.into(), None)
        .map(|(_, row)| (row.px, row.aggressor));
    let expected =
        [("3003", Side::Buy), ("3001", Side::Buy)].map(|(px, side)| (desk.px(ETH, px), side));
    assert_eq!(trades.collect::<Vec<_>>(), expected);
    let fills: Vec<_> = desk.engine.filled_orders(desk.me, None).collect();
    assert_eq!(fills.len(), 1);
    assert_eq!(fills[0].fill_price, Some(super::desk::nano("3002")));
    assert_eq!((fills[0].fee, fills[0].realized_pnl), (usd("2.7018"), None));
}

#[test]
fn an_order_that_turns_a_position_closes_one_and_opens_another() {
    let mut desk = Desk::new(100_000);
    desk.at(ETH, "3000");
    desk.market(ETH, Side::Buy, "2");
    let long = desk.position(ETH).unwrap().id;
    desk.at(ETH, "3100");
    let turn = desk.market(ETH, Side::Sell, "5");
    let closed = desk.engine.position(desk.me, long).unwrap();
    let short = desk.position(ETH).unwrap();
    assert_eq!(
        (closed.size, short.size),
        (desk.lots(ETH, "2"), -desk.lots(ETH, "3"))
    );
    assert_eq!(
        (closed.realized_pnl, short.realized_pnl),
        (usd("200"), Usd::ZERO)
    );
    assert_eq!(desk.row(turn).realized_pnl, Some(usd("200")));
}

#[test]
fn what_the_insurance_takes_over_does_not_trade_in_the_market() {
    let mut desk = Desk::new(2_000);
    desk.at(ETH, "3000");
    desk.isolated(ETH, Side::Buy, "5");
    let before = desk.engine.trades(ETH.into(), None).count();
    desk.at(ETH, "2000");
    assert_eq!(desk.held(ETH), Lots::ZERO);
    let trades = desk.engine.trades(ETH.into(), None).count();
    let fills = desk.engine.filled_orders(desk.me, None).count();
    assert_eq!((trades - before, fills), (0, 2));
}

#[test]
fn funding_payments_have_their_rate_and_sum_to_what_the_account_received() {
    let mut desk = Desk::new(100_000);
    desk.at(ETH, "3000");
    desk.market(ETH, Side::Buy, "2");
    desk.market(BTC, Side::Sell, "0.1");
    desk.next_hour();
    let payments: Vec<_> = desk
        .engine
        .funding_payments(desk.me, None)
        .map(|(_, row)| *row)
        .collect();
    assert_eq!(payments.len(), 2);
    let received: Usd = desk
        .engine
        .open_positions(desk.me)
        .iter()
        .map(|row| row.funding)
        .sum();
    assert_eq!(payments.iter().map(|row| row.amount).sum::<Usd>(), received);
    assert!(
        payments
            .iter()
            .all(|row| row.rate == NanoRate(12_500) && row.at == desk.engine.now())
    );
    assert_eq!(payments[0].size, desk.lots(ETH, "2"));
}

#[test]
fn equity_is_sampled_at_the_start_and_once_a_minute() {
    let engine = ten_minutes(|engine| engine);
    let me = engine.account("me").unwrap();
    let curve: Vec<_> = engine.equity_curve(me).copied().collect();
    let ats = (0..=10)
        .rev()
        .map(|minute| START + Millis(minute * MINUTE.0));
    assert!(curve.iter().map(|row| row.at).eq(ats));
    assert_eq!(curve.last().unwrap().equity(), Usd::dollars(100_000));
    let facts = facts(&engine, me);
    assert_eq!(
        (curve[0].equity(), curve[0].cash),
        (facts.equity, facts.cash)
    );
}

/// 30 days of a trade a second: after the rings are full, nothing grows.
#[test]
fn memory_stays_flat_over_thirty_days() {
    let origin = HistoryOrigin {
        at: START,
        px: Px(64_000),
    };
    let mut history = MarketHistory::new(origin);
    let mut kept = Vec::new();
    for second in 0..30 * 86_400_i64 {
        history.trade(TapeRecord {
            px: Px(64_000 + second % 100),
            size: Lots(1),
            aggressor: Side::Sell,
            at: START + Millis::seconds(second),
            account: None,
            maker: None,
        });
        if second % 86_400 == 86_399 {
            let [seconds, minutes, ..] = &mut history.candles.0;
            let [seconds, minutes] = [seconds, minutes].map(|ring| ring.ring_mut().len());
            kept.push((seconds, minutes, history.trades.len()));
        }
    }
    assert!(
        kept.iter()
            .skip(2)
            .all(|sizes| *sizes == (3_600, 4_320, 4_096)),
        "{kept:?}"
    );
}
