//! Orders that are being moved in place, until the service has accepted or refused that.

use super::Store;
use crate::model::{
    Command, ExitBatch, ExitOperation, ModifyOrder, Num, Order, OrderId, Position, PositionId,
    Ticket, Timestamp,
};

/// The price and size that an order is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTerms {
    pub(crate) order: OrderId,
    pub(crate) price: Num,
    /// Absent keeps the size.
    pub(crate) size: Option<Num>,
}

/// Orders that move with one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// Stops and targets of a position.
    Exits(PositionId, Vec<NewTerms>),
    /// Any other order.
    Order(NewTerms),
}

/// A move that has no answer yet.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderMove {
    pub(crate) what: Moved,
    /// Later requests, sent once this one is answered: never two at once.
    pub(crate) later: Vec<NewTerms>,
    /// When it was decided on.
    pub(crate) since: Timestamp,
    /// Of the last command; the form that sent it is kept under it.
    pub(crate) ticket: Ticket,
    pub(crate) stage: MoveStage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MoveStage {
    /// The command is in flight.
    Sent(Attempt),
    /// Only lists requested after `since` show the exits as they are; `look_at` is the next request for them.
    Reading {
        next: Attempt,
        since: Timestamp,
        look_at: Timestamp,
    },
}

/// A batch of exits is refused with 409 if they are not as they were seen; it is tried once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    First,
    Second,
}

impl Moved {
    pub(crate) fn to(&self) -> &[NewTerms] {
        match self {
            Self::Exits(_, terms) => terms,
            Self::Order(terms) => std::slice::from_ref(terms),
        }
    }

    /// Whether both act on the same position or order.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exits(one, _), Self::Exits(two, _)) => one == two,
            (Self::Order(one), Self::Order(two)) => one.order == two.order,
            (Self::Exits(..), Self::Order(_)) | (Self::Order(_), Self::Exits(..)) => false,
        }
    }

    /// The command, by what is known now.
    ///
    /// # Errors
    /// If the order, or the position that it protects, is gone.
    pub fn command(&self, store: &Store) -> Result<Command, String> {
        match self {
            Self::Exits(id, terms) => {
                let position = store.position(id);
                let position = position.ok_or("the position is closed")?;
                let batch = batch(position, store.orders.rows(), terms)?;
                Ok(Command::ExitBatch(Box::new(batch)))
            }
            Self::Order(NewTerms { order, price, size }) => {
                let working = store.order(order).filter(|order| order.is_working());
                let working = working.ok_or_else(|| format!("{order} is not working any more"))?;
                Ok(Command::Modify(ModifyOrder::of(working, *price, *size)))
            }
        }
    }
}

fn batch(position: &Position, working: &[Order], terms: &[NewTerms]) -> Result<ExitBatch, String> {
    let operation = |NewTerms { order, price, size }: &NewTerms| {
        let mut exits = working.iter();
        let exit = exits.find(|exit| exit.id == *order && exit.protects(position).is_some());
        exit.ok_or_else(|| format!("{order} protects {} no longer", position.id))?;
        Ok(ExitOperation::Modify {
            order_id: order.clone(),
            price: *price,
            size: *size,
        })
    };
    let operations: Result<_, String> = terms.iter().map(operation).collect();
    Ok(ExitBatch::of(position, working, operations?))
}

impl OrderMove {
    /// The price that this order finally gets.
    fn goal(&self, order: &OrderId) -> Option<Num> {
        let mut terms = self.later.iter().chain(self.what.to());
        Some(terms.find(|terms| terms.order == *order)?.price)
    }

    /// What it does, and what was requested since.
    pub(crate) fn with_later(self) -> Moved {
        match self.what {
            Moved::Exits(position, mut terms) => {
                terms.retain(|one| self.later.iter().all(|new| new.order != one.order));
                terms.extend(self.later);
                Moved::Exits(position, terms)
            }
            Moved::Order(terms) => Moved::Order(self.later.into_iter().next().unwrap_or(terms)),
        }
    }

    /// What was requested since it was sent.
    pub(crate) fn only_later(self) -> Option<Moved> {
        match self.what {
            Moved::Exits(position, _) => {
                (!self.later.is_empty()).then_some(Moved::Exits(position, self.later))
            }
            Moved::Order(_) => self.later.into_iter().next().map(Moved::Order),
        }
    }

    /// A request for some of its orders replaces earlier ones.
    pub(crate) fn then(&mut self, terms: &[NewTerms]) {
        let is_meant = |one: &NewTerms| terms.iter().any(|new| new.order == one.order);
        self.later.retain(|one| !is_meant(one));
        let news = terms.iter().filter(|new| !self.what.to().contains(new));
        self.later.extend(news.cloned());
    }

    /// When it requests reads next.
    pub(crate) fn look_at(&self) -> Option<Timestamp> {
        match self.stage {
            MoveStage::Sent(_) => None,
            MoveStage::Reading { look_at, .. } => Some(look_at),
        }
    }
}

impl Store {
    /// The price that this order is being moved to.
    pub(crate) fn moved_to(&self, order: &OrderId) -> Option<Num> {
        self.moves.iter().find_map(|one| one.goal(order))
    }
}
