//! The polled sources and their answers.

use crate::model::{
    AccountFacts, Cursor, Failure, Market, Order, Page, Position, Scaled, ScaledId, Timestamp, Twap,
};
use std::time::Duration;
use strum::{Display, EnumIter};

/// Data older than this many intervals is late.
pub const LATE: u32 = 3;

/// What a stream reports is read whole this often all the same.
pub(crate) const FULL_READ_EVERY: Duration = Duration::from_secs(15);

/// One polled source, with its own task, interval and age.
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

impl Source {
    /// How often a service with a request budget is asked at least, by a desk at which nothing happens; of the markets,
    /// the time between two quotes (docs/delivery.md 3.4).
    pub fn idle_interval(self) -> Duration {
        Duration::from_secs(match self {
            Self::Positions | Self::Orders => 10,
            Self::Account => 15,
            Self::Twaps | Self::Scaled => 30,
            Self::Closed | Self::History => 60,
            Self::Markets => 3,
        })
    }

    /// Whether the account's stream reports it, or hints at its changes. The figures move with prices, without an event.
    pub(crate) fn is_of_account_stream(self) -> bool {
        match self {
            Self::Positions
            | Self::Orders
            | Self::Twaps
            | Self::Scaled
            | Self::Closed
            | Self::History => true,
            Self::Markets | Self::Account => false,
        }
    }
}

/// An answer, with the instant its request was sent: that is how old its data may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Poll {
    pub at: Timestamp,
    pub answer: Answer,
}

/// The result of a poll.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Positions(Result<Page<Position>, Failure>),
    /// All pending and resting orders.
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

impl Answer {
    pub fn source(&self) -> Source {
        match self {
            Self::Positions(_) => Source::Positions,
            Self::Orders(_) => Source::Orders,
            Self::Twaps(_) => Source::Twaps,
            Self::Scaled(..) => Source::Scaled,
            Self::Closed(_) | Self::MoreClosed(..) => Source::Closed,
            Self::History(_) | Self::MoreHistory(..) => Source::History,
            Self::Markets(_) => Source::Markets,
            Self::Account(_) => Source::Account,
        }
    }

    pub fn trouble(&self) -> Option<&Failure> {
        match self {
            Self::Positions(result) | Self::Closed(result) | Self::MoreClosed(_, result) => {
                result.as_ref().err()
            }
            Self::Orders(result) | Self::History(result) | Self::MoreHistory(_, result) => {
                result.as_ref().err()
            }
            Self::Twaps(result) => result.as_ref().err(),
            Self::Scaled(_, result) => result.as_ref().err(),
            Self::Markets(result) => result.as_ref().err(),
            Self::Account(result) => result.as_ref().err(),
        }
    }
}
