//! Moving orders in place, the exits of a position as one batch, and orders found by their own name.

use crate::{
    orders::place,
    support::{Paper, Reply},
};
use perpdeck::model::{Num, Order, OrderStatus, Position};
use serde_json::{Value, json};

async fn patch(paper: &Paper, id: &str, body: &Value) -> Reply {
    let target = format!("/v1/orders/{id}");
    paper.call("PATCH", &target, &[], &body.to_string()).await
}

/// The status, and the field of the first issue.
fn refused(reply: &Reply) -> (u16, String) {
    let field = reply.json()["error"]["details"][0]["field"].clone();
    (reply.status, field.as_str().unwrap_or_default().to_owned())
}

async fn working(paper: &Paper) -> Vec<Order> {
    let list = "/v1/orders?account_id=chal-1&status=working";
    paper.get(list).await.data()
}

async fn position(paper: &Paper) -> Position {
    let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    open.into_iter().next().unwrap()
}

#[tokio::test]
async fn an_order_is_found_by_its_own_name_which_no_other_order_has() {
    let paper = Paper::bare().await;
    let named = json!({"client_order_id": "my order/1"});
    let first = place(&paper, "k1", named.clone()).await;
    assert_eq!(
        (first.status, &first.json()["data"]["client_order_id"]),
        (201, &json!("my order/1"))
    );
    let again = place(&paper, "k1", named.clone()).await;
    assert_eq!(again.status, 200, "the key comes first");
    let other = place(&paper, "k2", named.clone()).await;
    assert_eq!(
        (other.status, other.error().code.raw()),
        (409, "client_order_id_conflict")
    );
    let close = json!({"type": "market", "client_order_id": "my order/1"}).to_string();
    let close = paper
        .keyed("/v1/positions/pos_000001/close", "k3", &close)
        .await;
    assert_eq!(close.error().code.raw(), "client_order_id_conflict");

    let found = "/v1/orders?client_order_id=my%20order%2F1";
    let rows: Vec<Order> = paper.get(found).await.data();
    assert_eq!(rows, [first.data::<Order>()]);
    let theirs = paper.call_as("chal-2", "GET", found, "").await;
    assert_eq!(theirs.data::<Vec<Order>>(), []);
    for (name, words) in [("", "1 to 128"), (&*"n".repeat(129), "the limit is 128")] {
        let wrong = place(&paper, "k4", json!({"client_order_id": name})).await;
        assert_eq!(refused(&wrong), (400, "client_order_id".to_owned()));
        assert!(wrong.text().contains(words), "{}", wrong.text());
    }
}

#[tokio::test]
async fn names_are_still_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    place(&paper, "k1", json!({"client_order_id": "kept"})).await;
    paper.stop().await;
    let paper = Paper::kept(dir.path()).await;
    let rows: Vec<Order> = paper.get("/v1/orders?client_order_id=kept").await.data();
    assert_eq!(rows.len(), 1);
    let other = place(&paper, "k2", json!({"client_order_id": "kept"})).await;
    assert_eq!(other.status, 409);
}

#[tokio::test]
async fn an_armed_order_rests_without_having_triggered_and_its_cancel_is_queued() {
    let paper = Paper::bare().await;
    let trigger = paper.price("paper|BTC", 2.0).await;
    let stop = json!({"type": "stop_market", "trigger_price": trigger});
    let order: Order = place(&paper, "k", stop).await.data();
    assert!(
        order.status.is(&OrderStatus::Resting) && order.is_armed(),
        "{order:?}"
    );
    let target = format!("/v1/orders/{}", order.id);
    let canceled = paper.delete(&target).await.json();
    assert_eq!(
        canceled["data"],
        json!({"id": order.id, "canceled": true, "queued": true})
    );
    let rows = working(&paper).await;
    assert!(rows[0].is_cancel_queued(), "{rows:?}");
    paper.advance(250).await;
    assert_eq!(working(&paper).await, []);
    assert_eq!(paper.delete(&target).await.status, 409);
}

#[tokio::test]
async fn a_resting_order_is_canceled_at_once() {
    let paper = Paper::bare().await;
    let price = paper.price("paper|BTC", -5.0).await;
    let limit = json!({"type": "limit", "limit_price": price});
    let order: Order = place(&paper, "k", limit).await.data();
    let canceled = paper
        .delete(&format!("/v1/orders/{}", order.id))
        .await
        .json();
    assert_eq!(canceled["data"], json!({"id": order.id, "canceled": true}));
}

#[tokio::test]
async fn an_order_moves_in_place_or_is_refused_as_it_is() {
    let paper = Paper::bare().await;
    let (far, near) = (
        paper.price("paper|BTC", -5.0).await,
        paper.price("paper|BTC", -3.0).await,
    );
    let order: Order = place(&paper, "k", json!({"type": "limit", "limit_price": far}))
        .await
        .data();
    let id = order.id.raw();
    let moved = patch(&paper, id, &json!({"price": near, "size": 0.2})).await;
    assert_eq!(
        (moved.status, &moved.json()["queued"]),
        (200, &json!(false))
    );
    let row: Order = moved.data();
    assert_eq!(
        (row.id.raw(), row.limit_price, row.size),
        (id, Some(Num::from(near)), Num::new(2, 1))
    );
    for (body, status, field) in [
        (json!({"price": near, "size": 0}), 400, "size"),
        (json!({"size": 1}), 400, "price"),
        (json!({"price": near, "sise": 1}), 400, "sise"),
    ] {
        let reply = patch(&paper, id, &body).await;
        assert_eq!(refused(&reply), (status, field.to_owned()), "{body}");
    }
    let poor = patch(&paper, id, &json!({"price": near, "size": 90_000})).await;
    assert_eq!(poor.status, 422, "{}", poor.text());
    assert!(poor.error().rule_id.is_some());
    assert_eq!(working(&paper).await, [row]);
    paper.delete(&format!("/v1/orders/{id}")).await;
    assert_eq!(patch(&paper, id, &json!({"price": far})).await.status, 409);
    assert_eq!(
        patch(&paper, "ord_000099", &json!({"price": far}))
            .await
            .status,
        404
    );
}

/// Long 0.1 with a stop and a target for all of it.
async fn protected(paper: &Paper) -> (String, Value) {
    let (stop, target) = (
        paper.price("paper|BTC", -3.0).await,
        paper.price("paper|BTC", 3.0).await,
    );
    let bracket = json!({"stop_loss_price": stop, "take_profit_price": target});
    let entry = place(paper, "entry", bracket).await;
    assert_eq!(entry.status, 201, "{}", entry.text());
    let id = position(paper).await.id;
    let expected: Vec<Value> = working(paper)
        .await
        .iter()
        .map(|exit| json!({"order_id": exit.id, "price": exit.trigger_price, "size": exit.size}))
        .collect();
    let guard = json!({"expected_position_size": 0.1, "expected_orders": expected});
    (format!("/v1/positions/{id}/exit-orders"), guard)
}

fn with(guard: &Value, operations: Value) -> String {
    let mut body = guard.clone();
    body["operations"] = operations;
    body.to_string()
}

#[tokio::test]
async fn the_exits_of_an_entry_are_a_pair_and_move_as_one_batch() {
    let paper = Paper::bare().await;
    let (target, guard) = protected(&paper).await;
    let rows = working(&paper).await;
    let (profit, stop) = (&rows[0], &rows[1]);
    assert_eq!(profit.oco_sibling_order_id.as_ref(), Some(&stop.id));
    assert_eq!(stop.oco_sibling_order_id.as_ref(), Some(&profit.id));
    let (tighter, further) = (
        paper.price("paper|BTC", -2.0).await,
        paper.price("paper|BTC", 5.0).await,
    );
    let operations = json!([
        {"kind": "modify", "order_id": stop.id, "price": tighter},
        {"kind": "cancel", "order_id": profit.id},
        {"kind": "place", "group": "tp", "execution_type": "limit", "price": further, "size": 0.1,
         "oco_pair_with_operation_index": 0},
    ]);
    let body = with(&guard, operations);
    let changed = paper.put(&target, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert_eq!(changed.data::<Position>(), position(&paper).await);
    let rows = working(&paper).await;
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1].trigger_price, Some(Num::from(tighter)));
    assert_eq!(rows[1].oco_sibling_order_id.as_ref(), Some(&rows[0].id));
    let again = paper.put(&target, &body).await;
    assert_eq!(
        (again.status, again.error().code.raw()),
        (409, "expected_state_moved")
    );
}

#[tokio::test]
async fn a_batch_is_refused_whole() {
    let paper = Paper::bare().await;
    let (target, guard) = protected(&paper).await;
    let before = working(&paper).await;
    let (profit, stop) = (&before[0].id, &before[1].id);
    let above = paper.price("paper|BTC", 2.0).await;
    let cancel = json!({"kind": "cancel", "order_id": profit});
    let crossed = json!({"kind": "modify", "order_id": stop, "price": above});
    let beside = json!({"kind": "place", "group": "tp", "price": above, "size": 0.1});
    for (operations, status, rule) in [
        (json!([cancel, crossed]), 422, "trigger_price"),
        (json!([beside]), 422, "exit-allocation"),
    ] {
        let reply = paper.put(&target, &with(&guard, operations)).await;
        assert_eq!(reply.status, status, "{}", reply.text());
        assert_eq!(reply.error().rule_id.unwrap().raw(), rule);
    }
    for (second, field) in [
        (json!({"kind": "cancel"}), "operations[1].order_id"),
        (
            json!({"kind": "cancel", "order_id": "ord_000099"}),
            "operations[1].order_id",
        ),
        (
            json!({"kind": "modify", "order_id": stop}),
            "operations[1].price",
        ),
        (
            json!({"kind": "modify", "order_id": stop, "price": 0}),
            "operations[1].price",
        ),
        (
            json!({"kind": "place", "group": "tp", "price": above}),
            "operations[1].size",
        ),
        (
            json!({"kind": "cancel", "order_id": stop, "size": 1}),
            "operations[1].size",
        ),
        (json!({"kind": "wait"}), "operations[1].kind"),
    ] {
        let reply = paper
            .put(&target, &with(&guard, json!([cancel, second])))
            .await;
        assert_eq!(refused(&reply), (400, field.to_owned()), "{}", reply.text());
    }
    let empty = paper.put(&target, &with(&guard, json!([]))).await;
    assert_eq!(refused(&empty), (400, "operations".to_owned()));
    let mut moved = guard.clone();
    moved["expected_position_size"] = json!(0.2);
    let reply = paper.put(&target, &with(&moved, json!([cancel]))).await;
    assert_eq!(reply.status, 409, "{}", reply.text());
    assert_eq!(working(&paper).await, before);
}

#[tokio::test]
async fn an_order_with_exits_replaces_those_of_the_position_only_with_consent() {
    let paper = Paper::bare().await;
    protected(&paper).await;
    paper.advance(500).await;
    let stop = paper.price("paper|BTC", -2.0).await;
    let unmet = place(&paper, "more", json!({"stop_loss_price": stop})).await;
    assert_eq!(unmet.status, 422, "{}", unmet.text());
    assert_eq!(unmet.error().rule_id.unwrap().raw(), "exit-allocation");
    let consent = json!({"stop_loss_price": stop, "replace_overlapping_exits": true});
    let reply = place(&paper, "replace", consent).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    let rows = working(&paper).await;
    let stops: Vec<_> = rows
        .iter()
        .filter(|row| row.trigger_price == Some(Num::from(stop)))
        .collect();
    assert_eq!((rows.len(), stops[0].size), (2, Num::new(2, 1)));
    let bare = place(&paper, "bare", json!({"replace_overlapping_exits": true})).await;
    assert_eq!(refused(&bare).1, "replace_overlapping_exits");
}
