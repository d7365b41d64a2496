#![expect(
    clippy::type_complexity,
    reason = "rows as tuples are shorter to compare"
)]
use super::*;
use crate::model::FailureKind;
use std::time::Instant;

const MINUTE: i64 = 60_000;
const BEGINNING: Timestamp = Timestamp(i64::MIN);

fn candle(minute: i64, close: i64, trades: u64) -> Candle {
    let price = Num::from(close);
    Candle {
        open_time: Timestamp(minute * MINUTE),
        open: price,
        high: price,
        low: price,
        close: price,
        volume: Some(Num::ONE),
        turnover: Some(price),
        trades: Some(trades),
        is_closed: true,
        is_synthetic: false,
    }
}

fn series() -> CandleSeries {
    CandleSeries::new(Interval::Minute1, CandleOrigin::Source)
}

fn seen(series: &CandleSeries) -> Vec<(i64, i64, Option<u64>)> {
    let row = |row: &Candle| {
        let close = row.close.to_i64().unwrap();
        (row.open_time.0 / MINUTE, close, row.trades)
    };
    series.rows().iter().map(row).collect()
}

#[test]
fn a_newer_row_replaces_the_one_of_its_open_time_unless_it_counts_fewer_trades() {
    let mut series = series();
    let open = |close, trades| Candle {
        is_closed: false,
        ..candle(2, close, trades)
    };
    series.merge(vec![candle(1, 10, 5), open(11, 1)], Timestamp(1), None);
    series.merge(vec![open(12, 2)], Timestamp(2), None);
    assert_eq!(seen(&series), [(1, 10, Some(5)), (2, 12, Some(2))]);
    let version = series.version();
    series.merge(vec![open(11, 1), candle(1, 9, 4)], Timestamp(3), None);
    assert_eq!(seen(&series), [(1, 10, Some(5)), (2, 12, Some(2))]);
    assert_eq!(series.version(), version, "nothing has changed");
    series.merge(vec![open(12, 2)], Timestamp(4), None);
    assert_eq!(series.version(), version);
    series.merge(vec![candle(2, 13, 9)], Timestamp(1), None);
    assert_eq!(series.version(), version, "an overtaken answer is dropped");
    series.merge(vec![candle(2, 13, 9)], Timestamp(5), None);
    series.merge(vec![open(13, 9)], Timestamp(6), None);
    assert!(
        series.newest().unwrap().is_closed,
        "what was over stays over"
    );
}

#[test]
fn intervals_that_a_source_omits_are_filled_with_the_previous_close_and_no_volume() {
    let mut series = series();
    series.merge(vec![candle(1, 10, 5), candle(4, 13, 2)], Timestamp(1), None);
    let rows = [
        (1, 10, Some(5)),
        (2, 10, Some(0)),
        (3, 10, Some(0)),
        (4, 13, Some(2)),
    ];
    assert_eq!(seen(&series), rows);
    let empty = series.at(Timestamp(2 * MINUTE)).unwrap();
    assert_eq!((empty.volume, empty.vwap()), (Some(Num::ZERO), None));
    series.merge(vec![candle(3, 12, 1), candle(4, 13, 2)], Timestamp(2), None);
    assert_eq!(
        seen(&series)[2],
        (3, 12, Some(1)),
        "a row that comes late has its place"
    );
    let mut far = series;
    far.merge(
        vec![candle(4, 13, 2), candle(4 + LONGEST_FILL + 2, 9, 1)],
        Timestamp(3),
        None,
    );
    assert_eq!(far.rows().len(), 5, "a gap of a day is not filled");
}

#[test]
fn older_pages_join_and_each_is_requested_once() {
    let mut series = series();
    let now = Timestamp(1_000);
    assert_eq!(
        series.ask_older(BEGINNING, now),
        None,
        "nothing is known yet"
    );
    series.merge(vec![candle(10, 1, 1), candle(11, 2, 1)], now, None);
    let before = series.ask_older(BEGINNING, now).unwrap();
    assert_eq!(before, Timestamp(10 * MINUTE));
    assert_eq!(series.ask_older(BEGINNING, now), None, "it is on its way");
    series.merge_older(before, vec![candle(5, 7, 1), candle(8, 8, 1)]);
    let minutes: Vec<_> = seen(&series)
        .into_iter()
        .map(|(minute, _, _)| minute)
        .collect();
    assert_eq!(minutes, [5, 6, 7, 8, 9, 10, 11]);
    series.merge_older(before, vec![candle(1, 7, 1)]);
    assert_eq!(series.rows().len(), 7, "an answer of before is dropped");

    let before = series.ask_older(BEGINNING, now).unwrap();
    series.fail_older(before, now);
    assert_eq!(series.ask_older(BEGINNING, now), None, "not at once");
    let later = now.plus(PAGE_RETRY);
    assert_eq!(series.ask_older(BEGINNING, later), Some(before));
    assert_eq!(
        series.ask_older(BEGINNING, later.plus(PAGE_TIMEOUT)),
        Some(before),
        "it was lost"
    );
    series.merge_older(before, vec![candle(5, 7, 1)]);
    assert_eq!(
        series.ask_older(BEGINNING, later.plus(PAGE_TIMEOUT * 2)),
        None,
        "a source that ignores `before` ends there too"
    );
}

#[test]
fn newest_rows_that_do_not_reach_back_to_the_known_ones_replace_them() {
    let mut series = series();
    series.merge(vec![candle(1, 1, 1), candle(2, 2, 1)], Timestamp(1), None);
    series.merge(vec![candle(3, 3, 1)], Timestamp(2), None);
    assert_eq!(series.rows().len(), 3, "the next interval does reach");
    series.merge(vec![candle(9, 9, 1), candle(10, 9, 1)], Timestamp(3), None);
    assert_eq!(seen(&series), [(9, 9, Some(1)), (10, 9, Some(1))]);
    assert!(series.ask_older(BEGINNING, Timestamp(4)).is_some());
}

#[test]
fn rows_in_any_order_and_twice_are_one_row_each() {
    let mut series = series();
    let page = vec![
        candle(2, 5, 9),
        candle(1, 4, 1),
        candle(2, 6, 3),
        candle(3, 1, 1),
    ];
    series.merge(page, Timestamp(1), None);
    assert_eq!(
        seen(&series),
        [(1, 4, Some(1)), (2, 5, Some(9)), (3, 1, Some(1))]
    );
}

#[test]
fn candles_of_seen_marks_have_no_volume_and_nothing_in_a_hole() {
    let mut series = CandleSeries::new(Interval::Minute1, CandleOrigin::SeenMarks);
    for (at, price) in [
        (60_000, 10_i64),
        (61_000, 14),
        (62_000, 8),
        (119_999, 9),
        (240_000, 20),
    ] {
        series.mark(Timestamp(at), Num::from(price));
    }
    assert_eq!(seen(&series), [(1, 9, None), (4, 20, None)]);
    let first = series.oldest().unwrap();
    let prices = [first.open, first.high, first.low, first.close].map(Num::to_i64);
    assert_eq!(prices, [Some(10), Some(14), Some(8), Some(9)]);
    assert_eq!((first.volume, first.is_closed), (None, true));
    assert!(!series.newest().unwrap().is_closed);
    assert_eq!(series.ask_older(BEGINNING, Timestamp(1)), None);
}

#[test]
fn a_failure_keeps_the_candles_and_their_age() {
    let mut series = series();
    series.merge(vec![candle(1, 1, 1)], Timestamp(1_000), None);
    let down = Failure::new(FailureKind::Unavailable, "down");
    series.fail(down.clone(), Timestamp(2_000));
    assert_eq!(series.age(Timestamp(5_000)), Some(Duration::from_secs(4)));
    assert_eq!((series.rows().len(), series.trouble()), (1, Some(&down)));
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a stopwatch: nothing depends on what time it is"
)]
fn a_hundred_thousand_candles_merge_look_up_and_stay_bounded() {
    let began = Instant::now();
    let mut series = series();
    let page = |from: i64, to: i64| (from..to).map(|minute| candle(minute, 100, 1)).collect();
    series.merge(page(100_000, 100_500), Timestamp(1), None);
    while let Some(before) = series.ask_older(BEGINNING, Timestamp(1)) {
        let end = before.0 / MINUTE;
        series.merge_older(before, page((end - 1_500).max(0), end));
    }
    assert_eq!(series.rows().len(), 100_500);
    for step in 0..10_000 {
        let minute = 100_499 + step / 10;
        series.merge(vec![candle(minute, step, 1)], Timestamp(2 + step), None);
        let seen = series.within(Timestamp((minute - 50) * MINUTE)..Timestamp(i64::MAX));
        assert_eq!(seen.len(), 51);
        let old = Timestamp(step * MINUTE);
        assert_eq!(series.at(old).unwrap().open_time, old);
    }
    series.merge(page(101_498, 125_000), Timestamp(20_000), None);
    assert_eq!(series.rows().len(), ROWS_KEPT);
    assert_eq!(
        series.ask_older(BEGINNING, Timestamp(20_000)),
        None,
        "there is no room for more"
    );
    // Generous for a debug build on a busy machine; copies of all rows would take minutes.
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn candles_of_a_future_that_a_reset_has_undone_are_dropped() {
    let known = || {
        let mut series = series();
        let page = vec![candle(7, 10, 5), candle(8, 11, 5), candle(9, 12, 5)];
        series.merge(page, Timestamp(1), Some(Timestamp(9 * MINUTE)));
        series
    };
    // By the candles, where the source does not date its answers.
    let mut series = known();
    series.merge(vec![candle(6, 20, 1), candle(7, 21, 1)], Timestamp(2), None);
    assert_eq!(seen(&series), [(6, 20, Some(1)), (7, 21, Some(1))]);
    assert!(
        series.ask_older(BEGINNING, Timestamp(2)).is_some(),
        "older ones are read anew"
    );
    // By the source's clock, although the candle of the instant is the same.
    let mut series = known();
    let earlier = Timestamp(9 * MINUTE - 20_000);
    series.merge(vec![candle(8, 20, 1)], Timestamp(2), Some(earlier));
    assert_eq!(seen(&series), [(8, 20, Some(1))]);
    // One that is merely late lacks the newest candle.
    let mut series = known();
    series.merge(vec![candle(7, 10, 5), candle(8, 11, 5)], Timestamp(2), None);
    assert_eq!(series.rows().len(), 3);
    let jitter = Timestamp(9 * MINUTE - 1_000);
    let mut series = known();
    series.merge(
        vec![candle(9, 12, 5)],
        Timestamp(2),
        Some(Timestamp(9 * MINUTE + 500)),
    );
    series.merge(
        vec![candle(9, 12, 5)],
        Timestamp(3),
        Some(Timestamp(jitter.0 + 1_000)),
    );
    assert_eq!(series.rows().len(), 3);
}
