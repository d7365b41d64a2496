//! Measures the journal: a command from intent to outcome, and the opening of a large journal.
//!
//! `cargo test --release --lib -- --ignored --nocapture journal::cost_tests`
#![expect(clippy::print_stderr, reason = "the figures are the result")]

use super::*;
use crate::model::{Risk, Timestamp};
use std::time::Duration;
use tokio::time::Instant;

fn intent(number: u32) -> Intent {
    Intent {
        base_url: "https://x.test".into(),
        account_id: "chal-1".into(),
        credential: "c0ffee".into(),
        method: "POST".into(),
        target: "/v1/orders".into(),
        body: br#"{"account_id":"chal-1","market_id":"paper|BTC","type":"limit","side":"buy","size":0.10,"limit_price":50000,"leverage":5,"margin_mode":"cross"}"#
            .to_vec(),
        key: Some(format!("00000000-0000-4000-8000-{number:012}").into()),
        risk: Risk::Increasing,
        command: "buy 0.10 BTC limit 50,000.0".into(),
        resource: None,
        parent: None,
        entry: None,
        replaces: None,
        deadline: Timestamp(30_000),
        replay_until: Timestamp(900_000),
    }
}

/// The median and the 95th percentile.
fn spread(mut took: Vec<Duration>) -> (Duration, Duration) {
    took.sort();
    (took[took.len() / 2], took[took.len() * 95 / 100])
}

#[test]
#[ignore = "measures: alone, in a release build"]
fn cost_of_a_command() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    let (mut intents, mut outcomes) = (vec![], vec![]);
    for number in 0..300 {
        let began = Instant::now();
        let id = journal.record(Timestamp(1), &intent(number)).unwrap();
        intents.push(began.elapsed());
        let began = Instant::now();
        let done = StateUpdate::new(IntentState::Done, "order o resting");
        journal.record_state(Timestamp(2), id, &done).unwrap();
        outcomes.push(began.elapsed());
    }
    let (intents, outcomes) = (spread(intents), spread(outcomes));
    eprintln!("an intent {intents:?}, an outcome {outcomes:?} (median, 95 of 100)");
}

#[test]
#[ignore = "measures: alone, in a release build"]
fn opening_time_of_a_large_journal() {
    for rows in [2_000, 10_000, 100_000] {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        let outcome = Outcome {
            at: Timestamp(2),
            detail: "order o resting".to_owned(),
            order_id: Some("ord_1".into()),
            request_id: None,
        };
        for number in 1..=rows {
            let row = IntentRow {
                id: IntentId(number.into()),
                created_at: Timestamp(1),
                intent: intent(number),
                attempts: vec![],
                maybe_executed: true,
                state: IntentState::Done,
                by: None,
                outcome: Some(outcome.clone()),
            };
            let record = record::Record::Intent(Box::new(row));
            journal.rows.as_mut().unwrap().apply(record);
        }
        journal.rewrite(|_| Some(())).unwrap();
        drop(journal);
        let size = dir.path().join("journal.jsonl").metadata().unwrap().len();
        let took = (0..5).map(|_| {
            let began = Instant::now();
            let journal = Journal::open(dir.path()).unwrap();
            let took = began.elapsed();
            assert!(journal.failure().is_none());
            took
        });
        let took = spread(took.collect());
        eprintln!("{rows} rows, {} MB: open in {took:?}", size >> 20);
    }
}
