//! Two venues of one symbol: everywhere on the desk they are told apart, and nothing else changes.

use crate::{
    desk::{self, arrive, order, position},
    dump::{changes, plain, press},
};
use perpdeck::{
    app::{Model, account::poll::Answer},
    model::{Market, Page},
};
use serde_json::json;

/// The full desk; BTC is listed, held and ordered at a second venue too.
fn two_venues() -> Model {
    let mut model = desk::full();
    let elsewhere = json!({"market_id": "hyperliquid|BTC", "provider": "hyperliquid", "size": 0.25,
        "side": "long", "entry_price": 63999});
    let mut positions = desk::positions();
    positions.insert(1, position("pos_9", "BTC", &elsewhere));
    let mut orders = desk::working();
    let rests =
        json!({"market_id": "hyperliquid|BTC", "provider": "hyperliquid", "limit_price": 60000});
    orders.push(order("ord_90", "BTC", &rests));
    let mut markets = desk::markets();
    markets.push(Market {
        id: "hyperliquid|BTC".into(),
        provider: "hyperliquid".into(),
        ..markets[0].clone()
    });
    arrive(&mut model, 0, Answer::Positions(Ok(Page::of(positions))));
    arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    arrive(&mut model, 0, Answer::Markets(Ok(markets)));
    model
}

#[test]
fn two_venues_of_one_symbol_are_told_apart() {
    for (name, keys, size) in [
        ("desk", "", (200, 60)),
        ("narrow", "", (80, 24)),
        ("markets", "M", (120, 40)),
        ("order", "b", (120, 40)),
        ("close", "x", (120, 40)),
        ("line", ":", (120, 40)),
    ] {
        let (base, mut model) = (desk::full(), two_venues());
        press(&mut model, keys);
        let (width, height) = size;
        let differs = changes(&plain(&base, width, height), &plain(&model, width, height));
        insta::assert_snapshot!(format!("venues_{name}"), differs);
    }
}
