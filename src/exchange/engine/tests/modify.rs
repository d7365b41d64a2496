use super::desk::{Desk, SOL};
use crate::exchange::engine::*;

fn modify(
    desk: &mut Desk,
    order: OrderId,
    price: &str,
    coins: Option<&str>,
) -> Result<CommandOutcome, CommandRefusal> {
    let price = desk.px(SOL, price);
    let size = coins.map(|coins| desk.lots(SOL, coins));
    desk.apply(EngineCommand::Modify(OrderChange { order, price, size }))
}

/// Around 100, with 50 shown at 99.
fn desk() -> Desk {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("99", "50")], &[("101", "50")], "100");
    desk
}

#[test]
fn a_limit_moves_in_place_keeps_its_id_and_fills_and_queues_anew() {
    let mut desk = desk();
    let order = desk.limit(SOL, Side::Buy, "4", "98.5");
    let id = desk.place(order).unwrap();
    desk.trade(SOL, Side::Sell, "98", "1");
    modify(&mut desk, id, "99", Some("2")).unwrap();
    let row = desk.row(id);
    assert_eq!(
        (row.status, row.limit_price, row.size, row.filled_size),
        (
            OrderStatus::Resting,
            Some(desk.px(SOL, "99")),
            Lots(200),
            Lots(100)
        )
    );
    assert_eq!(row.initial_size, Lots(300));
    desk.trade(SOL, Side::Sell, "99", "50");
    assert_eq!(desk.row(id).filled_size, Lots(100), "50 were ahead");
    desk.trade(SOL, Side::Sell, "99", "1");
    assert_eq!(desk.row(id).filled_size, Lots(200));
}

#[test]
fn a_limit_that_is_moved_across_the_book_fills() {
    let mut desk = desk();
    let order = desk.limit(SOL, Side::Buy, "4", "98");
    let id = desk.place(order).unwrap();
    modify(&mut desk, id, "101", None).unwrap();
    let row = desk.row(id);
    assert_eq!(row.status, OrderStatus::Filled);
    assert_eq!(row.liquidity_role, Some(LiquidityRole::Taker));
}

#[test]
fn a_stop_moves_its_trigger_and_a_conditional_limit_its_limit_with_it() {
    let mut desk = desk();
    desk.market(SOL, Side::Buy, "4");
    let (trigger, price) = (desk.px(SOL, "95"), desk.px(SOL, "94.5"));
    let stop = Desk::reduce_only(OrderParams {
        mode: PlaceMode::StopLimit { trigger, price },
        ..desk.order(SOL, Side::Sell, "4")
    });
    let id = desk.place(stop).unwrap();
    modify(&mut desk, id, "96", Some("9")).unwrap();
    let row = desk.row(id);
    let prices = (row.trigger_price, row.limit_price);
    assert_eq!(
        prices,
        (Some(desk.px(SOL, "96")), Some(desk.px(SOL, "95.5")))
    );
    assert_eq!(
        (row.size, row.triggered_at),
        (Lots(400), None),
        "cut to the position"
    );
    desk.book(SOL, &[("95.8", "50")], &[("96", "50")], "95.9");
    let row = desk.row(id);
    assert_eq!(row.status, OrderStatus::Filled);
    assert_eq!(row.stop_triggered_at(), Some(desk.engine.now()));
}

#[test]
fn a_chase_moves_its_cap() {
    let mut desk = desk();
    let offset = Px::ZERO;
    let chase = OrderParams {
        mode: PlaceMode::Chase { offset, cap: None },
        ..desk.order(SOL, Side::Buy, "1")
    };
    let id = desk.place(chase).unwrap();
    assert_eq!(desk.row(id).limit_price, Some(desk.px(SOL, "99")));
    modify(&mut desk, id, "98", None).unwrap();
    assert_eq!(desk.row(id).limit_price, Some(desk.px(SOL, "98")));
}

#[test]
fn a_refused_move_changes_nothing() {
    let mut desk = desk();
    let bracket = OrderParams {
        exits: AttachedExits {
            take_profit: None,
            stop_loss: Some(desk.px(SOL, "95")),
        },
        ..desk.limit(SOL, Side::Buy, "2", "98")
    };
    let id = desk.place(bracket).unwrap();
    let (before, hash) = (desk.row(id), desk.engine.log_hash());
    for (price, coins, why) in [
        ("94", None, Reason::InvalidAttachedExit),
        ("98", Some("0.01"), Reason::BelowMinNotional),
        ("98", Some("90000"), Reason::InsufficientMargin),
    ] {
        let refusal = modify(&mut desk, id, price, coins).unwrap_err();
        assert_eq!((refusal.code, refusal.order), (why, None), "{refusal}");
        assert_eq!(
            (&desk.row(id), desk.engine.log_hash()),
            (&before, hash.clone())
        );
    }
}

#[test]
fn what_has_ended_is_a_rung_or_is_about_to_be_canceled_is_not_modified() {
    let mut desk = desk();
    let order = desk.limit(SOL, Side::Buy, "1", "98");
    let (ended, queued) = (
        desk.place(order.clone()).unwrap(),
        desk.place(order).unwrap(),
    );
    desk.apply(EngineCommand::Cancel(ended)).unwrap();
    desk.apply(EngineCommand::QueueCancel(queued)).unwrap();
    let requested_at = desk.row(queued).cancel_requested_at;
    assert_eq!(requested_at, Some(desk.engine.now()));
    desk.apply(EngineCommand::PlaceScaled(ScaledParams {
        market: SOL.into(),
        side: Side::Buy,
        size: desk.lots(SOL, "2"),
        leverage: 10,
        margin_mode: MarginMode::Cross,
        reduction: Reduction::May,
        start_price: desk.px(SOL, "98"),
        end_price: desk.px(SOL, "97"),
        rung_count: 2,
        distribution: Distribution::Flat,
    }))
    .unwrap();
    let rung = desk.engine.working_orders(desk.me).next().unwrap().id;
    for (id, kind, why) in [
        (ended, RefusalKind::Conflict, Reason::OrderNotWorking),
        (queued, RefusalKind::Conflict, Reason::OrderNotWorking),
        (rung, RefusalKind::Rule, Reason::OrderNotModifiable),
    ] {
        let refusal = modify(&mut desk, id, "97", None).unwrap_err();
        assert_eq!((refusal.kind, refusal.code), (kind, why));
    }
}

#[test]
fn a_full_account_still_moves_its_orders() {
    let mut desk = desk();
    let mut last = None;
    for _ in 0..1_000 {
        let order = desk.limit(SOL, Side::Buy, "0.2", "98");
        last = Some(desk.place(order).unwrap());
    }
    modify(&mut desk, last.unwrap(), "97", None).unwrap();
}
