//! The desk on a service that is no simulator: `/v1` alone, prices by quotes, and neither books, trades nor candles.

use crate::{
    desk::{NOW, arrive, call, connecting, read},
    dump::press,
};
use perpdeck::{
    app::{Identity, MarketAnswer, Mode, Model, Msg, Profile, account::poll::Answer, update},
    model::{
        AccountFacts, Failure, FailureKind, Listing, Market, MarketId, Page, Quote, Ticket,
        Timestamp,
    },
    ui::picture,
};
use serde_json::{Value, json};

const ACCOUNT: &str = "a0f606c5-4ff4-572d-81a0-770e8fd8b9bb";
/// Symbol, coin, decimals of a size, bid, mid and ask.
type MarketRow = (&'static str, &'static str, u32, [f64; 3]);

const MARKETS: [MarketRow; 3] = [
    ("BTC", "BTCUSDT", 5, [59_999.5, 60_000.0, 60_000.5]),
    ("ETH", "ETHUSDT", 4, [2_999.8, 3_000.0, 3_000.2]),
    ("SOL", "SOLUSDT", 2, [149.99, 150.0, 150.01]),
];

fn of_market(coin: &str, symbol: &str, more: &Value) -> Value {
    let mut row = json!({
        "account_id": ACCOUNT, "market_id": format!("binance|{coin}"), "provider": "binance", "symbol": symbol,
        "coin": coin,
    });
    let target = row.as_object_mut().unwrap();
    target.extend(more.as_object().unwrap().clone());
    row
}

fn market((symbol, coin, size_decimals, [bid, mid, ask]): MarketRow) -> Market {
    let listing: Listing = read(&json!({
        "market_id": format!("binance|{coin}"), "provider": "binance", "symbol": symbol, "coin": coin,
        "size_decimals": size_decimals, "max_leverage": 50, "trading_enabled": true,
    }));
    let quote: Quote = read(&json!({"bid": bid, "mid": mid, "ask": ask, "time": NOW.0 - 1_000}));
    Market::from(listing).priced(&quote)
}

/// A short with cross margin that has stop and target as one pair, and a long with isolated margin that has none.
fn positions() -> Value {
    json!([
        of_market(
            "BTCUSDT",
            "BTC",
            &json!({
                "id": "p-short", "side": "short", "margin_mode": "cross", "status": "open", "size": 0.5, "size_decimals": 5,
                "entry_price": 61_000, "leverage": 10, "isolated_margin_extra": 0, "liquidation_price": 64_050, "fees": 9.15,
                "funding": -0.4, "opened_at": NOW.0 - 7_200_000,
            })
        ),
        of_market(
            "ETHUSDT",
            "ETH",
            &json!({
                "id": "p-long", "side": "long", "margin_mode": "isolated", "status": "open", "size": 4, "size_decimals": 4,
                "entry_price": 2_950, "leverage": 20, "isolated_margin_extra": 50, "liquidation_price": 2_873.1, "fees": 3.54,
                "funding": 0.1, "opened_at": NOW.0 - 600_000,
            })
        ),
    ])
}

fn order(id: &str, (coin, symbol): (&str, &str), more: &Value) -> Value {
    let mut base = json!({
        "id": id, "type": "limit", "mode": "limit", "side": "buy", "size": 1, "initial_size": 1, "filled_size": 0,
        "expected_price": 100, "leverage": 10, "margin_mode": "cross", "reduce_only": false, "status": "resting",
        "requested_at": NOW.0 - 300_000,
    });
    let target = base.as_object_mut().unwrap();
    target.extend(more.as_object().unwrap().clone());
    of_market(coin, symbol, &base)
}

/// Armed orders rest: they have a trigger and no `triggered_at`.
fn orders() -> Value {
    let pair = |id: &str, other: &str, kind: &str, price: u32, direction: &str| {
        order(
            id,
            ("BTCUSDT", "BTC"),
            &json!({
                "type": kind, "mode": kind, "size": 0.5, "initial_size": 0.5, "reduce_only": true, "trigger_price": price,
                "trigger_direction": direction, "target_position_id": "p-short", "oco_sibling_order_id": other,
            }),
        )
    };
    json!([
        pair("o-stop", "o-target", "stop_market", 62_500, "above"),
        pair("o-target", "o-stop", "take_profit", 55_000, "below"),
        order(
            "o-entry",
            ("SOLUSDT", "SOL"),
            &json!({
                "size": 10, "initial_size": 10, "limit_price": 140, "expected_price": 150, "client_order_id": "k-1",
                "attached_take_profit_price": 165, "attached_stop_loss_price": 132,
            })
        ),
        order(
            "o-rung",
            ("SOLUSDT", "SOL"),
            &json!({
                "size": 5, "initial_size": 5, "limit_price": 138, "expected_price": 150, "scaled_order_id": "s-1",
            })
        ),
    ])
}

fn strategies() -> (Value, Value) {
    let vwap = of_market(
        "SOLUSDT",
        "SOL",
        &json!({
            "id": "t-1", "strategy": "vwap", "side": "sell", "margin_mode": "cross", "total_size": 10, "filled_size": 2.5,
            "leverage": 5, "average_price": 149.99, "reduce_only": false, "randomize": false, "duration_minutes": 20,
            "slice_interval_seconds": 60, "slice_count": 20, "slices_attempted": 5, "size_decimals": 2, "status": "running",
            "started_at": NOW.0 - 300_000, "end_at": NOW.0 + 900_000, "next_run_at": NOW.0 + 30_000,
        }),
    );
    let scaled = of_market(
        "SOLUSDT",
        "SOL",
        &json!({
            "id": "s-1", "side": "buy", "margin_mode": "cross", "distribution": "flat", "total_size": 10, "leverage": 5,
            "start_price": 138, "end_price": 136, "rung_count": 2, "placed_count": 2, "rejected_count": 0, "size_decimals": 2,
            "reduce_only": false, "status": "active", "started_at": NOW.0 - 200_000, "rungs": [
                {"price": 138, "size": 5, "order_id": "o-rung"},
                {"price": 136, "size": 5, "order_id": "o-rung-2"},
            ],
        }),
    );
    (vwap, scaled)
}

/// The account with its risk, and the policy that goes with it.
fn facts(policy: &Value) -> AccountFacts {
    let account = json!({
        "id": ACCOUNT, "account_number": "A-17", "name": "Alpha 50k", "stage": "evaluation", "status": "active",
        "starting_balance": 50_000, "balance": 50_450, "created_at": NOW.0 - 864_000_000, "risk": {
            "observed_at": NOW.0, "marks_complete": true, "missing_markets": [], "equity": 51_150, "unrealized_pnl": 700,
            "margin_used": 3_640, "available_balance": 47_510, "gross_exposure": 42_000, "daily_loss_floor": 48_200,
            "daily_loss_room": 2_950, "max_drawdown_floor": 45_000, "max_drawdown_room": 6_150, "remaining_profit": 3_850,
            "requirements": {"daily_loss_pct": 5, "max_drawdown_pct": 10, "profit_target_pct": 10, "consistency_pct": 40,
                "minimum_trading_days": 5},
        },
    });
    AccountFacts::of(read(&account), Some(read(policy)))
}

/// A desk on that service; the key reads only, and the service has said so.
fn desk() -> Model {
    let mut model = connecting();
    let identity = Identity {
        mode: Mode::LiveApi,
        account_id: ACCOUNT.into(),
        base_url: "https://api.example".to_owned(),
        profile: Profile::default(),
    };
    update(&mut model, NOW, Msg::Opened(identity));
    let about = read(&json!({"name": "x", "version": "1.0.0", "environment": "test"}));
    update(&mut model, NOW, Msg::Met(Box::new(about)));
    let policy = json!({"limits": {"max_open_positions": 5, "trades_per_minute": 10, "order_cooldown_ms": 500}});
    arrive(&mut model, 0, Answer::Account(Ok(facts(&policy))));
    arrive(
        &mut model,
        0,
        Answer::Positions(Ok(Page::of(read(&positions())))),
    );
    arrive(&mut model, 0, Answer::Orders(Ok(Page::of(read(&orders())))));
    let (vwap, scaled) = strategies();
    arrive(
        &mut model,
        2,
        Answer::Twaps(Ok(Page::of(vec![read(&vwap)]))),
    );
    arrive(
        &mut model,
        2,
        Answer::Scaled("s-1".into(), Ok(Box::new(read(&scaled)))),
    );
    arrive(&mut model, 5, Answer::Closed(Ok(Page::default())));
    arrive(&mut model, 5, Answer::History(Ok(Page::default())));
    arrive(
        &mut model,
        1,
        Answer::Markets(Ok(MARKETS.map(market).to_vec())),
    );
    update(
        &mut model,
        NOW,
        Msg::CallEnded(call("GET", "/v1/positions", Ok(200), 12)),
    );
    for coin in ["BTCUSDT", "ETHUSDT", "SOLUSDT"] {
        no_stream(&mut model, coin);
    }
    model
}

/// Asked for, and not there.
fn no_stream(model: &mut Model, coin: &str) {
    let interval = model.market_screen.chart.interval;
    for answer in [
        MarketAnswer::Book(Ok(None)),
        MarketAnswer::Trades(Ok(None)),
        MarketAnswer::Candles(interval, None, Ok(None)),
    ] {
        let market: MarketId = format!("binance|{coin}").into();
        update(model, NOW, Msg::MarketData(market, NOW, answer));
    }
}

/// The same with a key that only reads, which a refused close has shown.
pub(crate) fn with_a_read_only_key() -> Model {
    let mut model = desk();
    let forbidden = Failure {
        status: Some(403),
        code: Some("insufficient_scope".into()),
        ..Failure::new(FailureKind::Invalid, "The key has no trade scope.")
    };
    press(&mut model, "c\n");
    let later = Timestamp(NOW.0 + 300);
    update(&mut model, later, Msg::Tick);
    update(&mut model, later, Msg::Key("y".parse().unwrap()));
    update(&mut model, later, Msg::Settled(Ticket(1), Err(forbidden)));
    update(&mut model, later, Msg::Key("esc".parse().unwrap()));
    model
}

fn frame(model: &Model, width: u16, height: u16) -> String {
    picture::text(&crate::plain(model, width, height))
}

fn line<'a>(frame: &'a str, words: &[&str]) -> &'a str {
    let mut lines = frame.lines();
    let found = lines.find(|line| words.iter().all(|word| line.contains(word)));
    assert!(found.is_some(), "no line with {words:?}:\n{frame}");
    found.unwrap_or_default()
}

#[test]
fn all_that_the_service_tells_of_positions_orders_and_strategies_is_shown() {
    let frame = frame(&desk(), 200, 60);
    let short = line(&frame, &["BTC", "SHORT", "61,000"]);
    for word in ["60,000", "64,050", "+500.00", "62,500", "55,000", "cross"] {
        assert!(short.contains(word), "{word}: {short}");
    }
    let long = line(&frame, &["ETH", "LONG", "2,950"]);
    for word in ["3,000", "+200.00", "NO STOP", "iso"] {
        assert!(long.contains(word), "{word}: {long}");
    }
    let words: [&[&str]; 5] = [
        &["stop mkt", "armed", "≥ 62,500"],
        &["└", "take profit", "armed", "≤ 55,000"],
        &["SCALED", "138.00 → 136.00"],
        &["VWAP SOL", "SELL", "running"],
        &["limit", "140.00"],
    ];
    for words in words {
        line(&frame, words);
    }
}

#[test]
fn the_header_has_every_figure_of_risk_and_policy_and_the_limits_have_the_floors() {
    let mut model = desk();
    let frame_of = |model: &Model| frame(model, 300, 60);
    let head = frame_of(&model).lines().next().unwrap().to_owned();
    for word in [
        "TEST",
        "acct Alpha 50k",
        "51,150.00",
        "day +450.00",
        "margin 3,640 used, 47,510 free",
        "daily loss",
        "2,950 left",
        "drawdown",
        "target",
    ] {
        assert!(head.contains(word), "{word}: {head}");
    }
    assert!(
        !head.contains('–'),
        "nothing that is told is unknown: {head}"
    );
    press(&mut model, "L");
    let limits = frame_of(&model);
    for word in [
        "48,200",
        "45,000",
        "55,000",
        "consistency",
        "days",
        "trades",
    ] {
        assert!(limits.contains(word), "{word}: {limits}");
    }
}

#[test]
fn what_locks_the_account_is_in_the_header_at_every_width() {
    for (policy, word) in [
        (json!({"payout_pending": true}), "PAYOUT PENDING"),
        (json!({"trading_halt": {"platform": true}}), "TRADING HALT"),
        (json!({"copy_follower_locked": true}), "COPY FOLLOWER"),
        (
            json!({"restriction": {"restriction": "reduce_only", "reason": "review"}}),
            "REDUCE-ONLY",
        ),
    ] {
        let mut model = desk();
        arrive(&mut model, 0, Answer::Account(Ok(facts(&policy))));
        for (width, height) in [(200, 60), (80, 24)] {
            let frame = frame(&model, width, height);
            let head = frame.lines().next().unwrap();
            assert!(head.contains(word), "{word} {width}: {head}");
        }
    }
}

#[test]
fn at_80_columns_the_header_still_tells_equity_and_what_may_be_lost_and_that_the_key_only_reads() {
    let head = |model: &Model| frame(model, 80, 24).lines().next().unwrap().to_owned();
    let (trading, reading) = (head(&desk()), head(&with_a_read_only_key()));
    for word in ["TEST", "Alpha 50k", "51,150", "loss 2,950 left"] {
        assert!(trading.contains(word), "{word}: {trading}");
    }
    for word in ["TEST", "READ-ONLY KEY", "Alpha 50k", "loss 2,950 left"] {
        assert!(reading.contains(word), "{word}: {reading}");
    }
}

#[test]
fn ladder_candles_and_tape_say_why_they_are_empty() {
    let frame = frame(&desk(), 200, 60);
    assert!(frame.contains("no order book"), "{frame}");
    assert!(frame.contains("built from marks seen here"), "{frame}");
}
