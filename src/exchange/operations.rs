//! The operations that go on from request to request, close-all and cancel-all, and their encoding for the store.

use super::{
    engine::{AccountIx, Millis, OrderId, PositionId, Reason},
    store::{Blob, EncodeFault, StoreRecord},
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(super) struct SlicedOperations {
    operations: BTreeMap<usize, KeptOperation>,
    /// Not yet written to the store; without an operation: dropped.
    changed: BTreeSet<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptOperation {
    pub(super) account: AccountIx,
    pub(super) progress: OperationProgress,
    pub(super) created_at: Millis,
    pub(super) completed_at: Option<Millis>,
    pub(super) cooldown_until: Millis,
}

/// What an operation has done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum OperationProgress {
    CloseAll(Targets<PositionId, CloseOutcome>),
    CancelAll(Targets<OrderId, CancelOutcome>),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Targets<Target, Outcome> {
    /// The snapshot, oldest first; the results are of the first of them.
    pub(super) targets: Vec<Target>,
    pub(super) results: Vec<Outcome>,
}

impl<Target: Copy, Outcome> Targets<Target, Outcome> {
    pub(super) fn new(targets: Vec<Target>) -> Self {
        let results = vec![];
        Self { targets, results }
    }

    pub(super) fn next(&self) -> Option<Target> {
        self.targets.get(self.results.len()).copied()
    }

    /// A row for each target of which something became.
    pub(super) fn rows<Row>(&self, row: impl FnMut((Target, &Outcome)) -> Row) -> Vec<Row> {
        let targets = self.targets.iter().copied();
        targets.zip(&self.results).map(row).collect()
    }
}

/// What became of a position.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct CloseOutcome {
    pub(super) order: Option<OrderId>,
    pub(super) failure: Option<Reason>,
}

/// What became of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CancelOutcome {
    Canceled,
    /// It waited for its trigger: the next step cancels it.
    Queued,
    Failed(Reason),
}

impl SlicedOperations {
    pub(super) fn open(&mut self, operation: KeptOperation) -> usize {
        let index = self.next();
        self.operations.insert(index, operation);
        self.changed.insert(index);
        index
    }

    fn next(&self) -> usize {
        let last = self.operations.last_key_value();
        last.map_or(0, |(last, _)| last + 1)
    }

    pub(super) fn get(&self, index: usize) -> Option<&KeptOperation> {
        self.operations.get(&index)
    }

    /// Drops what was completed before that instant. The newest operation stays, so that no number is given twice.
    pub(super) fn drop_completed(&mut self, before: Millis) {
        let newest = self.operations.last_key_value().map(|(index, _)| *index);
        let changed = &mut self.changed;
        self.operations.retain(|index, operation| {
            let is_over = operation.completed_at.is_some_and(|at| at < before);
            let is_kept = !is_over || Some(*index) == newest;
            if !is_kept {
                changed.insert(*index);
            }
            is_kept
        });
    }

    pub(super) fn change(&mut self, index: usize) -> Option<&mut KeptOperation> {
        let operation = self.operations.get_mut(&index)?;
        self.changed.insert(index);
        Some(operation)
    }

    /// Operations changed since the last call, encoded for the store.
    pub(super) fn changes(&mut self) -> Result<Vec<StoreRecord>, EncodeFault> {
        let changed = std::mem::take(&mut self.changed);
        let written = changed.into_iter().map(|index| {
            let Some(operation) = self.get(index) else {
                return Ok(StoreRecord::OperationDropped { index });
            };
            let record = Blob(postcard::to_stdvec(operation)?);
            Ok(StoreRecord::Operation { index, record })
        });
        written.collect()
    }

    pub(super) fn discard_changes(&mut self) {
        self.changed.clear();
    }

    /// Loads a stored operation.
    pub(super) fn restore(&mut self, index: usize, record: &[u8]) -> Result<(), EncodeFault> {
        let operation = postcard::from_bytes(record)?;
        self.operations.insert(index, operation);
        Ok(())
    }
}
