//! Request bodies that are no command of the model as it stands: written by the client, parsed strictly by the exchange.

use crate::model::{
    ExecutionType, ExitBatch, ExitGroup, ExitOperation, ExpectedExit, Num, OrderId, PositionId,
    Risk,
};
use serde::{Deserialize, Serialize};

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
