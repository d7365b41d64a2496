//! Changes of the exits of a position, applied as a whole or not at all: `PUT /v1/positions/{id}/exit-orders`.

use super::{Risk, words};
use crate::model::{Num, Order, OrderId, Position, PositionId, Protection};
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
            .filter(|order| order.protects(position).is_some());
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
        }
    }
}

impl ExitOperation {
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
                let size = size.unwrap_or_else(|| stop.asked_size().abs());
                !stop.is_as_good_at(*price, size, position)
            }),
            Self::Place { .. } => false,
        }
    }
}

impl ExpectedExit {
    /// `None` for an order that is no exit: it has no trigger.
    pub fn of(order: &Order) -> Option<Self> {
        Some(Self {
            order_id: order.id.clone(),
            price: order.trigger_price?,
            size: order.size.abs(),
            execution_type: None,
        })
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
                let what = match group {
                    ExitGroup::Tp => "take profit",
                    ExitGroup::Sl => "stop loss",
                };
                write!(f, "{what} at {}", price.grouped())?;
                sized(f, Some(*size))
            }
        }
    }
}
