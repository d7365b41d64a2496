use super::*;
use std::{fs, path::PathBuf, process::Command};
use tempfile::TempDir;

const FORMAT: &str = "test 1";

/// Where a sync costs nothing.
fn place() -> (TempDir, PathBuf) {
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() {
        TempDir::new_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    };
    let path = dir.path().join("a.jsonl");
    (dir, path)
}

/// The log, its records and what is wrong with it.
fn open(path: &Path) -> (Log, Vec<String>, LogDamage) {
    let mut records = vec![];
    let (log, damage) =
        Log::open(path, FORMAT, &mut |record| records.push(record.to_owned())).unwrap();
    (log, records, damage)
}

fn append(log: &mut Log, records: &[&str]) {
    for record in records {
        let mut locked = log.lock(&mut |_| panic!("nobody else writes")).unwrap();
        locked.append(record, Reserve::Keep, Mark::Synced).unwrap();
    }
}

const RECORDS: [&str; 5] = [
    r#"{"a":1}"#,
    r#"{"a":2,"text":"two words"}"#,
    r#"{"b":3}"#,
    r#"{"b":{"c":4}}"#,
    r#"{"d":5}"#,
];

fn filled() -> (TempDir, PathBuf) {
    let (dir, path) = place();
    append(&mut open(&path).0, &RECORDS);
    (dir, path)
}

/// Without the space written ahead.
fn text(path: &Path) -> String {
    fs::read_to_string(path)
        .unwrap()
        .trim_end_matches(' ')
        .to_owned()
}

#[test]
fn what_was_appended_is_read_again_as_it_was_and_can_be_read_by_a_person() {
    let (_dir, path) = filled();
    let (_log, records, damage) = open(&path);
    assert_eq!(
        (records.as_slice(), damage.is_none()),
        (&RECORDS.map(str::to_owned)[..], true)
    );
    let text = text(&path);
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines[0].starts_with(r#"{"n":1,"sum":""#) && lines[0].ends_with(r#"","log":"test 1"}"#)
    );
    assert!(lines[5].starts_with(r#"{"n":6,"sum":""#) && lines[5].ends_with(r#"","d":5}"#));
    for line in lines {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

/// What a damaged log still has is what was appended, and what it lacks is said.
fn judge(what: &str, path: &Path) {
    let (mut log, records, damage) = open(path);
    let is_whole = records == RECORDS;
    let was_there = |record: &String| RECORDS.contains(&record.as_str());
    assert!(records.iter().all(was_there), "{what}: {records:?}");
    assert!(records.is_sorted(), "{what}: {records:?}");
    assert!(
        is_whole || !damage.is_none(),
        "{what}: {records:?} without a word"
    );
    let rewritten = records.clone();
    log.lock(&mut |_| ()).unwrap().rewrite(rewritten).unwrap();
    append(&mut log, &[r#"{"e":6}"#]);
    drop(log);
    let (_, again, damage) = open(path);
    assert!(damage.is_none(), "{what}: {damage} after it was rewritten");
    assert_eq!(
        (&again[..records.len()], again.len()),
        (&records[..], records.len() + 1),
        "{what}"
    );
}

#[test]
fn a_damaged_log_is_left_as_it_is_until_it_is_written_anew() {
    let (_dir, path) = filled();
    let torn = text(&path).len() - 5;
    fs::write(&path, &fs::read(&path).unwrap()[..torn]).unwrap();
    let found = fs::read(&path).unwrap();
    let (mut log, records, damage) = open(&path);
    assert_eq!(
        (records.len(), damage.is_none()),
        (RECORDS.len() - 1, false)
    );
    let refused = log
        .lock(&mut |_| ())
        .unwrap()
        .append("{\"e\":6}", Reserve::Use, Mark::Synced);
    assert!(matches!(refused, Err(LogError::Failed)), "{refused:?}");
    assert_eq!(fs::read(&path).unwrap(), found);
    log.lock(&mut |_| ()).unwrap().rewrite(records).unwrap();
    append(&mut log, &[r#"{"e":6}"#]);
}

#[test]
fn a_flipped_bit_anywhere_is_said_or_changes_nothing() {
    let (dir, path) = filled();
    let beside = dir.path().join("a.newest");
    let (whole, number) = (fs::read(&path).unwrap(), fs::read(&beside).unwrap());
    let written = text(&path).len() + 200;
    for (at, bit) in (0..written).map(|at| (at, 1_u8 << (at % 8))) {
        let mut changed = whole.clone();
        changed[at] ^= bit;
        fs::write(&path, &changed).unwrap();
        fs::write(&beside, &number).unwrap();
        judge(&format!("byte {at}, {bit:#x}"), &path);
    }
    for at in 0..number.len() {
        let mut changed = number.clone();
        changed[at] ^= 4;
        fs::write(&path, &whole).unwrap();
        fs::write(&beside, &changed).unwrap();
        judge(&format!("byte {at} of the number"), &path);
    }
}

#[test]
fn a_log_that_was_cut_or_deleted_says_how_much_of_it_is_lost() {
    let (dir, path) = filled();
    let beside = dir.path().join("a.newest");
    let (whole, number) = (fs::read(&path).unwrap(), fs::read(&beside).unwrap());
    for length in 0..text(&path).len() {
        fs::write(&path, &whole[..length]).unwrap();
        fs::write(&beside, &number).unwrap();
        judge(&format!("cut to {length}"), &path);
    }
    fs::remove_file(&path).unwrap();
    fs::write(&beside, &number).unwrap();
    let looked = Log::read(&path, FORMAT, &mut |_| panic!("it is gone")).unwrap();
    assert_eq!(looked.to_string(), "lost records: 1-6");
    judge("deleted", &path);
    fs::write(&path, &whole).unwrap();
    fs::remove_file(&beside).unwrap();
    let (_, records, damage) = open(&path);
    assert!(records == RECORDS && damage.is_newest_lost);
}

#[test]
fn lines_that_were_moved_doubled_or_left_out_are_said_and_the_others_are_read() {
    let (_dir, path) = filled();
    let lines: Vec<_> = text(&path)
        .lines()
        .map(|line| format!("{line}\n"))
        .collect();
    let cases = [
        (vec![0, 1, 3, 4, 5], vec![0, 2, 3, 4], "lost records: 3"),
        (
            vec![0, 1, 2, 2, 3, 4, 5],
            vec![0, 1, 2, 3, 4],
            "lines that do not belong there: 1",
        ),
        (
            vec![0, 1, 3, 2, 4, 5],
            vec![0, 2, 3, 4],
            "lost records: 3; lines that do not belong there: 1",
        ),
        (vec![1, 2, 3, 4, 5], vec![0, 1, 2, 3, 4], "lost records: 1"),
        (vec![3, 4, 5], vec![2, 3, 4], "lost records: 1-3"),
        (vec![0, 1, 2, 3], vec![0, 1, 2], "lost records: 5-6"),
    ];
    for (left, expected, words) in cases {
        let changed: String = left.iter().map(|at| lines[*at].as_str()).collect();
        fs::write(&path, changed).unwrap();
        let (_, records, damage) = open(&path);
        let expected: Vec<_> = expected.iter().map(|at| RECORDS[*at].to_owned()).collect();
        assert_eq!(
            (records, damage.to_string()),
            (expected, words.to_owned()),
            "{left:?}"
        );
    }
}

#[test]
fn a_write_that_the_power_cut_short_at_any_byte_is_cut_off_and_is_no_damage() {
    let (dir, path) = filled();
    let beside = dir.path().join("a.newest");
    let (before, number) = (fs::read(&path).unwrap(), fs::read(&beside).unwrap());
    let start = text(&path).len();
    append(&mut open(&path).0, &[r#"{"e":6}"#]);
    let line = &fs::read(&path).unwrap()[start..text(&path).len()];
    for torn in 0..line.len() {
        for whole_is_behind in [false, true] {
            let mut changed = before.clone();
            // A sector that comes later may be there, and the one before it not.
            let part = if whole_is_behind {
                torn + 1..line.len()
            } else {
                0..torn
            };
            changed[start..][part.clone()].copy_from_slice(&line[part]);
            fs::write(&path, &changed).unwrap();
            fs::write(&beside, &number).unwrap();
            let (mut log, records, damage) = open(&path);
            assert_eq!(
                (records.as_slice(), damage),
                (&RECORDS.map(str::to_owned)[..], LogDamage::default())
            );
            append(&mut log, &[r#"{"f":7}"#]);
            assert_eq!(open(&path).1.last().unwrap(), r#"{"f":7}"#);
        }
    }
}

#[test]
fn a_log_whose_making_was_cut_short_begins_anew_without_a_word() {
    let (_dir, path) = place();
    drop(open(&path));
    let head = text(&path);
    let beside = path.with_extension("newest");
    for (log, number) in [
        (Some(0), 0),
        (None, 0),
        (Some(head.len() / 2), 128),
        (None, 128),
        (Some(0), 128),
    ] {
        let (_dir, path) = place();
        let found = Newest::locked(&beside).unwrap().0;
        found.create().unwrap();
        let number = fs::read(&beside).unwrap()[..number.min(64)].to_vec();
        fs::write(path.with_extension("newest"), number).unwrap();
        if let Some(length) = log {
            fs::write(&path, &head[..length]).unwrap();
        }
        let (mut log, records, damage) = open(&path);
        assert_eq!((records, damage), (vec![], LogDamage::default()));
        append(&mut log, &RECORDS);
        assert_eq!(open(&path).1, RECORDS);
    }
}

#[test]
fn what_another_writer_appends_is_read_before_the_next_record_and_a_torn_end_of_its_is_cut() {
    let (_dir, path) = filled();
    let (mut one, ..) = open(&path);
    let (mut other, ..) = open(&path);
    append(&mut one, &[r#"{"one":1}"#, r#"{"one":2}"#]);
    let torn = fs::OpenOptions::new().write(true).open(&path).unwrap();
    torn.write_all_at(b"{\"n\":9,\"su", text(&path).len() as u64)
        .unwrap();
    let mut seen = vec![];
    let mut locked = other
        .lock(&mut |record| seen.push(record.to_owned()))
        .unwrap();
    locked
        .append(r#"{"other":3}"#, Reserve::Use, Mark::Written)
        .unwrap();
    drop(locked);
    assert_eq!(seen, [r#"{"one":1}"#, r#"{"one":2}"#]);
    let (_, records, damage) = open(&path);
    assert_eq!(
        (&records[5..], damage.is_none()),
        (
            &["{\"one\":1}", "{\"one\":2}", "{\"other\":3}"].map(str::to_owned)[..],
            true
        )
    );
}

#[test]
fn a_log_that_another_writer_writes_anew_is_read_from_the_beginning_and_goes_on() {
    let (_dir, path) = filled();
    let (mut one, ..) = open(&path);
    let (mut other, ..) = open(&path);
    let mut locked = one.lock(&mut |_| ()).unwrap();
    locked.rewrite([r#"{"kept":1}"#.to_owned()]).unwrap();
    drop(locked);
    assert!(other.has_news());
    let mut seen = vec![];
    let mut locked = other
        .lock(&mut |record| seen.push(record.to_owned()))
        .unwrap();
    locked
        .append(r#"{"other":2}"#, Reserve::Keep, Mark::Synced)
        .unwrap();
    drop(locked);
    assert!(!other.has_news());
    assert_eq!(seen, [r#"{"kept":1}"#]);
    let (_, records, damage) = open(&path);
    assert_eq!(records, [r#"{"kept":1}"#, r#"{"other":2}"#]);
    assert!(damage.is_none(), "{damage}");
    append(&mut one_again(one), &[r#"{"one":3}"#]);
    assert_eq!(open(&path).1.len(), 3);
}

/// The log once it has taken in what others have written.
fn one_again(mut log: Log) -> Log {
    drop(log.lock(&mut |_| ()).unwrap());
    log
}

#[test]
fn eight_writers_at_once_lose_nothing_and_double_nothing() {
    let (_dir, path) = place();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                let (mut log, ..) = open(path);
                for number in 0..20 {
                    let record = format!(r#"{{"writer":{writer},"number":{number}}}"#);
                    let mut locked = log.lock(&mut |_| ()).unwrap();
                    locked
                        .append(&record, Reserve::Keep, Mark::Written)
                        .unwrap();
                }
            });
        }
    });
    let (_, mut records, damage) = open(&path);
    assert!(damage.is_none(), "{damage}");
    assert_eq!(records.len(), 160);
    records.sort();
    records.dedup();
    assert_eq!(records.len(), 160);
}

#[test]
fn on_a_full_disk_only_what_may_use_the_reserve_is_recorded() {
    let (_dir, path) = filled();
    let (mut log, ..) = open(&path);
    log.is_full = true;
    let length = fs::metadata(&path).unwrap().len();
    let record = format!(r#"{{"long":"{}"}}"#, "x".repeat(1_000));
    let mut put = |reserve| {
        let mut locked = log.lock(&mut |_| ()).unwrap();
        locked.append(&record, reserve, Mark::Written)
    };
    let refused = put(Reserve::Keep).unwrap_err();
    assert!(matches!(refused, LogError::Full), "{refused}");
    for _ in 0..RESERVE / (record.len() + AROUND) {
        put(Reserve::Use).unwrap();
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
}

#[test]
fn a_deleted_log_and_one_of_another_format_take_nothing() {
    let (_dir, path) = filled();
    let (mut log, ..) = open(&path);
    let other = Log::open(&path, "test 2", &mut |_| ()).unwrap_err();
    assert_eq!(other.to_string(), r#"its format is {"log":"test 1"}"#);
    fs::remove_file(&path).unwrap();
    let gone = log.lock(&mut |_| ()).unwrap_err();
    assert!(matches!(gone, LogError::Gone(_)), "{gone}");
    assert!(matches!(log.lock(&mut |_| ()), Err(LogError::Failed)));
}

#[test]
fn a_link_or_a_fifo_in_the_place_of_a_log_is_refused() {
    for name in ["a.jsonl", "a.newest"] {
        let (dir, path) = place();
        let fifo = dir.path().join(name);
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        let why = Log::open(&path, FORMAT, &mut |_| ()).unwrap_err();
        assert!(why.to_string().contains("is a FIFO"), "{why}");
    }
}
