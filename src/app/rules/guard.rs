//! How near the account is to its challenge limits, and the lock on entries when one is reached.
//!
//! Contract: pure. A figure comes from the service if it reports one, otherwise from the trader's settings and this
//! desk's reads, and says which. If both set a loss limit, the nearer one counts. A set limit is measured as far as
//! possible, and names what is missing; an unmeasured one says why. Closed positions that a limit needs are read
//! automatically. Only commands that increase exposure are held back; closes, cancels and reductions are not, by the
//! command's type. A person can override the lock; it returns when the limit is left and reached again.

use super::policy;
use crate::{
    app::{
        account::{
            guard::{Gauge, Lack, Level, Limit, Missing, Origin, Verdict},
            poll::{Answer, Source},
        },
        activity::alerts::Alert,
        core::{
            account::Account,
            effect::{Effect, ReadOnce},
        },
    },
    model::{AccountFacts, Num},
};

mod local;

use local::Local;
use strum::IntoEnumIterator;

#[cfg(test)]
mod tests;

/// How the challenge ended, if it has.
pub fn verdict(account: &Account) -> Option<Verdict> {
    let is_passed = |facts: &AccountFacts| facts.is_passed();
    let passed = || account.store.account.value().is_some_and(is_passed);
    breach(account)
        .map(Verdict::Breached)
        .or_else(|| passed().then_some(Verdict::Passed))
}

/// The rule that lost the challenge, if the service says so: an override does not help.
pub fn breach(account: &Account) -> Option<String> {
    let facts = account
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

/// The loss limit that locks entries now, and can be overridden.
pub fn locked(account: &Account) -> Option<&Gauge> {
    let locks = account.options.guard.lock && !account.guard.is_lifted && breach(account).is_none();
    account.guard.reached().filter(|_| locks)
}

/// Why entries are blocked now, in short: by the service, or by a loss limit.
pub fn held(account: &Account) -> Option<String> {
    policy::refuses(&account.store, None).or_else(|| lost(account))
}

fn lost(account: &Account) -> Option<String> {
    let breach = breach(account).filter(|_| account.options.guard.lock);
    let breach = breach.map(|rule| {
        format!("the account is breached by {rule}: the service accepts reducing orders only")
    });
    let lock = || Some(format!("entries locked by the {}", locked(account)?.limit));
    breach.or_else(lock)
}

/// Why commands that may raise exposure are held back, if so.
pub(crate) fn objection(account: &Account) -> Option<String> {
    let held = lost(account)?;
    let Some(gauge) = locked(account) else {
        return Some(held);
    };
    let source = match gauge.origin {
        Origin::Service => "",
        Origin::Local => " (local)",
    };
    Some(format!(
        "the {}{source} is used up: entries locked; closes and cancels still work. The limits show how to override \
         the lock",
        gauge.limit
    ))
}

/// Measures again. Reports a loss limit that came nearer by a level, a target that was reached, and the end of the
/// challenge.
pub(crate) fn measure(account: &mut Account) -> Vec<Alert> {
    let local = Local::of(&account.options.guard, &account.store, account.wall_now());
    let facts = account.store.account.value();
    account.guard.peak = account.guard.peak.max(facts.and_then(|facts| facts.equity));
    let peak = account.guard.peak;
    let (mut gauges, mut missing) = (vec![], vec![]);
    for limit in Limit::iter() {
        let reported = facts.and_then(|facts| service_gauge(limit, facts, peak));
        let own = local.gauge(limit);
        // A stricter limit of the trader's own applies before the service's.
        let counts = match (reported, own.as_ref().ok()) {
            (Some(reported), Some(own)) if limit.is_loss() && own.used > reported.used => {
                Some(own.clone())
            }
            (reported, own) => reported.or_else(|| own.cloned()),
        };
        let is_wanted = counts.is_none() || limit.is_loss() && own != Err(Missing::Unset);
        missing.extend(own.err().filter(|_| is_wanted).map(|why| (limit, why)));
        gauges.extend(counts);
    }
    account.guard.gauges = gauges;
    account.guard.missing = missing;
    if account.guard.reached().is_none() {
        account.guard.is_lifted = false;
    }
    news(account)
}

pub(crate) fn news(account: &mut Account) -> Vec<Alert> {
    let mut reported = std::mem::take(&mut account.guard.reported);
    let mut news = vec![];
    for limit in Limit::iter() {
        let gauge = account.guard.gauge(limit);
        if gauge.is_some_and(|gauge| !is_settled(gauge, account)) {
            continue;
        }
        let level = gauge.map_or(Level::Fine, Gauge::news);
        let before = reported.insert(limit, level).unwrap_or(Level::Fine);
        news.extend(gauge.filter(|_| level > before).cloned());
    }
    account.guard.reported = reported;
    let verdict = verdict(account);
    let ended = verdict.clone().filter(|_| verdict != account.guard.verdict);
    account.guard.verdict = verdict;
    let news = news.into_iter().map(Alert::Guard);
    news.chain(ended.map(Alert::Challenge)).collect()
}

/// Whether no command in progress may still make up for it.
fn is_settled(gauge: &Gauge, account: &Account) -> bool {
    let sources = [Source::Positions, Source::Closed, Source::Markets];
    let is_read = !gauge.lacks.iter().any(Lack::is_unread);
    let is_awaited = || sources.iter().any(|source| is_awaited(account, *source));
    gauge.origin == Origin::Service || is_read && !is_awaited()
}

/// Whether a source that is polled has neither answered nor failed yet.
fn is_awaited(account: &Account, source: Source) -> bool {
    account.options.intervals.contains_key(&source)
        && account.store.polled_at(source).is_none()
        && account.store.trouble(source).is_none()
}

/// Whether everything that the limits are measured by has answered, or failed.
pub(crate) fn is_informed(account: &Account) -> bool {
    let sources = [
        Source::Account,
        Source::Positions,
        Source::Closed,
        Source::Markets,
    ];
    !sources.iter().any(|source| is_awaited(account, *source))
}

/// Which pages of closed positions are read after this answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOn {
    /// Those of today, one after another.
    Today,
    /// One more older page with every newest one, so that a long history does not use up the request budget.
    Past,
}

impl ReadOn {
    /// A failed page is not retried at once.
    pub(crate) fn after(answer: &Answer) -> Option<Self> {
        if let Answer::Closed(Ok(_)) = answer {
            return Some(Self::Past);
        }
        matches!(answer, Answer::MoreClosed(_, Ok(_))).then_some(Self::Today)
    }
}

/// The next page of closed positions, if a limit needs it. Which limits do is known once everything has answered, in
/// whatever order.
pub(crate) fn read_on(account: &mut Account, pages: ReadOn) -> Option<Effect> {
    if !is_informed(account) {
        return None;
    }
    let guard = &account.guard;
    let mut lacks = guard.gauges.iter().flat_map(|gauge| &gauge.lacks);
    let is_past = |(_, why): &(Limit, Missing)| matches!(why, Missing::Lacks(Lack::Unread(_)));
    let wanted =
        lacks.any(Lack::is_unread) || (pages == ReadOn::Past && guard.missing.iter().any(is_past));
    let page = wanted.then(|| account.store.closed.ask_more()).flatten();
    page.map(ReadOnce::MoreClosed).map(Effect::Read)
}

/// The service's figure for a limit. `peak` is the highest equity it has reported.
pub(crate) fn service_gauge(
    limit: Limit,
    facts: &AccountFacts,
    peak: Option<Num>,
) -> Option<Gauge> {
    let rule = facts
        .rules
        .iter()
        .find(|rule| rule.id.raw() == limit.rule());
    let figures = rule.and_then(|rule| Some((rule.value?, rule.limit)));
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
        // Both figures are balances: the share of the way up.
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

/// The used share of the distance to `bound`, and what that leaves out. A trailing floor rises with the peak and may be
/// at or above the start; at the floor everything is used, whatever the base.
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
    // Above the base nothing is used, wherever the floor is.
    let gone = top.minus(value)?.max(Num::ZERO);
    if gone == Num::ZERO {
        return Some((gone, lack));
    }
    Some((gone.over(top.minus(bound)?)?, lack))
}
