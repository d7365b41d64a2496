//! Measures the journal: a commit with and without its ring slot, and the opening of a large journal.
//!
//! `cargo test --release --lib -- --ignored --nocapture journal::transaction::cost_tests`
#![expect(clippy::print_stderr, reason = "the figures are the result")]

use super::*;
use crate::{
    journal::{Intent, IntentState, Journal, Outcome},
    model::{Risk, Timestamp},
};
use std::{path::Path, time::Duration};
use tokio::time::Instant;

fn intent(key: &str) -> Intent {
    Intent {
        base_url: "https://x.test".into(),
        account_id: "chal-1".into(),
        credential: "c0ffee".into(),
        method: "POST".into(),
        target: "/v1/orders".into(),
        body: br#"{"account_id":"chal-1","market_id":"paper|BTC","type":"limit","side":"buy","size":0.10,"limit_price":50000,"leverage":5,"margin_mode":"cross"}"#
            .to_vec(),
        key: Some(key.into()),
        risk: Risk::Increasing,
        command: "buy 0.10 BTC limit 50,000.0".into(),
        resource: None,
        parent: None,
        deadline: Timestamp(30_000),
        replay_until: Timestamp(900_000),
    }
}

fn put(
    transaction: &mut WriteTransaction<'_>,
    number: u32,
    state: IntentState,
) -> rusqlite::Result<IntentId> {
    let intent = intent(&format!("00000000-0000-4000-8000-{number:012}"));
    let outcome = Outcome {
        at: Timestamp(2),
        detail: "order o resting".to_owned(),
        order_id: Some(format!("ord_{number}").into()),
        request_id: None,
    };
    let row = NewRow {
        state,
        outcome: Some(&outcome),
        ..NewRow::inflight(Timestamp(1), &intent)
    };
    Ok(transaction.insert(&row)?.unwrap())
}

/// A command whose outcome stays unknown for long.
pub(in crate::journal) const OPEN: u32 = 50;

/// A journal on the disk with this many settled commands, one attempt each, and an old one that is open.
pub(in crate::journal) fn fill(dir: &Path, rows: u32) {
    let mut journal = Journal::open(dir).unwrap();
    let database = journal.database.as_mut().unwrap();
    for start in (0..rows).step_by(10_000) {
        let behaviour = TransactionBehavior::Immediate;
        let commit = Transaction::new_unchecked(&database.connection, behaviour).unwrap();
        let mut transaction = write_transaction(database);
        for number in start + 1..=rows.min(start + 10_000) {
            let is_open = number == OPEN;
            let state = if is_open {
                IntentState::Unknown
            } else {
                IntentState::Done
            };
            let id = put(&mut transaction, number, state).unwrap();
            let attempt = "INSERT INTO attempts VALUES (?1, 1, 2, 200, NULL)";
            let mut attempt = database.connection.prepare_cached(attempt).unwrap();
            attempt.execute([id.0]).unwrap();
            transaction.renew(id.0).unwrap();
        }
        commit.commit().unwrap();
    }
    let identity = database.identity;
    let slots = newest_slots(&database.connection, &identity, 128).unwrap();
    database.ring = Some(Ring::replace(dir, &slots).unwrap());
}

fn write_transaction(database: &Database) -> WriteTransaction<'_> {
    WriteTransaction {
        connection: &database.connection,
        identity: database.identity,
        rows: BTreeSet::new(),
    }
}

/// The median and the 95th percentile of a hundred.
fn spread(mut took: Vec<Duration>) -> (Duration, Duration) {
    took.sort();
    (took[took.len() / 2], took[took.len() * 95 / 100])
}

#[test]
#[ignore = "measures: alone, in a release build"]
fn cost_of_a_commit_with_and_without_the_slot() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    let database = journal.database.as_mut().unwrap();
    for round in 0..2 {
        let (mut with, mut without) = (vec![], vec![]);
        for at in 0..300 {
            let number = round * 1_000 + at;
            let began = Instant::now();
            let id = database.write(|transaction| put(transaction, number, IntentState::Inflight));
            with.push(began.elapsed());
            let id = id.unwrap().0;
            let settle = "UPDATE intents SET state = 'done' WHERE id = ?1";
            database
                .write(|transaction| transaction.update(settle, [id]))
                .unwrap();

            let began = Instant::now();
            let behaviour = TransactionBehavior::Immediate;
            let commit = Transaction::new_unchecked(&database.connection, behaviour).unwrap();
            put(
                &mut write_transaction(database),
                number + 500_000,
                IntentState::Done,
            )
            .unwrap();
            commit.commit().unwrap();
            without.push(began.elapsed());
        }
        eprintln!(
            "a commit with its slot {:?}, without {:?} (median, 95 of 100)",
            spread(with),
            spread(without)
        );
    }
}

#[test]
#[ignore = "measures: alone, in a release build"]
fn opening_time_of_a_large_journal() {
    for rows in [1_000, 10_000, 100_000] {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path(), rows);
        let size = std::fs::metadata(dir.path().join("journal.sqlite3")).unwrap();
        let took = (0..5).map(|_| {
            let began = Instant::now();
            let journal = Journal::open(dir.path()).unwrap();
            let took = began.elapsed();
            assert_eq!(
                (journal.damage(), journal.failure().is_none()),
                (None, true)
            );
            took
        });
        let took = spread(took.collect());
        eprintln!("{rows} rows, {} MB: open in {took:?}", size.len() >> 20);
    }
}
