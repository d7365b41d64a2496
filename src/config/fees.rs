//! What trading costs as its trader knows it, for where the service does not tell.

use super::words;
use crate::model::{LiquidityRole, Num};
use serde::{Deserialize, Serialize};

/// Of the notional, in basis points. What the service's own fills have cost counts before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [fees]", default)]
pub struct Fees {
    #[serde(with = "words::decimal")]
    pub taker_bps: Option<Num>,
    #[serde(with = "words::decimal")]
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
