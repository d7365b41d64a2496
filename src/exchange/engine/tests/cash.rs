//! An isolated position loses at most its margin and an account at most its cash, whatever closes the
//! position; the insurance account pays the rest.

use super::desk::{BTC, Desk, ETH, SOL, lax, markets, usd};
use crate::exchange::engine::*;

/// 40x isolated at 50 000: half a coin has 625 USD of margin.
fn forty_times(desk: &mut Desk, side: Side) {
    let order = OrderParams {
        leverage: 40,
        margin_mode: MarginMode::Isolated,
        ..desk.order(BTC, side, "0.5")
    };
    desk.place(order).unwrap();
}

fn exit(desk: &mut Desk, mode: PlaceMode, coins: &str) -> OrderId {
    let order = Desk::reduce_only(OrderParams {
        mode,
        leverage: 40,
        margin_mode: MarginMode::Isolated,
        ..desk.order(BTC, Side::Sell, coins)
    });
    desk.place(order).unwrap()
}

fn stop(desk: &mut Desk, trigger: &str, coins: &str) -> OrderId {
    let trigger = desk.px(BTC, trigger);
    exit(desk, PlaceMode::StopMarket { trigger }, coins)
}

/// The insurance payments to the account in the event log, oldest first.
fn payments(desk: &Desk) -> Vec<Usd> {
    let mut payments = Vec::new();
    for (_, event) in desk.engine.recent_events() {
        if let EngineEvent::Insurance { account, amount } = *event {
            assert_eq!(account, desk.me);
            payments.insert(0, amount);
        }
    }
    payments
}

/// The account's rows sum to its cash, including what the insurance paid.
fn adds_up(desk: &Desk) {
    let rows: Vec<OrderRecord> = desk.engine.orders(desk.me, None).cloned().collect();
    let realized: Usd = rows.iter().filter_map(|row| row.realized_pnl).sum();
    let fees: Usd = rows.iter().map(|row| row.fee).sum();
    let open = desk.engine.open_positions(desk.me);
    let closed = desk.engine.closed_positions(desk.me, None);
    let funding: Usd = closed.chain(open).map(|row| row.funding).sum();
    let facts = desk.facts();
    assert_eq!(
        facts.insurance_paid - facts.insurance_advance,
        payments(desk).into_iter().sum()
    );
    assert_eq!(
        facts.cash,
        facts.starting_cash + realized - fees + funding + facts.insurance_paid
    );
    assert_eq!(
        desk.engine.money(),
        facts.starting_cash + facts.starting_cash
    );
}

#[test]
fn a_stop_that_fires_in_a_gap_costs_no_more_than_the_liquidation_it_came_before() {
    let lost = |with_stop: bool| {
        let mut desk = Desk::new(5_000);
        forty_times(&mut desk, Side::Buy);
        if with_stop {
            stop(&mut desk, "49500", "0.5");
        }
        let before = desk.facts().cash;
        desk.at(BTC, "40000");
        assert_eq!(desk.held(BTC), Lots::ZERO);
        adds_up(&desk);
        before - desk.facts().cash
    };
    assert_eq!(lost(false), usd("625"));
    assert_eq!(lost(true), usd("625"));
}

#[test]
fn the_row_of_a_stop_says_what_it_realized_and_the_account_what_the_insurance_paid_of_it() {
    let mut desk = Desk::new(100_000);
    forty_times(&mut desk, Side::Buy);
    let id = stop(&mut desk, "49500", "0.5");
    desk.at(BTC, "40000");
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.realized_pnl),
        (OrderStatus::Filled, Some(usd("-5000")))
    );
    assert_eq!(row.fee, usd("9"));
    assert_eq!(desk.facts().insurance_paid, usd("4384"), "5 009 - 625");
    assert_eq!(desk.last_closed().realized_pnl, usd("-5000"));
    adds_up(&desk);
}

#[test]
fn a_stop_of_a_short_and_margin_that_was_added_are_limited_alike() {
    let mut desk = Desk::new(100_000);
    forty_times(&mut desk, Side::Sell);
    desk.set_extra(BTC, "375").unwrap();
    let before = desk.facts().cash;
    let order = Desk::reduce_only(OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(BTC, "50400"),
        },
        margin_mode: MarginMode::Isolated,
        ..desk.order(BTC, Side::Buy, "0.5")
    });
    desk.place(order).unwrap();
    desk.at(BTC, "60000");
    assert_eq!(desk.held(BTC), Lots::ZERO);
    assert_eq!(before - desk.facts().cash, usd("1000"));
    adds_up(&desk);
}

#[test]
fn a_part_of_a_position_loses_no_more_than_its_part_of_the_margin() {
    let mut desk = Desk::new(100_000);
    forty_times(&mut desk, Side::Buy);
    desk.set_extra(BTC, "100").unwrap();
    let before = desk.facts().cash;
    let part = stop(&mut desk, "49500", "0.2");
    desk.at(BTC, "45000");
    assert_eq!(desk.row(part).realized_pnl, Some(usd("-1000")));
    assert_eq!(
        before - desk.facts().cash,
        usd("725"),
        "and the rest its own"
    );
    assert_eq!(
        payments(&desk),
        [usd("714.05")],
        "1 004.05 - 290; liquidation needs none"
    );
    adds_up(&desk);
}

/// The book is 30 % from the index: nothing is liquidated, and a sale into the book loses more than the margin.
fn far_book(rules: ChallengeRules) -> Desk {
    let mut desk = Desk::with(20_000, rules, markets());
    forty_times(&mut desk, Side::Buy);
    desk.pass(Millis::seconds(1_200));
    desk
}

fn show_far_book(desk: &mut Desk) {
    desk.book(BTC, &[("34900", "10")], &[("35100", "10")], "50000");
}

fn close(desk: &mut Desk, coins: Option<&str>, how: CloseHow) {
    let position = desk.position(BTC).unwrap().id;
    let size = coins.map(|coins| desk.lots(BTC, coins));
    let close = CloseParams {
        position,
        size,
        expected_price: None,
        how,
        client_order_id: None,
    };
    desk.apply(EngineCommand::Close(close)).unwrap();
}

fn reducing_scaled(desk: &Desk) -> EngineCommand {
    EngineCommand::PlaceScaled(ScaledParams {
        market: BTC.into(),
        side: Side::Sell,
        size: desk.lots(BTC, "0.5"),
        leverage: 40,
        margin_mode: MarginMode::Isolated,
        reduction: Reduction::Only,
        start_price: desk.px(BTC, "34900"),
        end_price: desk.px(BTC, "34000"),
        rung_count: 5,
        distribution: Distribution::Flat,
    })
}

fn reducing_twap(desk: &Desk) -> EngineCommand {
    EngineCommand::PlaceTwap(TwapParams {
        margin_mode: MarginMode::Isolated,
        reduction: Reduction::Only,
        leverage: 40,
        ..desk.twap(BTC, Side::Sell, "0.5")
    })
}

type Path = fn(&mut Desk);

const PATHS: [(&str, Path); 7] = [
    ("close", |desk| {
        show_far_book(desk);
        close(desk, None, CloseHow::Market { slippage: None });
    }),
    ("close in parts", |desk| {
        show_far_book(desk);
        for coins in ["0.1", "0.30001", "0.09999"] {
            close(desk, Some(coins), CloseHow::Market { slippage: None });
        }
    }),
    ("marketable limit", |desk| {
        show_far_book(desk);
        let price = desk.px(BTC, "34000");
        let crossing = Crossing::Acknowledged;
        close(desk, None, CloseHow::Limit { price, crossing });
    }),
    ("close-all", |desk| {
        show_far_book(desk);
        let position = desk.position(BTC).unwrap().id;
        desk.apply(EngineCommand::ForceClose(position)).unwrap();
    }),
    ("scaled order", |desk| {
        show_far_book(desk);
        let scaled = reducing_scaled(desk);
        desk.apply(scaled).unwrap();
    }),
    ("slices", |desk| {
        show_far_book(desk);
        let twap = reducing_twap(desk);
        desk.apply(twap).unwrap();
        desk.pass(Millis::seconds(300));
    }),
    ("conditional close", |desk| {
        let conditional = CloseHow::Conditional {
            market: Some(ETH.into()),
            trigger: desk.px(ETH, "2900"),
            direction: TriggerDirection::Below,
            slippage: None,
        };
        close(desk, None, conditional);
        desk.show(BTC, &[("34900", "10")], &[("35100", "10")], "50000");
        desk.at(ETH, "2890");
    }),
];

#[test]
fn an_isolated_position_loses_at_most_its_margin_whatever_closes_it() {
    for (name, path) in PATHS {
        let mut desk = far_book(lax());
        let before = desk.facts().cash;
        path(&mut desk);
        assert_eq!(desk.held(BTC), Lots::ZERO, "{name}");
        assert_eq!(before - desk.facts().cash, usd("625"), "{name}");
        adds_up(&desk);
    }
}

#[test]
fn an_order_that_turns_an_isolated_position_loses_its_margin_and_the_fee_of_what_it_opens() {
    let mut desk = far_book(lax());
    show_far_book(&mut desk);
    let before = desk.facts().cash;
    let order = OrderParams {
        leverage: 2,
        margin_mode: MarginMode::Isolated,
        ..desk.order(BTC, Side::Sell, "0.8")
    };
    desk.place(order).unwrap();
    let short = desk.position(BTC).unwrap();
    assert_eq!(short.size, desk.lots(BTC, "-0.3"));
    assert_eq!(before - desk.facts().cash, usd("625") + short.fees);
    adds_up(&desk);
}

#[test]
fn the_closes_after_a_breach_are_limited_too() {
    let strict = ChallengeRules {
        max_daily_loss: Bps(400),
        ..lax()
    };
    let mut desk = far_book(strict);
    desk.market(SOL, Side::Buy, "200");
    let before = desk.facts().cash;
    desk.show(BTC, &[("34900", "10")], &[("35100", "10")], "50000");
    desk.at(SOL, "95");
    assert!(matches!(
        desk.facts().standing,
        ChallengeStatus::Breached { .. }
    ));
    assert_eq!(desk.engine.open_positions(desk.me), []);
    let sold = usd("1000") + usd("8.55");
    assert_eq!(before - desk.facts().cash, usd("625") + sold);
    adds_up(&desk);
}

fn cross(desk: &mut Desk, market: usize, side: Side, coins: &str) {
    let order = OrderParams {
        leverage: 20,
        ..desk.order(market, side, coins)
    };
    desk.place(order).unwrap();
}

fn cross_stop(desk: &mut Desk, market: usize, side: Side, coins: &str, trigger: &str) {
    let trigger = desk.px(market, trigger);
    let order = Desk::reduce_only(OrderParams {
        mode: PlaceMode::StopMarket { trigger },
        ..desk.order(market, side, coins)
    });
    desk.place(order).unwrap();
}

#[test]
fn an_account_loses_at_most_its_cash_and_never_the_margin_of_its_isolated_positions() {
    let mut desk = Desk::new(10_000);
    desk.isolated(ETH, Side::Buy, "1");
    cross(&mut desk, BTC, Side::Buy, "3");
    cross_stop(&mut desk, BTC, Side::Sell, "3", "49000");
    desk.at(BTC, "40000");
    assert_eq!(desk.held(BTC), Lots::ZERO);
    assert_eq!(desk.facts().cash, desk.margin(ETH));
    assert_eq!(desk.facts().available_margin, Usd::ZERO);
    adds_up(&desk);

    let mut alone = Desk::new(10_000);
    cross(&mut alone, BTC, Side::Buy, "3");
    cross_stop(&mut alone, BTC, Side::Sell, "1", "49000");
    alone.at(BTC, "40000");
    assert_eq!(alone.engine.open_positions(alone.me), []);
    assert_eq!(alone.facts().cash, Usd::ZERO);
    adds_up(&alone);
}

/// One cross position lost 15 000 while another is 18 000 in profit: the account has the difference, not the 18 000
/// plus a payment from the insurance.
#[test]
fn what_the_profit_of_another_cross_position_covers_is_advanced_and_not_given() {
    let mut desk = Desk::new(10_000);
    cross(&mut desk, BTC, Side::Buy, "1.5");
    cross(&mut desk, ETH, Side::Sell, "30");
    cross_stop(&mut desk, BTC, Side::Sell, "1.5", "49000");
    let fees = desk.facts().starting_cash - desk.facts().cash;
    desk.show_at(BTC, "40000");
    desk.at(ETH, "2400");
    assert_eq!(desk.held(BTC), Lots::ZERO);
    let facts = desk.facts();
    let stopped = fees + usd("27");
    assert_eq!(facts.cash, Usd::ZERO);
    assert_eq!(facts.insurance_advance, usd("5000") + stopped);
    assert_eq!(facts.equity, usd("13000") - stopped);
    adds_up(&desk);

    desk.market(ETH, Side::Buy, "30");
    let facts = desk.facts();
    assert_eq!(facts.cash, usd("13000") - stopped - usd("32.4"));
    assert_eq!(
        (facts.insurance_paid, facts.insurance_advance),
        (Usd::ZERO, Usd::ZERO)
    );
    adds_up(&desk);
}

#[test]
fn an_advance_whose_cover_is_lost_becomes_a_payment() {
    let mut desk = Desk::new(10_000);
    cross(&mut desk, BTC, Side::Buy, "1.5");
    cross(&mut desk, ETH, Side::Sell, "30");
    cross_stop(&mut desk, BTC, Side::Sell, "1.5", "49000");
    desk.show_at(BTC, "40000");
    desk.at(ETH, "2400");
    desk.at(ETH, "2950");
    assert_eq!(desk.engine.open_positions(desk.me), []);
    let facts = desk.facts();
    assert_eq!(
        (facts.cash, facts.insurance_advance),
        (Usd::ZERO, Usd::ZERO)
    );
    adds_up(&desk);
}

#[test]
fn funding_takes_no_more_than_the_margin_of_an_isolated_position() {
    let mut desk = Desk::new(100_000);
    forty_times(&mut desk, Side::Buy);
    let before = desk.facts().cash;
    let premium = [("51000", "1000")];
    desk.book(BTC, &premium, &[("51001", "1000")], "50000");
    let id = desk.position(BTC).unwrap().id;
    desk.engine.positions.at_mut(id).margin_funding = usd("-624.99");
    desk.engine.accounts.at_mut(desk.me).cash = before - usd("624.99");
    desk.engine.now = Millis(desk.engine.now.next_hour().0);
    desk.engine.sample_funding();
    desk.engine.pay_funding();
    let paid = desk.engine.positions.at(id).funding;
    assert!(paid < usd("-1"), "{paid}");
    assert_eq!(desk.margin(BTC), Usd::ZERO);
    assert_eq!(before - desk.facts().cash, usd("625"));
    assert_eq!(desk.facts().insurance_paid, -paid - usd("0.01"));
}

#[test]
fn funding_takes_no_more_than_the_cash_of_an_account() {
    let mut desk = Desk::new(10_000);
    cross(&mut desk, BTC, Side::Buy, "1");
    desk.engine.accounts.at_mut(desk.me).cash = usd("0.5");
    desk.engine.now = Millis(desk.engine.now.next_hour().0);
    desk.engine.pay_funding();
    assert_eq!(desk.position(BTC).unwrap().funding, usd("-0.625"));
    assert_eq!(desk.facts().cash, Usd::ZERO);
    assert_eq!(desk.facts().insurance_paid, usd("0.125"));
    assert_eq!(desk.facts().insurance_advance, Usd::ZERO);
}
