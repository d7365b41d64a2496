use super::desk::{BTC, Desk, SOL, nano};
use crate::exchange::engine::*;

fn armed(desk: &mut Desk, side: Side, mode: PlaceMode) -> Result<OrderId, CommandRefusal> {
    let order = OrderParams {
        mode,
        ..desk.order(SOL, side, "1")
    };
    desk.place(order)
}

#[test]
fn each_mode_waits_for_its_own_side_of_the_mark_and_fires_on_touch() {
    let stop = |px| PlaceMode::StopMarket { trigger: px };
    let take = |px| PlaceMode::TakeMarket { trigger: px };
    let cases = [
        (Side::Buy, stop as fn(Px) -> PlaceMode, "105"),
        (Side::Sell, stop, "95"),
        (Side::Buy, take, "95"),
        (Side::Sell, take, "105"),
    ];
    for (side, mode, trigger) in cases {
        let mut desk = Desk::new(100_000);
        let px = desk.px(SOL, trigger);
        let id = armed(&mut desk, side, mode(px)).unwrap();
        assert_eq!(desk.row(id).status, OrderStatus::Pending);
        desk.step();
        assert_eq!(desk.row(id).status, OrderStatus::Pending);
        desk.at(SOL, trigger);
        assert_eq!(desk.ending(id), (OrderStatus::Filled, Lots(100), None));
        let wrong = if trigger == "105" { "95" } else { "105" };
        let wrong = desk.px(SOL, wrong);
        desk.at(SOL, "100");
        assert_eq!(
            armed(&mut desk, side, mode(wrong)).unwrap_err().code,
            Reason::TriggerWouldFire,
            "already crossed"
        );
    }
}

/// Long 1 from 11 with a stop at 10, limited to `limit`; then the price jumps to 9. The venue's own example.
fn jumped(limit: &str) -> OrderRecord {
    let mut desk = Desk::new(100_000);
    desk.at(SOL, "11");
    desk.market(SOL, Side::Buy, "1");
    let mode = PlaceMode::StopLimit {
        trigger: desk.px(SOL, "10"),
        price: desk.px(SOL, limit),
    };
    let id = armed(&mut desk, Side::Sell, mode).unwrap();
    let bids = [("9", "0.4"), ("8.5", "0.3"), ("8", "5"), ("7.9", "5")];
    desk.book(SOL, &bids, &[("9.01", "5")], "9");
    desk.row(id)
}

#[test]
fn a_stop_limit_whose_limit_is_passed_rests_there() {
    let row = jumped("10");
    assert_eq!(
        (row.status, row.size, row.filled_size),
        (OrderStatus::Resting, Lots(100), Lots::ZERO)
    );
}

#[test]
fn a_stop_limit_takes_what_its_limit_allows_in_the_gap() {
    let row = jumped("8");
    assert_eq!(
        (row.status, row.filled_size, row.fill_price),
        (OrderStatus::Filled, Lots(100), Some(nano("8.55"))),
        "9, 8.5 and 8"
    );
}

#[test]
fn a_trigger_watches_the_mark_and_no_stray_print() {
    let mut desk = Desk::new(100_000);
    let mode = PlaceMode::StopMarket {
        trigger: desk.px(SOL, "105"),
    };
    let id = armed(&mut desk, Side::Buy, mode).unwrap();
    desk.trade(SOL, Side::Buy, "110", "1");
    let facts = desk.engine.market_facts(SOL.into());
    assert_eq!(facts.last, Some(desk.px(SOL, "110")));
    assert_eq!(desk.row(id).status, OrderStatus::Pending);
}

#[test]
fn a_take_profit_closes_only_and_ends_when_there_is_nothing_to_close() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "1");
    let mode = PlaceMode::TakeProfit {
        trigger: desk.px(SOL, "110"),
        target: None,
    };
    let id = armed(&mut desk, Side::Sell, mode).unwrap();
    let row = desk.row(id);
    assert!(row.reduce_only);
    assert_eq!(row.target_position, desk.position(SOL).map(|held| held.id));
    desk.market(SOL, Side::Sell, "1");
    assert_eq!(
        desk.ending(id),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::ReduceOnly))
    );
}

#[test]
fn a_conditional_watches_another_market_and_fires_once() {
    let mut desk = Desk::new(100_000);
    let mode = PlaceMode::Conditional {
        market: BTC.into(),
        trigger: desk.px(BTC, "51000"),
        direction: TriggerDirection::Above,
    };
    let id = armed(&mut desk, Side::Buy, mode).unwrap();
    let row = desk.row(id);
    assert_eq!(
        (row.order_type, row.mode),
        (OrderType::Market, OrderMode::Conditional)
    );
    desk.at(SOL, "120");
    assert_eq!(desk.row(id).status, OrderStatus::Pending);
    desk.at(BTC, "51000");
    desk.at(BTC, "50000");
    desk.at(BTC, "51000");
    assert_eq!(desk.held(SOL), Lots(100));
}

#[test]
fn margin_is_checked_when_the_trigger_fires_not_before() {
    let mut desk = Desk::new(1_000);
    let order = OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(SOL, "105"),
        },
        ..desk.order(SOL, Side::Buy, "200")
    };
    let id = desk.place(order).unwrap();
    assert_eq!(desk.facts().order_holds, Usd::ZERO);
    desk.at(SOL, "105");
    assert_eq!(
        desk.ending(id),
        (
            OrderStatus::Rejected,
            Lots::ZERO,
            Some(Reason::InsufficientMargin)
        )
    );
}

#[test]
fn a_triggered_market_order_trades_at_most_ten_percent_away() {
    let mut desk = Desk::new(100_000);
    let mode = PlaceMode::StopMarket {
        trigger: desk.px(SOL, "105"),
    };
    let id = armed(&mut desk, Side::Buy, mode).unwrap();
    desk.book(SOL, &[("85", "1")], &[("125", "5")], "105");
    assert_eq!(
        desk.ending(id),
        (OrderStatus::Rejected, Lots::ZERO, Some(Reason::NoLiquidity))
    );
}

#[test]
fn an_armed_order_can_expire() {
    let mut desk = Desk::new(100_000);
    let order = OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(SOL, "105"),
        },
        tif: Tif::Gtd {
            expires_at: desk.engine.now() + Millis(250),
        },
        ..desk.order(SOL, Side::Buy, "1")
    };
    let id = desk.place(order).unwrap();
    desk.at(SOL, "106");
    assert_eq!(desk.row(id).status, OrderStatus::Expired);
}

#[test]
fn a_triggered_limit_keeps_its_time_in_force() {
    for (tif, fate) in [
        (Tif::Ioc, (OrderStatus::Filled, Lots(40), None)),
        (
            Tif::Fok,
            (
                OrderStatus::Rejected,
                Lots::ZERO,
                Some(Reason::FokUnfillable),
            ),
        ),
        (Tif::Gtc, (OrderStatus::Resting, Lots(40), None)),
    ] {
        let mut desk = Desk::new(100_000);
        let order = OrderParams {
            tif,
            mode: PlaceMode::StopLimit {
                trigger: desk.px(SOL, "105"),
                price: desk.px(SOL, "106"),
            },
            ..desk.order(SOL, Side::Buy, "1")
        };
        let id = desk.place(order).unwrap();
        desk.book(
            SOL,
            &[("105", "9")],
            &[("105.5", "0.4"), ("107", "9")],
            "105",
        );
        assert_eq!(desk.ending(id), fate, "{tif:?}");
    }
}

#[test]
fn a_conditional_that_is_true_already_is_refused() {
    let mut desk = Desk::new(100_000);
    for (direction, px) in [
        (TriggerDirection::Above, "50000"),
        (TriggerDirection::Below, "50000"),
        (TriggerDirection::Above, "49000"),
    ] {
        let mode = PlaceMode::Conditional {
            market: BTC.into(),
            trigger: desk.px(BTC, px),
            direction,
        };
        let refusal = armed(&mut desk, Side::Buy, mode).unwrap_err();
        assert_eq!(refusal.code, Reason::TriggerWouldFire, "{direction:?} {px}");
    }
}

/// Triggers fire while there are no bids: an opening order ends, a limit waits, and nothing re-arms.
#[test]
fn a_trigger_that_fires_while_half_the_book_is_gone_is_turned_down_and_a_resting_limit_stays() {
    let mut desk = Desk::new(100_000);
    let stop = PlaceMode::StopMarket {
        trigger: desk.px(SOL, "105"),
    };
    let stop = armed(&mut desk, Side::Buy, stop).unwrap();
    let waiting = desk.place(desk.limit(SOL, Side::Buy, "1", "90")).unwrap();
    desk.book(SOL, &[], &[("106", "5")], "106");
    let gone = Some(Reason::MarketUnavailable);
    assert_eq!(desk.ending(stop), (OrderStatus::Rejected, Lots::ZERO, gone));
    assert_eq!(desk.row(waiting).status, OrderStatus::Resting);
    desk.at(SOL, "106");
    assert_eq!(desk.row(stop).status, OrderStatus::Rejected);
    desk.at(SOL, "90");
    assert_eq!(desk.ending(waiting), (OrderStatus::Filled, Lots(100), None));
}
