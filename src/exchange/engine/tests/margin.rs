use super::desk::{BTC, Desk, ETH, SOL, lax, six, spec, usd};
use crate::exchange::engine::*;

fn side_at(side: Side) -> Desk {
    let mut desk = Desk::new(100_000);
    desk.isolated(BTC, side, "0.5");
    desk
}

#[test]
fn an_isolated_position_is_liquidated_where_its_margin_meets_maintenance() {
    let mut long = side_at(Side::Buy);
    assert_eq!(six(long.liquidation(BTC)), "45569.620253");
    long.set_extra(BTC, "500").unwrap();
    assert_eq!(six(long.liquidation(BTC)), "44556.962025");
    let mut short = side_at(Side::Sell);
    assert_eq!(six(short.liquidation(BTC)), "54320.987654");
    short.set_extra(BTC, "500").unwrap();
    assert_eq!(six(short.liquidation(BTC)), "55308.641975");
}

/// No fees, so that the cash is exactly the worked number.
fn free_of_fees(cash: i64) -> Desk {
    let mut desk = Desk::new(cash);
    desk.engine.fees = FeeRates { taker: 0, maker: 0 };
    desk
}

fn cross(desk: &mut Desk, market: usize, side: Side, coins: &str) {
    let order = OrderParams {
        leverage: 20,
        ..desk.order(market, side, coins)
    };
    desk.place(order).unwrap();
}

#[test]
fn a_cross_position_is_backed_by_the_whole_cash() {
    let mut long = free_of_fees(10_000);
    cross(&mut long, BTC, Side::Buy, "1");
    assert_eq!(six(long.liquidation(BTC)), "40506.329114");
    let mut short = free_of_fees(10_000);
    cross(&mut short, BTC, Side::Sell, "1");
    assert_eq!(six(short.liquidation(BTC)), "59259.259259");
}

#[test]
fn two_cross_positions_share_the_cash_and_an_isolated_one_keeps_its_own() {
    let mut desk = free_of_fees(10_000);
    cross(&mut desk, BTC, Side::Buy, "1");
    cross(&mut desk, ETH, Side::Sell, "10");
    desk.show_at(BTC, "49000");
    desk.at(ETH, "3100");
    let facts = desk.facts();
    assert_eq!(
        (facts.equity, facts.maintenance_margin),
        (usd("8000"), usd("1232.5"))
    );
    assert_eq!(six(desk.liquidation(BTC)), "42146.835443");
    assert_eq!(six(desk.liquidation(ETH)), "3763.480392");
    let isolated = OrderParams {
        leverage: 1,
        margin_mode: MarginMode::Isolated,
        ..desk.order(SOL, Side::Buy, "6")
    };
    desk.place(isolated).unwrap();
    assert_eq!(six(desk.liquidation(BTC)), "42754.430380");
}

#[test]
fn maintenance_is_half_the_margin_of_the_largest_leverage() {
    for (most, needs) in [(40, "1.25"), (25, "2"), (20, "2.5"), (10, "5"), (5, "10")] {
        let market = crate::exchange::engine::market::market_state::MarketState::new(
            spec("ALT", 2, most, "100"),
            super::desk::START,
        );
        assert_eq!(market.maintenance(usd("100")), usd(needs), "{most}x");
    }
}

/// What an unrealized profit can be used for.
#[test]
fn the_profit_of_a_cross_position_is_margin_for_the_next_one_and_that_of_an_isolated_one_is_not() {
    for (margin_mode, free) in [
        (MarginMode::Cross, usd("1800")),
        (MarginMode::Isolated, usd("900")),
    ] {
        let mut desk = free_of_fees(1_000);
        let order = OrderParams {
            margin_mode,
            ..desk.order(SOL, Side::Buy, "10")
        };
        desk.place(order).unwrap();
        desk.at(SOL, "200");
        let facts = desk.facts();
        assert_eq!(facts.equity, usd("2000"), "{margin_mode}");
        assert_eq!(facts.available_margin, free, "{margin_mode}");
        let next = desk.order(ETH, Side::Buy, "5");
        assert_eq!(desk.place(next).is_ok(), margin_mode == MarginMode::Cross);
    }
}

#[test]
fn a_position_nothing_can_liquidate_shows_no_liquidation_price() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "1");
    assert_eq!(desk.liquidation(SOL), None);
}

#[test]
fn a_resting_order_holds_margin_unless_it_closes_something() {
    let mut desk = Desk::new(10_000);
    desk.place(desk.limit(SOL, Side::Buy, "10", "90")).unwrap();
    assert_eq!(
        desk.facts().order_holds,
        usd("90.135"),
        "900 / 10 and the maker fee"
    );
    desk.market(SOL, Side::Buy, "10");
    desk.place(desk.limit(SOL, Side::Sell, "15", "110"))
        .unwrap();
    assert_eq!(
        desk.facts().order_holds,
        usd("90.135") + usd("55.0825"),
        "5 of the 15 would open a short"
    );
}

#[test]
fn right_after_an_opening_order_there_is_never_less_than_nothing_available() {
    let mut desk = Desk::new(1_000);
    desk.book(SOL, &[("99", "500")], &[("101", "500")], "100");
    let affordable = |desk: &mut Desk, size: &str| desk.place(desk.order(SOL, Side::Buy, size));
    assert_eq!(
        affordable(&mut desk, "95").unwrap_err().code,
        Reason::InsufficientMargin,
        "950 of margin, but 95 lost to the spread and 4.32 of fee"
    );
    affordable(&mut desk, "90").unwrap();
    assert!(desk.facts().available_margin >= Usd::ZERO);
}

#[test]
fn a_resting_order_the_account_can_no_longer_afford_is_canceled_when_it_would_fill() {
    let mut desk = Desk::new(1_000);
    desk.book(SOL, &[("99", "500")], &[("101", "500")], "100");
    let id = desk.place(desk.limit(SOL, Side::Buy, "40", "95")).unwrap();
    let order = OrderParams {
        leverage: 10,
        ..desk.order(ETH, Side::Buy, "1.8")
    };
    desk.place(order).unwrap();
    desk.at(ETH, "2800");
    desk.book(SOL, &[("94", "500")], &[("94.5", "500")], "94.2");
    assert_eq!(
        desk.ending(id),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::Margin))
    );
}

#[test]
fn a_new_leverage_is_the_whole_positions_if_its_margin_is_there() {
    let at = |desk: &Desk, leverage, coins| OrderParams {
        leverage,
        ..desk.order(SOL, Side::Buy, coins)
    };
    let mut desk = Desk::new(600);
    desk.market(SOL, Side::Buy, "10");
    desk.place(at(&desk, 5, "1")).unwrap();
    let held = desk.position(SOL).unwrap();
    assert_eq!((held.leverage, desk.margin(SOL)), (5, usd("220")));
    let refused = desk.refused(at(&desk, 1, "0.2"));
    assert_eq!(
        refused,
        (RefusalKind::Rule, Reason::InsufficientMargin),
        "1 120 for all of it"
    );
    assert_eq!(desk.position(SOL).unwrap().leverage, 5);
}

#[test]
fn a_position_keeps_its_margin_mode() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "1");
    let isolated = OrderParams {
        margin_mode: MarginMode::Isolated,
        ..desk.order(SOL, Side::Buy, "1")
    };
    assert_eq!(
        desk.refused(isolated),
        (RefusalKind::Rule, Reason::MarginModeConflict)
    );
}

#[test]
fn extra_margin_can_be_taken_back_down_to_what_is_safe() {
    let mut desk = side_at(Side::Buy);
    desk.set_extra(BTC, "1000").unwrap();
    desk.at(BTC, "48000");
    let unsafe_total = desk.set_extra(BTC, "899.99").unwrap_err();
    assert_eq!(
        (unsafe_total.kind, unsafe_total.rule),
        (RefusalKind::Rule, Some(RuleId::IsolatedMarginUnsafe))
    );
    let first = desk.set_extra(BTC, "900");
    let again = desk.set_extra(BTC, "900");
    assert!(first.is_ok());
    assert_eq!(first, again, "a total, so the same request twice is one");
    assert_eq!(
        desk.position(BTC).unwrap().isolated_margin_extra,
        Some(usd("900"))
    );
}

#[test]
fn margin_is_not_reduced_on_an_old_book() {
    let mut desk = side_at(Side::Buy);
    desk.set_extra(BTC, "1000").unwrap();
    desk.pass(Millis(5_000));
    desk.set_extra(BTC, "999").unwrap();
    desk.pass(Millis(250));
    let stale = desk.set_extra(BTC, "998").unwrap_err();
    assert_eq!(
        (stale.kind, stale.code),
        (RefusalKind::Unavailable, Reason::MarketUnavailable)
    );
}

#[test]
fn funding_paid_out_of_isolated_margin_brings_liquidation_nearer() {
    let mut desk = side_at(Side::Buy);
    let id = desk.position(BTC).unwrap().id;
    desk.engine.positions.at_mut(id).margin_funding = usd("-12.5");
    assert_eq!(six(desk.liquidation(BTC)), "45594.936709");
}

/// A partial close took its share of the funding out of the margin, and the row went on showing all of it.
#[test]
fn the_margin_of_an_isolated_position_is_what_its_row_adds_up_to_after_funding_and_a_partial_close()
{
    for (funding, margin) in [("-12.5", "1293.75"), ("12.5", "1306.25"), ("200", "1450")] {
        let mut desk = side_at(Side::Buy);
        desk.set_extra(BTC, "100").unwrap();
        let id = desk.position(BTC).unwrap().id;
        let held = desk.engine.positions.at_mut(id);
        (held.funding, held.margin_funding) = (usd(funding), usd(funding));
        let half = Desk::reduce_only(desk.order(BTC, Side::Sell, "0.25"));
        desk.place(half).unwrap();
        let row = desk.position(BTC).unwrap();
        let entry = usd("1250");
        let extra = row.isolated_margin_extra.unwrap();
        assert_eq!(desk.margin(BTC), usd(margin), "{funding}");
        assert_eq!(desk.margin(BTC), entry + extra + row.funding, "{funding}");
    }
}

/// The documentation's own account: ETH 0.0335 at 2986.3, 50x market, 4.967826 of margin including the loss so far.
#[test]
fn a_published_position_is_liquidated_where_its_venue_said() {
    let markets = vec![spec("BTC", 5, 40, "50000"), spec("ETH", 4, 50, "3000")];
    let mut desk = Desk::with(1_000, lax(), markets);
    desk.at(ETH, "2986.3");
    desk.isolated(ETH, Side::Buy, "0.0335");
    let id = desk.position(ETH).unwrap().id;
    let own = usd("4.967826") + usd("0.0134");
    let position = desk.engine.positions.at_mut(id);
    position.extra = own - position.isolated_margin();
    assert_eq!(six(desk.liquidation(ETH)), "2866.269380");
}

#[test]
fn extra_margin_is_for_isolated_positions_and_within_what_is_available() {
    let mut desk = Desk::new(10_000);
    desk.market(SOL, Side::Buy, "1");
    assert_eq!(
        desk.set_extra(SOL, "1").unwrap_err().code,
        Reason::PositionNotIsolated
    );
    desk.isolated(BTC, Side::Buy, "0.1");
    assert_eq!(
        desk.set_extra(BTC, "10000").unwrap_err().code,
        Reason::InsufficientMargin
    );
}

/// Margin with profit, and maintenance, of a position of 0.5 at that price, in micro-USD.
fn at_liquidation(desk: &Desk, side: i128) -> (i128, i128) {
    let position = desk.position(BTC).unwrap();
    let nano = i128::from(position.liquidation_price.unwrap().0);
    let profit = side * (nano - i128::from(position.entry_price.0)) / 2_000;
    (desk.margin(BTC).0 + profit, nano / 2_000 / 80)
}

#[test]
fn where_a_position_is_liquidated_its_equity_is_its_maintenance() {
    for (side, sign, expected) in [(Side::Buy, 1, 278_481_013), (Side::Sell, -1, 345_679_012)] {
        let mut desk = side_at(side);
        desk.set_extra(BTC, "500").unwrap();
        let (equity, maintenance) = at_liquidation(&desk, sign);
        assert!((equity - expected).abs() <= 1, "{equity}");
        assert!((maintenance - expected).abs() <= 1, "{maintenance}");
    }
}

/// Not the venue's older 19 700, which takes maintenance at the entry price.
#[test]
fn maintenance_is_taken_at_the_price_of_liquidation_not_of_the_entry() {
    let markets = vec![spec("BTC", 5, 100, "20000")];
    let mut desk = Desk::with(100_000, lax(), markets);
    desk.at(BTC, "20000");
    let order = OrderParams {
        leverage: 50,
        margin_mode: MarginMode::Isolated,
        ..desk.order(BTC, Side::Buy, "1")
    };
    desk.place(order).unwrap();
    assert_eq!(six(desk.liquidation(BTC)), "19698.492462");
}
