//! The event log: every event chained into one hash.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    AccountIx, CompletionReason, LiquidityRole, Lots, MarketIx, Millis, OrderId, OrderStatus,
    PositionId, Px, Reason, RuleId, ScaledId, ScaledStatus, TwapId, TwapStatus, Usd,
};

/// One event. Its `Debug` text is what the hash covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineEvent {
    Price {
        market: MarketIx,
        mark: Px,
        oracle: Px,
    },
    Requested {
        account: AccountIx,
        order: OrderId,
        size: Lots,
    },
    Armed {
        order: OrderId,
        trigger: Px,
    },
    Triggered {
        order: OrderId,
    },
    Resting {
        order: OrderId,
        price: Px,
        size: Lots,
    },
    /// Reduce-only shrink, or growth of an exit with its entry.
    Resized {
        order: OrderId,
        size: Lots,
    },
    Filled {
        order: OrderId,
        row: OrderId,
        size: Lots,
        notional: Usd,
        fee: Usd,
        role: LiquidityRole,
    },
    CancelQueued {
        order: OrderId,
    },
    Ended {
        order: OrderId,
        status: OrderStatus,
        reason: Option<Reason>,
    },
    Modified {
        order: OrderId,
        price: Option<Px>,
        size: Lots,
    },
    Paired {
        order: OrderId,
        sibling: OrderId,
    },
    ExitsSet {
        order: OrderId,
        take_profit: Option<Px>,
        stop_loss: Option<Px>,
    },
    PositionOpened {
        position: PositionId,
    },
    PositionChanged {
        position: PositionId,
        size: Lots,
        realized: Usd,
    },
    PositionClosed {
        position: PositionId,
        realized: Usd,
    },
    MarginSet {
        position: PositionId,
        extra: Usd,
    },
    Funding {
        position: PositionId,
        amount: Usd,
    },
    Liquidated {
        position: PositionId,
    },
    Insurance {
        account: AccountIx,
        amount: Usd,
    },
    Slice {
        twap: TwapId,
        attempted: u32,
        filled: Lots,
    },
    Twap {
        twap: TwapId,
        status: TwapStatus,
        reason: Option<CompletionReason>,
    },
    Scaled {
        scaled: ScaledId,
        status: ScaledStatus,
    },
    DayStarted {
        account: AccountIx,
        balance: Usd,
    },
    Breached {
        account: AccountIx,
        rule: RuleId,
    },
    Passed {
        account: AccountIx,
    },
    Received {
        market: MarketIx,
        line: u64,
    },
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct HashedEventLog {
    chain: [u8; 32],
    len: u64,
    #[serde(skip)]
    text: String,
    /// Each with its number, for tests.
    #[cfg(test)]
    #[serde(skip)]
    pub(crate) events: Vec<(u64, EngineEvent)>,
}

impl HashedEventLog {
    pub(crate) fn record(&mut self, at: Millis, event: EngineEvent) {
        self.text.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{} {} {event:?}", at.0, self.len);
        self.chain = Sha256::new()
            .chain_update(self.chain)
            .chain_update(self.text.as_bytes())
            .finalize()
            .into();
        #[cfg(test)]
        self.events.push((self.len, event));
        self.len += 1;
    }

    /// Forgets the hash, which covers the times of events.
    #[cfg(test)]
    pub(crate) fn unhash(&mut self) {
        self.chain = [0; 32];
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The first bytes of the hash: enough to distinguish histories.
    pub(crate) fn mark(&self) -> u64 {
        let first = self.chain.first_chunk::<8>();
        first.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    pub(crate) fn hash(&self) -> String {
        self.chain.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}
