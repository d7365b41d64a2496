//! The desk's sources of candles, books and trades against the exchange that they are preset for.

use crate::{
    orders::place,
    support::{Paper, START},
};
use perpdeck::{
    app::{CandleOrigin, CandleSeries, Tape},
    client::Client,
    config::Connection,
    model::{FailureKind, Interval, MarketId, Side, Timestamp},
};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

fn desk(paper: &Paper) -> Client {
    let base_url = format!("http://{}", paper.handle.addr);
    let connection = Connection::paper(base_url, paper.key().into(), "chal-1".into());
    let (calls, _) = unbounded_channel();
    Client::new(connection, calls, || START).unwrap()
}

fn btc() -> MarketId {
    "paper|BTC".into()
}

const BEGINNING: Timestamp = Timestamp(i64::MIN);

#[tokio::test]
async fn a_chart_is_full_at_the_first_page_and_older_pages_join_without_a_gap() {
    let paper = Paper::bare().await;
    let client = desk(&paper);
    for interval in [Interval::Second1, Interval::Minute1, Interval::Hour1] {
        let mut series = CandleSeries::new(interval, CandleOrigin::Source);
        let page = client.candles(&btc(), interval, None, 500).await;
        let page = page.unwrap().unwrap();
        assert_eq!(page.value.unreadable, []);
        assert_eq!(page.value.rows.len(), 500, "{interval}");
        series.merge(page.value.rows, START, page.made_at);
        for _ in 0..2 {
            let before = series.ask_older(BEGINNING, START).unwrap();
            let page = client.candles(&btc(), interval, Some(before), 300).await;
            series.merge_older(before, page.unwrap().unwrap().value.rows);
        }
        assert_eq!(
            series.rows().len(),
            1_100,
            "{interval}: nothing twice, nothing filled"
        );
        let times: Vec<_> = series.rows().iter().map(|row| row.open_time.0).collect();
        assert!(
            times
                .windows(2)
                .all(|pair| pair[1] - pair[0] == interval.millis())
        );
        assert_eq!(series.newest().unwrap().open_time, interval.open_of(START));
        assert!(!series.newest().unwrap().is_closed);
    }
}

#[tokio::test]
async fn a_series_that_is_renewed_by_its_last_rows_is_the_one_that_is_read_whole() {
    let paper = Paper::bare().await;
    let client = desk(&paper);
    let mut series = CandleSeries::new(Interval::Second15, CandleOrigin::Source);
    for step in 0..20 {
        let limit = if step == 0 { 500 } else { 3 };
        let page = client
            .candles(&btc(), Interval::Second15, None, limit)
            .await;
        let at = Timestamp(START.0 + step);
        series.merge(page.unwrap().unwrap().value.rows, at, None);
        paper.advance(7_000).await;
    }
    let now = Timestamp(START.0 + 100);
    let page = client.candles(&btc(), Interval::Second15, None, 3).await;
    series.merge(page.unwrap().unwrap().value.rows, now, None);
    let whole = client.candles(&btc(), Interval::Second15, None, 400).await;
    let whole = whole.unwrap().unwrap().value.rows;
    let times = whole[0].open_time..Timestamp(i64::MAX);
    assert!(series.within(times).eq(whole.iter()));
}

#[tokio::test]
async fn the_book_is_as_deep_as_it_is_asked_for_and_has_its_own_time() {
    let paper = Paper::bare().await;
    let client = desk(&paper);
    for depth in [1, 5] {
        let book = client.book(&btc(), Some(depth)).await.unwrap().unwrap();
        assert!(book.made_at.is_some());
        for side in [Side::Buy, Side::Sell] {
            let levels = book.value.levels(side).len();
            assert!(levels > 0 && levels <= usize::try_from(depth).unwrap());
        }
    }
    let whole = client.book(&btc(), None).await.unwrap().unwrap();
    assert!(whole.value.levels(Side::Buy).len() > 5);
}

#[tokio::test]
async fn the_tape_tells_ones_own_trades_and_merges_by_id() {
    let paper = Paper::bare().await;
    let client = desk(&paper);
    let mut tape = Tape::default();
    for step in 0..6_i64 {
        if step == 3 {
            let buy = json!({"market_id": "paper|BTC", "size": 0.1, "leverage": 5});
            assert_eq!(place(&paper, "k", buy).await.status, 201);
        }
        paper.advance(2_000).await;
        let page = client.trades(&btc(), 100).await.unwrap().unwrap();
        assert!(
            page.made_at.is_some(),
            "an old answer is told from a quiet market"
        );
        assert_eq!(page.value.unreadable, []);
        let at = Timestamp(START.0 + step);
        tape.merge(page.value.rows, at, at, page.made_at);
    }
    let ids: Vec<_> = tape.trades().map(|trade| trade.id.unwrap()).collect();
    assert!(
        ids.windows(2).all(|pair| pair[1] < pair[0]),
        "each once, the newest first"
    );
    let own: Vec<_> = tape
        .trades()
        .filter(|trade| trade.is_own == Some(true))
        .collect();
    assert!(!own.is_empty() && own.iter().all(|trade| trade.aggressor == Side::Buy));
    assert!(tape.trades().all(|trade| trade.is_own.is_some()));
}

#[tokio::test]
async fn a_market_that_the_exchange_does_not_have_is_told_as_not_found() {
    let paper = Paper::bare().await;
    let client = desk(&paper);
    let nowhere = MarketId::from("paper|NOWHERE");
    let book = client.book(&nowhere, None).await.unwrap_err();
    assert_eq!(book.kind, FailureKind::NotFound);
    let candles = client.candles(&nowhere, Interval::Minute1, None, 5).await;
    assert_eq!(candles.unwrap_err().kind, FailureKind::NotFound);
    assert!(client.book(&btc(), None).await.unwrap().is_some());
}
