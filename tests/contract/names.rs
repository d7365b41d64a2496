//! Markets by the names that venues give them: `xyz:TSLA`, `@107`, `kPEPE`, and worse.

use crate::support::{Paper, Reply, START};
use perpdeck::{
    exchange::{ClockMode, ExchangeOptions, Scenario, SimulatorAccess},
    model::{Listing, MarketId, Order, OrderStatus, Timestamp},
};
use serde_json::{Value, json};

const ODD: &str = include_str!("../support/odd_names.toml");

/// As a client writes it in a path.
fn encoded(id: &str) -> String {
    let byte = |b: u8| match b {
        b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    id.bytes().map(byte).collect()
}

async fn listed(paper: &Paper) -> Vec<Listing> {
    paper.get("/v1/markets").await.data()
}

async fn place(paper: &Paper, key: &str, body: Value) -> Reply {
    let reply = paper.keyed("/v1/orders", key, &body.to_string()).await;
    assert_eq!(reply.status, 201, "{body}: {}", reply.text());
    reply
}

fn buy(market: &Listing, size: &Value) -> Value {
    json!({"account_id": "chal-1", "market_id": market.market_id, "side": "buy", "size": size,
        "leverage": 2, "margin_mode": "cross"})
}

/// A size of about 100 USD on its grid.
async fn size(paper: &Paper, market: &Listing) -> (Value, f64) {
    let id = encoded(market.market_id.raw());
    let quote = paper.get(&format!("/v1/markets/{id}/quote")).await.json();
    let mid = quote["data"]["mid"].as_f64().unwrap();
    let decimals = i32::try_from(market.size_decimals.unwrap()).unwrap();
    let grid = 10_f64.powi(decimals);
    (json!((100.0 / mid * grid).ceil() / grid), mid)
}

#[tokio::test]
async fn a_market_of_any_name_is_quoted_traded_closed_and_listed_with_its_history() {
    let paper = Paper::open(ODD).await;
    let markets = listed(&paper).await;
    assert_eq!(markets.len(), 6);
    for market in &markets {
        let id = encoded(market.market_id.raw());
        let one = paper.get(&format!("/v1/markets/{id}")).await;
        assert_eq!(one.data::<Listing>(), *market);
        for target in [
            format!("/sim/markets/{id}/book"),
            format!("/sim/markets/{id}/candles?interval=1m&limit=5"),
            format!("/sim/markets/{id}/trades?limit=5"),
        ] {
            assert_eq!(paper.get(&target).await.status, 200, "{target}");
        }
        let (size, mid) = size(&paper, market).await;
        let filled = place(&paper, &format!("buy {id}"), buy(market, &size)).await;
        assert!(filled.data::<Order>().status.is(&OrderStatus::Filled));
        paper.advance(1_000).await;
        let mut limit = buy(market, &size);
        limit["type"] = json!("limit");
        limit["limit_price"] = json!(format!("{:.3e}", mid / 2.0).parse::<f64>().unwrap());
        let rests: Order = place(&paper, &format!("limit {id}"), limit).await.data();
        let canceled = paper.delete(&format!("/v1/orders/{}", rests.id)).await;
        assert_eq!(canceled.status, 200, "{}", canceled.text());
        let open = paper.get("/v1/positions?account_id=chal-1").await.json();
        let held = open["data"][0].clone();
        assert_eq!(held["market_id"], market.market_id.raw());
        assert_eq!(held["symbol"], market.symbol.raw());
        assert_eq!(held["coin"], market.coin.raw());
        let close = format!("/v1/positions/{}/close", held["id"].as_str().unwrap());
        let closed = paper
            .keyed(&close, &format!("close {id}"), r#"{"type":"market"}"#)
            .await;
        assert_eq!(closed.status, 201, "{}", closed.text());
        paper.advance(1_000).await;
    }
    let ids: Vec<MarketId> = markets.iter().map(|one| one.market_id.clone()).collect();
    for list in [
        "/v1/positions?account_id=chal-1&status=closed",
        "/v1/fills?account_id=chal-1",
        "/v1/orders?account_id=chal-1",
    ] {
        let rows = paper.get(list).await.json();
        let rows = rows["data"].as_array().unwrap().clone();
        let of = |id: &MarketId| rows.iter().any(|row| row["market_id"] == id.raw());
        assert!(ids.iter().all(of), "{list}");
    }
}

#[tokio::test]
async fn a_directory_keeps_orders_and_positions_of_markets_of_any_name() {
    let dir = tempfile::TempDir::new().unwrap();
    let options = || ExchangeOptions {
        scenario: Scenario::parse(ODD).unwrap(),
        start: START,
        pace: Some(ClockMode::Paused),
        data_dir: Some(dir.path().to_owned()),
        simulator: SimulatorAccess::Served,
    };
    let paper = Paper::started(options()).await.unwrap();
    for market in listed(&paper).await {
        let (size, _) = size(&paper, &market).await;
        place(&paper, market.market_id.raw(), buy(&market, &size)).await;
        paper.advance(1_000).await;
    }
    let rows = async |paper: &Paper| paper.get("/v1/positions?account_id=chal-1").await.json();
    let before = rows(&paper).await;
    assert_eq!(before["data"].as_array().unwrap().len(), 6);
    paper.stop().await;
    let paper = Paper::started(options()).await.unwrap();
    assert_eq!(rows(&paper).await["data"], before["data"]);
}

#[tokio::test]
async fn the_date_of_an_answer_is_the_virtual_time_of_its_body() {
    let paper = Paper::bare().await;
    for at in [START, Timestamp(START.0 + 61_000)] {
        for target in ["/v1", "/v1/markets/paper%7CBTC/quote", "/v1/nothing"] {
            let reply = paper.get(target).await;
            let date = Timestamp::from_http_date(reply.header("date").unwrap()).unwrap();
            assert_eq!(date.0, at.0 / 1_000 * 1_000, "{target}");
        }
        paper.advance(61_000).await;
    }
}
