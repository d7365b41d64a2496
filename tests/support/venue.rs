//! Hyperliquid, Binance and Bybit on loopback: each venue's own requests, answers and frames, for one book a market, that moves
//! and fails when the test says so.

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, mpsc},
    time::{SystemTime, UNIX_EPOCH},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
};
use tokio_websockets::{Message, ServerBuilder, WebSocketStream};

/// Of the traders in Hyperliquid's trades.
pub(crate) const WALLET: &str = "0xa11ce";
/// Levels of each side, a dollar apart.
const LEVELS: i64 = 3;
/// Of each level.
const SIZE: &str = "1.2345";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speech {
    Hyperliquid,
    Binance,
    Bybit,
}

/// A venue on a thread of its own, which ends with the test.
pub(crate) struct FakeVenue {
    speech: Speech,
    streams: SocketAddr,
    rest: SocketAddr,
    state: Arc<Mutex<VenueState>>,
}

#[derive(Debug)]
struct VenueState {
    speech: Speech,
    /// The books are around it.
    middle: i64,
    /// Where it was before the last move.
    before: i64,
    /// When it moved.
    moved_at: u64,
    /// Of the last change of a book, and of the last trade.
    number: u64,
    sockets: Vec<VenueSocket>,
    /// How many sockets there were.
    accepted: u64,
    /// Everything that was asked: addresses, headers, frames.
    asked: String,
    door: Door,
}

/// Whether connections are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    Closed,
}

#[derive(Debug)]
struct VenueSocket {
    id: u64,
    /// What was subscribed to.
    names: BTreeSet<String>,
    /// Frames for it; it is cut with the end of the channel.
    frames: UnboundedSender<String>,
}

impl FakeVenue {
    pub(crate) fn of(speech: Speech) -> Self {
        let state = Arc::new(Mutex::new(VenueState {
            speech,
            middle: 100_000,
            before: 100_000,
            moved_at: millis(),
            number: 1_000,
            sockets: vec![],
            accepted: 0,
            asked: String::new(),
            door: Door::Open,
        }));
        let (bound, addresses) = mpsc::channel();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(async move {
                let [streams, rest] =
                    [(); 2].map(|()| async { TcpListener::bind("127.0.0.1:0").await.unwrap() });
                let (streams, rest) = (streams.await, rest.await);
                let address = |listener: &TcpListener| listener.local_addr().unwrap();
                bound.send((address(&streams), address(&rest))).unwrap();
                tokio::join!(serve_streams(streams, &shared), serve_rest(rest, &shared));
            });
        });
        let (streams, rest) = addresses.recv().unwrap();
        Self {
            speech,
            streams,
            rest,
            state,
        }
    }

    /// The settings that name it in place of the real one.
    pub(crate) fn settings(&self) -> String {
        let (name, path) = match self.speech {
            Speech::Hyperliquid => ("hyperliquid", "/ws"),
            Speech::Binance => ("binance", ""),
            Speech::Bybit => ("bybit", "/v5/public/linear"),
        };
        let Self { streams, rest, .. } = self;
        format!(
            "[venues.{name}]\nrest_url = \"http://{rest}\"\nstream_url = \"ws://{streams}{path}\"\n"
        )
    }

    fn state(&self) -> MutexGuard<'_, VenueState> {
        self.state.lock().unwrap()
    }

    /// The books move, and a trade happens there.
    pub(crate) fn moves_to(&self, middle: i64) {
        let mut state = self.state();
        state.move_to(middle);
        state.tell();
    }

    /// The books move, and no frame says so.
    pub(crate) fn loses_a_move_to(&self, middle: i64) {
        self.state().move_to(middle);
    }

    /// Sends every socket a text.
    pub(crate) fn says(&self, text: &str) {
        for socket in &self.state().sockets {
            let _gone = socket.frames.send(text.to_owned());
        }
    }

    /// Drops every connection.
    pub(crate) fn cuts(&self) {
        self.state().sockets.clear();
    }

    /// Drops every connection, and takes no other.
    pub(crate) fn closes(&self) {
        let mut state = self.state();
        state.door = Door::Closed;
        state.sockets.clear();
    }

    pub(crate) fn opens(&self) {
        self.state().door = Door::Open;
    }

    /// How many subscriptions its open sockets have.
    pub(crate) fn subscriptions(&self) -> usize {
        let state = self.state();
        let sockets = state.sockets.iter();
        sockets.map(|socket| socket.names.len()).sum()
    }

    /// How often a text came, in whatever was asked.
    pub(crate) fn times_asked(&self, text: &str) -> usize {
        self.state().asked.matches(text).count()
    }
}

/// What is wished of which subscriptions, and the acknowledgement.
type Subscribing = (Wish, Vec<String>, Value);

#[expect(clippy::disallowed_methods, reason = "a venue dates its frames")]
fn millis() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap().as_millis()).unwrap()
}

impl VenueState {
    fn move_to(&mut self, middle: i64) {
        (self.before, self.middle, self.moved_at) = (self.middle, middle, millis());
        self.number += 1;
    }

    /// Tells every socket what it has subscribed to.
    fn tell(&self) {
        for socket in &self.sockets {
            for name in &socket.names {
                if let Some(frame) = self.change(name) {
                    let _gone = socket.frames.send(frame.to_string());
                }
            }
        }
    }

    /// Prices around a middle, the best first; a positive step is for the asks.
    fn prices(middle: i64, step: i64) -> impl Iterator<Item = i64> {
        (1..=LEVELS).map(move |level| middle + level * step)
    }

    fn pairs(&self, step: i64) -> Vec<Value> {
        Self::prices(self.middle, step)
            .map(|price| json!([price.to_string(), SIZE]))
            .collect()
    }

    /// The same, and the levels of before that are gone.
    fn changed_pairs(&self, step: i64) -> Vec<Value> {
        let mut pairs = self.pairs(step);
        let now: BTreeSet<_> = Self::prices(self.middle, step).collect();
        let gone = Self::prices(self.before, step).filter(|price| !now.contains(price));
        pairs.extend(gone.map(|price| json!([price.to_string(), "0"])));
        pairs
    }

    /// What a subscription is told of a move.
    fn change(&self, name: &str) -> Option<Value> {
        match self.speech {
            Speech::Hyperliquid => self.hyperliquid(&serde_json::from_str(name).unwrap()),
            Speech::Binance => self.binance(name),
            Speech::Bybit => self.bybit(name, "delta"),
        }
    }

    /// What a new subscription is told.
    fn first(&self, name: &str) -> Option<Value> {
        match self.speech {
            Speech::Hyperliquid => self.hyperliquid(&serde_json::from_str(name).unwrap()),
            Speech::Binance => self.binance(name),
            Speech::Bybit => self.bybit(name, "snapshot"),
        }
    }

    fn hyperliquid(&self, subscription: &Value) -> Option<Value> {
        let (coin, kind) = (&subscription["coin"], subscription["type"].as_str()?);
        let (at, middle) = (millis(), self.middle);
        let level = |price: i64| json!({"px": price.to_string(), "sz": SIZE, "n": 2});
        let side = |step| -> Vec<_> { Self::prices(middle, step).map(level).collect() };
        let data = match kind {
            "l2Book" if subscription["fast"] == true => {
                json!({"coin": coin, "time": at, "levels": [side(-1), side(1)], "fast": true})
            }
            "l2Book" => json!({"coin": coin, "time": at, "levels": [side(-1), side(1)]}),
            "bbo" => {
                json!({"coin": coin, "time": at, "bbo": [level(middle - 1), level(middle + 1)]})
            }
            "trades" => {
                json!([{"coin": coin, "side": "B", "px": (middle + 1).to_string(), "sz": "0.5", "time": at,
                "tid": self.number, "hash": "0xfeed", "users": [WALLET, "0xb0b"]}])
            }
            "activeAssetCtx" => json!({"coin": coin, "ctx": {"markPx": middle.to_string(),
                "oraclePx": middle.to_string(), "funding": "0.0000125", "openInterest": "9", "dayNtlVlm": "7"}}),
            _ => return None,
        };
        Some(json!({"channel": kind, "data": data}))
    }

    fn binance(&self, name: &str) -> Option<Value> {
        let (symbol, kind) = name.split_once('@')?;
        let (symbol, at) = (symbol.to_uppercase(), self.moved_at);
        let (middle, number) = (self.middle, self.number);
        let data = match kind {
            "depth@100ms" => {
                json!({"e": "depthUpdate", "E": at, "T": at, "s": symbol, "U": number, "u": number,
                "pu": number - 1, "b": self.changed_pairs(-1), "a": self.changed_pairs(1)})
            }
            "aggTrade" => {
                json!({"e": "aggTrade", "E": at, "s": symbol, "a": number, "T": at, "m": false,
                "p": (middle + 1).to_string(), "q": "0.5"})
            }
            "markPrice@1s" => {
                json!({"e": "markPriceUpdate", "E": at, "s": symbol, "p": middle.to_string(),
                "i": middle.to_string(), "r": "0.0001", "T": at + 3_600_000})
            }
            _ => return None,
        };
        Some(json!({"stream": name, "data": data}))
    }

    fn bybit(&self, topic: &str, kind: &str) -> Option<Value> {
        let (of, symbol) = topic.rsplit_once('.')?;
        let (at, middle) = (millis(), self.middle);
        let data = match of.split('.').next()? {
            "orderbook" if kind == "delta" => json!({"s": symbol, "u": self.number, "seq": 7,
                "b": self.changed_pairs(-1), "a": self.changed_pairs(1)}),
            "orderbook" => {
                json!({"s": symbol, "u": self.number, "seq": 7, "b": self.pairs(-1), "a": self.pairs(1)})
            }
            "publicTrade" => {
                json!([{"T": at, "s": symbol, "S": "Buy", "v": "0.5", "p": (middle + 1).to_string(),
                "i": format!("trade-{}", self.number)}])
            }
            "tickers" => {
                json!({"symbol": symbol, "markPrice": middle.to_string(), "indexPrice": middle.to_string(),
                "fundingRate": "0.0001", "nextFundingTime": (at + 3_600_000).to_string()})
            }
            _ => return None,
        };
        Some(json!({"topic": topic, "type": kind, "ts": at, "cts": at, "data": data}))
    }

    fn rest_answer(&self, target: &str) -> Value {
        match target.split('?').next() {
            Some("/fapi/v1/depth") => {
                json!({"lastUpdateId": self.number, "E": self.moved_at, "T": self.moved_at,
                "bids": self.pairs(-1), "asks": self.pairs(1)})
            }
            Some("/fapi/v1/openInterest") => json!({"openInterest": "9"}),
            _ => json!([]),
        }
    }

    /// The subscriptions that a frame asks for or ends, and what acknowledges it.
    fn request(&self, asked: &Value) -> Option<Subscribing> {
        let wish = |word: &Value| match word.as_str()?.to_lowercase().as_str() {
            "subscribe" => Some(Wish::Begin),
            "unsubscribe" => Some(Wish::End),
            _ => None,
        };
        let names = |list: &Value| -> Vec<String> { serde_json::from_value(list.clone()).unwrap() };
        match self.speech {
            Speech::Hyperliquid => {
                let mut told = asked["subscription"].clone();
                let name = told.to_string();
                told["nSigFigs"] = Value::Null;
                let data = json!({"method": asked["method"], "subscription": told});
                let ok = json!({"channel": "subscriptionResponse", "data": data});
                Some((wish(&asked["method"])?, vec![name], ok))
            }
            Speech::Binance => {
                let ok = json!({"result": null, "id": asked["id"]});
                Some((wish(&asked["method"])?, names(&asked["params"]), ok))
            }
            Speech::Bybit => {
                let ok = json!({"success": true, "ret_msg": "", "conn_id": "c", "op": asked["op"],
                    "req_id": asked["req_id"]});
                Some((wish(&asked["op"])?, names(&asked["args"]), ok))
            }
        }
    }

    fn pong(&self) -> Value {
        match self.speech {
            Speech::Hyperliquid => json!({"channel": "pong"}),
            Speech::Binance => Value::Null,
            Speech::Bybit => {
                json!({"success": true, "ret_msg": "pong", "conn_id": "c", "op": "ping"})
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Begin,
    End,
}

impl VenueState {
    /// A new socket with what its address asks for; the frames for it.
    fn welcome(&mut self, seen: &str, query: &str) -> (u64, UnboundedReceiver<String>) {
        self.asked += seen;
        self.accepted += 1;
        let (frames, told) = unbounded_channel();
        if self.speech == Speech::Hyperliquid {
            let _gone = frames.send("Websocket connection established.".to_owned());
        }
        let mut socket = VenueSocket {
            id: self.accepted,
            names: BTreeSet::new(),
            frames,
        };
        let names = query.strip_prefix("streams=").into_iter();
        for name in names.flat_map(|names| names.split('/')) {
            self.subscribe(&mut socket, name);
        }
        self.sockets.push(socket);
        (self.accepted, told)
    }

    fn subscribe(&self, socket: &mut VenueSocket, name: &str) {
        socket.names.insert(name.to_owned());
        if let Some(frame) = self.first(name) {
            let _gone = socket.frames.send(frame.to_string());
        }
    }

    /// A socket asks for something.
    fn hear(&mut self, id: u64, text: &str) {
        let _ = writeln!(self.asked, "{text}");
        let asked: Value = serde_json::from_str(text).unwrap();
        let mut sockets = std::mem::take(&mut self.sockets);
        if let Some(socket) = sockets.iter_mut().find(|socket| socket.id == id) {
            self.answer(socket, &asked);
        }
        self.sockets = sockets;
    }

    fn answer(&self, socket: &mut VenueSocket, asked: &Value) {
        let Some((wish, names, ok)) = self.request(asked) else {
            let _gone = socket.frames.send(self.pong().to_string());
            return;
        };
        let _gone = socket.frames.send(ok.to_string());
        for name in names {
            match wish {
                Wish::Begin => self.subscribe(socket, &name),
                Wish::End => {
                    socket.names.remove(&name);
                }
            }
        }
    }
}

async fn serve_streams(listener: TcpListener, state: &Arc<Mutex<VenueState>>) {
    while let Ok((stream, _)) = listener.accept().await {
        if state.lock().unwrap().door == Door::Closed {
            continue;
        }
        let state = Arc::clone(state);
        tokio::spawn(async move {
            if let Ok((request, io)) = ServerBuilder::new().accept(stream).await {
                let query = request.uri().query().unwrap_or_default().to_owned();
                let seen = format!("{} {:?}\n", request.uri(), request.headers());
                let (id, frames) = state.lock().unwrap().welcome(&seen, &query);
                talk(io, id, frames, &state).await;
            }
        });
    }
}

/// Until either side is gone.
async fn talk(
    mut io: WebSocketStream<TcpStream>,
    id: u64,
    mut frames: UnboundedReceiver<String>,
    state: &Mutex<VenueState>,
) {
    loop {
        tokio::select! {
            asked = io.next() => match asked {
                Some(Ok(asked)) => {
                    if let Some(text) = asked.as_text() {
                        state.lock().unwrap().hear(id, text);
                    }
                }
                Some(Err(_)) | None => break,
            },
            frame = frames.recv() => {
                let Some(frame) = frame else { break };
                if io.send(Message::text(frame)).await.is_err() {
                    break;
                }
            }
        }
    }
    let sockets = &mut state.lock().unwrap().sockets;
    sockets.retain(|socket| socket.id != id);
}

/// One request a connection.
async fn serve_rest(listener: TcpListener, state: &Arc<Mutex<VenueState>>) {
    while let Ok((mut stream, _)) = listener.accept().await {
        let state = Arc::clone(state);
        tokio::spawn(async move {
            let (mut head, mut part) = (String::new(), [0; 4_096]);
            while !head.contains("\r\n\r\n") {
                match stream.read(&mut part).await {
                    Ok(count) if count > 0 => head += &String::from_utf8_lossy(&part[..count]),
                    Ok(_) | Err(_) => return,
                }
            }
            let target = head.split(' ').nth(1).unwrap_or_default();
            let body = {
                let mut state = state.lock().unwrap();
                state.asked += &head;
                state.rest_answer(target).to_string()
            };
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let _gone = stream.write_all(answer.as_bytes()).await;
        });
    }
}
