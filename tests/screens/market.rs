//! The market on the screen: candles that a seeded walk has made, ending at the mark.

use crate::{
    desk::{NOW, num},
    dump::drawn,
};
use perpdeck::{
    app::{MarketAnswer, Model, Msg, RequestTime, keys::keymap::Chord, update},
    model::{Candle, Dated, Interval, Num, Page, Timestamp, Zone},
    ui::{self, DrawState, Theme, picture},
};
use ratatui::{buffer::Buffer, layout::Rect};

/// Numbers that are the same every time.
struct Dice(u64);

impl Dice {
    /// Around 0, in thousandths, -1,000 to 1,000.
    fn throw(&mut self) -> i64 {
        let mut sum = 0;
        for _ in 0..3 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sum += i64::try_from((self.0 >> 33) % 2_001).unwrap() - 1_000;
        }
        sum / 3
    }
}

/// So many candles, the newest of which closes at `close` (in units of `10^-decimals`) and is not over; `swing` is how
/// far one moves at most.
pub(crate) fn candles(
    count: i64,
    interval: Interval,
    (close, decimals, swing): (i64, u32, i64),
) -> Vec<Candle> {
    let mut dice = Dice(close.unsigned_abs());
    let newest = interval.open_of(NOW);
    let mut close = close;
    let mut rows = vec![];
    for back in 0..count {
        // Every 23rd interval nothing trades.
        let is_empty = back % 23 == 22;
        let step = if is_empty {
            0
        } else {
            dice.throw() * swing / 1_000
        };
        let open = close - step;
        let wick = |dice: &mut Dice| {
            if is_empty {
                0
            } else {
                dice.throw().abs() * swing / 1_500
            }
        };
        let (high, low) = (
            open.max(close) + wick(&mut dice),
            open.min(close) - wick(&mut dice),
        );
        let trades = if is_empty {
            0
        } else {
            40 + step.unsigned_abs()
        };
        let price = |count| Num::new(count, decimals);
        let volume = Num::new(i64::try_from(trades).unwrap() * 137, 3);
        rows.push(Candle {
            open_time: Timestamp(newest.0 - back * interval.millis()),
            open: price(open),
            high: price(high),
            low: price(low),
            close: price(close),
            volume: Some(volume),
            turnover: volume.times(price((high + low + close) / 3)),
            trades: Some(trades),
            is_closed: back > 0,
            is_synthetic: back > 700,
        });
        close = open;
    }
    rows.reverse();
    rows
}

/// One-minute candles of every market of the desk, back to the start of the day.
pub(crate) fn arrive(model: &mut Model) {
    let markets = [
        ("BTC", (64_018, 0, 24)),
        ("ETH", (29_573, 1, 17)),
        ("SOL", (14_962, 2, 12)),
        ("DOGE", (12_201, 5, 14)),
    ];
    for (coin, walk) in markets {
        tell(
            model,
            coin,
            Interval::Minute1,
            candles(900, Interval::Minute1, walk),
        );
    }
}

pub(crate) fn tell(model: &mut Model, coin: &str, interval: Interval, rows: Vec<Candle>) {
    let at = RequestTime {
        desk: NOW,
        service: NOW,
    };
    let page = Dated::undated(Page::of(rows));
    let answer = MarketAnswer::Candles(interval, None, Ok(Some(page)));
    model
        .account
        .market_data
        .arrive(&format!("paper|{coin}").into(), at, answer);
}

pub(crate) fn pressed(keys: &str) -> Model {
    let mut model = crate::desk::full();
    crate::dump::press(&mut model, keys);
    model
}

/// Two charts of BTC, the left one with the keys.
pub(crate) fn two_charts() -> Model {
    let mut model = pressed("0|");
    let five = Interval::Minute5;
    tell(&mut model, "BTC", five, candles(900, five, (64_018, 0, 60)));
    model
}

const SIZES: [(u16, u16); 6] = [
    (200, 60),
    (160, 48),
    (120, 40),
    (100, 30),
    (80, 24),
    (60, 16),
];

fn rows(model: &Model, (width, height): (u16, u16)) -> Vec<String> {
    let buffer = drawn(model, width, height, Theme::default());
    picture::text(&buffer).lines().map(str::to_owned).collect()
}

#[test]
fn the_line_of_markets_is_under_the_header_from_eighty_columns_on() {
    for (width, height) in SIZES {
        let line = rows(&crate::desk::full(), (width, height))[1].clone();
        assert_eq!(line.contains("▸BTC 64,0"), width >= 80, "{width}: {line}");
        assert_eq!(line.contains("SOL"), width >= 100, "{width}: {line}");
    }
    let pinned = rows(&pressed("P"), (120, 40))[1].clone();
    assert!(pinned.contains("◆BTC"), "{pinned}");
}

#[test]
fn without_a_market_nothing_of_one_is_drawn() {
    for size in SIZES {
        let rows = rows(&crate::desk::connecting(), size);
        assert!(!rows.iter().any(|row| row.contains("Chart")), "{rows:#?}");
    }
}

#[test]
fn a_chart_that_is_read_stays_where_it_is_while_candles_come() {
    let mut model = pressed("0");
    let left: Chord = "left".parse().unwrap();
    for _ in 0..5 {
        update(&mut model, NOW, Msg::Key(left));
    }
    let mut state = DrawState::new(Theme::default(), Zone::utc());
    let mut plot = |model: &Model| {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 200, 60));
        ui::render(&mut buffer, model, &mut state);
        let rows: Vec<String> = picture::text(&buffer).lines().map(str::to_owned).collect();
        // The plot alone: the marks beside it are of now.
        let plot = rows[4..24]
            .iter()
            .map(|row| row.chars().skip(102).take(40).collect());
        plot.collect::<Vec<String>>()
    };
    let before = plot(&model);
    let mut rows = candles(900, Interval::Minute1, (64_018, 0, 24));
    let newest = *rows.last().unwrap();
    for more in 1..4 {
        rows.push(Candle {
            open_time: Timestamp(newest.open_time.0 + more * 60_000),
            ..newest
        });
    }
    tell(&mut model, "BTC", Interval::Minute1, rows);
    assert_eq!(plot(&model), before);
}

#[test]
fn the_fixture_ends_at_its_price() {
    let rows = candles(3, Interval::Minute1, (64_018, 0, 24));
    assert_eq!(rows.last().unwrap().close, num("64018"));
}

#[test]
fn the_sessions_prices_bands_and_own_lines_are_drawn_on_the_chart() {
    let mut model = pressed("0");
    arrive(&mut model);
    let text = |model: &Model| rows(model, (200, 60)).join("\n");
    let plain = text(&model);
    assert!(
        !plain.contains("◂high") && !plain.contains("±68"),
        "{plain}"
    );
    crate::dump::press(&mut model, "H:line 64010 weekly low\n");
    let all = text(&model);
    for words in ["◂high", "vwap 63,861 ±68", "weekly low ╌", "◂line"] {
        assert!(all.contains(words), "{words}: {all}");
    }
}
