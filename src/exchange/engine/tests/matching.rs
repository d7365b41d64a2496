use super::desk::{BTC, Desk, SOL, nano, usd};
use crate::exchange::engine::*;

/// A thin book: what takers get of it is worked by hand (docs/engine.md 3.1).
fn thin() -> Desk {
    let mut desk = Desk::new(100_000);
    desk.book(
        SOL,
        &[("99.9", "4"), ("99.5", "4"), ("97.6", "4"), ("97.3", "100")],
        &[("100", "2"), ("100.1", "3"), ("100.5", "5"), ("103", "50")],
        "99.95",
    );
    desk
}

#[test]
fn a_market_buy_takes_level_after_level_up_to_its_cap_and_drops_the_rest() {
    let mut desk = thin();
    let order = OrderParams {
        slippage: Some(Bps(250)),
        ..desk.order(SOL, Side::Buy, "12")
    };
    let id = desk.place(order).unwrap();
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.size, row.initial_size, row.filled_size),
        (OrderStatus::Filled, Lots(1_000), Lots(1_200), Lots(1_000))
    );
    assert_eq!(row.fill_price, Some(nano("100.28")));
    assert_eq!(row.notional, usd("1002.8"));
    assert_eq!(row.fee, usd("0.45126"));
    assert_eq!(desk.held(SOL), Lots(1_000));
}

#[test]
fn a_tighter_cap_fills_less_and_fok_then_refuses_it_all() {
    let mut desk = thin();
    let fok = OrderParams {
        slippage: Some(Bps(50)),
        tif: Tif::Fok,
        ..desk.order(SOL, Side::Buy, "12")
    };
    let capped = OrderParams {
        tif: Tif::Ioc,
        ..fok.clone()
    };
    assert_eq!(
        desk.refused(fok),
        (RefusalKind::Rule, Reason::FokUnfillable)
    );
    let id = desk.place(capped).unwrap();
    assert_eq!(desk.row(id).fill_price, Some(nano("100.06")));
    assert_eq!(desk.held(SOL), Lots(500));
}

#[test]
fn what_one_order_took_the_next_one_does_not_get() {
    let mut desk = thin();
    desk.market(SOL, Side::Buy, "2");
    let second = desk.market(SOL, Side::Buy, "1");
    assert_eq!(desk.row(second).fill_price, Some(nano("100.1")));
}

#[test]
fn a_market_order_that_finds_nothing_inside_its_cap_is_rejected_and_says_so() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("90", "1")], &[("110", "1")], "100");
    let order = OrderParams {
        slippage: Some(Bps(100)),
        ..desk.order(SOL, Side::Buy, "1")
    };
    let refusal = desk.place(order).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.rule),
        (Reason::NoLiquidity, Some(RuleId::MaxSlippage))
    );
    let row = desk.row(refusal.order.unwrap());
    assert_eq!(
        (row.status, row.reason, row.rule),
        (
            OrderStatus::Rejected,
            Some(Reason::NoLiquidity),
            Some(RuleId::MaxSlippage)
        )
    );
}

#[test]
fn a_limit_that_crosses_takes_up_to_its_price_and_rests_with_what_is_left() {
    let mut desk = thin();
    let id = desk
        .place(desk.limit(SOL, Side::Buy, "8", "100.1"))
        .unwrap();
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.size, row.filled_size, row.initial_size),
        (OrderStatus::Resting, Lots(300), Lots(500), Lots(800))
    );
    let slice = desk.engine.orders(desk.me, None).next().unwrap().clone();
    assert_eq!(
        (slice.partial_of, slice.root, slice.status, slice.size),
        (Some(id), Some(id), OrderStatus::Filled, Lots(500))
    );
    assert_eq!(slice.liquidity_role, Some(LiquidityRole::Taker));
}

#[test]
fn a_resting_bid_fills_after_the_queue_before_it_slice_by_slice_at_its_own_price() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("100", "100")], &[("101", "100")], "100.5");
    let id = desk.place(desk.limit(SOL, Side::Buy, "50", "100")).unwrap();
    desk.trade(SOL, Side::Sell, "100", "80");
    assert_eq!(desk.held(SOL), Lots::ZERO);
    desk.trade(SOL, Side::Sell, "100", "30");
    assert_eq!(desk.held(SOL), Lots(1_000));
    desk.trade(SOL, Side::Sell, "100", "50");
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.size, row.filled_size, row.fill_price),
        (
            OrderStatus::Filled,
            Lots(5_000),
            Lots(5_000),
            Some(nano("100"))
        )
    );
    assert_eq!(row.liquidity_role, Some(LiquidityRole::Maker));
    let rows: Vec<_> = desk
        .engine
        .orders(desk.me, None)
        .map(|row| (row.partial_of, row.size, row.fee))
        .collect();
    // The order's own row has the totals, and its slices sum to the same.
    assert_eq!(
        rows,
        [
            (Some(id), Lots(4_000), usd("0.6")),
            (Some(id), Lots(1_000), usd("0.15")),
            (None, Lots(5_000), usd("0.75")),
        ]
    );
    assert_eq!(row.notional, usd("5000"));
}

#[test]
fn a_bid_the_new_book_crosses_fills_at_its_limit_never_better() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("100", "10")], &[("101", "10")], "100.5");
    let id = desk.place(desk.limit(SOL, Side::Buy, "5", "100")).unwrap();
    desk.book(SOL, &[("98", "10")], &[("99", "3"), ("99.5", "1")], "98.5");
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.filled_size),
        (OrderStatus::Resting, Lots(400))
    );
    assert_eq!(desk.position(SOL).unwrap().entry_price, nano("100"));
}

#[test]
fn ioc_takes_what_matches_now_and_says_so_when_nothing_does() {
    let mut desk = thin();
    let ioc = |order| OrderParams {
        tif: Tif::Ioc,
        ..order
    };
    let far = ioc(desk.limit(SOL, Side::Buy, "1", "99"));
    assert_eq!(desk.refused(far), (RefusalKind::Rule, Reason::IocNoMatch));
    let near = ioc(desk.limit(SOL, Side::Buy, "5", "100"));
    let id = desk.place(near).unwrap();
    assert_eq!(desk.ending(id), (OrderStatus::Filled, Lots(200), None));
}

#[test]
fn a_gtd_order_expires_at_its_time_and_keeps_what_it_filled() {
    let mut desk = thin();
    let expires_at = desk.engine.now() + Millis(1_000);
    let order = OrderParams {
        tif: Tif::Gtd { expires_at },
        ..desk.limit(SOL, Side::Buy, "3", "100")
    };
    let id = desk.place(order).unwrap();
    desk.pass(Millis(750));
    assert_eq!(desk.row(id).status, OrderStatus::Resting);
    desk.pass(Millis(250));
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.settled_at, row.canceled_at),
        (OrderStatus::Expired, Some(expires_at), None)
    );
    assert_eq!(desk.held(SOL), Lots(200));
}

#[test]
fn an_order_that_expires_now_is_not_filled_by_what_comes_now() {
    let mut desk = thin();
    let expires_at = desk.engine.now() + Millis::STEP;
    let order = OrderParams {
        tif: Tif::Gtd { expires_at },
        ..desk.limit(SOL, Side::Buy, "3", "99")
    };
    let id = desk.place(order).unwrap();
    desk.book(SOL, &[("97", "9")], &[("98", "9")], "97.5");
    assert_eq!(desk.ending(id), (OrderStatus::Expired, Lots::ZERO, None));
}

#[test]
fn a_fee_is_rounded_down_to_the_millionth_as_a_real_venue_reported_it() {
    let mut desk = Desk::new(100_000);
    desk.book(BTC, &[("66652", "1")], &[("66660", "1")], "66656");
    let id = desk
        .place(desk.limit(BTC, Side::Sell, "0.001", "66653"))
        .unwrap();
    desk.book(BTC, &[("66653", "1")], &[("66660", "1")], "66656");
    assert_eq!(desk.row(id).notional, usd("66.653"));
    assert_eq!(
        desk.row(id).fee,
        usd("0.009997"),
        "66.653 x 0.015 % = 0.00999795"
    );
}

#[test]
fn without_a_cap_of_its_own_a_market_order_trades_at_most_five_percent_away_and_a_slice_three() {
    let level = [("103", "1"), ("104.9", "1"), ("106", "9")];
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("97", "9")], &level, "100");
    let id = desk.market(SOL, Side::Buy, "3");
    assert_eq!(desk.row(id).filled_size, Lots(200));

    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("97", "9")], &level, "100");
    let twap = EngineCommand::PlaceTwap(desk.twap(SOL, Side::Buy, "33"));
    desk.apply(twap).unwrap();
    assert_eq!(desk.held(SOL), Lots(100), "3 were due");
}
