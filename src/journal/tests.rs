use super::*;
use crate::{
    disk::{LogError, Reserve},
    model::{
        AccountId, CancelResult, Failure, FailureKind, OrderStatus, Proof, Receipt, Risk, Timestamp,
    },
};
use std::{fs, path::Path, time::Duration};
use tempfile::TempDir;

fn place() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn intent(key: &str) -> Intent {
    Intent {
        base_url: "https://x.test".into(),
        account_id: "chal-1".into(),
        credential: "c0ffee".into(),
        method: "POST".into(),
        target: "/v1/orders".into(),
        body: br#"{"size":0.10}"#.to_vec(),
        key: Some(key.into()),
        risk: Risk::Increasing,
        command: "buy 0.10 BTC market".into(),
        resource: None,
        parent: None,
        entry: None,
        replaces: None,
        deadline: Timestamp(30_000),
        replay_until: Timestamp(900_000),
    }
}

fn entry(id: IntentId, at: i64, key: &str) -> IntentRow {
    IntentRow {
        id,
        created_at: Timestamp(at),
        intent: intent(key),
        attempts: vec![],
        maybe_executed: true,
        state: IntentState::Inflight,
        by: None,
        outcome: None,
    }
}

/// Whoever wrote them.
fn anonymous(rows: Vec<IntentRow>) -> Vec<IntentRow> {
    let rows = rows.into_iter();
    rows.map(|row| IntentRow { by: None, ..row }).collect()
}

fn check(given_at: i64) -> ClaimCheck {
    ClaimCheck {
        given_at: Timestamp(given_at),
        unread: IntentId::default(),
        close_all: "/v1/close-all".into(),
        waits: true,
        orders_per_second: 0,
    }
}

const HERE: &str = "https://x.test";

impl Journal {
    /// Records it, whatever is in the way.
    pub(crate) fn record(
        &mut self,
        now: Timestamp,
        intent: &Intent,
    ) -> Result<IntentId, JournalError> {
        self.update(|rows, own| write::new(rows, own, now, intent))
    }
}

#[test]
fn an_intent_is_found_again_byte_for_byte_after_a_restart() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let first = journal.record(Timestamp(1), &intent("a")).unwrap();
    let second = journal.record(Timestamp(2), &intent("b")).unwrap();
    let why = Failure::new(FailureKind::TimedOut, "no answer");
    journal.attempt(Timestamp(3), first, Some(&why)).unwrap();
    journal.attempt(Timestamp(4), first, None).unwrap();
    let receipt = Receipt::Cancel(CancelResult {
        id: "o-1".into(),
        canceled: true,
        queued: false,
    });
    let done = StateUpdate::of(&Ok(receipt));
    journal.record_state(Timestamp(5), first, &done).unwrap();
    drop(journal);

    let journal = Journal::open(dir.path()).unwrap();
    let ended = |at, detail: Option<&str>| AttemptRow {
        ended_at: Timestamp(at),
        status: None,
        detail: detail.map(str::to_owned),
    };
    let settled = IntentRow {
        attempts: vec![ended(3, Some(&why.to_string())), ended(4, None)],
        state: IntentState::Done,
        outcome: Some(Outcome {
            at: Timestamp(5),
            detail: "order o-1 canceled".into(),
            order_id: Some("o-1".into()),
            request_id: None,
        }),
        ..entry(first, 1, "a")
    };
    let open = entry(second, 2, "b");
    let recent = |limit| anonymous(journal.recent(limit).unwrap());
    assert_eq!(recent(10), [open.clone(), settled.clone()]);
    assert_eq!(recent(1), std::slice::from_ref(&open));
    assert_eq!(anonymous(journal.open_intents().unwrap()), [open]);
    let row = journal.entry(first).unwrap().unwrap();
    assert_eq!(anonymous(vec![row]), [settled]);
}

#[test]
fn a_doubt_stays_open_until_it_is_settled() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    let mut tell = |proves, at| {
        let why = Failure {
            proves,
            ..Failure::new(FailureKind::Unavailable, "why")
        };
        let update = StateUpdate::of(&Err(why));
        journal.record_state(Timestamp(at), id, &update).unwrap();
        let entry = journal.entry(id).unwrap().unwrap();
        (journal.open_intents().unwrap().len(), entry.maybe_executed)
    };
    assert_eq!(tell(Proof::Nothing, 2), (1, true));
    assert_eq!(tell(Proof::Refused, 3), (0, false));
}

#[test]
fn a_key_that_was_used_is_known_and_what_is_done_stays_done_with_its_order() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let Claim::New(id) = journal
        .claim(Timestamp(1), &intent("a"), &check(1))
        .unwrap()
    else {
        panic!("nothing has used it");
    };
    let done = StateUpdate {
        order_id: Some("o-1".into()),
        ..StateUpdate::new(IntentState::Done, "order o-1 resting")
    };
    journal.record_state(Timestamp(2), id, &done).unwrap();
    let known = journal
        .claim(Timestamp(3), &intent("a"), &check(3))
        .unwrap();
    assert!(matches!(&known, Claim::Known(entry) if entry.id == id));
    journal.mark_inflight(id).unwrap();
    journal.mark_prepared(id).unwrap();
    let doubt = StateUpdate::new(IntentState::Unknown, "no answer");
    journal.record_state(Timestamp(4), id, &doubt).unwrap();
    assert_eq!(
        journal
            .claim(Timestamp(5), &intent("a"), &check(5))
            .unwrap(),
        known,
        "as it was"
    );
    assert!(journal.failure().is_none());
}

#[test]
fn what_was_lately_asked_of_an_account_is_what_may_have_had_an_effect_there() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let mut sent = |key: &str, account: &str, told: Option<IntentState>| {
        let intent = Intent {
            account_id: account.into(),
            ..intent(key)
        };
        let id = journal.record(Timestamp(1), &intent).unwrap();
        journal.mark_inflight(id).unwrap();
        if let Some(state) = told {
            let update = StateUpdate::new(state, "told".to_owned());
            journal.record_state(Timestamp(2), id, &update).unwrap();
        }
    };
    sent("filled", "chal-1", Some(IntentState::Done));
    sent("refused", "chal-1", Some(IntentState::Rejected));
    sent("unknown", "chal-1", Some(IntentState::Abandoned));
    sent("under way", "chal-1", None);
    sent("elsewhere", "chal-2", None);
    let recent = |limit| {
        let on = ("https://x.test", &AccountId::from("chal-1"));
        let found = journal.recent_on(on, limit).unwrap().into_iter();
        found
            .filter_map(|entry| Some(entry.intent.key?.raw().to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(recent(10), ["under way", "unknown", "filled"]);
    assert_eq!(recent(1), ["under way"], "others take no room");
}

#[test]
fn what_surely_never_left_is_not_counted_as_sent() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    let mut seen = vec![];
    let mut look = |journal: &Journal| {
        let entry = journal.entry(id).unwrap().unwrap();
        seen.push((entry.state, entry.maybe_executed));
    };
    look(&journal);
    journal.mark_prepared(id).unwrap();
    look(&journal);
    journal.mark_inflight(id).unwrap();
    look(&journal);
    let expected = [
        (IntentState::Inflight, true),
        (IntentState::Prepared, false),
        (IntentState::Inflight, true),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_key_has_one_fingerprint_per_journal_and_never_stands_in_it() {
    let (dir, other) = (place(), place());
    let journal = Journal::open(dir.path()).unwrap();
    let print = journal.fingerprint("pd_live_secret").unwrap();
    assert_eq!(print.len(), 16);
    assert_eq!(print, journal.fingerprint("pd_live_secret").unwrap());
    assert_ne!(print, journal.fingerprint("pd_live_other").unwrap());
    let elsewhere = Journal::open(other.path()).unwrap();
    assert_ne!(print, elsewhere.fingerprint("pd_live_secret").unwrap());
}

#[test]
fn who_only_reads_sees_what_is_there_and_writes_nothing() {
    let dir = place();
    let mut first = Journal::open(dir.path()).unwrap();
    first.record(Timestamp(1), &intent("a")).unwrap();
    let look = || Journal::open_read_only(dir.path()).unwrap();
    assert_eq!(look().recent(9).unwrap().len(), 1);
    first.record(Timestamp(2), &intent("b")).unwrap();
    let mut second = look();
    assert_eq!(
        (second.recent(9).unwrap().len(), second.damage()),
        (2, None)
    );
    let refused = second.record(Timestamp(3), &intent("c")).unwrap_err();
    assert!(
        matches!(refused, JournalError::ReadOnly { .. }),
        "{refused}"
    );
}

#[test]
fn a_process_that_has_the_journal_open_is_found_until_it_ends() {
    let dir = place();
    let journal = Journal::open(dir.path()).unwrap();
    let found = || {
        let found = writer_processes(dir.path()).into_iter();
        let found = found.map(|found| (found.number, found.listens));
        found.collect::<Vec<_>>()
    };
    let here = std::process::id();
    assert_eq!(found(), [(here, false)]);
    journal.announce();
    assert_eq!(found(), [(here, true)]);
    let other = Journal::open(dir.path()).unwrap();
    assert_eq!(found().len(), 2);
    drop((journal, other));
    assert_eq!(found(), []);
}

#[test]
fn only_the_owner_may_read_any_of_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = place();
    let inner = dir.path().join("state/perpdeck");
    let _journal = Journal::open(&inner).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&inner), 0o700);
    for name in ["journal.jsonl", "journal.newest", "halted"] {
        assert_eq!(mode(&inner.join(name)), 0o600, "{name}");
    }
    let writers = inner.join("writers");
    assert_eq!(mode(&writers), 0o700);
    for file in fs::read_dir(writers).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn a_link_or_a_fifo_in_the_place_of_a_file_of_the_journal_is_refused_and_not_followed() {
    for name in ["journal.jsonl", "journal.newest", "halted"] {
        let (dir, elsewhere) = (place(), place());
        let precious = elsewhere.path().join("precious");
        fs::write(&precious, "kept").unwrap();
        let path = dir.path().join(name);
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        let why = Journal::open(dir.path()).unwrap_err().to_string();
        let words = format!(
            "{name} is a symbolic link, and is not followed: run rm '{}'",
            path.display()
        );
        assert!(why.contains(&words), "{why}");
        assert_eq!(fs::read(&precious).unwrap(), b"kept");
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let why = Journal::open(dir.path()).unwrap_err().to_string();
        assert!(why.contains(&format!("{name} is a FIFO")), "{why}");
    }
}

#[test]
fn a_journal_of_a_newer_desk_is_refused_and_kept() {
    let dir = place();
    let path = dir.path().join("journal.jsonl");
    let newer: [(&'static str, &str); 2] = [
        ("perpdeck journal 2", "{\"halt\":1}"),
        ("perpdeck journal 1", "{\"halt\":1}"),
    ];
    for (format, record) in newer {
        let _old = fs::remove_dir_all(dir.path());
        fs::create_dir(dir.path()).unwrap();
        let (mut log, _) = crate::disk::Log::open(&path, format, &mut |_| ()).unwrap();
        let mut locked = log.lock(&mut |_| ()).unwrap();
        locked
            .append(record, Reserve::Keep, crate::disk::Mark::Synced)
            .unwrap();
        drop(locked);
        let before = fs::read(&path).unwrap();
        let refused = Journal::open(dir.path()).unwrap_err().to_string();
        assert!(refused.contains("newer perpdeck"), "{refused}");
        assert!(Journal::open_read_only(dir.path()).is_err());
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn what_a_newer_desk_records_meanwhile_is_not_pruned_away() {
    let dir = place();
    let path = dir.path().join("journal.jsonl");
    let mut journal = Journal::open(dir.path()).unwrap();
    let past = Intent {
        replay_until: Timestamp(1),
        ..intent("a")
    };
    let id = journal.record(Timestamp(1), &past).unwrap();
    let done = StateUpdate::new(IntentState::Done, "so");
    journal.record_state(Timestamp(1), id, &done).unwrap();
    journal.record(Timestamp(9_000), &intent("b")).unwrap();
    let (mut log, _) = crate::disk::Log::open(&path, "perpdeck journal 1", &mut |_| ()).unwrap();
    let mut locked = log.lock(&mut |_| ()).unwrap();
    locked
        .append("{\"halt\":1}", Reserve::Keep, crate::disk::Mark::Synced)
        .unwrap();
    drop(locked);
    let before = fs::read(&path).unwrap();
    let refused = journal.prune(Timestamp(9_000), Duration::ZERO).unwrap_err();
    assert!(matches!(refused, JournalError::Newer { .. }), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

impl Journal {
    /// The disk fails after so many more records.
    pub(crate) fn break_disk_after(&mut self, records: u32) {
        self.log.as_mut().unwrap().breaks = Some(records);
    }

    /// From now on the disk has no more free space.
    pub(crate) fn fill_disk(&mut self) {
        self.log.as_mut().unwrap().is_full = true;
    }

    /// As [`Journal::open`] opens it on a disk without room for a log.
    pub(crate) fn open_without_room(dir: &Path) -> Result<Self, JournalError> {
        Self::on(dir, |_, _| Err(LogError::Full))
    }
}

#[test]
fn on_a_full_disk_no_entry_is_recorded_and_every_exit_is() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    journal.fill_disk();
    let big = Intent {
        body: vec![b'x'; 100_000],
        ..intent("a")
    };
    let full = journal.record(Timestamp(1), &big).unwrap_err();
    assert!(full.to_string().contains("full"), "{full}");
    let exit = Intent {
        risk: Risk::Reducing,
        ..intent("b")
    };
    let id = journal.record(Timestamp(2), &exit).unwrap();
    journal.attempt(Timestamp(3), id, None).unwrap();
    let halts = journal.halts().clone();
    halts.halt(HERE, &"chal-1".into(), "full").unwrap();
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    let keys = journal
        .recent(9)
        .unwrap()
        .into_iter()
        .map(|row| row.intent.key);
    assert_eq!(keys.collect::<Vec<_>>(), [Some("b".into())]);
    let halted = journal.halts().of(HERE, &"chal-1".into());
    assert_eq!(halted.as_deref(), Some("full"));
}

#[test]
fn an_id_and_a_body_of_any_length_are_read_as_they_were_recorded() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let long = Intent {
        account_id: "a".repeat(4_000).into(),
        key: Some("k\n\"\u{2028}".repeat(100).into()),
        body: "{\"note\":\"\\u0000 \u{1F600}\"}"
            .repeat(3_000)
            .into_bytes(),
        deadline: Timestamp(7),
        replay_until: Timestamp(i64::MAX),
        ..intent("")
    };
    let id = journal.record(Timestamp(i64::MIN), &long).unwrap();
    let update = StateUpdate {
        request_id: Some("r".repeat(2_000).into()),
        ..StateUpdate::new(IntentState::Parked, "told")
    };
    journal.record_state(Timestamp(3), id, &update).unwrap();
    let before = journal.recent(9).unwrap();
    drop(journal);
    assert_eq!(
        Journal::open(dir.path()).unwrap().recent(9).unwrap(),
        before
    );
}

#[test]
fn a_journal_that_was_deleted_while_it_is_open_takes_nothing_more_and_says_so() {
    let hurts: [fn(&Path); 3] = [
        |dir| std::fs::remove_dir_all(dir).unwrap(),
        |dir| std::fs::remove_file(dir.join("journal.jsonl")).unwrap(),
        |dir| {
            std::fs::remove_dir_all(dir).unwrap();
            drop(Journal::open(dir).unwrap());
        },
    ];
    for hurt in hurts {
        let home = place();
        let dir = home.path().join("state");
        let mut journal = Journal::open(&dir).unwrap();
        let id = journal.record(Timestamp(1), &intent("a")).unwrap();
        hurt(&dir);
        let gone = journal.record(Timestamp(2), &intent("b")).unwrap_err();
        let words = gone.to_string();
        assert!(
            words.contains("was deleted while perpdeck used it"),
            "{words}"
        );
        assert!(words.contains("start perpdeck again"), "{words}");
        assert!(journal.attempt(Timestamp(3), id, None).is_err());
        assert!(journal.failure().is_some());
    }
}

#[test]
fn after_one_failed_write_nothing_more_is_taken() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    let used = journal.claim(Timestamp(2), &intent("a"), &check(1));
    let known = |claim: &Claim| matches!(claim, Claim::Known(known) if known.id == id);
    assert!(used.is_ok_and(|claim| known(&claim)) && journal.failure().is_none());
    journal.break_disk_after(0);
    let again = journal.record(Timestamp(2), &intent("c")).unwrap_err();
    assert!(matches!(again, JournalError::Write(_)), "{again}");
    let other = journal.record(Timestamp(3), &intent("b")).unwrap_err();
    assert_eq!(other.to_string(), again.to_string());
    assert!(journal.attempt(Timestamp(4), id, None).is_err());
    assert!(journal.failure().is_some());
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    assert!(journal.failure().is_none());
    let halted = journal.halts().of(HERE, &"chal-1".into());
    assert_eq!(halted, Some(other.to_string()), "over the restart");
}

#[test]
fn what_was_written_by_a_clock_ahead_of_this_one_is_not_sent_again_by_itself() {
    let minutes = |n: i64| Timestamp(n * 60_000);
    let entry = entry(IntentId(1), minutes(10).0, "a");
    for (now, is_replayable) in [(4, false), (5, true), (10, true), (14, true), (15, false)] {
        assert_eq!(entry.is_replayable(minutes(now)), is_replayable, "{now}");
    }
}

#[test]
fn a_flatten_that_proved_flat_leaves_nothing_to_do_of_what_was_to_end_something_before_it() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let mut asked = |command: &str, risk, account: &str, parent| {
        let intent = Intent {
            key: None,
            account_id: account.into(),
            command: command.to_owned(),
            risk,
            parent,
            ..intent("")
        };
        journal.record(Timestamp(1), &intent).unwrap()
    };
    let (here, none) = ("chal-1", None);
    let older = asked("an older flatten", Risk::Reducing, here, none);
    asked("its close-all", Risk::Reducing, here, Some(older));
    asked("a cancel", Risk::Neutral, here, none);
    asked("an order", Risk::Increasing, here, none);
    asked(
        "another account's close-all",
        Risk::Reducing,
        "chal-2",
        none,
    );
    let deed = asked("the flatten", Risk::Reducing, here, none);
    asked("its cancel", Risk::Neutral, here, Some(deed));
    asked("a later close", Risk::Reducing, here, none);
    journal.abandon_parts(Timestamp(2), deed).unwrap();
    let open = journal.open_intents().unwrap().into_iter().rev();
    let open: Vec<_> = open.map(|row| row.intent.command).collect();
    let left = [
        "an order",
        "another account's close-all",
        "the flatten",
        "a later close",
    ];
    assert_eq!(open, left);
}

#[test]
fn what_was_settled_long_ago_is_forgotten_and_nothing_that_could_still_matter_is() {
    const DAY: i64 = 86_400_000;
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let mut at = |day: i64, key: &str, parent: Option<IntentId>, state: Option<IntentState>| {
        let (day, known) = (Timestamp(day * DAY), key == "known");
        let intent = Intent {
            parent,
            replay_until: if known { Timestamp(999 * DAY) } else { day },
            ..intent(key)
        };
        let id = journal.record(day, &intent).unwrap();
        journal.attempt(day, id, None).unwrap();
        if let Some(state) = state {
            journal
                .record_state(day, id, &StateUpdate::new(state, "so"))
                .unwrap();
        }
        id
    };
    let done = Some(IntentState::Done);
    at(1, "old", None, done);
    at(1, "refused", None, Some(IntentState::Rejected));
    let open = at(2, "open", None, None);
    let known = at(2, "known", None, done);
    let over = at(3, "flatten", None, done);
    at(3, "its close-all", Some(over), done);
    let deed = at(3, "another flatten", None, Some(IntentState::Abandoned));
    let part = at(3, "its cancel", Some(deed), Some(IntentState::Parked));
    let young = at(60, "young", None, done);
    let newest = at(100, "newest", None, done);

    let keep = Duration::from_hours(90 * 24);
    // The newest row counts, even with a clock that is years ahead.
    let gone = [100, 100, 9_000].map(|day| journal.prune(Timestamp(day * DAY), keep).unwrap());
    assert_eq!(
        gone,
        [4, 0, 1],
        "and the key that was known, once it is not any more"
    );
    let kept: Vec<_> = journal
        .recent(99)
        .unwrap()
        .iter()
        .map(|row| row.id)
        .collect();
    assert_eq!(kept, [newest, young, part, deed, open]);
    assert!(!kept.contains(&known));
    let before: Vec<_> = journal.recent_before(part, 1).unwrap();
    assert_eq!(before[0].id, deed, "the list goes on behind what was seen");
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!(journal.recent(99).unwrap().len(), 5, "a sound journal");
    assert!(
        journal
            .recent(99)
            .unwrap()
            .iter()
            .all(|row| row.attempts.len() == 1)
    );
}

#[test]
fn a_file_much_longer_than_its_rows_is_written_anew_with_one_line_for_each() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    for _ in 0..1_100 {
        journal.attempt(Timestamp(2), id, None).unwrap();
    }
    let done = StateUpdate::new(IntentState::Done, "order o resting");
    journal.record_state(Timestamp(3), id, &done).unwrap();
    let before = journal.recent(99).unwrap();
    assert_eq!(journal.prune(Timestamp(4), Duration::MAX).unwrap(), 0);
    let lines = || {
        let text = fs::read_to_string(dir.path().join("journal.jsonl")).unwrap();
        text.trim_end().lines().count()
    };
    assert_eq!(lines(), 3, "the format, the salt and the row");
    assert_eq!(journal.prune(Timestamp(4), Duration::MAX).unwrap(), 0);
    journal.record(Timestamp(5), &intent("b")).unwrap();
    assert_eq!(lines(), 4, "and it is not written anew again");
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!(journal.recent(99).unwrap()[1..], before[..]);
}

#[test]
fn a_row_of_an_earlier_session_reads_and_changes_as_one_of_this_session() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let done = settled_at(&mut journal, 1, "a \"quoted\" key", "chal-1");
    let refused = journal.record(Timestamp(2), &intent("b")).unwrap();
    let update = StateUpdate::new(IntentState::Rejected, "no");
    journal
        .record_state(Timestamp(3), refused, &update)
        .unwrap();
    let open = journal.record(Timestamp(4), &intent("c")).unwrap();
    journal.rewrite(|_| Some(())).unwrap();
    let read = |journal: &Journal| {
        let (at, account) = ((Timestamp(9), IntentId(99)), "chal-1".into());
        (
            journal.recent(99).unwrap(),
            journal.open_intents().unwrap(),
            journal.by_key(&"a \"quoted\" key".into()).unwrap(),
            journal.settled("https://x.test", &account, at, 99).unwrap(),
        )
    };
    let here = read(&journal);
    drop(journal);
    let mut journal = Journal::open(dir.path()).unwrap();
    let rows = &journal.rows.as_ref().unwrap().by_id;
    let is_text = |id| matches!(rows[&id], row::Row::Settled(_));
    assert_eq!([done, refused, open].map(is_text), [true, true, false]);
    assert_eq!(read(&journal), here);
    // A repetition under its key.
    journal.attempt(Timestamp(5), refused, None).unwrap();
    let update = StateUpdate::new(IntentState::Done, "order o resting");
    journal
        .record_state(Timestamp(6), refused, &update)
        .unwrap();
    let row = journal.entry(refused).unwrap().unwrap();
    assert_eq!((row.state, row.attempts.len()), (IntentState::Done, 1));
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!(journal.entry(refused).unwrap().unwrap(), row);
}

fn settled_at(journal: &mut Journal, at: i64, key: &str, account: &str) -> IntentId {
    let intent = Intent {
        account_id: account.into(),
        ..intent(key)
    };
    let id = journal.record(Timestamp(at), &intent).unwrap();
    let done = StateUpdate {
        order_id: Some("o-1".into()),
        ..StateUpdate::new(
            IntentState::Done,
            "order o-1 resting; DIFFERS FROM THE REQUEST: size",
        )
    };
    journal.record_state(Timestamp(at), id, &done).unwrap();
    id
}

#[test]
fn what_was_settled_on_an_account_is_read_page_by_page_the_latest_first() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let late = journal.record(Timestamp(1), &intent("late")).unwrap();
    for at in 2..=4 {
        settled_at(&mut journal, at, &format!("own-{at}"), "chal-1");
        settled_at(&mut journal, at, &format!("other-{at}"), "chal-2");
    }
    journal.record(Timestamp(5), &intent("open")).unwrap();
    let why = Failure::new(FailureKind::TimedOut, "no answer");
    journal.attempt(Timestamp(8), late, Some(&why)).unwrap();
    journal.attempt(Timestamp(9), late, None).unwrap();
    let no = StateUpdate::new(IntentState::Abandoned, "given up");
    journal.record_state(Timestamp(9), late, &no).unwrap();
    let read = |before, limit| {
        let rows = journal.settled("https://x.test", &"chal-1".into(), before, limit);
        rows.unwrap()
    };
    let keys = |rows: &[IntentRow]| -> Vec<String> {
        let keys = rows.iter().filter_map(|row| row.intent.key.as_ref());
        keys.map(|key| key.raw().to_owned()).collect()
    };
    let first = read((Timestamp(i64::MAX), IntentId(i64::MAX)), 2);
    assert_eq!(keys(&first), ["late", "own-4"], "by when it was told");
    let ended: Vec<_> = first[0]
        .attempts
        .iter()
        .map(|a| (a.ended_at.0, a.detail.is_some()))
        .collect();
    assert_eq!(ended, [(8, true), (9, false)]);
    let last = &first[1];
    assert_eq!(
        last.outcome.as_ref().unwrap().order_status(),
        Some(OrderStatus::Resting)
    );
    let rest = read((Timestamp(4), last.id), 9);
    assert_eq!(keys(&rest), ["own-3", "own-2"]);
    let elsewhere = journal.settled("https://y.test", &"chal-1".into(), (Timestamp(9), late), 9);
    assert_eq!(elsewhere.unwrap(), []);
}

/// Only the same sender's open close-all is resumed, and only while the service keeps its key.
#[test]
fn an_unfinished_intent_is_found_by_the_one_who_sent_it_and_only_while_its_key_is_good() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let intent = intent("a");
    let id = journal.record(Timestamp(1), &intent).unwrap();
    let sender = SenderIdentity {
        base_url: &intent.base_url,
        account_id: &intent.account_id,
        credential: &intent.credential,
    };
    let found = |journal: &Journal, now, sender| {
        let entry = journal.unfinished(now, &intent.target, sender).unwrap();
        entry.map(|entry| entry.id)
    };
    let other = AccountId::from("another");
    assert_eq!(found(&journal, Timestamp(2), sender), Some(id));
    for stranger in [
        SenderIdentity {
            base_url: "https://else.test",
            ..sender
        },
        SenderIdentity {
            account_id: &other,
            ..sender
        },
        SenderIdentity {
            credential: "another",
            ..sender
        },
    ] {
        assert_eq!(found(&journal, Timestamp(2), stranger), None);
    }
    let late = intent.replay_until.plus(Duration::from_secs(1));
    assert_eq!(
        found(&journal, late, sender),
        None,
        "its key may be forgotten"
    );
    let conflict = Failure {
        status: Some(409),
        ..Failure::new(FailureKind::Conflict, "another operation runs")
    };
    journal.attempt(Timestamp(2), id, Some(&conflict)).unwrap();
    assert_eq!(
        found(&journal, Timestamp(3), sender),
        None,
        "it may never end"
    );
    journal.attempt(Timestamp(3), id, None).unwrap();
    assert_eq!(found(&journal, Timestamp(4), sender), Some(id));
    let anew = Intent {
        key: Some("b".into()),
        ..intent.clone()
    };
    let again = journal.claim_or_resume(Timestamp(4), &anew, &check(4));
    assert!(matches!(again.unwrap(), Claim::Known(entry) if entry.id == id));
    let done = StateUpdate::new(IntentState::Done, "op-1: 3 of 3 submitted");
    journal.record_state(Timestamp(5), id, &done).unwrap();
    assert_eq!(found(&journal, Timestamp(6), sender), None);
}

#[test]
fn eight_writers_at_once_lose_nothing_and_number_their_rows_without_a_gap() {
    let dir = place();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let dir = dir.path();
            scope.spawn(move || {
                let mut journal = Journal::open(dir).unwrap();
                for number in 0..10 {
                    let intent = intent(&format!("{writer}-{number}"));
                    let id = journal.record(Timestamp(number), &intent).unwrap();
                    let done = StateUpdate::new(IntentState::Done, format!("by {writer}"));
                    journal.record_state(Timestamp(number), id, &done).unwrap();
                }
            });
        }
    });
    let journal = Journal::open(dir.path()).unwrap();
    let rows = journal.recent(99).unwrap();
    let ids: Vec<_> = rows.iter().rev().map(|row| row.id.0).collect();
    assert_eq!(ids, (1..=80).collect::<Vec<_>>());
    for row in rows {
        let key = row.intent.key.unwrap();
        let (writer, _) = key.raw().split_once('-').unwrap();
        let told = row.outcome.unwrap().detail;
        assert_eq!(
            (row.state, told),
            (IntentState::Done, format!("by {writer}"))
        );
    }
}

#[test]
fn of_eight_writers_that_claim_one_key_at_once_one_has_it() {
    let dir = place();
    let news = std::thread::scope(|scope| {
        let claims: Vec<_> = (0..8)
            .map(|_| {
                let dir = dir.path();
                scope.spawn(move || {
                    let mut journal = Journal::open(dir).unwrap();
                    let claim = journal
                        .claim(Timestamp(1), &intent("a"), &check(1))
                        .unwrap();
                    // Open until all have claimed it.
                    (claim, journal)
                })
            })
            .collect();
        let claims: Vec<_> = claims.into_iter().map(|one| one.join().unwrap()).collect();
        claims
            .iter()
            .filter(|(claim, _)| matches!(claim, Claim::New(_)))
            .count()
    });
    assert_eq!(news, 1);
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!(journal.recent(9).unwrap().len(), 1);
}

#[test]
fn what_dead_writers_left_open_is_taken_over_once_and_what_living_ones_have_never() {
    let dir = place();
    let mut living = Journal::open(dir.path()).unwrap();
    living.record(Timestamp(1), &intent("living")).unwrap();
    for key in ["a", "b", "c"] {
        let mut dead = Journal::open(dir.path()).unwrap();
        dead.record(Timestamp(2), &intent(key)).unwrap();
    }
    let taken: Vec<_> = std::thread::scope(|scope| {
        let takers: Vec<_> = (0..8)
            .map(|_| {
                let dir = dir.path();
                scope.spawn(move || {
                    let mut journal = Journal::open(dir).unwrap();
                    let taken = journal.take_over(|_| true).unwrap();
                    (taken, journal)
                })
            })
            .collect();
        // The journals stay open until all have looked.
        let takers: Vec<_> = takers.into_iter().map(|one| one.join().unwrap()).collect();
        let rows = takers.into_iter().flat_map(|(taken, _)| taken);
        rows.map(|row| row.intent.key.unwrap().raw().to_owned())
            .collect()
    });
    let mut taken = taken;
    taken.sort();
    assert_eq!(taken, ["a", "b", "c"]);
    // They have ended in turn.
    let mut next = Journal::open(dir.path()).unwrap();
    assert_eq!(next.left_open().unwrap().len(), 3);
}

#[test]
fn what_a_writer_settled_before_it_ended_is_not_left_open() {
    let dir = place();
    let mut writer = Journal::open(dir.path()).unwrap();
    let id = writer.record(Timestamp(1), &intent("a")).unwrap();
    let mut reader = Journal::open(dir.path()).unwrap();
    let done = StateUpdate::new(IntentState::Done, "resting");
    writer.record_state(Timestamp(2), id, &done).unwrap();
    drop(writer);
    assert_eq!(reader.left_open().unwrap(), []);
}

#[test]
fn a_new_entry_is_refused_under_the_lock_where_another_process_has_halted_or_closed_all_since() {
    let dir = place();
    let mut here = Journal::open(dir.path()).unwrap();
    let mut other = Journal::open(dir.path()).unwrap();
    let mut claim = |key: &str, given_at| {
        // What was read before it was given is no news.
        let check = ClaimCheck {
            unread: here.unread(),
            ..check(given_at)
        };
        let claim = here.claim(Timestamp(9), &intent(key), &check);
        claim.unwrap()
    };
    let closing = Intent {
        target: "/v1/close-all".into(),
        risk: Risk::Reducing,
        ..intent("closing")
    };
    other.record(Timestamp(5), &closing).unwrap();
    assert_eq!(claim("a", 4), Claim::Refused(Objection::ClosedSince));
    assert!(matches!(claim("a", 5), Claim::New(_)));
    let account = "chal-1".into();
    other.halts().halt(HERE, &account, "flattened").unwrap();
    let halted = Objection::Halted("flattened".to_owned());
    assert_eq!(claim("b", 5), Claim::Refused(halted));
    other.halts().rearm(HERE, &account).unwrap();
    assert!(matches!(claim("b", 5), Claim::New(_)));
}

#[test]
fn a_clock_that_was_set_lets_no_entry_pass_a_close_all_and_keeps_back_none_that_came_after_it() {
    const HOUR: i64 = 3_600_000;
    let now = 9 * HOUR;
    let dir = place();
    let mut here = Journal::open(dir.path()).unwrap();
    let mut other = Journal::open(dir.path()).unwrap();
    let mut close_all = |at, key: &str| {
        let closing = Intent {
            target: "/v1/close-all".into(),
            risk: Risk::Reducing,
            ..intent(key)
        };
        other.record(Timestamp(at), &closing).unwrap();
    };
    let given = |here: &Journal| ClaimCheck {
        unread: here.unread(),
        ..check(now)
    };
    let mut entry = |key: &str, check: &ClaimCheck| {
        let account = "chal-1".into();
        let objection = here
            .objection(Timestamp(now + 1), (HERE, &account), check)
            .unwrap();
        let claim = here.claim(Timestamp(now + 1), &intent(key), check).unwrap();
        assert_eq!(objection.is_some(), matches!(claim, Claim::Refused(_)));
        (claim, given(&here))
    };
    let before = check(now);
    close_all(now - HOUR, "behind");
    let (claim, after) = entry("a", &before);
    assert_eq!(claim, Claim::Refused(Objection::ClosedSince));
    let (claim, before) = entry("a", &after);
    assert!(matches!(claim, Claim::New(_)), "{claim:?}");
    close_all(now + HOUR, "ahead");
    let (claim, after) = entry("b", &before);
    assert_eq!(claim, Claim::Refused(Objection::ClosedSince));
    let (claim, _) = entry("b", &after);
    assert!(matches!(claim, Claim::New(_)), "{claim:?}");
}

/// It adds no row: the same request goes out once more.
#[test]
fn a_new_entry_is_refused_where_another_process_has_begun_an_earlier_close_all_again_since() {
    let dir = place();
    let mut here = Journal::open(dir.path()).unwrap();
    let mut other = Journal::open(dir.path()).unwrap();
    let closing = Intent {
        target: "/v1/close-all".into(),
        risk: Risk::Reducing,
        resource: Some("chal-1".into()),
        ..intent("closing")
    };
    let id = other.record(Timestamp(5), &closing).unwrap();
    let parked = StateUpdate::new(IntentState::Parked, "a person decides");
    other.record_state(Timestamp(6), id, &parked).unwrap();
    here.refresh().unwrap();
    let given = |here: &Journal| ClaimCheck {
        unread: here.unread(),
        ..check(7)
    };
    let before = given(&here);
    other.mark_inflight(id).unwrap();
    let mut claim = |key: &str, check: &ClaimCheck| {
        let claim = here.claim(Timestamp(9), &intent(key), check).unwrap();
        (claim, given(&here))
    };
    let (refused, after) = claim("a", &before);
    assert_eq!(refused, Claim::Refused(Objection::ClosedSince));
    // One more attempt of the same close-all is none that was given since.
    other.mark_inflight(id).unwrap();
    let (taken, _) = claim("b", &after);
    assert!(matches!(taken, Claim::New(_)), "{taken:?}");
}

#[test]
fn orders_from_before_the_clock_was_set_back_do_not_count_as_orders_of_this_second() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let one_a_second = ClaimCheck {
        orders_per_second: 1,
        ..check(0)
    };
    let mut claim = |at, key: &str| journal.claim(Timestamp(at), &intent(key), &one_a_second);
    assert!(matches!(claim(90_000, "a").unwrap(), Claim::New(_)));
    assert!(matches!(claim(1_000, "b").unwrap(), Claim::New(_)));
    let spent = Claim::Refused(Objection::RateSpent);
    assert_eq!(claim(1_500, "c").unwrap(), spent);
    assert!(matches!(claim(2_000, "c").unwrap(), Claim::New(_)));
}

#[test]
fn a_request_waits_for_one_for_the_same_object_of_a_living_process_and_an_exit_for_no_change() {
    let dir = place();
    let mut here = Journal::open(dir.path()).unwrap();
    let mut other = Journal::open(dir.path()).unwrap();
    let on_the_object = |key: &str, method: &str| Intent {
        method: method.into(),
        resource: Some("o-1".into()),
        ..intent(key)
    };
    let change = on_the_object("theirs", "PUT");
    let id = other.record(Timestamp(1), &change).unwrap();
    let busy = |claim: Claim| matches!(claim, Claim::Refused(Objection::Busy(..)));
    let mut claim = |intent: &Intent| here.claim(Timestamp(2), intent, &check(2)).unwrap();
    assert!(busy(claim(&on_the_object("mine", "PUT"))));
    assert!(!busy(claim(&on_the_object("a cancel", "DELETE"))));
    let theirs = claim(&on_the_object("theirs", "PUT"));
    assert!(busy(theirs), "their key");
    let elsewhere = Intent {
        account_id: "chal-2".into(),
        ..on_the_object("elsewhere", "PUT")
    };
    assert!(!busy(claim(&elsewhere)));
    let parked = StateUpdate::new(IntentState::Parked, "a person decides");
    other.record_state(Timestamp(3), id, &parked).unwrap();
    assert!(matches!(claim(&change), Claim::Known(_)));
}

#[test]
fn a_request_that_has_not_left_yet_waits_for_what_another_process_has_sent_for_its_object_meanwhile()
 {
    let dir = place();
    let mut here = Journal::open(dir.path()).unwrap();
    let mut other = Journal::open(dir.path()).unwrap();
    let change = |key: &str| Intent {
        method: "PUT".into(),
        resource: Some("o-1".into()),
        ..intent(key)
    };
    let mine = here.record(Timestamp(1), &change("mine")).unwrap();
    here.mark_prepared(mine).unwrap();
    let theirs = other.claim(Timestamp(2), &change("theirs"), &check(2));
    let Claim::New(theirs) = theirs.unwrap() else {
        panic!("nothing of it is on the wire");
    };
    let busy = here.relaunch(mine).unwrap();
    assert!(matches!(busy, Some(Objection::Busy(..))), "{busy:?}");
    let row = here.entry(mine).unwrap().unwrap();
    assert_eq!(row.state, IntentState::Prepared);
    let over = StateUpdate::new(IntentState::Rejected, "so");
    other.record_state(Timestamp(3), theirs, &over).unwrap();
    assert_eq!(here.relaunch(mine).unwrap(), None);
    let row = here.entry(mine).unwrap().unwrap();
    assert_eq!(row.state, IntentState::Inflight);
}

#[test]
fn a_journal_that_another_process_writes_anew_is_the_same_journal() {
    let dir = place();
    let mut here = Journal::open(dir.path()).unwrap();
    let mut other = Journal::open(dir.path()).unwrap();
    let id = here.record(Timestamp(1), &intent("a")).unwrap();
    other.record(Timestamp(2), &intent("b")).unwrap();
    other.rewrite(|_| Some(())).unwrap();
    here.attempt(Timestamp(3), id, None).unwrap();
    let next = here.record(Timestamp(4), &intent("c")).unwrap();
    assert_eq!(next, IntentId(3));
    let rows = here.recent(9).unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2].attempts.len(), 1);
    drop((here, other));
    assert_eq!(Journal::open(dir.path()).unwrap().recent(9).unwrap(), rows);
}

#[test]
fn a_writer_whose_file_was_deleted_writes_nothing_more() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    fs::remove_dir_all(dir.path().join("writers")).unwrap();
    let gone = journal.record(Timestamp(1), &intent("a")).unwrap_err();
    assert!(matches!(gone, JournalError::Gone { .. }), "{gone}");
}
