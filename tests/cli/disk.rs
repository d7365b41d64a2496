//! Verbs beside a disk that hangs: a journal whose writer was stopped in the middle of a write.

use super::{ends::Running, support::BUY, support::Served, *};

/// An exchange, and a journal that does not open while this is there.
fn hung() -> (Served, fs::File) {
    let served = Served::bare();
    let state = served.home.path().join(".local/state/perpdeck");
    drop(perpdeck::journal::Journal::open(&state).unwrap());
    let locked = fs::File::open(state.join("journal.newest")).unwrap();
    locked.lock().unwrap();
    (served, locked)
}

const WORDS: &str = "does not answer: its disk hangs, or a perpdeck that is stopped has it locked";

#[test]
fn what_cancels_goes_out_and_says_that_the_journal_may_not_hold_it() {
    let (served, _locked) = hung();
    let placed = served.json(&with(BUY, &["--yes", "--state-dir", "another"]));
    let id = placed["data"]["id"].as_str().unwrap();
    let (code, out, err) = served.run(&["cancel", id, "--yes", "--output", "table"]);
    assert_eq!((code, out), (0, format!("order {id}: canceled\n")), "{err}");
    assert!(
        err.contains("closes and cancels do not wait for it"),
        "{err}"
    );
    assert!(
        err.contains("the outcome may be missing in the journal"),
        "{err}"
    );
    assert_eq!(served.orders()[0]["status"], "canceled");
}

#[test]
fn an_order_waits_and_says_for_what_and_nothing_is_sent_meanwhile() {
    let (served, _locked) = hung();
    let mut placing = Running::begin(&served, BUY);
    placing.until_it_says("; nothing is sent before it does");
    placing.terminate();
    let (code, out, err) = placing.end();
    assert_eq!((code, out.as_str()), (143, ""), "{err}");
    assert_eq!(served.orders(), Vec::<serde_json::Value>::new());
}

#[test]
fn who_only_looks_waits_for_nobody_and_the_doctor_says_what_hangs() {
    let (served, _locked) = hung();
    let (code, out, err) = served.run(&["journal", "--output", "json"]);
    assert_eq!((code, out.trim()), (0, "[]"), "{err}");
    let (_, out, _) = served.run(&["doctor", "--output", "table"]);
    assert!(out.contains(WORDS), "{out}");
}

/// `close-all` in a shell with this limit; its exit code and standard error.
fn closing_with(limit: &str) -> (i32, String) {
    let served = Served::bare();
    served.holding("paper|SOL", 5.0, "isolated");
    let verb = served.verb(&["close-all", "--yes", "--state-dir", "another"]);
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c");
    shell.arg(format!("ulimit {limit}; exec \"$0\" \"$@\""));
    shell.arg(verb.get_program()).args(verb.get_args());
    for (name, value) in verb.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    if let Some(dir) = verb.get_current_dir() {
        shell.current_dir(dir);
    }
    let (code, _, err) = ran(&mut shell);
    (code, err)
}

#[test]
fn a_limit_on_file_sizes_or_open_files_stops_the_journal_and_no_exit() {
    for limit in ["-f 1", "-n 16", "-n 24"] {
        let (code, err) = closing_with(limit);
        assert_eq!(code, 0, "{limit}: {err}");
        assert!(err.contains("sent without the journal"), "{limit}: {err}");
    }
    let (code, err) = closing_with("-n 6");
    assert!(
        code == 1 && err.contains("too few files and connections may be open at once"),
        "{code} {err}"
    );
}
