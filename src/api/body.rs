//! Request bodies: written by the client, parsed strictly by the exchange.

use crate::model::{
    AccountId, Bps, ClientOrderId, CloseKind, ClosePosition, ExecutionType, ExitBatch, ExitGroup,
    ExitOperation, Exits, ExpectedExit, IdempotencyKey, Leg, MarginMode, MarketId, Num, OrderId,
    PlaceKind, PlaceOrder, PositionId, Risk, Side, TimeInForce, Timestamp, Trigger,
    TriggerDirection,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `POST /v1/orders` (docs/service-api.md 4.1). The exchange decides which fields a type requires
/// (`exchange::engine`); this shape only refuses unknown fields.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of the request of that name"
)]
pub struct PlaceBody {
    /// Absent means a market order; perpdeck always sends it.
    #[serde(rename = "type", default = "market")]
    pub kind: PlaceKind,
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
    pub size: Num,
    /// Derived from the `Idempotency-Key`, so that one read by it settles a lost answer.
    pub client_order_id: Option<ClientOrderId>,
    pub expected_price: Option<Num>,
    pub leverage: Num,
    pub margin_mode: MarginMode,
    #[serde(default)]
    pub reduce_only: bool,
    pub time_in_force: Option<TimeInForce>,
    pub gtd_expires_at: Option<Timestamp>,
    pub limit_price: Option<Num>,
    pub trigger_price: Option<Num>,
    pub trigger_market_id: Option<MarketId>,
    pub trigger_direction: Option<TriggerDirection>,
    pub chase_offset: Option<Num>,
    pub chase_cap_price: Option<Num>,
    pub take_profit_price: Option<Num>,
    pub stop_loss_price: Option<Num>,
    pub slippage_tolerance_bps: Option<Bps>,
    pub target_position_id: Option<PositionId>,
    /// A limit that crosses the market and would fill at once is meant.
    #[serde(default, skip_serializing_if = "is_false")]
    pub marketable_limit_acknowledged: bool,
    /// Exits of the position that overlap the attached ones are replaced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub replace_overlapping_exits: bool,
}

fn market() -> PlaceKind {
    PlaceKind::Market
}

impl PlaceBody {
    pub(super) fn new(order: &PlaceOrder, key: &IdempotencyKey) -> Self {
        let trigger = order.trigger.as_ref();
        Self {
            kind: order.kind,
            account_id: order.account_id.clone(),
            market_id: order.market_id.clone(),
            side: order.side,
            size: order.size,
            client_order_id: ClientOrderId::of(key),
            expected_price: order.expected_price,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduce_only,
            // The description lists ioc, fok and gtd for the body; leaving it out means gtc.
            time_in_force: order.time_in_force.filter(|tif| *tif != TimeInForce::Gtc),
            gtd_expires_at: order.gtd_expires_at,
            limit_price: order.limit_price,
            trigger_price: trigger.map(|t| t.price),
            trigger_market_id: trigger.and_then(|t| t.market_id.clone()),
            trigger_direction: trigger.and_then(|t| t.direction),
            chase_offset: order.chase_offset,
            chase_cap_price: order.chase_cap_price,
            take_profit_price: order.take_profit_price,
            stop_loss_price: order.stop_loss_price,
            slippage_tolerance_bps: order.slippage_tolerance,
            target_position_id: order.target_position_id.clone(),
            marketable_limit_acknowledged: order.marketable_limit_acknowledged,
            replace_overlapping_exits: order.replace_overlapping_exits,
        }
    }

    pub fn into_order(self) -> PlaceOrder {
        PlaceOrder {
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
            gtd_expires_at: self.gtd_expires_at,
            limit_price: self.limit_price,
            trigger: trigger(
                self.trigger_price,
                self.trigger_market_id,
                self.trigger_direction,
            ),
            chase_offset: self.chase_offset,
            chase_cap_price: self.chase_cap_price,
            take_profit_price: self.take_profit_price,
            stop_loss_price: self.stop_loss_price,
            slippage_tolerance: self.slippage_tolerance_bps,
            target_position_id: self.target_position_id,
            marketable_limit_acknowledged: self.marketable_limit_acknowledged,
            replace_overlapping_exits: self.replace_overlapping_exits,
        }
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
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloseBody {
    #[serde(rename = "type")]
    pub kind: CloseKind,
    pub client_order_id: Option<ClientOrderId>,
    pub size: Option<Num>,
    pub expected_price: Option<Num>,
    pub slippage_tolerance_bps: Option<Bps>,
    pub limit_price: Option<Num>,
    pub trigger_price: Option<Num>,
    pub trigger_market_id: Option<MarketId>,
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
    pub(super) fn new(close: &ClosePosition, key: &IdempotencyKey) -> Self {
        let trigger = close.trigger.as_ref();
        Self {
            kind: close.kind,
            client_order_id: ClientOrderId::of(key),
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

/// `PUT /v1/positions/{position_id}/exit-orders`: applied as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitBatchBody {
    pub expected_position_size: Num,
    pub expected_orders: Vec<ExpectedExit>,
    pub operations: Vec<ExitOperationBody>,
}

/// One operation, as flat as the service takes it: which fields it needs depends on `kind`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitOperationBody {
    pub kind: ExitOperationKind,
    pub order_id: Option<OrderId>,
    pub group: Option<ExitGroup>,
    pub execution_type: Option<ExecutionType>,
    pub price: Option<Num>,
    pub size: Option<Num>,
    pub oco_pair_with_operation_index: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitOperationKind {
    #[default]
    Cancel,
    Modify,
    Place,
}

impl ExitBatchBody {
    pub(super) fn new(batch: &ExitBatch) -> Self {
        Self {
            expected_position_size: batch.expected_position_size,
            expected_orders: batch.expected_orders.clone(),
            operations: batch.operations.iter().map(Into::into).collect(),
        }
    }

    /// `None` if an operation has fields that its kind does not take, or lacks one.
    pub fn into_batch(self, position_id: PositionId) -> Option<ExitBatch> {
        let operations: Option<_> = self
            .operations
            .into_iter()
            .map(|operation| operation.into_operation().ok())
            .collect();
        Some(ExitBatch {
            position_id,
            expected_position_size: self.expected_position_size,
            expected_orders: self.expected_orders,
            operations: operations?,
            // It may move a stop away from the entry.
            risk: Risk::Increasing,
            entry: None,
        })
    }
}

impl ExitOperationBody {
    /// # Errors
    /// The field that is missing, or that its kind does not take.
    pub fn into_operation(self) -> Result<ExitOperation, &'static str> {
        let given = [
            ("order_id", self.order_id.is_some()),
            ("group", self.group.is_some()),
            ("execution_type", self.execution_type.is_some()),
            ("price", self.price.is_some()),
            ("size", self.size.is_some()),
            (
                "oco_pair_with_operation_index",
                self.oco_pair_with_operation_index.is_some(),
            ),
        ];
        let takes: &[&str] = match self.kind {
            ExitOperationKind::Cancel => &["order_id"],
            ExitOperationKind::Modify => &["order_id", "price", "size"],
            ExitOperationKind::Place => &[
                "group",
                "execution_type",
                "price",
                "size",
                "oco_pair_with_operation_index",
            ],
        };
        if let Some((field, _)) = given
            .iter()
            .find(|(field, is)| *is && !takes.contains(field))
        {
            return Err(*field);
        }
        let order_id = self.order_id.ok_or("order_id");
        Ok(match self.kind {
            ExitOperationKind::Cancel => ExitOperation::Cancel {
                order_id: order_id?,
            },
            ExitOperationKind::Modify => ExitOperation::Modify {
                order_id: order_id?,
                price: self.price.ok_or("price")?,
                size: self.size,
            },
            ExitOperationKind::Place => ExitOperation::Place {
                group: self.group.ok_or("group")?,
                execution_type: self.execution_type,
                price: self.price.ok_or("price")?,
                size: self.size.ok_or("size")?,
                oco_pair_with: self.oco_pair_with_operation_index,
            },
        })
    }
}

impl From<&ExitOperation> for ExitOperationBody {
    fn from(operation: &ExitOperation) -> Self {
        match operation {
            ExitOperation::Cancel { order_id } => Self {
                kind: ExitOperationKind::Cancel,
                order_id: Some(order_id.clone()),
                ..Self::default()
            },
            ExitOperation::Modify {
                order_id,
                price,
                size,
            } => Self {
                kind: ExitOperationKind::Modify,
                order_id: Some(order_id.clone()),
                price: Some(*price),
                size: *size,
                ..Self::default()
            },
            ExitOperation::Place {
                group,
                execution_type,
                price,
                size,
                oco_pair_with,
            } => Self {
                kind: ExitOperationKind::Place,
                group: Some(*group),
                execution_type: *execution_type,
                price: Some(*price),
                size: Some(*size),
                oco_pair_with_operation_index: *oco_pair_with,
                ..Self::default()
            },
        }
    }
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
