//! The close-all operations of an exchange, and their encoding for the store.

use super::{
    engine::{AccountIx, Millis, OrderId, PositionId, Reason, RuleId},
    store::{EncodeFault, StoreRecord},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(super) struct CloseAllOperations {
    pub(super) operations: Vec<CloseAllOperation>,
    /// Not yet written to the store.
    changed: BTreeSet<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CloseAllOperation {
    pub(super) account: AccountIx,
    /// Sorted by (`opened_at`, id); the results cover a prefix.
    pub(super) targets: Vec<PositionId>,
    pub(super) results: Vec<TargetResult>,
    pub(super) created_at: Millis,
    pub(super) completed_at: Option<Millis>,
    pub(super) cooldown_until: Millis,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct TargetResult {
    pub(super) position: PositionId,
    pub(super) order: Option<OrderId>,
    pub(super) failure: Option<TargetFailure>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct TargetFailure {
    pub(super) code: Reason,
    pub(super) rule: Option<RuleId>,
}

impl CloseAllOperations {
    pub(super) fn open(&mut self, operation: CloseAllOperation) -> usize {
        let index = self.operations.len();
        self.operations.push(operation);
        self.changed.insert(index);
        index
    }

    pub(super) fn change(&mut self, index: usize) -> Option<&mut CloseAllOperation> {
        self.changed.insert(index);
        self.operations.get_mut(index)
    }

    /// Operations changed since the last call, encoded for the store.
    pub(super) fn changes(&mut self) -> Result<Vec<StoreRecord>, EncodeFault> {
        let changed = std::mem::take(&mut self.changed);
        let written = changed.into_iter().filter_map(|index| {
            let record = postcard::to_stdvec(self.operations.get(index)?);
            Some(record.map(|record| StoreRecord::Operation { index, record }))
        });
        Ok(written.collect::<Result<_, _>>()?)
    }

    pub(super) fn discard_changes(&mut self) {
        self.changed.clear();
    }

    /// Loads a stored operation; call it in index order.
    pub(super) fn restore(&mut self, record: &[u8]) -> Result<(), EncodeFault> {
        self.operations.push(postcard::from_bytes(record)?);
        Ok(())
    }
}

impl CloseAllOperation {
    pub(super) fn next(&self) -> Option<PositionId> {
        self.targets.get(self.results.len()).copied()
    }
}
