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
        account::poll::{Answer, Poll},
        keys::keymap::Keymap,
        update,
    },
    config::Dialect,
    model::{Order, Page, Position, Timestamp},
    ui::{self, DrawState, Theme},
    view::text::format::Zone,
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
        dry_run: false,
        zone: perpdeck::view::text::format::Zone::utc(),
        reading: perpdeck::view::READING,
        alerts: perpdeck::config::Alerts::default(),
        alert_command: perpdeck::config::AlertCommand::default(),
        guard: perpdeck::config::Guard::default(),
        fees: perpdeck::config::Fees::default(),
        be_extra_ticks: 0,
        ladder_one_key: false,
        size_presets: perpdeck::config::PresetTable::default(),
        motion: perpdeck::config::Motion::Full,
        close_all: CloseAllRule::Confirmed,
        intervals: BTreeMap::new(),
        dialect: Dialect::default(),
    };
    let mut model = Model::new(options, Keymap::default(), NOW);
    let identity = Identity {
        mode: Mode::Paper,
        account_id: "chal-1".into(),
        base_url: "http://127.0.0.1:1".to_owned(),
        profile: perpdeck::app::Profile::default(),
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

/// A line feed is Enter.
fn press(model: &mut Model, keys: &str) {
    for key in keys.chars() {
        let chord = match key {
            '\n' => "enter".parse().unwrap(),
            key => key.into(),
        };
        update(model, NOW, Msg::Key(chord));
    }
}

/// The mean of many frames, the first of which has warmed everything.
fn frame(model: &mut Model, area: Rect) -> Duration {
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    let mut buffer = Buffer::empty(area);
    ui::render(&mut buffer, &*model, &mut draw_state);
    measured(model, area, |_, _| {})
}

/// The newest page of the history with one order more.
fn new_order(model: &mut Model, number: u32) {
    let rows = newest(number, order);
    arrive(model, Answer::History(Ok(Page::of(rows))));
}

/// The newest page of the closed positions with one more.
fn new_closed(model: &mut Model, number: u32) {
    let rows = newest(number, position);
    arrive(model, Answer::Closed(Ok(Page::of(rows))));
}

fn newest<T>(number: u32, row: impl Fn(usize) -> T) -> Vec<T> {
    let number = usize::try_from(number).unwrap();
    let first = 900_000 + number;
    let mut rows: Vec<_> = (0..=number.min(40))
        .map(|older| row(first - older))
        .collect();
    rows.extend((0..50).map(row));
    rows
}

fn arrive(model: &mut Model, answer: Answer) {
    update(model, NOW, Msg::Polled(Box::new(Poll { at: NOW, answer })));
}

/// The mean of many times one step and the frame after it.
fn measured(model: &mut Model, area: Rect, mut step: impl FnMut(&mut Model, u32)) -> Duration {
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    let mut buffer = Buffer::empty(area);
    let start = Instant::now();
    for number in 0..FRAMES {
        step(model, number);
        buffer.reset();
        ui::render(black_box(&mut buffer), black_box(&*model), &mut draw_state);
    }
    start.elapsed() / FRAMES
}

type Measure = fn(&mut Model, Rect) -> Duration;

/// What is done, the keys before it, and how it is measured.
const CASES: &[(&str, &str, Measure)] = &[
    ("positions", "1", frame),
    ("closed positions, last row", "5G", frame),
    ("order history, first row", "6", frame),
    ("order history, last row", "6G", frame),
    ("order history, sorted", "6oooooooo", frame),
    ("order history, filtered", "6/side:buy\n", frame),
    ("execution quality", "6i", frame),
    ("price chart", "6p", frame),
    ("order form", "6b0.5", frame),
    ("a key down", "6", |model, area| {
        measured(model, area, |model, _| press(model, "j"))
    }),
    ("a key down, sorted", "6oooooooo", |model, area| {
        measured(model, area, |model, _| press(model, "j"))
    }),
    ("a new order", "6", |model, area| {
        measured(model, area, new_order)
    }),
    ("a new order, sorted", "6oooooooo", |model, area| {
        measured(model, area, new_order)
    }),
    ("a new order, filtered", "6/side:buy\n", |model, area| {
        measured(model, area, new_order)
    }),
    ("a newly closed position", "5", |model, area| {
        measured(model, area, new_closed)
    }),
];

/// What is done once, however often its frame is drawn.
const ONCE: &[(&str, &str, &str)] = &[
    ("sorting", "6oooooo", "o"),
    ("a filter", "6/side:bu", "y"),
    ("a filter in all words", "6/fille", "d"),
];

fn main() {
    let area = Rect::new(0, 0, 200, 60);
    println!("| a frame of 200x60 | at 1,000 rows | at 100,000 rows |\n|---|--:|--:|");
    for (name, keys, measure) in CASES {
        let [few, many] = [1_000, 100_000].map(|rows| {
            let mut model = desk(rows);
            press(&mut model, keys);
            sift(&mut model);
            measure(&mut model, area).as_micros()
        });
        println!("| {name} | {few} µs | {many} µs |");
    }
    println!(
        "\n| once: its longest update · all of them | at 1,000 rows | at 100,000 rows |\n|---|--:|--:|"
    );
    for (name, keys, key) in ONCE {
        let [few, many] = [1_000, 100_000].map(|rows| {
            let mut model = desk(rows);
            press(&mut model, keys);
            sift(&mut model);
            let (longest, all) = sifting(&mut model, key);
            format!("{} µs · {} µs", longest.as_micros(), all.as_micros())
        });
        println!("| {name} | {few} | {many} |");
    }
}

/// Lets a long list go through its lens to the end.
fn sift(model: &mut Model) {
    while model.lenses.are_sifting() {
        update(model, NOW, Msg::Tick);
    }
}

/// The longest update and all of them, from the key until what it wants is shown.
fn sifting(model: &mut Model, key: &str) -> (Duration, Duration) {
    let start = Instant::now();
    press(model, key);
    let mut longest = start.elapsed();
    while model.lenses.are_sifting() {
        let portion = Instant::now();
        update(model, NOW, Msg::Tick);
        longest = longest.max(portion.elapsed());
    }
    (longest, start.elapsed())
}
