//! A command as bytes: what is journalled and what is sent, once.

use super::{CloseBody, Dialect, ExitsBody, MarginBody, Method, PlaceBody, Route};
use crate::model::{Command, IdempotencyKey};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A mutation ready for the wire. Every retry sends exactly these bytes with exactly this key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    /// Path and query.
    pub target: String,
    /// Absent for endpoints that are repeatable by their nature (PUT, DELETE).
    pub key: Option<IdempotencyKey>,
    /// Empty for endpoints without a body.
    pub body: Vec<u8>,
}

impl Request {
    /// Spells `command` as the service of `dialect` expects; `key` is used where the endpoint takes one.
    pub fn of(
        command: &Command,
        key: IdempotencyKey,
        dialect: &Dialect,
    ) -> Result<Self, serde_json::Error> {
        let (route, body) = match command {
            Command::Place(order) => {
                let expires = order
                    .gtd_expires_at
                    .and_then(|at| at.to_wire(dialect.timestamp_unit));
                (
                    Route::PlaceOrder,
                    json(&PlaceBody::of(order, expires), dialect)?,
                )
            }
            Command::Close(close) => (
                Route::ClosePosition(close.position_id.clone()),
                json(&CloseBody::of(close), dialect)?,
            ),
            Command::Exits(exits) => (
                Route::AttachedExits(exits.order_id.clone()),
                json(&ExitsBody::of(exits), dialect)?,
            ),
            Command::Margin { position_id, extra } => (
                Route::IsolatedMargin(position_id.clone()),
                json(
                    &MarginBody {
                        extra_margin: *extra,
                    },
                    dialect,
                )?,
            ),
            Command::Cancel(id) => (Route::CancelOrder(id.clone()), vec![]),
            Command::StopTwap(id) => (Route::StopTwap(id.clone()), vec![]),
            Command::CancelScaled(id) => (Route::CancelScaled(id.clone()), vec![]),
            Command::CloseAll(id) => (Route::CloseAll(id.clone()), vec![]),
        };
        Ok(Self {
            method: route.method(),
            target: route.target(dialect),
            key: command.is_keyed().then_some(key),
            body,
        })
    }
}

/// The body with the dialect's field names.
fn json(body: &impl Serialize, dialect: &Dialect) -> Result<Vec<u8>, serde_json::Error> {
    let bytes = serde_json::to_vec(body)?;
    let renamed: Vec<_> = dialect.renamed_fields().collect();
    if renamed.is_empty() {
        return Ok(bytes);
    }
    let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&bytes)?;
    for (ours, theirs) in renamed {
        if let Some(value) = fields.remove(ours) {
            fields.insert(theirs.to_owned(), value);
        }
    }
    serde_json::to_vec(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Exits, Leg, MarginMode, Num, PlaceKind, PlaceOrder, Side, TimeInForce};

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
            trigger: None,
            chase_offset: None,
            chase_cap_price: None,
            take_profit_price: None,
            stop_loss_price: None,
            slippage_tolerance: None,
            target_position_id: None,
        }
    }

    fn body(command: &Command, dialect: &Dialect) -> String {
        let request = Request::of(command, "k".into(), dialect).unwrap();
        String::from_utf8(request.body).unwrap()
    }

    #[test]
    fn a_limit_order_is_sent_with_every_digit_as_typed() {
        let command = Command::Place(Box::new(limit_buy()));
        assert_eq!(
            body(&command, &Dialect::default()),
            r#"{"type":"limit","account_id":"chal-1","market_id":"paper|BTC","side":"buy","size":0.10,"expected_price":64000.5,"leverage":5,"margin_mode":"cross","reduce_only":false,"time_in_force":"ioc","limit_price":60000}"#
        );
    }

    #[test]
    fn another_service_gets_its_own_field_names() {
        let dialect = Dialect {
            time_in_force_field: "tif".to_owned(),
            ..Dialect::default()
        };
        let sent = body(&Command::Place(Box::new(limit_buy())), &dialect);
        assert!(
            sent.contains(r#""tif":"ioc""#) && !sent.contains("time_in_force"),
            "{sent}"
        );
        assert!(sent.contains(r#""size":0.10"#), "{sent}");
    }

    #[test]
    fn what_is_sent_reads_back_as_the_same_order() {
        let sent = body(&Command::Place(Box::new(limit_buy())), &Dialect::default());
        let read: PlaceBody = serde_json::from_str(&sent).unwrap();
        assert_eq!(read.into_order(), Some(limit_buy()));
    }

    #[test]
    fn only_the_documented_endpoints_carry_a_key() {
        let keyed = |command: Command| {
            Request::of(&command, "k".into(), &Dialect::default())
                .unwrap()
                .key
                .is_some()
        };
        let exits = Exits {
            order_id: "o".into(),
            take_profit: Leg::Keep,
            stop_loss: Leg::Remove,
        };
        assert!(keyed(Command::Place(Box::new(limit_buy()))));
        assert!(keyed(Command::CloseAll("chal-1".into())));
        assert!(!keyed(Command::Cancel("o".into())));
        assert!(!keyed(Command::Exits(exits)));
    }
}
