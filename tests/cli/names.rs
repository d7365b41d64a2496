//! Markets by the names that people type and venues give: two venues of one symbol, and coins of any characters.

use crate::{
    served::last_error,
    support::{Served, with},
};
use serde_json::json;

const ODD: &str = include_str!("../support/odd_names.toml");

/// A market order.
fn buy<'a>(market: &'a str, size: &'a str) -> Vec<&'a str> {
    let terms = [
        "place",
        "--side",
        "buy",
        "--type",
        "market",
        "--leverage",
        "2",
    ];
    with(
        &terms,
        &["--margin-mode", "cross", "--market", market, "--size", size],
    )
}

#[test]
fn a_name_that_two_venues_share_is_refused_everywhere_with_both_ids() {
    let served = Served::with(ODD, &[]);
    let opening = with(&buy("btc", "0.01"), &["--dry-run"]);
    let mut elsewhere = with(&buy("purr", "5"), &["--dry-run"]);
    elsewhere[4] = "stop_market";
    elsewhere.extend(["--trigger-price", "60000", "--trigger-market-id", "BTC"]);
    for verb in [
        &opening[..],
        &elsewhere,
        &[
            "twap",
            "start",
            "--market",
            "BTC",
            "--side",
            "buy",
            "--size",
            "0.1",
            "--duration",
            "10m",
            "--dry-run",
        ],
        &["orders", "--market", "BTC"],
        &["orders", "--history", "--market", "btc"],
        &["positions", "--market", "BTC"],
        &["positions", "--closed", "--market", "BTC"],
        &["fills", "--market", "BTC"],
        &["twap", "list", "--market", "BTC"],
        &["scaled", "list", "--market", "BTC"],
        &["markets", "--market", "BTC"],
        &["watch", "orders", "--market", "BTC", "--for", "1s"],
        &["book", "BTC"],
        &["candles", "BTC"],
        &["trades", "BTC"],
        &["alert", "add", "btc > 66000"],
    ] {
        let (code, out, err) = served.run(verb);
        assert_eq!((code, out.as_str()), (2, ""), "{verb:?}: {err}");
        for id in ["binance|BTCUSDT", "hyperliquid|BTC"] {
            assert!(err.contains(id), "{verb:?}: {err}");
        }
    }
    for (name, id) in [
        ("hyperliquid|btc", "hyperliquid|BTC"),
        ("BTCUSDT", "binance|BTCUSDT"),
    ] {
        let shown = served.json(&with(&buy(name, "0.01"), &["--dry-run"]));
        assert_eq!(shown["body"]["market_id"], id);
    }
}

#[test]
fn a_position_of_one_of_two_venues_is_closed_by_the_name_and_one_of_two_by_its_id() {
    let served = Served::with(ODD, &["--speed", "100"]);
    served.json(&with(&buy("hyperliquid|BTC", "0.01"), &["--yes"]));
    let close = |name: &str| served.run(&["close", name, "--dry-run"]);
    let (code, out, err) = close("btc");
    assert!(code == 0 && out.contains("/close"), "{err}");
    served.json(&with(&buy("binance|BTCUSDT", "0.01"), &["--yes"]));
    let (code, _, err) = close("btc");
    assert_eq!(code, 2, "{err}");
    for id in ["(binance|BTCUSDT)", "(hyperliquid|BTC)"] {
        assert!(err.contains(id), "{err}");
    }
    assert_eq!(close("binance|btcusdt").0, 0);
    let (code, out, _) = served.run(&["positions", "-o", "table"]);
    assert!(
        code == 0 && out.contains("hyperliquid|BTC") && out.contains("binance|BTCUSDT"),
        "{out}"
    );
}

#[test]
fn a_coin_of_any_characters_is_traded_by_every_name_it_has() {
    let served = Served::with(ODD, &["--speed", "100"]);
    for (names, id, size) in [
        (
            ["tsla", "xyz:TSLA", "XYZ:tsla"],
            "hyperliquid|xyz:TSLA",
            "0.4",
        ),
        (
            ["purr", "@107", "hyperliquid|@107"],
            "hyperliquid|@107",
            "5",
        ),
        (["kpepe", "kPEPE", "KPEPE"], "hyperliquid|kPEPE", "12000"),
        (
            ["币安人生", "a/b?c=%7C&d#e", "binance|A/B?C=%7c&d#e"],
            "binance|a/b?c=%7C&d#e",
            "70",
        ),
    ] {
        for name in names {
            let shown = served.json(&with(&buy(name, size), &["--dry-run"]));
            assert_eq!(shown["body"]["market_id"], id, "{name}");
            for read in [
                &["book", name, "--depth", "1"][..],
                &["candles", name, "-L", "1"],
                &["trades", name],
            ] {
                let rows = served.json(read);
                let rows = rows.as_array().unwrap();
                assert!(rows.iter().all(|row| row["market_id"] == id), "{read:?}");
            }
        }
        let [name, ..] = names;
        let bought = served.json(&with(&buy(name, size), &["--yes"]));
        assert_eq!(bought["data"]["market_id"], id);
        let held = served.json(&["positions", "--market", name]);
        assert_eq!(held[0]["market_id"], id);
        let closed = served.json(&["close", name, "--yes"]);
        assert_eq!(closed["data"]["status"], "filled", "{name}");
        let fills = served.json(&["fills", "--market", name]);
        assert_eq!(fills.as_array().unwrap().len(), 2, "{name}");
    }
    let (code, csv, err) = served.run(&["export", "history"]);
    assert!(
        code == 0 && csv.contains("hyperliquid|xyz:TSLA") && csv.contains("a/b?c=%7C&d#e"),
        "{err}"
    );
    let alert = served.json(&["alert", "add", "XYZ:TSLA > 300"]);
    assert_eq!(alert["data"]["market_id"], "hyperliquid|xyz:TSLA");
    assert_eq!(alert["data"]["alert"], "xyz:tsla > 300");
    assert_eq!(
        served.json(&["alert", "list"])[0]["alert"],
        json!("xyz:tsla > 300")
    );
}

#[test]
fn a_name_of_no_market_is_refused_with_what_it_may_have_been_meant_for() {
    let served = Served::with(ODD, &[]);
    for name in [
        "xyz:TSLQ",
        "@108",
        "a b",
        "\u{1b}[2J",
        "x|y|z",
        "%7C",
        "../..",
        &"x".repeat(300),
    ] {
        let (code, out, err) = served.run(&with(&buy(name, "1"), &["--dry-run"]));
        assert_eq!((code, out.as_str()), (2, ""), "{name:?}: {err}");
        assert!(!err.contains('\u{1b}'), "{err:?}");
    }
    let (_, err) = served.error(&with(&buy("xyz:TSLQ", "1"), &["--dry-run"]));
    assert!(err.to_string().contains("hyperliquid|xyz:TSLA"), "{err}");
    let (_, _, err) = served.run(&["orders", "--market", "nope"]);
    assert!(
        last_error(&err)
            .to_string()
            .contains("there is no market nope"),
        "{err}"
    );
}
