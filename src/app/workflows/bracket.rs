//! An entry whose bracket has several targets: the service takes its stop with it, and one batch of exits places the
//! targets once it has filled (`docs/delivery.md 3.7`).
//!
//! Contract: nothing is placed while a part of the entry works, and the sizes are shares of what has filled. The batch says
//! what lists show that were requested after the fill; where that has changed it is sent once more. The desk keeps what is not
//! placed yet: after a crash the entry has its stop, and the next session says which targets are missing.

use super::{Known, LOOK_AGAIN, WorkflowEnd, WorkflowEvent, WorkflowWish, refusal, stop};
use crate::{
    app::account::trades::OpenBracket,
    model::{
        Command, ExitBatch, ExitGroup, ExitOperation, Failure, FailureKind, MarketId, Num, Order,
        OrderId, OrderStatus, PlaceOrder, Position, Progress, Receipt, Timestamp,
        draft::LaterTarget,
    },
};
use std::time::Duration;

/// How long reads may take to show the order, or its position.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq)]
pub struct BracketRun {
    /// The command that begins it; `None` where an earlier session has sent it.
    entry: Option<Box<PlaceOrder>>,
    open: OpenBracket,
    stage: BracketStage,
}

#[derive(Debug, Clone, PartialEq)]
enum BracketStage {
    /// The entry has no response.
    Entering,
    /// It works. No list shows it any more since `missing`.
    Working {
        id: OrderId,
        missing: Option<Timestamp>,
        look_at: Timestamp,
    },
    /// This much has filled; only lists requested after `since` show its position.
    Filled {
        size: Num,
        since: Timestamp,
        look_at: Timestamp,
        next: Attempt,
    },
    Placing(Num, Attempt),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Second,
}

impl BracketRun {
    pub(crate) fn new(order: Box<PlaceOrder>, targets: Vec<LaterTarget>) -> Self {
        let open = OpenBracket {
            order: None,
            market: order.market_id.clone(),
            side: order.side,
            targets,
        };
        Self {
            entry: Some(order),
            open,
            stage: BracketStage::Entering,
        }
    }

    /// Goes on with what was left when only the entry `id` had been sent.
    pub(crate) fn resumed(open: OpenBracket, id: OrderId, now: Timestamp) -> Self {
        Self {
            entry: None,
            open,
            stage: BracketStage::Working {
                id,
                missing: None,
                look_at: now,
            },
        }
    }

    pub(crate) fn market(&self) -> &MarketId {
        &self.open.market
    }

    /// What is not placed yet.
    pub(crate) fn open(&self) -> &OpenBracket {
        &self.open
    }

    pub(super) fn first(&self) -> Result<Command, String> {
        let entry = self.entry.clone().map(Command::Place);
        entry.ok_or_else(|| "its entry was sent before".to_owned())
    }

    pub(super) fn look_at(&self) -> Option<Timestamp> {
        match &self.stage {
            BracketStage::Working {
                missing: Some(_),
                look_at,
                ..
            }
            | BracketStage::Filled { look_at, .. } => Some(*look_at),
            BracketStage::Entering | BracketStage::Working { .. } | BracketStage::Placing(..) => {
                None
            }
        }
    }

    pub(super) fn tell(&mut self, known: Known, event: WorkflowEvent) -> Vec<WorkflowWish> {
        match event {
            WorkflowEvent::Settled(result) | WorkflowEvent::SettledLate(result) => {
                match self.stage {
                    BracketStage::Placing(size, attempt) => {
                        self.placed(known, (size, attempt), result)
                    }
                    BracketStage::Entering
                    | BracketStage::Working { .. }
                    | BracketStage::Filled { .. } => self.entered(known, result),
                }
            }
            WorkflowEvent::Found(asked, found) => self.found(known, asked, found),
            WorkflowEvent::Refused(why) => self.without(known, why),
            WorkflowEvent::Sent(command) if command.ends_everything() => {
                self.without(known, &format!("{command} was requested"))
            }
            WorkflowEvent::Progressed(Progress::Parked { .. })
                if matches!(self.stage, BracketStage::Placing(..)) =>
            {
                vec![WorkflowWish::End(WorkflowEnd::Answered)]
            }
            WorkflowEvent::Passed => self.proceed(known),
            WorkflowEvent::Sent(_)
            | WorkflowEvent::Progressed(_)
            | WorkflowEvent::Mismatched
            | WorkflowEvent::Continues
            | WorkflowEvent::OperationEnded(_)
            | WorkflowEvent::CancelEnded(..)
            | WorkflowEvent::Stopped(_) => vec![],
        }
    }

    fn without(&self, known: Known, why: &str) -> Vec<WorkflowWish> {
        let symbol = known.store.names.shown(&self.open.market);
        let words = format!("the targets of {symbol} are not placed: {}", why.trim());
        stop(words, WorkflowEnd::Half)
    }

    fn entered(&mut self, known: Known, result: &Result<Receipt, Failure>) -> Vec<WorkflowWish> {
        if refusal(result).is_some() {
            return vec![WorkflowWish::End(WorkflowEnd::Answered)];
        }
        match result {
            Ok(Receipt::Order { order, .. }) => self.take(known, order),
            Ok(_) | Err(_) => self.without(known, "the service did not tell the order"),
        }
    }

    /// The row of the entry.
    fn take(&mut self, known: Known, order: &Order) -> Vec<WorkflowWish> {
        self.open.order = Some(order.id.clone());
        if order.is_working() {
            self.stage = BracketStage::Working {
                id: order.id.clone(),
                missing: None,
                look_at: known.now,
            };
            return vec![];
        }
        let filled = match order.filled_size {
            Some(filled) => filled.abs(),
            None if order.status.is(&OrderStatus::Filled) => order.size.abs(),
            None => return self.without(known, "how much of the order filled is not known"),
        };
        if !filled.is_positive() {
            return vec![WorkflowWish::End(WorkflowEnd::Answered)];
        }
        self.read(known, filled, Attempt::First)
    }

    fn read(&mut self, known: Known, size: Num, next: Attempt) -> Vec<WorkflowWish> {
        self.stage = BracketStage::Filled {
            size,
            since: known.now,
            look_at: known.now,
            next,
        };
        self.proceed(known)
    }

    fn found(&mut self, known: Known, asked: &[OrderId], found: &[Order]) -> Vec<WorkflowWish> {
        let BracketStage::Working { id, .. } = &self.stage else {
            return vec![];
        };
        let row = found.iter().find(|order| order.id == *id);
        match row.filter(|_| asked.contains(id)) {
            Some(order) => self.take(known, order),
            None => vec![],
        }
    }

    fn proceed(&mut self, known: Known) -> Vec<WorkflowWish> {
        match &self.stage {
            BracketStage::Entering | BracketStage::Placing(..) => vec![],
            BracketStage::Working { id, .. } => {
                let row = known.store.order(id).cloned();
                match row {
                    Some(order) => self.take(known, &order),
                    None => self.look_for(known),
                }
            }
            BracketStage::Filled { size, next, .. } => {
                let (size, next) = (*size, *next);
                self.place(known, size, next)
            }
        }
    }

    /// No list shows the entry: it has ended.
    fn look_for(&mut self, known: Known) -> Vec<WorkflowWish> {
        let BracketStage::Working {
            id,
            missing,
            look_at,
        } = &mut self.stage
        else {
            return vec![];
        };
        let since = *missing.get_or_insert(known.now);
        if known.now.since(since) > READ_TIMEOUT {
            let why = format!("{id} was not found");
            return self.without(known, &why);
        }
        if *look_at > known.now {
            return vec![];
        }
        *look_at = known.now.plus(LOOK_AGAIN);
        vec![WorkflowWish::Find(id.clone())]
    }

    fn place(&mut self, known: Known, filled: Num, attempt: Attempt) -> Vec<WorkflowWish> {
        let BracketStage::Filled { since, look_at, .. } = &mut self.stage else {
            return vec![];
        };
        let (open, working) = (&known.store.positions, &known.store.orders);
        if open.at() > Some(*since) && working.at() > Some(*since) {
            return match self.batch(known, filled) {
                Ok(command) => {
                    self.stage = BracketStage::Placing(filled, attempt);
                    vec![WorkflowWish::Send(command)]
                }
                Err(why) => self.without(known, &why),
            };
        }
        if known.now.since(*since) > READ_TIMEOUT {
            return self.without(known, "positions and orders were not read within 10 s");
        }
        if *look_at > known.now {
            return vec![];
        }
        *look_at = known.now.plus(LOOK_AGAIN);
        vec![WorkflowWish::ReadLists]
    }

    fn batch(&self, known: Known, filled: Num) -> Result<Command, String> {
        let is_own = |position: &&Position| self.open.is_of(position);
        let mut open = known.store.positions.rows().iter();
        let position = open.find(is_own).ok_or("the position is closed")?;
        let market = known.store.market(&position.market_id);
        let own = position.size_decimals;
        let decimals = own.or_else(|| market?.size_decimals);
        let filled = filled.min(position.quantity());
        let operations = self.operations(filled, decimals.unwrap_or(filled.decimals()));
        if operations.is_empty() {
            return Err(format!("{} cannot be divided", filled.normalized()));
        }
        let batch = ExitBatch {
            entry: self.open.order.clone(),
            ..ExitBatch::of(position, known.store.orders.rows(), operations)
        };
        Ok(Command::ExitBatch(Box::new(batch)))
    }

    fn operations(&self, filled: Num, decimals: u32) -> Vec<ExitOperation> {
        let sizes = LaterTarget::sizes(&self.open.targets, filled, decimals);
        let targets = self.open.targets.iter().zip(sizes);
        let placed = targets.filter(|(_, size)| size.is_positive());
        let placed = placed.map(|(target, size)| ExitOperation::Place {
            group: ExitGroup::Tp,
            execution_type: None,
            price: target.price,
            size,
            oco_pair_with: None,
        });
        placed.collect()
    }

    fn placed(
        &mut self,
        known: Known,
        (size, attempt): (Num, Attempt),
        result: &Result<Receipt, Failure>,
    ) -> Vec<WorkflowWish> {
        match result {
            Ok(_) => vec![WorkflowWish::End(WorkflowEnd::Answered)],
            Err(why) if why.kind == FailureKind::Conflict && attempt == Attempt::First => {
                self.read(known, size, Attempt::Second)
            }
            Err(why) => self.without(known, why.message.raw()),
        }
    }
}
