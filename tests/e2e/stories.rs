//! The tasks of `docs/how-to.md` and others, each done by what the screen says next: a key is pressed only once its hint is seen.
//! The sizes take turns; `PERPDECK_STORY_SIZE` (`200x60`, `100x30`, `80x24`) tells all of them at one.

use super::{
    session::{Session, at},
    support::Served,
    *,
};
use serde_json::json;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const WIDE: (u16, u16) = (200, 60);
const USUAL: (u16, u16) = (100, 30);
const NARROW: (u16, u16) = (80, 24);

/// A market that all but stands still.
const STILL: &[&str] = &["--speed", "0.001"];
const LIVING: &[&str] = &[];
/// The one seed here whose BTC position is in profit at the start; its morning is played at each start.
const IN_PROFIT: &[&str] = &["--seed", "9"];
/// A market slow enough to read, whose order book is current all the same.
const SLOW: &[&str] = &["--speed", "0.2"];

/// Whether the sum of the positions is a number.
fn is_priced(screen: &str) -> bool {
    ["uPnL +", "uPnL -"].iter().any(|sum| screen.contains(sum))
}

/// A reader of the screen who knows no key by heart.
struct Reader {
    session: Session,
    home: TempDir,
}

impl Reader {
    fn opens(size: (u16, u16), speed: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let demo = [&["demo"], speed].concat();
        let session = Session::start(home.path(), at(size), &demo);
        session.wait_until("positions and prices", |screen| {
            screen.contains("SHORT") && is_priced(screen)
        });
        Self { session, home }
    }

    /// Presses `keys` once the screen says `hint`.
    #[track_caller]
    fn told(&mut self, hint: &str, keys: &str) {
        self.session.wait_for(hint);
        self.session.press(keys);
    }

    #[track_caller]
    fn sees(&self, text: &str) {
        self.session.wait_for(text);
    }

    #[track_caller]
    fn sees_no_more(&self, text: &str) {
        self.session
            .wait_until(&format!("{text:?} gone"), |screen| !screen.contains(text));
    }

    fn leaves(mut self) {
        self.session.press("\u{3}");
        assert_given_back(self.session, 0);
    }
}

const ESCAPE: &str = "\u{1b}";
const DELETE: &str = "\u{7f}";

#[test]
fn new_order_with_exits() {
    let mut desk = Reader::opens(NARROW, STILL);
    desk.told("b buy", "b");
    desk.told("▸ size", "0.05\t");
    desk.told("▸ take profit", "67700\t");
    desk.told("▸ stop loss", "63500");
    desk.sees("R:R 2.");
    // The position has exits already.
    desk.sees("this order replaces the position's target at 67,");
    desk.session.sends();
    desk.sees("BUY 0.05000 BTC market: filled at");
    desk.sees("63,500");
    desk.leaves();
}

#[test]
fn trail_into_profit_and_move_the_stop() {
    let mut desk = Reader::opens(USUAL, IN_PROFIT);
    desk.sees("61,987");
    desk.told(" 2 ", "2");
    desk.told("x cancel order", "G");
    desk.sees("▌BTC");
    desk.told("e move", "e");
    desk.told("▸ trigger price", &DELETE.repeat(10));
    desk.session.press("64300");
    desk.sees("no [yes]");
    desk.sees("fires           BTC mark ≤ 64,300");
    desk.session.sends();
    // In place: one stop, of the same size.
    desk.session
        .wait_until("the stop at its new price, and nowhere else", |screen| {
            let mut stops = screen.lines().filter(|line| line.contains("│▌BTC"));
            let is_moved = |stop: &str| stop.contains("0.28021") && stop.contains("≤64,300");
            stops.next().is_some_and(is_moved) && !screen.contains("61,987")
        });
    desk.leaves();
}

#[test]
fn buy_from_the_ladder_and_cancel_the_order() {
    let mut desk = Reader::opens(WIDE, SLOW);
    desk.told("9 Ladder", "9");
    // Far from the market: what fills cannot be cancelled.
    desk.goes_down(120);
    desk.buys_here();
    desk.told("▸ size", &DELETE.repeat(10));
    desk.session.press("0.077");
    desk.session.sends();
    desk.sees("0.07700");
    desk.session.wait_until("the bid at the cursor", |screen| {
        own_price(screen).is_some() && own_price(screen) == cursor_price(screen)
    });
    desk.told("x cancel", "x");
    desk.session
        .wait_until("no bid on the ladder", |screen| own_price(screen).is_none());
    desk.leaves();
}

/// How the story's order of 0.077 stands on the ladder; messages name its size and price, too.
const OWN: &str = "│.077 ";

/// Where our order of 0.077 is on the ladder: the price of its row.
fn own_price(screen: &str) -> Option<i64> {
    price_right_of(screen, OWN)
}

/// The price that the cursor is on.
fn cursor_price(screen: &str) -> Option<i64> {
    price_right_of(screen, "›")
}

fn price_right_of(screen: &str, sign: &str) -> Option<i64> {
    let mut lines = screen.lines().filter_map(|line| line.split_once(sign));
    let (_, right_of_it) = lines.next()?;
    let mut words = right_of_it.split(|c: char| !(c.is_ascii_digit() || c == ','));
    let price = words.find(|word| word.len() == 6 && word.contains(','))?;
    price.replace(',', "").parse().ok()
}

/// Grouped as the ladder writes it.
fn grouped(price: i64) -> String {
    format!("{},{:03}", price / 1_000, price % 1_000)
}

impl Reader {
    /// Moves the ladder's cursor so many ticks down. A key acts at the price that is seen, so it waits until it is there.
    #[track_caller]
    fn goes_down(&mut self, ticks: usize) {
        // Without an order book no new order is placed.
        self.sees("· spread ");
        self.told("j k choose a price", "j");
        self.sees("size 0.");
        let begin = cursor_price(&self.session.screen()).unwrap();
        self.session.press(&"j".repeat(ticks));
        let there = begin - i64::try_from(ticks).unwrap();
        let what = format!("the cursor at {}", grouped(there));
        self.session
            .wait_until(&what, |screen| cursor_price(screen) == Some(there));
    }

    /// Opens the form at the cursor's price. Just after the rows have moved the desk asks to look and press again.
    fn buys_here(&mut self) {
        let refusal = "press again";
        loop {
            self.told("b buy", "b");
            let answer = |screen: &str| screen.contains("▸ size") || screen.contains(refusal);
            self.session.wait_until("the form, or why not", answer);
            if self.session.screen().contains("▸ size") {
                return;
            }
            self.sees_no_more(refusal);
        }
    }

    /// Drags our order with the mouse until the desk takes it: a message that comes or goes moves the rows under the mouse,
    /// and then the desk does nothing.
    fn drags_own_up(&mut self, rows: u16) {
        for _ in 0..8 {
            let (border, row) = self.session.place(OWN);
            let column = border + 1;
            let over: Vec<_> = (1..=rows).map(|up| (column, row - up)).collect();
            self.session.drag((column, row), &over);
            for _ in 0..150 {
                if self.session.screen().contains("Enter send") {
                    return;
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// Waits until our order is at this price and nowhere else, and the move is answered.
    #[track_caller]
    fn sees_own_at(&self, price: i64) {
        self.session
            .wait_until(&format!("the order at {price}"), |screen| {
                let is_there = own_price(screen) == Some(price);
                is_there && screen.matches(OWN).count() == 1 && !screen.contains("sending")
            });
    }
}

#[test]
fn drag_an_order_two_ticks_on_the_ladder() {
    let mut desk = Reader::opens(WIDE, SLOW);
    desk.told("9 Ladder", "9");
    // Far from the market: what fills cannot be dragged.
    desk.goes_down(120);
    desk.buys_here();
    desk.told("▸ size", &DELETE.repeat(10));
    desk.session.press("0.077");
    desk.session.sends();
    desk.session.wait_until("the bid on the ladder", |screen| {
        own_price(screen).is_some()
    });
    let price = own_price(&desk.session.screen()).unwrap();

    desk.told("m move", "m");
    desk.told("Enter drops it", "kk");
    // Enter right behind the one that sent the order would count as its repetition; `m` drops it as well.
    desk.told("Enter drop it", "m");
    desk.sees_own_at(price + 2);

    desk.drags_own_up(2);
    desk.session.sends();
    desk.sees_own_at(price + 4);
    let what = format!("the cursor at {}", grouped(price + 4));
    desk.session
        .wait_until(&what, |screen| cursor_price(screen) == Some(price + 4));
    desk.leaves();
}

#[test]
fn read_yesterdays_candle() {
    let mut desk = Reader::opens(USUAL, STILL);
    desk.told("0 Chart", "0");
    desk.told(",; interval", ";;;;;");
    desk.session.wait_until("the candles of days", |screen| {
        screen.contains("BTC 1d") && screen.contains(" O 6")
    });
    let label = || {
        let zone = Zone::utc();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let yesterday = now.saturating_sub(Duration::from_hours(24));
        zone.month_day(Timestamp(yesterday.as_millis().try_into().unwrap()))
    };
    let before = label();
    desk.told("←→ candle", "\u{1b}[D");
    desk.session.wait_until("yesterday's candle", |screen| {
        // A day may end between the two.
        let is_read = |day: &str| {
            let of_day = |line: &str| line.contains(day) && line.contains(" H ");
            screen.lines().any(of_day) && screen.contains(" C 6")
        };
        is_read(&before) || is_read(&label())
    });
    desk.leaves();
}

#[test]
fn find_what_a_trade_cost() {
    let mut desk = Reader::opens(NARROW, STILL);
    desk.told(" 5 ", "5");
    desk.told("Enter detail", "\r");
    desk.told("j scroll", &"j".repeat(14));
    desk.sees("fees");
    desk.sees("funding");
    desk.sees("realized - fees + funding");
    desk.told("Esc back", ESCAPE);
    desk.sees_no_more("Esc back");
    desk.told(" 6", "6");
    desk.told("Enter detail", "\r");
    desk.told("j scroll", &"j".repeat(14));
    desk.sees("expected_price");
    desk.session.press(&"j".repeat(8));
    desk.sees("fee");
    desk.sees("bps");
    desk.leaves();
}

#[test]
fn flip_a_position() {
    let mut desk = Reader::opens(WIDE, LIVING);
    desk.told("BTC  LONG", "1");
    desk.told("I flip", "I");
    desk.sees("(two orders) on chal-1?");
    desk.session.agrees();
    desk.sees("BTC  SHORT");
    desk.leaves();
}

#[test]
fn stop_to_break_even_and_by_ticks() {
    let mut desk = Reader::opens(WIDE, IN_PROFIT);
    desk.told("61,987", "1");
    desk.told("Z break-even", "Z");
    desk.sees_no_more("61,987");
    // The TWAP buys meanwhile, so that the last digits differ.
    desk.sees("64,3");
    desk.leaves();
}

#[test]
fn stop_a_twap_that_drifts() {
    let mut desk = Reader::opens(NARROW, STILL);
    desk.told("│ 3 │", "3");
    desk.sees("drift");
    desk.told("x stop TWAP", "j");
    desk.told("x stop TWAP", "x");
    desk.sees("stop TWAP BUY 0.18481 BTC (twap_000001), ");
    desk.session.agrees();
    desk.sees("stopped");
    desk.leaves();
}

#[test]
fn cancel_one_rungs_ladder() {
    let mut desk = Reader::opens(USUAL, STILL);
    desk.told("4 Scaled", "4");
    desk.told("├ 17.479", "jjj");
    desk.told("x cancel scaled", "x");
    desk.sees("cancel scaled order BUY LINK, 6 rungs (scl_000001)");
    desk.session.agrees();
    // The chosen rung, of whichever rows the pane has room for.
    desk.session.wait_until("the rung canceled", |screen| {
        let is_it = |line: &str| line.contains("▌├ 17.479") && line.contains("canceled");
        screen.lines().any(is_it)
    });
    desk.leaves();
}

#[test]
fn find_why_an_order_was_rejected() {
    let mut desk = Reader::opens(NARROW, STILL);
    desk.told("b buy", "b");
    // Within the limits of the account, but for more margin than is free.
    desk.told("▸ size", "1.5\t\t\t\t");
    desk.told("▸ leverage", &format!("{DELETE}1"));
    desk.session.sends();
    desk.told("U correct", "U");
    desk.sees("rule insufficient_margin");
    desk.told("Esc leave", ESCAPE);
    desk.told("Esc again leaves", ESCAPE);
    desk.sees_no_more("Esc leave");
    desk.told(" 6 ", "6");
    desk.sees("1.50000");
    desk.told("Enter detail", "\r");
    desk.sees("BUY 1.50000 BTC");
    desk.sees("insufficient_margin");
    desk.leaves();
}

#[test]
fn flatten_in_panic() {
    // Time enough to read what is about to happen.
    let mut desk = Reader::opens(WIDE, &["--close-all-delay", "30s"]);
    desk.told("? help", "?");
    desk.told("F  FLATTEN", ESCAPE);
    desk.sees_no_more("keys that work here");
    desk.session.press("F");
    desk.sees("y now · Esc stops it  (TWAPs, scaled orders, orders and positions)");
    // It listens once it can have been read.
    desk.session
        .wait_until("a question that listens", |screen| {
            let left = screen.split("flattening chal-1 in ").nth(1);
            let tenths = left.and_then(|left| left.get(..4)?.replace('.', "").parse().ok());
            tenths.is_some_and(|tenths: u16| tenths <= 297)
        });
    desk.session.press("y");
    desk.sees("no position, order or TWAP on two reads");
    desk.sees("1 Positions 0");
    desk.told("R RESUME", "R");
    desk.sees("resume entries");
    desk.session.agrees();
    desk.sees_no_more("HALTED");
    desk.leaves();
}

#[test]
fn export_last_week() {
    let mut desk = Reader::opens(WIDE, LIVING);
    desk.session.press("5");
    desk.told("E export", "E");
    desk.told("span  all  Tab changes it", "\t");
    desk.told("last 24 hours", "\t");
    desk.told("span  last 7 days", "\r");
    desk.told("rows in", ESCAPE);
    // What is pressed right behind an Esc is read as Alt and that key.
    desk.sees_no_more("rows in");
    let files = fs::read_dir(desk.home.path()).unwrap();
    let sheet = files
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "csv"));
    let sheet = fs::read_to_string(sheet.unwrap()).unwrap();
    assert!(sheet.starts_with("id,closed_at,market_id,side,"), "{sheet}");
    assert!(
        sheet.lines().count() > 50 + 1,
        "more than the first page: {sheet}"
    );
    // The first that was ever closed, this morning.
    let last = sheet.lines().last().unwrap();
    assert!(last.starts_with("pos_00000"), "{sheet}");
    desk.leaves();
}

/// A kept exchange that can be stopped and started on the same port. Killed when dropped.
struct Exchange {
    child: Child,
    address: SocketAddr,
    said: serde_json::Value,
}

impl Exchange {
    fn starts(home: &Path, address: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_perpdeck"))
            .args(["serve", "--output", "json"])
            .args(["--data-dir", "kept", "--listen", address])
            .env_clear()
            .env("HOME", home)
            .current_dir(home)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let said: serde_json::Value = serde_json::from_str(&line).unwrap();
        let url = said["base_url"].as_str().unwrap();
        let address = url.trim_start_matches("http://").parse().unwrap();
        Self {
            child,
            address,
            said,
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[test]
fn recover_from_a_lost_connection() {
    let home = tempfile::tempdir().unwrap();
    let exchange = Exchange::starts(home.path(), "127.0.0.1:0");
    let address = exchange.address;
    let key = home.path().join("key");
    fs::write(
        &key,
        exchange.said["accounts"][0]["api_key"].as_str().unwrap(),
    )
    .unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let base_url = format!("http://{address}");
    let settings = ["--base-url", &base_url, "--account-id", "chal-1"];
    let secret = ["--api-key-file", key.to_str().unwrap()];
    let session = Session::start(home.path(), at(USUAL), &[&settings[..], &secret].concat());
    session.wait_until("prices", is_priced);
    let mut desk = Reader {
        session,
        home: tempfile::tempdir().unwrap(),
    };

    drop(exchange);
    desk.sees("DOWN, retry");
    desk.told("b buy", "b");
    desk.told("▸ size", "0.02");
    desk.session.sends();
    // The form closes; while it tries, its line says "sending"; between the tries it says why.
    desk.sees("buy 0.02 BTC market: unreachable");

    let _again = Exchange::starts(home.path(), &address.to_string());
    desk.sees("BUY 0.02000 BTC market: filled at");
    desk.sees_no_more("DOWN");
    desk.sees_no_more("OLD");
    desk.leaves();
}

fn with_alert_command(service: &Served, home: &Path, command: &str) -> Session {
    let mut environment = service.environment().to_vec();
    environment.push(("PERPDECK_ALERT_COMMAND", command));
    let session = Session::start_with(home, at(USUAL), &[], &environment);
    session.wait_for("1 Positions");
    session
}

/// What a file holds as soon as it holds something.
fn written(path: &Path) -> String {
    for _ in 0..600 {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            Ok(_) | Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
    fs::read_to_string(path).expect("the program of the alert wrote its file")
}

/// The file of alerts of the account `chal-1`.
fn kept_alerts(home: &Path) -> String {
    let state = home.join(".local/state/perpdeck");
    let mut files = fs::read_dir(&state)
        .unwrap()
        .map(|file| file.unwrap().path());
    let kept = files.find(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("alerts-") && name.ends_with("-chal-1.json")
    });
    fs::read_to_string(kept.expect("a file of alerts")).unwrap()
}

#[test]
fn an_alert_that_is_set_in_the_moment_of_leaving_is_kept() {
    let service = Served::bare();
    let home = tempfile::tempdir().unwrap();
    let environment = service.environment();
    let mut desk = Session::start_with(home.path(), at(USUAL), &[], &environment);
    desk.wait_for("▸BTC 6");
    desk.press(":");
    desk.wait_for("earlier");
    desk.press("alert btc > 70000");
    desk.wait_for(":alert btc > 70000");
    desk.press("\r\u{3}");
    assert_given_back(desk, 0);
    assert!(kept_alerts(home.path()).contains("70000"));
}

/// The README's story: set an alert by `:alert`, see it fire when the price is there, find it at the next start.
#[test]
fn set_an_alert_and_see_it_fire() {
    let service = Served::bare();
    let home = tempfile::tempdir().unwrap();
    let told = home.path().join("told");
    let script = format!("printf '%s\\n' \"$ALERT_TEXT\" > {}", told.display());
    let command = json!(["sh", "-c", script]).to_string();
    let mut desk = with_alert_command(&service, home.path(), &command);
    desk.press(":");
    desk.wait_for("earlier");
    desk.press("alert btc > 70000");
    desk.wait_for(":alert btc > 70000");
    // A market that has not been read yet is unknown.
    desk.wait_for("▸BTC 6");
    desk.press("\r");
    desk.wait_for("alert set: btc > 70000");
    desk.press("#");
    desk.wait_for("Your alerts 1 armed");
    desk.wait_for("> 70,000");
    desk.press("\u{1b}");
    desk.wait_until("the list closed", |screen| !screen.contains("Your alerts"));
    // 64,250 and a tenth of it.
    let nudge = json!({"market_id": "paper|BTC", "bps": 1000});
    service.call("POST", "/sim/nudge", Some(&nudge));
    desk.wait_for("YOUR ALERT");
    desk.wait_for("is above 70,000");
    let text = written(&told);
    assert!(text.starts_with("btc > 70000, now 7"), "{text}");
    assert!(!text.contains(service.key()));
    desk.press("\u{3}");
    assert_eq!(desk.end().code, 0);

    assert!(kept_alerts(home.path()).contains("\"done\""));
    let mut again = with_alert_command(&service, home.path(), &command);
    again.press("#");
    again.wait_for("Your alerts 0 armed");
    again.wait_for("fired ");
    again.press("\u{3}");
    assert_eq!(again.end().code, 0);
}
