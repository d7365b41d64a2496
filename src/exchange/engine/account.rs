//! The state of one account.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ids::{MarketIx, OrderId, PositionId, ScaledId, TwapId};
use super::rules::Challenge;
use super::spec::AccountSpec;
use super::units::{Millis, Usd};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Account {
    pub(super) spec: AccountSpec,
    /// Deposits + gross realised − fees + funding (+ insurance paid in).
    pub(super) cash: Usd,
    pub(super) flows: Flows,
    pub(super) open: BTreeMap<MarketIx, PositionId>,
    /// By (`closed_at`, id).
    pub(super) closed: Vec<PositionId>,
    /// By (`requested_at`, id): ids are handed out in time.
    pub(super) orders: Vec<OrderId>,
    pub(super) working: BTreeSet<OrderId>,
    pub(super) live_twaps: BTreeSet<TwapId>,
    pub(super) scaled: Vec<ScaledId>,
    pub(super) cooldown_until: Millis,
    pub(super) challenge: Challenge,
}

/// Everything that ever moved the cash, for the conservation of money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Flows {
    pub(super) realized: Usd,
    pub(super) fees: Usd,
    pub(super) funding: Usd,
    pub(super) insurance: Usd,
}

impl Account {
    pub(super) fn new(spec: AccountSpec, now: Millis) -> Self {
        Self {
            cash: spec.cash,
            flows: Flows::default(),
            open: BTreeMap::new(),
            closed: Vec::new(),
            orders: Vec::new(),
            working: BTreeSet::new(),
            live_twaps: BTreeSet::new(),
            scaled: Vec::new(),
            cooldown_until: now,
            challenge: Challenge::new(&spec, now),
            spec,
        }
    }
}
