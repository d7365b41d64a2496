//! Fees set by the trader, for a service that does not report them.

use super::words;
use crate::model::{LiquidityRole, Num};
use serde::{Deserialize, Serialize};

/// Of the notional, in basis points. The fees of the service's own fills take precedence.
#[serde_with::apply(Option<Num> => #[serde(with = "words::decimal")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [fees]", default)]
pub struct Fees {
    pub taker_bps: Option<Num>,
    pub maker_bps: Option<Num>,
}

impl Fees {
    pub fn of(&self, role: LiquidityRole) -> Option<Num> {
        match role {
            LiquidityRole::Taker => self.taker_bps,
            LiquidityRole::Maker => self.maker_bps,
        }
    }
}
