use super::*;
use crate::model::{CancelResult, FailureKind, Risk};
use std::fs;
use tempfile::TempDir;

fn place() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn intent(key: &str) -> Intent {
    Intent {
        base_url: "https://x.test".into(),
        account_id: "chal-1".into(),
        method: "POST".into(),
        target: "/v1/orders".into(),
        body: br#"{"size":0.10}"#.to_vec(),
        key: Some(key.into()),
        risk: Risk::Increasing,
        command: "buy 0.10 BTC market".into(),
    }
}

#[test]
fn an_intent_is_found_again_byte_for_byte_after_a_restart() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let first = journal.record(Timestamp(1), &intent("a")).unwrap();
    let second = journal.record(Timestamp(2), &intent("b")).unwrap();
    let why = Failure::new(FailureKind::TimedOut, "no answer");
    journal.attempt(Timestamp(3), first, 1, Some(&why)).unwrap();
    journal.attempt(Timestamp(4), first, 2, None).unwrap();
    let receipt = Receipt::Cancel(CancelResult {
        id: "o-1".into(),
        canceled: false,
        queued: true,
    });
    journal.outcome(Timestamp(5), first, &Ok(receipt)).unwrap();
    drop(journal);

    let journal = Journal::open(dir.path()).unwrap();
    let settled = Entry {
        id: first,
        created_at: Timestamp(1),
        intent: intent("a"),
        attempts: 2,
        outcome: Some(Outcome {
            at: Timestamp(5),
            state: State::Done,
            detail: "cancel of order o-1 queued".into(),
            order_id: Some("o-1".into()),
            request_id: None,
        }),
    };
    let open = Entry {
        id: second,
        created_at: Timestamp(2),
        intent: intent("b"),
        attempts: 0,
        outcome: None,
    };
    assert_eq!(journal.recent(10).unwrap(), [open.clone(), settled]);
    assert_eq!(journal.recent(1).unwrap(), std::slice::from_ref(&open));
    assert_eq!(journal.open_intents().unwrap(), [open]);
}

#[test]
fn a_doubt_stays_open_until_it_is_settled() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    let mut settle = |kind, at| {
        let result = Err(Failure::new(kind, "why"));
        journal.outcome(Timestamp(at), id, &result).unwrap();
        journal.open_intents().unwrap().len()
    };
    assert_eq!(settle(FailureKind::Unknown, 2), 1);
    assert_eq!(settle(FailureKind::Invalid, 3), 0);
}

#[test]
fn every_commit_is_synced_and_only_the_owner_may_read() {
    let dir = place();
    let inner = dir.path().join("state/perpdeck");
    let journal = Journal::open(&inner).unwrap();
    let pragma = |name| -> String {
        let value: rusqlite::types::Value = journal
            .connection
            .pragma_query_value(None, name, |row| row.get(0))
            .unwrap();
        format!("{value:?}")
    };
    assert_eq!(pragma("journal_mode"), r#"Text("wal")"#);
    assert_eq!(pragma("synchronous"), "Integer(2)");
    assert_eq!(pragma("locking_mode"), r#"Text("exclusive")"#);
    #[cfg(unix)]
    for (path, mode) in [
        (inner.clone(), 0o700),
        (inner.join("journal.sqlite3"), 0o600),
        (inner.join("journal.sqlite3-wal"), 0o600),
        (inner.join("journal.lock"), 0o600),
    ] {
        use std::os::unix::fs::PermissionsExt;
        let found = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{}", path.display());
    }
}

#[test]
fn a_second_desk_is_told_that_the_first_one_holds_the_journal() {
    let dir = place();
    let first = Journal::open(dir.path()).unwrap();
    let second = Journal::open(dir.path()).unwrap_err();
    assert!(matches!(second, JournalError::Held(_)), "{second}");
    drop(first);
    assert!(Journal::open(dir.path()).is_ok());
}

#[test]
fn a_journal_of_a_newer_desk_is_refused_and_kept() {
    let dir = place();
    drop(Journal::open(dir.path()).unwrap());
    let path = dir.path().join("journal.sqlite3");
    let raw = Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    raw.close().unwrap();
    let before = fs::read(&path).unwrap();
    let refused = Journal::open(dir.path()).unwrap_err();
    assert!(refused.to_string().contains("newer perpdeck (version 99"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_damaged_journal_is_refused_and_kept() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    for n in 0..200 {
        journal
            .record(Timestamp(n), &intent(&n.to_string()))
            .unwrap();
    }
    drop(journal);
    let path = dir.path().join("journal.sqlite3");
    let whole = fs::read(&path).unwrap();
    let mut holed = whole.clone();
    holed[4096..9000].fill(0xa5);
    for damaged in [b"not a database at all, surely".repeat(20), holed] {
        fs::write(&path, &damaged).unwrap();
        let refused = Journal::open(dir.path()).unwrap_err();
        assert!(matches!(refused, JournalError::Damaged { .. }), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), damaged);
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(
        Journal::open(dir.path())
            .unwrap()
            .recent(500)
            .unwrap()
            .len(),
        200
    );
}

#[test]
fn after_one_failed_write_nothing_more_is_taken() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    let again = journal.record(Timestamp(2), &intent("a")).unwrap_err();
    assert!(matches!(again, JournalError::Write(_)), "{again}");
    let other = journal.record(Timestamp(3), &intent("b")).unwrap_err();
    assert_eq!(other.to_string(), again.to_string());
    assert!(journal.attempt(Timestamp(4), id, 1, None).is_err());
    assert!(journal.failure().is_some());
    drop(journal);
    assert!(Journal::open(dir.path()).unwrap().failure().is_none());
}
