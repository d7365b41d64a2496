//! The rules of fills on 25 seconds of Hyperliquid's BTC, whose books and trades are real: 55 lines, of which
//! `hftbacktest` ships a copy (`examples/hyperliquid/btcusd_20250126.gz`). `PERPDECK_SAMPLE` names the file.

use std::{
    env,
    fs::File,
    io::{BufRead, BufReader},
};

use super::{
    desk::START,
    venue::{Venue, lots},
};
use crate::exchange::engine::*;
use flate2::read::GzDecoder;
use serde_json::Value;

/// Everything in the sample happens within a minute of this.
const SAMPLE_START: i64 = 1_737_918_840_000;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn price(row: &Value) -> Px {
    Px(text(&row["px"]).replace('.', "").parse().unwrap())
}

fn moment(row: &Value) -> Millis {
    START + Millis(row["time"].as_i64().unwrap() - SAMPLE_START)
}

fn side(rows: &Value, most: usize) -> Vec<BookLevel> {
    let rows = rows.as_array().unwrap().iter().take(most);
    rows.map(|row| BookLevel {
        px: price(row),
        size: lots(text(&row["sz"])),
    })
    .collect()
}

fn trade(row: &Value) -> ReceivedTrade {
    let aggressor = match text(&row["side"]) {
        "B" => Side::Buy,
        _ => Side::Sell,
    };
    ReceivedTrade {
        id: row["tid"].as_u64().unwrap(),
        venue_time: moment(row),
        aggressor,
        px: price(row),
        size: lots(text(&row["sz"])),
    }
}

/// A frame of a recording, whose books have at most so many levels.
fn content(line: u64, data: &Value, channel: &str, most: usize) -> FrameContent {
    if channel == "l2Book" {
        return FrameContent::Book(ReceivedBook {
            venue_time: moment(data),
            bids: side(&data["levels"][0], most),
            asks: side(&data["levels"][1], most),
        });
    }
    let trades = data.as_array().unwrap().iter().map(trade).collect();
    match line {
        2 => FrameContent::TradeHistory(trades),
        _ => FrameContent::Trades(trades),
    }
}

/// Plays the sample frame by frame.
struct Sample {
    venue: Venue,
    lines: Vec<String>,
    levels: usize,
}

impl Sample {
    fn of(levels: usize) -> Self {
        let path = env::var_os("PERPDECK_SAMPLE").expect("PERPDECK_SAMPLE names the recording");
        let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
        Self {
            venue: Venue::new(),
            lines: lines.collect::<Result<_, _>>().unwrap(),
            levels,
        }
    }

    /// Up to and with this frame.
    fn until(&mut self, last: u64) {
        for line in self.venue.line..=last {
            let (at, raw) = self.lines[usize::try_from(line).unwrap()]
                .split_once(' ')
                .unwrap();
            let frame: Value = serde_json::from_str(raw).unwrap();
            let at = at.parse::<i64>().unwrap() / 1_000_000 - SAMPLE_START;
            let content = content(line, &frame["data"], text(&frame["channel"]), self.levels);
            self.venue.receive(at, content);
        }
    }
}

#[test]
#[ignore = "reads a recording: PERPDECK_SAMPLE names its file"]
fn takers_walk_real_books_and_what_they_take_stays_taken() {
    let mut sample = Sample::of(20);
    sample.until(0);
    let buy = sample.venue.market(Side::Buy, "7").unwrap();
    assert_eq!(
        sample.venue.fills(buy),
        [
            "walk 0: 6.34472@105056 0.0001@105057 0.0001@105058 0.0001@105059 0.12704@105062 \
             0.1556@105064 0.05709@105065 0.31525@105066"
        ]
    );
    let average = sample.venue.row(buy).fill_price.unwrap();
    assert_eq!((average.0 + 50_000) / 100_000, 1_050_568_106, "105056.8106");
    let next = sample.venue.market(Side::Buy, "1").unwrap();
    assert_eq!(
        sample.venue.fills(next),
        ["walk 0: 0.96253@105066 0.03747@105067"]
    );

    let mut five = Sample::of(5);
    five.until(0);
    let short = five.venue.market(Side::Buy, "7").unwrap();
    assert_eq!(five.venue.row(short).filled_size, lots("6.47206"));
}

#[test]
#[ignore = "reads a recording: PERPDECK_SAMPLE names its file"]
fn a_real_level_gives_what_it_shows_beyond_what_was_taken() {
    let mut sample = Sample::of(20);
    sample.until(41);
    sample.venue.market(Side::Buy, "6.34472").unwrap();
    let free = |sample: &Sample| {
        let mut asks = sample.venue.engine.book_levels(MarketIx(0), Side::Sell);
        let level = asks.find(|level| level.px == Px(1_050_560));
        level.map_or(Lots::ZERO, |level| level.size)
    };
    sample.until(43);
    assert_eq!(free(&sample), lots("1.17169"));
    for frame in [48, 49] {
        sample.until(frame);
        assert_eq!(free(&sample), Lots::ZERO, "frame {frame}");
    }

    let mut early = Sample::of(20);
    early.until(0);
    early.venue.market(Side::Buy, "6.34472").unwrap();
    // What stays taken is 6.34472, 4.73651 from frame 10 on, and 4.71798 from frame 25 on.
    for (frame, left) in [
        (7, "0.15527"),
        (10, "0"),
        (11, "0.752"),
        (25, "0"),
        (26, "1.98155"),
    ] {
        early.until(frame);
        assert_eq!(free(&early), lots(left), "frame {frame}");
    }
}

#[test]
#[ignore = "reads a recording: PERPDECK_SAMPLE names its file"]
fn real_trades_of_before_the_subscription_fill_nothing_and_move_no_queue() {
    let mut sample = Sample::of(20);
    sample.until(1);
    let buy = sample.venue.limit(Side::Buy, "0.05", 105_055);
    sample.until(2);
    assert_eq!(sample.venue.bracket(buy), (Lots::ZERO, Lots::ZERO));
    assert_eq!(sample.venue.ahead(buy), Some(lots("3.03622")));
}

#[test]
#[ignore = "reads a recording: PERPDECK_SAMPLE names its file"]
fn a_real_sweep_fills_a_resting_order_through_its_price_and_the_next_book_the_rest() {
    let mut sample = Sample::of(20);
    sample.until(44);
    let swept = sample.venue.limit(Side::Buy, "0.5", 105_054);
    let behind = sample.venue.limit(Side::Buy, "0.1", 105_050);
    sample.until(46);
    assert_eq!(sample.venue.bracket(swept), (lots("0.33715"), lots("0.5")));
    sample.until(54);
    assert_eq!(
        sample.venue.fills(swept),
        [
            "through 46: 0.1428@105054",
            "through 46: 0.19435@105054",
            "cross 48: 0.16285@105054"
        ]
    );
    assert_eq!(sample.venue.bracket(behind), (Lots::ZERO, Lots::ZERO));
    assert_eq!(sample.venue.ahead(behind), Some(lots("1.01808")));
}

#[test]
#[ignore = "reads a recording: PERPDECK_SAMPLE names its file"]
fn the_optimistic_queue_fills_earlier_than_the_booked_one() {
    let mut sample = Sample::of(20);
    sample.until(0);
    let buy = sample.venue.limit(Side::Buy, "0.05", 105_055);
    sample.until(2);
    assert_eq!(
        sample.venue.bracket(buy),
        (Lots::ZERO, Lots::ZERO),
        "history"
    );
    for (frame, booked, optimistic) in [
        (27, "0", "0"),
        (28, "0", "0.00036"),
        (41, "0", "0.00036"),
        (42, "0", "0.00463"),
        (45, "0", "0.00463"),
        (46, "0.05", "0.05"),
    ] {
        sample.until(frame);
        let expected = (lots(booked), lots(optimistic));
        assert_eq!(sample.venue.bracket(buy), expected, "frame {frame}");
    }
}
