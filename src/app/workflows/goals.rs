//! What orders that are moved in place are to become, whatever they are when that is sent.

use crate::{
    app::account::store::Store,
    model::{
        Command, ExitBatch, ExitConflict, ExitGroup, ExitOperation, ModifyOrder, Num, Order,
        OrderId, Position, PositionId, Protection, WantedExits,
    },
};

/// The price and size that an order is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTerms {
    pub(crate) order: OrderId,
    pub(crate) price: Num,
    /// Absent keeps the size.
    pub(crate) size: Option<Num>,
}

/// What the exits of a position are to be, whatever they are when it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitGoals {
    pub(crate) position: PositionId,
    /// By order: of several stops each has its own.
    pub(crate) moved: Vec<NewTerms>,
    pub(crate) wanted: WantedExits,
}

/// Orders that change with one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// Stops and targets of a position.
    Exits(ExitGoals),
    /// Any other order.
    Order(NewTerms),
}

impl ExitGoals {
    pub fn moving(position: PositionId, moved: Vec<NewTerms>) -> Self {
        Self {
            position,
            moved,
            wanted: WantedExits::default(),
        }
    }

    pub fn setting(position: PositionId, wanted: WantedExits) -> Self {
        Self {
            position,
            moved: vec![],
            wanted,
        }
    }

    fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.wanted == WantedExits::default()
    }

    /// For each exit the later goal counts.
    fn then(mut self, later: Self) -> Self {
        let is_replaced = |one: &NewTerms| later.moved.iter().any(|new| new.order == one.order);
        self.moved.retain(|one| !is_replaced(one));
        self.moved.extend(later.moved);
        self.wanted = self.wanted.then(later.wanted);
        self
    }

    /// What differs from `done`; `None` if nothing does.
    fn beyond(mut self, done: &Self) -> Option<Self> {
        self.moved.retain(|terms| !done.moved.contains(terms));
        self.wanted = self.wanted.beyond(done.wanted);
        (!self.is_empty()).then_some(self)
    }

    fn batch(&self, position: &Position, working: &[Order]) -> Result<ExitBatch, String> {
        let wanted = self.wanted.operations(position, working);
        let mut operations = wanted.map_err(|(group, why)| conflict(group, &why))?;
        for NewTerms { order, price, size } in &self.moved {
            let is_exit = |exit: &&Order| exit.id == *order && exit.protects(position).is_some();
            if !working.iter().any(|exit| is_exit(&exit)) {
                return Err(format!("{order} protects {} no longer", position.id));
            }
            let is_same = |operation: &ExitOperation| operation.order() == Some(order);
            if !operations.iter().any(is_same) {
                operations.push(ExitOperation::Modify {
                    order_id: order.clone(),
                    price: *price,
                    size: *size,
                });
            }
        }
        Ok(ExitBatch::of(position, working, operations))
    }

    fn price_of(&self, order: &OrderId, store: &Store) -> Option<Num> {
        let moved = self.moved.iter().find(|terms| terms.order == *order);
        let wanted = || {
            let position = store.position(&self.position)?;
            match store.order(order)?.protects(position)? {
                Protection::Stop => self.wanted.stop_loss.price(),
                Protection::Target => self.wanted.take_profit.price(),
            }
        };
        moved.map(|terms| terms.price).or_else(wanted)
    }
}

fn conflict(group: ExitGroup, why: &ExitConflict) -> String {
    format!("{}: {why}", group.word())
}

impl Moved {
    /// What it is about, for a message.
    pub(crate) fn names(&self) -> Vec<String> {
        let orders = |terms: &[NewTerms]| {
            let ids = terms.iter().map(|terms| terms.order.to_string());
            ids.collect::<Vec<_>>()
        };
        match self {
            Self::Exits(goals) if goals.wanted == WantedExits::default() => orders(&goals.moved),
            Self::Exits(goals) => vec![format!("the exits of {}", goals.position)],
            Self::Order(terms) => orders(std::slice::from_ref(terms)),
        }
    }

    /// The orders that it moves by their ids.
    pub(crate) fn orders(&self) -> &[NewTerms] {
        match self {
            Self::Exits(goals) => &goals.moved,
            Self::Order(terms) => std::slice::from_ref(terms),
        }
    }

    /// Whether both act on the same position or order.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exits(one), Self::Exits(two)) => one.position == two.position,
            (Self::Order(one), Self::Order(two)) => one.order == two.order,
            (Self::Exits(_), Self::Order(_)) | (Self::Order(_), Self::Exits(_)) => false,
        }
    }

    /// The command, by what is known now. A batch without operations changes nothing.
    ///
    /// # Errors
    /// If the order, or the position that it protects, is gone.
    pub fn command(&self, store: &Store) -> Result<Command, String> {
        match self {
            Self::Exits(goals) => {
                let position = store.position(&goals.position);
                let position = position.ok_or("the position is closed")?;
                let batch = goals.batch(position, store.orders.rows())?;
                Ok(Command::ExitBatch(Box::new(batch)))
            }
            Self::Order(NewTerms { order, price, size }) => {
                let working = store.order(order).filter(|order| order.is_working());
                let working = working.ok_or_else(|| format!("{order} is not working any more"))?;
                Ok(Command::Modify(ModifyOrder::of(working, *price, *size)))
            }
        }
    }

    pub(super) fn then(self, later: Self) -> Self {
        match (self, later) {
            (Self::Exits(goals), Self::Exits(later)) => Self::Exits(goals.then(later)),
            (Self::Exits(_) | Self::Order(_), later) => later,
        }
    }

    /// Without the terms of this order; `None` if nothing is left.
    pub(crate) fn without(self, order: &OrderId) -> Option<Self> {
        match self {
            Self::Exits(mut goals) => {
                goals.moved.retain(|terms| terms.order != *order);
                (!goals.is_empty()).then_some(Self::Exits(goals))
            }
            Self::Order(terms) => (terms.order != *order).then_some(Self::Order(terms)),
        }
    }

    pub(super) fn beyond(self, done: &Self) -> Option<Self> {
        match (self, done) {
            (Self::Exits(goals), Self::Exits(done)) => goals.beyond(done).map(Self::Exits),
            (what, done) => (what != *done).then_some(what),
        }
    }

    pub(super) fn price_of(&self, order: &OrderId, store: &Store) -> Option<Num> {
        match self {
            Self::Exits(goals) => goals.price_of(order, store),
            Self::Order(terms) => (terms.order == *order).then_some(terms.price),
        }
    }
}
