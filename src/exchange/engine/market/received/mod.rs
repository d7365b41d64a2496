//! What is known of a received market beyond the state that every market has (docs/engine.md 10).

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::ReceivedPrices;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReceivedMarket {
    /// The newest of each figure.
    pub(crate) prices: ReceivedPrices,
}
