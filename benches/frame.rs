//! What one frame costs: `cargo bench --bench frame` prints microseconds per frame, with few rows in the
//! history panes and with very many. The cost must follow what is visible, not what is known.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and tells what it measured"
)]

use perpdeck::{
    app::{
        CloseAllRule, Identity, Mode, Model, Msg, Options,
        keymap::Keymap,
        poll::{Answer, Poll},
        update,
    },
    config::Dialect,
    model::{Order, Page, Position, Timestamp},
    ui::{self, Scrolls, Theme},
    view::format::Zone,
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{
    collections::BTreeMap,
    hint::black_box,
    time::{Duration, Instant},
};

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const FRAMES: u32 = 200;

fn order(number: usize) -> Order {
    let at = NOW.0 - i64::try_from(number).unwrap() * 1_000;
    let json = format!(
        r#"{{"id":"ord_{number:06}","account_id":"chal-1","market_id":"paper|BTC","provider":"paper","symbol":"BTC",
        "coin":"BTC","type":"limit","mode":"limit","side":"buy","size":0.5,"filled_size":0.5,"limit_price":64000.5,
        "fill_price":63999.25,"expected_price":64000,"leverage":10,"margin_mode":"cross","reduce_only":false,
        "status":"filled","requested_at":{at},"settled_at":{at},"fee":12.5}}"#
    );
    serde_json::from_str(&json).unwrap()
}

fn position(number: usize) -> Position {
    let at = NOW.0 - i64::try_from(number).unwrap() * 1_000;
    let json = format!(
        r#"{{"id":"pos_{number:06}","account_id":"chal-1","market_id":"paper|BTC","size":-0.5,"entry_price":64000,
        "exit_price":63990.5,"realized_pnl":12.25,"fees":2.5,"funding":-0.25,"realized_margin_basis":3200,
        "opened_at":{at},"closed_at":{at}}}"#
    );
    serde_json::from_str(&json).unwrap()
}

fn desk(rows: usize) -> Model {
    let options = Options {
        checks: perpdeck::config::Checks::default(),
        read_only: false,
        zone: perpdeck::view::format::Zone::utc(),
        reading: perpdeck::view::READING,
        alerts: perpdeck::config::Alerts::default(),
        guard: perpdeck::config::Guard::default(),
        close_all: CloseAllRule::Confirmed,
        intervals: BTreeMap::new(),
        dialect: Dialect::default(),
    };
    let mut model = Model::new(options, Keymap::default(), NOW);
    let identity = Identity {
        mode: Mode::Paper,
        account_id: "chal-1".into(),
        base_url: "http://127.0.0.1:1".to_owned(),
    };
    update(&mut model, NOW, Msg::Opened(identity));
    for answer in [
        Answer::Positions(Ok(Page::of((0..5).map(position).collect()))),
        Answer::Orders(Ok(Page::default())),
        Answer::History(Ok(Page::of((0..rows).map(order).collect()))),
        Answer::Closed(Ok(Page::of((0..rows).map(position).collect()))),
    ] {
        let poll = Poll { at: NOW, answer };
        update(&mut model, NOW, Msg::Polled(Box::new(poll)));
    }
    model
}

fn press(model: &mut Model, keys: &str) {
    for key in keys.chars() {
        update(model, NOW, Msg::Key(key.into()));
    }
}

/// The mean of many frames, the first of which has warmed everything.
fn frame(model: &Model, area: Rect) -> Duration {
    let mut scrolls = Scrolls::new(Theme::default(), Zone::utc());
    let mut buffer = Buffer::empty(area);
    ui::render(&mut buffer, model, &mut scrolls);
    let start = Instant::now();
    for _ in 0..FRAMES {
        buffer.reset();
        ui::render(black_box(&mut buffer), black_box(model), &mut scrolls);
    }
    start.elapsed() / FRAMES
}

/// One key down the history and the frame after it.
fn scrolled(model: &mut Model, area: Rect) -> Duration {
    press(model, "6");
    measured(model, area, |model, _| press(model, "j"))
}

/// The newest page of the history with one order more, and the frame after it.
fn polled(model: &mut Model, area: Rect) -> Duration {
    press(model, "6");
    measured(model, area, |model, number| {
        let first = 900_000_usize + usize::try_from(number).unwrap();
        let mut rows: Vec<_> = (0..=usize::try_from(number).unwrap().min(40))
            .map(|older| order(first - older))
            .collect();
        rows.extend((0..50).map(order));
        let answer = Answer::History(Ok(Page::of(rows)));
        update(model, NOW, Msg::Polled(Box::new(Poll { at: NOW, answer })));
    })
}

fn measured(model: &mut Model, area: Rect, mut step: impl FnMut(&mut Model, u32)) -> Duration {
    let mut scrolls = Scrolls::new(Theme::default(), Zone::utc());
    let mut buffer = Buffer::empty(area);
    let start = Instant::now();
    for number in 0..FRAMES {
        step(model, number);
        buffer.reset();
        ui::render(&mut buffer, model, &mut scrolls);
    }
    start.elapsed() / FRAMES
}

fn main() {
    let area = Rect::new(0, 0, 200, 60);
    for (name, keys) in [
        ("positions", "1"),
        ("closed, last row", "5G"),
        ("history, first row", "6"),
        ("history, last row", "6G"),
        ("execution quality", "6i"),
        ("price chart", "6p"),
    ] {
        let micros = [1_000, 100_000].map(|rows| {
            let mut model = desk(rows);
            press(&mut model, keys);
            frame(&model, area).as_micros()
        });
        let [few, many] = micros;
        println!("{name:<20} {few:>6} µs at 1,000 rows {many:>8} µs at 100,000 rows");
    }
    let micros = [1_000, 100_000].map(|rows| scrolled(&mut desk(rows), area).as_micros());
    let [few, many] = micros;
    println!("a key and its frame  {few:>6} µs at 1,000 rows {many:>8} µs at 100,000 rows");
    let micros = [1_000, 100_000].map(|rows| polled(&mut desk(rows), area).as_micros());
    let [few, many] = micros;
    println!("a poll and its frame {few:>6} µs at 1,000 rows {many:>8} µs at 100,000 rows");
}
