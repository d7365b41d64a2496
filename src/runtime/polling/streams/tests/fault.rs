//! A desk on the streams of the paper exchange, with the faults that it can plant.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks at one kind of answer"
)]

use super::super::{
    tests::{Desk, btc, wants_one_market},
    *,
};
use crate::{
    app::MarketAnswer,
    exchange::{
        ClockMode, ExchangeHandle, ExchangeOptions, Scenario, SimulatorAccess, Speed, start,
    },
    model::Timestamp,
};
use std::time::Duration;
use tokio::{net::TcpListener, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Books that have to come after the fault.
const BOOKS: usize = 8;

/// An exchange that plants these faults of its streams, and what ends it.
async fn exchange(faults: &str) -> (u16, ExchangeHandle, DropGuard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let bare = include_str!("../../../../../tests/support/bare.toml");
    let stop = CancellationToken::new();
    let options = ExchangeOptions {
        scenario: Scenario::parse(&format!("warm_up_seconds = 0\n{bare}\n{faults}")).unwrap(),
        start: Timestamp(1_790_000_000_000),
        pace: Some(ClockMode::Live(Speed::REAL_TIME)),
        data_dir: None,
        simulator: SimulatorAccess::Served,
    };
    let handle = start(listener, options, stop.clone()).await.unwrap();
    (port, handle, stop.drop_guard())
}

/// Crossed and older books are never shown, and the book is there again within what the fault may take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_the_stream_of_an_exchange_does_books_go_on_and_none_is_wrong() {
    let (soon, after_renewal) = (Duration::from_secs(8), Duration::from_secs(20));
    let cases = [
        ("close", 2, soon),
        ("duplicate", 3, soon),
        ("reorder", 3, soon),
        ("drop", 3, soon),
        ("wrong_symbol", 3, soon),
        ("crossed_book", 3, soon),
        ("malformed_frame", 3, soon),
        ("draining", 2, soon),
        ("late_ack", 1, after_renewal),
        ("snapshot_missing", 1, after_renewal),
        ("stall", 1, after_renewal),
    ];
    let mut running = JoinSet::new();
    for (kind, count, limit) in cases {
        running.spawn(async move {
            let fault =
                format!("[[faults]]\nkind = \"{kind}\"\nchannel = \"books\"\ncount = {count}");
            let took = timeout(limit, books_go_on(kind, &fault)).await;
            assert!(took.is_ok(), "{kind}: no books within {limit:?}");
        });
    }
    running.join_all().await;
}

/// Returns once so many books have come that are right.
async fn books_go_on(kind: &str, fault: &str) {
    let (port, _handle, _stop) = exchange(fault).await;
    let mut desk = Desk::at(Some(port), None);
    wants_one_market(&desk);
    let (mut newest, mut seen) = (None, 0);
    while seen < BOOKS {
        let StreamNews::Markets { answers, .. } = desk.news().await else {
            continue;
        };
        let books = answers
            .into_iter()
            .filter_map(|(market, answer)| match answer {
                MarketAnswer::Book(Ok(Some(book))) => Some((market, book)),
                _ => None,
            });
        for (market, book) in books {
            assert_eq!(market, btc(), "{kind}");
            assert!(!book.value.is_crossed(), "{kind}");
            assert!(book.made_at >= newest, "{kind}: an older book");
            (newest, seen) = (book.made_at, seen + 1);
        }
    }
}
