//! Candles and trades of a market; equity and funding of an account.

use crate::{orders::place, support::Paper};
use serde_json::{Value, json};

const BTC: &str = "/sim/markets/paper%7CBTC";
const MINE: &str = "/sim/accounts/chal-1";

async fn rows(paper: &Paper, target: &str) -> Vec<Value> {
    paper.get(target).await.data()
}

/// Follows `before` to the end, which is an empty page.
async fn all(paper: &Paper, target: &str, place: fn(&[Value]) -> &Value) -> Vec<Vec<Value>> {
    let (mut pages, mut before) = (vec![], String::new());
    loop {
        let page = rows(paper, &format!("{target}{before}")).await;
        if page.is_empty() {
            return pages;
        }
        before = format!("&before={}", place(&page));
        pages.push(page);
    }
}

#[tokio::test]
async fn candles_page_back_to_their_end_without_gap_or_repeat() {
    let paper = Paper::bare().await;
    paper.advance(200_000).await;
    for (interval, millis, least) in [
        ("1s", 1_000, 3_600),
        ("5s", 5_000, 719),
        ("15s", 15_000, 239),
        ("1m", 60_000, 4_320),
        ("5m", 300_000, 863),
        ("15m", 900_000, 287),
        ("1h", 3_600_000, 2_160),
        ("4h", 14_400_000, 539),
        ("1d", 86_400_000, 730),
    ] {
        let target = format!("{BTC}/candles?interval={interval}&limit=1500");
        let mut pages = all(&paper, &target, |page| &page[0]["open_time"]).await;
        pages.reverse();
        let shown = pages.concat();
        assert!(shown.len() >= least, "{interval}: {}", shown.len());
        let open = |row: &Value| row["open_time"].as_i64().unwrap();
        assert!(
            shown
                .windows(2)
                .all(|pair| open(&pair[1]) - open(&pair[0]) == millis)
        );
        assert!(
            shown.iter().all(|row| open(row) % millis == 0),
            "{interval}"
        );
        let (last, before) = shown.split_last().unwrap();
        assert_eq!(last["closed"], json!(false), "{interval}");
        assert!(before.iter().all(|row| row["closed"] == json!(true)));
        let newest = rows(
            &paper,
            &format!("{BTC}/candles?interval={interval}&limit=7"),
        )
        .await;
        assert_eq!(newest, shown[shown.len() - 7..], "{interval}");
    }
}

#[tokio::test]
async fn the_running_candle_has_the_last_trade_and_grows_with_each() {
    let paper = Paper::bare().await;
    let running = async || -> Value {
        let newest = rows(&paper, &format!("{BTC}/candles?interval=1d&limit=1")).await;
        newest[0].clone()
    };
    let before = running().await;
    place(&paper, "k", json!({"size": 0.5})).await;
    let after = running().await;
    let trade = rows(&paper, &format!("{BTC}/trades?limit=1")).await[0].clone();
    assert_eq!(after["close"], trade["price"]);
    assert!(after["trades"].as_u64() > before["trades"].as_u64());
    let volume = |row: &Value| row["volume"].as_f64().unwrap();
    assert!((volume(&after) - volume(&before) - 0.5).abs() < 1e-9);
    let turnover = |row: &Value| row["turnover"].as_f64().unwrap();
    let paid = turnover(&after) - turnover(&before);
    assert!((paid / trade["price"].as_f64().unwrap() - 0.5).abs() < 0.001);
}

#[tokio::test]
async fn trades_are_newest_first_and_their_volume_is_that_of_the_candles() {
    let paper = Paper::bare().await;
    place(&paper, "k", json!({})).await;
    paper.advance(120_000).await;
    let pages = all(&paper, &format!("{BTC}/trades?limit=50"), |page| {
        &page[page.len() - 1]["trade_id"]
    })
    .await;
    assert!(pages.iter().rev().skip(1).all(|page| page.len() == 50));
    let trades = pages.concat();
    let ids: Vec<i64> = trades
        .iter()
        .map(|row| row["trade_id"].as_i64().unwrap())
        .collect();
    let count = i64::try_from(ids.len()).unwrap();
    assert!(ids.iter().copied().eq((1..=count).rev()), "{ids:?}");
    let sum = |rows: &[Value], name: &str| -> f64 {
        rows.iter().map(|row| row[name].as_f64().unwrap()).sum()
    };
    let seconds = rows(&paper, &format!("{BTC}/candles?interval=1s&limit=1500")).await;
    let by_seconds: Vec<Value> = seconds
        .into_iter()
        .filter(|row| row["synthetic"] == false)
        .collect();
    assert!((sum(&by_seconds, "volume") - sum(&trades, "size")).abs() < 1e-6);
}

#[tokio::test]
async fn rows_of_a_market_say_up_to_when_they_are_complete() {
    let paper = Paper::bare().await;
    for list in ["candles", "trades"] {
        let before = paper.get(&format!("{BTC}/{list}?limit=1")).await.json();
        paper.advance(60_000).await;
        let after = paper.get(&format!("{BTC}/{list}?limit=1")).await.json();
        let at = |page: &Value| page["updated_at"].as_i64().unwrap();
        assert_eq!(at(&after) - at(&before), 60_000, "{list}");
        let now = paper.get("/sim/clock").await.json();
        assert_eq!(after["updated_at"], now["data"]["now"], "{list}");
    }
}

#[tokio::test]
async fn a_users_fill_is_in_the_trades_and_not_in_the_last_price_of_the_market() {
    let paper = Paper::bare().await;
    let facts = async || -> (Value, Value) {
        let markets = rows(&paper, "/sim/markets").await;
        let btc = markets
            .iter()
            .find(|row| row["market_id"] == "paper|BTC")
            .unwrap();
        (btc["last_price"].clone(), btc["day_volume"].clone())
    };
    let before = facts().await;
    assert_eq!(place(&paper, "k", json!({"size": 0.5})).await.status, 201);
    assert_eq!(facts().await, before);
    let newest = rows(&paper, &format!("{BTC}/trades?limit=1")).await;
    assert_eq!(newest[0]["own"], json!(true));
    assert_ne!(newest[0]["price"], before.0);
}

#[tokio::test]
async fn only_a_traders_own_key_sees_which_trades_are_its_own() {
    let paper = Paper::bare().await;
    let order = json!({"size": 0.01});
    assert_eq!(place(&paper, "k", order).await.status, 201);
    let target = format!("{BTC}/trades?limit=1");
    let mine = rows(&paper, &target).await;
    assert_eq!(mine[0]["own"], json!(true));
    let theirs = paper.call_as("chal-2", "GET", &target, "").await;
    let theirs: Vec<Value> = theirs.data();
    assert_eq!(theirs[0]["own"], json!(false));
    let nobody = paper.bare_call("GET", &target, &[], "").await.unwrap();
    assert!(nobody.json()["data"][0].get("own").is_none());
    let wrong = [("Authorization", "Bearer nonsense")];
    let wrong = paper.bare_call("GET", &target, &wrong, "").await.unwrap();
    assert_eq!(wrong.status, 401);
}

#[tokio::test]
async fn a_grouped_book_sums_the_levels_and_depth_counts_the_sums() {
    let paper = Paper::bare().await;
    let book =
        async |query: &str| -> Value { paper.get(&format!("{BTC}/book{query}")).await.data() };
    let (whole, grouped) = (book("").await, book("?group=10").await);
    for (side, up) in [("bids", 0.0), ("asks", 9.0)] {
        let sum = |book: &Value| -> f64 {
            let levels = book[side].as_array().unwrap();
            levels.iter().map(|row| row["size"].as_f64().unwrap()).sum()
        };
        assert!((sum(&whole) - sum(&grouped)).abs() < 1e-9);
        let best = whole[side][0]["price"].as_f64().unwrap();
        let label = ((best + up) / 10.0).floor() * 10.0;
        assert_eq!(grouped[side][0]["price"].as_f64(), Some(label), "{side}");
    }
    let thin = book("?depth=2&group=10").await;
    assert_eq!(
        thin["bids"].as_array().unwrap()[..],
        grouped["bids"].as_array().unwrap()[..2]
    );
    let refused = paper.get(&format!("{BTC}/book?group=0.5")).await;
    let words = "group 0.5 is not a multiple of the market's price step 1";
    assert_eq!(
        refused.refusal(),
        (400, "invalid_tick".to_owned(), words.to_owned())
    );
    assert_eq!(refused.json()["error"]["details"][0]["field"], "group");
    let lowest = whole["bids"].as_array().unwrap().last().unwrap()["price"].clone();
    let at_lowest = book(&format!("?group={lowest}")).await;
    for side in ["bids", "asks"] {
        let levels = at_lowest[side].as_array().unwrap();
        assert!(levels.iter().all(|row| row["price"].as_f64() > Some(0.0)));
    }
    let refused = paper.get(&format!("{BTC}/book?group=1000000")).await;
    let words = format!("group 1000000 is above the lowest bid {lowest}: choose a smaller step");
    assert_eq!(refused.refusal(), (400, "invalid_tick".to_owned(), words));
}

/// An hour after the beginning.
async fn expect_equity_of_each_minute(paper: &Paper) {
    let curve = rows(paper, &format!("{MINE}/equity?limit=1000")).await;
    assert_eq!(curve.len(), 61, "the beginning and every minute");
    assert_eq!(curve[0]["equity"], json!(100_000));
    let time = |row: &Value| row["time"].as_i64().unwrap();
    // The first is from the beginning, within a minute.
    assert!(
        curve[1..]
            .windows(2)
            .all(|pair| time(&pair[1]) - time(&pair[0]) == 60_000)
    );
    for row in &curve {
        let usd = |name: &str| row[name].as_f64().unwrap();
        let sum = usd("cash") + usd("unrealized_pnl") - usd("insurance_advance");
        assert!((sum - usd("equity")).abs() < 1e-6, "{row}");
    }
    let before = curve[60]["time"].as_i64().unwrap();
    let older = rows(paper, &format!("{MINE}/equity?limit=10&before={before}")).await;
    assert_eq!(older, curve[50..60]);
}

#[tokio::test]
async fn an_owner_reads_equity_and_funding() {
    let paper = Paper::bare().await;
    place(&paper, "open", json!({"size": 0.1})).await;
    paper.advance(3_600_000).await;
    let close = paper.keyed(
        "/v1/positions/pos_000001/close",
        "close",
        r#"{"type":"market"}"#,
    );
    assert_eq!(close.await.status, 201);
    expect_equity_of_each_minute(&paper).await;
    let funding = rows(&paper, &format!("{MINE}/funding")).await;
    assert_eq!(funding.len(), 1);
    let closed = rows(&paper, "/v1/positions?account_id=chal-1&status=closed").await;
    assert_eq!(closed.len(), 1);
    assert_eq!(closed[0]["funding"], funding[0]["amount"]);
    assert_eq!(funding[0]["position_id"], "pos_000001");
    assert_eq!(funding[0]["size"], json!(0.1));
    let ids = funding[0]["payment_id"].as_i64().unwrap();
    assert_eq!(
        rows(&paper, &format!("{MINE}/funding?before={ids}")).await,
        [] as [Value; 0]
    );
}

#[tokio::test]
async fn another_users_history_is_not_there() {
    let paper = Paper::bare().await;
    for list in ["equity", "funding"] {
        let target = format!("{MINE}/{list}");
        assert_eq!(paper.get(&target).await.status, 200, "{list}");
        let reply = paper.call_as("chal-2", "GET", &target, "").await;
        let nowhere = paper.get(&format!("/sim/accounts/nobody/{list}")).await;
        assert_eq!((reply.status, nowhere.status), (404, 404), "{list}");
        let nobody = paper.bare_call("GET", &target, &[], "").await.unwrap();
        assert_eq!(nobody.status, 401, "{list}");
    }
}

/// A request, the parameter that is wrong, and words of the refusal.
const BAD_PARAMETERS: &[(&str, &str, &str)] = &[
    (
        "markets/paper%7CBTC/candles?interval=2m",
        "interval",
        "one of 1s, 5s",
    ),
    (
        "markets/paper%7CBTC/candles?limit=1501",
        "limit",
        "from 1 to 1500",
    ),
    (
        "markets/paper%7CBTC/candles?limit=0",
        "limit",
        "from 1 to 1500",
    ),
    (
        "markets/paper%7CBTC/candles?before=-1",
        "before",
        "an integer from 0",
    ),
    (
        "markets/paper%7CBTC/candles?before=1&before=2",
        "before",
        "twice",
    ),
    (
        "markets/paper%7CBTC/trades?limit=1001",
        "limit",
        "from 1 to 1000",
    ),
    (
        "markets/paper%7CBTC/trades?interval=1m",
        "interval",
        "unknown",
    ),
    (
        "markets/paper%7CBTC/book?depth=1001",
        "depth",
        "from 1 to 1000",
    ),
    (
        "markets/paper%7CBTC/book?group=ten",
        "group",
        "must be a number",
    ),
    ("markets/paper%7CBTC/book?group=0", "group", "above 0"),
    ("accounts/chal-1/funding?limit=x", "limit", "from 1 to 1000"),
    (
        "accounts/chal-1/equity?limit=1501",
        "limit",
        "from 1 to 1500",
    ),
    (
        "accounts/chal-1/funding?before=",
        "before",
        "an integer from 0",
    ),
];

#[tokio::test]
async fn a_bad_parameter_is_refused_with_its_name_and_its_range() {
    let paper = Paper::bare().await;
    for (target, field, wanted) in BAD_PARAMETERS {
        let reply = paper.get(&format!("/sim/{target}")).await;
        let (status, _, message) = reply.refusal();
        assert_eq!(status, 400, "{target}");
        assert!(message.contains(wanted), "{target}: {message}");
        assert_eq!(
            reply.json()["error"]["details"][0]["field"],
            *field,
            "{target}"
        );
    }
}

#[tokio::test]
async fn an_unknown_parameter_is_refused_before_a_key_is_asked_for_only_where_none_is_needed() {
    let paper = Paper::bare().await;
    for list in ["candles", "trades", "book"] {
        let target = format!("{BTC}/{list}?moon=1");
        let nobody = paper.bare_call("GET", &target, &[], "").await.unwrap();
        assert_eq!(nobody.status, 400, "{list} needs no key");
        let reply = paper
            .get(&format!("/sim/markets/paper%7CNOPE/{list}"))
            .await;
        assert_eq!(reply.status, 404, "{list}");
    }
    for target in ["/sim/markets?moon=1", "/sim/openapi.yaml?moon=1"] {
        let nobody = paper.bare_call("GET", target, &[], "").await.unwrap();
        assert_eq!(nobody.status, 400, "{target} needs no key");
    }
    let target = format!("{MINE}/funding?moon=1");
    let nobody = paper.bare_call("GET", &target, &[], "").await.unwrap();
    assert_eq!(nobody.status, 401, "a private route asks for the key first");
    assert_eq!(paper.get("/sim/markets/paper%7CBTC/moon").await.status, 404);
    assert_eq!(
        paper.post("/sim/accounts/chal-1/funding", "").await.status,
        405
    );
}

#[tokio::test]
async fn after_a_reset_the_histories_are_those_of_the_beginning() {
    let paper = Paper::bare().await;
    let lists = [
        format!("{BTC}/candles"),
        format!("{BTC}/trades"),
        format!("{MINE}/funding"),
        format!("{MINE}/equity"),
    ];
    let mut at_first = vec![];
    for list in &lists {
        at_first.push(rows(&paper, list).await);
    }
    place(&paper, "k", json!({})).await;
    paper.advance(90_000).await;
    assert_ne!(rows(&paper, &lists[1]).await, at_first[1]);
    assert_eq!(paper.post("/sim/reset", "{}").await.status, 200);
    for (list, first) in lists.iter().zip(at_first) {
        assert_eq!(rows(&paper, list).await, first, "{list}");
    }
}
