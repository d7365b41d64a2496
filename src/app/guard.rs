//! How near the account is to the limits of its challenge, and the lock on new risk when one is reached.
//!
//! Contract: pure; a figure comes from the service where it tells one, else from the trader's own settings
//! and what this desk has read, and says which. What is not known is not measured and locks nothing. Only
//! what raises exposure is ever held back; whatever closes, cancels or reduces is not, by the command's own
//! type. The lock is lifted by an explicit wish and comes back when the limit has been left and reached
//! again.
//!
//! Known limits: local days are days of UTC. Local figures of days need every closed position since, and
//! are unknown until those pages have been read.

use super::{
    Model, Next, Store,
    alerts::Alert,
    overlay::{Deed, Overlay, Strip},
};
use crate::{
    config,
    model::{AccountFacts, Command, Num, Position, Risk, Timestamp},
};
use strum::{Display, EnumIter, IntoEnumIterator};

#[cfg(test)]
mod tests;

const DAY: i64 = 86_400_000;

/// One limit or goal of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, EnumIter)]
pub enum Limit {
    #[strum(to_string = "daily loss")]
    DailyLoss,
    #[strum(to_string = "drawdown")]
    Drawdown,
    #[strum(to_string = "target")]
    Target,
    #[strum(to_string = "trading days")]
    TradingDays,
    #[strum(to_string = "consistency")]
    Consistency,
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Service,
    /// The settings of this desk and what it has read.
    Local,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gauge {
    pub limit: Limit,
    /// Of the whole: 1 is reached. Not held to 1.
    pub used: Num,
    /// The figures behind it, where there are two: measured, and allowed or wanted. USD, days or percent.
    pub figures: Option<(Num, Num)>,
    pub origin: Origin,
}

/// How near a loss limit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Fine,
    /// Four fifths used.
    Near,
    Reached,
}

impl Limit {
    /// A limit is not to be reached; the others are goals.
    pub fn is_loss(self) -> bool {
        matches!(self, Self::DailyLoss | Self::Drawdown)
    }

    fn rule(self) -> &'static str {
        match self {
            Self::DailyLoss => "max_daily_loss",
            Self::Drawdown => "max_drawdown",
            Self::Target => "profit_target",
            Self::TradingDays => "min_trading_days",
            Self::Consistency => "consistency",
        }
    }
}

impl Gauge {
    pub fn level(&self) -> Level {
        match self.used {
            used if used >= Num::from(1_u32) => Level::Reached,
            used if used >= Num::new(8, 1) => Level::Near,
            _ => Level::Fine,
        }
    }
}

/// The gauges as they are now, and whether their lock is lifted.
#[derive(Debug, Default)]
pub struct Guard {
    pub gauges: Vec<Gauge>,
    is_lifted: bool,
}

impl Guard {
    pub fn gauge(&self, limit: Limit) -> Option<&Gauge> {
        self.gauges.iter().find(|gauge| gauge.limit == limit)
    }

    /// The loss limit that is reached, lifted or not.
    pub fn reached(&self) -> Option<&Gauge> {
        let mut gauges = self.gauges.iter();
        gauges.find(|gauge| gauge.limit.is_loss() && gauge.level() == Level::Reached)
    }

    pub fn is_lifted(&self) -> bool {
        self.is_lifted
    }

    pub(super) fn lift(&mut self) {
        self.is_lifted = true;
    }
}

/// The loss limit that holds new risk back now.
pub fn locked(model: &Model) -> Option<&Gauge> {
    let locks = model.options.guard.lock && !model.guard.is_lifted;
    model.guard.reached().filter(|_| locks)
}

/// Why `command` is held back, if it is. Exits never are.
pub(super) fn objection(model: &Model, command: &Command) -> Option<String> {
    let gauge = locked(model).filter(|_| command.risk() == Risk::Increasing)?;
    let source = match gauge.origin {
        Origin::Service => "",
        Origin::Local => " (local)",
    };
    Some(format!(
        "the {}{source} is used up: new risk is locked, exits are not. The limits say how to lift it",
        gauge.limit
    ))
}

/// The strip that asks before the lock is lifted.
pub(super) fn ask_to_lift(model: &Model) -> Next {
    let Some(identity) = model.identity.as_ref().filter(|_| locked(model).is_some()) else {
        return Next::Refuse("nothing is locked".to_owned());
    };
    let deed = Deed::Lift(identity.account_id.clone());
    Next::Open(Box::new(Overlay::Strip(Strip::confirm(deed, model.now))))
}

/// Measures anew; tells of a loss limit that has come nearer by a level, and of a target that is reached.
pub(super) fn measure(model: &mut Model) -> Vec<Alert> {
    let before = std::mem::take(&mut model.guard.gauges);
    let (settings, store) = (&model.options.guard, &model.store);
    let local = Local::of(settings, store, model.wall_now());
    let facts = store.account.value();
    let gauges = Limit::iter().filter_map(|limit| {
        let told = facts.and_then(|facts| told(limit, facts));
        told.or_else(|| local.gauge(limit))
    });
    model.guard.gauges = gauges.collect();
    if model.guard.reached().is_none() {
        model.guard.is_lifted = false;
    }
    let level = |gauges: &[Gauge], limit| {
        let gauge = gauges.iter().find(|gauge| gauge.limit == limit);
        gauge.map_or(Level::Fine, Gauge::level)
    };
    let news = |gauge: &&Gauge| {
        let told = match gauge.limit {
            Limit::DailyLoss | Limit::Drawdown => Level::Near,
            Limit::Target => Level::Reached,
            Limit::TradingDays | Limit::Consistency => return false,
        };
        gauge.level() >= told && gauge.level() > level(&before, gauge.limit)
    };
    let news = model.guard.gauges.iter().filter(news);
    news.map(|gauge| Alert::Guard(*gauge)).collect()
}

/// What the service tells of a limit.
fn told(limit: Limit, facts: &AccountFacts) -> Option<Gauge> {
    let rule = facts
        .rules
        .iter()
        .find(|rule| rule.id.raw() == limit.rule());
    let figures = rule.map(|rule| (rule.value, rule.limit));
    let start = facts.starting_cash;
    let used = match limit {
        Limit::DailyLoss => Num::from(1_u32).minus(facts.daily_loss_left?),
        // Both figures are balances: how much of the way down, or up, is gone.
        Limit::Drawdown | Limit::Target => {
            let ((value, bound), start) = (figures?, start?);
            let gone = start.minus(value)?.over(start.minus(bound)?)?;
            Some(gone.max(Num::ZERO))
        }
        Limit::TradingDays | Limit::Consistency => {
            let (value, bound) = figures?;
            value.over(bound)
        }
    };
    Some(Gauge {
        limit,
        used: used?,
        figures,
        origin: Origin::Service,
    })
}

/// What this desk can measure by itself.
struct Local<'a> {
    settings: &'a config::Guard,
    equity: Option<Num>,
    /// Profit of today, open positions included where their marks are known.
    today: Option<Num>,
    /// Net of every day of UTC with a closed position, when all of them are here.
    days: Option<Vec<Num>>,
}

impl<'a> Local<'a> {
    fn of(settings: &'a config::Guard, store: &Store, now: Timestamp) -> Self {
        let facts = store.account.value();
        let wants_days = settings.trading_days.is_some() || settings.consistency.is_some();
        Self {
            settings,
            equity: facts.and_then(|facts| facts.equity),
            today: settings.daily_loss.and_then(|_| {
                let told = facts.and_then(|facts| facts.day_pnl);
                told.or_else(|| today(store, now))
            }),
            days: wants_days.then(|| days(store)).flatten(),
        }
    }

    fn gauge(&self, limit: Limit) -> Option<Gauge> {
        let percent = |share: Num| share.times(Num::from(100_u32));
        let gained = || self.equity?.minus(self.settings.start_balance?);
        let (value, bound) = match limit {
            Limit::DailyLoss => (self.today?.negated(), self.settings.daily_loss?),
            Limit::Drawdown => (gained()?.negated(), self.settings.drawdown?),
            Limit::Target => (gained()?, self.settings.target?),
            Limit::TradingDays => {
                let days = i64::try_from(self.days.as_ref()?.len()).ok()?;
                (Num::from(days), self.settings.trading_days?)
            }
            Limit::Consistency => (
                percent(best_share(self.days.as_ref()?)?)?,
                self.settings.consistency?,
            ),
        };
        let value = value.max(Num::ZERO);
        Some(Gauge {
            limit,
            used: value.over(bound)?,
            figures: Some((value, bound)),
            origin: Origin::Local,
        })
    }
}

fn day_of(at: Timestamp) -> i64 {
    at.0.div_euclid(DAY)
}

/// Net of what was closed today, and what the open positions have come to.
fn today(store: &Store, now: Timestamp) -> Option<Num> {
    let is_today = |position: &&Position| {
        position
            .closed_at
            .is_some_and(|at| day_of(at) == day_of(now))
    };
    let rows = store.closed.rows();
    store.closed.head().value()?;
    let reaches_back = rows.back().is_none_or(|last| !is_today(&last)) || !store.closed.has_more();
    if !reaches_back {
        return None;
    }
    let closed = rows.iter().take_while(is_today);
    let net = closed.map(Position::net_pnl);
    let open = store.positions.value()?.rows.iter();
    let open = open.map(|position| position.unrealized_pnl(store.mark(&position.market_id)?));
    net.chain(open)
        .try_fold(Num::ZERO, |sum, part| sum.plus(part?))
}

fn days(store: &Store) -> Option<Vec<Num>> {
    store.closed.head().value()?;
    if store.closed.has_more() {
        return None;
    }
    store.utc_days.nets(store.closed.rows().len())
}

/// The best day's part of all days with a profit.
fn best_share(days: &[Num]) -> Option<Num> {
    let gains = || days.iter().copied().filter(|net| net.is_positive());
    let all = gains().try_fold(Num::ZERO, Num::plus)?;
    match gains().max() {
        Some(best) => best.over(all),
        None => Some(Num::ZERO),
    }
}
