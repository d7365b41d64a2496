//! The orders that this session sent, and its first equity: for the checks of new orders.

use crate::{
    app::account::store::Store,
    model::{AccountId, Command, MarketId, Num, PlaceKind, PlaceOrder, Placed, Side, Timestamp},
};
use std::collections::VecDeque;
use std::time::Duration;

/// The most orders kept; more than any sensible order rate and repeat window need.
const KEPT: usize = 256;

/// The orders that this session sent, and its first equity.
#[derive(Debug, Default)]
pub struct Session {
    pub(crate) sent: VecDeque<(Timestamp, PlaceOrder)>,
    pub(crate) first_equity: Option<Num>,
}

impl Session {
    /// Records an order that is sent.
    pub fn sent(&mut self, command: &Command, now: Timestamp) {
        if let Some(order) = as_order(command) {
            self.sent.push_back((now, order));
            if self.sent.len() > KEPT {
                self.sent.pop_front();
            }
        }
    }

    /// Records the first known equity.
    pub fn seen(&mut self, store: &Store) {
        if self.first_equity.is_none() {
            self.first_equity = store.account.value().and_then(|facts| facts.equity);
        }
    }

    /// Counts the whole day as the session: equity before the day's profit or loss.
    pub fn begin_with_day(&mut self, store: &Store) {
        let facts = store.account.value();
        self.first_equity = facts.and_then(|facts| facts.equity?.minus(facts.day_pnl?));
    }

    /// When an order that may open something was last given.
    pub(crate) fn opened_at(&self) -> Option<Timestamp> {
        let mut newest = self.sent.iter().rev();
        let opening = newest.find(|(_, order)| !order.reduce_only);
        opening.map(|(at, _)| *at)
    }

    pub(crate) fn within(
        &self,
        span: Duration,
        now: Timestamp,
    ) -> impl Iterator<Item = &PlaceOrder> {
        let recent = self.sent.iter().rev();
        recent
            .take_while(move |(at, _)| now.since(*at) < span)
            .map(|(_, order)| order)
    }
}

/// An opening command as one order: all slices of a TWAP as a market order, all rungs of a scaled order at their worst
/// price.
pub(crate) fn as_order(command: &Command) -> Option<PlaceOrder> {
    let at_market = |account: &AccountId, market: &MarketId, side, coins| {
        PlaceOrder::market(account.clone(), market.clone(), side, coins)
    };
    Some(match command.facts().places? {
        Placed::Order(order) => order.clone(),
        Placed::Twap(twap) => PlaceOrder {
            leverage: twap.leverage,
            margin_mode: twap.margin_mode,
            reduce_only: twap.reduce_only,
            ..at_market(&twap.account_id, &twap.market_id, twap.side, twap.size)
        },
        Placed::Scaled(scaled) => PlaceOrder {
            kind: PlaceKind::Limit,
            leverage: scaled.leverage,
            margin_mode: scaled.margin_mode,
            reduce_only: scaled.reduce_only,
            limit_price: Some(match scaled.side {
                Side::Buy => scaled.start_price.max(scaled.end_price),
                Side::Sell => scaled.start_price.min(scaled.end_price),
            }),
            ..at_market(
                &scaled.account_id,
                &scaled.market_id,
                scaled.side,
                scaled.size,
            )
        },
        Placed::Close(_) => return None,
    })
}
