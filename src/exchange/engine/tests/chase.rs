use super::desk::{Desk, SOL, START, lax, markets, nano};
use crate::exchange::engine::*;

fn chase(desk: &Desk, side: Side, offset: &str, cap: Option<&str>) -> OrderParams {
    OrderParams {
        mode: PlaceMode::Chase {
            offset: desk.px(SOL, offset),
            cap: cap.map(|px| desk.px(SOL, px)),
        },
        ..desk.order(SOL, side, "1")
    }
}

fn bid_at(desk: &mut Desk, bid: &str, ask: &str) {
    desk.show(SOL, &[(bid, "5")], &[(ask, "5")], bid);
    desk.pass(Millis(1_000));
}

#[test]
fn a_chase_follows_the_bid_both_ways_up_to_its_cap() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("100", "5")], &[("102", "5")], "100");
    let id = desk
        .place(chase(&desk, Side::Buy, "0.2", Some("100.3")))
        .unwrap();
    let at = |desk: &Desk| desk.row(id).limit_price.unwrap();
    assert_eq!(at(&desk), desk.px(SOL, "99.8"));
    for (bid, expected) in [
        ("100.4", "100.2"),
        ("100.7", "100.3"),
        ("101", "100.3"),
        ("100.2", "100"),
    ] {
        bid_at(&mut desk, bid, "102");
        assert_eq!(at(&desk), desk.px(SOL, expected), "bid {bid}");
    }
    assert_eq!(desk.row(id).status, OrderStatus::Resting);
    desk.trade(SOL, Side::Sell, "100", "1");
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.fill_price, row.liquidity_role),
        (
            OrderStatus::Filled,
            Some(nano("100")),
            Some(LiquidityRole::Maker)
        )
    );
}

#[test]
fn a_chase_follows_whatever_the_millisecond_the_exchange_was_started_at() {
    let start = START + Millis(123);
    let mut desk = Desk::starting(start, 100_000, lax(), markets());
    desk.book(SOL, &[("100", "5")], &[("102", "5")], "100");
    let id = desk.place(chase(&desk, Side::Buy, "0.2", None)).unwrap();
    bid_at(&mut desk, "100.4", "102");
    assert_eq!(desk.row(id).limit_price, Some(desk.px(SOL, "100.2")));
}

#[test]
fn a_chase_keeps_its_last_price_while_its_side_is_empty() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("100", "5")], &[("102", "5")], "100");
    let id = desk.place(chase(&desk, Side::Sell, "1", None)).unwrap();
    assert_eq!(desk.row(id).limit_price, Some(desk.px(SOL, "103")));
    desk.show(SOL, &[("100", "5")], &[], "100");
    desk.pass(Millis(1_000));
    assert_eq!(desk.row(id).limit_price, Some(desk.px(SOL, "103")));
}

#[test]
fn a_chase_never_crosses_and_stays_a_tick_inside() {
    let mut desk = Desk::new(100_000);
    for (side, expected) in [(Side::Buy, "99.99"), (Side::Sell, "100.01")] {
        // Bid and ask are both at 100.
        let id = desk.place(chase(&desk, side, "0", None)).unwrap();
        assert_eq!(desk.row(id).limit_price, Some(desk.px(SOL, expected)));
        assert_eq!(desk.row(id).status, OrderStatus::Resting);
    }
}

#[test]
fn a_chase_that_moves_keeps_what_it_filled_and_queues_anew() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("100", "5")], &[("102", "5")], "100");
    let id = desk.place(chase(&desk, Side::Buy, "0", None)).unwrap();
    desk.trade(SOL, Side::Sell, "100", "5.4");
    bid_at(&mut desk, "100.4", "102");
    let row = desk.row(id);
    assert_eq!(
        (row.limit_price, row.size, row.filled_size),
        (Some(desk.px(SOL, "100.4")), Lots(60), Lots(40))
    );
    desk.trade(SOL, Side::Sell, "100.4", "5");
    assert_eq!(desk.row(id).filled_size, Lots(40), "five were there before");
    desk.trade(SOL, Side::Sell, "100.4", "1");
    assert_eq!(desk.ending(id), (OrderStatus::Filled, Lots(100), None));
}

#[test]
fn five_chases_are_enough_for_an_account() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("100", "5")], &[("102", "5")], "100");
    for _ in 0..5 {
        desk.place(chase(&desk, Side::Buy, "1", None)).unwrap();
    }
    let sixth = chase(&desk, Side::Buy, "1", None);
    assert_eq!(
        desk.refused(sixth),
        (RefusalKind::Rule, Reason::TooManyChaseOrders)
    );
}

#[test]
fn a_selling_chase_follows_the_ask_down_to_its_cap_and_fills_as_maker() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("98", "5")], &[("100", "5")], "100");
    let id = desk
        .place(chase(&desk, Side::Sell, "0.2", Some("99.7")))
        .unwrap();
    let at = |desk: &Desk| desk.row(id).limit_price.unwrap();
    assert_eq!(at(&desk), desk.px(SOL, "100.2"));
    for (ask, expected) in [("99.6", "99.8"), ("99.3", "99.7"), ("101", "101.2")] {
        desk.show(SOL, &[("98", "5")], &[(ask, "5")], ask);
        desk.pass(Millis(1_000));
        assert_eq!(at(&desk), desk.px(SOL, expected), "ask {ask}");
    }
    desk.trade(SOL, Side::Buy, "101.2", "1");
    let row = desk.row(id);
    assert_eq!(
        (row.fill_price, row.liquidity_role),
        (Some(nano("101.2")), Some(LiquidityRole::Maker))
    );
}

#[test]
fn a_chase_that_only_reduces_looks_once_a_second_and_sells_no_more_than_there_is() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "1");
    desk.book(SOL, &[("98", "5")], &[("100", "5")], "99");
    let exit = OrderParams {
        size: desk.lots(SOL, "3"),
        ..Desk::reduce_only(chase(&desk, Side::Sell, "0", None))
    };
    desk.pass(Millis(500));
    let id = desk.place(exit).unwrap();
    let row = desk.row(id);
    assert_eq!((row.size, row.initial_size), (Lots(100), Lots(300)));
    let at = |desk: &Desk| desk.row(id).limit_price.unwrap();
    desk.book(SOL, &[("98", "5")], &[("99.5", "5")], "99");
    assert_eq!(at(&desk), desk.px(SOL, "100"), "not before its second");
    desk.step();
    desk.step();
    desk.step();
    assert_eq!(at(&desk), desk.px(SOL, "99.5"));
    desk.trade(SOL, Side::Buy, "99.5", "9");
    assert_eq!(desk.ending(id), (OrderStatus::Filled, Lots(100), None));
    assert_eq!(desk.held(SOL), Lots::ZERO);
}

#[test]
fn a_chase_with_no_price_to_begin_at_is_turned_down() {
    let mut desk = Desk::new(100_000);
    let too_far = chase(&desk, Side::Buy, "100", None);
    let none = (RefusalKind::Rule, Reason::PostOnlyWouldCross);
    assert_eq!(desk.refused(too_far), none, "a price of nothing");
    desk.market(SOL, Side::Buy, "1");
    desk.book(SOL, &[("100", "5")], &[], "100");
    let nobody_to_follow = Desk::reduce_only(chase(&desk, Side::Sell, "0", None));
    assert_eq!(desk.refused(nobody_to_follow), none);
}

#[test]
fn a_chase_that_would_begin_where_no_limit_may_be_is_refused_like_the_limit() {
    let mut desk = Desk::new(100_000);
    let far = chase(&desk, Side::Sell, "9999", None);
    let limit = desk.limit(SOL, Side::Sell, "1", "9999");
    let out_of_band = (RefusalKind::Rule, Reason::PriceOutOfBand);
    assert_eq!(desk.refused(limit), out_of_band);
    assert_eq!(desk.refused(far), out_of_band);
    let near = chase(&desk, Side::Sell, "90", None);
    desk.place(near).unwrap();
}
