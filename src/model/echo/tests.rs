use super::*;
use crate::model::{
    CloseKind, Curve, Distribution, Held, MarginMode, Num, OrderMode, PlaceKind, PlaceScaled,
    PlaceTwap, Side, TimeInForce, Timestamp, TriggerDirection,
};

fn num(text: &str) -> Num {
    text.parse().unwrap()
}

fn asked() -> PlaceOrder {
    PlaceOrder {
        kind: PlaceKind::Limit,
        leverage: num("5"),
        time_in_force: Some(TimeInForce::Ioc),
        limit_price: Some(num("100")),
        ..PlaceOrder::market("a".into(), "paper|BTC".into(), Side::Buy, num("0.10"))
    }
}

fn closing() -> ClosePosition {
    ClosePosition {
        held: Some(Held {
            market_id: "paper|BTC".into(),
            side: Side::Buy,
        }),
        kind: CloseKind::Conditional,
        size: Some(num("0.10")),
        trigger_price: Some(num("90")),
        trigger_market_id: None,
        trigger_direction: None,
        ..ClosePosition::market("p-1".into())
    }
}

fn slicing() -> Command {
    Command::PlaceTwap(Box::new(PlaceTwap {
        account_id: "a".into(),
        market_id: "paper|BTC".into(),
        curve: Curve::Twap,
        side: Side::Sell,
        size: num("0.10"),
        expected_price: num("100"),
        leverage: num("5"),
        margin_mode: MarginMode::Cross,
        reduce_only: true,
        duration_minutes: num("30"),
        slice_interval_seconds: None,
        randomize: false,
        trigger_price: None,
        max_price: None,
        min_price: Some(num("90")),
    }))
}

fn place_scaled() -> Command {
    Command::PlaceScaled(Box::new(PlaceScaled {
        account_id: "a".into(),
        market_id: "paper|BTC".into(),
        side: Side::Sell,
        size: num("0.10"),
        leverage: num("5"),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        start_price: num("100"),
        end_price: num("110"),
        rung_count: num("5"),
        distribution: Distribution::Flat,
        marketable_limit_acknowledged: None,
    }))
}

fn order(rest: &str) -> Order {
    let json = format!(
        r#"{{"id":"o","account_id":"a","market_id":"paper|BTC","provider":"paper","symbol":"BTC",
        "coin":"BTC","mode":"limit","expected_price":1,"leverage":5,"margin_mode":"cross",
        "status":"resting","requested_at":1790000000000,{rest}}}"#
    );
    serde_json::from_str(&json).unwrap()
}

fn of_order(command: &Command, order: Order) -> Vec<String> {
    let receipt = Receipt::Order {
        order: Box::new(order),
        queued: false,
    };
    differences(command, &receipt)
}

fn place(order: Order) -> Vec<String> {
    of_order(&Command::Place(Box::new(asked())), order)
}

fn twap(rest: &str) -> Receipt {
    let json = format!(r#"{{"id":"t","market_id":"paper|BTC"{rest}}}"#);
    Receipt::Twap(Box::new(serde_json::from_str(&json).unwrap()))
}

fn scaled(rest: &str) -> Receipt {
    let json = format!(r#"{{"id":"s","market_id":"paper|BTC"{rest}}}"#);
    Receipt::Scaled(Box::new(serde_json::from_str(&json).unwrap()))
}

#[test]
fn an_order_as_asked_is_silent_however_its_size_is_written() {
    for size in [r#""size":0.1"#, r#""size":0.04,"initial_size":0.1"#] {
        let rest = r#""type":"limit","side":"buy","reduce_only":false,"time_in_force":"ioc""#;
        assert_eq!(place(order(&format!("{rest},{size}"))), [""; 0], "{size}");
    }
}

#[test]
fn every_field_of_an_order_that_was_not_understood_is_named() {
    let rest = r#""type":"market","side":"sell","size":1,"reduce_only":true,"limit_price":101"#;
    let other = Order {
        mode: OrderMode::Market.into(),
        market_id: "paper|ETH".into(),
        ..order(rest)
    };
    let expected = [
        "market paper|ETH instead of paper|BTC",
        "side sell instead of buy",
        "size 1 instead of 0.10",
        "type market instead of limit",
        "reduce-only true instead of false",
        "time in force gtc instead of ioc",
        "limit price 101 instead of 100",
    ];
    assert_eq!(place(other), expected);
}

/// A conditional buy with an expiry and all its protection.
fn guarded() -> PlaceOrder {
    PlaceOrder {
        kind: PlaceKind::Conditional,
        time_in_force: Some(TimeInForce::Gtd),
        gtd_expires_at: Some(Timestamp(1_790_000_000_500)),
        limit_price: None,
        trigger_price: Some(num("90")),
        trigger_market_id: Some("paper|ETH".into()),
        trigger_direction: Some(TriggerDirection::Above),
        take_profit_price: Some(num("120")),
        stop_loss_price: Some(num("80")),
        ..asked()
    }
}

#[test]
fn what_protects_an_order_is_missed_where_the_answer_does_not_have_it() {
    let command = Command::Place(Box::new(guarded()));
    let place = |rest: &str| {
        let rest = format!(
            r#""type":"market","side":"buy","size":0.1,"reduce_only":false,"trigger_price":90{rest}"#
        );
        let order = Order {
            mode: OrderMode::Conditional.into(),
            ..order(&rest)
        };
        of_order(&command, order)
    };
    let whole = r#","time_in_force":"gtd","gtd_expires_at":1790000000,"trigger_market_id":"paper|ETH",
        "trigger_direction":"above","attached_take_profit_price":120.0,"attached_stop_loss_price":80"#;
    assert_eq!(place(whole), [""; 0], "it may count in seconds");
    let expected = [
        "time in force gtc instead of gtd",
        "trigger direction none instead of above",
        "trigger market paper|BTC instead of paper|ETH",
        "take profit none instead of 120",
        "stop loss none instead of 80",
        "expiry none instead of 2026-09-21 14:13:20",
    ];
    assert_eq!(place(""), expected);
    let other = r#","time_in_force":"gtd","gtd_expires_at":1790000060,"trigger_market_id":"paper|SOL",
        "trigger_direction":"below","attached_take_profit_price":12,"attached_stop_loss_price":8"#;
    let expected = [
        "trigger direction below instead of above",
        "trigger market paper|SOL instead of paper|ETH",
        "take profit 12 instead of 120",
        "stop loss 8 instead of 80",
        "expiry 2026-09-21 14:14:20 instead of 2026-09-21 14:13:20",
    ];
    assert_eq!(place(other), expected);
}

#[test]
fn leverage_and_margin_of_what_opens_and_the_terms_of_a_chase_are_compared() {
    let chase = PlaceOrder {
        kind: PlaceKind::Chase,
        time_in_force: None,
        limit_price: None,
        chase_offset: Some(num("1")),
        chase_cap_price: Some(num("110")),
        ..asked()
    };
    let rest = r#""type":"limit","side":"buy","size":0.1,"reduce_only":false,"limit_price":99,
        "chase_offset":2,"chase_cap_price":111"#;
    let told = Order {
        mode: OrderMode::Chase.into(),
        leverage: num("20"),
        margin_mode: MarginMode::Isolated.into(),
        ..order(rest)
    };
    let expected = [
        "chase offset 2 instead of 1",
        "chase cap 111 instead of 110",
        "leverage 20 instead of 5",
        "margin isolated instead of cross",
    ];
    let command = |chase| Command::Place(Box::new(chase));
    assert_eq!(of_order(&command(chase.clone()), told.clone()), expected);
    let reduces = PlaceOrder {
        reduce_only: true,
        ..chase
    };
    let told = Order {
        reduce_only: true,
        ..told
    };
    assert_eq!(of_order(&command(reduces), told), expected[..2]);
}

#[test]
fn every_field_of_a_close_is_held_against_the_position_it_was_meant_for() {
    let close = Command::Close(closing());
    let same = r#""type":"market","side":"sell","size":0.1,"reduce_only":true,"trigger_price":90,
        "target_position_id":"p-1""#;
    let same = Order {
        mode: OrderMode::Conditional.into(),
        ..order(same)
    };
    assert_eq!(of_order(&close, same), [""; 0]);
    let other = r#""type":"limit","side":"buy","size":0.2,"reduce_only":false,"trigger_price":91,
        "target_position_id":"p-2""#;
    let other = Order {
        market_id: "paper|ETH".into(),
        ..order(other)
    };
    let expected = [
        "market paper|ETH instead of paper|BTC",
        "side buy instead of sell",
        "size 0.2 instead of 0.10",
        "type limit instead of conditional",
        "reduce-only false instead of true",
        "trigger price 91 instead of 90",
        "position p-2 instead of p-1",
    ];
    assert_eq!(of_order(&close, other.clone()), expected);
    // Without the position, neither market nor side is known, and any size can be the whole of it.
    let unseen = ClosePosition {
        held: None,
        size: None,
        client_order_id: None,
        trigger_price: None,
        trigger_market_id: None,
        trigger_direction: None,
        ..closing()
    };
    let expected = [
        "type limit instead of conditional",
        "reduce-only false instead of true",
        "position p-2 instead of p-1",
    ];
    assert_eq!(of_order(&Command::Close(unseen), other), expected);
}

#[test]
fn a_twap_and_a_scaled_order_are_compared_as_far_as_they_are_told() {
    let silent = [""; 0];
    for told in [
        "",
        r#","total_size":-0.1,"duration_minutes":30,"min_price":90.0"#,
    ] {
        assert_eq!(differences(&slicing(), &twap(told)), silent);
    }
    let other = twap(r#","total_size":0.2,"reduce_only":false,"duration_minutes":3,"min_price":9"#);
    let expected = [
        "side buy instead of sell",
        "size 0.2 instead of 0.10",
        "reduce-only false instead of true",
        "minutes 3 instead of 30",
        "lowest price 9 instead of 90",
    ];
    assert_eq!(differences(&slicing(), &other), expected);
    let same = scaled(r#","total_size":-0.1,"rung_count":5,"start_price":100,"end_price":110"#);
    assert_eq!(differences(&place_scaled(), &same), silent);
    let other = scaled(r#","total_size":0.1,"rung_count":4,"start_price":110,"end_price":100"#);
    let expected = [
        "side buy instead of sell",
        "rungs 4 instead of 5",
        "first price 110 instead of 100",
        "last price 100 instead of 110",
    ];
    assert_eq!(differences(&place_scaled(), &other), expected);
}

#[test]
fn what_is_not_as_asked_can_be_stopped_while_there_is_something_to_stop() {
    let receipt = |status: &str| {
        let rest =
            format!(r#""type":"limit","side":"buy","size":1,"reduce_only":false,"x":"{status}""#);
        let status = serde_json::from_str(&format!(r#""{status}""#)).unwrap();
        Receipt::Order {
            order: Box::new(Order {
                status,
                ..order(&rest)
            }),
            queued: false,
        }
    };
    assert_eq!(undo(&receipt("resting")), Some(Command::Cancel("o".into())));
    assert_eq!(undo(&receipt("filled")), None);
    assert_eq!(undo(&twap("")), Some(Command::StopTwap("t".into())));
    assert_eq!(undo(&scaled("")), Some(Command::CancelScaled("s".into())));
    assert_eq!(undo(&twap(r#","canceled_at":1790000000000"#)), None);
}
