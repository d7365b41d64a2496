//! Which columns of positions and working orders are drawn at the sizes people have.

use crate::{
    desk::{self, num},
    dump::{drawn, press},
    words::cell,
};
use perpdeck::{
    app::{
        Model,
        account::{pane::Pane, poll::Answer},
    },
    model::{Order, Page},
    ui::{Theme, picture},
    view::title,
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
    assert!(
        found.is_some(),
        "{width}x{height} has no line with {words:?}:\n{text}"
    );
    found.unwrap_or_default().to_owned()
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

#[test]
fn distance_and_time_in_force_have_room_beside_the_twaps() {
    for size in [(80, 24), (120, 40), (160, 48), (200, 60)] {
        heading(&desk::full(), size, &["type", "to mark", "tif", "RO"]);
    }
}

/// No digit and no word of an order is cut where columns are abbreviated.
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

/// A state that changes moves no column.
#[test]
fn the_longest_state_moves_no_column() {
    for size in SIZES {
        let before = heading(&desk::full(), size, &["side", "type", "state", "RO"]);
        let mut model = desk::full();
        press(&mut model, "2x");
        let now = perpdeck::model::Timestamp(model.account.now.0 + 300);
        perpdeck::app::update(&mut model, now, perpdeck::app::Msg::Key('y'.into()));
        let after = heading(&model, size, &["side", "type", "state", "RO"]);
        let columns = |line: &str| line.split("││").next().map(str::to_owned);
        assert_eq!(columns(&before), columns(&after), "{size:?}");
    }
}

#[test]
fn the_rungs_of_a_scaled_order_run_one_way_in_both_panes() {
    let mut model = desk::full();
    let mut orders = desk::working();
    orders.reverse();
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    let prices = |pane, title: &str| {
        let rows = 0..model.rows(pane).len();
        let cells = rows.map(|row| cell(&model, pane, row, title));
        let scaled = ["2,940.0", "2,920.0", "2,900.0"];
        cells
            .filter(|cell| scaled.contains(&cell.as_str()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        prices(Pane::Orders, "price"),
        ["2,940.0", "2,920.0", "2,900.0"]
    );
    assert_eq!(prices(Pane::Scaled, "price"), prices(Pane::Orders, "price"));
}

#[test]
fn a_chase_shows_its_offset_and_its_cap_and_says_when_it_rests_there() {
    let chase = |limit: i64| {
        let mut model = desk::full();
        let chase = json!({"mode": "chase", "side": "buy", "limit_price": limit, "chase_offset": 5,
            "chase_cap_price": 64_000});
        let orders = vec![desk::order("ord_chase", "BTC", &chase)];
        desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
        press(&mut model, "2");
        model
    };
    let state = |model: &Model| cell(model, Pane::Orders, 0, "state");
    assert_eq!(state(&chase(63_990)), "working");
    assert_eq!(state(&chase(64_000)), "at its cap");
    let words = cell(&chase(63_990), Pane::Orders, 0, "trigger");
    assert_eq!(words, "offset 5, cap 64,000");
    for size in SIZES {
        let text = picture::text(&drawn(&chase(64_000), size.0, size.1, Theme::default()));
        let shown = ["offset 5, cap 64,000", "cap 64,000"];
        assert!(
            shown.iter().any(|words| text.contains(words)),
            "{size:?}\n{text}"
        );
    }
    let mut model = chase(64_000);
    press(&mut model, "\n");
    let text = picture::text(&drawn(&model, 120, 60, Theme::default()));
    assert!(text.contains("rests at its cap"), "{text}");
}

#[test]
fn ended_scaled_orders_are_counted_as_ended_twaps_are() {
    let mut model = desk::full();
    let scaled = perpdeck::model::Scaled {
        canceled_at: Some(desk::NOW),
        ..desk::scaled()
    };
    let before = title(&model, Pane::Scaled).count;
    desk::arrive(
        &mut model,
        0,
        Answer::Scaled(scaled.id.clone(), Ok(Box::new(scaled))),
    );
    let ended = title(&model, Pane::Scaled);
    assert_eq!((before.as_str(), ended.count.as_str()), ("1", "0"));
    assert!(ended.freshness.iter().any(|span| span.text == "1 ended"));
    let twaps = title(&model, Pane::Twaps);
    assert_eq!(twaps.count, "2");
    assert!(twaps.freshness.iter().any(|span| span.text == "1 ended"));
}

#[test]
fn the_equity_says_how_old_it_is() {
    let mut model = desk::full();
    let header = |model: &Model| picture::text(&drawn(model, 200, 60, Theme::default()));
    let first = header(&model).lines().next().unwrap().to_owned();
    let equity = first.split("equity ").nth(1).unwrap();
    let age = equity.split_whitespace().nth(1).unwrap();
    assert!(age.ends_with('s'), "{first}");
    let later = perpdeck::model::Timestamp(model.account.now.0 + 600_000);
    perpdeck::app::update(&mut model, later, perpdeck::app::Msg::Tick);
    assert!(header(&model).contains("equity 101,240.18 OLD 10m"));
}

/// No digit of a price as shown is too many or too few for a filter.
#[test]
fn a_filter_finds_a_price_as_it_is_shown() {
    for (filter, hits) in [("62,500", 1), ("62500", 1), ("70,000", 2), ("99,999", 0)] {
        let mut model = desk::full();
        press(&mut model, &format!("2/{filter}\n"));
        let shown = model.rows(Pane::Orders).len();
        assert_eq!(shown, hits, "{filter}");
        let text = picture::text(&drawn(&model, 120, 40, Theme::default()));
        let says = text.contains("no row matches /99,999/, Esc clears");
        assert_eq!(says, hits == 0, "{filter}\n{text}");
    }
}

/// What decides is drawn whatever the size of the screen, and nothing of it depends on the state of an order.
#[test]
fn what_a_trader_decides_by_is_drawn_at_every_width_and_height() {
    for width in 80..=200 {
        let heights = [24, 30, 34, 48];
        let height = heights[usize::from(width) % heights.len()];
        let size = (width, height);
        heading(
            &demanding(),
            size,
            &["side", "size", "entry", "to liq", "stop"],
        );
        let orders = ["side", "type", "size", "price", "trigger", "RO"];
        heading(&demanding(), size, &orders);
    }
}

/// The same orders in another state: one has begun to fill, one has got exits, one has another price of as many digits,
/// and a stop is gone.
fn in_another_state() -> Model {
    let mut model = desk::full();
    let mut orders: Vec<Order> = desk::working();
    let rests = |order: &Order| order.trigger_price.is_none() && order.limit_price.is_some();
    for (number, order) in orders.iter_mut().filter(|order| rests(order)).enumerate() {
        match number {
            0 => order.filled_size = Some(order.size.over(num("2")).unwrap()),
            1 => order.attached_stop_loss_price = order.limit_price,
            _ => {
                order.limit_price = order
                    .limit_price
                    .map(|price| price.minus(num("1")).unwrap());
            }
        }
    }
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    model
}

/// The line of titles, and where each begins.
#[test]
fn a_state_that_changes_moves_no_column() {
    for size in SIZES {
        let titles = |model: &Model| {
            let orders = heading(model, size, &["side", "type", "price", "RO"]);
            orders.split("││").next().unwrap_or_default().to_owned()
        };
        assert_eq!(
            titles(&desk::full()),
            titles(&in_another_state()),
            "{size:?}"
        );
    }
}

/// Positions and orders of other sizes, in the same markets, each worth less than 100,000 USD.
fn of_other_sizes() -> Model {
    let mut model = desk::full();
    let mut positions = desk::positions();
    let sizes = ["1.23456", "-3.5", "31.25", "-98000"];
    for (position, size) in positions.iter_mut().zip(sizes) {
        position.size = num(size);
    }
    desk::arrive(&mut model, 0, Answer::Positions(Ok(Page::of(positions))));
    let mut orders: Vec<Order> = desk::working();
    for order in &mut orders {
        order.size = order.size.over(num("2")).unwrap().rounded(2);
    }
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    model
}

#[test]
fn a_size_that_changes_moves_no_column() {
    for size in [(120, 40), (160, 48), (200, 60)] {
        let place = |model: &Model, words: &[&str], next: &str| {
            let line = heading(model, size, words);
            line.find(next).unwrap()
        };
        for (words, next) in [
            (["side", "size", "entry", "stop"], "entry"),
            (["side", "type", "size", "price"], "price"),
        ] {
            assert_eq!(
                place(&desk::full(), &words, next),
                place(&of_other_sizes(), &words, next),
                "{next} at {size:?}"
            );
        }
    }
}
