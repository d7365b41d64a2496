use super::desk::{Desk, SOL};
use crate::exchange::engine::*;

/// Long 10 with a reduce-only sell of 6 resting at 101.
fn long_ten() -> (Desk, OrderId) {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "10");
    let exit = Desk::reduce_only(desk.limit(SOL, Side::Sell, "6", "101"));
    let id = desk.place(exit).unwrap();
    (desk, id)
}

#[test]
fn an_exit_shrinks_with_the_position() {
    let (mut desk, exit) = long_ten();
    desk.market(SOL, Side::Sell, "7");
    let row = desk.row(exit);
    assert_eq!(
        (row.status, row.size, row.initial_size),
        (OrderStatus::Resting, Lots(300), Lots(600))
    );
    desk.market(SOL, Side::Buy, "5");
    assert_eq!(desk.row(exit).size, Lots(300), "it never regrows");
}

#[test]
fn a_full_size_exit_closes_what_it_shows_though_the_position_has_grown() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "10");
    let profit = |desk: &Desk, coins| OrderParams {
        mode: PlaceMode::TakeProfit {
            trigger: desk.px(SOL, "110"),
            target: None,
        },
        ..desk.order(SOL, Side::Sell, coins)
    };
    let whole = desk.place(profit(&desk, "10")).unwrap();
    desk.market(SOL, Side::Buy, "5");
    desk.at(SOL, "110");
    assert_eq!(desk.ending(whole), (OrderStatus::Filled, Lots(1_000), None));
    assert_eq!(desk.held(SOL), Lots(500), "the five that came later stay");
}

#[test]
fn an_exit_ends_when_the_position_turns() {
    let (mut desk, exit) = long_ten();
    desk.market(SOL, Side::Sell, "11");
    assert_eq!(desk.held(SOL), Lots(-100));
    assert_eq!(
        desk.ending(exit),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::ReduceOnly))
    );
}

#[test]
fn a_reduce_only_order_larger_than_the_position_closes_it_and_no_more() {
    let (mut desk, exit) = long_ten();
    let order = Desk::reduce_only(desk.order(SOL, Side::Sell, "11"));
    let id = desk.place(order).unwrap();
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.initial_size, row.filled_size),
        (OrderStatus::Filled, Lots(1_100), Lots(1_000))
    );
    assert_eq!(desk.held(SOL), Lots::ZERO);
    assert_eq!(
        desk.ending(exit),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::ReduceOnly))
    );
}

#[test]
fn reduce_only_needs_a_position_on_the_other_side() {
    let mut desk = Desk::new(100_000);
    let sell = Desk::reduce_only(desk.order(SOL, Side::Sell, "1"));
    let buy = Desk::reduce_only(desk.order(SOL, Side::Buy, "1"));
    assert_eq!(
        desk.refused(sell),
        (RefusalKind::Rule, Reason::ReduceOnlyNoPosition)
    );
    desk.market(SOL, Side::Buy, "1");
    assert_eq!(
        desk.refused(buy),
        (RefusalKind::Rule, Reason::ReduceOnlyWouldIncrease)
    );
}

#[test]
fn two_exits_together_never_turn_the_position() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("99", "50")], &[("100", "50")], "99.5");
    desk.market(SOL, Side::Buy, "10");
    let exit = |desk: &mut Desk| {
        let order = Desk::reduce_only(desk.limit(SOL, Side::Sell, "8", "101"));
        desk.place(order).unwrap()
    };
    let (first, second) = (exit(&mut desk), exit(&mut desk));
    desk.book(SOL, &[("102", "50")], &[("103", "50")], "102.5");
    assert_eq!(desk.held(SOL), Lots::ZERO);
    assert_eq!(desk.ending(first), (OrderStatus::Filled, Lots(800), None));
    assert_eq!(desk.row(second).filled_size, Lots(200));
}

#[test]
fn leverage_and_least_value_are_asked_of_what_opens_and_not_of_what_closes_all() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "0.15");
    let close = |coins| {
        Desk::reduce_only(OrderParams {
            leverage: 99,
            ..desk.order(SOL, Side::Sell, coins)
        })
    };
    let (part, whole) = (close("0.09"), close("0.15"));
    assert_eq!(
        desk.refused(part),
        (RefusalKind::Rule, Reason::BelowMinNotional),
        "9 of 15 dollars"
    );
    desk.at(SOL, "60");
    desk.place(whole).unwrap();
    assert_eq!(desk.held(SOL), Lots::ZERO, "9 dollars, and all there is");
}
