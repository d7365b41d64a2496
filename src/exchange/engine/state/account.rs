//! The state of one account.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    AccountSpec, ChallengeState, MarketIx, Millis, OrderId, PositionId, ScaledId, TwapId, Usd,
};
use crate::model::ClientOrderId;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AccountState {
    pub(crate) spec: AccountSpec,
    /// Deposits + gross realised − fees + funding (+ insurance paid in).
    pub(crate) cash: Usd,
    pub(crate) flows: CashFlows,
    pub(crate) open: BTreeMap<MarketIx, PositionId>,
    /// By (`closed_at`, id).
    pub(crate) closed: Vec<PositionId>,
    /// By (`requested_at`, id): ids rise with time.
    pub(crate) orders: Vec<OrderId>,
    /// The row of each execution, by (`settled_at`, id).
    pub(crate) fills: Vec<OrderId>,
    /// By the client's own name. A checkpoint does not store it: the rows have it.
    #[serde(skip)]
    pub(crate) named: BTreeMap<ClientOrderId, OrderId>,
    pub(crate) working: BTreeSet<OrderId>,
    pub(crate) live_twaps: BTreeSet<TwapId>,
    pub(crate) scaled: Vec<ScaledId>,
    pub(crate) opened_at: Millis,
    pub(crate) cooldown_until: Millis,
    pub(crate) challenge: ChallengeState,
}

/// All movements of cash, for the conservation of money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CashFlows {
    pub(crate) realized: Usd,
    pub(crate) fees: Usd,
    pub(crate) funding: Usd,
    pub(crate) insurance: Usd,
}

impl AccountState {
    pub(crate) fn new(spec: AccountSpec, now: Millis) -> Self {
        Self {
            cash: spec.cash,
            flows: CashFlows::default(),
            open: BTreeMap::new(),
            closed: Vec::new(),
            orders: Vec::new(),
            fills: Vec::new(),
            named: BTreeMap::new(),
            working: BTreeSet::new(),
            live_twaps: BTreeSet::new(),
            scaled: Vec::new(),
            opened_at: now,
            cooldown_until: now,
            challenge: ChallengeState::new(&spec, now),
            spec,
        }
    }
}
