use super::desk::{Desk, SOL};
use crate::exchange::engine::*;

/// A buy of 2 at 100 with take-profit 110 and stop-loss 95, resting behind 0.
fn bracket(desk: &mut Desk) -> OrderId {
    desk.book(SOL, &[("99", "50")], &[("101", "50")], "100");
    let entry = OrderParams {
        exits: AttachedExits {
            take_profit: Some(desk.px(SOL, "110")),
            stop_loss: Some(desk.px(SOL, "95")),
        },
        ..desk.limit(SOL, Side::Buy, "2", "100")
    };
    desk.place(entry).unwrap()
}

/// (mode, status, size) of what works besides the entry, oldest first.
fn legs(desk: &Desk) -> Vec<(OrderMode, Lots)> {
    let mut legs: Vec<_> = desk
        .engine
        .working_orders(desk.me)
        .filter(|row| row.reduce_only)
        .map(|row| (row.mode, row.size))
        .collect();
    legs.reverse();
    legs
}

fn both(lots: i64) -> Vec<(OrderMode, Lots)> {
    vec![
        (OrderMode::StopMarket, Lots(lots)),
        (OrderMode::TakeProfit, Lots(lots)),
    ]
}

#[test]
fn exits_protect_every_filled_lot_and_the_one_that_fills_cancels_the_other() {
    let mut desk = Desk::new(100_000);
    bracket(&mut desk);
    assert_eq!(legs(&desk), []);
    desk.trade(SOL, Side::Sell, "100", "0.5");
    assert_eq!(legs(&desk), both(50));
    desk.trade(SOL, Side::Sell, "100", "1.5");
    assert_eq!(legs(&desk), both(200));
    let ids: Vec<OrderId> = desk
        .engine
        .working_orders(desk.me)
        .map(|row| row.id)
        .collect();
    desk.book(SOL, &[("110", "50")], &[("110.1", "50")], "110");
    assert_eq!(desk.held(SOL), Lots::ZERO);
    let fates: Vec<_> = ids.iter().map(|id| desk.ending(*id)).collect();
    assert_eq!(
        fates,
        [
            (OrderStatus::Filled, Lots(200), None),
            (
                OrderStatus::Canceled,
                Lots::ZERO,
                Some(Reason::SiblingFilled)
            )
        ]
    );
}

#[test]
fn a_take_profit_that_fills_in_part_leaves_a_stop_for_the_rest() {
    let mut desk = Desk::new(100_000);
    bracket(&mut desk);
    desk.trade(SOL, Side::Sell, "100", "2");
    desk.book(SOL, &[("110", "0.5")], &[("110.1", "5")], "110");
    assert_eq!(desk.held(SOL), Lots(150));
    assert_eq!(legs(&desk), [(OrderMode::StopMarket, Lots(150))]);
}

#[test]
fn canceling_a_half_filled_entry_keeps_what_is_filled_protected() {
    let mut desk = Desk::new(100_000);
    let entry = bracket(&mut desk);
    desk.trade(SOL, Side::Sell, "100", "0.5");
    desk.apply(EngineCommand::Cancel(entry)).unwrap();
    assert_eq!(legs(&desk), both(50));
}

#[test]
fn a_market_entry_is_protected_at_once() {
    let mut desk = Desk::new(100_000);
    let entry = OrderParams {
        exits: AttachedExits {
            take_profit: None,
            stop_loss: Some(desk.px(SOL, "95")),
        },
        ..desk.order(SOL, Side::Buy, "2")
    };
    desk.place(entry).unwrap();
    assert_eq!(legs(&desk), [(OrderMode::StopMarket, Lots(200))]);
    let stop = desk.engine.working_orders(desk.me).next().unwrap();
    assert_eq!(stop.target_position, desk.position(SOL).map(|held| held.id));
    desk.at(SOL, "95");
    assert_eq!(desk.held(SOL), Lots::ZERO);
}

#[test]
fn closing_the_position_by_hand_ends_both_exits() {
    let mut desk = Desk::new(100_000);
    bracket(&mut desk);
    desk.trade(SOL, Side::Sell, "100", "2");
    desk.at(SOL, "101");
    desk.market(SOL, Side::Sell, "2");
    assert_eq!(legs(&desk), []);
}

#[test]
fn exits_on_the_wrong_side_of_the_entry_are_refused() {
    let mut desk = Desk::new(100_000);
    let wrong = [
        (Side::Buy, Some("99"), None),
        (Side::Buy, None, Some("101")),
        (Side::Sell, Some("101"), None),
        (Side::Sell, None, Some("99")),
        (Side::Sell, None, Some("100")),
    ];
    for (side, take_profit, stop_loss) in wrong {
        let order = OrderParams {
            exits: AttachedExits {
                take_profit: take_profit.map(|px| desk.px(SOL, px)),
                stop_loss: stop_loss.map(|px| desk.px(SOL, px)),
            },
            ..desk.limit(SOL, side, "1", "100")
        };
        assert_eq!(
            desk.refused(order),
            (RefusalKind::Rule, Reason::InvalidAttachedExit)
        );
    }
}

#[test]
fn exits_of_a_resting_entry_can_be_set_moved_and_removed() {
    let mut desk = Desk::new(100_000);
    let entry = bracket(&mut desk);
    desk.trade(SOL, Side::Sell, "100", "0.5");
    let set = SetAttachedExits {
        order: entry,
        take_profit: ExitChange::Remove,
        stop_loss: ExitChange::Set(desk.px(SOL, "96")),
    };
    assert_eq!(
        desk.apply(EngineCommand::SetExits(set)),
        Ok(CommandOutcome::Order(entry))
    );
    let row = desk.row(entry);
    assert_eq!(
        (row.exits.take_profit, row.exits.stop_loss),
        (None, Some(desk.px(SOL, "96")))
    );
    assert_eq!(legs(&desk), [(OrderMode::StopMarket, Lots(50))]);
    desk.book(SOL, &[("96", "50")], &[("96.1", "0.01")], "96");
    assert_eq!(
        legs(&desk),
        [],
        "the moved stop fired at its new price, for what was filled"
    );
}

#[test]
fn exits_of_an_order_that_does_not_rest_cannot_be_set() {
    let mut desk = Desk::new(100_000);
    let id = desk.market(SOL, Side::Buy, "1");
    let set = SetAttachedExits {
        order: id,
        take_profit: ExitChange::Keep,
        stop_loss: ExitChange::Keep,
    };
    let refusal = desk.apply(EngineCommand::SetExits(set)).unwrap_err();
    assert_eq!(
        (refusal.kind, refusal.code),
        (RefusalKind::Conflict, Reason::OrderNotResting)
    );
}

/// For every kind of entry: buys at 95 to 106 with a target at 120 and a stop at 90.
#[test]
fn an_entry_of_any_kind_is_protected_as_soon_as_it_fills() {
    let desk = Desk::new(100_000);
    let px = |text| desk.px(SOL, text);
    for (mode, at) in [
        (PlaceMode::StopMarket { trigger: px("105") }, "105"),
        (
            PlaceMode::StopLimit {
                trigger: px("105"),
                price: px("106"),
            },
            "105",
        ),
        (PlaceMode::TakeMarket { trigger: px("95") }, "95"),
        (
            PlaceMode::TakeLimit {
                trigger: px("95"),
                price: px("96"),
            },
            "95",
        ),
        (
            PlaceMode::Chase {
                offset: px("1"),
                cap: None,
            },
            "98",
        ),
        (
            PlaceMode::Conditional {
                market: SOL.into(),
                trigger: px("103"),
                direction: TriggerDirection::Above,
            },
            "103",
        ),
    ] {
        let mut desk = Desk::new(100_000);
        let entry = OrderParams {
            mode,
            exits: AttachedExits {
                take_profit: Some(px("120")),
                stop_loss: Some(px("90")),
            },
            ..desk.order(SOL, Side::Buy, "2")
        };
        desk.place(entry).unwrap();
        assert_eq!(legs(&desk), [], "{mode:?}");
        desk.at(SOL, at);
        assert_eq!(legs(&desk), both(200), "{mode:?}");
    }
}
