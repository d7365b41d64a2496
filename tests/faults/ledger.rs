//! What the exchange's own books say, read past the proxy.

use crate::{
    kind::Mutation,
    stage::{Stage, account},
};
use perpdeck::model::{
    CloseKind, ClosePosition, Command, Curve, Distribution, ExitBatch, ExitOperation, Exits,
    ExpectedExit, Leg, MarginMode, ModifyOrder, Num, PlaceKind, PlaceOrder, PlaceScaled, PlaceTwap,
    Risk, Side,
};
use serde_json::Value;

/// How often the mutation took effect: what must be 0 or 1, and never more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effects(pub(crate) usize);

/// A thing on the exchange, and the command about it.
pub(crate) struct Scene {
    pub(crate) command: Command,
    mutation: Mutation,
    n: usize,
    /// Orders there were before.
    before: usize,
    positions: usize,
}

const RUNGS: usize = 3;
const LIMIT: &str = r#""type":"limit","side":"buy","size":0.01,"limit_price":50000,"leverage":5,"margin_mode":"cross","expected_price":64250"#;

impl Scene {
    pub(crate) async fn set(stage: &Stage, mutation: Mutation, n: usize) -> Self {
        let id = account(n);
        let (command, positions) = match mutation {
            Mutation::Place => (place(&id), 0),
            Mutation::PlaceTwap => (start_twap(&id), 0),
            Mutation::PlaceScaled => (place_scaled(&id), 0),
            Mutation::Close => (close(&open(stage, n, "BTC", "cross").await), 1),
            Mutation::CloseAll => {
                open(stage, n, "BTC", "cross").await;
                open(stage, n, "ETH", "cross").await;
                (Command::CloseAll(id.as_str().into()), 2)
            }
            Mutation::Cancel => (Command::Cancel(rest(stage, n).await.into()), 0),
            Mutation::Exits => (exits(rest(stage, n).await), 0),
            Mutation::Margin => (margin(open(stage, n, "BTC", "isolated").await), 1),
            Mutation::StopTwap => (Command::StopTwap(twap(stage, n).await.into()), 0),
            Mutation::CancelScaled => (Command::CancelScaled(scaled(stage, n).await.into()), 0),
            Mutation::Modify => (modify(rest(stage, n).await), 0),
            Mutation::ExitBatch => (exit_batch(stage, n).await, 1),
            Mutation::CancelAll => {
                rest(stage, n).await;
                rest(stage, n).await;
                (Command::CancelAll(id.as_str().into()), 0)
            }
        };
        let before = orders(stage, n).await.len();
        let scene = Self {
            command,
            mutation,
            n,
            before,
            positions,
        };
        let nothing = scene.effects(stage).await;
        assert_eq!(nothing, Effects(0), "the ledger is misread: {mutation}");
        scene
    }

    /// The command as a headless verb.
    pub(crate) fn verb(&self) -> Vec<String> {
        let line = match &self.command {
            Command::Place(_) => {
                "place --market paper|BTC --side buy --type limit --size 0.01 --limit-price 50000 --leverage 5 \
                 --margin-mode cross --expected-price 64250.5"
                    .to_owned()
            }
            Command::Close(close) => {
                let id = &close.position_id;
                format!("close {id} --size 0.004 --expected-price 64250.5")
            }
            Command::Cancel(id) | Command::Unprotect(id) => format!("cancel {id}"),
            Command::StopTwap(id) => format!("twap stop {id}"),
            Command::CancelScaled(id) => format!("scaled cancel {id}"),
            Command::Exits(exits) => format!("exits {} --stop-loss 45000", exits.order_id),
            Command::Margin { position_id, .. } => format!("margin {position_id} --extra 200"),
            Command::CloseAll(_) | Command::Flatten(_) => "close-all".to_owned(),
            Command::PlaceTwap(_)
            | Command::PlaceScaled(_)
            | Command::Modify(_)
            | Command::ExitBatch(_)
            | Command::CancelAll(_) => {
                unreachable!("not among the verbs: {:?}", self.mutation)
            }
        };
        line.split_ascii_whitespace().map(str::to_owned).collect()
    }

    /// How often it took effect so far.
    pub(crate) async fn effects(&self, stage: &Stage) -> Effects {
        Effects(match self.mutation {
            Mutation::Place | Mutation::Close => orders(stage, self.n).await.len() - self.before,
            Mutation::PlaceTwap => twaps(stage, self.n).await,
            Mutation::PlaceScaled => scaled_count(stage, self.n).await,
            Mutation::CloseAll => self.closings(stage).await,
            Mutation::Cancel => count(&orders(stage, self.n).await, |order| {
                order["status"] == "canceled"
            }),
            Mutation::Exits => count(&orders(stage, self.n).await, |order| {
                order["attached_stop_loss_price"].as_i64() == Some(45_000)
            }),
            Mutation::Margin => count(&positions(stage, self.n).await, |position| {
                position["isolated_margin_extra"].as_i64() == Some(200)
            }),
            Mutation::StopTwap => 1 - twaps(stage, self.n).await,
            Mutation::CancelScaled => {
                let working = count(&orders(stage, self.n).await, works);
                usize::from(working == 0)
            }
            Mutation::Modify => count(&orders(stage, self.n).await, |order| {
                order["limit_price"].as_i64() == Some(49_000)
            }),
            Mutation::ExitBatch => count(&orders(stage, self.n).await, |order| {
                order["trigger_price"].as_i64() == Some(51_000)
            }),
            Mutation::CancelAll => {
                let working = count(&orders(stage, self.n).await, works);
                usize::from(working < self.before)
            }
        })
    }

    /// 1 when every position was closed once, 2 when one was closed twice.
    async fn closings(&self, stage: &Stage) -> usize {
        let made = orders(stage, self.n).await.len() - self.before;
        match made {
            0 => 0,
            n if n <= self.positions => 1,
            _ => 2,
        }
    }

    /// Whether nothing is left on its account.
    pub(crate) async fn is_flat(&self, stage: &Stage) -> bool {
        let left = Estate(self.n).left(stage).await;
        left.positions + left.orders + left.twaps == 0
    }

    /// Whether all of it has happened, for what happens in parts.
    pub(crate) async fn is_whole(&self, stage: &Stage) -> bool {
        match self.mutation {
            Mutation::CloseAll => positions(stage, self.n).await.is_empty(),
            Mutation::CancelAll => count(&orders(stage, self.n).await, works) == 0,
            _ => true,
        }
    }
}

/// Everything an account can have, to be got rid of.
pub(crate) struct Estate(usize);

/// What is left of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) positions: usize,
    pub(crate) orders: usize,
    pub(crate) twaps: usize,
    /// What was bought and is now sold short.
    pub(crate) closed_twice: usize,
}

impl Estate {
    /// One or two positions, and by turns an order, a TWAP that waits and a scaled order.
    pub(crate) async fn build(stage: &Stage, n: usize) -> Self {
        let mut built = Left {
            positions: 1 + n % 2,
            ..Left::default()
        };
        for (symbol, mode) in [("BTC", "cross"), ("ETH", "isolated")]
            .into_iter()
            .take(built.positions)
        {
            open(stage, n, symbol, mode).await;
        }
        if !n.is_multiple_of(3) {
            rest(stage, n).await;
            built.orders += 1;
        }
        if n % 4 > 1 {
            twap(stage, n).await;
            built.twaps += 1;
        }
        if n % 5 > 2 {
            scaled(stage, n).await;
            built.orders += RUNGS;
        }
        let estate = Self(n);
        assert_eq!(estate.left(stage).await, built, "the ledger is misread");
        estate
    }

    pub(crate) async fn left(&self, stage: &Stage) -> Left {
        let short = |row: &Value| exposure(row).is_negative();
        let open = positions(stage, self.0).await;
        Left {
            positions: open.len(),
            orders: count(&orders(stage, self.0).await, works),
            twaps: twaps(stage, self.0).await,
            closed_twice: count(&open, short),
        }
    }
}

fn works(order: &Value) -> bool {
    match order["status"].as_str() {
        Some("pending" | "resting") => true,
        Some("filled" | "rejected" | "expired" | "canceled") => false,
        _ => panic!("a status nobody knows: {order}"),
    }
}

fn count(rows: &[Value], is: impl Fn(&Value) -> bool) -> usize {
    rows.iter().filter(|row| is(row)).count()
}

async fn rows(stage: &Stage, n: usize, path: &str) -> Vec<Value> {
    let target = format!("{path}?account_id={}", account(n));
    let data = stage.call(n, "GET", &target, "").await;
    data.as_array().unwrap().clone()
}

pub(crate) async fn orders(stage: &Stage, n: usize) -> Vec<Value> {
    rows(stage, n, "/v1/orders").await
}

pub(crate) async fn positions(stage: &Stage, n: usize) -> Vec<Value> {
    rows(stage, n, "/v1/positions").await
}

/// The size of a position, negative when it is short.
pub(crate) fn exposure(position: &Value) -> Num {
    let size: Num = position["size"].to_string().parse().unwrap();
    assert!(size.is_positive(), "{position}");
    match position["side"].as_str() {
        Some("long") => size,
        Some("short") => size.negated(),
        _ => panic!("a side nobody knows: {position}"),
    }
}

async fn twaps(stage: &Stage, n: usize) -> usize {
    rows(stage, n, "/v1/twap-orders").await.len()
}

async fn scaled_count(stage: &Stage, n: usize) -> usize {
    rows(stage, n, "/v1/scaled-orders").await.len()
}

fn place(account: &str) -> Command {
    Command::Place(Box::new(PlaceOrder {
        account_id: account.into(),
        market_id: "paper|BTC".into(),
        kind: PlaceKind::Limit,
        side: Side::Buy,
        size: "0.01".parse().unwrap(),
        expected_price: Some("64250.5".parse().unwrap()),
        leverage: "5".parse().unwrap(),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        time_in_force: None,
        gtd_expires_at: None,
        limit_price: Some("50000".parse().unwrap()),
        client_order_id: None,
        trigger_price: None,
        trigger_market_id: None,
        trigger_direction: None,
        chase_offset: None,
        chase_cap_price: None,
        take_profit_price: None,
        stop_loss_price: None,
        slippage_tolerance: None,
        target_position_id: None,
        marketable_limit_acknowledged: false,
        replace_overlapping_exits: false,
        replaces: None,
    }))
}

/// It waits for its trigger: started twice would show in the list.
fn start_twap(account: &str) -> Command {
    Command::PlaceTwap(Box::new(PlaceTwap {
        account_id: account.into(),
        market_id: "paper|BTC".into(),
        curve: Curve::Twap,
        side: Side::Buy,
        size: "1".parse().unwrap(),
        expected_price: "64250.5".parse().unwrap(),
        leverage: "5".parse().unwrap(),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        duration_minutes: "60".parse().unwrap(),
        slice_interval_seconds: None,
        randomize: false,
        trigger_price: Some("70000".parse().unwrap()),
        max_price: None,
        min_price: None,
    }))
}

fn place_scaled(account: &str) -> Command {
    Command::PlaceScaled(Box::new(PlaceScaled {
        account_id: account.into(),
        market_id: "paper|BTC".into(),
        side: Side::Buy,
        size: "0.1".parse().unwrap(),
        leverage: "5".parse().unwrap(),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        start_price: "50000".parse().unwrap(),
        end_price: "45000".parse().unwrap(),
        rung_count: RUNGS.to_string().parse().unwrap(),
        distribution: Distribution::Flat,
        marketable_limit_acknowledged: None,
    }))
}

/// Less than half of it: closing twice would show.
fn close(position: &str) -> Command {
    Command::Close(ClosePosition {
        position_id: position.into(),
        held: None,
        kind: CloseKind::Market,
        size: Some("0.004".parse().unwrap()),
        expected_price: Some("64250.5".parse().unwrap()),
        slippage_tolerance: None,
        limit_price: None,
        client_order_id: None,
        trigger_price: None,
        trigger_market_id: None,
        trigger_direction: None,
        marketable_limit_acknowledged: false,
    })
}

fn exits(order: String) -> Command {
    Command::Exits(Exits::unseen(
        order.into(),
        Leg::Keep,
        Leg::Set("45000".parse().unwrap()),
    ))
}

fn margin(position: String) -> Command {
    Command::margin(position.into(), "200".parse().unwrap(), None)
}

fn modify(order: String) -> Command {
    Command::Modify(ModifyOrder {
        order_id: order.into(),
        price: "49000".parse().unwrap(),
        size: None,
        risk: Risk::Increasing,
    })
}

/// Moves the stop of a position nearer.
async fn exit_batch(stage: &Stage, n: usize) -> Command {
    let position = open(stage, n, "BTC", "cross").await;
    let stop = stop(stage, n).await;
    let (size, price) = (SIZE.parse().unwrap(), "50000".parse().unwrap());
    Command::ExitBatch(Box::new(ExitBatch {
        position_id: position.into(),
        expected_position_size: size,
        expected_orders: vec![ExpectedExit {
            order_id: stop.as_str().into(),
            price,
            size,
            execution_type: None,
        }],
        operations: vec![ExitOperation::Modify {
            order_id: stop.into(),
            price: "51000".parse().unwrap(),
            size: None,
        }],
        risk: Risk::Neutral,
        entry: None,
    }))
}

/// What [`open`] opens, and [`stop`] would close.
pub(crate) const SIZE: &str = "0.01";

/// A stop of what is open in BTC.
pub(crate) async fn stop(stage: &Stage, n: usize) -> String {
    let body = format!(
        r#"{{"account_id":"{}","market_id":"paper|BTC","type":"stop_market","side":"sell","size":{SIZE},"trigger_price":50000,"reduce_only":true,"leverage":5,"margin_mode":"cross","expected_price":1}}"#,
        account(n)
    );
    id(&stage.call(n, "POST", "/v1/orders", &body).await)
}

pub(crate) async fn open(stage: &Stage, n: usize, symbol: &str, mode: &str) -> String {
    let body = format!(
        r#"{{"account_id":"{}","market_id":"paper|{symbol}","type":"market","side":"buy","size":{SIZE},"leverage":5,"margin_mode":"{mode}","expected_price":1}}"#,
        account(n)
    );
    stage.call(n, "POST", "/v1/orders", &body).await;
    let market = format!("paper|{symbol}");
    let open = positions(stage, n).await;
    let found = open.iter().find(|row| row["market_id"] == market.as_str());
    found.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn rest(stage: &Stage, n: usize) -> String {
    let body = format!(
        r#"{{"account_id":"{}","market_id":"paper|BTC",{LIMIT}}}"#,
        account(n)
    );
    id(&stage.call(n, "POST", "/v1/orders", &body).await)
}

async fn twap(stage: &Stage, n: usize) -> String {
    let body = format!(
        r#"{{"account_id":"{}","market_id":"paper|BTC","side":"buy","size":1,"leverage":5,"margin_mode":"cross","duration_minutes":60,"expected_price":64000,"trigger_price":70000}}"#,
        account(n)
    );
    id(&stage.call(n, "POST", "/v1/twap-orders", &body).await)
}

async fn scaled(stage: &Stage, n: usize) -> String {
    let body = format!(
        r#"{{"account_id":"{}","market_id":"paper|BTC","side":"buy","size":0.1,"leverage":5,"margin_mode":"cross","start_price":50000,"end_price":45000,"rung_count":{RUNGS},"distribution":"flat"}}"#,
        account(n)
    );
    id(&stage.call(n, "POST", "/v1/scaled-orders", &body).await)
}

fn id(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}
