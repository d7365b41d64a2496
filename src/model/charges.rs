//! What trading costs.

use super::{LiquidityRole, Num};

/// Shares of the notional by role; `None` where nobody tells.
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

    /// What one coin costs in fees when it is entered in that role and its stop or target takes it out, USD.
    pub fn in_and_out(self, role: LiquidityRole, entry: Num, exit: Num) -> Option<Num> {
        let exit = exit.times(self.taker?)?;
        entry.times(self.of(role)?)?.plus(exit)
    }
}
