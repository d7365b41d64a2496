//! Whatever a disk does to the files of a journal, no order of unknown outcome is lost silently, and
//! nothing is resent that differs from what was recorded.
#![expect(clippy::print_stderr, reason = "a long sweep says how much it tried")]

use super::*;
use crate::model::{Risk, Timestamp};
use rusqlite::Connection;
use std::{collections::BTreeMap, fs, path::Path};
use tempfile::TempDir;

const DATABASE: &str = "journal.sqlite3";
const LOG: &str = "journal.sqlite3-wal";
const RING: &str = "journal.ring";
const HERE: &str = "https://x.test";

/// A directory where a sync costs nothing.
fn place() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        return TempDir::new_in(memory).unwrap();
    }
    tempfile::tempdir().unwrap()
}

fn intent(key: &str) -> Intent {
    Intent {
        base_url: HERE.into(),
        account_id: "chal-1".into(),
        credential: "c0ffee".into(),
        method: "POST".into(),
        target: "/v1/orders".into(),
        body: br#"{"account_id":"chal-1","market_id":"paper|BTC","side":"buy","size":0.10}"#
            .to_vec(),
        key: Some(key.into()),
        risk: Risk::Increasing,
        command: "buy 0.10 BTC market".into(),
        resource: None,
        parent: None,
        deadline: Timestamp(30_000),
        replay_until: Timestamp(900_000),
    }
}

/// The files of a journal whose process was killed: thirteen commands, four of them open, including the last.
fn left_behind() -> TempDir {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    for n in 1..=13 {
        let id = journal
            .record(Timestamp(n), &intent(&format!("key-{n}")))
            .unwrap();
        journal.attempt(Timestamp(n), id, None).unwrap();
        let state = match n {
            4 => IntentState::Unknown,
            8 => IntentState::Parked,
            12 | 13 => continue,
            _ => IntentState::Done,
        };
        let update = StateUpdate {
            order_id: (state == IntentState::Done).then(|| format!("o-{n}").as_str().into()),
            ..StateUpdate::new(state, "told")
        };
        journal.record_state(Timestamp(n), id, &update).unwrap();
    }
    copy(dir.path())
}

/// Copies the files on the disk. Shared memory is not on the disk.
fn copy(dir: &Path) -> TempDir {
    let copy = place();
    for entry in fs::read_dir(dir).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap().to_owned();
        if from.is_file() && !name.to_string_lossy().ends_with("-shm") {
            fs::copy(&from, copy.path().join(name)).unwrap();
        }
    }
    copy
}

fn all(journal: &Journal) -> Vec<IntentRow> {
    journal.recent(99).unwrap()
}

/// What a person or a desk relies on: a lost commit may have held only an attempt.
type Essence = (IntentId, Intent, Option<IntentState>);

fn essence(entries: &[IntentRow]) -> Vec<Essence> {
    let entries = entries.iter();
    let settled = |state: IntentState| (!state.is_open()).then_some(state);
    entries
        .map(|entry| (entry.id, entry.intent.clone(), settled(entry.state)))
        .collect()
}

fn halted(journal: &Journal) -> Option<&str> {
    journal.halted(HERE, &"chal-1".into())
}

/// What is wrong with the journal as it opens after its files were `changed`; `None` if it is unchanged or the damage
/// is reported.
fn complaint(whole: &[IntentRow], changed: &TempDir) -> Option<String> {
    if let Ok(reader) = Journal::open_read_only(changed.path())
        && reader.damage().is_none()
        && essence(&all(&reader)) != essence(whole)
    {
        return Some("who lists it is told of nothing".to_owned());
    }
    let journal = match Journal::open(changed.path()) {
        Ok(journal) if journal.failure().is_some() => {
            return halted(&journal)
                .is_none()
                .then(|| "damaged and not halted".to_owned());
        }
        Ok(journal) => journal,
        Err(_) => return None,
    };
    let now = all(&journal);
    if journal.damage().is_none() {
        let is_same = essence(&now) == essence(whole);
        return (!is_same).then(|| "opened changed, without a word".to_owned());
    }
    if halted(&journal).is_none() {
        return Some("damaged and not halted".to_owned());
    }
    let before: BTreeMap<IntentId, &IntentRow> =
        whole.iter().map(|entry| (entry.id, entry)).collect();
    for entry in &now {
        let is_as_it_was = before
            .get(&entry.id)
            .is_some_and(|was| was.intent == entry.intent);
        if entry.is_replayable(Timestamp(20)) && !is_as_it_was {
            return Some(format!("row {} is changed, and may be sent", entry.id.0));
        }
    }
    let open = journal.open_intents().unwrap();
    let is_there = |was: &&IntentRow| {
        let mut open = open.iter();
        open.any(|entry| entry.id == was.id || entry.intent.key == was.intent.key)
    };
    let lost = whole.iter().filter(|was| was.state.is_open());
    let lost: Vec<_> = lost
        .filter(|was| !is_there(was))
        .map(|was| was.id.0)
        .collect();
    (!lost.is_empty()).then(|| format!("{lost:?} were open, and nobody is asked about them"))
}

/// Flips one bit of every `step`th byte of each file.
fn flips(step: usize) {
    let left = left_behind();
    let whole = all(&Journal::open(copy(left.path()).path()).unwrap());
    let (mut count, mut wrong) = (0, vec![]);
    for name in [DATABASE, LOG, RING] {
        let bytes = fs::read(left.path().join(name)).unwrap();
        // The written part of the ring, and a little more.
        let length = if name == RING { 15 * 1024 } else { bytes.len() };
        for at in (step / 2..length).step_by(step) {
            let changed = copy(left.path());
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(changed.path().join(name), bytes).unwrap();
            count += 1;
            let why = complaint(&whole, &changed);
            wrong.extend(why.map(|why| format!("{name}, byte {at}: {why}")));
        }
    }
    eprintln!("{count} flipped bits, {} complaints", wrong.len());
    assert_eq!(wrong, Vec::<String>::new(), "of {count} flipped bits");
}

#[test]
fn a_flipped_bit_anywhere_changes_nothing_or_is_said_and_no_order_in_doubt_is_lost() {
    flips(2039);
}

/// `cargo test --release --lib every_byte -- --ignored --nocapture`; with `PERPDECK_SWEEP=7` one byte of seven.
#[test]
#[ignore = "an hour: every byte of all three files"]
fn a_flipped_bit_in_every_byte_changes_nothing_or_is_said_and_no_order_in_doubt_is_lost() {
    let step = std::env::var("PERPDECK_SWEEP").map_or(1, |step| step.parse().unwrap());
    flips(step);
}

#[test]
fn a_file_that_was_cut_or_is_gone_is_said_and_no_order_in_doubt_is_lost() {
    let left = left_behind();
    let whole = all(&Journal::open(copy(left.path()).path()).unwrap());
    let mut wrong = vec![];
    for name in [DATABASE, LOG, RING] {
        let length = fs::metadata(left.path().join(name)).unwrap().len();
        for cut in (0..=16).map(|part| length * part / 16) {
            let changed = copy(left.path());
            let file = fs::OpenOptions::new()
                .write(true)
                .open(changed.path().join(name));
            file.unwrap().set_len(cut).unwrap();
            let why = complaint(&whole, &changed);
            wrong.extend(why.map(|why| format!("{name}, cut to {cut} of {length}: {why}")));
        }
        let changed = copy(left.path());
        fs::remove_file(changed.path().join(name)).unwrap();
        let why = complaint(&whole, &changed);
        wrong.extend(why.map(|why| format!("{name} is gone: {why}")));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

fn states(journal: &Journal) -> Vec<(i64, IntentState)> {
    let mut states: Vec<_> = all(journal)
        .iter()
        .map(|entry| (entry.id.0, entry.state))
        .collect();
    states.reverse();
    states
}

/// Changes one bit; returns where.
fn flip_the_middle(log: &Path) -> usize {
    let mut bytes = fs::read(log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(log, bytes).unwrap();
    middle
}

#[test]
fn rows_that_a_damaged_log_lost_are_named_and_restored_from_the_ring_until_a_person_re_arms() {
    let dir = left_behind();
    let middle = flip_the_middle(&dir.path().join(LOG));
    let looked = Journal::open_read_only(dir.path()).unwrap();
    let said = looked.damage().unwrap().to_owned();
    let readable = all(&looked).len();
    assert!(said.contains("-13 lost") && readable < 13, "{said}");
    drop(looked);

    let mut journal = Journal::open(dir.path()).unwrap();
    let said = journal.damage().unwrap().to_owned();
    assert!(
        said.contains("behind a damaged frame of the write-ahead log"),
        "{said}"
    );
    assert!(said.contains("a copy of it is in damaged-1"), "{said}");
    assert_eq!(
        fs::read(dir.path().join("damaged-1").join(LOG))
            .unwrap()
            .len(),
        middle * 2
    );
    let expected: Vec<_> = (1..=13)
        .map(|id| match id {
            8 if readable >= 8 => (id, IntentState::Parked),
            4 | 8 | 12 | 13 => (id, IntentState::Unknown),
            _ => (id, IntentState::Done),
        })
        .collect();
    assert_eq!(states(&journal), expected);
    let last = journal.entry(IntentId(13)).unwrap().unwrap();
    assert_eq!(
        (last.intent.body, last.intent.key),
        (intent("").body, Some("key-13".into()))
    );
    assert_eq!(
        halted(&journal),
        Some(said.chars().take(300).collect::<String>().as_str())
    );
    drop(journal);

    journal = Journal::open(dir.path()).unwrap();
    assert_eq!(
        journal.damage(),
        Some(said.as_str()),
        "until somebody has seen it"
    );
    journal.rearm(HERE, &"chal-1".into()).unwrap();
    journal.record(Timestamp(99), &intent("next")).unwrap();
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!((journal.damage(), halted(&journal)), (None, None));
    assert_eq!(all(&journal)[0].id, IntentId(14));
}

#[test]
fn a_database_that_was_deleted_is_said_and_begins_anew_with_what_the_ring_knows() {
    let dir = left_behind();
    for name in [DATABASE, LOG] {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    for _ in 0..2 {
        let journal = Journal::open(dir.path()).unwrap();
        let said = journal.damage().unwrap();
        assert!(
            said.contains("the database is gone or empty; rows 1-13 lost"),
            "{said}"
        );
        let open = journal.open_intents().unwrap();
        let open: Vec<_> = open.iter().map(|entry| (entry.id.0, entry.state)).collect();
        let unknown = [13, 12, 8, 4].map(|id| (id, IntentState::Unknown));
        assert_eq!(open, unknown);
        assert!(!journal.open_intents().unwrap()[0].is_replayable(Timestamp(20)));
    }
}

#[test]
fn a_row_that_changed_is_repaired_from_the_ring_or_can_be_sent_no_more() {
    let dir = left_behind();
    // A closed journal is entirely in the main file.
    drop(Journal::open(dir.path()).unwrap());
    let path = dir.path().join(DATABASE);
    let change = |ring: bool| {
        let changed = copy(dir.path());
        let raw = Connection::open(changed.path().join(DATABASE)).unwrap();
        raw.execute(
            "UPDATE intents SET body = CAST(replace(body, '0.10', '9.10') AS BLOB), key = 'other' WHERE id = 12",
            [],
        )
        .unwrap();
        raw.close().unwrap();
        if !ring {
            fs::remove_file(changed.path().join(RING)).unwrap();
        }
        changed
    };
    assert!(path.is_file());
    let journal = Journal::open(change(true).path()).unwrap();
    let said = journal.damage().unwrap();
    assert!(said.contains("row 12 changed on the disk"), "{said}");
    let row = journal.entry(IntentId(12)).unwrap().unwrap();
    assert_eq!(
        (row.intent.body, row.intent.key),
        (intent("").body, Some("key-12".into()))
    );
    assert_eq!(row.state, IntentState::Unknown);

    let journal = Journal::open(change(false).path()).unwrap();
    let row = journal.entry(IntentId(12)).unwrap().unwrap();
    assert_eq!(
        (row.state, row.intent.method.as_str()),
        (IntentState::Parked, "damaged")
    );
    assert!(
        !row.is_replayable(Timestamp(20)),
        "it is no request any more"
    );
}

/// What is in doubt, what is new and what is old, in a journal with more rows than a start looks at.
#[test]
fn of_a_large_journal_the_newest_and_the_open_are_checked_at_the_start_and_the_rest_beside_the_desk()
 {
    let dir = place();
    transaction::cost_tests::fill(dir.path(), 4_500);
    drop(Journal::open(dir.path()).unwrap());
    let changed = |id: u32| {
        let changed = copy(dir.path());
        let raw = Connection::open(changed.path().join(DATABASE)).unwrap();
        let change =
            "UPDATE intents SET body = CAST(replace(body, '0.10', '9.10') AS BLOB) WHERE id = ?1";
        raw.execute(change, [id]).unwrap();
        raw.close().unwrap();
        changed
    };
    for id in [transaction::cost_tests::OPEN, 4_490] {
        let said = Journal::open(changed(id).path()).unwrap();
        let said = said.damage().unwrap();
        assert!(said.contains(&format!("row {id} changed")), "{said}");
    }
    let old = changed(100);
    let mut journal = Journal::open(old.path()).unwrap();
    assert_eq!(
        (journal.damage(), halted(&journal)),
        (None, None),
        "not looked at"
    );
    let found = Journal::check(old.path()).unwrap();
    let found = found.damage().unwrap();
    assert!(found.contains("row 100 changed on the disk"), "{found}");
    let why = journal.stop_for_damage(found).unwrap_err();
    assert_eq!(why.to_string(), found);
    assert!(halted(&journal).is_some() && journal.record(Timestamp(9), &intent("new")).is_err());
    drop(journal);
    let journal = Journal::open(old.path()).unwrap();
    let said = journal.damage().unwrap();
    assert!(
        said.contains("row 100 changed on the disk; a copy of it is in damaged-1"),
        "{said}"
    );
    assert!(halted(&journal).is_some());
}

/// Wherever the process dies, the ring is behind by one command at most. `a_thousand_kills` in
/// `tests/faults/power.rs` kills a real process there a thousand times per command.
#[test]
fn killed_between_commit_and_slot_nothing_is_halted_and_nothing_lost() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let ring = || fs::read(dir.path().join(RING)).unwrap();
    let mut open = vec![];
    for n in 1..=120_i64 {
        let behind = ring();
        let at = Timestamp(n);
        match (n % 4, open.last().copied()) {
            (1, _) | (_, None) => {
                let made = journal.record(at, &intent(&n.to_string())).unwrap();
                open.push(made);
            }
            (2, Some(id)) => journal.attempt(at, id, None).unwrap(),
            (3, Some(id)) => {
                let unsent = StateUpdate::new(IntentState::Unsent, "told");
                journal.record_state(at, id, &unsent).unwrap();
            }
            (_, Some(id)) => {
                let done = StateUpdate::new(IntentState::Done, "told");
                journal.record_state(at, id, &done).unwrap();
                open.pop();
            }
        }
        let killed = copy(dir.path());
        fs::write(killed.path().join(RING), behind).unwrap();
        let whole: Vec<_> = journal.recent(3).unwrap();
        let next = Journal::open(killed.path()).unwrap();
        assert_eq!((next.damage(), halted(&next)), (None, None), "death {n}");
        assert_eq!(next.recent(3).unwrap(), whole, "death {n}");
        assert_eq!(
            next.open_intents().unwrap(),
            journal.open_intents().unwrap()
        );
    }
}

#[test]
fn a_kill_between_commit_and_slot_is_no_damage_and_an_old_ring_is() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    journal.record(Timestamp(1), &intent("a")).unwrap();
    let ring = |n: usize| {
        fs::read(dir.path().join(RING))
            .map(|bytes| (n, bytes))
            .unwrap()
    };
    let before = ring(1);
    journal.record(Timestamp(2), &intent("b")).unwrap();
    let killed = copy(dir.path());
    fs::write(killed.path().join(RING), &before.1).unwrap();
    let open = Journal::open(killed.path()).unwrap();
    assert_eq!((open.damage(), all(&open).len()), (None, 2));
    drop(open);
    assert_eq!(
        fs::read(killed.path().join(RING)).unwrap(),
        ring(2).1,
        "mended"
    );

    journal.record(Timestamp(3), &intent("c")).unwrap();
    let old = copy(dir.path());
    fs::write(old.path().join(RING), &before.1).unwrap();
    let open = Journal::open(old.path()).unwrap();
    assert!(
        open.damage()
            .unwrap()
            .contains("journal.ring lacks the newest 2 rows")
    );
    assert_eq!(all(&open).len(), 3);
}

#[test]
fn a_command_that_is_open_again_says_so_in_the_ring_before_it_is_sent() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    let unsent = StateUpdate::new(IntentState::Unsent, "not sent");
    journal.record_state(Timestamp(2), id, &unsent).unwrap();
    journal.mark_inflight(id).unwrap();
    let known = ring::Ring::read_file(dir.path());
    assert_eq!(known.slots.len(), 1);
    assert_eq!(
        (known.slots[0].id, known.slots[0].state),
        (id, IntentState::Inflight)
    );
}

#[test]
fn the_slot_of_an_open_command_is_never_reused_and_where_all_are_open_nothing_new_is_taken_but_a_way_out()
 {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    for n in 1..2 * ring::SLOTS {
        let n = i64::try_from(n).unwrap();
        let id = journal
            .record(Timestamp(n), &intent(&n.to_string()))
            .unwrap();
        if n % 2 == 0 {
            let done = StateUpdate::new(IntentState::Done, "done");
            journal.record_state(Timestamp(n), id, &done).unwrap();
        }
    }
    let open = ring::Ring::read_file(dir.path()).slots;
    assert!(open.len() == ring::SLOTS && open.iter().all(ring::RingSlot::is_open));
    let why = journal
        .record(Timestamp(999), &intent("one too many"))
        .unwrap_err();
    assert!(
        why.to_string()
            .starts_with("128 commands have an unknown status"),
        "{why}"
    );
    assert!(journal.failure().is_none(), "it works");
    let exit = Intent {
        risk: Risk::Reducing,
        ..intent("a way out")
    };
    journal.record(Timestamp(1_000), &exit).unwrap();
}

#[test]
fn a_command_longer_than_its_slot_keeps_its_key_and_loses_its_body_there() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let long = Intent {
        body: vec![b'x'; 5_000],
        ..intent("long")
    };
    let longer = Intent {
        target: "t".repeat(2_000),
        ..intent("longer")
    };
    journal.record(Timestamp(1), &long).unwrap();
    journal.record(Timestamp(2), &longer).unwrap();
    let mut slots = ring::Ring::read_file(dir.path()).slots;
    slots.sort_by_key(|slot| slot.id);
    assert_eq!(
        (slots[0].kept, slots[0].intent.key.clone()),
        (ring::SlotDetail::Head, long.key)
    );
    assert_eq!(slots[0].intent.target, "/v1/orders");
    assert_eq!(
        (slots[1].kept, slots[1].intent.key.clone()),
        (ring::SlotDetail::Key, longer.key)
    );
}
