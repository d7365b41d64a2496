//! Request bodies: written by the client, parsed strictly by the exchange.

use crate::model::{
    AccountId, Bps, CloseKind, ClosePosition, Exits, Leg, MarginMode, MarketId, Num, OrderId,
    PlaceKind, PlaceOrder, PositionId, Side, TimeInForce, Timestamp, Trigger, TriggerDirection,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `POST /v1/orders`. The description does not show which fields a type requires, so the exchange decides
/// (`exchange::engine`); this shape only refuses unknown fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceBody {
    /// Absent means a market order; perpdeck always sends it.
    #[serde(rename = "type", default = "market")]
    pub kind: PlaceKind,
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
    pub size: Num,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_price: Option<Num>,
    pub leverage: Num,
    pub margin_mode: MarginMode,
    #[serde(default)]
    pub reduce_only: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_in_force: Option<TimeInForce>,
    /// A plain number; its unit is the dialect's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gtd_expires_at: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_market_id: Option<MarketId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_direction: Option<TriggerDirection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chase_offset: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chase_cap_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_take_profit_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_stop_loss_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slippage_tolerance_bps: Option<Bps>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_position_id: Option<PositionId>,
}

fn market() -> PlaceKind {
    PlaceKind::Market
}

impl PlaceBody {
    /// `expires` is the order's expiry in the service's unit.
    pub(super) fn new(order: &PlaceOrder, expires: Option<Num>) -> Self {
        let trigger = order.trigger.as_ref();
        Self {
            kind: order.kind,
            account_id: order.account_id.clone(),
            market_id: order.market_id.clone(),
            side: order.side,
            size: order.size,
            expected_price: order.expected_price,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduce_only,
            // The description lists ioc, fok and gtd for the body; leaving it out means gtc.
            time_in_force: order.time_in_force.filter(|tif| *tif != TimeInForce::Gtc),
            gtd_expires_at: expires,
            limit_price: order.limit_price,
            trigger_price: trigger.map(|t| t.price),
            trigger_market_id: trigger.and_then(|t| t.market_id.clone()),
            trigger_direction: trigger.and_then(|t| t.direction),
            chase_offset: order.chase_offset,
            chase_cap_price: order.chase_cap_price,
            attached_take_profit_price: order.take_profit_price,
            attached_stop_loss_price: order.stop_loss_price,
            slippage_tolerance_bps: order.slippage_tolerance,
            target_position_id: order.target_position_id.clone(),
        }
    }

    /// The order that the body describes; `None` if its expiry is no valid instant.
    pub fn into_order(self) -> Option<PlaceOrder> {
        let gtd_expires_at = match self.gtd_expires_at {
            Some(number) => Some(Timestamp::from_wire(number)?),
            None => None,
        };
        Some(PlaceOrder {
            account_id: self.account_id,
            market_id: self.market_id,
            kind: self.kind,
            side: self.side,
            size: self.size,
            expected_price: self.expected_price,
            leverage: self.leverage,
            margin_mode: self.margin_mode,
            reduce_only: self.reduce_only,
            time_in_force: self.time_in_force,
            gtd_expires_at,
            limit_price: self.limit_price,
            trigger: trigger(
                self.trigger_price,
                self.trigger_market_id,
                self.trigger_direction,
            ),
            chase_offset: self.chase_offset,
            chase_cap_price: self.chase_cap_price,
            take_profit_price: self.attached_take_profit_price,
            stop_loss_price: self.attached_stop_loss_price,
            slippage_tolerance: self.slippage_tolerance_bps,
            target_position_id: self.target_position_id,
        })
    }
}

fn trigger(
    price: Option<Num>,
    market_id: Option<MarketId>,
    direction: Option<TriggerDirection>,
) -> Option<Trigger> {
    price.map(|price| Trigger {
        price,
        market_id,
        direction,
    })
}

/// `POST /v1/positions/{position_id}/close`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloseBody {
    #[serde(rename = "type")]
    pub kind: CloseKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slippage_tolerance_bps: Option<Bps>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_market_id: Option<MarketId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_direction: Option<TriggerDirection>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub marketable_limit_acknowledged: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_false(value: &bool) -> bool {
    !value
}

impl CloseBody {
    pub(super) fn new(close: &ClosePosition) -> Self {
        let trigger = close.trigger.as_ref();
        Self {
            kind: close.kind,
            size: close.size,
            expected_price: close.expected_price,
            slippage_tolerance_bps: close.slippage_tolerance,
            limit_price: close.limit_price,
            trigger_price: trigger.map(|t| t.price),
            trigger_market_id: trigger.and_then(|t| t.market_id.clone()),
            trigger_direction: trigger.and_then(|t| t.direction),
            marketable_limit_acknowledged: close.marketable_limit_acknowledged,
        }
    }

    pub fn into_close(self, position_id: PositionId) -> ClosePosition {
        ClosePosition {
            position_id,
            held: None,
            kind: self.kind,
            size: self.size,
            expected_price: self.expected_price,
            slippage_tolerance: self.slippage_tolerance_bps,
            limit_price: self.limit_price,
            trigger: trigger(
                self.trigger_price,
                self.trigger_market_id,
                self.trigger_direction,
            ),
            marketable_limit_acknowledged: self.marketable_limit_acknowledged,
        }
    }
}

/// `PUT /v1/orders/{order_id}/attached-exits`: a number sets a leg, null removes it, absence keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitsBody {
    #[serde(default = "keep", with = "leg", skip_serializing_if = "is_kept")]
    pub take_profit_price: Leg,
    #[serde(default = "keep", with = "leg", skip_serializing_if = "is_kept")]
    pub stop_loss_price: Leg,
}

fn keep() -> Leg {
    Leg::Keep
}

fn is_kept(leg: &Leg) -> bool {
    *leg == Leg::Keep
}

impl ExitsBody {
    pub(super) fn new(exits: &Exits) -> Self {
        Self {
            take_profit_price: exits.take_profit,
            stop_loss_price: exits.stop_loss,
        }
    }

    pub fn into_exits(self, order_id: OrderId) -> Exits {
        Exits::unseen(order_id, self.take_profit_price, self.stop_loss_price)
    }
}

/// A leg that is present: null or a number.
mod leg {
    use super::{Deserialize, Deserializer, Leg, Num, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(leg: &Leg, serializer: S) -> Result<S::Ok, S::Error> {
        match leg {
            Leg::Keep | Leg::Remove => serializer.serialize_none(),
            Leg::Set(price) => price.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Leg, D::Error> {
        Ok(Option::<Num>::deserialize(deserializer)?.map_or(Leg::Remove, Leg::Set))
    }
}

/// `PUT /v1/positions/{position_id}/isolated-margin`: the wanted total, USD.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarginBody {
    pub extra_margin: Num,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_keeping_and_setting_an_exit_are_three_different_bodies() {
        let body = |take_profit_price, stop_loss_price| {
            serde_json::to_string(&ExitsBody {
                take_profit_price,
                stop_loss_price,
            })
            .unwrap()
        };
        assert_eq!(
            body(Leg::Remove, Leg::Keep),
            r#"{"take_profit_price":null}"#
        );
        assert_eq!(
            body(Leg::Keep, Leg::Set(Num::new(955, 1))),
            r#"{"stop_loss_price":95.5}"#
        );
        let read: ExitsBody = serde_json::from_str(r#"{"take_profit_price":null}"#).unwrap();
        assert_eq!(
            (read.take_profit_price, read.stop_loss_price),
            (Leg::Remove, Leg::Keep)
        );
    }

    #[test]
    fn a_field_no_order_knows_is_refused_by_name() {
        let body = r#"{"account_id":"a","market_id":"paper|BTC","side":"buy","size":1,
            "leverage":5,"margin_mode":"cross","reduceonly":true}"#;
        let why = serde_json::from_str::<PlaceBody>(body)
            .unwrap_err()
            .to_string();
        assert!(why.contains("unknown field `reduceonly`"), "{why}");
    }
}
