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
        outcome: None,
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
    assert_eq!(journal.recent(10).unwrap(), [open.clone(), settled.clone()]);
    assert_eq!(journal.recent(1).unwrap(), std::slice::from_ref(&open));
    assert_eq!(journal.open_intents().unwrap(), [open]);
    assert_eq!(journal.entry(first).unwrap(), Some(settled));
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
    let Claim::New(id) = journal.claim(Timestamp(1), &intent("a")).unwrap() else {
        panic!("nothing has used it");
    };
    let done = StateUpdate {
        order_id: Some("o-1".into()),
        ..StateUpdate::new(IntentState::Done, "order o-1 resting")
    };
    journal.record_state(Timestamp(2), id, &done).unwrap();
    let known = journal.claim(Timestamp(3), &intent("a")).unwrap();
    assert!(matches!(&known, Claim::Known(entry) if entry.id == id));
    journal.mark_inflight(id).unwrap();
    journal.mark_unsent(id).unwrap();
    let doubt = StateUpdate::new(IntentState::Unknown, "no answer");
    journal.record_state(Timestamp(4), id, &doubt).unwrap();
    assert_eq!(
        journal.claim(Timestamp(5), &intent("a")).unwrap(),
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
    journal.mark_unsent(id).unwrap();
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
fn a_second_desk_reads_along_and_writes_nothing() {
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
    let pid = format!("(process {})", std::process::id());
    assert!(refused.to_string().contains(&pid), "{refused}");
    let process = std::process::id();
    let found = |listens| Some(LockHolder { process, listens });
    assert_eq!(lock_holder(dir.path()), found(false));
    first.announce();
    assert_eq!(lock_holder(dir.path()), found(true));
    drop(first);
    assert_eq!(lock_holder(dir.path()), None);
}

#[test]
fn who_only_looks_who_has_the_journal_is_taken_for_nobody_who_has_it() {
    let dir = place();
    let journal = Journal::open(dir.path()).unwrap();
    journal.announce();
    drop(journal);
    let looking = fs::File::open(dir.path().join("journal.lock")).unwrap();
    looking.lock_shared().unwrap();
    assert_eq!(lock_holder(dir.path()), None);
    drop(looking);
    freed(dir.path());
}

#[test]
fn only_the_owner_may_read_any_of_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = place();
    let inner = dir.path().join("state/perpdeck");
    let _journal = Journal::open(&inner).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&inner), 0o700);
    for name in ["journal.jsonl", "journal.newest", "journal.lock", "halted"] {
        assert_eq!(mode(&inner.join(name)), 0o600, "{name}");
    }
}

#[test]
fn a_link_or_a_fifo_in_the_place_of_a_file_of_the_journal_is_refused_and_not_followed() {
    for name in ["journal.lock", "journal.jsonl", "journal.newest", "halted"] {
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
fn a_second_desk_is_told_that_the_first_one_holds_the_journal() {
    let dir = place();
    let first = Journal::open(dir.path()).unwrap();
    let second = Journal::open(dir.path()).unwrap_err();
    assert!(matches!(second, JournalError::Held { .. }), "{second}");
    drop(first);
    freed(dir.path());
}

/// The journal once nobody holds it: a program that another test starts has this one's files for a moment.
fn freed(dir: &Path) -> Journal {
    loop {
        match Journal::open(dir) {
            Err(JournalError::Held { .. }) => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
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

impl Journal {
    /// Whether the disk fails in place of the write after the last that [`Self::breaks`] allows.
    pub(super) fn breaks_now(&mut self) -> bool {
        let left = self.breaks.map(|left| left.checked_sub(1));
        self.breaks = left.map(Option::unwrap_or_default);
        left == Some(None)
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
    journal
        .halt("https://x.test", &"chal-1".into(), "full")
        .unwrap();
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    let keys = journal
        .recent(9)
        .unwrap()
        .into_iter()
        .map(|row| row.intent.key);
    assert_eq!(keys.collect::<Vec<_>>(), [Some("b".into())]);
    assert_eq!(
        journal.halted("https://x.test", &"chal-1".into()),
        Some("full")
    );
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
    let used = journal.record(Timestamp(2), &intent("a")).unwrap_err();
    assert!(matches!(used, JournalError::KeyUsed(_)) && journal.failure().is_none());
    journal.breaks = Some(0);
    let again = journal.record(Timestamp(2), &intent("c")).unwrap_err();
    assert!(matches!(again, JournalError::Write(_)), "{again}");
    let other = journal.record(Timestamp(3), &intent("b")).unwrap_err();
    assert_eq!(other.to_string(), again.to_string());
    assert!(journal.attempt(Timestamp(4), id, None).is_err());
    assert!(journal.failure().is_some());
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    assert!(journal.failure().is_none());
    let halted = journal.halted("https://x.test", &"chal-1".into());
    assert_eq!(halted, Some(other.to_string().as_str()), "over the restart");
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
fn what_is_open_beside_the_journal_is_taken_in_once_and_so_is_a_halt() {
    let dir = place();
    let beside = overflow_dirs(dir.path()).next().unwrap();
    let mut overflow = Journal::open(&beside).unwrap();
    let mut sent = |key: &str| {
        let credential = overflow.fingerprint("pd_live_secret").unwrap();
        let intent = Intent {
            credential,
            ..intent(key)
        };
        overflow.record(Timestamp(1), &intent).unwrap()
    };
    let (open, over) = (sent("open"), sent("over"));
    let doubt = StateUpdate::new(IntentState::Unknown, "no answer");
    overflow.record_state(Timestamp(2), open, &doubt).unwrap();
    let done = StateUpdate::new(IntentState::Done, "order o-1 filled");
    overflow.record_state(Timestamp(2), over, &done).unwrap();
    let (here, account) = ("https://x.test", "chal-1".into());
    overflow.halt(here, &account, "flattened").unwrap();

    let mut journal = Journal::open(dir.path()).unwrap();
    let mut take_in = || {
        let left = journal.import_overflow(Timestamp(3), &["pd_live_secret"]);
        assert!(left.unwrap().is_empty());
        journal.recent(9).unwrap().len()
    };
    assert_eq!(take_in(), 0, "another process has it");
    drop(overflow);
    assert_eq!([take_in(), take_in()], [1, 1]);
    let [taken] = journal.open_intents().unwrap().try_into().unwrap();
    let credential = journal.fingerprint("pd_live_secret").unwrap();
    let expected = IntentRow {
        intent: Intent {
            credential,
            ..intent("open")
        },
        state: IntentState::Unknown,
        outcome: Some(Outcome {
            at: Timestamp(2),
            detail: "no answer".into(),
            order_id: None,
            request_id: None,
        }),
        ..entry(taken.id, 1, "open")
    };
    assert_eq!(taken, expected);
    assert_eq!(journal.halted(here, &account), Some("flattened"));
    let overflow = Journal::open(&beside).unwrap();
    assert_eq!(overflow.open_intents().unwrap(), []);
    assert_eq!(overflow.halted(here, &account), None);
}

#[test]
fn what_another_key_left_open_beside_the_journal_waits_there_for_whoever_has_that_key() {
    let dir = place();
    let beside = overflow_dirs(dir.path()).next().unwrap();
    let mut overflow = Journal::open(&beside).unwrap();
    for (key, secret) in [("mine", "pd_live_secret"), ("theirs", "pd_live_other")] {
        let credential = overflow.fingerprint(secret).unwrap();
        let intent = Intent {
            credential,
            ..intent(key)
        };
        overflow.record(Timestamp(1), &intent).unwrap();
    }
    drop(overflow);
    let mut journal = Journal::open(dir.path()).unwrap();
    let mut take_in = |secret: &str| {
        let left = journal.import_overflow(Timestamp(2), &[secret]).unwrap();
        let rows = journal.open_intents().unwrap().into_iter();
        let rows = rows.map(|row| {
            (
                row.intent.key.unwrap().raw().to_owned(),
                row.intent.credential,
            )
        });
        let told = left.into_iter().map(|why| why.to_string());
        (rows.collect::<Vec<_>>(), told.collect::<Vec<_>>())
    };
    let (taken, told) = take_in("pd_live_secret");
    assert_eq!(taken.len(), 1);
    assert!(
        told.len() == 1 && told[0].starts_with("1 open in the journal in"),
        "{told:?}"
    );
    let (taken, told) = take_in("pd_live_other");
    assert_eq!(told, Vec::<String>::new());
    let fingerprint = |secret| journal.fingerprint(secret).unwrap();
    assert_eq!(
        taken,
        [
            ("theirs".to_owned(), fingerprint("pd_live_other")),
            ("mine".to_owned(), fingerprint("pd_live_secret"))
        ]
    );
}

#[test]
fn a_journal_beside_the_journal_that_does_not_open_is_named_and_keeps_no_other_from_being_taken_in()
{
    let dir = place();
    let [broken, whole] = overflow_dirs(dir.path())
        .take(2)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    for place in [&broken, &whole] {
        let mut overflow = Journal::open(place).unwrap();
        let intent = Intent {
            credential: String::new(),
            ..intent("open")
        };
        overflow.record(Timestamp(1), &intent).unwrap();
    }
    fs::remove_file(broken.join("journal.jsonl")).unwrap();
    fs::create_dir(broken.join("journal.jsonl")).unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    let [why] = journal
        .import_overflow(Timestamp(2), &[])
        .unwrap()
        .try_into()
        .unwrap();
    assert!(matches!(why, JournalError::Place { .. }), "{why}");
    assert_eq!(journal.open_intents().unwrap().len(), 1);
}

#[test]
fn what_a_flatten_beside_the_journal_left_open_is_still_a_part_of_it_when_it_is_taken_in() {
    for (ended, open) in [(None, 3), (Some(IntentState::Abandoned), 2)] {
        let dir = place();
        let mut journal = Journal::open(dir.path()).unwrap();
        // So that the row numbers of the two journals differ.
        journal.record(Timestamp(1), &intent("other")).unwrap();
        let other = StateUpdate::new(IntentState::Done, "order o-1 filled");
        journal
            .record_state(Timestamp(1), IntentId(1), &other)
            .unwrap();

        let mut overflow = Journal::open(&overflow_dirs(dir.path()).next().unwrap()).unwrap();
        let part = |key: Option<&str>, parent| Intent {
            credential: String::new(),
            key: key.map(Into::into),
            parent,
            ..intent("")
        };
        let deed = overflow.record(Timestamp(2), &part(None, None)).unwrap();
        for key in [Some("close-all"), None] {
            overflow
                .record(Timestamp(3), &part(key, Some(deed)))
                .unwrap();
        }
        if let Some(state) = ended {
            let update = StateUpdate::new(state, "not proved flat");
            overflow.record_state(Timestamp(4), deed, &update).unwrap();
        }
        drop(overflow);

        let left = journal.import_overflow(Timestamp(5), &[]).unwrap();
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(journal.open_intents().unwrap().len(), open);
        let rows = journal.recent(9).unwrap();
        let deed = rows.iter().find(|row| row.id == IntentId(2)).unwrap();
        assert_eq!(deed.state, ended.unwrap_or(IntentState::Inflight));
        let parts = rows.iter().filter(|row| row.intent.parent == Some(deed.id));
        assert_eq!(parts.count(), 2);
        journal.abandon_parts(Timestamp(6), deed.id).unwrap();
        let left = journal.open_intents().unwrap();
        assert!(left.iter().all(|row| row.id == deed.id), "{left:?}");
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
    journal.rewrite().unwrap();
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
    let again = journal.claim_or_resume(
        Timestamp(4),
        &Intent {
            key: Some("b".into()),
            ..intent.clone()
        },
    );
    assert!(matches!(again.unwrap(), Claim::Known(entry) if entry.id == id));
    let done = StateUpdate::new(IntentState::Done, "op-1: 3 of 3 submitted");
    journal.record_state(Timestamp(5), id, &done).unwrap();
    assert_eq!(found(&journal, Timestamp(6), sender), None);
}
