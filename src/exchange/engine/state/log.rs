//! The event log: every event chained into one hash; the latest ones stay readable.

use std::collections::VecDeque;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    AccountIx, CompletionReason, LiquidityRole, Lots, MarketIx, Millis, OrderId, OrderStatus,
    PositionId, Px, Reason, RuleId, ScaledId, ScaledStatus, TwapId, TwapStatus, Usd,
};

/// How many events stay readable; the hash covers all.
const MAX_READABLE_EVENTS: usize = 4096;

/// One event. Its `Debug` text is what the hash covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineEvent {
    /// Hashed but not kept: there is one per market and step.
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
    /// Hashed but not kept: most frames change no order.
    Received {
        market: MarketIx,
        line: u64,
    },
}

/// An event with its stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedEvent {
    pub at: Millis,
    pub seq: u64,
    pub event: EngineEvent,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct HashedEventLog {
    chain: [u8; 32],
    len: u64,
    latest: VecDeque<LoggedEvent>,
    #[serde(skip)]
    text: String,
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
        if !matches!(
            event,
            EngineEvent::Price { .. } | EngineEvent::Received { .. }
        ) {
            self.keep(LoggedEvent {
                at,
                seq: self.len,
                event,
            });
        }
        self.len += 1;
    }

    fn keep(&mut self, logged: LoggedEvent) {
        if self.latest.len() == MAX_READABLE_EVENTS {
            self.latest.pop_front();
        }
        self.latest.push_back(logged);
    }

    /// Stamps the readable events `by` later. What was hashed stays.
    pub(crate) fn shift(&mut self, by: Millis) {
        for event in &mut self.latest {
            event.at += by;
        }
    }

    /// Forgets the hash, which covers the times of events.
    #[cfg(test)]
    pub(crate) fn unhash(&mut self) {
        self.chain = [0; 32];
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    #[cfg(test)]
    pub(crate) fn latest(&self) -> impl DoubleEndedIterator<Item = &LoggedEvent> {
        self.latest.iter()
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
