//! Every order type, and its required fields.

use super::*;
use crate::model::{Bps, Timestamp, TriggerDirection};

/// `keys` after `b` with the focus on the type, which a number selects.
fn sends(keys: &str) -> Vec<Effect> {
    let mut model = desk();
    press(&mut model, "b shift-tab shift-tab shift-tab");
    press(&mut model, &format!("{keys} enter"))
}

fn order(kind: PlaceKind) -> PlaceOrder {
    PlaceOrder {
        kind,
        ..market_buy("BTC", "0.1")
    }
}

#[test]
fn a_market_order_takes_exits_slippage_and_the_midpoint_that_was_seen() {
    let sent_order = PlaceOrder {
        take_profit_price: Some(num("70000")),
        stop_loss_price: Some(num("58000")),
        slippage_tolerance: Some(Bps(num("40"))),
        expected_price: Some(num("63990")),
        ..order(PlaceKind::Market)
    };
    let keys = "1 tab tab tab 0.1 tab 70000 tab 58000 tab 40 tab tab tab tab 63990";
    assert_eq!(sends(keys), sent(1, place(sent_order)));
}

#[test]
fn a_limit_order_can_end_at_a_date_that_is_sent_as_an_instant() {
    let sent_order = PlaceOrder {
        limit_price: Some(num("60000")),
        time_in_force: Some(TimeInForce::Gtd),
        gtd_expires_at: Some(Timestamp(NOON.0 + 36 * 3_600_000)),
        ..order(PlaceKind::Limit)
    };
    let keys = "2 tab tab tab 0.1 tab 60000 tab 4 tab 1d12h";
    assert_eq!(sends(keys), sent(1, place(sent_order)));
}

#[test]
fn a_chase_keeps_its_distance_up_to_its_cap() {
    let sent_order = PlaceOrder {
        chase_offset: Some(num("0")),
        chase_cap_price: Some(num("64500")),
        ..order(PlaceKind::Chase)
    };
    let keys = "3 tab tab tab 0.1 tab 0 tab 64500";
    assert_eq!(sends(keys), sent(1, place(sent_order)));
}

#[test]
fn stops_and_takes_wait_for_a_price_and_their_limits_have_another() {
    for (number, kind) in [("4", PlaceKind::StopMarket), ("6", PlaceKind::TakeMarket)] {
        let sent_order = PlaceOrder {
            trigger_price: Some(num("65000")),
            ..order(kind)
        };
        let keys = format!("{number} tab tab tab 0.1 tab 65000");
        assert_eq!(sends(&keys), sent(1, place(sent_order)), "{kind}");
    }
    for (number, kind) in [("5", PlaceKind::StopLimit), ("7", PlaceKind::TakeLimit)] {
        let sent_order = PlaceOrder {
            trigger_price: Some(num("65000")),
            limit_price: Some(num("65100")),
            time_in_force: Some(TimeInForce::Fok),
            ..order(kind)
        };
        let keys = format!("{number} tab tab tab 0.1 tab 65000 tab 65100 tab tab 3");
        assert_eq!(sends(&keys), sent(1, place(sent_order)), "{kind}");
    }
}

#[test]
fn a_take_profit_is_for_the_open_position_of_its_market_and_only_reduces() {
    let mut model = desk();
    press(&mut model, "s shift-tab shift-tab shift-tab 8");
    let sent_order = PlaceOrder {
        side: Side::Sell,
        size: num("0.25"),
        trigger_price: Some(num("70000")),
        reduce_only: true,
        target_position_id: Some("pos-1".into()),
        ..order(PlaceKind::TakeProfit)
    };
    let effects = press(&mut model, "tab tab tab 50% tab tab 70000 enter");
    assert_eq!(effects, sent(1, place(sent_order)));
}

#[test]
fn a_conditional_order_watches_another_market() {
    let sent_order = PlaceOrder {
        trigger_price: Some(num("2900")),
        trigger_market_id: Some("paper|ETH".into()),
        trigger_direction: Some(TriggerDirection::Below),
        ..order(PlaceKind::Conditional)
    };
    let keys = "9 tab tab tab 0.1 tab eth tab right tab 2900";
    assert_eq!(sends(keys), sent(1, place(sent_order)));
}

#[test]
fn what_a_type_needs_blocks_sending_until_it_is_there() {
    for (number, missing) in [
        ("2", vec![Field::LimitPrice]),
        ("3", vec![Field::ChaseOffset]),
        ("4", vec![Field::TriggerPrice]),
        ("5", vec![Field::TriggerPrice, Field::LimitPrice]),
        ("8", vec![Field::TriggerPrice]),
        ("9", vec![Field::TriggerPrice]),
    ] {
        let mut model = desk();
        press(&mut model, "b 0.1 shift-tab shift-tab shift-tab");
        assert_eq!(press(&mut model, &format!("{number} enter")), vec![]);
        let command = form(&model).command(&model.account.form_context());
        let found = command.unwrap_err().0;
        let expected = missing
            .into_iter()
            .map(|field| (field, DraftFault::Missing));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{number}");
        assert_eq!(form(&model).focus, found[0].0);
    }
}

#[test]
fn a_trigger_price_steps_and_is_filled_by_the_market_it_watches() {
    let mut model = desk();
    press(
        &mut model,
        "b shift-tab shift-tab shift-tab 9 tab tab tab tab",
    );
    press(&mut model, "eth tab tab = up");
    assert_eq!(form(&model).draft.text(Field::TriggerPrice), Some("3000.1"));
    press(&mut model, "shift-tab shift-tab sol");
    assert_eq!(form(&model).draft.text(Field::TriggerPrice), Some(""));
}

#[test]
fn another_type_keeps_what_was_written_and_drops_a_time_it_has_not() {
    let mut model = desk();
    press(&mut model, "b 0.1 shift-tab shift-tab shift-tab 2");
    press(&mut model, "tab tab tab tab 60000 tab 3");
    press(
        &mut model,
        "shift-tab shift-tab shift-tab shift-tab shift-tab 5",
    );
    let form = form(&model);
    assert_eq!(form.draft.text(Field::LimitPrice), Some("60000"));
    press(&mut model, "4 tab tab tab tab 65000");
    let sent_order = PlaceOrder {
        trigger_price: Some(num("65000")),
        ..order(PlaceKind::StopMarket)
    };
    assert_eq!(press(&mut model, "enter"), sent(1, place(sent_order)));
}
