//! What is polled, and what a poll brings.

use crate::model::{
    AccountFacts, Cursor, Failure, Market, Order, Page, Position, Scaled, ScaledId, Timestamp, Twap,
};
use strum::{Display, EnumIter};

/// One polled resource; each has its own task, interval and freshness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumIter)]
#[strum(serialize_all = "snake_case")]
pub enum Source {
    Positions,
    Orders,
    Twaps,
    Scaled,
    Closed,
    History,
    Markets,
    Account,
}

/// An answer, with the instant its request was sent: that is how old its numbers may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Poll {
    pub at: Timestamp,
    pub answer: Answer,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Positions(Result<Page<Position>, Failure>),
    /// Pending and resting orders, complete.
    Orders(Result<Page<Order>, Failure>),
    Twaps(Result<Page<Twap>, Failure>),
    Scaled(ScaledId, Result<Box<Scaled>, Failure>),
    /// The newest page of closed positions.
    Closed(Result<Page<Position>, Failure>),
    MoreClosed(Cursor, Result<Page<Position>, Failure>),
    /// The newest page of all orders.
    History(Result<Page<Order>, Failure>),
    MoreHistory(Cursor, Result<Page<Order>, Failure>),
    Markets(Result<Vec<Market>, Failure>),
    Account(Result<AccountFacts, Failure>),
}
