//! The parts of a fill: lots for money, the fee, and what happens to the rest of the order.

use super::{LiquidityRole, Lots, Px, Usd};

/// A part of a fill: `lots` for `money`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FillPart {
    pub(crate) lots: Lots,
    pub(crate) money: Usd,
}

impl From<&(Px, Lots)> for FillPart {
    fn from(&(px, lots): &(Px, Lots)) -> Self {
        Self {
            lots,
            money: px * lots,
        }
    }
}

/// What happens to the unfilled part of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remainder {
    Works,
    /// Dropped, as with ioc: the fill settles the order.
    Drops,
}

/// Who pays which fee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeeClass {
    Maker,
    Taker,
    /// The insurance account takes over a position without a fee.
    Free,
}

impl FeeClass {
    pub(crate) fn role(self) -> LiquidityRole {
        match self {
            Self::Maker => LiquidityRole::Maker,
            Self::Taker | Self::Free => LiquidityRole::Taker,
        }
    }
}
