//! The verbs that only read, and the filters of lists.

use super::{served::Served, *};
use serde_json::{Value, json};

fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn all<'a>(value: &'a Value, name: &str) -> Vec<&'a str> {
    let rows = rows(value).iter();
    rows.map(|row| row[name].as_str().unwrap()).collect()
}

#[test]
fn the_account_has_the_figures_that_the_service_has() {
    let served = Served::bare();
    served.post("/sim/clock", &json!({ "paused": true }));
    served.holding("paper|BTC", 0.5, "cross");
    let told = served.json(&["account"]);
    let sent = served.get("/v1/accounts/chal-1");
    assert_eq!(told["account_id"], sent["id"]);
    assert_eq!(told["equity"], sent["risk"]["equity"]);
    assert!(told["rules"].is_array(), "{told}");
    let (code, table, _) = served.run(&["account", "--output", "table"]);
    assert!(
        code == 0 && table.contains("chal-1") && table.contains("rule"),
        "{table}"
    );
    let (code, csv, _) = served.run(&["account", "--output", "csv"]);
    assert!(
        code == 0 && csv.starts_with("account_id,equity,cash,"),
        "{csv}"
    );
}

#[test]
fn every_configured_account_is_listed_and_one_that_cannot_be_read_says_why() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    let key = served.home.path().join("second.key");
    fs::write(&key, &served.keys[1].1).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let settings = format!(
        "base_url = '{0}'\naccount_id = 'chal-1'\n\
         [profiles.second]\naccount_id = 'chal-2'\napi_key_file = '{1}'\n\
         [profiles.lost]\naccount_id = 'chal-3'\napi_key_file = '{1}.none'\n",
        served.base_url,
        key.display()
    );
    fs::write(served.home.path().join("desk.toml"), settings).unwrap();
    let mut verb = perpdeck(served.home.path());
    verb.env("PERPDECK_API_KEY", served.key());
    let (code, out, err) = ran(verb.args(["--config", "desk.toml", "accounts"]));
    let told: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out} {err}"));
    assert_eq!(code, 15, "{err}");
    assert_eq!(all(&told, "account_id"), ["chal-1", "chal-3", "chal-2"]);
    assert_eq!(told[0]["profile"], Value::Null);
    assert_eq!(told[2]["profile"], "second");
    assert_eq!(
        (&told[0]["chosen"], &told[2]["chosen"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&told[0]["open_positions"], &told[2]["open_positions"]),
        (&json!(1), &json!(0))
    );
    assert!(told[2]["equity"].is_number(), "{told}");
    let why = told[1]["problem"].as_str().unwrap();
    assert!(why.contains("second.key.none"), "{why}");
}

#[test]
fn markets_book_candles_and_trades_are_those_of_the_exchange() {
    let served = Served::bare();
    served.post("/sim/clock", &json!({ "advance_ms": 300_000 }));
    served.post("/sim/clock", &json!({ "paused": true }));
    let markets = served.json(&["markets"]);
    let sent = served.get("/sim/markets");
    assert_eq!(all(&markets, "market_id"), all(&sent, "market_id"));
    assert_eq!(markets[0]["mark_price"], sent[0]["mark_price"]);
    assert_eq!(rows(&served.json(&["markets", "--market", "btc"])).len(), 1);

    let book = served.json(&["book", "btc", "--depth", "3"]);
    let sides = all(&book, "side");
    assert_eq!(sides, ["ask", "ask", "ask", "bid", "bid", "bid"]);
    let prices: Vec<f64> = rows(&book)
        .iter()
        .map(|row| row["price"].as_f64().unwrap())
        .collect();
    assert!(prices.is_sorted_by(|a, b| a > b), "{prices:?}");

    let candles = served.json(&["candles", "paper|BTC", "--interval", "1m", "--limit", "4"]);
    let opened: Vec<i64> = rows(&candles)
        .iter()
        .map(|row| row["opened_at"].as_i64().unwrap())
        .collect();
    assert_eq!(opened.len(), 4);
    assert!(
        opened.windows(2).all(|pair| pair[1] - pair[0] == 60_000),
        "{opened:?}"
    );
    // More than one page of the source.
    let many = served.json(&["candles", "btc", "--interval", "1s", "--limit", "1200"]);
    assert_eq!(rows(&many).len(), 1_200);

    let trades = served.json(&["trades", "btc", "--limit", "5"]);
    assert!(rows(&trades).len() <= 5, "{trades}");
    for trade in rows(&served.json(&["trades", "btc", "--side", "sell"])) {
        assert_eq!(trade["aggressor"], "sell");
    }
    for verb in ["markets", "book btc", "candles btc", "trades btc"] {
        for format in ["table", "csv"] {
            let words: Vec<_> = verb.split(' ').chain(["--output", format]).collect();
            let (code, out, err) = served.run(&words);
            assert!(
                code == 0 && out.lines().count() > 1,
                "{verb} {format}: {err}"
            );
        }
    }
}

#[test]
fn a_market_that_is_not_there_and_a_wrong_interval_are_refused() {
    let served = Served::bare();
    let (code, error) = served.error(&["book", "nope"]);
    let words = error["message"].as_str().unwrap();
    assert!(
        code == 2 && words.starts_with("there is no market nope; the markets are "),
        "{words}"
    );
    let (code, error) = served.error(&["candles", "btc", "--interval", "7m"]);
    let words = error["message"].as_str().unwrap();
    assert!(code == 2 && words.contains("1m, 5m, 15m"), "{words}");
}

#[test]
fn one_order_is_shown_working_or_ended() {
    let served = Served::bare();
    let order = served.waiting("limit");
    let told = served.json(&["order", &order]);
    assert_eq!(
        (&told["id"], &told["status"]),
        (&json!(order), &json!("resting"))
    );
    served.json(&["cancel", &order, "--yes"]);
    assert_eq!(served.json(&["order", &order])["status"], "canceled");
    let (code, table, _) = served.run(&["order", &order, "--output", "table"]);
    assert!(code == 0 && table.contains(&order), "{table}");
    let (code, error) = served.error(&["order", "ord_none"]);
    let words = error["message"].as_str().unwrap();
    assert!(
        code == 13 && words.starts_with("there is no order ord_none"),
        "{words}"
    );
}

#[test]
fn fills_have_each_execution_once_with_its_price_and_fee() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    served.holding("paper|ETH", 1.0, "cross");
    served.waiting("limit");
    let fills = served.json(&["fills"]);
    assert_eq!(
        all(&fills, "market_id"),
        ["paper|ETH", "paper|BTC"],
        "{fills}"
    );
    let bitcoin = &fills[1];
    assert_eq!(
        (&bitcoin["size"], &bitcoin["side"]),
        (&json!(0.5), &json!("buy"))
    );
    assert!(
        bitcoin["fee"].is_number() && bitcoin["price"].is_number(),
        "{bitcoin}"
    );
    assert_eq!(rows(&served.json(&["fills", "--market", "eth"])).len(), 1);
    assert_eq!(rows(&served.json(&["fills", "--side", "sell"])).len(), 0);
}

#[test]
fn lists_are_filtered_by_market_side_status_and_time() {
    let served = Served::bare();
    served.post("/sim/clock", &json!({ "paused": true }));
    served.holding("paper|BTC", 0.5, "cross");
    served.holding("paper|ETH", 1.0, "cross");
    let (limit, stop) = (served.waiting("limit"), served.waiting("stop_market"));
    let gone = served.waiting("limit");
    served.json(&["cancel", &gone, "--yes"]);
    for (verb, ids) in [
        ("orders --status working", &[&limit][..]),
        ("orders --status armed", &[&stop]),
        ("orders --status canceled", &[&gone]),
        ("orders --market eth", &[]),
        ("orders --side sell", &[]),
        ("orders --history --side buy --status working", &[&limit]),
    ] {
        let words: Vec<_> = verb.split(' ').collect();
        assert_eq!(all(&served.json(&words), "id"), ids, "{verb}");
    }
    let markets = |verb: &str| {
        let words: Vec<_> = verb.split(' ').collect();
        let told = served.json(&words);
        all(&told, "market_id")
            .iter()
            .map(|id| (*id).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(markets("positions --market btc"), ["paper|BTC"]);
    assert_eq!(markets("positions --side long").len(), 2);
    assert_eq!(markets("positions --side short").len(), 0);
    let filled = markets("orders --history --status filled");
    assert_eq!(filled.len(), 2);
    for (verb, allowed) in [
        (
            "orders --status done",
            "[possible values: working, armed, partially-filled, filled,",
        ),
        ("positions --side buy", "[possible values: long, short]"),
        (
            "orders --history --since soon",
            "write how long ago (90s, 2h, 7d)",
        ),
    ] {
        let words: Vec<_> = verb.split(' ').collect();
        let (code, error) = served.error(&words);
        let message = error["message"].as_str().unwrap();
        assert!(code == 2 && message.contains(allowed), "{verb}: {message}");
    }
}

#[test]
fn a_list_since_an_instant_ends_there_and_is_not_cut_before() {
    let served = Served::bare();
    let now = served.get("/sim/clock")["now"].as_i64().unwrap();
    for _ in 0..60 {
        served.waiting("limit");
    }
    let count = |since: &str| {
        let (code, out, err) = served.run(&["orders", "--history", "--since", since]);
        assert_eq!((code, err.as_str()), (0, ""), "{since}");
        rows(&serde_json::from_str(&out).unwrap()).len()
    };
    let day = 86_400_000;
    let before = perpdeck::model::Timestamp(now - day).to_rfc3339();
    let after = perpdeck::model::Timestamp(now + day).to_rfc3339();
    assert_eq!((count(&before), count(&after)), (60, 0));
}

#[test]
fn a_market_that_does_not_exist_is_refused_and_never_reads_as_an_empty_account() {
    let served = Served::bare();
    for verb in [
        &["positions"][..],
        &["positions", "--closed"],
        &["orders"],
        &["orders", "--history"],
        &["fills"],
        &["twap", "list"],
        &["markets"],
        &["watch", "positions", "--for", "5s"],
    ] {
        let (code, out, err) = served.run(&with(verb, &["--market", "bct"]));
        assert_eq!((code, out.as_str()), (2, ""), "{verb:?} {err}");
        assert!(
            said(&err).contains("did you mean paper|BTC?"),
            "{verb:?} {err}"
        );
    }
    let (code, out, _) = served.run(&["positions", "--market", "btc"]);
    assert_eq!((code, out.trim()), (0, "[]"));
}
