//! The close-all-positions operation. `completed` does not mean flat: a submitted close is an order, not a fill.

use super::{Lenient, Operation, Order, Position, PositionId, Text, value::words::words};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

words! {
    CloseResultStatus { Submitted, Failed }
}

pub type CloseAll = Operation<CloseResult>;

impl CloseAll {
    pub fn failures(&self) -> impl Iterator<Item = &CloseResult> {
        self.results
            .iter()
            .filter(|r| !r.status.is(&CloseResultStatus::Submitted))
    }
}

impl Position {
    /// That it is still open, with the close-all's reason: `BTC 0.1 (no_liquidity)`.
    pub fn left_by(&self, operation: Option<&CloseAll>) -> String {
        let results = operation.iter().flat_map(|operation| &operation.results);
        let mut own = results.filter(|result| result.position_id == self.id);
        let words = own.next().map(CloseResult::reason).unwrap_or_default();
        let why = if words.is_empty() {
            words
        } else {
            format!(" ({words})")
        };
        let name = match self.symbol.raw() {
            "" => self.market_id.coin(),
            _ => self.symbol.clone(),
        };
        format!("{name} {}{why}", self.size)
    }
}

#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloseResult {
    pub position_id: PositionId,
    pub status: Lenient<CloseResultStatus>,
    pub order: Option<Order>,
    pub failure_code: Option<Text>,
    pub rule_id: Option<Text>,
}

impl CloseResult {
    /// The service's reasons for the failure: `no_liquidity, max_loss`; may be empty.
    pub fn reason(&self) -> String {
        let words = self.failure_code.iter().chain(&self.rule_id);
        let words: Vec<_> = words.map(ToString::to_string).collect();
        words.join(", ")
    }
}
