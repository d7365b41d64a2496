//! The command line beside a desk that is open on the same account: three real processes.

use super::{
    session::{self, Session},
    support::{BUY, Served, with},
    *,
};
use perpdeck::journal::IntentState;
use std::{
    fs::File,
    path::{Path, PathBuf},
};

const BUY_AT_MARKET: &[&str] = &[
    "place",
    "--market",
    "paper|ETH",
    "--side",
    "buy",
    "--type",
    "market",
    "--size",
    "1",
    "--yes",
];

impl Served {
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn signal(&self, name: &str) {
        session::signal(self.child.id(), name);
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.home().join(".local/state/perpdeck")
    }

    /// Whether a desk has the journal open, and flattens on SIGUSR1.
    pub(crate) fn has_desk(&self) -> bool {
        let processes = perpdeck::journal::writer_processes(&self.state_dir());
        processes.iter().any(|process| process.listens)
    }

    /// A desk that has its journal open.
    pub(crate) fn desk(&self, more: &[&str]) -> Session {
        self.desk_showing("2 Working orders 0", more)
    }

    /// Stops a desk while it changes nothing: a verb would wait for a lock that a stopped desk holds.
    fn stop(&self, desk: &Session) {
        let locks =
            ["", "journal.newest"].map(|name| File::open(self.state_dir().join(name)).unwrap());
        for file in &locks {
            file.lock().unwrap();
        }
        desk.signal("STOP");
        session::wait_until_stopped(desk.pid());
    }

    fn desk_showing(&self, text: &str, more: &[&str]) -> Session {
        let desk = Session::start_with(self.home(), SIZE, more, &self.environment());
        desk.wait_for(text);
        desk.wait_until("its journal", |_| self.has_desk());
        desk
    }
}

#[test]
fn what_is_typed_beside_an_open_desk_is_seen_on_it_and_stands_in_the_one_journal() {
    let service = Served::bare();
    let mut desk = service.desk(&[]);
    let placed = service.json(&with(BUY, &["--yes", "--idempotency-key", "mine"]));
    assert_eq!(placed["idempotency_key"], "mine");
    desk.wait_for("2 Working orders 1");
    desk.press("7");
    desk.wait_for("another perpdeck");
    // Done once, whoever asks again and however often; and noted in the one journal.
    let again = service.json(&with(BUY, &["--yes", "--idempotency-key", "mine"]));
    assert_eq!(again["data"]["id"], placed["data"]["id"]);
    assert_eq!(service.json(&["orders"]).as_array().unwrap().len(), 1);
    let noted = service.json(&["journal"]);
    assert_eq!(
        (&noted[0]["idempotency_key"], &noted[0]["state"]),
        (&"mine".into(), &"done".into())
    );
    assert_eq!(noted.as_array().unwrap().len(), 1);

    service.json(&["cancel", placed["data"]["id"].as_str().unwrap(), "--yes"]);
    desk.wait_for("2 Working orders 0");
    service.json(BUY_AT_MARKET);
    desk.wait_for("1 Positions 1");
    let flat = service.json(&["flatten", "--yes"]);
    assert_eq!(flat["data"]["flat"], true);
    desk.wait_for("1 Positions 0");
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn an_alert_that_is_set_or_removed_beside_an_open_desk_is_soon_the_desks() {
    let service = Served::bare();
    service.json(&["alert", "add", "eth", "above", "9000"]);
    let mut desk = service.desk(&[]);
    let added = service.json(&["alert", "add", "btc", "above", "166000"]);
    assert_eq!(added["data"]["alert"], "btc > 166000");
    desk.wait_for("alert set: btc > 166000");
    desk.press("#");
    desk.wait_for("Your alerts 2 armed");
    let replaced = [
        "alert",
        "add",
        "btc",
        "below",
        "1000",
        "--replaces",
        added["data"]["id"].to_string().as_str(),
    ]
    .map(str::to_owned);
    service.json(&replaced.each_ref().map(String::as_str));
    service.json(&["alert", "remove", "1"]);
    desk.wait_for("Your alerts 1 armed");
    desk.wait_for("< 1,000");
    let list = service.json(&["alert", "list"]);
    assert_eq!(
        (list.as_array().unwrap().len(), &list[0]["alert"]),
        (1, &"btc < 1000".into())
    );
    // A desk that is stopped has it when it goes on, and keeps it beside its own.
    service.stop(&desk);
    service.json(&["alert", "add", "btc", "above", "170000"]);
    desk.signal("CONT");
    desk.wait_for("Your alerts 2 armed");
    desk.press("\u{3}");
    assert_given_back(desk, 0);
    assert_eq!(service.json(&["alert"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_desk_in_a_dry_run_sends_and_journals_nothing_and_leaves_the_way_out_to_the_verbs() {
    let service = Served::bare();
    service.json(BUY_AT_MARKET);
    let journal = service.home().join(".local/state/perpdeck/journal.jsonl");
    for file in [journal.clone(), journal.with_extension("newest")] {
        std::fs::remove_file(file).unwrap();
    }
    let environment = service.environment();
    let mut desk = Session::start_with(service.home(), SIZE, &["--dry-run"], &environment);
    desk.wait_for("1 Positions 1");
    desk.wait_for("DRY-RUN");
    desk.press("b");
    desk.wait_for("new order BUY");
    desk.press("0.05");
    desk.sends();
    desk.wait_for("dry run: not sent");
    desk.wait_for("POST /v1/orders");
    // A form that is sent closes, so no Esc is due; one would make an Alt+7 of what follows.
    desk.wait_until("the form gone", |screen| !screen.contains("new order BUY"));
    desk.press("7z");
    // `X` drops the keys that still wait.
    desk.wait_until("the activity", |screen| {
        !screen.contains("no closed positions")
    });
    desk.press("X");
    desk.wait_until("the close-all told", |screen| {
        screen.matches("close-all-positions").count() >= 1
    });
    desk.signal("USR1");
    desk.wait_until("the flatten told", |screen| {
        screen.matches("close-all-positions").count() >= 2
    });
    assert!(!journal.exists() && !service.has_desk());
    desk.wait_for("1 Pos 1");
    let flat = service.json(&["flatten", "--yes"]);
    assert_eq!(flat["data"]["flat"], true);
    desk.wait_for("1 Pos 0");
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn a_resting_order_that_is_moved_keeps_its_id_and_its_size() {
    let service = Served::bare();
    let placed = service.json(&with(BUY, &["--yes"]));
    let mut desk = service.desk_showing("2 Working orders 1", &[]);
    desk.press("2");
    desk.wait_for("m move");
    desk.press("m");
    desk.wait_for("▸ limit price");
    // The whole of it is replaced: ctrl-u empties the field.
    desk.press("\u{15}55000");
    desk.sends();
    // The message of what is being sent names the price, too.
    desk.wait_until("the order at its new price", |screen| {
        let rests = |line: &str| line.contains(" working ") && line.contains(" 55,000 ");
        screen.lines().any(rests) && !screen.contains("sending")
    });
    let answer = service.call("GET", "/v1/orders?account_id=chal-1", None);
    let orders = answer["data"].as_array().unwrap();
    let told: Vec<_> = orders
        .iter()
        .map(|order| {
            (
                order["status"].as_str().unwrap(),
                order["limit_price"].as_f64().unwrap(),
                order["size"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("resting", 55_000.0, 0.01)]);
    assert_eq!(orders[0]["id"], placed["data"]["id"]);
    // One request more, and it placed nothing.
    let noted = service.json(&["journal"]);
    assert_eq!(noted.as_array().unwrap().len(), 2);
    assert_eq!(noted[0]["state"], "done", "{noted}");
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn beside_a_halted_desk_margin_is_added_and_a_stop_only_moved_nearer() {
    let service = Served::bare();
    service.json(&["flatten", "--yes"]);
    let place = |kind, market, terms: &str| {
        let body = format!(
            r#"{{"type":"{kind}","account_id":"chal-1","market_id":"paper|{market}","side":"buy","leverage":5,{terms}}}"#
        );
        let body = serde_json::from_str(&body).unwrap();
        service.call("POST", "/v1/orders", Some(&body))
    };
    place("market", "SOL", r#""size":5,"margin_mode":"isolated""#);
    let order = place(
        "limit",
        "BTC",
        r#""size":0.01,"limit_price":50000,"margin_mode":"cross""#,
    );
    let order = order["data"]["id"].as_str().unwrap();
    let positions = service.json(&["positions"]);
    let position = positions[0]["id"].as_str().unwrap();
    let desk = service.desk_showing("HALTED", &[]);
    let margin = |extra| {
        service
            .run(&["margin", position, "--extra", extra, "--yes"])
            .0
    };
    assert_eq!(["+5", "200", "-5"].map(margin), [0, 0, 13]);
    let exits = |stop| {
        service
            .run(&["exits", order, "--stop-loss", stop, "--yes"])
            .0
    };
    assert_eq!(["45000", "46000", "45500"].map(exits), [0, 0, 13]);
    desk.signal("TERM");
    assert_given_back(desk, 143);
}

#[test]
fn beside_a_desk_what_never_left_under_its_key_is_checked_like_new() {
    let service = Served::bare();
    let settings = service.home().join(".config/perpdeck/config.toml");
    let limit = |size: &str| {
        std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
        std::fs::write(&settings, format!("[checks]\nmax_size = \"{size}\"\n")).unwrap();
    };
    let mine = with(BUY, &["--yes", "--idempotency-key", "mine"]);
    service.json(&mine);
    service.retell(|entry| {
        entry.state = IntentState::Unsent;
        entry.outcome.as_mut().unwrap().order_id = None;
    });
    limit("0.001");
    let desk = service.desk_showing("2 Working orders 1", &[]);
    let (code, _, err) = service.run(&mine);
    assert!(code == 13 && err.contains("max_size"), "{code} {err}");
    desk.signal("TERM");
    assert_given_back(desk, 143);
}

#[test]
fn beside_a_desk_that_is_stopped_everything_goes_out_once() {
    let service = Served::bare();
    let mut desk = service.desk(&[]);
    service.json(BUY_AT_MARKET);
    desk.wait_for("1 Positions 1");
    service.stop(&desk);
    service.json(&with(BUY, &["--yes"]));
    let open = service.json(&["positions"]);
    let id = open[0]["id"].as_str().unwrap();
    let (code, _, err) = service.run(&["close", id, "--size", "50%", "--yes"]);
    assert_eq!(code, 0, "{err}");
    desk.signal("CONT");
    // The desk wakes to what was done beside it, and does none of it again.
    desk.wait_for("2 Working orders 1");
    let left = service.json(&["positions"]);
    assert_eq!(left[0]["size"].to_string(), "0.5");
    let placed = service.json(&["orders", "--history"]);
    assert_eq!(placed.as_array().unwrap().len(), 3, "{placed}");
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn a_desk_that_was_killed_leaves_no_door_behind_that_anybody_waits_at() {
    let service = Served::bare();
    let desk = service.desk(&[]);
    desk.signal("KILL");
    let _killed = desk.end();
    service.json(&with(BUY, &["--yes"]));
    assert_eq!(service.json(&["orders"]).as_array().unwrap().len(), 1);
    let desk = service.desk_showing("2 Working orders 1", &[]);
    service.json(&["cancel", "--all", "--yes"]);
    desk.wait_for("2 Working orders 0");
    desk.signal("TERM");
    assert_given_back(desk, 143);
}

#[test]
fn two_desks_on_one_account_trade_as_equals_and_a_halt_of_one_process_halts_both() {
    let service = Served::bare();
    let mut first = service.desk(&[]);
    service.json(BUY_AT_MARKET);
    let mut second = service.desk_showing("1 Positions 1", &[]);
    second.press("c");
    second.wait_for("close LONG");
    second.press("\r");
    second.wait_for("1 Positions 0");
    first.wait_for("1 Positions 0");
    first.press("7");
    first.wait_for("another perpdeck");
    let flat = service.json(&["flatten", "--yes"]);
    assert_eq!(flat["data"]["flat"], true);
    for desk in [&first, &second] {
        desk.wait_for("HALTED");
    }
    assert_eq!(service.run(&["journal", "rearm"]).0, 0);
    for desk in [&first, &second] {
        desk.wait_until("entries resumed", |screen| {
            !screen.lines().next().unwrap_or_default().contains("HALTED")
        });
    }
    let noted = service.json(&["journal", "list", "--open"]);
    assert_eq!(noted, serde_json::json!([]));
    for desk in [first, second] {
        desk.signal("TERM");
        assert_given_back(desk, 143);
    }
}
