//! The reads of the service: what it is, markets, quotes, accounts, policy, fills and rows by id.

use crate::{
    orders::{body, place},
    support::{Paper, Reply},
};
use perpdeck::{
    exchange::{ExchangeOptions, Scenario, SimulatorAccess},
    model::{
        Account, AccountStage, AccountStatus, Listing, Num, Order, Position, Quote, ReferenceKind,
        ServiceAbout, TradingPolicy, UnfillableReason,
    },
};
use serde_json::{Value, json};

const BARE: &str = include_str!("../support/bare.toml");

/// The bare scenario with these changes.
async fn with(changes: &[(&str, &str)]) -> Paper {
    let mut text = BARE.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    Paper::play(Scenario::parse(&text).unwrap()).await
}

async fn anonymous(paper: &Paper, target: &str) -> Reply {
    paper.bare_call("GET", target, &[], "").await.unwrap()
}

#[tokio::test]
async fn what_the_service_is_and_its_markets_need_no_key_and_nothing_else_does_without() {
    let paper = Paper::bare().await;
    let about: ServiceAbout = anonymous(&paper, "/v1").await.data();
    assert!(about.is_test() && about.is_simulator());
    let markets: Vec<Listing> = anonymous(&paper, "/v1/markets").await.data();
    assert_eq!(markets.len(), 3);
    let one: Listing = anonymous(&paper, "/v1/markets/paper%7CETH").await.data();
    assert_eq!(one, markets[1]);
    assert_eq!(
        anonymous(&paper, "/v1/markets/paper%7CNO").await.status,
        404
    );
    for target in [
        "/v1/markets/paper%7CETH/quote",
        "/v1/accounts",
        "/v1/accounts/chal-1/trading-policy",
        "/v1/fills?account_id=chal-1",
    ] {
        assert_eq!(anonymous(&paper, target).await.status, 401, "{target}");
    }
}

#[tokio::test]
async fn without_the_simulator_the_service_is_there_and_its_controls_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let options = ExchangeOptions {
        simulator: SimulatorAccess::Hidden,
        ..Paper::options(dir.path())
    };
    let paper = Paper::started(options).await.unwrap();
    let about: ServiceAbout = anonymous(&paper, "/v1").await.data();
    assert!(about.is_test() && !about.is_simulator());
    for target in ["/sim", "/sim/clock", "/sim/openapi.yaml", "/sim/markets"] {
        assert_eq!(paper.get(target).await.refusal().0, 404, "{target}");
        assert_eq!(anonymous(&paper, target).await.status, 404, "{target}");
    }
    assert_eq!(place(&paper, "k", json!({})).await.status, 201);
}

#[tokio::test]
async fn a_coin_may_have_nearly_any_character_and_makes_the_id_of_its_market() {
    let eth = "symbol = \"ETH\"";
    let paper = with(&[(eth, "symbol = \"TSLA\"\ncoin = \"xyz:TSLA@1\"")]).await;
    let target = "/v1/markets/paper%7Cxyz%3ATSLA%401";
    let market: Listing = anonymous(&paper, target).await.data();
    assert_eq!(market.market_id.raw(), "paper|xyz:TSLA@1");
    assert_eq!(market.symbol.raw(), "TSLA");
    let order = json!({"market_id": "paper|xyz:TSLA@1"});
    assert_eq!(place(&paper, "k", order).await.status, 201);
}

async fn quote(paper: &Paper, query: &str) -> Quote {
    paper
        .get(&format!("/v1/markets/paper%7CBTC/quote{query}"))
        .await
        .data()
}

#[tokio::test]
async fn a_quote_is_the_fill_that_a_market_order_then_gets() {
    let paper = Paper::bare().await;
    let bare = quote(&paper, "").await;
    assert!(bare.bid < bare.mid && bare.mid < bare.ask);
    assert_eq!((bare.fillable, bare.depth), (None, None));
    let sized = quote(&paper, "?side=buy&size=0.1").await;
    assert_eq!(
        (sized.fillable, sized.unfillable_reason),
        (Some(true), None)
    );
    assert_eq!(sized.reference_kind, Some(ReferenceKind::BookMid.into()));
    let order: Order = place(&paper, "k", json!({"size": 0.1})).await.data();
    assert_eq!(sized.estimated_fill_price, order.fill_price);
    assert_eq!(sized.estimated_notional, order.notional);
    assert_eq!(sized.estimated_fee, order.fee);
}

#[tokio::test]
async fn a_size_that_cannot_fill_says_why() {
    let paper = Paper::bare().await;
    for (size, why) in [
        ("100000", UnfillableReason::InsufficientDepth),
        ("0.000001", UnfillableReason::SizePrecisionMismatch),
    ] {
        let quote = quote(&paper, &format!("?side=sell&size={size}")).await;
        assert_eq!(quote.fillable, Some(false));
        assert_eq!(quote.unfillable_reason, Some(why.into()));
        assert_eq!(quote.estimated_fill_price, None);
    }
    let half = paper.get("/v1/markets/paper%7CBTC/quote?side=buy").await;
    assert_eq!(half.json()["error"]["details"][0]["field"], "size");
}

#[tokio::test]
async fn an_account_says_what_it_is_and_one_of_them_its_risk() {
    let account = "id = \"chal-1\", cash_usd = 100000";
    let funded =
        "id = \"chal-1\", name = \"My funds\", number = 17, stage = \"funded\", cash_usd = 100000";
    let paper = with(&[(account, funded)]).await;
    let all: Vec<Account> = paper.get("/v1/accounts").await.data();
    assert_eq!(all.len(), 1, "only those of the key");
    assert_eq!(all[0].name, Some("My funds".into()));
    assert_eq!(all[0].account_number, Some("17".into()));
    assert_eq!(all[0].stage, Some(AccountStage::Funded.into()));
    assert_eq!(all[0].status, Some(AccountStatus::Active.into()));
    assert_eq!(all[0].risk, None);

    assert_eq!(place(&paper, "k", json!({})).await.status, 201);
    let one: Account = paper.get("/v1/accounts/chal-1").await.data();
    let risk = one.risk.unwrap();
    let equity = one.balance.unwrap().plus(risk.unrealized_pnl.unwrap());
    assert_eq!(risk.equity, equity);
    let room = risk.equity.unwrap().minus(risk.daily_loss_floor.unwrap());
    assert_eq!(risk.daily_loss_room, room);
    assert!(risk.gross_exposure.unwrap().is_positive());
    let requirements = risk.requirements.unwrap();
    assert_eq!(requirements.daily_loss_pct, Some(Num::from(4_u32)));
    assert_eq!(requirements.profit_target_pct, None, "nothing to reach");
    assert_eq!(risk.remaining_profit, None);
    assert_eq!(paper.get("/v1/accounts/chal-2").await.status, 404);
}

#[tokio::test]
async fn a_loss_limit_that_no_account_can_reach_is_not_set() {
    let account = "cash_usd = 100000 }";
    let lax = "cash_usd = 100000, rules = { max_daily_loss_bps = 1000000 } }";
    let paper = with(&[(account, lax)]).await;
    let risk = paper.get("/v1/accounts/chal-1").await.json()["data"]["risk"].take();
    assert_eq!(risk["daily_loss_floor"], Value::Null);
    assert_eq!(risk["daily_loss_room"], Value::Null);
    assert!(risk["max_drawdown_room"].is_number());
}

async fn policy(paper: &Paper) -> TradingPolicy {
    paper.get("/v1/accounts/chal-1/trading-policy").await.data()
}

#[tokio::test]
async fn the_policy_has_the_limits_that_the_engine_keeps() {
    let paper = Paper::bare().await;
    let policy = policy(&paper).await;
    assert_eq!(policy.refuses_entries(None), None);
    let limits = policy.limits.unwrap();
    assert_eq!(limits.order_cooldown_ms, Some(Num::from(500_u32)));
    assert_eq!(limits.max_position_value_usd, Some(Num::from(200_000_u32)));
    assert_eq!(limits.trades_per_minute, None);
    let most = policy.slippage_tolerance_bps.unwrap().max.unwrap();
    let above = most.plus(Num::ONE).unwrap().to_i64();
    let reply = place(&paper, "k", json!({"slippage_tolerance_bps": above})).await;
    assert_eq!((reply.status, rule(&reply)), (422, "max_slippage".into()));
}

fn rule(reply: &Reply) -> String {
    reply.error().rule_id.unwrap_or_default().to_string()
}

#[tokio::test]
async fn a_restricted_account_only_reduces_and_its_policy_says_why() {
    let account = "id = \"chal-1\", cash_usd";
    let restricted = "id = \"chal-1\", restriction = \"under review\", cash_usd";
    let paper = with(&[(account, restricted)]).await;
    let why = policy(&paper).await.refuses_entries(None).unwrap();
    assert_eq!(why, "this account may not open positions now");
    let reply = place(&paper, "k", json!({})).await;
    assert_eq!(
        (reply.status, rule(&reply)),
        (422, "account_restriction".into())
    );
    assert!(reply.error().message.raw().contains("under review"));
}

#[tokio::test]
async fn a_market_may_take_no_order_or_only_those_that_reduce() {
    for (access, flag) in [
        ("trading_enabled = false", "trading_enabled"),
        ("reduce_only = true", "reduce_only"),
    ] {
        let paper = with(&[("symbol = \"BTC\"", &format!("symbol = \"BTC\"\n{access}"))]).await;
        let market = paper.get("/v1/markets/paper%7CBTC").await.json()["data"].take();
        assert_eq!(market[flag], flag == "reduce_only");
        let reply = place(&paper, "k", json!({})).await;
        assert_eq!((reply.status, rule(&reply)), (422, "market_access".into()));
    }
}

#[tokio::test]
async fn fills_are_the_executions_newest_settlement_first_in_pages() {
    let paper = Paper::bare().await;
    for (n, side) in ["buy", "sell", "buy"].into_iter().enumerate() {
        let order = json!({"side": side, "market_id": "paper|ETH", "size": 1});
        assert_eq!(place(&paper, &format!("k{n}"), order).await.status, 201);
        paper.advance(500).await;
    }
    place(
        &paper,
        "far",
        json!({"type": "limit", "limit_price": 50_000}),
    )
    .await;
    let first = paper
        .get("/v1/fills?account_id=chal-1&limit=2")
        .await
        .json();
    assert_eq!(
        (first["data"].as_array().unwrap().len(), &first["has_more"]),
        (2, &json!(true))
    );
    let cursor = first["next_cursor"].as_str().unwrap();
    let target = format!("/v1/fills?account_id=chal-1&limit=2&cursor={cursor}");
    let second = paper.get(&target).await.json();
    assert_eq!(
        (
            second["data"].as_array().unwrap().len(),
            &second["has_more"]
        ),
        (1, &json!(false))
    );
    let rows = [&first, &second]
        .into_iter()
        .flat_map(|page| page["data"].as_array().unwrap());
    let rows: Vec<&Value> = rows.collect();
    let settled: Vec<i64> = rows
        .iter()
        .map(|row| row["settled_at"].as_i64().unwrap())
        .collect();
    assert!(
        settled.is_sorted_by(|newer, older| newer > older),
        "{settled:?}"
    );
    assert!(rows.iter().all(|row| row["status"] == "filled"));
    let elsewhere = format!("/v1/orders?account_id=chal-1&cursor={cursor}");
    assert_eq!(paper.get(&elsewhere).await.refusal().0, 400);
}

#[tokio::test]
async fn an_order_and_a_position_are_found_by_id_and_only_by_their_owner() {
    let paper = Paper::bare().await;
    let order: Order = place(&paper, "k", json!({})).await.data();
    let target = format!("/v1/orders/{}", order.id);
    assert_eq!(paper.get(&target).await.data::<Order>(), order);
    let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    let position = format!("/v1/positions/{}", open[0].id);
    assert_eq!(paper.get(&position).await.data::<Position>(), open[0]);
    for target in [target, position] {
        assert_eq!(
            paper.call_as("chal-2", "GET", &target, "").await.status,
            404
        );
    }
}

#[tokio::test]
async fn a_read_only_key_reads_everything_and_writes_nothing() {
    let paper = with(&[("name = \"ann\"", "name = \"ann\"\nread_only_key = true")]).await;
    let key = paper.handle.accounts[0].read_only_api_key.clone().unwrap();
    let bearer = format!("Bearer {}", key.reveal());
    let call = async |method: &str, target: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "k")];
        paper
            .bare_call(method, target, &headers, body)
            .await
            .unwrap()
    };
    for target in ["/v1/accounts", "/v1/orders?account_id=chal-1", "/sim/clock"] {
        assert_eq!(call("GET", target, "").await.status, 200, "{target}");
    }
    let order = body(&json!({}));
    for (method, target, body) in [
        ("POST", "/v1/orders", order.as_str()),
        ("DELETE", "/v1/orders/ord_000001", ""),
        ("PATCH", "/v1/orders/ord_000001", r#"{"price":1}"#),
        ("POST", "/v1/accounts/chal-1/cancel-all-orders", ""),
        ("POST", "/sim/reset", ""),
    ] {
        let reply = call(method, target, body).await;
        assert_eq!(reply.refusal().0, 403, "{method} {target}");
        assert_eq!(reply.error().code.raw(), "insufficient_scope");
    }
    assert_eq!(
        paper
            .get("/v1/orders?account_id=chal-1")
            .await
            .data::<Vec<Order>>(),
        []
    );
}

#[tokio::test]
async fn every_fault_of_a_body_is_named_at_once() {
    let paper = Paper::bare().await;
    let text = r#"{"account_id":"chal-1","side":"up","size":"much","nonsense":1}"#;
    let reply = paper.keyed("/v1/orders", "k", text).await;
    let details = reply.json()["error"]["details"].take();
    let faults = details.as_array().unwrap().iter();
    let mut named: Vec<&str> = faults
        .map(|fault| fault["field"].as_str().unwrap())
        .collect();
    named.sort_unstable();
    let expected = [
        "leverage",
        "margin_mode",
        "market_id",
        "nonsense",
        "side",
        "size",
    ];
    assert_eq!((reply.status, named.as_slice()), (400, expected.as_slice()));
}
