//! Several accounts on one desk: the demo's own, and profiles on a service.

use super::{session::Session, verbs::Service, *};
use std::fs;

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
    session.press("q");
    session.press("q");
    assert_given_back(session, 0);
}

#[test]
fn profiles_share_a_desk_its_journal_and_its_door() {
    let service = Service::open();
    service.profiles();
    let mut desk = Session::start(service.home(), SIZE, &[]);
    desk.wait_until("the chosen profile", shows("main · chal-1"));
    desk.wait_for("1 Positions 0");
    let door = service.home().join("s/desk.sock");
    desk.wait_until("its door", |_| door.exists());

    let buy = [
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
        "--profile",
        "swing",
    ];
    let (code, _, err) = service.verb(&buy);
    assert_eq!(code, 0, "{err}");
    desk.wait_for("swing: BUY 1.0000 ETH market: filled at");
    assert!(shows("main · chal-1")(&desk.screen()));
    // Alone: with what follows at once a terminal would read it as Alt.
    desk.press("\u{1b}");
    desk.wait_until("the toast gone", |screen| !screen.contains("swing: BUY"));
    desk.press(":account swing\r");
    desk.wait_until("the other profile", shows("swing · chal-2"));
    desk.wait_for("1 Positions 1");

    let (_, journal, _) = service.verb(&["journal", "--output", "json"]);
    let noted: serde_json::Value = serde_json::from_str(&journal).unwrap();
    assert_eq!(noted[0]["account_id"], "chal-2", "{journal}");
    let (code, _, err) = service.verb(&["flatten", "--yes", "--profile", "swing"]);
    assert_eq!(code, 0, "{err}");
    desk.wait_for("1 Positions 0");
    let (code, _, err) = service.verb(&["orders", "--profile", "scalp"]);
    assert_eq!(code, 2);
    assert!(err.contains("--profile: there is no profile"), "{err}");
    assert!(err.contains("main, swing"), "{err}");
    desk.press("q");
    assert_given_back(desk, 0);
}

impl Service {
    /// Writes a settings file with a profile for each account.
    fn profiles(&self) {
        let dir = self.home().join(".config/perpdeck");
        fs::create_dir_all(&dir).unwrap();
        let keys = self.keys().iter().zip(["main", "swing"]);
        let profiles = keys.map(|((account, key), name)| {
            let file = self.private(&format!("{name}.key"), key);
            format!("[profiles.{name}]\naccount_id = '{account}'\napi_key_file = '{file}'\n")
        });
        let profiles: String = profiles.collect();
        let (url, state) = (self.base_url(), self.home().join("s"));
        let above = format!(
            "base_url = '{url}'\nprofile = 'main'\nstate_dir = '{}'\n",
            state.display()
        );
        fs::write(dir.join("config.toml"), above + &profiles).unwrap();
    }
}
