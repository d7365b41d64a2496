//! What lies on the disk, and that what was written before the renames is read after them.

use super::{
    super::{
        durable::{FORMAT, LOG},
        support::Paper,
    },
    answers, commands,
};
use perpdeck::{
    api::Request,
    config::{ColumnChoice, keep_columns, memory},
    disk::Log,
    journal::{Claim, ClaimCheck, Intent, IntentId, IntentState, Journal, StateUpdate},
    model::{
        CancelResult, Failure, FailureKind, FlatProof, Order, Proof, Receipt, Risk, Timestamp,
    },
};
use serde_json::value::RawValue;
use std::{
    collections::BTreeMap,
    fmt::Write,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use strum::VariantArray;
use tempfile::TempDir;

/// Names, modes and, where it does not grow, the size.
fn files(dir: &Path) -> String {
    let mut out = String::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        writeln!(out, "{mode:o} {name}").unwrap();
    }
    out
}

fn intent(n: usize, request: Request, risk: Risk, resource: Option<&str>) -> Intent {
    Intent {
        base_url: "https://x.test".to_owned(),
        account_id: "chal-1".into(),
        credential: "c0ffee".to_owned(),
        method: request.method.to_string(),
        target: request.target,
        body: request.body,
        key: Some(format!("k{n}").into()),
        risk,
        command: format!("command {n}"),
        resource: resource.map(str::to_owned),
        parent: None,
        entry: None,
        replaces: None,
        deadline: Timestamp(30_000),
        replay_until: Timestamp(900_000),
    }
}

fn order() -> Order {
    let json = r#"{"id":"ord_1","account_id":"chal-1","market_id":"paper|BTC","provider":"paper","symbol":"BTC",
        "coin":"BTC","type":"limit","mode":"limit","side":"buy","size":1,"expected_price":100,"leverage":1,
        "margin_mode":"cross","reduce_only":false,"status":"resting","requested_at":0,"limit_price":100}"#;
    serde_json::from_str(json).unwrap()
}

/// The ends that are written in words a later session reads again.
fn ends() -> Vec<Result<Receipt, Failure>> {
    let cancel = |canceled, queued| {
        Ok(Receipt::Cancel(CancelResult {
            id: "ord_1".into(),
            canceled,
            queued,
        }))
    };
    let order = |queued| {
        Ok(Receipt::Order {
            order: Box::new(order()),
            queued,
        })
    };
    let failed = |proves| {
        Err(Failure {
            proves,
            status: Some(409),
            code: Some("trigger_would_fire".into()),
            rule_id: Some("max_slippage".into()),
            order_id: Some("ord_2".into()),
            request_id: Some("req_2".into()),
            ..Failure::new(FailureKind::Conflict, "no: it would fire")
        })
    };
    vec![
        order(false),
        order(true),
        cancel(true, false),
        cancel(false, true),
        cancel(false, false),
        Ok(Receipt::AlreadySo("order ord_1 is gone".into())),
        Ok(Receipt::Flat(FlatProof {
            first: Timestamp(1_000),
            second: Timestamp(3_500),
        })),
        failed(Proof::Refused),
        failed(Proof::Unsent),
        failed(Proof::Nothing),
    ]
}

fn record(journal: &mut Journal, at: Timestamp, intent: &Intent) -> IntentId {
    let check = ClaimCheck {
        given_at: at,
        unread: journal.unread(),
        close_all: String::new(),
        waits: false,
        orders_per_second: 0,
    };
    match journal.claim(at, intent, &check).unwrap() {
        Claim::New(id) => id,
        Claim::Known(_) | Claim::Refused(_) => panic!("{intent:?}"),
    }
}

fn fill(journal: &mut Journal) {
    let ends = ends();
    for (n, command) in commands().iter().enumerate() {
        let request = Request::encode(command, "k".into())
            .unwrap_or_else(|_| Request::flatten(&"chal-1".into()));
        let resource = command.resource();
        let intent = intent(n, request, command.risk(), resource.raw());
        let at = Timestamp(1_000 + i64::try_from(n).unwrap());
        let id = record(journal, at, &intent);
        journal.mark_inflight(id).unwrap();
        let Some(end) = ends.get(n) else { continue };
        journal.attempt(at, id, end.as_ref().err()).unwrap();
        journal.record_state(at, id, &StateUpdate::of(end)).unwrap();
    }
    for (n, state) in IntentState::VARIANTS.iter().enumerate() {
        let request = Request::flatten(&"chal-1".into());
        let intent = intent(100 + n, request, Risk::Reducing, Some("chal-1"));
        let id = record(journal, Timestamp(2_000), &intent);
        let update = StateUpdate::new(*state, "why");
        journal.record_state(Timestamp(2_001), id, &update).unwrap();
    }
    let (service, account) = ("https://x.test", "chal-2".into());
    let halts = journal.halts();
    halts.halt(service, &account, "it was flattened").unwrap();
}

/// Without the space written ahead, the checksums, and the salt, which is random.
fn lines(dir: &Path) -> String {
    let text = fs::read_to_string(dir.join("journal.jsonl")).unwrap();
    let lines = text.trim_end_matches(' ').lines().map(|line| {
        let (start, rest) = line.split_once("\"sum\":\"").unwrap();
        let rest = &rest[16..];
        let rest = match rest.split_once("\"salt\":\"") {
            Some((begin, salted)) => format!("{begin}\"salt\":\"SALT{}", &salted[36..]),
            None => rest.to_owned(),
        };
        // The writer is random, too.
        let rest = match rest.split_once("\"by\":") {
            Some((begin, by)) => format!(
                "{begin}\"by\":BY{}",
                by.trim_start_matches(|c: char| c.is_ascii_digit())
            ),
            None => rest,
        };
        format!("{start}\"sum\":\"SUM{rest}\n")
    });
    lines.collect()
}

#[test]
fn the_journal_is_written_as_it_is_today() {
    let dir = TempDir::new().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    fill(&mut journal);
    drop(journal);
    let mut out = files(dir.path());
    out += &lines(dir.path());
    let newest = fs::read_to_string(dir.path().join("journal.newest")).unwrap();
    writeln!(out, "journal.newest: {newest:?}").unwrap();
    let halted = fs::read_to_string(dir.path().join("halted")).unwrap();
    writeln!(out, "halted: {:?}", halted.trim_end_matches(['\0', ' '])).unwrap();
    insta::assert_snapshot!(out);
}

/// The files beside this one, copied: opening them may change them.
fn fixture(name: &str) -> TempDir {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/contract/frozen")
        .join(name);
    let dir = TempDir::new().unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = dir.path().join(path.file_name().unwrap());
        fs::copy(&path, &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).unwrap();
    }
    dir
}

/// To be run once, by hand, with the code whose format is meant: `FROZEN=write cargo test --test contract frozen`.
fn write_fixture(name: &str, dir: &Path) {
    if std::env::var("FROZEN").is_err() {
        return;
    }
    let to = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/contract/frozen")
        .join(name);
    fs::create_dir_all(&to).unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // Of processes that are over.
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            // The space that is written ahead.
            bytes.truncate(bytes.trim_ascii_end().len() + 1);
        }
        fs::write(to.join(path.file_name().unwrap()), bytes).unwrap();
    }
}

#[test]
fn a_journal_that_was_written_earlier_is_whole_and_is_read() {
    let written = TempDir::new().unwrap();
    let mut journal = Journal::open(written.path()).unwrap();
    fill(&mut journal);
    drop(journal);
    write_fixture("journal", written.path());

    let dir = fixture("journal");
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!(journal.damage(), None);
    assert!(journal.failure().is_none());
    let halted = journal.halts().of("https://x.test", &"chal-2".into());
    assert_eq!(halted.as_deref(), Some("it was flattened"));
    let mut out = String::new();
    let mut found = journal.recent(100).unwrap();
    found.reverse();
    for entry in found {
        let request = Request {
            method: entry.intent.method.parse().unwrap(),
            target: entry.intent.target.clone(),
            key: None,
            body: entry.intent.body.clone(),
        };
        let command = request.command();
        let command = command.map(|command| command.classed(entry.intent.risk));
        let again = command.and_then(|command| {
            let again = Request::encode(&command, "k".into()).ok()?;
            assert_eq!(
                (&again.target, &again.body),
                (&request.target, &request.body)
            );
            Some((command.risk(), command.resource()))
        });
        let status = entry
            .outcome
            .as_ref()
            .and_then(perpdeck::journal::Outcome::order_status);
        let failure = entry.failure().map(|why| (why.kind, why.proves, why.code));
        writeln!(
            out,
            "{} {} {} {again:?} {:?} {status:?} {failure:?}",
            entry.id.0,
            entry.state,
            entry.intent.risk,
            entry.detail(),
        )
        .unwrap();
    }
    insta::assert_snapshot!(out);
}

#[test]
fn the_files_of_the_state_directory_are_written_as_they_are_today() {
    let dir = TempDir::new().unwrap();
    let choice = ColumnChoice {
        shown: vec!["market".to_owned()],
        hidden: vec!["size".to_owned()],
    };
    keep_columns(dir.path(), "positions", Some(choice)).unwrap();
    assert!(memory::is_first_tour(dir.path()));
    let mut out = files(dir.path());
    out += &fs::read_to_string(dir.path().join("columns.json")).unwrap();
    out += "\n";
    insta::assert_snapshot!(out);
}

/// The changes in the lines of an exchange's log: their names, and what is in those that are the same in every session.
fn changes(dir: &Path) -> String {
    let (mut out, mut chunks) = (String::new(), BTreeMap::<String, usize>::new());
    let take = &mut |line: &str| {
        let line: BTreeMap<String, Vec<Box<RawValue>>> = serde_json::from_str(line).unwrap();
        for change in &line["changes"] {
            let change = change.get();
            let name = change.split(':').next().unwrap();
            match name {
                "{\"chunk\"" => {
                    let table = change.split('"').nth(5).unwrap();
                    *chunks.entry(table.to_owned()).or_default() += 1;
                }
                "{\"input\"" | "{\"key\"" | "{\"operation\"" => {
                    writeln!(out, "{change}").unwrap();
                }
                _ => writeln!(out, "{name}").unwrap(),
            }
        }
    };
    let damage = Log::read(&dir.join(LOG), FORMAT, take).unwrap();
    assert!(damage.is_none(), "{damage}");
    writeln!(out, "chunks: {chunks:?}").unwrap();
    out
}

/// The exchange's own: rows and close-alls by `postcard`, whose bytes are the order of the fields, all else in JSON.
#[tokio::test]
async fn the_exchange_keeps_what_it_keeps_today_and_reads_what_it_kept() {
    let written = TempDir::new().unwrap();
    let paper = Paper::kept(written.path()).await;
    let _told = answers::trade(&paper).await;
    let told = answers::lists(&paper).await;
    paper.stop().await;
    let out = files(written.path()) + &changes(written.path());
    insta::assert_snapshot!("exchange_on_disk", out);
    write_fixture("exchange", written.path());
    for dir in [written, fixture("exchange")] {
        let paper = Paper::kept(dir.path()).await;
        assert_eq!(answers::lists(&paper).await, told);
        paper.stop().await;
    }
}
