//! The demo scenario as a desk sees it.

use crate::support::{Paper, START};
use perpdeck::{
    exchange::Scenario,
    model::{Num, Order, OrderMode, Position, Scaled, Side, Twap},
};
use serde_json::Value;
use std::collections::BTreeMap;

#[tokio::test]
async fn every_pane_has_something_true_in_it() {
    let paper = Paper::play(Scenario::demo().unwrap()).await;
    let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    let sides: Vec<Option<Side>> = open.iter().map(Position::side).collect();
    assert!(sides.contains(&Some(Side::Buy)) && sides.contains(&Some(Side::Sell)));
    assert!(open.iter().any(Position::is_isolated) && !open.iter().all(Position::is_isolated));
    assert!(
        open.iter()
            .all(|position| position.opened_at.unwrap() < START)
    );

    let working: Vec<Order> = paper
        .get("/v1/orders?account_id=chal-1&status=working")
        .await
        .data();
    for mode in [
        OrderMode::Limit,
        OrderMode::StopMarket,
        OrderMode::StopLimit,
        OrderMode::TakeProfit,
        OrderMode::Chase,
        OrderMode::Conditional,
    ] {
        assert!(working.iter().any(|order| order.mode.is(&mode)), "{mode}");
    }
    assert!(
        working
            .iter()
            .any(|order| order.attached_stop_loss_price.is_some())
    );
    assert!(
        working
            .iter()
            .any(|order| order.gtd_expires_at.is_some_and(|at| at > START))
    );
    let targets: Vec<_> = working
        .iter()
        .filter_map(|order| order.target_position_id.as_ref())
        .collect();
    assert!(open.iter().any(|position| targets.contains(&&position.id)));
}

#[tokio::test]
async fn strategies_are_running_and_history_has_pages() {
    let paper = Paper::play(Scenario::demo().unwrap()).await;
    let twaps: Vec<Twap> = paper.get("/v1/twap-orders?account_id=chal-1").await.data();
    let statuses: Vec<&str> = twaps
        .iter()
        .map(|twap| twap.status.as_ref().unwrap().raw())
        .collect();
    assert_eq!(statuses, ["pending", "active"]);

    let working = "/v1/orders?account_id=chal-1&status=working";
    let working: Vec<Order> = paper.get(working).await.data();
    let scaled = working
        .iter()
        .find_map(|order| order.scaled_order_id.as_ref())
        .unwrap();
    let scaled: Scaled = paper
        .get(&format!("/v1/scaled-orders/{scaled}"))
        .await
        .data();
    assert_eq!(scaled.status.unwrap().raw(), "working");

    for target in [
        "/v1/positions?account_id=chal-1&status=closed",
        "/v1/orders?account_id=chal-1",
    ] {
        let mut cursor = String::new();
        for page in 1..=3 {
            let reply = paper.get(&format!("{target}{cursor}")).await;
            cursor = reply.json()["next_cursor"]
                .as_str()
                .map_or_else(String::new, |c| format!("&cursor={c}"));
            let rows: Vec<Value> = reply.data();
            assert!(rows.len() >= 20, "page {page} of {target}: {}", rows.len());
        }
    }
}

#[tokio::test]
async fn the_second_user_has_a_desk_of_its_own() {
    let paper = Paper::play(Scenario::demo().unwrap()).await;
    let positions = "/v1/positions?account_id=chal-2";
    let positions: Vec<Position> = paper.call_as("chal-2", "GET", positions, "").await.data();
    assert!(positions.len() >= 2);
    assert_ne!(paper.key_of("chal-1"), paper.key_of("chal-2"));
}

/// Every row of a list, page by page.
async fn all<T: serde::de::DeserializeOwned>(paper: &Paper, target: &str) -> Vec<T> {
    let (mut rows, mut cursor) = (vec![], String::new());
    loop {
        let reply = paper.get(&format!("{target}&limit=100{cursor}")).await;
        let next = reply.json()["next_cursor"].as_str().map(str::to_owned);
        rows.extend(reply.data::<Vec<T>>());
        match next {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return rows,
        }
    }
}

#[tokio::test]
async fn root_rows_sum_to_what_was_paid_and_slices_to_their_root_row() {
    let paper = Paper::play(Scenario::demo().unwrap()).await;
    let orders: Vec<Order> = all(&paper, "/v1/orders?account_id=chal-1").await;
    let sum = |amounts: &mut dyn Iterator<Item = Option<Num>>| {
        amounts
            .flatten()
            .fold(Num::ZERO, |sum, more| sum.plus(more).unwrap())
    };
    let roots = || {
        orders
            .iter()
            .filter(|order| order.partial_of_order_id.is_none())
    };
    let open: Vec<Position> = all(&paper, "/v1/positions?account_id=chal-1").await;
    let closed: Vec<Position> = all(&paper, "/v1/positions?account_id=chal-1&status=closed").await;
    let positions = || open.iter().chain(&closed);
    assert_eq!(
        sum(&mut roots().map(|order| order.fee)),
        sum(&mut positions().map(|position| position.fees))
    );
    assert_eq!(
        sum(&mut roots().map(|order| order.realized_pnl)),
        sum(&mut positions().map(|position| position.realized_pnl))
    );
    let mut families: BTreeMap<String, Vec<&Order>> = BTreeMap::new();
    for slice in orders
        .iter()
        .filter(|order| order.partial_of_order_id.is_some())
    {
        let root = slice.partial_fill_root_order_id.as_ref().unwrap();
        families.entry(root.to_string()).or_default().push(slice);
    }
    assert!(!families.is_empty());
    for (id, slices) in families {
        let root = roots().find(|order| order.id.to_string() == id).unwrap();
        let of =
            |amount: fn(&Order) -> Option<Num>| sum(&mut slices.iter().map(|slice| amount(slice)));
        let told = |amount: Option<Num>| amount.unwrap_or_default();
        assert_eq!(
            of(|order| order.filled_size),
            told(root.filled_size),
            "{id}"
        );
        assert_eq!(of(|order| order.notional), told(root.notional), "{id}");
        assert_eq!(of(|order| order.fee), told(root.fee), "{id}");
        assert_eq!(
            of(|order| order.realized_pnl),
            told(root.realized_pnl),
            "{id}"
        );
    }
}
