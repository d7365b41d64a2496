//! The trades of a market: each once, in order.

use crate::{
    feed::{
        event::{Liveness, MarketEvent},
        trade_tail::TradeTail,
    },
    model::{MarketId, PublicTrade},
};
use std::collections::VecDeque;

/// Trades that are remembered by their identity: more than a venue sends as history.
const KNOWN: usize = 2_000;

/// A trade, and what distinguishes it from others of its market.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::feed) struct VenueTrade {
    pub(in crate::feed) identity: String,
    pub(in crate::feed) trade: PublicTrade,
}

#[derive(Debug, Default)]
pub(in crate::feed) struct TradeMemory {
    tail: TradeTail,
    known: VecDeque<String>,
    /// Trades may have been missed before what comes next.
    has_gap: bool,
}

impl TradeMemory {
    pub(super) fn has_gap(&mut self) {
        self.has_gap = true;
    }

    /// The trades that were not known, oldest first.
    pub(in crate::feed) fn take(
        &mut self,
        market: &MarketId,
        mut rows: Vec<VenueTrade>,
        liveness: Liveness,
    ) -> Vec<MarketEvent> {
        rows.sort_by_key(|row| row.trade.at);
        let is_known = |row: &VenueTrade| self.known.contains(&row.identity);
        if std::mem::take(&mut self.has_gap) && !rows.iter().any(is_known) {
            self.tail.has_gap();
        }
        rows.into_iter()
            .filter_map(|row| {
                let is_known = self.known.contains(&row.identity);
                let follows = (!is_known).then(|| self.tail.take(row.trade))??;
                self.known.push_back(row.identity);
                if self.known.len() > KNOWN {
                    self.known.pop_front();
                }
                Some(MarketEvent::Trade {
                    market: market.clone(),
                    follows,
                    trade: row.trade,
                    liveness,
                })
            })
            .collect()
    }
}
