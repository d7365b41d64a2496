use super::desk::{BTC, Desk, ETH, SOL, nano};
use crate::exchange::engine::*;

#[test]
fn a_price_off_the_tick_is_refused_and_nothing_is_recorded() {
    let mut desk = Desk::new(100_000);
    let refusal = desk
        .place(desk.limit(ETH, Side::Buy, "1", "2123.95"))
        .unwrap_err();
    assert_eq!(
        (refusal.kind, refusal.code, refusal.field.as_deref()),
        (RefusalKind::Rule, Reason::InvalidTick, Some("limit_price"))
    );
    assert_eq!(
        refusal.message,
        "limit_price 2123.95 is not a multiple of the tick 0.1"
    );
    assert_eq!(desk.engine.orders(desk.me, None).count(), 0);
}

#[test]
fn impossible_terms_are_refused_before_anything_is_recorded() {
    let mut desk = Desk::new(100_000);
    let base = desk.order(SOL, Side::Buy, "1");
    let now = desk.engine.now();
    let chase = PlaceMode::Chase {
        offset: Px::ZERO,
        cap: None,
    };
    let cases = [
        (
            OrderParams {
                size: Lots::ZERO,
                ..base.clone()
            },
            Reason::InvalidSize,
        ),
        (
            OrderParams {
                leverage: 0,
                ..base.clone()
            },
            Reason::InvalidLeverage,
        ),
        (
            OrderParams {
                slippage: Some(Bps(-1)),
                ..base.clone()
            },
            Reason::InvalidSlippage,
        ),
        (
            OrderParams {
                tif: Tif::Gtd {
                    expires_at: now + Millis(9),
                },
                ..base.clone()
            },
            Reason::InvalidTimeInForce,
        ),
        (
            OrderParams {
                tif: Tif::Gtd { expires_at: now },
                ..desk.limit(SOL, Side::Buy, "1", "99")
            },
            Reason::InvalidTimeInForce,
        ),
        (
            OrderParams {
                tif: Tif::Fok,
                mode: chase,
                ..base
            },
            Reason::InvalidTimeInForce,
        ),
    ];
    for (order, reason) in cases {
        assert_eq!(desk.refused(order), (RefusalKind::Payload, reason));
    }
    assert_eq!(desk.engine.orders(desk.me, None).count(), 0);
}

#[test]
fn a_rule_that_turns_an_order_down_is_named_on_the_recorded_row() {
    let mut desk = Desk::new(100_000);
    let cases = [
        (desk.order(SOL, Side::Buy, "0.09"), Reason::BelowMinNotional),
        (
            OrderParams {
                leverage: 21,
                ..desk.order(SOL, Side::Buy, "1")
            },
            Reason::LeverageTooHigh,
        ),
        (
            desk.order(BTC, Side::Buy, "100"),
            Reason::InsufficientMargin,
        ),
        (
            desk.limit(SOL, Side::Sell, "1", "200"),
            Reason::PriceOutOfBand,
        ),
    ];
    for (order, reason) in cases {
        let refusal = desk.place(order).unwrap_err();
        let row = desk.row(refusal.order.unwrap());
        assert_eq!(refusal.kind, RefusalKind::Rule);
        assert_eq!(
            (row.status, row.reason, row.rule),
            (OrderStatus::Rejected, Some(reason), reason.rule())
        );
    }
}

#[test]
fn a_market_without_two_sides_takes_no_order_at_the_market() {
    let mut desk = Desk::new(100_000);
    for (bids, asks) in [(&[][..], &[("100", "5")][..]), (&[("99", "5")], &[])] {
        desk.book(SOL, bids, asks, "100");
        for side in [Side::Buy, Side::Sell] {
            let order = desk.order(SOL, side, "1");
            assert_eq!(
                desk.refused(order),
                (RefusalKind::Rule, Reason::MarketUnavailable)
            );
        }
    }
}

#[test]
fn half_a_book_takes_limit_orders_and_fills_what_they_cross() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[], &[("100", "5")], "100");
    let bid = desk.place(desk.limit(SOL, Side::Buy, "1", "99")).unwrap();
    let offer = desk.place(desk.limit(SOL, Side::Sell, "1", "101")).unwrap();
    let crossing = desk.place(desk.limit(SOL, Side::Buy, "7", "100")).unwrap();
    assert_eq!(desk.row(bid).status, OrderStatus::Resting);
    assert_eq!(desk.row(offer).status, OrderStatus::Resting);
    let crossed = desk.row(crossing);
    assert_eq!((crossed.filled_size, crossed.size), (Lots(500), Lots(200)));
    for own in [bid, crossing] {
        desk.apply(EngineCommand::Cancel(own)).unwrap();
    }
    let ioc = OrderParams {
        tif: Tif::Ioc,
        ..desk.limit(SOL, Side::Sell, "1", "90")
    };
    let none = (RefusalKind::Rule, Reason::IocNoMatch);
    assert_eq!(desk.refused(ioc), none, "nobody bids");
}

/// A stop that protects a position is placed while nobody bids, and sells when somebody does.
#[test]
fn an_order_that_waits_for_its_trigger_is_taken_on_half_a_book() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "2");
    desk.book(SOL, &[], &[("101", "5")], "100");
    let stop = Desk::reduce_only(OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(SOL, "95"),
        },
        ..desk.order(SOL, Side::Sell, "2")
    });
    let stop = desk.place(stop).unwrap();
    desk.at(SOL, "94");
    assert_eq!(desk.ending(stop), (OrderStatus::Filled, Lots(200), None));
}

#[test]
fn a_position_nobody_bids_for_can_still_be_offered_at_a_limit() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "2");
    desk.book(SOL, &[], &[("101", "5")], "100");
    let at_market = Desk::reduce_only(desk.order(SOL, Side::Sell, "2"));
    assert_eq!(
        desk.refused(at_market),
        (RefusalKind::Rule, Reason::MarketUnavailable)
    );
    let offer = Desk::reduce_only(desk.limit(SOL, Side::Sell, "2", "100.5"));
    let offer = desk.place(offer).unwrap();
    desk.trade(SOL, Side::Buy, "100.5", "2");
    assert_eq!(desk.ending(offer), (OrderStatus::Filled, Lots(200), None));
}

#[test]
fn who_is_in_a_position_can_get_out_while_only_his_buyers_are_there() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "3");
    let stop = Desk::reduce_only(OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(SOL, "99.5"),
        },
        ..desk.order(SOL, Side::Sell, "1")
    });
    let stop = desk.place(stop).unwrap();
    desk.book(SOL, &[("99.4", "9")], &[], "99.4");
    assert_eq!(desk.ending(stop), (OrderStatus::Filled, Lots(100), None));
    let exit = Desk::reduce_only(desk.order(SOL, Side::Sell, "1"));
    let out = desk.place(exit.clone()).unwrap();
    assert_eq!(desk.row(out).fill_price, Some(nano("99.4")));
    let opening = desk.order(SOL, Side::Sell, "1");
    assert_eq!(
        desk.refused(opening),
        (RefusalKind::Rule, Reason::MarketUnavailable)
    );
    desk.book(SOL, &[("94", "9")], &[], "100");
    assert_eq!(
        desk.refused(exit),
        (RefusalKind::Rule, Reason::NoLiquidity),
        "more than 5 % from the mark"
    );
}

#[test]
fn a_thousand_orders_at_work_are_enough_for_an_account() {
    let mut desk = Desk::new(1_000_000);
    let one = desk.limit(SOL, Side::Buy, "0.2", "90");
    for _ in 0..1_000 {
        desk.place(one.clone()).unwrap();
    }
    assert_eq!(
        desk.refused(one),
        (RefusalKind::Rule, Reason::TooManyWorkingOrders)
    );
}

#[test]
fn a_thousand_orders_at_work_shut_nobody_in() {
    let mut desk = Desk::new(1_000_000);
    desk.market(SOL, Side::Buy, "9");
    let one = desk.limit(SOL, Side::Buy, "0.2", "90");
    for _ in 0..1_000 {
        desk.place(one.clone()).unwrap();
    }
    let at_once = OrderParams {
        tif: Tif::Ioc,
        ..Desk::reduce_only(desk.limit(SOL, Side::Sell, "1", "90"))
    };
    desk.place(at_once).unwrap();
    let exit = Desk::reduce_only(desk.order(SOL, Side::Sell, "1"));
    desk.place(exit).unwrap();
    let sliced = TwapParams {
        reduction: Reduction::Only,
        ..desk.twap(SOL, Side::Sell, "5")
    };
    desk.apply(EngineCommand::PlaceTwap(sliced)).unwrap();
    assert!(desk.held(SOL) < desk.lots(SOL, "7"), "a slice has run");
    let rests = Desk::reduce_only(desk.limit(SOL, Side::Sell, "1", "110"));
    let stop = Desk::reduce_only(OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(SOL, "95"),
        },
        ..desk.order(SOL, Side::Sell, "1")
    });
    for waits in [rests, stop] {
        let (_, code) = desk.refused(waits);
        assert_eq!(code, Reason::TooManyWorkingOrders);
    }
}

#[test]
fn canceling_a_resting_order_is_done_at_once_and_only_once() {
    let mut desk = Desk::new(100_000);
    let id = desk.place(desk.limit(SOL, Side::Buy, "1", "90")).unwrap();
    let done = desk.apply(EngineCommand::Cancel(id));
    assert_eq!(done, Ok(CommandOutcome::Cancel(Cancellation::Canceled(id))));
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.reason, row.canceled_at, row.settled_at),
        (
            OrderStatus::Canceled,
            Some(Reason::User),
            Some(desk.engine.now()),
            None
        )
    );
    let again = desk.apply(EngineCommand::Cancel(id)).unwrap_err();
    assert_eq!(
        (again.kind, again.code),
        (RefusalKind::Conflict, Reason::OrderNotWorking)
    );
}

#[test]
fn canceling_an_armed_order_is_queued_and_done_at_the_next_step() {
    let mut desk = Desk::new(100_000);
    let stop = OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: desk.px(SOL, "110"),
        },
        ..desk.order(SOL, Side::Buy, "1")
    };
    let id = desk.place(stop).unwrap();
    let queued = Ok(CommandOutcome::Cancel(Cancellation::Queued(id)));
    assert_eq!(desk.apply(EngineCommand::Cancel(id)), queued);
    assert_eq!(
        desk.apply(EngineCommand::Cancel(id)),
        queued,
        "asking twice is safe"
    );
    assert_eq!(desk.row(id).status, OrderStatus::Pending);
    desk.at(SOL, "111");
    assert_eq!(
        desk.ending(id),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::User)),
        "canceled before the trigger it would have met"
    );
}

#[test]
fn another_accounts_order_looks_like_one_that_never_was() {
    let mut desk = Desk::new(100_000);
    let id = desk.place(desk.limit(SOL, Side::Buy, "1", "90")).unwrap();
    let other = desk.engine.account("other").unwrap();
    let foreign = desk
        .engine
        .apply(other, EngineCommand::Cancel(id))
        .unwrap_err();
    let missing = OrderId::parse("ord_999999").unwrap();
    let absent = desk
        .engine
        .apply(other, EngineCommand::Cancel(missing))
        .unwrap_err();
    assert_eq!(foreign, absent);
    assert_eq!(foreign.kind, RefusalKind::NotFound);
    assert_eq!(desk.engine.order(other, id), None);
}

#[test]
fn ids_read_back_only_as_they_were_printed() {
    assert_eq!(
        OrderId::parse("ord_000001").unwrap().to_string(),
        "ord_000001"
    );
    let wrong = [
        "ord_1",
        "pos_000001",
        "ord_000000",
        "ord_+00001",
        "ord_0000001",
    ];
    assert!(wrong.iter().all(|text| OrderId::parse(text).is_none()));
}

#[test]
fn pages_of_orders_skip_and_repeat_nothing_even_within_one_millisecond() {
    let mut desk = Desk::new(100_000);
    let mut placed: Vec<OrderId> = (0..7)
        .map(|_| desk.place(desk.limit(SOL, Side::Buy, "1", "90")).unwrap())
        .collect();
    placed.reverse();
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page: Vec<_> = desk.engine.orders(desk.me, before).take(3).collect();
        let Some(last) = page.last() else { break };
        before = Some(last.key());
        seen.extend(page.iter().map(|row| row.id));
    }
    assert_eq!(seen, placed);
}
