//! What one frame costs: `cargo bench --bench frame` prints microseconds per frame, with few rows in the
//! history panes and with very many; `cargo bench --bench frame -- ladder` only those of cases with this word. The cost
//! must follow what is visible, not what is known.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and tells what it measured"
)]

use perpdeck::{
    app::{
        CloseAllRule, Identity, MarketAnswer, Mode, Model, Msg, Options,
        account::poll::{Answer, Poll},
        keys::keymap::Keymap,
        update,
    },
    model::{
        Book, Candle, Dated, Grid, Interval, Level, Market, MarketId, Num, Order, Page, Position,
        Side, Timestamp, Zone,
    },
    ui::{self, DrawState, Theme},
};
use ratatui::layout::Rect;
use std::{
    collections::BTreeMap,
    env,
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
        ends_with_desk: false,
        zone: perpdeck::model::Zone::utc(),
        alerts: perpdeck::config::Alerts::default(),
        alert_command: perpdeck::config::AlertCommand::default(),
        guard: perpdeck::config::Guard::default(),
        fees: perpdeck::config::Fees::default(),
        be_extra_ticks: 0,
        lists_markets: false,
        ladder_one_key: false,
        brackets: perpdeck::config::PresetTable::default(),
        size_presets: perpdeck::config::PresetTable::default(),
        motion: perpdeck::config::Motion::Full,
        close_all: CloseAllRule::Confirmed,
        intervals: BTreeMap::new(),
    };
    let mut model = Model::new(options, perpdeck::view::READING, Keymap::default(), NOW);
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

/// A line feed is Enter, `←` goes ten candles back.
fn press(model: &mut Model, keys: &str) {
    for key in keys.chars() {
        let chord = match key {
            '\n' => "enter".parse().unwrap(),
            '←' => "shift-left".parse().unwrap(),
            key => key.into(),
        };
        update(model, NOW, Msg::Key(chord));
    }
}

/// The mean of many frames in which every place is drawn.
fn frame(model: &mut Model, area: Rect) -> Duration {
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    measured_with(
        model,
        area,
        &mut draw_state,
        DrawState::forget_cells,
        |_, _| {},
    )
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

/// The mean of many times one step and what the frame after it changes.
fn measured(model: &mut Model, area: Rect, step: impl FnMut(&mut Model, u32)) -> Duration {
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    measured_with(model, area, &mut draw_state, |_| {}, step)
}

fn measured_with(
    model: &mut Model,
    area: Rect,
    draw_state: &mut DrawState,
    before: impl Fn(&mut DrawState),
    mut step: impl FnMut(&mut Model, u32),
) -> Duration {
    let start = Instant::now();
    for number in 0..FRAMES {
        step(model, number);
        before(draw_state);
        black_box(ui::render_changes(area, black_box(&*model), draw_state));
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

/// What is done on the market screen, the keys before it, and how it is measured.
const MARKET_CASES: &[(&str, &str, Measure)] = &[
    ("chart and ladder beside the panes", "1", frame),
    ("a key among the positions", "1", |model, area| {
        measured(model, area, |model, number| {
            press(model, if number % 2 == 0 { "j" } else { "k" });
        })
    }),
    ("the chart alone, read back", "0z←←←←←", frame),
    ("a key back on the chart", "0", |model, area| {
        measured(model, area, |model, _| press(model, "←"))
    }),
    ("a key up on the chart", "0k", |model, area| {
        measured(model, area, |model, _| press(model, "k"))
    }),
    ("a key down on the ladder", "9j", |model, area| {
        measured(model, area, |model, _| press(model, "j"))
    }),
    ("a new book", "1", |model, area| {
        let levels = levels_of(model);
        measured(model, area, |model, number| {
            tell(
                model,
                MarketAnswer::Book(Ok(Some(Dated::undated(book(levels, number))))),
            );
        })
    }),
    ("a trade in the newest candle", "1", |model, area| {
        measured(model, area, |model, number| {
            let page = Page::of(vec![candle(0, i64::from(number % 9))]);
            let interval = Interval::Minute1;
            tell(
                model,
                MarketAnswer::Candles(interval, None, Ok(Some(Dated::undated(page)))),
            );
        })
    }),
];

/// What is done once, however often its frame is drawn.
const ONCE: &[(&str, &str, &str)] = &[
    ("sorting", "6oooooo", "o"),
    ("a filter", "6/side:bu", "y"),
    ("a filter in all words", "6/fille", "d"),
];

fn btc() -> MarketId {
    "paper|BTC".into()
}

/// A candle that opened so many minutes ago, and closed so far above 64,000.
fn candle(minutes_ago: i64, above: i64) -> Candle {
    let price = |away: i64| Num::from(64_000 + (minutes_ago % 97) * 3 + away);
    let open_time = Interval::Minute1.open_of(NOW).0 - minutes_ago * 60_000;
    Candle {
        open_time: Timestamp(open_time),
        open: price(0),
        high: price(20 + above),
        low: price(-20),
        close: price(above),
        volume: Some(Num::from(7_i64)),
        turnover: Some(Num::from(448_000_i64)),
        trades: Some(u64::try_from(10 + above).unwrap()),
        is_closed: minutes_ago > 0,
        is_synthetic: false,
    }
}

fn book(levels: i64, number: u32) -> Book {
    let level = |price: i64| Level {
        price: price.into(),
        size: Num::new(i64::from(number % 50) * 10 + price % 90 + 1, 2),
    };
    Book::new(
        (0..levels).map(|down| level(63_999 - down)).collect(),
        (0..levels).map(|up| level(64_001 + up)).collect(),
    )
}

fn levels_of(model: &Model) -> i64 {
    let book = model
        .account
        .store
        .books
        .of(&btc())
        .and_then(|known| known.value());
    book.map_or(0, |book| {
        i64::try_from(book.levels(Side::Buy).len()).unwrap()
    })
}

fn tell(model: &mut Model, answer: MarketAnswer) {
    update(model, NOW, Msg::MarketData(btc(), NOW, answer));
}

/// A desk of 200x60 that shows so many candles of BTC and a book of so many levels a side.
fn market_desk(candles: i64, levels: i64) -> Model {
    let mut model = desk(1_000);
    update(&mut model, NOW, Msg::Resized(200, 60));
    let market = Market {
        mark: Some(Num::from(64_000_i64)),
        bid: Some(Num::from(63_999_i64)),
        ask: Some(Num::from(64_001_i64)),
        size_decimals: Some(5),
        max_leverage: Some(50),
        grid: Grid::Figures(5),
        ..Market::new(btc())
    };
    arrive(&mut model, Answer::Markets(Ok(vec![market])));
    let page = Page::of((0..candles).map(|ago| candle(ago, ago % 11)).collect());
    let interval = Interval::Minute1;
    tell(
        &mut model,
        MarketAnswer::Candles(interval, None, Ok(Some(Dated::undated(page)))),
    );
    tell(
        &mut model,
        MarketAnswer::Book(Ok(Some(Dated::undated(book(levels, 0))))),
    );
    model
}

fn main() {
    let area = Rect::new(0, 0, 200, 60);
    let words: Vec<_> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let is_wanted =
        |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    println!("| a frame of 200x60 | at 1,000 rows | at 100,000 rows |\n|---|--:|--:|");
    for (name, keys, measure) in CASES.iter().filter(|case| is_wanted(case.0)) {
        let [few, many] = [1_000, 100_000].map(|rows| {
            let mut model = desk(rows);
            press(&mut model, keys);
            sift(&mut model);
            measure(&mut model, area).as_micros()
        });
        println!("| {name} | {few} µs | {many} µs |");
    }
    println!(
        "\n| the market screen of 200x60 | at 1,000 candles, 20 levels a side | at 100,000 candles, 1,000 levels a side |\n|---|--:|--:|"
    );
    for (name, keys, measure) in MARKET_CASES.iter().filter(|case| is_wanted(case.0)) {
        let [few, many] = [(1_000, 20), (100_000, 1_000)].map(|(candles, levels)| {
            let mut model = market_desk(candles, levels);
            press(&mut model, keys);
            measure(&mut model, area).as_micros()
        });
        println!("| {name} | {few} µs | {many} µs |");
    }
    println!(
        "\n| once: its longest update · all of them | at 1,000 rows | at 100,000 rows |\n|---|--:|--:|"
    );
    for (name, keys, key) in ONCE.iter().filter(|case| is_wanted(case.0)) {
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

/// Lets a long list go through its table view to the end.
fn sift(model: &mut Model) {
    while model.table_views.are_sifting() {
        update(model, NOW, Msg::Tick);
    }
}

/// The longest update and all of them, from the key until what it wants is shown.
fn sifting(model: &mut Model, key: &str) -> (Duration, Duration) {
    let start = Instant::now();
    press(model, key);
    let mut longest = start.elapsed();
    while model.table_views.are_sifting() {
        let portion = Instant::now();
        update(model, NOW, Msg::Tick);
        longest = longest.max(portion.elapsed());
    }
    (longest, start.elapsed())
}
