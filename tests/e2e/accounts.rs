//! Several accounts on one desk: the demo's own, and profiles on a service.

use super::{
    session::Session,
    support::{Served, perpdeck, ran, with},
    *,
};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt as _};

const BUY_ETH: &[&str] = &[
    "place",
    "--market",
    "paper|ETH",
    "--side",
    "buy",
    "--type",
    "market",
    "--size",
    "1",
];

/// Whether the first line names this account.
fn shows(account: &str) -> impl Fn(&str) -> bool {
    move |screen| {
        let header = screen.lines().next().unwrap_or_default();
        header.contains(&format!(" {account} "))
    }
}

#[test]
fn the_other_account_is_one_key_away_and_what_is_traded_there_stays_there() {
    let (mut session, _home) = desk();
    session.wait_until("the first account", shows("chal-1"));
    session.press("a");
    session.wait_until("the second account", shows("chal-2"));
    session.wait_until("its positions", |screen| {
        !screen.contains("1 Positions 5")
            && screen.contains("1 Positions ")
            && screen.contains("SHORT")
    });
    session.press("b");
    session.wait_for("new order BUY");
    session.press("0.05");
    session.wait_for("0.05000 BTC");
    session.press("\r");
    session.wait_for("BUY 0.05000 BTC market: filled at");
    session.press("a");
    session.wait_until("the first account again", shows("chal-1"));
    session.wait_for("1 Positions 5");
    session.press("A");
    session.wait_for("show it");
    session.wait_until("both accounts", |screen| {
        let listed = |account: &str| {
            let mut lines = screen.lines().skip(1);
            lines.any(|line| line.contains(account) && line.contains("PAPER"))
        };
        listed("chal-1") && listed("chal-2")
    });
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn profiles_share_a_desk_and_its_journal() {
    let service = Served::bare();
    service.profiles();
    let mut desk = service.desk_of_profiles();
    desk.wait_until("its journal", |_| service.has_desk());

    let (code, _, err) = service.by_profile(&with(BUY_ETH, &["--yes", "--profile", "swing"]));
    assert_eq!(code, 0, "{err}");
    assert!(shows("main · chal-1")(&desk.screen()));
    desk.press(":account swing\r");
    desk.wait_until("the other profile", shows("swing · chal-2"));
    desk.wait_for("1 Positions 1");
    desk.press("7");
    desk.wait_for("another perpdeck");

    let (_, journal, _) = service.by_profile(&["journal", "--output", "json"]);
    let noted: Value = serde_json::from_str(&journal).unwrap();
    assert_eq!(noted[0]["account_id"], "chal-2", "{journal}");
    let (code, _, err) = service.by_profile(&["flatten", "--yes", "--profile", "swing"]);
    assert_eq!(code, 0, "{err}");
    desk.wait_for("1 Positions 0");
    let (code, _, err) = service.by_profile(&["orders", "--profile", "scalp"]);
    assert_eq!(code, 2);
    assert!(err.contains("--profile: there is no profile"), "{err}");
    assert!(err.contains("main, swing"), "{err}");
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn a_flatten_beside_desks_is_of_the_configured_account_alone() {
    let service = Served::bare();
    service.profiles();
    let paper = Session::start(service.home(), SIZE, &["demo", "--speed", "0.001"]);
    paper.wait_for("1 Positions 5");
    // A paper desk runs, too, and that is not the account that is configured.
    let flatten = ["flatten", "--running", "--profile", "swing", "--yes"];
    let desk = service.desk_of_profiles();
    for profile in ["main", "swing"] {
        let (code, _, err) = service.by_profile(&with(BUY_ETH, &["--yes", "--profile", profile]));
        assert_eq!(code, 0, "{err}");
    }
    desk.wait_for("1 Positions 1");
    // The other account is on the screen.
    assert!(shows("main · chal-1")(&desk.screen()));
    let (code, _, err) = service.by_profile(&flatten);
    assert_eq!(code, 0, "{err}");
    let open = |profile| {
        let args = ["positions", "--output", "json", "--profile", profile];
        let (_, rows, _) = service.by_profile(&args);
        let rows: Value = serde_json::from_str(&rows).unwrap();
        rows.as_array().unwrap().len()
    };
    desk.wait_until("the other account flat", |_| open("swing") == 0);
    assert_eq!(open("main"), 1);
    paper.wait_for("1 Positions 5");
    for mut session in [paper, desk] {
        session.press("\u{3}");
        assert_given_back(session, 0);
    }
}

/// What the account shows while it waits for an answer that does not come.
fn in_doubt(screen: &str) -> bool {
    screen.contains("reading the outcome from the service")
}

#[test]
fn after_a_kill_what_was_in_doubt_on_each_account_is_found_out_with_its_own_key() {
    let service = Served::bare();
    service.profiles();
    let mut desk = service.desk_of_profiles();
    // Carried out, and nobody is told; nor can an order be found by its name.
    service.plant(&json!({ "kind": "before", "status": 500, "route": "orders" }));
    service.plant(&json!({ "kind": "drop_reply", "route": "place_order", "count": 1 }));
    buy(&mut desk, "0.05");
    // Never carried out, and nobody is told that either.
    service.plant(&json!({ "kind": "before", "status": 500, "route": "place_order" }));
    desk.press(":account swing\r");
    desk.wait_until("the other profile", shows("swing · chal-2"));
    buy(&mut desk, "0.07");
    desk.signal("KILL");
    let _killed = desk.end();
    service.clear_faults();
    assert_eq!(service.sizes_of_orders(), ["0.05", ""]);

    let mut desk = service.desk_of_profiles();
    desk.press("7z");
    desk.wait_for("from the last session: buy 0.05 BTC market: order ord_000001 filled");
    desk.wait_for("swing: buy 0.07 BTC market");
    desk.wait_for("may have executed, and reading the service does not settle it: decide");
    desk.wait_for("1 Pos 1");
    desk.press(":account swing\r");
    desk.wait_until("the other profile", shows("swing · chal-2"));
    desk.wait_for("may have executed");
    assert_eq!(
        service.sizes_of_orders(),
        ["0.05", ""],
        "nothing is sent unasked"
    );
    agree(&mut desk);
    desk.wait_for("1 Positions 1");
    desk.press("7");
    desk.wait_for("BUY 0.07000 BTC market: filled at");
    assert_eq!(service.sizes_of_orders(), ["0.05", "0.07"]);

    let (_, journal, _) = service.by_profile(&["journal", "--output", "json"]);
    let noted: Value = serde_json::from_str(&journal).unwrap();
    let mut noted: Vec<_> = noted
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["account_id"], &row["state"]))
        .collect();
    noted.sort_by_key(|(account, _)| account.as_str().map(str::to_owned));
    let done = json!("done");
    assert_eq!(
        noted,
        [(&json!("chal-1"), &done), (&json!("chal-2"), &done)]
    );
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

/// Buys BTC at the market and waits until what came of it is in doubt.
fn buy(desk: &mut Session, size: &str) {
    // A form that opens before the markets are read has none chosen.
    desk.wait_for("▸BTC");
    desk.press("b");
    desk.wait_for("new order BUY");
    desk.press(size);
    desk.wait_for(&format!("{size}000 BTC"));
    desk.press("\r");
    desk.wait_until("the doubt", in_doubt);
    // A form that is sent closes at once.
    desk.wait_until("the form gone", |screen| !screen.contains("new order BUY"));
}

/// Says yes to a question, which listens only when it has been there for a moment: its countdown has moved on twice, since the first
/// second may have been all but over.
fn agree(desk: &mut Session) {
    let left = |screen: &str| {
        let (before, _) = screen.split_once(" left)")?;
        Some(before.rsplit_once('(')?.1.to_owned())
    };
    desk.wait_until("a question", |screen| left(screen).is_some());
    for _ in 0..2 {
        let first = left(&desk.screen());
        desk.wait_until("a question that listens", |screen| left(screen) != first);
    }
    desk.press("y");
}

impl Served {
    /// The program with nothing but the settings file of this home.
    fn by_profile(&self, args: &[&str]) -> (i32, String, String) {
        ran(perpdeck(self.home()).args(args))
    }

    /// A desk on the chosen profile of that file.
    fn desk_of_profiles(&self) -> Session {
        let desk = Session::start(self.home(), SIZE, &[]);
        desk.wait_until("the chosen profile", shows("main · chal-1"));
        desk.wait_for("1 Positions ");
        desk.wait_for("2 Working orders 0");
        desk
    }

    /// What each account has ordered, as the exchange has it.
    fn sizes_of_orders(&self) -> [String; 2] {
        [0, 1].map(|at| {
            let (account, key) = &self.keys[at];
            let target = format!("/v1/orders?account_id={account}");
            let (_, answer) = self.call_as(key, "GET", &target, None);
            let orders = answer["data"].as_array().unwrap().iter();
            let sizes: Vec<_> = orders.map(|order| order["size"].to_string()).collect();
            sizes.join(" ")
        })
    }

    /// Writes a settings file with a profile for each account.
    fn profiles(&self) {
        let dir = self.home().join(".config/perpdeck");
        fs::create_dir_all(&dir).unwrap();
        let keys = self.keys.iter().zip(["main", "swing"]);
        let profiles = keys.map(|((account, key), name)| {
            let file = self.home().join(format!("{name}.key"));
            fs::write(&file, key).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            let file = file.display();
            format!("[profiles.{name}]\naccount_id = '{account}'\napi_key_file = '{file}'\n")
        });
        let above = format!("base_url = '{}'\nprofile = 'main'\n", self.base_url);
        fs::write(
            dir.join("config.toml"),
            above + &profiles.collect::<String>(),
        )
        .unwrap();
    }
}
