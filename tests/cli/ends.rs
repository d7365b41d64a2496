//! Ends in the middle: what is not known, and what was done in part, and the words that say how to go on.

use super::{
    deeds::blinded,
    served::{Served, last_error},
    support::BUY,
    *,
};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    os::unix::process::ExitStatusExt as _,
    process::{Child, ChildStderr, Stdio},
};

/// A verb on its way, that speaks as to a person.
pub(crate) struct Running {
    child: Child,
    err: BufReader<ChildStderr>,
    heard: String,
}

impl Running {
    pub(crate) fn begin(served: &Served, verb: &[&str]) -> Self {
        let mut verb = served.verb(verb);
        let verb = verb.args(["--yes", "--output", "table"]);
        let mut child = verb
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            err: BufReader::new(child.stderr.take().unwrap()),
            child,
            heard: String::new(),
        }
    }

    pub(crate) fn until_it_says(&mut self, words: &str) {
        while !self.heard.contains(words) {
            let count = self.err.read_line(&mut self.heard).unwrap();
            assert_ne!(count, 0, "never {words:?}: {}", self.heard);
        }
    }

    pub(crate) fn interrupt(&self) {
        self.signal("-INT");
    }

    /// Unlike an interrupt, also ends what a shell runs in the background.
    pub(crate) fn terminate(&self) {
        self.signal("-TERM");
    }

    pub(crate) fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let mut kill = Command::new("kill");
        assert!(kill.args([name, &process]).status().unwrap().success());
    }

    /// Exit code, standard output, standard error.
    pub(crate) fn end(mut self) -> (i32, String, String) {
        self.err.read_to_string(&mut self.heard).unwrap();
        let Output { status, stdout, .. } = self.child.wait_with_output().unwrap();
        let out = String::from_utf8(stdout).unwrap();
        let signal = || 128 + status.signal().unwrap();
        (status.code().unwrap_or_else(signal), out, self.heard)
    }
}

#[test]
fn an_order_whose_answer_was_lost_with_its_service_ends_unknown_and_its_key_finds_it_later() {
    let mut served = Served::kept();
    served.plant(&json!({ "kind": "drop_reply", "route": "place_order" }));
    let mut placing = Running::begin(&served, BUY);
    placing.until_it_says("outcome unknown");
    served.kill();
    let (code, out, err) = placing.end();
    assert_eq!((code, out.as_str()), (14, ""), "{err}");
    let repeat = "run the same command with --idempotency-key ";
    let (_, after) = err.split_once(repeat).expect(&err);
    assert!(after.contains(" to repeat it safely"), "{err}");
    let key = after.split(' ').next().unwrap();

    served.again();
    let found = served.json(&with(BUY, &["--yes", "--idempotency-key", key]));
    assert_eq!(served.orders().len(), 1);
    assert_eq!(found["data"]["id"], served.orders()[0]["id"]);
}

#[test]
fn a_verb_that_is_interrupted_before_a_byte_left_says_so_and_leaves_nothing_open() {
    let mut served = Served::kept();
    served.kill();
    let mut canceling = Running::begin(&served, &["cancel", "ord-1"]);
    canceling.until_it_says("again in");
    canceling.interrupt();
    let (code, out, err) = canceling.end();
    assert_eq!((code, out.as_str()), (12, ""), "{err}");
    assert!(err.contains("interrupted; nothing was sent"), "{err}");
    let rows = served.json(&["journal"]);
    assert_eq!(rows[0]["state"], "unsent");
    assert_eq!(rows.as_array().unwrap().len(), 1);
}

#[test]
fn a_verb_that_is_interrupted_when_it_may_have_acted_says_that_nobody_knows() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "drop_reply", "route": "place_order" }));
    let mut placing = Running::begin(&served, BUY);
    placing.until_it_says("outcome unknown");
    placing.interrupt();
    let (code, out, err) = placing.end();
    assert_eq!((code, out.as_str()), (14, ""), "{err}");
    let words = "a request that was already sent may still take effect";
    assert!(err.contains(words), "{err}");
}

#[test]
fn a_close_all_with_a_target_that_cannot_be_closed_is_partial_and_says_how_to_go_on() {
    let served = Served::thin();
    let stuck = served.holding("paper|SOL", 5.0, "cross");
    served.holding("paper|ETH", 1.0, "cross");
    served.eat_bids("paper|SOL", 1_000.0);
    let mut closing = Running::begin(&served, &["close-all"]);
    closing.until_it_says("1 of 2 tried, 1 failed");
    // The account may trade again, and nobody bids for more SOL meanwhile.
    served.post("/sim/clock", &json!({ "advance_ms": 500 }));
    let (code, out, err) = closing.end();
    assert_eq!(code, 15, "{out} {err}");
    assert!(out.contains("1 of 2 submitted, 1 failed"), "{out}");
    assert!(
        out.contains(&format!("position {stuck} failed: market_unavailable")),
        "{out}"
    );
    assert!(
        out.contains(&format!("position {stuck} is still open")),
        "{out}"
    );
    assert!(
        err.contains("run the command again under a new key to close the rest"),
        "{err}"
    );
}

#[test]
fn a_program_is_told_how_to_go_on_as_well() {
    let served = blinded();
    let (code, _, err) = served.run(&with(BUY, &["--yes"]));
    let error = last_error(&err);
    let (key, next) = (&error["idempotency_key"], error["next"].as_str().unwrap());
    assert!(
        code == 14 && next.contains(key.as_str().unwrap()),
        "{error}"
    );
}

#[test]
fn what_nobody_reads_changes_nothing_of_what_is_done_or_how_it_ends() {
    let served = Served::bare();
    let unread = |verb: &[&str]| ran(served.verb(verb).stdout(read_no_more()));
    let (code, _, err) = unread(&with(BUY, &["--yes"]));
    assert_eq!((code, err.as_str(), served.orders().len()), (0, "", 1));
    // One of two is not canceled, whichever is told first.
    let (one, other) = (served.waiting("limit"), served.waiting("limit"));
    served.plant(&json!({ "kind": "before", "route": "cancel_order", "status": 400, "count": 1 }));
    let (code, _, err) = unread(&["cancel", &one, &other, "--yes"]);
    assert_eq!(code, 15, "{err}");
}

#[test]
fn a_markets_name_is_no_id_while_the_list_that_would_tell_cannot_be_read() {
    let served = Served::bare();
    let buy = "place --market btc --side buy --type market --size 0.01 --yes";
    served.json(&buy.split(' ').collect::<Vec<_>>());
    served.plant(&json!({ "kind": "before", "route": "positions", "status": 503 }));
    let (code, error) = served.error(&["close", "btc", "--yes"]);
    assert_eq!(code, 12, "{error}");
    let said = error["message"].as_str().unwrap();
    assert!(
        said.contains("positions could not be read") && said.contains("nothing was sent"),
        "{said}"
    );
    // Its id needs no list.
    served.clear_faults();
    let id = served.positions()[0]["id"].as_str().unwrap().to_owned();
    served.plant(&json!({ "kind": "before", "route": "positions", "status": 503 }));
    served.json(&["close", &id, "--yes"]);
    served.clear_faults();
    let (code, error) = served.error(&["close", "btc", "--yes"]);
    let none = "there is no open position in btc; \"perpdeck positions\" lists them";
    assert_eq!((code, &error["message"]), (13, &json!(none)));

    served.plant(&json!({ "kind": "before", "route": "markets", "status": 503 }));
    let sol = buy.replace("btc", "sol");
    let sol: Vec<_> = sol.split(' ').collect();
    let (code, error) = served.error(&sol);
    let said = error["message"].as_str().unwrap();
    assert!(
        code == 12 && said.contains("write the market id, as in paper|SOL"),
        "{code} {said}"
    );
}

#[test]
fn a_market_that_there_is_not_is_told_with_its_likes_and_one_that_could_not_be_checked_as_such() {
    let served = Served::bare();
    let place = |market: &str, more: &[&str]| {
        let words = format!("place --market {market} --side sell --type market --size 0.1");
        let words: Vec<_> = words.split(' ').collect();
        served.run(&with(&words, more))
    };
    for (market, near) in [
        ("nope", "there is no market nope; the markets are paper|"),
        ("paper|ETHH", "did you mean paper|ETH?"),
    ] {
        for how in ["--dry-run", "--yes"] {
            let (code, out, err) = place(market, &[how]);
            assert!(
                code == 2 && out.is_empty() && err.contains(near),
                "{code} {err}"
            );
        }
    }
    assert_eq!(served.orders(), Vec::<Value>::new());
    // No list holds up what only reduces.
    let (code, _, err) = place("paper|ETHH", &["--reduce-only", "--dry-run"]);
    assert!(code == 0 && err.contains("was not checked"), "{code} {err}");

    served.plant(&json!({ "kind": "before", "route": "markets", "status": 503 }));
    let (code, out, err) = place("paper|ETHH", &["--dry-run"]);
    assert!(code == 0 && out.contains("paper|ETHH"), "{code} {err}");
    let unchecked = "--market paper|ETHH was not checked: the markets could not be read";
    assert!(err.contains(unchecked), "{err}");
}

/// One frame of the desk of a service at this address.
fn pictured(address: &str, key: &str, more: &[&str]) -> (i32, String, String) {
    let home = TempDir::new().unwrap();
    let service = [
        ("PERPDECK_BASE_URL", format!("http://{address}")),
        ("PERPDECK_ACCOUNT_ID", "chal-1".to_owned()),
        ("PERPDECK_API_KEY", key.to_owned()),
    ];
    let mut command = perpdeck(home.path());
    ran(command.envs(service).arg("snapshot").args(more))
}

#[test]
fn a_picture_that_was_not_answered_in_time_shows_what_there_is_and_exits_12() {
    // It takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let (code, frame, err) = pictured(&address, "pp_live_x", &["--wait", "500ms"]);
    assert_eq!(
        (code, said(&err).as_str()),
        (12, "the picture was taken before all answers had arrived\n")
    );
    assert!(
        frame.contains("1 Positions") && frame.contains("loading…"),
        "{frame}"
    );
}

#[test]
fn a_picture_of_a_service_that_is_not_there_or_takes_no_such_key_exits_as_every_verb_does() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = gone.local_addr().unwrap().to_string();
    drop(gone);
    let (code, frame, err) = pictured(&address, "pp_live_x", &[]);
    assert!(
        code == 12
            && said(&err).contains("could not be read")
            && err.contains(r#""kind":"unreachable""#),
        "{code} {err}"
    );
    assert!(frame.contains("failed: unreachable"), "{frame}");

    let served = Served::bare();
    let address = served.base_url.strip_prefix("http://").unwrap();
    let (code, frame, err) = pictured(address, "pp_live_x", &[]);
    assert!(
        code == 10
            && said(&err).contains("could not be read")
            && err.contains(r#""kind":"not authorized""#),
        "{code} {err}"
    );
    assert!(frame.contains("AUTH"), "{frame}");
    let (code, _, err) = pictured(address, served.key(), &[]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn a_market_of_the_paper_exchange_is_not_asked_of_a_service() {
    for flag in [["--seed", "7"], ["--at", "2026-01-05T14:30:00Z"]] {
        let (code, frame, err) = pictured("127.0.0.1:9", "pp_live_x", &flag);
        let words = format!(
            "{} applies to the paper exchange only; a service (base_url) is shown as it is now\n",
            flag[0]
        );
        assert_eq!((code, frame.as_str(), said(&err)), (2, "", words));
    }
}

#[test]
fn a_picture_has_the_columns_of_the_desk_and_that_of_a_seed_its_own() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.1, "cross");
    let state = served.home.path().join("state");
    fs::create_dir(&state).unwrap();
    let chosen = r#"{ "positions": { "shown": ["size", "market"], "hidden": ["side"] } }"#;
    fs::write(state.join("columns.json"), chosen).unwrap();
    let picture = ["snapshot", "--keys", "1 z", "--state-dir", "state"];
    let heading = |frame: &str| {
        let line = frame.lines().find(|line| line.contains("entry")).unwrap();
        let words = line.split_whitespace().filter(|word| word.len() > 3);
        words.take(2).collect::<Vec<_>>().join(" ")
    };
    let (code, frame, err) = served.run(&picture);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(heading(&frame), "size market");
    let (_, frame, _) = ran(perpdeck(served.home.path()).args(picture));
    assert_eq!(heading(&frame), "market side");
}

#[test]
fn a_picture_moves_the_cursor_of_its_chart_as_the_desk_does() {
    let home = TempDir::new().unwrap();
    let price = |keys: &str| -> i64 {
        // The market is the same in both pictures.
        let market = ["--seed", "7", "--at", "2026-01-05T14:30:00Z"];
        let picture = ["snapshot", "--size", "120x40", "--keys", keys];
        let (code, frame, err) = ran(perpdeck(home.path()).args(picture).args(market));
        assert_eq!((code, err.as_str()), (0, ""), "{frame}");
        let after = frame.lines().find_map(|line| line.split_once('›'));
        let (_, price) = after.unwrap_or_else(|| panic!("no cursor on\n{frame}"));
        let digits = price.split('│').next().unwrap_or_default();
        digits.trim().replace(',', "").parse().unwrap()
    };
    // A row of the chart is many dollars high, one of the ladder one.
    let step = price("0 k k") - price("0 k");
    assert!(step >= 5 && step % 5 == 0, "{step}");
}
