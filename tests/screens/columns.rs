//! Which columns of positions and working orders are drawn at the sizes people have.

use crate::{
    desk,
    dump::{drawn, press},
};
use perpdeck::{
    app::Model,
    app::poll::Answer,
    model::{Order, Page},
    ui::{Theme, picture},
};
use serde_json::json;

const SIZES: [(u16, u16); 6] = [
    (80, 24),
    (90, 28),
    (100, 30),
    (120, 40),
    (160, 48),
    (200, 60),
];

/// The line of the screen that holds all of `words`, with blanks around each of them; else the whole screen.
fn heading(model: &Model, (width, height): (u16, u16), words: &[&str]) -> String {
    let text = picture::text(&drawn(model, width, height, Theme::default()));
    let has = |line: &str, word: &str| {
        format!(" {line} ")
            .replace('▌', " ")
            .contains(&format!(" {word} "))
    };
    let mut lines = text.lines();
    let found = lines.find(|line| words.iter().all(|word| has(line, word)));
    let found = found.map(str::to_owned);
    found.unwrap_or_else(|| panic!("{width}x{height} has no line with {words:?}:\n{text}"))
}

/// Long digits, long words, and a cancel that the service has queued.
fn demanding() -> Model {
    let mut model = desk::full();
    let long = json!({"type": "stop_limit", "mode": "stop_limit", "side": "sell", "reduce_only": true,
        "status": "pending", "size": 1.23456, "limit_price": 112_345, "trigger_price": 112_567,
        "trigger_direction": "below", "target_position_id": "pos_1"});
    let mut orders: Vec<Order> = desk::working();
    orders.insert(0, desk::order("ord_long", "BTC", &long));
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "2");
    model
}

/// Issue 13, item 13.
#[test]
fn what_a_trader_decides_by_is_drawn_at_every_size_of_80_columns_or_more() {
    for model in [desk::full(), demanding()] {
        for size in SIZES {
            let positions = ["side", "size", "entry", "to liq", "uPnL", "stop"];
            heading(&model, size, &positions);
            let orders = ["side", "type", "state", "size", "price", "trigger", "RO"];
            heading(&model, size, &orders);
        }
    }
}

/// Issue 13, item 13.
#[test]
fn distance_and_time_in_force_have_room_beside_the_twaps() {
    for size in [(80, 24), (120, 40), (160, 48), (200, 60)] {
        heading(&desk::full(), size, &["type", "to mark", "tif", "RO"]);
    }
}

/// Issue 13, item 13: no digit and no word of an order is cut where columns are abbreviated.
#[test]
fn abbreviations_keep_every_digit() {
    for size in SIZES.into_iter().filter(|(width, _)| *width <= 120) {
        heading(
            &demanding(),
            size,
            &["BTC", "SELL", "armed", "1.23456", "112,345", "RO"],
        );
        heading(&demanding(), size, &["part 40%"]);
    }
}

/// Issue 13, item 13: a state that changes moves no column.
#[test]
fn the_longest_state_moves_no_column() {
    for size in SIZES {
        let before = heading(&desk::full(), size, &["side", "type", "state", "RO"]);
        let mut model = desk::full();
        press(&mut model, "2x");
        let now = perpdeck::model::Timestamp(model.now.0 + 300);
        perpdeck::app::update(&mut model, now, perpdeck::app::Msg::Key('y'.into()));
        let after = heading(&model, size, &["side", "type", "state", "RO"]);
        let columns = |line: &str| line.split("││").next().map(str::to_owned);
        assert_eq!(columns(&before), columns(&after), "{size:?}");
    }
}
