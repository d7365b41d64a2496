//! A directory that cannot be gone on with is refused with its reason and left as it is; a record that cannot be
//! written is never answered as a success.

use crate::{durable::crashed, orders::place, support::Paper};
use perpdeck::exchange::{ExchangeOptions, Scenario, StartFault};
use rusqlite::Connection;
use serde_json::json;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

fn database(dir: &Path) -> PathBuf {
    dir.join("exchange.sqlite3")
}

/// A directory with an order in it, put away.
async fn put_away() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    assert_eq!(place(&paper, "k", json!({})).await.status, 201);
    paper.stop().await;
    dir
}

async fn refused(options: ExchangeOptions) -> String {
    let Err(StartFault::Store(why)) = Paper::started(options).await else {
        panic!("it was not refused")
    };
    why.to_string()
}

/// Refused for a reason that says `words`, with the file as it was.
async fn refused_and_left(dir: &Path, options: ExchangeOptions, words: &str) {
    let before = fs::read(database(dir)).unwrap();
    let why = refused(options).await;
    assert!(why.contains(words), "{why}");
    assert!(why.contains(&database(dir).display().to_string()), "{why}");
    assert!(fs::read(database(dir)).unwrap() == before, "it was changed");
}

#[tokio::test]
async fn only_its_owner_may_read_what_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("of/ann");
    let _paper = Paper::kept(&inside).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&inside), 0o700);
    for entry in fs::read_dir(&inside).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[tokio::test]
async fn two_exchanges_never_share_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    let why = refused(Paper::options(dir.path())).await;
    assert!(why.contains("another perpdeck"), "{why}");
    paper.stop().await;
    Paper::kept(dir.path()).await;
}

// A directory that was begun with `--seed` goes on with that seed when the flag is left out.
#[tokio::test]
async fn a_kept_seed_counts_where_none_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = Paper::options(dir.path());
    options.scenario = options.scenario.with_seed(7);
    let paper = Paper::started(options).await.unwrap();
    let markets = paper.get("/sim/markets").await.json();
    paper.stop().await;
    let paper = Paper::kept(dir.path()).await;
    assert_eq!(paper.get("/sim/markets").await.json(), markets);
}

#[tokio::test]
async fn another_seed_or_scenario_is_refused() {
    let dir = put_away().await;
    let mut options = Paper::options(dir.path());
    options.scenario = options.scenario.with_seed(7);
    refused_and_left(dir.path(), options, "seed 42, not 7").await;
    let text = include_str!("../support/bare.toml").replace("100000", "200000");
    let options = ExchangeOptions {
        scenario: Scenario::parse(&text).unwrap(),
        ..Paper::options(dir.path())
    };
    refused_and_left(dir.path(), options, "another scenario").await;
    let paper = Paper::kept(dir.path()).await;
    assert_eq!(place(&paper, "k", json!({})).await.status, 200);
}

#[tokio::test]
async fn another_format_and_another_program_s_file_are_refused() {
    let dir = put_away().await;
    let change = |sql| {
        Connection::open(database(dir.path()))
            .unwrap()
            .execute_batch(sql)
    };
    change("PRAGMA user_version = 99").unwrap();
    let options = || Paper::options(dir.path());
    refused_and_left(dir.path(), options(), "format 99").await;
    change("PRAGMA application_id = 0").unwrap();
    refused_and_left(dir.path(), options(), "does not hold a perpdeck exchange").await;
    fs::write(
        database(dir.path()),
        b"not a database at all, but long enough",
    )
    .unwrap();
    refused_and_left(dir.path(), options(), "damaged").await;
}

#[tokio::test]
async fn a_file_cut_short_or_changed_in_the_middle_is_refused() {
    let dir = put_away().await;
    let whole = fs::read(database(dir.path())).unwrap();
    fs::write(database(dir.path()), &whole[..whole.len() / 2]).unwrap();
    refused_and_left(dir.path(), Paper::options(dir.path()), "damaged").await;
    let tables = [
        ("core", "a record is not what was written"),
        ("chunks", "a record is not what was written"),
        ("keys", "a record is not what was written"),
    ];
    for (table, words) in tables {
        fs::write(database(dir.path()), &whole).unwrap();
        let other_byte = format!(
            "UPDATE {table} SET sealed = CAST(substr(sealed, 1, length(sealed) - 1) || x'7f' AS BLOB)"
        );
        Connection::open(database(dir.path()))
            .unwrap()
            .execute_batch(&other_byte)
            .unwrap();
        refused_and_left(dir.path(), Paper::options(dir.path()), words).await;
    }
    fs::write(database(dir.path()), &whole).unwrap();
    Paper::kept(dir.path()).await;
}

#[tokio::test]
async fn a_log_that_comes_to_another_history_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    for key in ["a", "b", "c"] {
        assert_eq!(place(&paper, key, json!({})).await.status, 201);
        paper.advance(500).await;
    }
    let copy = crashed(dir.path());
    let change = |sql| {
        Connection::open(database(copy.path()))
            .unwrap()
            .execute_batch(sql)
            .unwrap();
    };
    change("UPDATE log SET mark = mark + 1 WHERE seq = 2; PRAGMA wal_checkpoint(TRUNCATE)");
    refused_and_left(copy.path(), Paper::options(copy.path()), "from record 2 on").await;
    change("DELETE FROM log WHERE seq = 2; PRAGMA wal_checkpoint(TRUNCATE)");
    refused_and_left(
        copy.path(),
        Paper::options(copy.path()),
        "record 2 is missing",
    )
    .await;
}

#[tokio::test]
async fn what_could_not_be_written_is_not_answered_as_done_and_nothing_follows_it() {
    let dir = put_away().await;
    let plant = |sql| {
        Connection::open(database(dir.path()))
            .unwrap()
            .execute_batch(sql)
            .unwrap();
    };
    plant("CREATE TRIGGER full BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    let paper = Paper::kept(dir.path()).await;
    let known = place(&paper, "k", json!({})).await;
    assert_eq!(known.status, 200, "reads and replays need no write");
    paper.advance(500).await;
    let lost = place(&paper, "lost", json!({})).await;
    let (status, code, message) = lost.refusal();
    assert_eq!((status, code.as_str()), (503, "records_unavailable"));
    assert!(message.contains("start the exchange again"), "{message}");
    assert_eq!(lost.header("retry-after"), Some("5"));
    // Not even a read: the floor is ahead of the disk.
    assert_eq!(paper.get("/v1/orders?account_id=chal-1").await.status, 503);
    assert_eq!(place(&paper, "next", json!({})).await.status, 503);
    let why = paper.handle.failed().await;
    assert!(why.to_string().contains("writing"), "{why}");
    paper.stop().await;
    plant("DROP TRIGGER full");
    let again = Paper::kept(dir.path()).await;
    again.advance(500).await;
    let orders = again.get("/v1/orders?account_id=chal-1").await.json();
    assert_eq!(orders["data"].as_array().unwrap().len(), 1);
    assert_eq!(place(&again, "lost", json!({})).await.status, 201);
}
