use super::*;
use crate::{
    app::{
        Mode, Profile,
        account::{
            trades::{OpenBracket, TradeLog},
            watchlists::Watchlists,
        },
        activity::{
            notice::Tone,
            user_alerts::{
                AlertEdit, AlertRepeat, AlertSubject, AlertTrigger, KeptAlerts, UserAlert,
            },
        },
    },
    journal::Journal,
    model::{Num, Side, Timestamp},
    runtime::{base::process::ProcessKind, journal::journal_writer::JournalWriter},
};
use std::{fs, os::unix::fs::PermissionsExt as _};
use tokio::sync::mpsc::channel as mail;

fn identity(mode: Mode, base_url: &str) -> Identity {
    Identity {
        mode,
        account_id: "chal-1".into(),
        base_url: base_url.to_owned(),
        profile: Profile::default(),
    }
}

fn alert(level: i64) -> UserAlert {
    UserAlert::new(
        (
            AlertSubject::Price("paper|BTC".into()),
            AlertTrigger::CrossingUp,
            Num::new(level, 1),
        ),
        AlertRepeat::Every,
        None,
        Timestamp(1_790_000_000_000),
    )
}

/// Runs the thread's work here: reads, writes what it is given, and answers all that was said.
fn session(dir: &Path, writes: Vec<KeptState>) -> Vec<Msg> {
    session_with(dir, KeptAccess::Writable, writes)
}

fn session_with(dir: &Path, access: KeptAccess, writes: Vec<KeptState>) -> Vec<Msg> {
    session_of(dir, (access, None), writes)
}

/// The same in the process that is this writer.
fn session_of(
    dir: &Path,
    (access, own): (KeptAccess, Option<WriterId>),
    writes: Vec<KeptState>,
) -> Vec<Msg> {
    let (inbox, mut said) = mail(16);
    let (sender, wanted) = channel();
    for write in writes {
        sender.send(write).unwrap();
    }
    drop(sender);
    serve(dir, "paper-chal-1", (access, || own), &wanted, &inbox);
    drop(inbox);
    std::iter::from_fn(|| said.blocking_recv()).collect()
}

fn keep(levels: &[i64]) -> KeptState {
    KeptState::Alerts(Box::new(KeptAlerts {
        alerts: levels.iter().map(|level| alert(*level)).collect(),
    }))
}

#[test]
fn what_one_session_keeps_the_next_reads_and_the_newest_state_wins() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut trades = TradeLog::default();
    trades.write(&"pos-1".into(), "plan #late", Timestamp(1));
    let lists: Watchlists =
        serde_json::from_str(r#"{"lists":[{"name":"scalps","markets":["paper|BTC"]}]}"#).unwrap();
    let writes = vec![
        keep(&[660_005]),
        keep(&[1, 2]),
        KeptState::Trades(Box::new(trades)),
        KeptState::Watchlists(Box::new(lists.clone())),
    ];
    assert_eq!(session(&state, writes), []);
    let said = session(&state, vec![]);
    let [
        Msg::Kept(KeptState::Alerts(alerts)),
        Msg::Kept(KeptState::Watchlists(again)),
        Msg::Kept(KeptState::Trades(trades)),
    ] = said.as_slice()
    else {
        panic!("{said:?}");
    };
    assert_eq!(alerts.alerts, [alert(1), alert(2)]);
    assert_eq!(trades.text(&"pos-1".into()), "plan #late");
    assert_eq!(**again, lists);
    let file = state.join("alerts-paper-chal-1.json");
    let mode = fs::metadata(file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}

/// The alerts of a desk, its file, and what it hears.
fn shared(dir: &Path) -> (SharedAlerts, Inbox<Msg>, tokio::sync::mpsc::Receiver<Msg>) {
    let (inbox, said) = mail(16);
    let mut alerts = SharedAlerts::new(dir, "paper-chal-1", KeptAccess::Writable);
    alerts.read(&inbox);
    (alerts, inbox, said)
}

fn kept(levels: &[i64]) -> KeptAlerts {
    let alerts = levels.iter().map(|level| alert(*level));
    KeptAlerts {
        alerts: alerts.collect(),
    }
}

#[test]
fn a_desk_hears_what_another_process_changed_and_never_writes_over_it() {
    let dir = tempfile::tempdir().unwrap();
    let identity = identity(Mode::Paper, "http://127.0.0.1:1");
    session(dir.path(), vec![keep(&[1, 2])]);
    let (mut alerts, inbox, mut said) = shared(dir.path());
    alerts.look(&inbox);
    assert!(said.try_recv().is_err(), "nothing was changed");
    let mut locked = change_alerts(dir.path(), &identity).unwrap();
    locked.kept = kept(&[2, 3]);
    locked.save().unwrap();
    // The desk has set one meanwhile, and knows nothing of that change.
    alerts.write(kept(&[1, 2, 4]), &inbox);
    let heard = said.try_recv().unwrap();
    let edit = AlertEdit {
        removed: vec![alert(1)],
        added: vec![alert(3)],
    };
    assert_eq!(heard, Msg::AlertsEdited(edit));
    let found = || kept_alerts(dir.path(), &identity).unwrap();
    assert_eq!(found(), kept(&[2, 3]));
    // What both come to, as the desk answers.
    alerts.write(kept(&[2, 4, 3]), &inbox);
    assert_eq!(found(), kept(&[2, 4, 3]));
    alerts.look(&inbox);
    assert!(said.try_recv().is_err(), "its own change is no news");
}

#[test]
fn a_process_that_is_stopped_in_the_middle_of_a_change_keeps_nobody_waiting_for_ever() {
    let dir = tempfile::tempdir().unwrap();
    let stopped = file::lock(dir.path()).unwrap();
    let why = file::lock_within(dir.path(), Duration::ZERO).unwrap_err();
    assert!(why.to_string().contains("is it stopped?"), "{why}");
    drop(stopped);
    // What was given up is given back.
    drop(file::lock(dir.path()).unwrap());
    file::lock(dir.path()).unwrap();
}

#[test]
fn what_another_desk_knows_of_an_alert_is_no_change_of_it() {
    let dir = tempfile::tempdir().unwrap();
    session(dir.path(), vec![keep(&[1])]);
    let (mut first, inbox, mut said) = shared(dir.path());
    let (mut second, ..) = shared(dir.path());
    let mut fired = kept(&[1]);
    fired.alerts[0].fired_at = Some(Timestamp(1_790_000_001_000));
    second.write(fired, &inbox);
    first.look(&inbox);
    assert!(said.try_recv().is_err());
}

#[test]
fn a_damaged_file_is_refused_in_words_and_kept_aside_and_the_next_write_begins_anew() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("alerts-paper-chal-1.json");
    for (number, damage) in [
        (1, "{\"version\":1,\"kept\":{\"alerts\":[3]}}"),
        (2, "{\"ver"),
    ] {
        fs::write(&file, damage).unwrap();
        let said = session(dir.path(), vec![keep(&[7])]);
        let [Msg::Notify(Tone::Alert, words)] = said.as_slice() else {
            panic!("{said:?}");
        };
        let aside = format!("alerts-paper-chal-1.json.damaged-{number}");
        assert!(
            words.contains("are damaged") && words.contains(&aside),
            "{words}"
        );
        assert_eq!(fs::read_to_string(dir.path().join(aside)).unwrap(), damage);
        let again = session(dir.path(), vec![]);
        assert!(
            matches!(again.as_slice(), [Msg::Kept(KeptState::Alerts(_))]),
            "{again:?}"
        );
    }
}

#[test]
fn a_file_of_a_later_version_is_no_file_of_this_one() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("alerts-paper-chal-1.json"),
        r#"{"version":2,"kept":{"alerts":[]}}"#,
    )
    .unwrap();
    let said = session(dir.path(), vec![]);
    assert!(format!("{said:?}").contains("version 2 is not known here"));
}

#[test]
fn what_cannot_be_read_is_left_alone_and_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("alerts-paper-chal-1.json");
    fs::create_dir(&file).unwrap();
    let said = session(dir.path(), vec![keep(&[7])]);
    assert!(
        format!("{said:?}").contains("not kept in this session"),
        "{said:?}"
    );
    assert!(file.is_dir());
}

#[test]
fn a_paper_account_goes_by_its_id_and_a_services_by_its_address_too() {
    let paper = |port| name(&identity(Mode::Paper, port));
    assert_eq!(paper("http://127.0.0.1:4000"), "paper-chal-1");
    assert_eq!(paper("http://127.0.0.1:5000"), "paper-chal-1");
    let live = name(&identity(Mode::LiveApi, "https://api.example.com/v1"));
    assert_eq!(live, "api.example.com_v1-chal-1");
}

/// A market in which a desk runs a bracket.
fn running(market: &str) -> KeptState {
    let bracket = OpenBracket {
        order: Some("ord-1".into()),
        market: market.into(),
        side: Side::Buy,
        targets: vec![],
    };
    let mut trades = TradeLog::default();
    trades.run_brackets(vec![bracket]);
    KeptState::Trades(Box::new(trades))
}

/// What a living desk hears of the trades.
fn heard(
    trades: &mut SharedTrades,
    (inbox, said): &mut (Inbox<Msg>, tokio::sync::mpsc::Receiver<Msg>),
) -> Vec<String> {
    trades.look(inbox);
    let heard = std::iter::from_fn(|| said.try_recv().ok());
    let markets = heard.flat_map(|msg| {
        let Msg::Kept(KeptState::Trades(trades)) = msg else {
            panic!("{msg:?}");
        };
        let open = trades.running_brackets().iter();
        open.map(|bracket| bracket.market.to_string())
            .collect::<Vec<_>>()
    });
    markets.collect()
}

#[test]
fn a_living_desk_takes_over_the_brackets_of_a_desk_or_verb_that_ends_later() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Journal::open(dir.path()).unwrap();
    let own = open();
    let mut mail = mail(16);
    let (name, access) = ("paper-chal-1", KeptAccess::Writable);
    let mut desk = SharedTrades::new(dir.path(), name, access, own.writer());
    assert_eq!(heard(&mut desk, &mut mail), [""; 0]);
    let other = open();
    let access = (KeptAccess::Writable, other.writer());
    session_of(dir.path(), access, vec![running("paper|BTC")]);
    assert_eq!(heard(&mut desk, &mut mail), [""; 0], "it lives");
    drop(other);
    assert_eq!(heard(&mut desk, &mut mail), ["paper|BTC"]);
    assert_eq!(heard(&mut desk, &mut mail), [""; 0], "once");

    let verb = open();
    let left = |market: &str| {
        let KeptState::Trades(trades) = running(market) else {
            panic!("a bracket");
        };
        trades.running_brackets().first().cloned()
    };
    let keep = |open| {
        let identity = identity(Mode::Paper, "");
        keep_bracket(dir.path(), &identity, (verb.writer().unwrap(), open)).unwrap();
    };
    keep(left("paper|ETH"));
    assert_eq!(heard(&mut desk, &mut mail), [""; 0], "it lives");
    keep(None);
    keep(left("paper|SOL"));
    drop(verb);
    assert_eq!(heard(&mut desk, &mut mail), ["paper|SOL"]);
    drop(own);
    let next = open();
    let said = session_of(dir.path(), (KeptAccess::Writable, next.writer()), vec![]);
    let [Msg::Kept(KeptState::Trades(kept))] = said.as_slice() else {
        panic!("{said:?}");
    };
    assert_eq!(kept.running_brackets().len(), 2, "those of the desk itself");
}

#[test]
fn a_bracket_is_nobody_elses_while_its_desk_lives_and_the_next_ones_after_that() {
    let dir = tempfile::tempdir().unwrap();
    let open = || Journal::open(dir.path()).unwrap();
    let session = |journal: &Journal, writes: Vec<KeptState>| {
        assert!(journal.writer().is_some());
        session_of(dir.path(), (KeptAccess::Writable, journal.writer()), writes)
    };
    let found = |said: &[Msg]| {
        let trades = said.iter().find_map(|msg| {
            let Msg::Kept(KeptState::Trades(trades)) = msg else {
                return None;
            };
            Some(trades)
        });
        let open = trades.unwrap().running_brackets().iter();
        let markets: Vec<_> = open.map(|bracket| bracket.market.to_string()).collect();
        markets
    };
    let first = open();
    session(&first, vec![running("paper|BTC")]);
    let second = open();
    assert_eq!(
        found(&session(&second, vec![running("paper|ETH")])),
        [""; 0]
    );
    let third = open();
    assert_eq!(found(&session(&third, vec![])), [""; 0]);
    drop(first);
    assert_eq!(found(&session(&third, vec![])), ["paper|BTC"]);
    let fourth = open();
    assert_eq!(
        found(&session(&fourth, vec![])),
        [""; 0],
        "it is the third's"
    );
    drop((second, third));
    let left = found(&session(&fourth, vec![]));
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_dry_run_reads_the_alerts_and_notes_and_writes_over_neither() {
    let dir = tempfile::tempdir().unwrap();
    let mut trades = TradeLog::default();
    trades.write(&"pos-1".into(), "plan #late", Timestamp(1));
    session(
        dir.path(),
        vec![keep(&[640_000]), KeptState::Trades(Box::new(trades))],
    );
    let files = || {
        let entries = fs::read_dir(dir.path()).unwrap();
        let mut files: Vec<_> = entries
            .map(|entry| entry.unwrap().path())
            .map(|path| (fs::read(&path).unwrap(), path))
            .collect();
        files.sort();
        files
    };
    let before = files();
    let none = KeptState::Trades(Box::default());
    let said = session_with(dir.path(), KeptAccess::DryRun, vec![keep(&[]), none]);
    let read = |msg: &&Msg| matches!(msg, Msg::Kept(_));
    assert_eq!(said.iter().filter(read).count(), 2);
    let words = "dry run: your alerts are not kept for the next session";
    let told = |msg: &Msg| matches!(msg, Msg::Notify(Tone::Plain, text) if text == words);
    assert_eq!(said.iter().filter(|msg| told(msg)).count(), 1);
    assert_eq!(files(), before);

    // A damaged file stays where a desk that trades will find it.
    fs::write(dir.path().join("alerts-paper-chal-1.json"), "{").unwrap();
    let damaged = files();
    session_with(dir.path(), KeptAccess::DryRun, vec![keep(&[650_000])]);
    assert_eq!(files(), damaged);
}

#[test]
fn what_is_kept_in_the_last_moment_is_on_the_disk_when_the_desk_lets_go_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let identity = identity(Mode::Paper, "http://127.0.0.1:1");
    let (inbox, _said) = mail(16);
    let dir_path = dir.path().to_owned();
    let place = dir.path().join("journal");
    let journal = JournalAccess::Writer(JournalWriter::spawn(
        ProcessKind::Desk,
        dir.path(),
        move || Journal::open(&place),
        |_| (),
        inbox.clone(),
    ));
    let files = KeptFiles::start(dir_path, &identity, &journal, inbox);
    files.write(keep(&[7]));
    drop(files);
    let kept = kept_alerts(dir.path(), &identity).unwrap();
    assert_eq!(kept.alerts, [alert(7)]);
}
