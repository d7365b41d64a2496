use super::*;
use crate::model::Num;

const AT: RequestTime = RequestTime {
    desk: Timestamp(0),
    service: Timestamp(0),
};

fn market(name: &str) -> MarketId {
    format!("paper|{name}").into()
}

fn candle(open_time: i64) -> Candle {
    Candle {
        open_time: Timestamp(open_time),
        open: Num::ONE,
        high: Num::ONE,
        low: Num::ONE,
        close: Num::ONE,
        volume: None,
        turnover: None,
        trades: Some(1),
        is_closed: true,
        is_synthetic: false,
    }
}

fn page(rows: impl Iterator<Item = i64>) -> MarketAnswer {
    let rows = Page::of(rows.map(|second| candle(second * 1_000)).collect());
    MarketAnswer::Candles(Interval::Second1, None, Ok(Some(Dated::undated(rows))))
}

#[test]
fn an_answer_that_changes_nothing_leaves_the_version() {
    let mut data = MarketData::default();
    data.arrive(&market("BTC"), AT, page(0..100));
    let version = data.version();
    assert!(version > 0);
    data.arrive(&market("BTC"), AT, page(90..100));
    assert_eq!(data.version(), version);
    let series = data.candles(&market("BTC"), Interval::Second1).unwrap();
    assert_eq!(
        (series.rows().len(), series.origin()),
        (100, CandleOrigin::Source)
    );
    assert_eq!(data.candles(&market("BTC"), Interval::Minute1), None);
    assert_eq!(data.tape(&market("BTC")), None);
}

#[test]
fn without_a_candle_source_the_candles_are_those_of_the_marks_seen() {
    let mut data = MarketData::default();
    data.arrive(
        &market("BTC"),
        AT,
        MarketAnswer::Candles(Interval::Second1, None, Ok(None)),
    );
    assert!(data.builds_candles(&market("BTC")));
    let mut seen = Prices::default();
    for second in 0..5 {
        seen.mark(Timestamp(second * 1_000), Num::from(second));
        seen.mark(Timestamp(second * 1_000 + 400), Num::from(9 - second));
    }
    data.build(&market("BTC"), Interval::Second1, &seen);
    let version = data.version();
    data.build(&market("BTC"), Interval::Second1, &seen);
    assert_eq!(data.version(), version, "the same marks change nothing");
    let series = data.candles(&market("BTC"), Interval::Second1).unwrap();
    assert_eq!(
        (series.rows().len(), series.origin()),
        (5, CandleOrigin::SeenMarks)
    );
}

#[test]
fn what_is_not_shown_is_kept_short_and_few_markets_are_kept() {
    let mut data = MarketData::default();
    for number in 0..40_i64 {
        let id = market(&number.to_string());
        data.show(
            [(id.clone(), Some(Interval::Second1))].into(),
            Timestamp(number),
        );
        data.arrive(&id, AT, page(0..4_000));
    }
    let rows = |name: &str| {
        let series = data.candles(&market(name), Interval::Second1);
        series.map(|series| series.rows().len())
    };
    assert_eq!(
        (rows("39"), rows("38"), rows("10")),
        (Some(4_000), Some(ROWS_ASIDE), None)
    );
}
