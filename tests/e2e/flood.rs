//! A desk whose market stream tells a thousand events a second.

use crate::{SIZE, assert_given_back, session::Session, support::Served};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::{
    fs,
    time::{Duration, Instant},
};
use tokio::net::{TcpListener, TcpStream};
use tokio_websockets::{Message, ServerBuilder, WebSocketStream};

/// Between two bursts of the stream.
const BURST_EVERY: Duration = Duration::from_millis(10);
const EVENTS_OF_A_BURST: u64 = 10;
/// What is measured begins after the desk has filled.
const WARM_UP: Duration = Duration::from_secs(10);
const MEASURED: Duration = Duration::from_mins(1);
const KEY_EVERY: Duration = Duration::from_millis(250);

/// Tells books, trades and ticks of BTC, as fast as it was asked to.
async fn tells(stream: TcpStream) {
    let (_, mut io) = ServerBuilder::new().accept(stream).await.unwrap();
    let mut names = [None, None, None];
    let mut number = 0;
    loop {
        tokio::select! {
            asked = io.next() => match asked {
                Some(Ok(asked)) => accept(&mut io, &mut names, &asked).await,
                Some(Err(_)) | None => return,
            },
            () = tokio::time::sleep(BURST_EVERY) => {
                for _ in 0..EVENTS_OF_A_BURST {
                    number += 1;
                    let (name, event) = match number % 3 {
                        0 => (&names[0], book(number)),
                        1 => (&names[1], trade(number)),
                        _ => (&names[2], tick(number)),
                    };
                    let Some(name) = name else { continue };
                    let frame = json!({"op": "events", "sub": name, "events": [event]});
                    if io.feed(Message::text(frame.to_string())).await.is_err() {
                        return;
                    }
                }
                if io.flush().await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn accept(
    io: &mut WebSocketStream<TcpStream>,
    names: &mut [Option<String>; 3],
    asked: &Message,
) {
    let asked: Value = asked
        .as_text()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    if asked["op"] != "sub" {
        return;
    }
    let name = format!("s{}", asked["id"]);
    let place = ["books", "trades", "ticks"]
        .iter()
        .position(|channel| asked["channel"] == *channel);
    if let Some(place) = place {
        names[place] = Some(name.clone());
    }
    let ok = json!({"op": "sub_ok", "id": asked["id"], "sub": name});
    io.send(Message::text(ok.to_string())).await.unwrap();
}

fn of_btc(kind: &str, fields: &Value) -> Value {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut event = json!({"type": kind, "provider": "paper", "symbol": "BTC"});
    let event_fields = event.as_object_mut().unwrap();
    event_fields.extend(fields.as_object().unwrap().clone());
    let millis = u64::try_from(now.unwrap().as_millis()).unwrap();
    event_fields.insert("time".to_owned(), millis.into());
    event
}

/// The middle of the market at this event.
fn middle(number: u64) -> u64 {
    64_000 + number % 40
}

fn book(number: u64) -> Value {
    let level = |price: u64| json!([price.to_string(), "1.5"]);
    let bids: Vec<_> = (1..=20).map(|step| level(middle(number) - step)).collect();
    let asks: Vec<_> = (1..=20).map(|step| level(middle(number) + step)).collect();
    of_btc("book", &json!({"bids": bids, "asks": asks}))
}

fn trade(number: u64) -> Value {
    let fields = json!({"tradeId": (number / 3).to_string(), "side": "buy", "size": "0.01",
        "price": middle(number).to_string()});
    of_btc("trade", &fields)
}

fn tick(number: u64) -> Value {
    let price = middle(number);
    let fields = json!({"price": price.to_string(), "bid": (price - 1).to_string(),
        "ask": (price + 1).to_string()});
    of_btc("tick", &fields)
}

/// A stream on a thread of its own; answers its address.
fn streams() -> String {
    let (address, bound) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            address.send(listener.local_addr().unwrap()).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(tells(stream));
            }
        });
    });
    format!("ws://{}/v1/market-data", bound.recv().unwrap())
}

/// What a process has used.
struct Usage {
    cpu: Duration,
    /// Kilobytes.
    resident: u64,
}

impl Usage {
    fn of(pid: u32) -> Self {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<_> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.unwrap().split_whitespace().next().unwrap();
        Self {
            cpu: Duration::from_millis(ticks * 10),
            resident: resident.parse().unwrap(),
        }
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures are the result")]
#[ignore = "more than a minute, and its limits are those of a release build"]
fn a_thousand_events_a_second_for_a_minute() {
    let service = Served::bare();
    let url = streams();
    let mut variables = service.environment().to_vec();
    variables.push(("PERPDECK_MARKET_STREAM_URL", &url));
    let mut desk = Session::start_with(service.home(), SIZE, &[], &variables);
    desk.wait_for("STREAM");
    desk.press("9");
    desk.wait_for("Ladder");
    std::thread::sleep(WARM_UP);
    let (before, began) = (Usage::of(desk.pid()), Instant::now());
    let mut took = vec![];
    while began.elapsed() < MEASURED {
        let pressed = Instant::now();
        desk.press("?");
        desk.wait_for("keys that work here");
        took.push(pressed.elapsed());
        desk.press("\u{1b}");
        desk.wait_until("no help", |screen| !screen.contains("keys that work here"));
        std::thread::sleep(KEY_EVERY);
    }
    let (after, lasted) = (Usage::of(desk.pid()), began.elapsed());
    took.sort();
    let of_keys = |percent: usize| took[(took.len() - 1) * percent / 100];
    let busy = after.cpu.saturating_sub(before.cpu).as_secs_f64() / lasted.as_secs_f64();
    let (p50, p99) = (of_keys(50), of_keys(99));
    eprintln!(
        "{} keys: p50 {p50:?}, p99 {p99:?}, worst {:?}; CPU {:.1} % of a core; resident {} kB, then {} kB",
        took.len(),
        of_keys(100),
        busy * 100.0,
        before.resident,
        after.resident,
    );
    desk.press("\u{3}");
    assert_given_back(desk, 0);
    if !cfg!(debug_assertions) {
        assert!(p99 <= Duration::from_millis(16), "p99 {p99:?}");
        assert!(busy <= 0.25, "{busy}");
        assert!(after.resident <= before.resident * 11 / 10, "memory grows");
    }
}
