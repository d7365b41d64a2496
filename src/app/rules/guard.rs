//! How near the account is to the limits of its challenge, and the lock on new risk when one is reached.
//!
//! Contract: pure; a figure comes from the service where it tells one, else from the trader's own settings
//! and what this desk has read, and says which; of a loss limit that both set, what is nearer counts. Of a
//! limit that is set as much is measured as can be known,
//! with what that leaves out; of what cannot be measured it is known why. Closed positions that a limit needs are
//! read by themselves. Only what raises exposure is ever held back; whatever closes, cancels or reduces is not, by
//! the command's own type. The lock is lifted by an explicit wish and comes back when the limit has been left and
//! reached again.

mod local;

use crate::{
    app::{
        account::poll::{Answer, Source},
        activity::alerts::Alert,
        desk::model::Model,
        dialogs::{
            effect::Effect,
            next::Next,
            overlay::{Deed, Overlay, Strip},
        },
    },
    model::{AccountFacts, Command, Num, Risk},
};
use local::Local;
use std::collections::BTreeMap;
use strum::{Display, EnumIter, IntoEnumIterator};

#[cfg(test)]
mod tests;

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

/// What a local figure is without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// So many open positions of whose market no price is known: what they have come to.
    Unpriced(usize),
    /// The open positions, which are not known, or not all of them.
    Open,
    /// Closed positions that are still to be read; so many have been.
    Unread(usize),
    /// So many closed positions whose profit is not told.
    Untold(usize),
    /// Closed positions that the service has, and does not say where.
    Cut,
    /// The peak that a drawdown is measured from: the highest equity seen here stands in for it.
    Peak,
}

/// Why a limit is not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The service does not tell it, and the settings do not set it.
    Unset,
    /// It is nothing without this.
    Lacks(Lack),
    /// The figures are too large to be added up.
    TooLarge,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    pub limit: Limit,
    /// Of the whole: 1 is reached. Not held to 1.
    pub used: Num,
    /// The figures behind it, where there are two: measured, and allowed or wanted. USD, days or percent.
    pub figures: Option<(Num, Num)>,
    pub origin: Origin,
    pub lacks: Vec<Lack>,
}

/// How the challenge has ended, as the service says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// By this rule.
    Breached(String),
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

    /// What may still be lost before it is reached, USD, where it is a loss limit and that can be told.
    fn left(&self) -> Option<Num> {
        let (value, bound) = self.figures.filter(|_| self.limit.is_loss())?;
        let left = match self.origin {
            // Equity over its floor.
            Origin::Service => value.minus(bound)?,
            Origin::Local => bound.minus(value)?,
        };
        Some(left.max(Num::ZERO))
    }

    /// The level that is worth telling of.
    fn news(&self) -> Level {
        let told = match self.limit {
            Limit::DailyLoss | Limit::Drawdown => Level::Near,
            Limit::Target => Level::Reached,
            Limit::TradingDays | Limit::Consistency => return Level::Fine,
        };
        Some(self.level())
            .filter(|level| *level >= told)
            .unwrap_or(Level::Fine)
    }

    /// Whether nothing that is on its way may make up for it.
    fn is_settled(&self, model: &Model) -> bool {
        let sources = [Source::Positions, Source::Closed, Source::Markets];
        let awaited = |source: &Source| {
            let store = &model.store;
            model.options.intervals.contains_key(source)
                && store.polled_at(*source).is_none()
                && store.trouble(*source).is_none()
        };
        let is_read = !self.lacks.iter().any(Lack::is_unread);
        self.origin == Origin::Service || is_read && !sources.iter().any(awaited)
    }
}

impl Lack {
    fn is_unread(&self) -> bool {
        matches!(self, Self::Unread(_))
    }
}

/// The gauges as they are now, and whether their lock is lifted.
#[derive(Debug, Default)]
pub struct Guard {
    pub gauges: Vec<Gauge>,
    missing: Vec<(Limit, Missing)>,
    /// The levels that have been told of.
    told: BTreeMap<Limit, Level>,
    /// The highest equity that the service has told, USD.
    peak: Option<Num>,
    /// That has been told of, too.
    verdict: Option<Verdict>,
    is_lifted: bool,
}

impl Guard {
    pub fn gauge(&self, limit: Limit) -> Option<&Gauge> {
        self.gauges.iter().find(|gauge| gauge.limit == limit)
    }

    /// Why this limit has no gauge, once that has been tried.
    pub fn missing(&self, limit: Limit) -> Option<Missing> {
        let mut missing = self.missing.iter();
        missing
            .find(|(of, _)| *of == limit)
            .map(|(_, missing)| *missing)
    }

    /// The loss limit that is reached, lifted or not.
    pub fn reached(&self) -> Option<&Gauge> {
        let mut gauges = self.gauges.iter();
        gauges.find(|gauge| gauge.limit.is_loss() && gauge.level() == Level::Reached)
    }

    /// The loss limit that leaves least, and how much that is, USD.
    pub fn tightest(&self) -> Option<(Limit, Num)> {
        let gauges = self.gauges.iter();
        let left = gauges.filter_map(|gauge| Some((gauge.limit, gauge.left()?)));
        left.min_by_key(|(_, left)| *left)
    }

    pub fn is_lifted(&self) -> bool {
        self.is_lifted
    }

    pub(crate) fn lift(&mut self) {
        self.is_lifted = true;
    }
}

/// How the challenge has ended, if it has.
pub fn verdict(model: &Model) -> Option<Verdict> {
    let is_passed = |facts: &AccountFacts| facts.is_passed();
    let passed = || model.store.account.value().is_some_and(is_passed);
    breach(model)
        .map(Verdict::Breached)
        .or_else(|| passed().then_some(Verdict::Passed))
}

/// By which rule the challenge is lost, where the service says so: no lifting of a lock helps.
pub fn breach(model: &Model) -> Option<String> {
    let facts = model
        .store
        .account
        .value()
        .filter(|facts| facts.is_breached())?;
    let rule = facts.broken_rule.as_ref();
    Some(rule.map_or_else(
        || "a rule".to_owned(),
        |rule| rule.to_string().replace('_', " "),
    ))
}

/// The loss limit that holds new risk back now, and can be lifted.
pub fn locked(model: &Model) -> Option<&Gauge> {
    let locks = model.options.guard.lock && !model.guard.is_lifted && breach(model).is_none();
    model.guard.reached().filter(|_| locks)
}

/// Why nothing new is opened now, in short.
pub fn held(model: &Model) -> Option<String> {
    let breach = breach(model).filter(|_| model.options.guard.lock);
    let breach =
        breach.map(|rule| format!("the account is breached by {rule}: only what reduces is taken"));
    let lock = || {
        Some(format!(
            "new risk is locked by the {}",
            locked(model)?.limit
        ))
    };
    breach.or_else(lock)
}

/// Why `command` is held back, if it is. Exits never are.
pub(crate) fn objection(model: &Model, command: &Command) -> Option<String> {
    let held = held(model).filter(|_| command.risk() == Risk::Increasing)?;
    let Some(gauge) = locked(model) else {
        return Some(held);
    };
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
pub(crate) fn ask_to_lift(model: &Model) -> Next {
    let Some(identity) = model.identity.as_ref().filter(|_| locked(model).is_some()) else {
        return Next::Refuse("nothing is locked".to_owned());
    };
    let deed = Deed::Lift(identity.account_id.clone());
    Next::Open(Box::new(Overlay::Strip(Strip::confirm(deed, model.now))))
}

/// Measures anew; tells of a loss limit that has come nearer by a level, of a target that is reached, and of the end of
/// the challenge.
pub(crate) fn measure(model: &mut Model) -> Vec<Alert> {
    let local = Local::of(&model.options.guard, &model.store, model.wall_now());
    let facts = model.store.account.value();
    model.guard.peak = model.guard.peak.max(facts.and_then(|facts| facts.equity));
    let peak = model.guard.peak;
    let (mut gauges, mut missing) = (vec![], vec![]);
    for limit in Limit::iter() {
        let told = facts.and_then(|facts| told(limit, facts, peak));
        let own = local.gauge(limit);
        // A stricter limit of one's own is there to be held before the service's is.
        let counts = match (told, own.as_ref().ok()) {
            (Some(told), Some(own)) if limit.is_loss() && own.used > told.used => Some(own.clone()),
            (told, own) => told.or_else(|| own.cloned()),
        };
        let is_wanted = counts.is_none() || limit.is_loss() && own != Err(Missing::Unset);
        missing.extend(own.err().filter(|_| is_wanted).map(|why| (limit, why)));
        gauges.extend(counts);
    }
    model.guard.gauges = gauges;
    model.guard.missing = missing;
    if model.guard.reached().is_none() {
        model.guard.is_lifted = false;
    }
    news(model)
}

fn news(model: &mut Model) -> Vec<Alert> {
    let mut told = std::mem::take(&mut model.guard.told);
    let mut news = vec![];
    for limit in Limit::iter() {
        let gauge = model.guard.gauge(limit);
        if gauge.is_some_and(|gauge| !gauge.is_settled(model)) {
            continue;
        }
        let level = gauge.map_or(Level::Fine, Gauge::news);
        let before = told.insert(limit, level).unwrap_or(Level::Fine);
        news.extend(gauge.filter(|_| level > before).cloned());
    }
    model.guard.told = told;
    let verdict = verdict(model);
    let ended = verdict.clone().filter(|_| verdict != model.guard.verdict);
    model.guard.verdict = verdict;
    let news = news.into_iter().map(Alert::Guard);
    news.chain(ended.map(Alert::Challenge)).collect()
}

/// Which pages of closed positions are read on after this answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOn {
    /// Those of today, one after the other.
    Today,
    /// One more of all there are with every newest one: an account's whole past takes no more of the budget than that.
    Past,
}

impl ReadOn {
    /// A page that failed is not asked for again at once.
    pub(crate) fn after(answer: &Answer) -> Option<Self> {
        if let Answer::Closed(Ok(_)) = answer {
            return Some(Self::Past);
        }
        matches!(answer, Answer::MoreClosed(_, Ok(_))).then_some(Self::Today)
    }
}

/// The next page of closed positions, where a limit is measured by it.
pub(crate) fn read_on(model: &mut Model, pages: ReadOn) -> Option<Effect> {
    let guard = &model.guard;
    let mut lacks = guard.gauges.iter().flat_map(|gauge| &gauge.lacks);
    let is_past = |(_, why): &(Limit, Missing)| matches!(why, Missing::Lacks(Lack::Unread(_)));
    let wanted =
        lacks.any(Lack::is_unread) || (pages == ReadOn::Past && guard.missing.iter().any(is_past));
    let page = wanted.then(|| model.store.closed.ask_more()).flatten();
    page.map(Effect::MoreClosed)
}

/// What the service tells of a limit. `peak` is the highest equity it has told.
fn told(limit: Limit, facts: &AccountFacts, peak: Option<Num>) -> Option<Gauge> {
    let rule = facts
        .rules
        .iter()
        .find(|rule| rule.id.raw() == limit.rule());
    let figures = rule.map(|rule| (rule.value, rule.limit));
    let start = facts.starting_cash;
    let mut lacks = vec![];
    let used = match limit {
        Limit::DailyLoss => Num::from(1_u32).minus(facts.daily_loss_left?),
        Limit::Drawdown => {
            let (value, bound) = figures?;
            let (used, lack) = drawn_down((value, bound), rule?.from, start, peak)?;
            lacks.extend(lack);
            Some(used)
        }
        // Both figures are balances: how much of the way up is gone.
        Limit::Target => {
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
        lacks,
    })
}

/// How much of the way down to `bound` is gone, and what that is without. A floor that trails rises with the peak and
/// may stand at the start or above it; at the floor all is gone, whatever it was measured from.
fn drawn_down(
    (value, bound): (Num, Num),
    from: Option<Num>,
    start: Option<Num>,
    peak: Option<Num>,
) -> Option<(Num, Option<Lack>)> {
    if value <= bound {
        return Some((Num::ONE, None));
    }
    let (top, lack) = match from {
        Some(from) => (from, None),
        None => match peak.filter(|peak| start.is_some_and(|start| *peak > start)) {
            Some(peak) => (peak, Some(Lack::Peak)),
            None => (start?, None),
        },
    };
    // Above the top nothing is gone, wherever the floor stands.
    let gone = top.minus(value)?.max(Num::ZERO);
    if gone == Num::ZERO {
        return Some((gone, lack));
    }
    Some((gone.over(top.minus(bound)?)?, lack))
}
