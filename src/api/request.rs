//! A command as bytes, encoded once: the same bytes are journaled and sent.

use super::{CloseBody, Creation, Dialect, ExitsBody, MarginBody, Method, PlaceBody, Route};
use crate::model::{AccountId, Command, Exits, FLATTEN, IdempotencyKey, PlaceOrder, Timestamp};
use serde::{Serialize, de::DeserializeOwned, ser::Error as _};
use serde_json::value::RawValue;
use std::{collections::BTreeMap, fmt};

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

    /// Encodes `command` for the dialect; `key` is used if the endpoint takes one.
    pub fn encode(
        command: &Command,
        key: IdempotencyKey,
        dialect: &Dialect,
    ) -> Result<Self, serde_json::Error> {
        let (route, body) = match command {
            Command::PlaceTwap(order) => {
                let body = json(order, dialect)?;
                return created(&dialect.twap_creation, key, body);
            }
            Command::PlaceScaled(order) => {
                let body = json(order, dialect)?;
                return created(&dialect.scaled_creation, key, body);
            }
            Command::Flatten(_) => {
                return Err(serde_json::Error::custom("a flatten is many requests"));
            }
            Command::Place(order) => (Route::PlaceOrder, placement(order, dialect)?),
            Command::Close(close) => (
                Route::ClosePosition(close.position_id.clone()),
                json(&CloseBody::new(close), dialect)?,
            ),
            Command::Exits(exits) => (
                Route::AttachedExits(exits.order_id.clone()),
                json(&ExitsBody::new(exits), dialect)?,
            ),
            Command::Margin {
                position_id, extra, ..
            } => {
                let extra_margin = *extra;
                let body = json(&MarginBody { extra_margin }, dialect)?;
                (Route::IsolatedMargin(position_id.clone()), body)
            }
            Command::Cancel(id) | Command::Unprotect(id) => {
                (Route::CancelOrder(id.clone()), vec![])
            }
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

    /// The TWAP or scaled order that these bytes create.
    fn creation(&self, dialect: &Dialect) -> Option<Command> {
        let is_at = |creation: &Creation| {
            self.method == Method::Post && creation.path() == Some(&self.target)
        };
        if is_at(&dialect.twap_creation) {
            return read(&self.body, dialect).map(Command::PlaceTwap);
        }
        if is_at(&dialect.scaled_creation) {
            return read(&self.body, dialect).map(Command::PlaceScaled);
        }
        None
    }

    /// The command that these bytes encode; `None` for anything that [`Self::encode`] would not have written under the same
    /// dialect.
    pub fn command(&self, dialect: &Dialect) -> Option<Command> {
        if let Some(command) = self.creation(dialect) {
            return Some(command);
        }
        let method = self.method.to_string();
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        Some(match Route::parse(&method, path, query, dialect).ok()? {
            Route::PlaceOrder => {
                let body: PlaceBody = read(&self.body, dialect)?;
                Command::Place(Box::new(body.into_order()?))
            }
            Route::ClosePosition(id) => {
                let body: CloseBody = read(&self.body, dialect)?;
                Command::Close(body.into_close(id))
            }
            Route::AttachedExits(order_id) => {
                let body: ExitsBody = read(&self.body, dialect)?;
                Command::Exits(Exits::unseen(
                    order_id,
                    body.take_profit_price,
                    body.stop_loss_price,
                ))
            }
            Route::IsolatedMargin(position_id) => Command::margin(
                position_id,
                read::<MarginBody>(&self.body, dialect)?.extra_margin,
                None,
            ),
            Route::CancelOrder(id) => Command::Cancel(id),
            Route::StopTwap(id) => Command::StopTwap(id),
            Route::CancelScaled(id) => Command::CancelScaled(id),
            Route::CloseAll(id) => Command::CloseAll(id),
            Route::Orders(_) | Route::Positions(_) | Route::Twaps(_) | Route::Scaled(_) => {
                return None;
            }
        })
    }
}

/// The body of a placement. Without its expiry the order would rest for ever.
fn placement(order: &PlaceOrder, dialect: &Dialect) -> Result<Vec<u8>, serde_json::Error> {
    let wire = |at: Timestamp| {
        let expires = at.to_wire(dialect.timestamp_unit);
        expires.ok_or_else(|| serde_json::Error::custom("gtd_expires_at cannot be written"))
    };
    let expires = order.gtd_expires_at.map(wire).transpose()?;
    json(&PlaceBody::new(order, expires), dialect)
}

/// A creation, if the service offers one.
fn created(
    at: &Creation,
    key: IdempotencyKey,
    body: Vec<u8>,
) -> Result<Request, serde_json::Error> {
    let none = || serde_json::Error::custom("this service cannot create them");
    Ok(Request {
        method: Method::Post,
        target: at.path().ok_or_else(none)?.to_owned(),
        key: Some(key),
        body,
    })
}

/// Parses a body after renaming its fields to ours.
fn read<T: DeserializeOwned>(body: &[u8], dialect: &Dialect) -> Option<T> {
    let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(body).ok()?;
    for (ours, theirs) in dialect.renamed_fields() {
        if let Some(value) = fields.remove(theirs) {
            fields.insert(ours.to_owned(), value);
        }
    }
    serde_json::from_slice(&serde_json::to_vec(&fields).ok()?).ok()
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
    use crate::model::{Leg, MarginMode, Num, PlaceKind, PlaceOrder, Side, TimeInForce};

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
        let request = Request::encode(command, "k".into(), dialect).unwrap();
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
    fn what_is_found_on_disk_reads_back_as_the_command_it_was() {
        let exits = Exits::unseen("o".into(), Leg::Keep, Leg::Remove);
        let margin = Command::margin("p|1".into(), Num::new(2005, 1), None);
        let close = crate::model::ClosePosition {
            position_id: "p/2".into(),
            held: None,
            kind: crate::model::CloseKind::Market,
            size: Some(Num::new(5, 1)),
            expected_price: None,
            slippage_tolerance: None,
            limit_price: None,
            trigger: None,
            marketable_limit_acknowledged: false,
        };
        let renamed = Dialect {
            time_in_force_field: "tif".to_owned(),
            ..Dialect::default()
        };
        for dialect in [Dialect::default(), renamed] {
            for command in [
                Command::Place(Box::new(limit_buy())),
                Command::Close(close.clone()),
                Command::Exits(exits.clone()),
                margin.clone(),
                Command::Cancel("o".into()),
                Command::StopTwap("t".into()),
                Command::CancelScaled("s".into()),
                Command::CloseAll("a".into()),
            ] {
                let request = Request::encode(&command, "k".into(), &dialect).unwrap();
                assert_eq!(request.command(&dialect), Some(command));
            }
        }
    }

    #[test]
    fn only_the_documented_endpoints_carry_a_key() {
        let keyed = |command: Command| {
            Request::encode(&command, "k".into(), &Dialect::default())
                .unwrap()
                .key
                .is_some()
        };
        let exits = Exits::unseen("o".into(), Leg::Keep, Leg::Remove);
        assert!(keyed(Command::Place(Box::new(limit_buy()))));
        assert!(keyed(Command::CloseAll("chal-1".into())));
        assert!(!keyed(Command::Cancel("o".into())));
        assert!(!keyed(Command::Exits(exits)));
    }
}
