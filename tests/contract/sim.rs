//! The simulation's own routes.

use crate::{orders::place, support::Paper};
use serde_json::{Value, json};

#[tokio::test]
async fn a_markets_prices_and_book_agree() {
    let paper = Paper::bare().await;
    let markets: Vec<Value> = paper.get("/sim/markets").await.data();
    let btc = &markets[0];
    assert_eq!(btc["market_id"], "paper|BTC");
    assert!(btc["bid_price"].as_f64() < btc["ask_price"].as_f64());
    assert_eq!(btc["tick_size"], json!(1));
    let book: Value = paper.get("/sim/markets/paper%7CBTC/book").await.data();
    assert_eq!(book["bids"][0]["price"], btc["bid_price"]);
    assert_eq!(book["asks"][0]["price"], btc["ask_price"]);
    assert_eq!(
        paper.get("/sim/markets/paper%7CNOPE/book").await.status,
        404
    );
}

#[tokio::test]
async fn reading_never_moves_time_and_equal_runs_have_equal_histories() {
    let mut hashes = vec![];
    for polls in [0, 20] {
        let paper = Paper::bare().await;
        place(&paper, "k", json!({})).await;
        for _ in 0..polls {
            paper.get("/v1/orders?account_id=chal-1").await;
            paper.get("/sim/markets").await;
        }
        paper.advance(30_000).await;
        let clock: Value = paper.get("/sim/clock").await.data();
        assert_eq!(clock["now"], json!(crate::support::START.0 + 30_000));
        hashes.push(clock["log_hash"].clone());
    }
    assert_eq!(hashes[0], hashes[1]);
}

#[tokio::test]
async fn the_clock_can_be_set_running_and_stopped_and_refuses_nonsense() {
    let paper = Paper::bare().await;
    let clock: Value = paper
        .post("/sim/clock", r#"{"paused":false,"speed":2.5}"#)
        .await
        .data();
    assert_eq!(
        (&clock["paused"], &clock["speed"]),
        (&json!(false), &json!(2.5))
    );
    let clock: Value = paper.post("/sim/clock", r#"{"paused":true}"#).await.data();
    assert_eq!(clock["paused"], json!(true));
    for body in [
        r#"{"speed":0}"#,
        r#"{"speed":101}"#,
        r#"{"advance_ms":-1}"#,
        r#"{"advance_ms":3600001}"#,
        r#"{"at":1}"#,
    ] {
        assert_eq!(
            paper.post("/sim/clock", body).await.refusal().0,
            400,
            "{body}"
        );
    }
    for body in [
        r#"{"market_id":"paper|BTC","bps":2001}"#,
        r#"{"market_id":"x","bps":1}"#,
        "{}",
    ] {
        assert_eq!(
            paper.post("/sim/nudge", body).await.refusal().0,
            400,
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_nudge_moves_oracle_book_and_mark_at_once_with_the_next_step() {
    const PRICES: [&str; 4] = ["oracle_price", "mark_price", "bid_price", "ask_price"];
    let paper = Paper::bare().await;
    paper.advance(5_000).await;
    let btc = async || -> Value { paper.get("/sim/markets").await.json()["data"][0].take() };
    let before = btc().await;
    for _ in 0..2 {
        let nudge = r#"{"market_id":"paper|BTC","bps":-1000}"#;
        assert_eq!(paper.post("/sim/nudge", nudge).await.status, 200);
    }
    assert_eq!(btc().await, before, "no step has run");
    paper.advance(250).await;
    let after = btc().await;
    for name in PRICES {
        let moved = after[name].as_f64().unwrap() / before[name].as_f64().unwrap();
        assert!((moved - 0.81).abs() < 0.001, "{name} {moved}");
    }
}

#[tokio::test]
async fn no_number_of_nudges_stops_the_exchange_and_the_one_too_many_is_400() {
    let paper = Paper::bare().await;
    place(&paper, "k", json!({})).await;
    for bps in [2_000, -2_000] {
        let body = json!({"market_id": "paper|BTC", "bps": bps}).to_string();
        let mut refused = None;
        for _ in 0..300 {
            let reply = paper.post("/sim/nudge", &body).await;
            if reply.status != 200 {
                refused = Some(reply);
                break;
            }
        }
        let refused = refused.unwrap();
        assert_eq!(refused.refusal().0, 400);
        assert_eq!(refused.json()["error"]["details"][0]["field"], "bps");
        paper.advance(600_000).await;
        for list in [
            "/sim/markets",
            "/v1/accounts/chal-1",
            "/v1/orders?account_id=chal-1",
        ] {
            assert_eq!(paper.get(list).await.status, 200, "{list} after {bps}");
        }
        let again = place(&paper, &bps.to_string(), json!({})).await;
        assert_ne!(again.status, 500, "{}", again.text());
    }
}

#[tokio::test]
async fn a_reset_begins_anew_with_scenario_seed_clock_and_faults() {
    let paper = Paper::bare().await;
    let read = async || {
        let clock = paper.get("/sim/clock").await.json();
        let orders = paper.get("/v1/orders?account_id=chal-1").await.json();
        (clock, paper.get("/sim/markets").await.json(), orders)
    };
    let at_first = read().await;
    let order = || json!({"type": "market", "size": 0.1});
    let first = place(&paper, "mine", order()).await;
    assert_eq!(first.status, 201);
    paper.advance(60_000).await;
    let fault = r#"{"kind":"before","route":"orders","status":503}"#;
    assert_eq!(paper.post("/sim/faults", fault).await.status, 200);
    let faster = paper.post("/sim/clock", r#"{"paused":false,"speed":50}"#);
    assert_eq!(faster.await.status, 200);
    // Nothing is left to ask with, and this asks all the same.
    let least = r#"{"per_key":{"burst":1,"per_second":0}}"#;
    assert_eq!(paper.post("/sim/budgets", least).await.status, 200);

    let reset = paper.post("/sim/reset", "{}").await;
    assert_eq!((reset.status, reset.json()), (200, at_first.0.clone()));
    assert_eq!(read().await, at_first);
    let faults: Vec<Value> = paper.get("/sim/faults").await.data();
    assert_eq!(faults, Vec::<Value>::new());
    // The key is a new one, and the order it makes has the id of the old.
    let again = place(&paper, "mine", order()).await;
    assert_eq!((again.status, again.json()), (201, first.json()));
}

#[tokio::test]
async fn a_reset_is_for_those_who_have_a_key_and_takes_no_body() {
    let paper = Paper::bare().await;
    let stranger = paper.bare_call("POST", "/sim/reset", &[], "").await;
    assert_eq!(stranger.unwrap().status, 401);
    let odd = paper.post("/sim/reset", r#"{"seed":7}"#).await;
    assert_eq!(odd.status, 400);
    assert_eq!(paper.get("/sim/reset").await.status, 405);
}
