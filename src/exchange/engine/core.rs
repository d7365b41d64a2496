//! The engine's state and its public face.

use super::command::{Command, Outcome};
use super::ids::{AccountIx, MarketIx, OrderId, PositionId, ScaledId, TwapId};
use super::refusal::{Reason, Refusal};
use super::rows::{
    AccountFacts, MarketFacts, OrderKey, OrderRow, PositionKey, PositionRow, ScaledRow, TwapRow,
};
use super::spec::{AccountSpec, EngineConfig, MarketSpec, MarketTick};
use super::units::{Bps, Millis};

/// The whole exchange: markets, accounts, orders and the clock.
#[derive(Debug)]
pub struct Engine {
    config: EngineConfig,
    now: Millis,
}

impl Engine {
    pub fn new(config: EngineConfig) -> Self {
        Self {
            now: config.start,
            config,
        }
    }

    /// Virtual time: the end of the last whole step.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Runs every whole 250 ms step that ends at or before `to`; an earlier `to` does nothing.
    pub fn advance_to(&mut self, to: Millis) {
        self.now = self.now.max(to);
    }

    /// Carries out one command at the current virtual time. A refusal that names an order recorded it as rejected;
    /// any other refusal changed nothing.
    pub fn apply(&mut self, account: AccountIx, command: Command) -> Result<Outcome, Refusal> {
        let _ = (account, command);
        Err(Refusal::conflict(
            Reason::MarketUnavailable,
            "no market yet",
        ))
    }

    /// Replaces the feed's next step for one market (a live feed, a test, a scripted gap).
    pub fn inject(&mut self, market: MarketIx, tick: MarketTick) {
        let _ = (market, tick);
    }

    /// Moves the synthetic price of a market by `by` from the next step on.
    pub fn nudge(&mut self, market: MarketIx, by: Bps) {
        let _ = (market, by);
    }

    pub fn market_ixs(&self) -> impl Iterator<Item = MarketIx> + use<> {
        (0..self.config.markets.len()).map(MarketIx::from)
    }

    pub fn market_spec(&self, market: MarketIx) -> Option<&MarketSpec> {
        self.config.markets.get(usize::from(market))
    }

    /// By `market_id`, `paper|BTC`.
    pub fn market(&self, market_id: &str) -> Option<MarketIx> {
        self.market_ixs().find(|ix| {
            self.market_spec(*ix)
                .is_some_and(|spec| spec.market_id() == market_id)
        })
    }

    pub fn account_ixs(&self) -> impl Iterator<Item = AccountIx> + use<> {
        (0..self.config.accounts.len()).map(AccountIx::from)
    }

    pub fn account_spec(&self, account: AccountIx) -> Option<&AccountSpec> {
        self.config.accounts.get(usize::from(account))
    }

    pub fn account(&self, id: &str) -> Option<AccountIx> {
        self.account_ixs()
            .find(|ix| self.account_spec(*ix).is_some_and(|spec| spec.id == id))
    }

    /// `None` for a missing and for a foreign id alike; so for every lookup below.
    pub fn order(&self, account: AccountIx, id: OrderId) -> Option<&OrderRow> {
        let _ = (account, id);
        None
    }

    /// Newest first, from just after `before` in that order (`None`: from the newest).
    pub fn orders(
        &self,
        account: AccountIx,
        before: Option<OrderKey>,
    ) -> impl Iterator<Item = &OrderRow> {
        let _ = (account, before);
        std::iter::empty()
    }

    /// Pending and resting orders, newest first.
    pub fn working_orders(&self, account: AccountIx) -> impl Iterator<Item = &OrderRow> {
        let _ = account;
        std::iter::empty()
    }

    pub fn position(&self, account: AccountIx, id: PositionId) -> Option<PositionRow> {
        let _ = (account, id);
        None
    }

    /// By (`opened_at`, id), oldest first: the order of a close-all snapshot.
    pub fn open_positions(&self, account: AccountIx) -> Vec<PositionRow> {
        let _ = account;
        Vec::new()
    }

    /// Newest first, from just after `before`.
    pub fn closed_positions(
        &self,
        account: AccountIx,
        before: Option<PositionKey>,
    ) -> impl Iterator<Item = PositionRow> {
        let _ = (account, before);
        std::iter::empty()
    }

    pub fn twap(&self, account: AccountIx, id: TwapId) -> Option<&TwapRow> {
        let _ = (account, id);
        None
    }

    /// Pending and active ones, newest first.
    pub fn live_twaps(&self, account: AccountIx) -> impl Iterator<Item = &TwapRow> {
        let _ = account;
        std::iter::empty()
    }

    pub fn scaled(&self, account: AccountIx, id: ScaledId) -> Option<&ScaledRow> {
        let _ = (account, id);
        None
    }

    /// All ladders, newest first.
    pub fn scaled_orders(&self, account: AccountIx) -> impl Iterator<Item = &ScaledRow> {
        let _ = account;
        std::iter::empty()
    }

    pub fn account_facts(&self, account: AccountIx) -> Option<AccountFacts> {
        let _ = account;
        None
    }

    pub fn market_facts(&self, market: MarketIx) -> Option<MarketFacts> {
        let _ = market;
        None
    }

    /// SHA-256 chained over everything that happened, in hex.
    pub fn log_hash(&self) -> String {
        String::new()
    }

    /// How many events the hash covers.
    pub fn log_len(&self) -> u64 {
        0
    }
}
