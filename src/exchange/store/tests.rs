//! The stored bytes.

use super::super::{
    api_error::{ApiError, ServiceCode},
    clock::ClockMode,
    engine::{
        AccountIx, AttachedExits, CheckpointChunk, CheckpointTable, Curve, Engine, EngineCommand,
        ExitOverlap, Lots, MarginMode, MarketIx, Millis, NanoPx, OrderId, OrderParams, Pacing,
        PlaceMode, Px, Reason, Reduction, ScaledParams, Side, Tif, TwapParams,
    },
    idempotency::{IdempotencyRecords, IdempotentRequest, IdempotentResult, KeyedRequest},
    recorder::EngineInput,
    scenario::Scenario,
    secret::{KeySource, ServerSecret},
    service::ResetState,
};
use super::{
    LoadedExchange, StoreRecord, StoreResult,
    file::{self, FORMAT, LOG},
    open,
};
use crate::{disk::Log, model::PlaceOrder};
use serde_json::value::to_raw_value;
use sha2::{Digest, Sha256};
use std::{collections::BTreeSet, fs, path::Path};

fn engine() -> Engine {
    let bare = include_str!("../../../tests/support/bare.toml");
    let scenario = Scenario::parse(bare).unwrap();
    scenario.open(Millis(1_790_000_000_000)).unwrap()
}

/// One row of every table.
pub(super) fn commands() -> [EngineCommand; 4] {
    let order = OrderParams {
        market: MarketIx::from(0),
        side: Side::Buy,
        size: Lots(10_000),
        leverage: 5,
        margin_mode: MarginMode::Isolated,
        expected_price: NanoPx::ZERO,
        reduction: Reduction::May,
        tif: Tif::Gtc,
        slippage: None,
        exits: AttachedExits {
            take_profit: Some(Px(700_000)),
            stop_loss: Some(Px(500_000)),
        },
        overlap: ExitOverlap::Replaced,
        mode: PlaceMode::Limit { price: Px(600_000) },
        client_order_id: Some("mine".into()),
    };
    let opening = OrderParams {
        mode: PlaceMode::Market,
        ..order.clone()
    };
    let twap = TwapParams {
        kind: Curve::Vwap,
        market: MarketIx::from(1),
        side: Side::Sell,
        size: Lots(20_000),
        leverage: 5,
        margin_mode: MarginMode::Cross,
        reduction: Reduction::May,
        duration_minutes: 5,
        slice_interval_seconds: None,
        pacing: Pacing::Randomized,
        trigger_price: None,
        max_price: None,
        min_price: None,
    };
    let scaled = ScaledParams {
        market: MarketIx::from(2),
        side: Side::Buy,
        size: Lots(10_000),
        leverage: 5,
        margin_mode: MarginMode::Cross,
        reduction: Reduction::May,
        start_price: Px(1_400_000),
        end_price: Px(1_300_000),
        rung_count: 3,
        distribution: crate::model::Distribution::Ascending,
    };
    [
        EngineCommand::Place(opening),
        EngineCommand::Place(order),
        EngineCommand::PlaceTwap(twap),
        EngineCommand::PlaceScaled(scaled),
    ]
}

/// Hashes what an exchange with few commands stores. Fails when a stored type has changed, or a rule that these
/// commands use: if it is a type, raise `FORMAT` together with the value here.
#[test]
fn a_change_to_a_stored_type_needs_a_new_format_number() {
    let mut engine = engine();
    let me = AccountIx::from(0);
    for command in commands() {
        engine.apply(me, command).unwrap();
    }
    let checkpoint = engine.checkpoint().unwrap();
    let (rows, histories) = split(checkpoint.chunks);
    assert_eq!(rows.len(), 6, "one of every table");
    let mut digest = Sha256::new_with_prefix(&checkpoint.core);
    for chunk in rows {
        digest.update(&chunk.rows);
    }
    for command in commands() {
        digest.update(serde_json::to_vec(&EngineInput::Apply(me, command)).unwrap());
    }
    assert_eq!(
        (FORMAT, shape(digest)),
        ("perpdeck exchange 10", 294_728_016)
    );
    engine.advance_to(engine.now().next_hour());
    let later = split(engine.checkpoint().unwrap().chunks).1;
    let mut digest = Sha256::new();
    for chunk in histories.iter().chain(&later) {
        digest.update(&chunk.rows);
    }
    let tables: BTreeSet<u8> = later.iter().map(|chunk| chunk.table as u8).collect();
    assert_eq!(tables, (7..=13).collect(), "one of every history");
    assert_eq!(
        (FORMAT, shape(digest)),
        ("perpdeck exchange 10", 2_566_097_299)
    );
}

/// The tables that format 3 had, and those of the histories.
fn split(mut chunks: Vec<CheckpointChunk>) -> (Vec<CheckpointChunk>, Vec<CheckpointChunk>) {
    chunks.sort_by_key(|chunk| (chunk.table, chunk.place));
    let had = |chunk: &CheckpointChunk| chunk.table < CheckpointTable::Origins;
    chunks.into_iter().partition(had)
}

fn shape(digest: Sha256) -> u32 {
    u32::from_be_bytes(*digest.finalize().first_chunk().unwrap())
}

fn used_by(user: usize, key: &str, request: IdempotentRequest) -> KeyedRequest<'_> {
    KeyedRequest {
        user,
        key: Some(key),
        request,
    }
}

#[test]
fn a_key_read_back_recalls_what_it_did_and_refuses_what_it_did_not() {
    let body = |size: &str| -> Box<PlaceOrder> {
        let body = format!(
            r#"{{"type":"limit","account_id":"me","market_id":"paper|BTC","side":"buy","size":{size},"limit_price":50000.10,
                "leverage":5,"margin_mode":"cross","reduce_only":true,"stop_loss_price":49000}}"#
        );
        serde_json::from_str(&body).unwrap()
    };
    let placed = IdempotentResult::Order(AccountIx::from(0), OrderId::from(6));
    let refused = IdempotentResult::Refused(ApiError {
        order: Some(OrderId::from(7)),
        ..ApiError::conflict(Reason::InsufficientMargin, "not enough").retry_after(3)
    });
    let at = Millis(1_790_000_000_000);
    let mut keys = IdempotencyRecords::default();
    let keyed = |key, size| used_by(1, key, IdempotentRequest::Place(body(size)));
    keys.record(keyed("a", "0.10"), placed.clone(), at);
    keys.record(keyed("b", "2"), refused.clone(), at);
    let mut again = IdempotencyRecords::default();
    for record in keys.changes().unwrap() {
        let StoreRecord::Key { user, key, record } = record else {
            panic!("{record:?}")
        };
        again.restore(user, key, &record).unwrap();
    }
    let recall = |key, size| again.recall(&keyed(key, size));
    assert_eq!(recall("a", "0.1"), Ok(Some(placed)));
    assert_eq!(recall("b", "2"), Ok(Some(refused)));
    assert_eq!(
        recall("a", "0.2").unwrap_err().code,
        ServiceCode::IdempotencyConflict.into()
    );
    assert!(
        keys.changes().unwrap().is_empty(),
        "each change is told once"
    );
}

#[test]
fn a_key_read_back_has_its_thirty_days_from_when_it_was_used_and_its_end_is_written() {
    let day = |count: i64| Millis(count * Millis::DAY.0);
    let keyed_request = IdempotentRequest::CloseAll(AccountIx::from(0));
    let mut keys = IdempotencyRecords::default();
    keys.record(
        used_by(1, "a", keyed_request.clone()),
        IdempotentResult::Operation(3),
        day(1),
    );
    let mut again = IdempotencyRecords::default();
    for record in keys.changes().unwrap() {
        let StoreRecord::Key { user, key, record } = record else {
            panic!("{record:?}")
        };
        again.restore(user, key, &record).unwrap();
    }
    assert_eq!(again.make_room(1, day(30)), Ok(()));
    assert!(again.changes().unwrap().is_empty(), "not yet");
    assert_eq!(again.make_room(1, day(31)), Ok(()));
    assert_eq!(again.recall(&used_by(1, "a", keyed_request)), Ok(None));
    let written = again.changes().unwrap();
    assert!(
        matches!(&written[..], [StoreRecord::KeyForgotten { user: 1, key }] if key == "a"),
        "{written:?}"
    );
}

fn scenario() -> Scenario {
    Scenario::parse(include_str!("../../../tests/support/bare.toml")).unwrap()
}

fn open_in(dir: &Path, scenario: Scenario) -> StoreResult<LoadedExchange> {
    let paused = Some(ClockMode::Paused);
    open(dir, scenario, Millis(1_790_000_000_000), paused)
}

pub(super) fn opened(dir: &Path) -> LoadedExchange {
    open_in(dir, scenario()).unwrap()
}

/// Its secret, and its directory is free again.
async fn ended(mut exchange: LoadedExchange) -> ServerSecret {
    exchange.store.take().unwrap().closed().await;
    exchange.secret
}

#[tokio::test]
async fn a_directory_whose_log_is_gone_does_not_begin_anew_under_the_same_keys() {
    for scenario in [scenario(), scenario().with_fixed_keys()] {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path();
        let first = ended(open_in(dir, scenario.clone()).unwrap()).await;
        let hurts: [fn(&Path); 2] = [
            |path| fs::remove_file(path).unwrap(),
            |path| fs::write(path, "").unwrap(),
        ];
        for hurt in hurts {
            hurt(&dir.join(LOG));
            let why = open_in(dir, scenario.clone()).unwrap_err().to_string();
            assert!(why.contains("Idempotency-Keys again"), "{why}");
            assert!(why.contains("delete exchange.* there"), "{why}");
        }
        fs::remove_file(dir.join("exchange.secret")).unwrap();
        let why = open_in(dir, scenario.clone()).unwrap_err().to_string();
        assert!(why.contains("is damaged (lost records: 1-"), "{why}");
        fs::remove_file(dir.join("exchange.newest")).unwrap();
        fs::remove_file(dir.join(LOG)).unwrap();
        let second = ended(open_in(dir, scenario.clone()).unwrap()).await;
        let is_fixed = scenario.key_source() == KeySource::Seed;
        assert_eq!(second == first, is_fixed);
        let kept = ended(open_in(dir, scenario).unwrap()).await;
        assert_eq!(kept, second);
    }
}

/// The script of a scenario takes seconds, in which a start may be interrupted.
#[tokio::test]
async fn a_first_start_that_was_interrupted_is_begun_again() {
    let home = tempfile::tempdir().unwrap();
    drop(file::open(home.path()).unwrap());
    ended(opened(home.path())).await;
}

#[tokio::test]
async fn an_exchange_whose_directory_is_deleted_writes_nothing_more_and_says_why() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("data");
    let mut exchange = opened(&dir);
    let store = exchange.store.take().unwrap();
    let failed = store.failure();
    fs::remove_dir_all(&dir).unwrap();
    let mut state = ResetState {
        scenario: exchange.scenario.clone(),
        start: exchange.start,
        pace: exchange.pace,
        first: None,
    }
    .open()
    .unwrap();
    store.close(&mut state);
    let why = failed.wait().await.to_string();
    assert!(
        why.contains("was deleted while the exchange used it"),
        "{why}"
    );
    let refused = store.written().await.unwrap_err();
    assert!(
        refused.message.contains("restore a copy"),
        "{}",
        refused.message
    );
}

/// The lines of the log, and what is on the disk of it.
fn logged(dir: &Path) -> Vec<String> {
    let mut lines = vec![];
    let read = Log::read(&dir.join(LOG), FORMAT, &mut |line| {
        lines.push(line.to_owned());
    });
    assert!(read.unwrap().is_none());
    lines
}

#[tokio::test]
async fn a_log_that_is_written_anew_adds_up_to_the_same_and_goes_on() {
    let home = tempfile::tempdir().unwrap();
    ended(opened(home.path())).await;
    let key = |user, key: &str| StoreRecord::Key {
        user,
        key: key.to_owned(),
        record: to_raw_value(&(Millis(7), keyed(), IdempotentResult::Operation(0))).unwrap(),
    };
    let (mut log, _) = file::open(home.path()).unwrap();
    for name in ["c", "a", "b"] {
        log.append(vec![key(1, name)]).unwrap();
    }
    let (user, forgotten) = (1, "a".to_owned());
    let record = StoreRecord::KeyForgotten {
        user,
        key: forgotten,
    };
    log.append(vec![record, StoreRecord::Opened]).unwrap();
    let before = logged(home.path()).len();
    log.trim_at(0).unwrap();
    log.append(vec![key(2, "a")]).unwrap();
    drop(log);
    let lines = logged(home.path());
    assert!(!lines.concat().contains("key_forgotten") && lines.len() > before);
    let named = |name: &str| lines.iter().position(|line| line.contains(name)).unwrap();
    assert!(named(r#""key":"c""#) < named(r#""key":"b""#));
    let mut exchange = opened(home.path());
    assert_eq!(exchange.openings, 2);
    let recall = |user, key| exchange.keys.recall(&used_by(user, key, keyed()));
    let known = |user, key| recall(user, key).unwrap().is_some();
    assert!(known(1, "c") && known(1, "b") && known(2, "a") && !known(1, "a"));
    exchange.store.take().unwrap().closed().await;
}

fn keyed() -> IdempotentRequest {
    IdempotentRequest::CancelAll(AccountIx::from(0))
}
