//! Changes of the exits of a position, applied as a whole or not at all: `PUT /v1/positions/{id}/exit-orders`.

use super::{Risk, words};
use crate::model::{Num, Order, OrderId, Position, PositionId, Protection, TriggersOn};
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{Display, EnumString, VariantArray};

words! {
    /// Take profit or stop loss.
    ExitGroup { Tp, Sl }
    /// How an exit executes once it triggers.
    ExecutionType { Market, Limit }
}

/// Guarded by what was seen: the service refuses it with 409 once the position or its exits have moved.
#[derive(Debug, Clone, PartialEq)]
pub struct ExitBatch {
    pub position_id: PositionId,
    /// As the position's row shows it.
    pub expected_position_size: Num,
    /// Every exit of the position.
    pub expected_orders: Vec<ExpectedExit>,
    pub operations: Vec<ExitOperation>,
    /// Compared with the exits at the time of the command. Not sent.
    pub risk: Risk,
    /// The entry whose bracket places these targets. Recorded, not sent.
    pub entry: Option<OrderId>,
}

/// An exit as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedExit {
    pub order_id: OrderId,
    /// Its trigger.
    pub price: Num,
    pub size: Num,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_type: Option<ExecutionType>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExitOperation {
    Cancel {
        order_id: OrderId,
    },
    Modify {
        order_id: OrderId,
        price: Num,
        /// Absent keeps the size.
        size: Option<Num>,
    },
    Place {
        group: ExitGroup,
        execution_type: Option<ExecutionType>,
        price: Num,
        size: Num,
        /// The operation of this batch whose order it is paired with: a fill of the one retires the same size of the other.
        oco_pair_with: Option<usize>,
    },
}

impl ExitBatch {
    /// For a position and the working orders as they are known.
    pub fn of(position: &Position, working: &[Order], operations: Vec<ExitOperation>) -> Self {
        let exits = working
            .iter()
            .filter(|order| order.closes(position) && !order.is_cancel_queued());
        let guards_less = |operation: &ExitOperation| operation.guards_less(position, working);
        Self {
            position_id: position.id.clone(),
            expected_position_size: position.size,
            expected_orders: exits.filter_map(ExpectedExit::of).collect(),
            risk: if operations.iter().any(guards_less) {
                Risk::Increasing
            } else {
                Risk::Neutral
            },
            operations,
            entry: None,
        }
    }
}

impl ExitBatch {
    /// Whether it places an exit: a repetition could place another one.
    pub fn places(&self) -> bool {
        let is_placed = |operation: &ExitOperation| operation.order().is_none();
        self.operations.iter().any(is_placed)
    }
}

impl ExitGroup {
    pub fn word(self) -> &'static str {
        match self {
            Self::Tp => "take profit",
            Self::Sl => "stop loss",
        }
    }
}

impl ExitOperation {
    /// The order that it cancels or moves.
    pub fn order(&self) -> Option<&OrderId> {
        match self {
            Self::Cancel { order_id } | Self::Modify { order_id, .. } => Some(order_id),
            Self::Place { .. } => None,
        }
    }

    /// Whether more of the position can be lost afterwards.
    fn guards_less(&self, position: &Position, working: &[Order]) -> bool {
        let stop = |id: &OrderId| {
            let stops = |order: &&Order| order.protects(position) == Some(Protection::Stop);
            working.iter().filter(stops).find(|order| order.id == *id)
        };
        match self {
            Self::Cancel { order_id } => stop(order_id).is_some(),
            Self::Modify {
                order_id,
                price,
                size,
            } => stop(order_id).is_some_and(|stop| {
                let size = size.unwrap_or_else(|| stop.requested_size().abs());
                !stop.is_as_good_at(*price, size, position)
            }),
            Self::Place { .. } => false,
        }
    }
}

impl ExpectedExit {
    /// `None` for an order that waits for no trigger: it is no exit.
    pub fn of(order: &Order) -> Option<Self> {
        let order = Some(order).filter(|order| order.is_armed())?;
        Some(Self {
            order_id: order.id.clone(),
            price: order.trigger_price?,
            size: order.size.abs(),
            execution_type: ExecutionType::of(order),
        })
    }
}

impl ExecutionType {
    /// `None` if its type does not say: then it is not compared.
    pub fn of(order: &Order) -> Option<Self> {
        let kind = order.kind.known()?;
        match (kind.triggers_on(), kind.is_limit()) {
            (TriggersOn::Nothing | TriggersOn::Chosen, _) => None,
            (TriggersOn::Loss | TriggersOn::Profit, true) => Some(Self::Limit),
            (TriggersOn::Loss | TriggersOn::Profit, false) => Some(Self::Market),
        }
    }
}

impl fmt::Display for ExitBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exits of position {}: ", self.position_id)?;
        for (index, operation) in self.operations.iter().enumerate() {
            if index > 0 {
                write!(f, ", ")?;
            }
            operation.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for ExitOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sized = |f: &mut fmt::Formatter<'_>, size: Option<Num>| match size {
            Some(size) => write!(f, ", size {}", size.grouped()),
            None => Ok(()),
        };
        match self {
            Self::Cancel { order_id } => write!(f, "cancel {order_id}"),
            Self::Modify {
                order_id,
                price,
                size,
            } => {
                write!(f, "move {order_id} to {}", price.grouped())?;
                sized(f, *size)
            }
            Self::Place {
                group, price, size, ..
            } => {
                write!(f, "{} at {}", group.word(), price.grouped())?;
                sized(f, Some(*size))
            }
        }
    }
}
