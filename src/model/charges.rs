//! Trading fees.

use super::{LiquidityRole, Num};

/// Shares of the notional by role; `None` if unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Charges {
    pub taker: Option<Num>,
    pub maker: Option<Num>,
}

impl Charges {
    pub fn of(self, role: LiquidityRole) -> Option<Num> {
        match role {
            LiquidityRole::Taker => self.taker,
            LiquidityRole::Maker => self.maker,
        }
    }

    /// The fees of one coin for an entry in this role and an exit by stop or target, USD.
    pub fn in_and_out(self, role: LiquidityRole, entry: Num, exit: Num) -> Option<Num> {
        let exit = exit.times(self.taker?)?;
        entry.times(self.of(role)?)?.plus(exit)
    }
}
