//! Measures a restart, and how long the log is.
//!
//! `cargo test --release --lib -- --ignored --nocapture store::cost_tests`
#![expect(clippy::print_stderr, reason = "the figures are the result")]

use super::super::{
    engine::{AccountIx, AttachedExits, EngineCommand, OrderId},
    idempotency::{IdempotencyRecords, IdempotentRequest, IdempotentResult, KeyedRequest},
};
use super::{
    file::LOG,
    record,
    tests::{commands, opened},
    *,
};
use crate::model::PlaceOrder;
use tokio::time::Instant;

const ORDERS: u64 = 200_000;
const BATCH: u64 = 16;

fn body() -> Box<PlaceOrder> {
    let body = r#"{"type":"limit","account_id":"me","market_id":"paper|BTC","side":"buy","size":0.001,
        "limit_price":50000.10,"leverage":5,"margin_mode":"cross","client_order_id":"bot-7-000000000017"}"#;
    serde_json::from_str(body).unwrap()
}

/// As an exchange that a bot uses: orders with keys, placed and canceled, and checkpoints.
#[tokio::test]
#[ignore = "measures: alone, in a release build"]
async fn a_restart_with_many_orders() {
    let home = tempfile::tempdir().unwrap();
    let mut exchange = opened(home.path());
    exchange.store.take().unwrap().closed().await;
    let (mut log, _) = file::open(home.path()).unwrap();
    let (mut engine, mut keys) = (exchange.engine, IdempotencyRecords::default());
    let [_, place, ..] = commands();
    let (me, mut longest) = (AccountIx::from(0), std::time::Duration::ZERO);
    for number in 1..=ORDERS {
        let id = OrderId::from(usize::try_from(number - 1).unwrap());
        let EngineCommand::Place(mut order) = place.clone() else {
            panic!("an order");
        };
        (order.client_order_id, order.exits) = (None, AttachedExits::default());
        engine.apply(me, EngineCommand::Place(order)).unwrap();
        engine.apply(me, EngineCommand::Cancel(id)).unwrap();
        let keyed = KeyedRequest {
            user: 0,
            key: Some(&format!("bot-7-{number:012}")),
            request: IdempotentRequest::Place(body()),
        };
        keys.record(keyed, IdempotentResult::Order(me, id), engine.now());
        if number % BATCH == 0 {
            let mut records = record::inputs(&mut engine);
            records.extend(keys.changes().unwrap());
            log.append(records).unwrap();
        }
        if number % (CHECKPOINT_ENTRIES / 2) == 0 {
            let checkpoint = engine.engine_mut().checkpoint().unwrap();
            log.append(record::checkpoint(engine.seq(), checkpoint).collect())
                .unwrap();
            let began = Instant::now();
            log.trim().unwrap();
            longest = longest.max(began.elapsed());
        }
    }
    drop(log);
    let size = home.path().join(LOG).metadata().unwrap().len();
    let began = Instant::now();
    let again = opened(home.path());
    let took = began.elapsed();
    assert_eq!(again.engine.log_mark(), engine.log_mark());
    eprintln!(
        "{ORDERS} orders, {} MB: restarted in {took:?}; written anew in at most {longest:?}",
        size >> 20
    );
}
