//! The two streams: market data for everybody, and the accounts of a key.

use crate::{
    orders::{body, place},
    support::Paper,
};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use tokio::net::TcpStream;
use tokio_websockets::{ClientBuilder, MaybeTlsStream, Message, WebSocketStream};

/// A client of a stream.
struct Listener(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Listener {
    async fn of_markets(paper: &Paper) -> Self {
        Self::open(paper, "/v1/market-data", None).await.unwrap()
    }

    async fn of_accounts(paper: &Paper, query: &str) -> Self {
        let path = format!("/v1/stream{query}");
        Self::open(paper, &path, Some(&paper.key())).await.unwrap()
    }

    async fn open(
        paper: &Paper,
        path: &str,
        key: Option<&str>,
    ) -> Result<Self, tokio_websockets::Error> {
        let uri = format!("ws://{}{path}", paper.handle.addr).parse().unwrap();
        let mut builder = ClientBuilder::from_uri(uri);
        if let Some(key) = key {
            let value = format!("Bearer {key}").parse().unwrap();
            builder = builder.add_header("authorization".parse().unwrap(), value)?;
        }
        Ok(Self(builder.connect().await?.0))
    }

    async fn says(&mut self, message: Value) {
        self.0
            .send(Message::text(message.to_string()))
            .await
            .unwrap();
    }

    /// The next message; `None` once the stream has ended.
    async fn hears(&mut self) -> Option<Value> {
        loop {
            let message = self.0.next().await?.ok()?;
            if let Some(text) = message.as_text() {
                return Some(serde_json::from_str(text).unwrap());
            }
        }
    }

    /// The messages up to the one that `ends` accepts.
    async fn until(&mut self, ends: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut heard = vec![];
        loop {
            let message = self.hears().await.expect("the stream goes on");
            let is_last = ends(&message);
            heard.push(message);
            if is_last {
                return heard;
            }
        }
    }

    /// Subscribes and answers the events before `snapshot_end`.
    async fn subscribes(&mut self, id: u64, channel: &str, more: Value) -> Vec<Value> {
        let mut payload = json!({ "symbols": ["BTC"], "providers": ["paper"] });
        for (name, value) in more.as_object().unwrap() {
            payload[name] = value.clone();
        }
        self.says(json!({ "op": "sub", "id": id, "channel": channel, "payload": payload }))
            .await;
        let heard = self.until(|message| message["op"] == "snapshot_end").await;
        assert_eq!(heard[0]["op"], "sub_ok", "{heard:?}");
        assert_eq!(
            (&heard[0]["id"], &heard[0]["snapshotBoundary"]),
            (&json!(id), &json!(true))
        );
        events(&heard)
    }

    async fn next_events(&mut self) -> Vec<Value> {
        let heard = self.until(|message| message["op"] == "events").await;
        events(&heard)
    }
}

fn events(heard: &[Value]) -> Vec<Value> {
    let lists = heard
        .iter()
        .filter_map(|message| message["events"].as_array());
    lists.flatten().cloned().collect()
}

fn number(value: &Value) -> f64 {
    value
        .as_str()
        .expect("decimals are strings")
        .parse()
        .unwrap()
}

#[tokio::test]
async fn a_market_is_told_as_it_is_and_then_as_it_changes() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_markets(&paper).await;
    let tick = listener.subscribes(1, "ticks", json!({})).await.remove(0);
    assert_eq!(
        (&tick["type"], &tick["symbol"]),
        (&json!("tick"), &json!("BTC"))
    );
    let mid = paper.mid("paper|BTC").await;
    assert!((number(&tick["price"]) / mid - 1.0).abs() < 0.01, "{tick}");
    paper.advance(5_000).await;
    let later = listener.next_events().await.remove(0);
    assert!(later["time"].as_i64() > tick["time"].as_i64(), "{later}");
}

#[tokio::test]
async fn a_book_is_whole_and_never_crossed() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_markets(&paper).await;
    let mut books = listener.subscribes(1, "books", json!({})).await;
    for _ in 0..5 {
        paper.advance(1_000).await;
        books.extend(listener.next_events().await);
    }
    for book in books {
        let best = |side: &str| number(&book[side][0][0]);
        assert!(best("bids") < best("asks"), "{book}");
        let prices: Vec<f64> = book["bids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|l| number(&l[0]))
            .collect();
        assert!(prices.is_sorted_by(|near, far| near > far), "{prices:?}");
    }
}

#[tokio::test]
async fn trades_come_once_each_by_rising_number_and_earlier_ones_before_the_boundary() {
    let paper = Paper::bare().await;
    paper.advance(10_000).await;
    let mut listener = Listener::of_markets(&paper).await;
    let mut told = listener.subscribes(1, "trades", json!({})).await;
    assert!(!told.is_empty(), "earlier ones");
    assert_eq!(place(&paper, "k", json!({})).await.status, 201);
    while told.last().unwrap()["size"] != "0.1" {
        told.extend(listener.next_events().await);
    }
    let ids: Vec<i64> = told
        .iter()
        .map(|trade| trade["tradeId"].as_str().unwrap().parse().unwrap())
        .collect();
    assert!(ids.windows(2).all(|pair| pair[1] == pair[0] + 1), "{ids:?}");
    assert_eq!(told.last().unwrap()["side"], "buy");
}

#[tokio::test]
async fn candles_begin_with_history_and_the_open_one_is_told_anew_until_it_is_final() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_markets(&paper).await;
    let wanted = json!({ "intervals": ["1m"], "historyLimit": 50 });
    let mut told = listener.subscribes(1, "candles", wanted).await;
    assert_eq!(told.len(), 50);
    paper.advance(70_000).await;
    told.extend(listener.next_events().await);
    let mut newest = BTreeMap::new();
    for candle in &told {
        assert_eq!(candle["type"], "candle");
        newest.insert(
            candle["openTime"].as_i64().unwrap(),
            candle["isFinal"] == true,
        );
    }
    let times: Vec<i64> = newest.keys().copied().collect();
    assert!(
        times.windows(2).all(|pair| pair[1] - pair[0] == 60_000),
        "no gap: {times:?}"
    );
    let open = newest.values().filter(|is_final| !**is_final).count();
    assert_eq!(open, 1, "only the newest is open");
    listener
        .says(json!({"op": "req", "id": 9, "method": "candles.history", "payload":
            {"provider": "paper", "symbol": "BTC", "interval": "1m", "limit": 50, "endTime": times[40]}}))
        .await;
    let page = listener
        .until(|message| message["id"] == 9)
        .await
        .pop()
        .unwrap();
    let page = page["result"].as_array().unwrap().clone();
    assert_eq!((page.len(), &page[49]["openTime"]), (50, &json!(times[40])));
    assert_eq!(page[49], told[40], "the same candle");
}

#[tokio::test]
async fn statistics_are_patches() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_markets(&paper).await;
    let whole = listener
        .subscribes(1, "marketStats", json!({}))
        .await
        .remove(0);
    for name in ["markPx", "change24hPct", "fundingRate", "dayNtlVlm"] {
        number(&whole[name]);
    }
    assert_eq!(whole["fundingIntervalHours"], 1);
    paper.advance(2_000).await;
    let patch = listener.next_events().await.remove(0);
    assert!(
        patch["markPx"].is_string() && patch["fundingIntervalHours"].is_null(),
        "{patch}"
    );
    let status = listener.subscribes(2, "status", json!({})).await.remove(0);
    assert_eq!(status["status"], "open");
}

#[tokio::test]
async fn what_cannot_be_subscribed_is_said_and_the_stream_goes_on() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_markets(&paper).await;
    for (channel, payload, why) in [
        (
            "tips",
            json!({"symbols": ["BTC"], "providers": ["paper"]}),
            "there is no channel \"tips\"",
        ),
        (
            "ticks",
            json!({"symbols": ["X"], "providers": ["paper"]}),
            "paper has no symbol X",
        ),
        ("ticks", json!({"symbols": ["BTC"]}), "providers is missing"),
        (
            "ticks",
            json!({"symbols": [], "providers": ["paper"]}),
            "symbols takes 1 to 32 entries",
        ),
        (
            "candles",
            json!({"symbols": ["BTC"], "providers": ["paper"], "intervals": ["7m"]}),
            "interval 7m is not served here",
        ),
    ] {
        listener
            .says(json!({"op": "sub", "id": 1, "channel": channel, "payload": payload}))
            .await;
        let refused = listener.hears().await.unwrap();
        assert_eq!(
            (&refused["op"], &refused["error"]["message"]),
            (&json!("sub_err"), &json!(why))
        );
    }
    listener.0.send(Message::text("{")).await.unwrap();
    assert_eq!(listener.hears().await.unwrap()["op"], "err");
    listener.says(json!({"op": "wave", "id": 1})).await;
    listener
        .says(json!({"op": "req", "id": 3, "method": "ping"}))
        .await;
    assert_eq!(
        listener.hears().await.unwrap()["result"],
        json!(crate::support::START.0)
    );
    assert_eq!(listener.subscribes(1, "ticks", json!({})).await.len(), 1);
    listener.says(json!({"op": "unsub", "id": 1})).await;
    assert_eq!(listener.hears().await.unwrap()["op"], "end");
}

/// Everything that an account stream says before its events.
async fn snapshot(listener: &mut Listener) -> Vec<Value> {
    listener
        .until(|message| message["event"] == "snapshot_end")
        .await
}

#[tokio::test]
async fn an_account_is_told_whole_and_then_row_by_row_as_a_read_tells_it() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_accounts(&paper, "").await;
    let told = snapshot(&mut listener).await;
    assert_eq!(
        (&told[0]["event"], &told[0]["resumed"]),
        (&json!("hello"), &json!(false))
    );
    assert_eq!(told[1]["account"]["id"], "chal-1");
    assert_eq!(
        (&told[1]["orders"], &told[1]["positions"]),
        (&json!([]), &json!([]))
    );

    let order = place(&paper, "k", json!({})).await.json()["data"].clone();
    let told = listener
        .until(|message| message["event"] == "account")
        .await;
    let kinds: Vec<_> = told
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["fill", "order", "position", "account"]);
    assert_eq!((&told[0]["fill"], &told[1]["order"]), (&order, &order));
    let positions = paper.get("/v1/positions?account_id=chal-1").await.json();
    assert_eq!(told[2]["position"], positions["data"][0]);
    let seqs: Vec<_> = told
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, [1, 2, 3, 4]);
}

#[tokio::test]
async fn an_order_is_told_when_it_rests_is_moved_and_ends() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_accounts(&paper, "").await;
    snapshot(&mut listener).await;
    let price = paper.price("paper|BTC", -5.0).await;
    let rests = json!({"type": "limit", "limit_price": price});
    let order = place(&paper, "k", rests).await.json()["data"].clone();
    let target = format!("/v1/orders/{}", order["id"].as_str().unwrap());
    assert_eq!(listener.hears().await.unwrap()["order"], order);
    let moved = json!({"price": price - 10}).to_string();
    assert_eq!(paper.call("PATCH", &target, &[], &moved).await.status, 200);
    assert_eq!(
        listener.hears().await.unwrap()["order"]["limit_price"],
        json!(price - 10)
    );
    assert_eq!(paper.delete(&target).await.status, 200);
    let ended = listener.hears().await.unwrap();
    assert_eq!(ended["order"]["status"], "canceled");
}

#[tokio::test]
async fn two_clients_are_told_the_same_and_one_that_was_away_misses_nothing() {
    let paper = Paper::bare().await;
    let mut first = Listener::of_accounts(&paper, "").await;
    let mut second = Listener::of_accounts(&paper, "").await;
    let hello = snapshot(&mut first).await.remove(0);
    snapshot(&mut second).await;
    place(&paper, "k1", json!({})).await;
    let is_fourth = |message: &Value| message["seq"] == 4;
    let told = first.until(is_fourth).await;
    assert_eq!(told, second.until(is_fourth).await);
    drop(second);
    paper.advance(1_000).await;
    assert_eq!(place(&paper, "k2", json!({})).await.status, 201);
    let missed = first.until(|message| message["seq"] == 8).await;
    let id = hello["stream_id"].as_str().unwrap();
    let mut again =
        Listener::of_accounts(&paper, &format!("?resume={id}&last_seq=4&since=0")).await;
    assert_eq!(again.hears().await.unwrap()["resumed"], true);
    assert_eq!(again.until(|message| message["seq"] == 8).await, missed);
    let mut other = Listener::of_accounts(&paper, "?resume=another&last_seq=4").await;
    assert_eq!(snapshot(&mut other).await[0]["resumed"], false);
}

#[tokio::test]
async fn after_a_reset_a_stream_asks_its_client_to_come_back() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_accounts(&paper, "").await;
    snapshot(&mut listener).await;
    let mut markets = Listener::of_markets(&paper).await;
    let wanted = json!({ "intervals": ["1m"], "historyLimit": 5 });
    markets.subscribes(1, "candles", wanted).await;
    assert_eq!(paper.post("/sim/reset", "").await.status, 200);
    assert_eq!(listener.hears().await.unwrap()["event"], "reconnect");
    assert!(listener.hears().await.is_none());
    assert_eq!(markets.hears().await.unwrap()["op"], "draining");
    assert!(markets.hears().await.is_none());
}

async fn plant(paper: &Paper, fault: Value) {
    let reply = paper.post("/sim/faults", &fault.to_string()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn a_fault_of_one_market_leaves_the_others_in_its_frames_as_they_are() {
    let paper = Paper::bare().await;
    let mut listener = Listener::of_markets(&paper).await;
    let both = json!({ "symbols": ["BTC", "ETH"] });
    let symbols = |events: &[Value]| {
        let names = events.iter().map(|event| event["symbol"].clone());
        names.collect::<Value>()
    };
    let fault = |kind: &str| json!({"kind": kind, "symbol": "BTC", "count": 1});
    for (id, kind, left) in [
        (1, "wrong_symbol", json!(["WRONG", "ETH"])),
        (2, "drop", json!(["ETH"])),
        (3, "stall", json!(["ETH"])),
    ] {
        plant(&paper, fault(kind)).await;
        let first = listener.subscribes(id, "ticks", both.clone()).await;
        assert_eq!(symbols(&first), left, "{kind}");
    }
    plant(&paper, fault("crossed_book")).await;
    let books = listener.subscribes(4, "books", both).await;
    let is_crossed = |book: &Value| number(&book["bids"][0][0]) > number(&book["asks"][0][0]);
    assert_eq!(symbols(&books), json!(["BTC", "ETH"]));
    assert!(is_crossed(&books[0]) && !is_crossed(&books[1]));
}

#[tokio::test]
async fn a_missing_snapshot_is_missing_whole_and_once() {
    let paper = Paper::bare().await;
    let missing = json!({"kind": "snapshot_missing", "count": 1});
    plant(&paper, missing.clone()).await;
    let mut markets = Listener::of_markets(&paper).await;
    let wanted = json!({ "symbols": ["BTC"], "providers": ["paper"] });
    markets
        .says(json!({ "op": "sub", "id": 1, "channel": "ticks", "payload": wanted }))
        .await;
    markets
        .says(json!({"op": "req", "id": 2, "method": "ping"}))
        .await;
    let told = markets.until(|message| message["id"] == 2).await;
    let words: Vec<_> = told.iter().map(|message| &message["op"]).collect();
    assert_eq!(words, ["sub_ok", "res"]);
    assert_eq!(markets.subscribes(3, "ticks", json!({})).await.len(), 1);

    plant(&paper, missing).await;
    let mut account = Listener::of_accounts(&paper, "").await;
    assert_eq!(account.hears().await.unwrap()["event"], "hello");
    assert_eq!(place(&paper, "k", json!({})).await.status, 201);
    assert_eq!(account.hears().await.unwrap()["event"], "fill");
    let mut other = Listener::of_accounts(&paper, "").await;
    assert_eq!(snapshot(&mut other).await.len(), 3);
}

#[tokio::test]
async fn a_stream_takes_get_its_key_and_the_words_of_a_websocket() {
    let paper = Paper::bare().await;
    assert_eq!(paper.get("/v1/market-data").await.status, 426);
    assert_eq!(paper.post("/v1/market-data", "").await.status, 405);
    assert_eq!(paper.get("/v1/stream").await.status, 426);
    let bare = paper.bare_call("GET", "/v1/stream", &[], "").await.unwrap();
    assert_eq!(bare.status, 401);
    assert!(
        Listener::open(&paper, "/v1/stream", Some("wrong"))
            .await
            .is_err()
    );
    // The key of another user opens that user's accounts.
    let key = paper.key_of("chal-2");
    let mut other = Listener::open(&paper, "/v1/stream", Some(&key))
        .await
        .unwrap();
    let told = snapshot(&mut other).await;
    assert_eq!((told.len(), &told[1]["account_id"]), (3, &json!("chal-2")));
    let bought = paper.keyed("/v1/orders", "k", &body(&json!({}))).await;
    assert_eq!(bought.status, 201);
    paper.stop().await;
    assert_eq!(
        other.hears().await.unwrap()["event"],
        "reconnect",
        "and nothing of chal-1"
    );
}

#[tokio::test]
async fn streams_leave_room_for_requests() {
    let paper = Paper::bare().await;
    let mut streams = vec![];
    for _ in 0..128 {
        streams.push(Listener::of_markets(&paper).await);
    }
    assert_eq!(paper.get("/v1/accounts").await.status, 200);
    assert!(streams[0].hears().await.is_none(), "the oldest gives way");
    streams[127]
        .says(json!({"op": "req", "id": 1, "method": "ping"}))
        .await;
    assert!(streams[127].hears().await.is_some(), "the others stay");
}

#[tokio::test]
async fn two_desks_and_a_bot_see_one_sequence_and_a_client_that_does_not_read_costs_them_nothing() {
    let paper = Paper::bare().await;
    let mut deaf = Listener::of_markets(&paper).await;
    // The exchange answers until the buffers between are full; then it no longer reads.
    let ping = json!({"op": "req", "id": 1, "method": "ping"}).to_string();
    let patience = Duration::from_millis(200);
    while let Ok(sent) =
        tokio::time::timeout(patience, deaf.0.send(Message::text(ping.clone()))).await
    {
        sent.unwrap();
    }
    let mut others = vec![];
    for _ in 0..3 {
        let mut listener = Listener::of_markets(&paper).await;
        listener.subscribes(1, "trades", json!({})).await;
        others.push(listener);
    }
    for _ in 0..60 {
        paper.advance(1_000).await;
    }
    let number = |trade: &Value| trade["tradeId"].as_str().unwrap().parse::<u64>().unwrap();
    // The market goes on between one subscription and the next: what all hear begins with the latest first trade.
    let (mut seen, mut from) = (vec![], 0);
    for listener in &mut others {
        let trades = listener.next_events().await;
        let trades: Vec<_> = trades.iter().map(number).collect();
        from = trades[0].max(from);
        seen.push(trades);
    }
    for (listener, seen) in others.iter_mut().zip(&mut seen) {
        seen.retain(|id| *id >= from);
        while seen.len() < 20 {
            let trades = listener.next_events().await;
            seen.extend(trades.iter().map(number).filter(|id| *id >= from));
        }
        seen.truncate(20);
    }
    assert_eq!(seen[0].len(), 20);
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}
