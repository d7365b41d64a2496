//! `record` and `serve` on the sockets of venues: their cuts, lost frames and nonsense, and crashes of our own.

use super::{
    recordings::{awaited, interrupt},
    served::{BARE, Served},
    support::perpdeck,
    venue::{FakeVenue, Speech, WALLET},
};
use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};
use tempfile::TempDir;

/// A venue, and `perpdeck record` beside it.
struct Recording {
    venue: FakeVenue,
    market: &'static str,
    sockets: u64,
    /// Of all sockets.
    subscriptions: usize,
    home: TempDir,
}

impl Recording {
    fn of(speech: Speech) -> Self {
        let (market, sockets, subscriptions) = match speech {
            Speech::Hyperliquid => ("hyperliquid|BTC", 1, 5),
            Speech::Binance => ("binance|BTCUSDT", 2, 5),
            Speech::Bybit => ("bybit|BTCUSDT", 1, 3),
        };
        let venue = FakeVenue::of(speech);
        let home = TempDir::new().unwrap();
        fs::write(home.path().join("venue.toml"), venue.settings()).unwrap();
        Self {
            venue,
            market,
            sockets,
            subscriptions,
            home,
        }
    }

    fn feed(&self) -> &'static str {
        self.market.split('|').next().unwrap()
    }

    fn start(&self) -> Child {
        let mut recorder = perpdeck(self.home.path());
        let feed = ["--feed", self.feed(), "--markets", self.market];
        recorder
            .args(["record", "--config", "venue.toml", "--out", "recordings"])
            .args(feed)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let recorder = recorder.spawn().unwrap();
        self.is_up();
        recorder
    }

    /// Waits until everything has been subscribed to.
    fn is_up(&self) {
        awaited(|| (self.venue.subscriptions() == self.subscriptions).then_some(()));
    }

    /// The only file, once it is there.
    fn file(&self) -> PathBuf {
        let dir = self.home.path().join("recordings");
        let mut files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
        let (file, other) = (files.next().unwrap(), files.next());
        assert_eq!(other, None);
        file
    }

    fn text(&self) -> String {
        text(&self.file())
    }

    /// Moves the market until the file has this price: what was received before is there, too.
    fn is_written(&self, price: i64) {
        self.venue.moves_to(price);
        let price = format!("\"{price}\"");
        awaited(|| self.text().contains(&price).then_some(()));
    }

    /// What goes wrong at a venue, and is got over.
    fn suffers(&self) {
        self.venue.moves_to(100_010);
        self.book_is_asked_for_after(|| self.venue.cuts());
        self.venue.says("no message at all");
        self.book_is_asked_for_after(|| self.venue.loses_a_move_to(100_030));
    }

    /// Waits until a book that is told by its changes is asked for whole once more.
    fn book_is_asked_for_after(&self, trouble: impl FnOnce()) {
        let question = match self.feed() {
            "binance" => Some("GET /fapi/v1/depth"),
            "bybit" => Some("\"orderbook.200.BTCUSDT\""),
            _ => None,
        };
        let asked = || question.map_or(0, |text| self.venue.times_asked(text));
        let before = asked();
        trouble();
        awaited(|| {
            self.venue.moves_to(100_040);
            (asked() > before || question.is_none()).then_some(())
        });
        self.is_up();
    }
}

/// All lines of a recording, which a crash may have cut short.
fn text(path: &Path) -> String {
    let mut text = String::new();
    let _ends_early = MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text);
    text
}

/// Ends it as a person does; what it says of its market.
fn ended(mut recorder: Child) -> String {
    interrupt(&recorder);
    let mut said = String::new();
    let mut out = recorder.stdout.take().unwrap();
    out.read_to_string(&mut said).unwrap();
    assert_eq!(recorder.wait().unwrap().code(), Some(0));
    said
}

fn prices(side: &Value) -> Vec<i64> {
    let levels = side.as_array().unwrap().iter();
    let prices = levels.map(|level| level["price"].to_string());
    prices
        .map(|price| price.trim_end_matches(".0").parse().unwrap())
        .collect()
}

/// The best three prices of each side, a dollar apart.
fn around(middle: i64) -> [Vec<i64>; 2] {
    [-1, 1].map(|step| (1..=3).map(|level| middle + step * level).collect())
}

fn book(exchange: &Served, market: &str) -> [Vec<i64>; 2] {
    let target = format!("/sim/markets/{}/book?depth=3", market.replace('|', "%7C"));
    let book = exchange.get(&target);
    [prices(&book["bids"]), prices(&book["asks"])]
}

fn is_recorded_and_replayed(speech: Speech) {
    let recording = Recording::of(speech);
    let market = recording.market;
    let mut recorder = recording.start();
    recording.suffers();
    recording.is_written(100_050);
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    awaited(|| (recording.venue.subscriptions() == 0).then_some(()));

    let said = {
        let recorder = recording.start();
        recording.venue.moves_to(100_060);
        recording.venue.says("no message either");
        recording.is_written(100_070);
        ended(recorder)
    };
    assert!(said.starts_with(market), "{said}");
    let unreadable = format!("0 gaps, {} unreadable, ", recording.sockets);
    assert!(said.contains(&unreadable), "{said}");
    let name = recording.file();
    let name = name.file_name().unwrap().to_str().unwrap();
    let coin = market.split('|').nth(1).unwrap().to_lowercase();
    let day = name.strip_prefix(&format!("{coin}_"));
    let day = day.and_then(|rest| rest.strip_suffix(".gz"));
    assert!(
        day.is_some_and(|day| day.len() == 8 && day.parse::<u32>().is_ok()),
        "{name}"
    );
    let text = recording.text();
    for secret in [WALLET, "0xb0b", "users", "0xfeed"] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(text.contains(r#""event":"gap""#), "of the cut");

    let file = recording.file();
    let file = file.to_str().unwrap();
    let replay = Served::with(BARE, &["--replay", file, "--manual-clock"]);
    replay.post("/sim/clock", &json!({"advance_ms": 3_600_000}));
    assert_eq!(book(&replay, market), around(100_070), "{market}");
    let row = &replay.get("/sim/markets")[0];
    assert_eq!(row["last_price"], 100_071, "{row}");
    // Nonsense twice, beside what came after the changes that were lost.
    let unreadable = row["unreadable_lines"].as_u64().unwrap();
    assert!(unreadable >= 2 * recording.sockets, "{row}");
}

/// At once, since each of them waits for the clock of its recorder.
#[test]
fn what_venues_tell_is_recorded_through_cuts_and_a_crash_and_replays_to_the_same_book() {
    std::thread::scope(|scope| {
        for speech in [Speech::Hyperliquid, Speech::Binance, Speech::Bybit] {
            scope.spawn(move || is_recorded_and_replayed(speech));
        }
    });
}

/// A market order, and what became of it, half a second after the one before.
fn buys(exchange: &Served, market: &str) -> (String, Value) {
    let order = json!({"type": "market", "account_id": "chal-1", "market_id": market, "side": "buy", "size": 0.01,
        "leverage": 5, "margin_mode": "cross"});
    awaited(|| {
        let answer = exchange.call_as(exchange.key(), "POST", "/v1/orders", Some(&order));
        Some(answer).filter(|(status, _)| status != "429")
    })
}

fn is_traded_live(speech: Speech) {
    let live = Recording::of(speech);
    let (venue, market) = (&live.venue, live.market);
    let config = live.home.path().join("venue.toml");
    let exchange = Served::with(
        BARE,
        &[
            "--config",
            config.to_str().unwrap(),
            "--feed",
            live.feed(),
            "--markets",
            market,
        ],
    );
    venue.moves_to(100_100);
    awaited(|| (book(&exchange, market) == around(100_100)).then_some(()));
    let (status, filled) = buys(&exchange, market);
    assert!(status.starts_with("20"), "{status} {filled}");
    let id = filled["data"]["id"].as_str().unwrap();
    let evidence = exchange.get(&format!("/sim/orders/{id}/evidence"));
    let fill = &evidence["fills"][0];
    assert_eq!(fill["levels"][0]["price"], 100_101, "{evidence}");
    assert_eq!(fill["feed"], live.feed(), "{evidence}");

    venue.closes();
    let in_gap = || {
        let row = &exchange.get("/sim/markets")[0];
        row["gap_since"].is_number().then_some(())
    };
    awaited(in_gap);
    let (status, refused) = buys(&exchange, market);
    assert_eq!(status, "409", "{refused}");
    assert_eq!(refused["error"]["code"], "market_unavailable");
    venue.opens();
    live.is_up();
    // A gap ends with a mark that came after its book.
    awaited(|| {
        venue.moves_to(100_200);
        in_gap().is_none().then_some(())
    });
    // The book of the new connection may have ended it before the venue moved.
    awaited(|| (book(&exchange, market) == around(100_200)).then_some(()));
    let (status, filled) = buys(&exchange, market);
    assert!(status.starts_with("20"), "{status} {filled}");
    assert_eq!(
        venue.times_asked(exchange.key()),
        0,
        "the key is the exchange's"
    );
}

#[test]
fn an_exchange_on_the_live_books_of_a_venue_trades_but_for_the_gap_of_a_cut() {
    std::thread::scope(|scope| {
        for speech in [Speech::Hyperliquid, Speech::Binance, Speech::Bybit] {
            scope.spawn(move || is_traded_live(speech));
        }
    });
}
