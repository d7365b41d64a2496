//! The alerts that the trader has set: what each watches for, when it fires, and what stops a storm of them.
//!
//! Contract: pure; an alert is judged by fresh values only, one after another, so that a jump over its level counts and
//! a stale value never fires. One that has fired fires again only after the value was 0.05 % of the level, or two
//! steps, on the other side. 15 firings within three minutes halt all alerts until the trader goes on.
//! Known limit: while the display is held no value arrives; what came meanwhile is judged by its last value.

mod command;
pub mod condition;
#[cfg(test)]
mod tests;

pub use command::AlertRun;
pub use condition::{
    AlertPhase, AlertRepeat, AlertSample, AlertSubject, AlertTrigger, LevelSide, UserAlert,
};

use super::alerts::liquidation_distance;
use crate::{
    app::account::{store::Store, trades::TradeLog, watchlists::Watchlists},
    model::{MarketId, Num, Page, Position, Tick, Timestamp},
};
use serde::{Deserialize, Serialize};
use std::{collections::VecDeque, time::Duration};

/// Alerts that are kept; those that are over make room first.
const MOST: usize = 200;

/// An alert that fired, and what made it fire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertFiring {
    pub alert: UserAlert,
    pub value: Num,
    pub occasion: FiringOccasion,
}

/// When the level was crossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiringOccasion {
    /// While this desk looked.
    Seen,
    /// Between the last value of an earlier session and the first of this one.
    WhileAway,
}

/// What is kept between sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptAlerts {
    pub alerts: Vec<UserAlert>,
}

impl KeptAlerts {
    /// Those that the other has not.
    fn without(&self, other: &Self) -> Vec<UserAlert> {
        let is_elsewhere = |alert: &UserAlert| other.alerts.iter().any(|one| one.is_same(alert));
        let own = self.alerts.iter().filter(|alert| !is_elsewhere(alert));
        own.cloned().collect()
    }
}

/// What becomes of the trader's alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlertRequest {
    /// Set it, in the place of that one.
    Set(Box<UserAlert>, Option<u64>),
    Delete(u64),
    /// They fire again after a storm.
    LetFire,
}

/// What another process has changed: the alerts as the file has them, since each process numbers them for itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlertEdit {
    pub removed: Vec<UserAlert>,
    pub added: Vec<UserAlert>,
}

impl AlertEdit {
    /// `None` where the same alerts are set; what they have met since is each process's own.
    pub fn between(before: &KeptAlerts, after: &KeptAlerts) -> Option<Self> {
        let edit = Self {
            removed: before.without(after),
            added: after.without(before),
        };
        (edit != Self::default()).then_some(edit)
    }
}

/// What an account's desk keeps between sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptState {
    Alerts(Box<KeptAlerts>),
    Trades(Box<TradeLog>),
    Watchlists(Box<Watchlists>),
}

/// The trader's alerts of one account, in the order in which they were set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserAlerts {
    alerts: Vec<UserAlert>,
    last_id: u64,
    storm: Storm,
    /// Alerts up to this number are of an earlier session and have met no value in this one.
    unseen: Vec<u64>,
}

/// What one round of judging came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AlertRound {
    pub(crate) fired: Vec<AlertFiring>,
    /// Those whose time ran out.
    pub(crate) expired: Vec<UserAlert>,
    pub(crate) change: AlertsChange,
    pub(crate) halt: StormHalt,
}

/// Whether something that is kept is otherwise now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum AlertsChange {
    #[default]
    None,
    Kept,
}

/// Whether this round halted the alerts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StormHalt {
    #[default]
    None,
    Begins,
}

impl UserAlerts {
    /// In the order in which they were set.
    pub fn all(&self) -> &[UserAlert] {
        &self.alerts
    }

    pub fn get(&self, id: u64) -> Option<&UserAlert> {
        self.alerts.iter().find(|alert| alert.id == id)
    }

    /// The prices of a market that alerts still wait for: for the chart and the price ladder.
    pub fn prices(&self, market: &MarketId) -> impl Iterator<Item = Num> {
        let waiting = self.alerts.iter().filter(|alert| alert.is_waiting());
        waiting.filter_map(move |alert| match &alert.subject {
            AlertSubject::Price(id) if id == market => Some(alert.level),
            AlertSubject::Price(_)
            | AlertSubject::Funding(_)
            | AlertSubject::PositionPnl(_)
            | AlertSubject::AccountPnl
            | AlertSubject::LiquidationDistance(_) => None,
        })
    }

    /// Since when a storm has halted all of them.
    pub fn halted_at(&self) -> Option<Timestamp> {
        self.storm.halted_at()
    }

    /// What is written down for the next session.
    pub(crate) fn kept(&self) -> KeptAlerts {
        KeptAlerts {
            alerts: self.alerts.clone(),
        }
    }

    /// Those of an earlier session, before what was set meanwhile.
    pub(crate) fn recall(&mut self, kept: KeptAlerts) {
        let set_meanwhile = std::mem::take(&mut self.alerts);
        self.last_id = 0;
        for alert in kept.alerts {
            let id = self.put(alert);
            self.unseen.push(id);
        }
        for alert in set_meanwhile {
            self.put(alert);
        }
    }

    /// Sets one more; answers its number.
    pub(crate) fn set(&mut self, alert: UserAlert) -> u64 {
        self.put(alert)
    }

    fn put(&mut self, alert: UserAlert) -> u64 {
        if self.alerts.len() >= MOST {
            let over = self.alerts.iter().position(|known| !known.is_waiting());
            self.alerts.remove(over.unwrap_or(0));
        }
        self.last_id += 1;
        let id = self.last_id;
        self.alerts.push(UserAlert { id, ..alert });
        id
    }

    /// The number that this alert has here.
    pub(crate) fn number_of(&self, alert: &UserAlert) -> Option<u64> {
        let known = self.alerts.iter().find(|known| known.is_same(alert))?;
        Some(known.id)
    }

    /// Deletes one; answers it.
    pub(crate) fn delete(&mut self, id: u64) -> Option<UserAlert> {
        let at = self.alerts.iter().position(|alert| alert.id == id)?;
        self.unseen.retain(|unseen| *unseen != id);
        Some(self.alerts.remove(at))
    }

    /// Goes on after a storm. What was crossed meanwhile does not fire.
    pub(crate) fn go_on(&mut self) {
        self.storm.end();
        for alert in &mut self.alerts {
            alert.side = None;
        }
    }

    /// Judges every alert by what the fresh sources report at `now`, an instant of the wall clock.
    pub(crate) fn judge(
        &mut self,
        store: &Store,
        fresh: FreshSources,
        now: Timestamp,
    ) -> AlertRound {
        let mut judged = AlertRound::default();
        for alert in &mut self.alerts {
            let before = alert.clone();
            if alert.expire(now) {
                judged.expired.push(alert.clone());
            }
            let sample = sample(store, fresh, alert).filter(|_| self.storm.halted_at().is_none());
            if let Some(sample) = sample
                && alert.is_waiting()
            {
                let is_unseen = self.unseen.contains(&alert.id);
                self.unseen.retain(|id| *id != alert.id);
                if alert.judge(sample, now) {
                    judged.fired.push(AlertFiring {
                        alert: alert.clone(),
                        value: sample.value,
                        occasion: if is_unseen {
                            FiringOccasion::WhileAway
                        } else {
                            FiringOccasion::Seen
                        },
                    });
                    if self.storm.fired(now) {
                        judged.halt = StormHalt::Begins;
                    }
                }
            }
            if *alert != before {
                judged.change = AlertsChange::Kept;
            }
        }
        judged
    }
}

/// This many firings within [`STORM_WITHIN`] halt all alerts.
const STORM: usize = 15;
const STORM_WITHIN: Duration = Duration::from_mins(3);

/// When alerts fired of late, and whether that was too often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Storm {
    firings: VecDeque<Timestamp>,
    halted_at: Option<Timestamp>,
}

impl Storm {
    fn halted_at(&self) -> Option<Timestamp> {
        self.halted_at
    }

    /// Counts a firing; whether it is the one that halts them.
    fn fired(&mut self, now: Timestamp) -> bool {
        self.firings.push_back(now);
        while self
            .firings
            .front()
            .is_some_and(|first| now.since(*first) > STORM_WITHIN)
        {
            self.firings.pop_front();
        }
        let begins = self.firings.len() >= STORM && self.halted_at.is_none();
        if begins {
            self.halted_at = Some(now);
        }
        begins
    }

    fn end(&mut self) {
        *self = Self::default();
    }
}

/// Which sources show the present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshSources {
    pub markets: Freshness,
    pub positions: Freshness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    Fresh,
    Stale,
}

/// The value that the alert watches, while it is known and fresh.
pub fn sample(store: &Store, fresh: FreshSources, alert: &UserAlert) -> Option<AlertSample> {
    if fresh.markets == Freshness::Stale {
        return None;
    }
    let positions = || held(store, fresh);
    let (value, step) = match &alert.subject {
        AlertSubject::Price(id) => {
            let market = store.market(id)?;
            let step = market.tick(alert.level).map(Tick::step);
            (market.mark.or(market.mid())?, step.unwrap_or(Num::ZERO))
        }
        AlertSubject::Funding(id) => (store.market(id)?.funding_rate?, Num::new(1, 6)),
        AlertSubject::PositionPnl(id) => (of_market(store, id, positions()?)?, Num::new(1, 2)),
        AlertSubject::AccountPnl => (total(store, positions()?.iter())?, Num::new(1, 2)),
        AlertSubject::LiquidationDistance(id) => {
            let held = positions()?.iter().filter(|held| held.market_id == *id);
            let nearest = held
                .filter_map(|held| liquidation_distance(store, held))
                .min();
            (nearest?, Num::new(1, 4))
        }
    };
    Some(AlertSample { value, step })
}

/// All that is open, where that is known and fresh.
fn held(store: &Store, fresh: FreshSources) -> Option<&[Position]> {
    let page = store.positions.value().filter(|page| Page::is_whole(page));
    let page = page.filter(|_| fresh.positions == Freshness::Fresh);
    page.map(|page| page.rows.as_slice())
}

/// `None` where nothing is open in the market.
fn of_market(store: &Store, id: &MarketId, held: &[Position]) -> Option<Num> {
    let here = held.iter().filter(|held| held.market_id == *id);
    here.clone().next()?;
    total(store, here)
}

/// `None` where one of them is not known.
fn total<'a>(store: &Store, mut held: impl Iterator<Item = &'a Position>) -> Option<Num> {
    held.try_fold(Num::ZERO, |sum, position| {
        let mark = store.mark(&position.market_id)?;
        sum.plus(position.unrealized_pnl(mark)?)
    })
}
