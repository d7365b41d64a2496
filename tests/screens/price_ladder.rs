//! The price ladder at the widths it has beside other panes, and zoomed.

use crate::{
    desk::{self, num, order},
    dump::{press, written},
};
use perpdeck::{
    app::{
        MarketAnswer, Model, Msg, RequestTime, account::poll::Answer,
        market::market_spot::LadderEvent, update,
    },
    model::{Book, Dated, Level, MarketId, Page, PublicTrade, Side, Timestamp, Zone},
    ui::{self, DrawState, Theme},
};
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::json;
use std::time::Duration;

fn btc() -> MarketId {
    "paper|BTC".into()
}

/// Sizes that rise and fall, every level but each fourth.
fn levels(from: i64, step: i64) -> Vec<Level> {
    let sizes = ["0.412", "2.96", "0.00451", "13.2", "1.5", "7.731"];
    let levels = (0..40)
        .filter(|level| level % 4 != 3)
        .zip(sizes.iter().cycle());
    levels
        .map(|(level, size)| Level {
            price: (from + step * level).into(),
            size: num(size),
        })
        .collect()
}

fn trades(now: Timestamp) -> Vec<PublicTrade> {
    let trade = |(id, price, size, aggressor): (u64, i64, &str, Side)| PublicTrade {
        id: Some(id),
        price: price.into(),
        size: num(size),
        aggressor,
        at: Timestamp(now.0 - 60_000 + i64::try_from(id).unwrap() * 7_000),
        is_own: Some(id == 3),
    };
    let told = [
        (1, 64_018, "0.25", Side::Sell),
        (2, 64_019, "1.1", Side::Buy),
        (3, 64_021, "0.05", Side::Buy),
        (4, 64_018, "0.72", Side::Sell),
        (5, 64_019, "0.004", Side::Buy),
    ];
    told.into_iter().map(trade).collect()
}

pub(crate) fn book(bid: i64, ask: i64) -> Book {
    Book::new(levels(bid, -1), levels(ask, 1))
}

pub(crate) fn tell(model: &mut Model, book: Book) {
    let now = model.account.now;
    let answer = MarketAnswer::Book(Ok(Some(Dated::undated(book))));
    update(model, now, Msg::MarketData(btc(), now, answer));
}

/// BTC with a long position: a bid, an ask, a stop, a target and a stop entry of one's own.
pub(crate) fn traded() -> Model {
    let mut model = desk::full();
    let limit = |id, side: &str, price: i64, size: f64| {
        let over = json!({"type": "limit", "mode": "limit", "side": side, "size": size,
            "limit_price": price, "filled_size": 0, "status": "resting"});
        order(id, "BTC", &over)
    };
    let armed = |id, kind: &str, side: &str, price: i64, reduce: bool| {
        let over = json!({"type": kind, "mode": kind, "side": side, "size": 0.1,
            "trigger_price": price, "status": "pending", "reduce_only": reduce});
        order(id, "BTC", &over)
    };
    let orders = vec![
        limit("bid-1", "buy", 64_015, 0.1),
        limit("ask-1", "sell", 64_024, 0.25),
        armed("stop-1", "stop_market", "sell", 64_011, true),
        armed("target-1", "take_market", "sell", 64_090, true),
        armed("entry-1", "stop_market", "buy", 64_026, false),
    ];
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    let now = model.account.now;
    let at = RequestTime {
        desk: now,
        service: now,
    };
    let told = Dated::undated(Page::of(trades(now)));
    let answer = MarketAnswer::Trades(Ok(Some(told)));
    model.account.market_data.arrive(&btc(), at, answer);
    tell(&mut model, book(64_018, 64_019));
    model
}

/// The ladder alone, cut out of a screen of this size.
fn ladder(model: &mut Model, (width, height): (u16, u16)) -> String {
    update(model, model.account.now, Msg::Resized(width, height));
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    let mut frame = Buffer::empty(Rect::new(0, 0, width, height));
    ui::render(&mut frame, &*model, &mut draw_state);
    if let Some(rows) = draw_state.ladder_rows() {
        update(
            model,
            model.account.now,
            Msg::Ladder(LadderEvent::Drawn(rows)),
        );
    }
    written(&cut(&frame))
}

/// The place whose border names the ladder.
fn cut(frame: &Buffer) -> Buffer {
    let symbol = |x, y| frame.cell((x, y)).map_or(" ", |cell| cell.symbol());
    let is_place = |x: u16, y: u16| {
        let title: String = (x..x + 60).map(|x| symbol(x, y)).collect();
        let own = title.split('╮').next().unwrap();
        symbol(x, y) == "╭" && own.contains("Ladder")
    };
    let place = frame
        .area
        .positions()
        .find(|at| is_place(at.x, at.y))
        .unwrap();
    let right = (place.x..frame.area.right())
        .find(|x| symbol(*x, place.y) == "╮")
        .unwrap();
    let bottom = (place.y..frame.area.bottom())
        .find(|y| symbol(place.x, *y) == "╰")
        .unwrap();
    let area = Rect::new(0, 0, right - place.x + 1, bottom - place.y + 1);
    let mut cut = Buffer::empty(area);
    for at in area.positions() {
        cut[at] = frame[(at.x + place.x, at.y + place.y)].clone();
    }
    cut
}

fn pressed(keys: &str) -> Model {
    let mut model = traded();
    press(&mut model, keys);
    model
}

fn later(model: &mut Model, millis: u64) {
    let later = model.account.now.plus(Duration::from_millis(millis));
    update(model, later, Msg::Tick);
}

#[test]
fn price_ladder_30_cells() {
    insta::assert_snapshot!(ladder(&mut pressed("9"), (160, 48)));
}

#[test]
fn price_ladder_44_cells() {
    insta::assert_snapshot!(ladder(&mut pressed("9jj"), (104, 40)));
}

#[test]
fn price_ladder_60_cells() {
    insta::assert_snapshot!(ladder(&mut pressed("9kk]"), (142, 40)));
}

#[test]
fn price_ladder_80x24() {
    insta::assert_snapshot!(ladder(&mut pressed("9z"), (80, 24)));
}

#[test]
fn a_small_screen_has_eleven_prices_beside_the_positions_and_the_whole_screen_has_more() {
    let prices = |keys: &str| {
        let shown = ladder(&mut pressed(keys), (80, 24));
        let below = shown.lines().skip_while(|line| !line.contains("price"));
        let rows = below.skip(1);
        let rows = rows.take_while(|line| line.contains("64,0") && !line.contains('▼'));
        rows.count()
    };
    assert!(prices("9") >= 11, "{}", ladder(&mut pressed("9"), (80, 24)));
    assert!(
        prices("9z") >= 13,
        "{}",
        ladder(&mut pressed("9z"), (80, 24))
    );
}

#[test]
fn price_ladder_one_key_is_loud_and_an_order_is_carried() {
    let mut model = traded();
    model.account.options.ladder_one_key = true;
    press(&mut model, "9!'''mkkk");
    insta::assert_snapshot!(ladder(&mut model, (160, 48)));
}

#[test]
fn price_ladder_of_a_stale_and_of_a_crossed_book_says_so() {
    let mut stale = pressed("9");
    later(&mut stale, 12_000);
    let mut crossed = pressed("9");
    tell(&mut crossed, book(64_019, 64_019));
    let both = [stale, crossed].map(|mut model| ladder(&mut model, (160, 48)));
    insta::assert_snapshot!(both.join("\n"));
}

#[test]
fn a_stale_book_of_an_exchange_that_gets_no_frames_is_in_a_feed_gap() {
    let mut model = pressed("9");
    let mut markets = crate::desk::markets();
    for market in &mut markets {
        market.gap_since = Some(perpdeck::model::Timestamp(1_790_000_000_000));
    }
    crate::desk::arrive(&mut model, 0, Answer::Markets(Ok(markets)));
    later(&mut model, 12_000);
    let shown = ladder(&mut model, (160, 48));
    assert!(shown.contains("FEED GAP "), "{shown}");
}

#[test]
fn lines_of_a_feed_that_the_exchange_could_not_use_are_counted_on_the_ladder() {
    let mut model = pressed("9");
    let mut markets = crate::desk::markets();
    for market in &mut markets {
        market.unreadable_lines = 3;
    }
    assert!(!ladder(&mut model, (160, 48)).contains("unreadable"));
    crate::desk::arrive(&mut model, 0, Answer::Markets(Ok(markets)));
    let shown = ladder(&mut model, (160, 48));
    assert!(shown.contains("3 unreadable"), "{shown}");
}

#[test]
fn a_mark_that_is_late_is_named_on_ladder_and_chart() {
    let frame = |model: &Model| {
        let buffer = crate::dump::drawn(model, 200, 60, Theme::default());
        perpdeck::ui::picture::text(&buffer)
    };
    let mut model = traded();
    crate::market::arrive(&mut model);
    let now = frame(&model);
    assert!(now.contains("◂mark") && !now.contains("◂late"), "{now}");
    later(&mut model, 14_000);
    let late = frame(&model);
    assert!(late.contains("◂late") && !late.contains("◂mark"), "{late}");
    assert!(late.contains("mark OLD 14s"), "{late}");
}

#[test]
fn an_alert_is_marked_on_ladder_and_chart() {
    let mut model = traded();
    crate::market::arrive(&mut model);
    press(&mut model, ":alert btc > 64025\n");
    let buffer = crate::dump::drawn(&model, 200, 60, Theme::default());
    let text = perpdeck::ui::picture::text(&buffer);
    let is_marked = |line: &str| line.contains('@') && line.contains("64,025");
    assert!(text.lines().any(is_marked), "{text}");
    assert!(text.contains("◂alert"), "{text}");
}

#[test]
fn price_ladder_names_what_is_out_of_view() {
    let mut model = pressed("9jjj");
    for poll in 0..3 {
        later(&mut model, 500);
        tell(&mut model, book(64_200 + poll, 64_202 + poll));
    }
    insta::assert_snapshot!(ladder(&mut model, (160, 48)));
}
