//! TWAPs and scaled orders.

use super::*;
use crate::model::{Curve, Distribution, PlaceScaled, PlaceTwap};

#[test]
fn a_twap_is_a_size_and_how_long_it_runs() {
    let mut model = desk();
    let twap = PlaceTwap {
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        curve: Curve::Twap,
        side: Side::Buy,
        size: num("0.5"),
        expected_price: num("64000"),
        leverage: num("10"),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        duration_minutes: num("120"),
        slice_interval_seconds: None,
        randomize: true,
        trigger_price: None,
        max_price: Some(num("70000")),
        min_price: None,
    };
    let effects = press(
        &mut model,
        "t 0.5 tab 2h tab tab right tab tab tab 70000 enter",
    );
    assert_eq!(effects, sent(1, Command::PlaceTwap(Box::new(twap))));
}

#[test]
fn a_scaled_order_is_two_prices_and_how_many_rungs() {
    let mut model = desk();
    let scaled = PlaceScaled {
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        side: Side::Buy,
        size: num("0.3"),
        leverage: num("10"),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        start_price: num("62000"),
        end_price: num("60000"),
        rung_count: num("5"),
        distribution: Distribution::Ascending,
        marketable_limit_acknowledged: None,
    };
    let effects = press(&mut model, "l 0.3 tab 62000 tab 60000 tab 5 tab 2 enter");
    assert_eq!(effects, sent(1, Command::PlaceScaled(Box::new(scaled))));
}
