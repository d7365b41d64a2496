//! `place` for each type of order, with the fields that type asks for.

use super::{ran, served::Served};
use perpdeck::model::PlaceKind;
use serde_json::{Value, json};
use strum::VariantArray;

/// The flags of a type, and what the service says of the order that came of them. BTC trades near 64,250.
fn flags(kind: PlaceKind, position: &str) -> (Vec<&str>, Value) {
    match kind {
        PlaceKind::Market => (vec![], json!({"status": "filled"})),
        PlaceKind::Limit => (
            vec!["--limit-price=50000", "--tif=gtd", "--gtd-expires-at=2h"],
            json!({"status": "resting", "limit_price": 50_000, "time_in_force": "gtd"}),
        ),
        PlaceKind::Chase => (
            vec!["--chase-offset=50", "--chase-cap-price=65000"],
            json!({"status": "resting", "chase_offset": 50, "chase_cap_price": 65_000}),
        ),
        PlaceKind::StopMarket => (
            vec!["--trigger-price=70000"],
            json!({"status": "resting", "trigger_price": 70_000}),
        ),
        PlaceKind::StopLimit => (
            vec!["--trigger-price=70000", "--limit-price=70100"],
            json!({"status": "resting", "trigger_price": 70_000, "limit_price": 70_100}),
        ),
        PlaceKind::TakeMarket => (
            vec!["--trigger-price=60000"],
            json!({"status": "resting", "trigger_price": 60_000}),
        ),
        PlaceKind::TakeLimit => (
            vec!["--trigger-price=60000", "--limit-price=59900"],
            json!({"status": "resting", "trigger_price": 60_000, "limit_price": 59_900}),
        ),
        PlaceKind::TakeProfit => (
            vec!["--trigger-price=70000", "--target-position-id", position],
            json!({"status": "resting", "side": "sell", "target_position_id": position}),
        ),
        PlaceKind::Conditional => (
            vec![
                "--trigger-market-id=paper|ETH",
                "--trigger-price=4000",
                "--trigger-direction=above",
            ],
            json!({"status": "resting", "trigger_market_id": "paper|ETH", "trigger_direction": "above"}),
        ),
    }
}

#[test]
fn each_type_of_order_is_placed_with_the_fields_it_asks_for() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.5, "cross");
    for &kind in PlaceKind::VARIANTS {
        let (flags, expected) = flags(kind, &position);
        let name = kind.to_string();
        let side = expected["side"].as_str().unwrap_or("buy");
        let place = ["place", "--market=paper|BTC", "--side", side, "--size=0.01"];
        let args = [&place[..], &["--type", &name, "--yes"], &flags].concat();
        // Faster than a person is allowed to be.
        let (code, out, err) = ran(served
            .verb(&args)
            .env("PERPDECK_CHECKS__ORDERS_PER_SECOND", "0"));
        assert_eq!(code, 0, "{args:?}: {err}");
        let placed: Value = serde_json::from_str(&out).unwrap();
        let orders = served.orders();
        let order = orders.iter().find(|o| o["id"] == placed["data"]["id"]);
        let order = order.unwrap();
        assert_eq!(order["mode"], name.as_str());
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&order[field], value, "{name} {field}: {order}");
        }
        served.post("/sim/clock", &json!({ "advance_ms": 1_000 }));
    }
}
