//! Changes of the exits of a position, applied as a whole or not at all: `PUT /v1/positions/{id}/exit-orders`.

use super::{Risk, words};
use crate::model::{Num, Order, OrderId, PositionId};
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
