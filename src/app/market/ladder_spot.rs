//! The cells of the price ladder as they were drawn: what the mouse names there.

use crate::model::{AccountId, MarketId, Num};

/// Where the wheel counts from: prices have no first row.
pub const WHEEL_HOME: usize = 1 << 20;

/// Which drawing of the rows: it rises whenever a row gets another price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Generation(u64);

/// A column of the ladder that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderColumn {
    MyBids,
    Bids,
    Price,
    Asks,
    MyAsks,
    /// Own orders of both sides.
    Mine,
}

/// The rows as they were drawn: what a click there names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnRows {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub generation: Generation,
    /// From the top.
    pub prices: Vec<Num>,
}

impl DrawnRows {
    pub fn spot(&self, row: usize, column: LadderColumn) -> Option<LadderSpot> {
        Some(LadderSpot {
            account_id: self.account_id.clone(),
            market_id: self.market_id.clone(),
            price: *self.prices.get(row)?,
            generation: self.generation,
            column,
        })
    }
}

/// A cell of the ladder as it was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LadderSpot {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub price: Num,
    pub generation: Generation,
    pub column: LadderColumn,
}

impl Generation {
    #[must_use]
    pub(super) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}
