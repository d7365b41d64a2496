//! `PUT /v1/positions/{id}/exit-orders`: changes of the exits of a position, all of them or none (docs/engine.md 2.13).
//!
//! Everything is checked before anything changes. The orders of a batch wait for their triggers, so none of them fills in
//! between.

use std::collections::BTreeSet;

use super::exits::mode;
use crate::exchange::engine::{
    core::Engine,
    matching::{enter::Admission, validate},
    state::{
        AccountIx, ChangeExits, CommandRefusal, ExecutionType, ExitBatchStep, ExitGroup, Lots,
        NewExit, OrderId, OrderRecord, OrderStatus, PositionId, PositionState, Reason,
        exit_direction, refuse,
    },
};

/// One operation, checked.
enum PlannedChange {
    Cancel(OrderId),
    Modify(OrderRecord),
    Place(OrderRecord),
}

impl PlannedChange {
    /// The order that is there already.
    fn known(&self) -> Option<OrderId> {
        match self {
            Self::Cancel(id) => Some(*id),
            Self::Modify(row) => Some(row.id),
            Self::Place(_) => None,
        }
    }

    /// The exit that it leaves.
    fn row(&self) -> Option<&OrderRecord> {
        match self {
            Self::Cancel(_) => None,
            Self::Modify(row) | Self::Place(row) => Some(row),
        }
    }

    fn group(&self) -> Option<ExitGroup> {
        self.row().and_then(OrderRecord::exit_group)
    }
}

/// Two operations, the lower one first.
type ExitPair = (usize, usize);

impl Engine {
    pub(crate) fn change_exits(
        &mut self,
        account: AccountIx,
        change: &ChangeExits,
    ) -> Result<PositionId, CommandRefusal> {
        let held = self.open_position(account, change.position)?;
        let planned = self.planned(held, &change.operations)?;
        let pairs = self.pairs(&change.operations, &planned)?;
        self.check_allocation(held, &planned)?;
        self.check_batch_room(account, &planned)?;
        self.carry_out(planned, &pairs);
        Ok(change.position)
    }

    fn planned(
        &self,
        held: &PositionState,
        operations: &[ExitBatchStep],
    ) -> Result<Vec<PlannedChange>, CommandRefusal> {
        let mut known = BTreeSet::new();
        let mut planned = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            let change = self
                .planned_change(held, *operation)
                .map_err(|refusal| refusal.of_operation(index))?;
            if change.known().is_some_and(|id| !known.insert(id)) {
                let message = "the batch changes this order twice";
                return Err(order_refusal(message).of_operation(index));
            }
            planned.push(change);
        }
        Ok(planned)
    }

    fn planned_change(
        &self,
        held: &PositionState,
        operation: ExitBatchStep,
    ) -> Result<PlannedChange, CommandRefusal> {
        match operation {
            ExitBatchStep::Cancel(id) => {
                self.check_exit(held, id)?;
                Ok(PlannedChange::Cancel(id))
            }
            ExitBatchStep::Modify(modify) => {
                self.check_exit(held, modify.order)?;
                let row = self.modified(held.account, modify)?;
                self.check_placement(&row)?;
                Ok(PlannedChange::Modify(row))
            }
            ExitBatchStep::Place(new) => {
                let row = self.new_exit(held, new)?;
                self.check_placement(&row)?;
                Ok(PlannedChange::Place(row))
            }
        }
    }

    fn check_exit(&self, held: &PositionState, id: OrderId) -> Result<(), CommandRefusal> {
        let mut exits = self.exits(held.account, held.market, held.closing_side());
        if exits.any(|exit| exit.id == id) {
            Ok(())
        } else {
            Err(order_refusal(&format!(
                "order_id {id} is no exit of the position"
            )))
        }
    }

    fn new_exit(&self, held: &PositionState, new: NewExit) -> Result<OrderRecord, CommandRefusal> {
        let decimals = self.size_decimals(held.market);
        validate::size("size", new.size, decimals)?;
        validate::price("price", new.price, decimals)?;
        let mut row = self.closing_row(held, mode(new.group, new.execution));
        row.size = new.size;
        row.initial_size = new.size;
        row.trigger_price = Some(new.price);
        row.trigger_direction = Some(exit_direction(new.group, row.side.opposite()));
        row.limit_price = match new.execution {
            ExecutionType::Market => None,
            ExecutionType::Limit => Some(new.price),
        };
        Ok(row)
    }

    /// The pairs that the operations name: one take profit and one stop loss each, no order in two pairs.
    fn pairs(
        &self,
        operations: &[ExitBatchStep],
        planned: &[PlannedChange],
    ) -> Result<Vec<ExitPair>, CommandRefusal> {
        let canceled: BTreeSet<OrderId> = planned
            .iter()
            .filter(|change| change.row().is_none())
            .filter_map(PlannedChange::known)
            .collect();
        let mut pairs = BTreeSet::new();
        for (index, operation) in operations.iter().enumerate() {
            let ExitBatchStep::Place(NewExit {
                pair: Some(other), ..
            }) = *operation
            else {
                continue;
            };
            self.check_pair((index, other), planned, &canceled)
                .map_err(|message| pair_refusal(message).of_operation(index))?;
            pairs.insert((index.min(other), index.max(other)));
        }
        let mut paired = BTreeSet::new();
        let mut ends = pairs.iter().flat_map(|(one, other)| [*one, *other]);
        let twice = ends.find(|end| !paired.insert(*end));
        match twice {
            Some(end) => Err(pair_refusal("an order is in one pair only").of_operation(end)),
            None => Ok(pairs.into_iter().collect()),
        }
    }

    fn check_pair(
        &self,
        (index, other): ExitPair,
        planned: &[PlannedChange],
        canceled: &BTreeSet<OrderId>,
    ) -> Result<(), &'static str> {
        let group = |index: usize| planned.get(index).and_then(PlannedChange::group);
        let other_group = group(other).ok_or("no order comes of the operation that it names")?;
        if group(index) == Some(other_group) {
            return Err("a pair is one take profit and one stop loss");
        }
        let known = planned.get(other).and_then(PlannedChange::known);
        match known.and_then(|id| self.working_sibling(id)) {
            Some(sibling) if !canceled.contains(&sibling) => Err("the order is in a pair already"),
            Some(_) | None => Ok(()),
        }
    }

    /// A batch does not let the exits of a group exceed the position, or exceed it by more.
    fn check_allocation(
        &self,
        held: &PositionState,
        planned: &[PlannedChange],
    ) -> Result<(), CommandRefusal> {
        for group in [ExitGroup::Tp, ExitGroup::Sl] {
            let is_of = |row: &&OrderRecord| row.exit_group() == Some(group);
            let exits = || self.exits(held.account, held.market, held.closing_side());
            let is_changed = |row: &&OrderRecord| {
                let mut known = planned.iter().filter_map(PlannedChange::known);
                known.any(|id| id == row.id)
            };
            let before: Lots = exits().filter(is_of).map(|row| row.size).sum();
            let kept: Lots = exits()
                .filter(is_of)
                .filter(|row| !is_changed(row))
                .map(|row| row.size)
                .sum();
            let left = planned.iter().filter_map(PlannedChange::row);
            let after = kept + left.filter(is_of).map(|row| row.size).sum();
            if after > before && after > held.size.abs() {
                return refuse(
                    Reason::ExitAllocation,
                    "the exits of one group would be larger than the position",
                );
            }
        }
        Ok(())
    }

    fn check_batch_room(
        &self,
        account: AccountIx,
        planned: &[PlannedChange],
    ) -> Result<(), CommandRefusal> {
        let new = planned.iter().filter(|change| change.known().is_none());
        let gone = planned.iter().filter(|change| change.row().is_none());
        let more = new.count().saturating_sub(gone.count());
        self.check_room(account, more)
    }

    /// Cancels come first: they part pairs that later operations make anew.
    fn carry_out(&mut self, planned: Vec<PlannedChange>, pairs: &[ExitPair]) {
        for change in &planned {
            if let PlannedChange::Cancel(id) = change {
                self.finish(*id, OrderStatus::Canceled, Some(Reason::User));
            }
        }
        let mut orders = Vec::new();
        for change in planned {
            orders.push(match change {
                PlannedChange::Cancel(id) => id,
                PlannedChange::Modify(row) => {
                    let id = row.id;
                    self.put_again(row, Admission::Armed);
                    id
                }
                PlannedChange::Place(row) => {
                    let id = self.push_order(row);
                    self.arm(id);
                    id
                }
            });
        }
        for (one, other) in pairs {
            if let (Some(one), Some(other)) = (orders.get(*one), orders.get(*other)) {
                self.pair(*one, *other);
            }
        }
    }
}

fn order_refusal(message: &str) -> CommandRefusal {
    CommandRefusal::payload("order_id", Reason::NotFound, message.to_owned())
}

fn pair_refusal(message: &str) -> CommandRefusal {
    let field = "oco_pair_with_operation_index";
    CommandRefusal::payload(field, Reason::InvalidAttachedExit, message.to_owned())
}
