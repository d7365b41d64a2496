//! The life of each type of order on a moving market: what it waits for, and what becomes of it.

use crate::{orders::place, support::Paper};
use perpdeck::model::{LiquidityRole, Num, Order, OrderMode, OrderStatus, Position};
use serde_json::{Value, json};

async fn placed(paper: &Paper, key: &str, extra: Value) -> Order {
    paper.advance(500).await;
    let reply = place(paper, key, extra).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.data()
}

async fn now(paper: &Paper, order: &Order) -> Order {
    let rows: Vec<Order> = paper
        .get("/v1/orders?account_id=chal-1&limit=100")
        .await
        .data();
    let mut rows = rows.into_iter();
    rows.find(|row| row.id == order.id).unwrap()
}

async fn is(paper: &Paper, order: &Order, status: OrderStatus) -> bool {
    now(paper, order).await.status.is(&status)
}

/// Moves a price for good and gives the book and the mark the time to follow.
async fn moves(paper: &Paper, market_id: &str, bps: i32) {
    let body = json!({"market_id": market_id, "bps": bps}).to_string();
    assert_eq!(paper.post("/sim/nudge", &body).await.status, 200);
    paper.advance(15_000).await;
}

async fn positions(paper: &Paper) -> Vec<Position> {
    paper.get("/v1/positions?account_id=chal-1").await.data()
}

#[tokio::test]
async fn a_stop_market_buy_and_a_take_market_sell_wait_for_the_rise_and_fill() {
    let paper = Paper::bare().await;
    let trigger = paper.price("paper|BTC", 0.5).await;
    let stop = json!({"type": "stop_market", "trigger_price": trigger});
    let stop = placed(&paper, "stop", stop).await;
    let take =
        json!({"type": "take_market", "side": "sell", "trigger_price": trigger, "size": 0.04});
    let take = placed(&paper, "take", take).await;
    assert!(stop.is_armed() && take.is_armed());
    moves(&paper, "paper|BTC", 100).await;
    for (order, size) in [(stop, Num::new(1, 1)), (take, Num::new(4, 2))] {
        let after = now(&paper, &order).await;
        assert!(after.status.is(&OrderStatus::Filled), "{after:?}");
        assert_eq!(after.filled_size, Some(size));
        assert!(after.fill_price.unwrap() > Num::from(trigger));
    }
    assert_eq!(positions(&paper).await[0].size, Num::new(6, 2));
}

#[tokio::test]
async fn a_stop_limit_and_a_take_limit_rest_at_their_price_once_they_have_fired() {
    let paper = Paper::bare().await;
    let trigger = paper.price("paper|BTC", 0.5).await;
    let (below, above) = (
        paper.price("paper|BTC", 0.1).await,
        paper.price("paper|BTC", 3.0).await,
    );
    let stop = json!({"type": "stop_limit", "trigger_price": trigger, "limit_price": below});
    let stop = placed(&paper, "stop", stop).await;
    let take = json!({"type": "take_limit", "side": "sell", "trigger_price": trigger, "limit_price": above});
    let take = placed(&paper, "take", take).await;
    let ioc = json!({"type": "stop_limit", "trigger_price": trigger, "limit_price": below, "time_in_force": "ioc"});
    let ioc = placed(&paper, "ioc", ioc).await;
    moves(&paper, "paper|BTC", 100).await;
    assert!(is(&paper, &stop, OrderStatus::Resting).await);
    assert!(is(&paper, &take, OrderStatus::Resting).await);
    let dropped = now(&paper, &ioc).await;
    assert!(dropped.status.is(&OrderStatus::Rejected), "{dropped:?}");
    assert_eq!(dropped.reject_reason.unwrap().raw(), "ioc_no_match");
    moves(&paper, "paper|BTC", -150).await;
    let filled = now(&paper, &stop).await;
    assert!(filled.status.is(&OrderStatus::Filled), "{filled:?}");
    assert_eq!(filled.fill_price, Some(Num::from(below)));
    assert!(filled.liquidity_role.unwrap().is(&LiquidityRole::Maker));
}

#[tokio::test]
async fn a_trigger_that_has_been_reached_already_is_422() {
    let paper = Paper::bare().await;
    let (low, high) = (
        paper.price("paper|BTC", -1.0).await,
        paper.price("paper|BTC", 1.0).await,
    );
    for (n, order) in [
        json!({"type": "stop_market", "side": "buy", "trigger_price": low}),
        json!({"type": "stop_limit", "side": "sell", "trigger_price": high, "limit_price": low}),
        json!({"type": "take_market", "side": "buy", "trigger_price": high}),
        json!({"type": "take_limit", "side": "sell", "trigger_price": low, "limit_price": high}),
        json!({"type": "conditional", "trigger_market_id": "paper|ETH", "trigger_price": 100, "trigger_direction": "above"}),
    ]
    .into_iter()
    .enumerate()
    {
        let reply = place(&paper, &format!("k{n}"), order).await;
        let error = reply.error();
        assert_eq!((reply.status, error.code.raw()), (422, "trigger_would_fire"));
        assert!(error.order_id.is_some());
    }
}

#[tokio::test]
async fn a_conditional_trades_here_when_another_market_gets_there_and_only_once() {
    let paper = Paper::bare().await;
    let trigger = paper.price("paper|BTC", -0.5).await;
    let order = json!({
        "type": "conditional", "market_id": "paper|ETH", "side": "sell", "size": 1,
        "trigger_market_id": "paper|BTC", "trigger_price": trigger, "trigger_direction": "below",
    });
    let order = placed(&paper, "k", order).await;
    moves(&paper, "paper|ETH", -100).await;
    assert!(is(&paper, &order, OrderStatus::Resting).await);
    moves(&paper, "paper|BTC", -100).await;
    assert!(is(&paper, &order, OrderStatus::Filled).await);
    moves(&paper, "paper|BTC", 100).await;
    moves(&paper, "paper|BTC", -100).await;
    let open = positions(&paper).await;
    assert_eq!(
        (open.len(), open[0].market_id.raw(), open[0].size),
        (1, "paper|ETH", Num::ONE)
    );
}

#[tokio::test]
async fn a_chase_follows_the_bid_up_to_its_cap_and_back() {
    let paper = Paper::bare().await;
    let cap = paper.price("paper|BTC", 0.4).await;
    let order = json!({"type": "chase", "chase_offset": 200, "chase_cap_price": cap});
    let order = placed(&paper, "k", order).await;
    let began = order.limit_price.unwrap();
    moves(&paper, "paper|BTC", 30).await;
    let higher = now(&paper, &order).await;
    assert!(higher.limit_price.unwrap() > began, "{higher:?}");
    moves(&paper, "paper|BTC", 100).await;
    let capped = now(&paper, &order).await;
    assert_eq!(capped.limit_price, Some(Num::from(cap)));
    assert!(capped.status.is(&OrderStatus::Resting) && capped.mode.is(&OrderMode::Chase));
    for n in 0..4 {
        let more = json!({"type": "chase", "chase_offset": 2000, "size": 0.01});
        placed(&paper, &format!("more {n}"), more).await;
    }
    let sixth = place(
        &paper,
        "sixth",
        json!({"type": "chase", "chase_offset": 2000}),
    )
    .await;
    assert_eq!(
        (sixth.status, sixth.error().code.raw()),
        (422, "too_many_chase_orders")
    );
}

/// The working exits of the account: mode, size, trigger.
async fn exits(paper: &Paper) -> Vec<(String, Num)> {
    let working: Vec<Order> = paper
        .get("/v1/orders?account_id=chal-1&status=working")
        .await
        .data();
    let mut exits: Vec<_> = working
        .iter()
        .filter(|order| order.reduce_only)
        .map(|order| (order.mode.to_string(), order.size))
        .collect();
    exits.sort();
    exits
}

#[tokio::test]
async fn attached_exits_appear_with_the_fill_and_the_one_that_fills_cancels_the_other() {
    for (bps, fills, ends) in [
        (200, OrderMode::TakeProfit, OrderMode::StopMarket),
        (-200, OrderMode::StopMarket, OrderMode::TakeProfit),
    ] {
        let paper = Paper::bare().await;
        let entry = json!({
            "type": "limit", "size": 0.2,
            "limit_price": paper.price("paper|BTC", 0.5).await,
            "take_profit_price": paper.price("paper|BTC", 1.5).await,
            "stop_loss_price": paper.price("paper|BTC", -1.5).await,
        });
        placed(&paper, "entry", entry).await;
        let legs = [
            ("stop_market", Num::new(2, 1)),
            ("take_profit", Num::new(2, 1)),
        ];
        assert_eq!(
            exits(&paper).await,
            legs.map(|(mode, size)| (mode.to_owned(), size))
        );
        moves(&paper, "paper|BTC", bps).await;
        let rows: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
        let row = |mode| rows.iter().find(|row| row.mode.is(&mode)).unwrap();
        assert!(row(fills).status.is(&OrderStatus::Filled));
        assert!(row(ends).status.is(&OrderStatus::Canceled));
        let why = row(ends).reject_reason.as_ref().unwrap();
        assert_eq!(why.raw(), "sibling_filled");
        assert_eq!(positions(&paper).await, []);
    }
}

#[tokio::test]
async fn a_take_profit_closes_its_position_and_no_more_than_that() {
    let paper = Paper::bare().await;
    let trigger = paper.price("paper|BTC", 0.5).await;
    let without = place(
        &paper,
        "none",
        json!({"type": "take_profit", "side": "sell", "trigger_price": trigger}),
    )
    .await;
    assert_eq!(
        (without.status, without.error().code.raw()),
        (422, "reduce_only_no_position")
    );
    placed(&paper, "entry", json!({})).await;
    let target = positions(&paper).await[0].id.clone();
    let order = json!({
        "type": "take_profit", "side": "sell", "size": 5, "trigger_price": trigger,
        "target_position_id": target.raw(),
    });
    let order = placed(&paper, "target", order).await;
    assert!(order.reduce_only && order.is_armed());
    assert_eq!(
        (order.size, order.initial_size),
        (Num::new(1, 1), Some(Num::from(5_i64)))
    );
    moves(&paper, "paper|BTC", 100).await;
    assert!(is(&paper, &order, OrderStatus::Filled).await);
    assert_eq!(positions(&paper).await, []);
}

#[tokio::test]
async fn good_till_a_date_ends_on_that_date_resting_or_armed() {
    let paper = Paper::bare().await;
    let low = paper.price("paper|BTC", -5.0).await;
    let date = crate::support::START.0 + 60_000;
    let limit = json!({"type": "limit", "limit_price": low, "time_in_force": "gtd", "gtd_expires_at": date});
    let limit = placed(&paper, "limit", limit).await;
    let stop = json!({"type": "stop_market", "side": "sell", "trigger_price": low, "time_in_force": "gtd", "gtd_expires_at": date});
    let stop = placed(&paper, "stop", stop).await;
    paper.advance(58_000).await;
    assert!(is(&paper, &limit, OrderStatus::Resting).await);
    assert!(is(&paper, &stop, OrderStatus::Resting).await);
    paper.advance(2_000).await;
    assert!(is(&paper, &limit, OrderStatus::Expired).await);
    assert!(is(&paper, &stop, OrderStatus::Expired).await);
    let past = json!({"type": "limit", "limit_price": low, "time_in_force": "gtd", "gtd_expires_at": date});
    let reply = place(&paper, "past", past).await;
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.json()["error"]["details"][0]["field"],
        "gtd_expires_at"
    );
}

#[tokio::test]
async fn a_stop_that_opens_brings_its_exits_along() {
    let paper = Paper::bare().await;
    let stop = json!({
        "type": "stop_market",
        "trigger_price": paper.price("paper|BTC", 0.5).await,
        "take_profit_price": paper.price("paper|BTC", 5.0).await,
        "stop_loss_price": paper.price("paper|BTC", -5.0).await,
    });
    let stop = placed(&paper, "k", stop).await;
    assert!(stop.attached_stop_loss_price.is_some());
    assert_eq!(exits(&paper).await, []);
    moves(&paper, "paper|BTC", 100).await;
    let legs = ["stop_market", "take_profit"].map(|mode| (mode.to_owned(), Num::new(1, 1)));
    assert_eq!(exits(&paper).await, legs);
}
