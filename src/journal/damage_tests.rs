//! Whatever a disk does to the files of a journal, nothing is lost silently, and nothing is resent that differs from what
//! was recorded.

use super::*;
use crate::model::{Risk, Timestamp};
use std::{collections::BTreeMap, fs, path::Path};
use tempfile::TempDir;

const LOG: &str = "journal.jsonl";
const NEWEST: &str = "journal.newest";
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
        entry: None,
        replaces: None,
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

/// Copies the files on the disk.
fn copy(dir: &Path) -> TempDir {
    let copy = place();
    for entry in fs::read_dir(dir).unwrap() {
        let from = entry.unwrap().path();
        if from.is_dir() {
            // Of processes that are over.
            continue;
        }
        fs::copy(&from, copy.path().join(from.file_name().unwrap())).unwrap();
    }
    copy
}

fn all(journal: &Journal) -> Vec<IntentRow> {
    journal.recent(99).unwrap()
}

fn halted(journal: &Journal) -> Option<String> {
    journal.halts().of(HERE, &"chal-1".into())
}

/// What is wrong with the journal as it opens after its files were `changed`; `None` if it is unchanged or the damage
/// is reported.
fn complaint(whole: &[IntentRow], changed: &TempDir) -> Option<String> {
    if let Ok(reader) = Journal::open_read_only(changed.path())
        && reader.damage().is_none()
        && all(&reader) != whole
    {
        return Some("who lists it is told of nothing".to_owned());
    }
    let journal = Journal::open(changed.path()).unwrap();
    let now = all(&journal);
    if journal.damage().is_none() {
        return (now != whole).then(|| "opened changed, without a word".to_owned());
    }
    if halted(&journal).is_none() {
        return Some("damaged and not halted".to_owned());
    }
    let before: BTreeMap<IntentId, &IntentRow> =
        whole.iter().map(|entry| (entry.id, entry)).collect();
    for entry in &now {
        let was = before[&entry.id];
        if was.intent != entry.intent {
            return Some(format!("row {} is changed", entry.id.0));
        }
        if was.state.is_open() && !entry.state.is_open() {
            return Some(format!("row {} was open", entry.id.0));
        }
    }
    None
}

fn flips(step: usize) {
    let left = left_behind();
    let whole = all(&Journal::open(copy(left.path()).path()).unwrap());
    let mut wrong = vec![];
    for name in [LOG, NEWEST] {
        let bytes = fs::read(left.path().join(name)).unwrap();
        // A little of the space written ahead, too.
        let end = bytes.iter().rposition(|byte| *byte != b' ').unwrap();
        for at in (0..bytes.len().min(end + 300)).step_by(step) {
            let changed = copy(left.path());
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(changed.path().join(name), bytes).unwrap();
            let why = complaint(&whole, &changed);
            wrong.extend(why.map(|why| format!("{name}, byte {at}: {why}")));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_flipped_bit_anywhere_changes_nothing_or_is_said_and_no_order_is_changed() {
    flips(37);
}

/// `cargo test --release --lib every_byte -- --ignored`.
#[test]
#[ignore = "a minute: every byte of both files"]
fn a_flipped_bit_in_every_byte_changes_nothing_or_is_said_and_no_order_is_changed() {
    flips(1);
}

#[test]
fn a_file_that_was_cut_or_is_gone_is_said() {
    let left = left_behind();
    let whole = all(&Journal::open(copy(left.path()).path()).unwrap());
    let mut wrong = vec![];
    for name in [LOG, NEWEST] {
        let bytes = fs::read(left.path().join(name)).unwrap();
        let end = bytes.iter().rposition(|byte| *byte != b' ').unwrap();
        for cut in (0..=64).map(|part| end * part / 64) {
            let changed = copy(left.path());
            fs::write(changed.path().join(name), &bytes[..cut]).unwrap();
            let why = complaint(&whole, &changed);
            wrong.extend(why.map(|why| format!("{name}, cut to {cut} of {end}: {why}")));
        }
        let changed = copy(left.path());
        fs::remove_file(changed.path().join(name)).unwrap();
        let journal = Journal::open(changed.path()).unwrap();
        let is_said = journal.damage().is_some() && halted(&journal).is_some();
        wrong.extend((!is_said).then(|| format!("{name} is gone, without a word")));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The log of `dir` with its lines changed.
fn with_lines(dir: &Path, change: impl FnOnce(&mut Vec<String>)) -> TempDir {
    let changed = copy(dir);
    let text = fs::read_to_string(dir.join(LOG)).unwrap();
    let lines = text.trim_end_matches(' ').lines();
    let mut lines = lines.map(|line| format!("{line}\n")).collect();
    change(&mut lines);
    fs::write(changed.path().join(LOG), lines.concat()).unwrap();
    changed
}

#[test]
fn what_is_lost_is_named_until_a_person_re_arms_and_a_copy_of_the_damaged_file_is_kept() {
    let dir = left_behind();
    let damaged = with_lines(dir.path(), |lines| {
        lines[2] = lines[2].replace("0.10", "9.10");
    });
    let bytes = fs::read(damaged.path().join(LOG)).unwrap();
    let looked = Journal::open_read_only(damaged.path()).unwrap();
    assert!(looked.damage().unwrap().contains("lost records: 3"));
    let mut journal = Journal::open(damaged.path()).unwrap();
    let said = journal.damage().unwrap().to_owned();
    let copy = damaged.path().join("journal.jsonl.damaged-1");
    let words = format!(
        "the journal was damaged on the disk: lost records: 3; a copy of it is {}. Compare your orders and positions",
        copy.display()
    );
    assert!(said.starts_with(&words), "{said}");
    assert_eq!(fs::read(&copy).unwrap(), bytes);
    assert_eq!(
        (all(&journal).len(), all(&journal)[11].id),
        (12, IntentId(2))
    );
    let short = said.chars().take(300).collect::<String>();
    assert_eq!(halted(&journal), Some(short));
    drop(journal);
    journal = Journal::open(damaged.path()).unwrap();
    assert_eq!(
        journal.damage(),
        Some(said.as_str()),
        "until somebody has seen it"
    );
    journal.halts().rearm(HERE, &"chal-1".into()).unwrap();
    journal.damage_is_seen().unwrap();
    journal.record(Timestamp(99), &intent("next")).unwrap();
    drop(journal);
    let journal = Journal::open(damaged.path()).unwrap();
    assert_eq!((journal.damage(), halted(&journal)), (None, None));
    assert_eq!(
        all(&journal)[0].id,
        IntentId(15),
        "the lost record may have been a row: its number is not given again"
    );
    assert_eq!(fs::read_dir(damaged.path()).unwrap().count(), 5);
}

#[test]
fn what_comes_of_a_row_that_was_lost_is_not_written_to_the_row_of_another_process() {
    let dir = left_behind();
    let mut here = Journal::open(dir.path()).unwrap();
    let lost = here.record(Timestamp(90), &intent("lost")).unwrap();
    let text = fs::read_to_string(dir.path().join(LOG)).unwrap();
    let mut lines: Vec<_> = text.trim_end().lines().collect();
    lines.pop();
    fs::write(dir.path().join(LOG), lines.join("\n") + "\n").unwrap();
    let mut other = Journal::open(dir.path()).unwrap();
    assert!(other.damage().unwrap().contains("lost records"));
    let theirs = other.record(Timestamp(91), &intent("theirs")).unwrap();
    let done = StateUpdate::new(IntentState::Done, "order o-1 resting");
    here.record_state(Timestamp(92), lost, &done).unwrap();
    other.refresh().unwrap();
    let row = other.entry(theirs).unwrap().unwrap();
    assert_eq!(row.state, IntentState::Inflight, "it is still on the wire");
}

#[test]
fn a_log_that_was_deleted_is_said_and_one_that_is_garbage_is_kept_aside() {
    let dir = left_behind();
    fs::remove_file(dir.path().join(LOG)).unwrap();
    for _ in 0..2 {
        let journal = Journal::open(dir.path()).unwrap();
        let said = journal.damage().unwrap();
        assert!(
            said.contains("lost records: 1-39; there is no copy of it"),
            "{said}"
        );
        assert!(halted(&journal).is_some() && all(&journal).is_empty());
    }
    let dir = place();
    let garbage = "no journal at all".repeat(500);
    fs::write(dir.path().join(LOG), &garbage).unwrap();
    let journal = Journal::open(dir.path()).unwrap();
    assert!(halted(&journal).unwrap().contains("damaged"));
    let kept = fs::read_to_string(dir.path().join("journal.jsonl.damaged-1")).unwrap();
    assert_eq!(kept, garbage);
}

#[test]
fn a_lost_record_may_have_said_that_it_was_sent_so_nothing_counts_as_unsent_behind_it() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(Timestamp(1), &intent("a")).unwrap();
    journal.mark_prepared(id).unwrap();
    journal.mark_inflight(id).unwrap();
    journal.attempt(Timestamp(2), id, None).unwrap();
    drop(journal);
    let damaged = with_lines(dir.path(), |lines| {
        lines.remove(4);
    });
    let journal = Journal::open(damaged.path()).unwrap();
    let [row] = journal.open_intents().unwrap().try_into().unwrap();
    assert_eq!(
        (row.state, row.maybe_executed),
        (IntentState::Unknown, true)
    );
}

#[test]
fn killed_in_the_middle_of_any_write_nothing_is_halted_and_nothing_told_is_lost() {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let mut open = vec![];
    for n in 1..=40_i64 {
        let (rows, before) = (all(&journal), copy(dir.path()));
        let at = Timestamp(n);
        match (n % 4, open.last().copied()) {
            (1, _) | (_, None) => {
                open.push(journal.record(at, &intent(&n.to_string())).unwrap());
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
        let old = fs::read(before.path().join(LOG)).unwrap();
        let new = fs::read(dir.path().join(LOG)).unwrap();
        let differs = |at: &usize| old.get(*at) != new.get(*at);
        let first = (0..new.len()).find(differs).unwrap();
        let line = new[first..].split_inclusive(|byte| *byte == b'\n').next();
        for written in [line.unwrap().len(), line.unwrap().len() / 2] {
            let killed = copy(before.path());
            let mut torn = new.clone();
            torn[first + written..].fill(b' ');
            fs::write(killed.path().join(LOG), torn).unwrap();
            let next = Journal::open(killed.path()).unwrap();
            assert_eq!((next.damage(), halted(&next)), (None, None), "death {n}");
            let is_whole = written == line.unwrap().len();
            let expected = if is_whole {
                all(&journal)
            } else {
                rows.clone()
            };
            assert_eq!(all(&next), expected, "death {n}");
        }
    }
}
