//! A command as bytes, encoded once: the same bytes are journaled and sent.

use super::{ExitBatchBody, MarginBody, Method, Route};
use crate::model::{
    AccountId, ClientOrderId, ClosePosition, Command, Exits, FLATTEN, IdempotencyKey, ModifyOrder,
    PlaceOrder, TimeInForce,
};
use serde::{Serialize, de::DeserializeOwned, ser::Error as _};
use std::fmt;

/// A mutation ready for the wire. Every retry sends exactly these bytes with exactly this key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    /// Path and query.
    pub target: String,
    /// Absent for endpoints that are safe to repeat (PUT, DELETE).
    pub key: Option<IdempotencyKey>,
    /// Empty for endpoints without a body.
    pub body: Vec<u8>,
}

/// Method, path and body for a person, without the key.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.target)?;
        if self.body.is_empty() {
            return Ok(());
        }
        write!(f, " {}", String::from_utf8_lossy(&self.body))
    }
}

impl Request {
    /// A flatten in the journal. Its parts are requests with keys of their own; it is never sent itself.
    pub fn flatten(account: &AccountId) -> Self {
        Self {
            method: Method::Post,
            target: format!("{FLATTEN}{}", account.raw()),
            key: None,
            body: vec![],
        }
    }

    /// Encodes `command`; `key` is used if the endpoint takes one, and names a new order.
    pub fn encode(command: &Command, key: IdempotencyKey) -> Result<Self, serde_json::Error> {
        let (route, body) = match command {
            Command::Flatten(_) => {
                return Err(serde_json::Error::custom("a flatten is many requests"));
            }
            Command::Place(order) => {
                let order = PlaceOrder {
                    client_order_id: ClientOrderId::of(&key),
                    // The description lists ioc, fok and gtd for the body; leaving it out means gtc.
                    time_in_force: order.time_in_force.filter(|tif| *tif != TimeInForce::Gtc),
                    ..PlaceOrder::clone(order)
                };
                (Route::PlaceOrder, json(&order)?)
            }
            Command::PlaceTwap(order) => (Route::PlaceTwap, json(order)?),
            Command::PlaceScaled(order) => (Route::PlaceScaled, json(order)?),
            Command::Close(close) => {
                let close = ClosePosition {
                    client_order_id: ClientOrderId::of(&key),
                    ..close.clone()
                };
                (
                    Route::ClosePosition(close.position_id.clone()),
                    json(&close)?,
                )
            }
            Command::Exits(exits) => (Route::AttachedExits(exits.order_id.clone()), json(exits)?),
            Command::Modify(modify) => (Route::ModifyOrder(modify.order_id.clone()), json(modify)?),
            Command::ExitBatch(batch) => (
                Route::ExitOrders(batch.position_id.clone()),
                json(&ExitBatchBody::new(batch))?,
            ),
            Command::Margin {
                position_id, extra, ..
            } => {
                let extra_margin = *extra;
                let body = json(&MarginBody { extra_margin })?;
                (Route::IsolatedMargin(position_id.clone()), body)
            }
            Command::Cancel(id) | Command::Unprotect(id) => {
                (Route::CancelOrder(id.clone()), vec![])
            }
            Command::StopTwap(id) => (Route::StopTwap(id.clone()), vec![]),
            Command::CancelScaled(id) => (Route::CancelScaled(id.clone()), vec![]),
            Command::CloseAll(id) => (Route::CloseAll(id.clone()), vec![]),
            Command::CancelAll(id) => (Route::CancelAll(id.clone()), vec![]),
        };
        Ok(Self {
            method: route.method(),
            target: route.target(),
            key: command.is_keyed().then_some(key),
            body,
        })
    }

    /// The command that these bytes encode; `None` for anything that [`Self::encode`] would not have written.
    pub fn command(&self) -> Option<Command> {
        let method = self.method.to_string();
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        Some(match Route::parse(&method, path, query).ok()? {
            Route::PlaceOrder => Command::from(PlaceOrder {
                client_order_id: None,
                ..read(&self.body)?
            }),
            Route::PlaceTwap => Command::PlaceTwap(read(&self.body)?),
            Route::PlaceScaled => Command::PlaceScaled(read(&self.body)?),
            Route::ClosePosition(position_id) => Command::Close(ClosePosition {
                position_id,
                client_order_id: None,
                ..read(&self.body)?
            }),
            Route::AttachedExits(id) => {
                let Exits {
                    take_profit,
                    stop_loss,
                    ..
                } = read(&self.body)?;
                Command::Exits(Exits::unseen(id, take_profit, stop_loss))
            }
            Route::ModifyOrder(order_id) => Command::Modify(ModifyOrder {
                order_id,
                ..read(&self.body)?
            }),
            Route::ExitOrders(id) => {
                let body: ExitBatchBody = read(&self.body)?;
                Command::ExitBatch(Box::new(body.into_batch(id)?))
            }
            Route::IsolatedMargin(position_id) => Command::margin(
                position_id,
                read::<MarginBody>(&self.body)?.extra_margin,
                None,
            ),
            Route::CancelOrder(id) => Command::Cancel(id),
            Route::StopTwap(id) => Command::StopTwap(id),
            Route::CancelScaled(id) => Command::CancelScaled(id),
            Route::CloseAll(id) => Command::CloseAll(id),
            Route::CancelAll(id) => Command::CancelAll(id),
            Route::About
            | Route::Markets
            | Route::Market(_)
            | Route::Quote(..)
            | Route::Accounts
            | Route::Account(_)
            | Route::TradingPolicy(_)
            | Route::Orders(_)
            | Route::Order(_)
            | Route::Fills(_)
            | Route::Positions(_)
            | Route::Position(_)
            | Route::Twaps(_)
            | Route::Twap(_)
            | Route::ScaledOrders(_)
            | Route::Scaled(_) => return None,
        })
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

fn json(body: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        ExecutionType, ExitBatch, ExitGroup, ExitOperation, ExpectedExit, Leg, MarginMode, Num,
        PlaceKind, PlaceOrder, Risk, Side, TimeInForce,
    };

    fn limit_buy() -> PlaceOrder {
        PlaceOrder {
            account_id: "chal-1".into(),
            market_id: "paper|BTC".into(),
            kind: PlaceKind::Limit,
            side: Side::Buy,
            size: Num::new(10, 2),
            expected_price: Some(Num::new(640_005, 1)),
            leverage: Num::from(5_u32),
            margin_mode: MarginMode::Cross,
            reduce_only: false,
            time_in_force: Some(TimeInForce::Ioc),
            gtd_expires_at: None,
            limit_price: Some(Num::from(60_000_u32)),
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
        }
    }

    fn body(command: &Command) -> String {
        let request = Request::encode(command, "k".into()).unwrap();
        String::from_utf8(request.body).unwrap()
    }

    #[test]
    fn a_limit_order_is_sent_with_every_digit_as_typed() {
        let command = Command::Place(Box::new(limit_buy()));
        assert_eq!(
            body(&command),
            r#"{"type":"limit","account_id":"chal-1","market_id":"paper|BTC","side":"buy","size":0.10,"client_order_id":"k","expected_price":64000.5,"leverage":5,"margin_mode":"cross","reduce_only":false,"time_in_force":"ioc","limit_price":60000}"#
        );
    }

    #[test]
    fn what_is_sent_reads_back_as_the_same_order() {
        let sent = body(&Command::Place(Box::new(limit_buy())));
        let read: PlaceOrder = serde_json::from_str(&sent).unwrap();
        let named = PlaceOrder {
            client_order_id: Some("k".into()),
            ..limit_buy()
        };
        assert_eq!(read, named);
    }

    #[test]
    fn what_is_found_on_disk_reads_back_as_the_command_it_was() {
        let exits = crate::model::Exits::unseen("o".into(), Leg::Keep, Leg::Remove);
        let margin = Command::margin("p|1".into(), Num::new(2005, 1), None);
        let close = ClosePosition {
            size: Some(Num::new(5, 1)),
            ..ClosePosition::market("p/2".into())
        };
        let modify = ModifyOrder {
            order_id: "o".into(),
            price: Num::new(95, 0),
            size: Some(Num::ONE),
            risk: Risk::Increasing,
        };
        let batch = ExitBatch {
            position_id: "p".into(),
            expected_position_size: Num::ONE,
            expected_orders: vec![ExpectedExit {
                order_id: "o".into(),
                price: Num::new(95, 0),
                size: Num::ONE,
                execution_type: None,
            }],
            operations: vec![
                ExitOperation::Cancel {
                    order_id: "o".into(),
                },
                ExitOperation::Place {
                    group: ExitGroup::Sl,
                    execution_type: Some(ExecutionType::Market),
                    price: Num::new(96, 0),
                    size: Num::ONE,
                    oco_pair_with: Some(0),
                },
            ],
            risk: Risk::Increasing,
            entry: None,
        };
        for command in [
            Command::Place(Box::new(limit_buy())),
            Command::Close(close),
            Command::Exits(exits),
            Command::Modify(modify),
            Command::ExitBatch(Box::new(batch)),
            margin,
            Command::Cancel("o".into()),
            Command::StopTwap("t".into()),
            Command::CancelScaled("s".into()),
            Command::CloseAll("a".into()),
            Command::CancelAll("a".into()),
        ] {
            let request = Request::encode(&command, "k".into()).unwrap();
            assert_eq!(request.command(), Some(command));
        }
    }

    #[test]
    fn only_the_documented_endpoints_carry_a_key() {
        let keyed = |command: Command| Request::encode(&command, "k".into()).unwrap().key.is_some();
        let exits = crate::model::Exits::unseen("o".into(), Leg::Keep, Leg::Remove);
        assert!(keyed(Command::Place(Box::new(limit_buy()))));
        assert!(keyed(Command::CloseAll("chal-1".into())));
        assert!(!keyed(Command::Cancel("o".into())));
        assert!(!keyed(Command::Exits(exits)));
    }

    #[test]
    fn removing_keeping_and_setting_an_exit_are_three_different_bodies() {
        let body = |take_profit, stop_loss| {
            let exits = Exits::unseen("o".into(), take_profit, stop_loss);
            serde_json::to_string(&exits).unwrap()
        };
        assert_eq!(
            body(Leg::Remove, Leg::Keep),
            r#"{"take_profit_price":null}"#
        );
        assert_eq!(
            body(Leg::Keep, Leg::Set(Num::new(955, 1))),
            r#"{"stop_loss_price":95.5}"#
        );
        let read: Exits = serde_json::from_str(r#"{"take_profit_price":null}"#).unwrap();
        assert_eq!((read.take_profit, read.stop_loss), (Leg::Remove, Leg::Keep));
    }

    #[test]
    fn a_field_no_order_knows_is_refused_by_name() {
        let body = r#"{"account_id":"a","market_id":"paper|BTC","side":"buy","size":1,
            "leverage":5,"margin_mode":"cross","reduceonly":true}"#;
        let why = serde_json::from_str::<PlaceOrder>(body)
            .unwrap_err()
            .to_string();
        assert!(why.contains("unknown field `reduceonly`"), "{why}");
    }
}
