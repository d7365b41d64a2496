use super::desk::{BTC, Desk, ETH, SOL, lax, markets, nano, usd};
use crate::exchange::engine::*;

fn five_times(desk: &mut Desk, side: Side, coins: &str) -> OrderId {
    let order = OrderParams {
        leverage: 5,
        margin_mode: MarginMode::Isolated,
        ..desk.order(ETH, side, coins)
    };
    desk.place(order).unwrap()
}

/// Worked by hand (docs/engine.md 6.7).
#[test]
fn average_entry_partial_close_and_flip_come_out_to_the_cent() {
    let mut desk = Desk::new(10_000);
    five_times(&mut desk, Side::Buy, "2");
    assert_eq!(desk.position(ETH).unwrap().fees, usd("2.7"));
    desk.set_extra(ETH, "100").unwrap();
    desk.at(ETH, "3300");
    five_times(&mut desk, Side::Buy, "1");
    assert_eq!(desk.position(ETH).unwrap().entry_price, nano("3100"));
    desk.at(ETH, "3250");
    five_times(&mut desk, Side::Sell, "1.2");
    let open = desk.position(ETH).unwrap();
    assert_eq!(
        (open.realized_pnl, open.realized_margin_basis, open.fees),
        (usd("180"), usd("744"), usd("5.94"))
    );
    assert_eq!(
        (open.isolated_margin_extra, desk.margin(ETH)),
        (Some(usd("60")), usd("1176"))
    );
    desk.at(ETH, "3200");
    let flip = five_times(&mut desk, Side::Sell, "3");
    assert_eq!(desk.row(flip).realized_pnl, Some(usd("180")));
    let closed = desk.last_closed();
    assert_eq!(
        (closed.size, closed.entry_price, closed.exit_price),
        (desk.lots(ETH, "3"), nano("3100"), Some(nano("3220")))
    );
    assert_eq!(
        (
            closed.realized_pnl,
            closed.fees,
            closed.realized_margin_basis
        ),
        (usd("360"), usd("8.532"), usd("1860"))
    );
    let short = desk.position(ETH).unwrap();
    assert_eq!(
        (short.size, short.entry_price, short.fees),
        (desk.lots(ETH, "-1.2"), nano("3200"), usd("1.728"))
    );
    assert!(short.id > closed.id, "a flip opens a new position");
    assert_eq!(desk.facts().cash, usd("10349.74"));
}

#[test]
fn a_short_profits_when_the_price_falls() {
    let mut desk = Desk::new(10_000);
    desk.market(SOL, Side::Sell, "10");
    desk.at(SOL, "90");
    assert_eq!(desk.facts().unrealized_pnl, usd("100"));
    desk.market(SOL, Side::Buy, "10");
    let closed = desk.last_closed();
    assert_eq!(
        (closed.size, closed.realized_pnl, closed.closed_at),
        (desk.lots(SOL, "-10"), usd("100"), Some(desk.engine.now()))
    );
}

#[test]
fn averaging_and_closing_in_odd_parts_loses_no_money_to_rounding() {
    let mut desk = Desk::new(10_000);
    for price in ["100.01", "100.03", "99.97"] {
        desk.at(SOL, price);
        desk.market(SOL, Side::Buy, "0.37");
    }
    desk.at(SOL, "101.11");
    for size in ["0.13", "0.29", "0.69"] {
        desk.market(SOL, Side::Sell, size);
    }
    let closed = desk.last_closed();
    assert_eq!(
        closed.realized_pnl,
        usd("1.2284"),
        "1.11 x 101.11 - cost 111.0037"
    );
    let facts = desk.facts();
    assert_eq!(facts.cash, usd("10000") + closed.realized_pnl - closed.fees);
}

#[test]
fn funding_moves_cash_and_brings_an_isolated_liquidation_nearer() {
    let mut desk = Desk::new(10_000);
    let isolated = OrderParams {
        margin_mode: MarginMode::Isolated,
        ..desk.order(BTC, Side::Buy, "0.5")
    };
    desk.place(isolated).unwrap();
    let before = desk.facts();
    desk.engine.advance_to(super::desk::START + Millis::HOUR);
    let after = desk.position(BTC).unwrap();
    assert_eq!(
        after.funding,
        usd("-0.3125"),
        "0.00125 % of 25000 paid by the long"
    );
    assert_eq!(desk.facts().cash, before.cash + after.funding);
    assert_eq!(desk.facts().available_margin, before.available_margin);
    assert_eq!(desk.margin(BTC), usd("2499.6875"));
}

#[test]
fn funding_is_paid_every_hour_whatever_the_millisecond_the_exchange_was_started_at() {
    let start = super::desk::START + Millis(123);
    let mut desk = Desk::starting(start, 10_000, lax(), markets());
    desk.place(desk.order(BTC, Side::Buy, "0.5")).unwrap();
    desk.engine.advance_to(start + Millis::HOUR);
    assert_eq!(desk.position(BTC).unwrap().funding, usd("-0.3125"));
    desk.engine.advance_to(start + Millis::HOUR + Millis::HOUR);
    assert_eq!(desk.position(BTC).unwrap().funding, usd("-0.625"));
}
