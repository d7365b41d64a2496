//! `serve --keep`: rows go some time after their end, from the answers and from the data directory.

use crate::{
    close_all::close_all,
    durable::{crashed, everything},
    orders::place,
    support::{Paper, START},
};
use perpdeck::{
    exchange::{ClockMode, ExchangeOptions, KeepTime, Speed},
    model::{Order, Timestamp},
};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

/// Three days later, a second before a whole hour.
const LATER: Timestamp = Timestamp(START.0 + 3 * 86_400_000 - 801_000);
const ORDERS: &str = "/v1/orders?account_id=chal-1";

/// Keeps rows for a day.
fn keeping(dir: &Path, start: Timestamp, pace: ClockMode) -> ExchangeOptions {
    let options = Paper::options(dir);
    let day = KeepTime::new(Duration::from_hours(24));
    ExchangeOptions {
        scenario: options.scenario.with_keep(day),
        start,
        pace: Some(pace),
        ..options
    }
}

/// Lets three days pass, and the hour that follows them.
async fn three_days(paper: Paper, dir: &Path) -> Paper {
    paper.stop().await;
    let live = ClockMode::Live(Speed::REAL_TIME);
    let later = Paper::started(keeping(dir, LATER, live)).await.unwrap();
    later.post("/sim/clock", r#"{"paused":true}"#).await;
    later.advance(2_000).await;
    later
}

fn ids(reply: &Value) -> Vec<String> {
    let rows = reply["data"].as_array().unwrap();
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn what_ended_longer_ago_is_gone_and_what_is_open_and_all_money_stay() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::started(keeping(dir.path(), START, ClockMode::Paused)).await;
    let paper = paper.unwrap();
    let price = paper.price("paper|BTC", -5.0).await;
    let resting: Order = place(&paper, "rest", json!({"type":"limit","limit_price":price}))
        .await
        .data();
    let bought: Order = place(&paper, "buy", json!({})).await.data();
    paper.advance(1_000).await;
    let (done, _) = close_all(&paper, "all").await;
    assert_eq!(done.status, 201);
    let page = paper.get(&format!("{ORDERS}&limit=1")).await.json();
    let cursor = page["next_cursor"].as_str().unwrap().to_owned();
    let cash = |account: Value| account["data"]["balance"].clone();
    let before = cash(paper.get("/v1/accounts/chal-1").await.json());

    let paper = three_days(paper, dir.path()).await;
    let fresh: Order = place(&paper, "fresh", json!({"type":"limit","limit_price":price}))
        .await
        .data();
    let orders = paper.get(ORDERS).await.json();
    assert_eq!(ids(&orders), [fresh.id.raw(), resting.id.raw()]);
    let closed = paper.get("/v1/positions?account_id=chal-1&status=closed");
    assert_eq!(closed.await.json()["data"], json!([]));
    let fills = paper.get("/v1/fills?account_id=chal-1").await.json();
    assert_eq!(fills["data"], json!([]));
    let gone = paper.delete(&format!("/v1/orders/{}", bought.id)).await;
    assert_eq!((gone.status, gone.refusal().1.as_str()), (404, "not_found"));
    let page = paper.get(&format!("{ORDERS}&cursor={cursor}")).await;
    assert_eq!(
        (page.status, ids(&page.json())),
        (200, vec![resting.id.to_string()])
    );
    assert_eq!(cash(paper.get("/v1/accounts/chal-1").await.json()), before);

    // The same on disk, also after a crash.
    let copy = crashed(dir.path());
    let again = keeping(copy.path(), LATER, ClockMode::Paused);
    let again = Paper::started(again).await.unwrap();
    assert_eq!(everything(&again).await, everything(&paper).await);
}

#[tokio::test]
async fn a_key_whose_order_is_gone_makes_nothing_again() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::started(keeping(dir.path(), START, ClockMode::Paused)).await;
    let paper = paper.unwrap();
    assert_eq!(place(&paper, "buy", json!({})).await.status, 201);
    paper.advance(1_000).await;
    let close = |key| {
        paper.keyed(
            "/v1/positions/pos_000001/close",
            key,
            r#"{"type":"market"}"#,
        )
    };
    assert_eq!(close("close").await.status, 201);
    paper.advance(1_000).await;
    for key in ["all", "none"] {
        assert_eq!(close_all(&paper, key).await.0.status, 201);
    }
    let paper = three_days(paper, dir.path()).await;
    let again = place(&paper, "buy", json!({})).await;
    assert_eq!(
        (again.status, again.refusal().1.as_str()),
        (409, "idempotency_conflict")
    );
    let target = "/v1/accounts/chal-1/close-all-positions";
    let again = paper.keyed(target, "all", "").await;
    assert_eq!(
        (again.status, again.refusal().1.as_str()),
        (409, "idempotency_conflict")
    );
    let close = |key| {
        paper.keyed(
            "/v1/positions/pos_000001/close",
            key,
            r#"{"type":"market"}"#,
        )
    };
    let again = close("close").await;
    assert_eq!(
        (again.status, again.refusal().1.as_str()),
        (409, "idempotency_conflict")
    );
    assert_eq!(
        close("another").await.status,
        404,
        "no close under this key"
    );
    assert_eq!(
        close("buy").await.status,
        404,
        "another request under this key"
    );
    assert_eq!(paper.get(ORDERS).await.json()["data"], json!([]));
    assert_eq!(
        close_all(&paper, "none").await.0.status,
        200,
        "the newest operation stays"
    );
}
