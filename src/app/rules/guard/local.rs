//! Challenge figures that this desk computes itself, from the trader's settings and its reads.
//!
//! Contract: pure. Unknown values are not counted, and the figure says so; if nothing meaningful remains, there is no
//! figure.
//!
//! Known limits: days begin at the service's midnight ([`Zone::of_loss_day`]). A position counts entirely on the day it is closed, and an open one entirely today; its
//! realized part counts if the service reports it, for today only if it was opened today. Without equity from the
//! service, deposits and withdrawals are unknown: the account is computed from everything ever closed.

use crate::{
    app::account::{
        guard::{Gauge, Lack, Limit, Missing, Origin},
        store::Store,
        tally::Sum,
    },
    config,
    model::{AccountFacts, Num, Page, Position, Timestamp, Zone},
};

pub(super) struct Local<'a> {
    settings: &'a config::Guard,
    store: &'a Store,
    facts: Option<&'a AccountFacts>,
    now: Timestamp,
}

/// A figure, and what it leaves out.
#[derive(Default)]
struct Measured {
    value: Sum,
    lacks: Vec<Lack>,
}

impl Measured {
    fn whole(value: Num) -> Self {
        let mut measured = Self::default();
        measured.value.add(value);
        measured
    }

    fn loss(self) -> Result<(Num, Vec<Lack>), Missing> {
        let (gain, lacks) = self.gain()?;
        Ok((gain.negated(), lacks))
    }

    fn gain(self) -> Result<(Num, Vec<Lack>), Missing> {
        Ok((self.value.value().ok_or(Missing::TooLarge)?, self.lacks))
    }

    fn without(&mut self, unknown: usize) {
        self.lacks
            .extend((unknown > 0).then_some(Lack::Unknown(unknown)));
    }
}

impl<'a> Local<'a> {
    pub(super) fn of(settings: &'a config::Guard, store: &'a Store, now: Timestamp) -> Self {
        Self {
            settings,
            store,
            facts: store.account.value(),
            now,
        }
    }

    pub(super) fn gauge(&self, limit: Limit) -> Result<Gauge, Missing> {
        let bound = self.bound(limit).filter(|bound| bound.is_positive());
        let bound = bound.ok_or(Missing::Unset)?;
        let (value, lacks) = match limit {
            Limit::DailyLoss => self.today()?.loss()?,
            Limit::Drawdown => self.gained()?.loss()?,
            Limit::Target => self.gained()?.gain()?,
            Limit::TradingDays => {
                let count = i64::try_from(self.days()?.len());
                (count.map_err(|_| Missing::TooLarge)?.into(), vec![])
            }
            Limit::Consistency => {
                let share = best_share(&self.days()?).and_then(|best| best.times(Num::HUNDRED));
                (share.ok_or(Missing::TooLarge)?, vec![])
            }
        };
        let value = value.max(Num::ZERO);
        Ok(Gauge {
            limit,
            used: value.over(bound).ok_or(Missing::TooLarge)?,
            figures: Some((value, bound)),
            origin: Origin::Local,
            lacks,
        })
    }

    fn bound(&self, limit: Limit) -> Option<Num> {
        match limit {
            Limit::DailyLoss => self.settings.daily_loss,
            Limit::Drawdown => self.settings.drawdown,
            Limit::Target => self.settings.target,
            Limit::TradingDays => self.settings.trading_days.or_else(|| self.stated(limit)),
            Limit::Consistency => self.settings.consistency.or_else(|| self.stated(limit)),
        }
    }

    /// What the service requires without measuring it.
    fn stated(&self, limit: Limit) -> Option<Num> {
        Some(self.facts?.rule(limit.rule())?.limit)
    }

    /// The profit closed today, and that of the open positions.
    fn today(&self) -> Result<Measured, Missing> {
        if let Some(stated) = self.facts.and_then(|facts| facts.day_pnl) {
            return Ok(Measured::whole(stated));
        }
        let (closed, day) = (&self.store.closed, Zone::of_loss_day().day(self.now));
        if closed.head().value().is_none() && self.store.positions.value().is_none() {
            return Err(Missing::Lacks(Lack::Unread(0)));
        }
        let result = day.and_then(|day| self.store.loss_days.of(day));
        let (net, unknown) = result.copied().unwrap_or_default().known();
        let mut today = Measured {
            value: net,
            lacks: vec![],
        };
        let is_today = |at: Option<Timestamp>| at.and_then(|at| Zone::of_loss_day().day(at)) == day;
        let oldest = closed.rows().back().and_then(|row| row.closed_at);
        let reaches_back = oldest.is_some() && !is_today(oldest);
        today.lacks.extend(self.unread().filter(|_| !reaches_back));
        today.without(unknown + closed.unreadable());
        self.add_open(&mut today, |position| {
            position.net_pnl().filter(|_| is_today(position.opened_at))
        });
        Ok(today)
    }

    /// The account's profit since it began.
    fn gained(&self) -> Result<Measured, Missing> {
        let start = self.settings.start_balance;
        let equity = self.facts.and_then(|facts| facts.equity);
        if let Some((equity, start)) = equity.zip(start) {
            return Ok(Measured::whole(
                equity.minus(start).ok_or(Missing::TooLarge)?,
            ));
        }
        if let Some(lack) = self.unread() {
            return Err(Missing::Lacks(lack));
        }
        let (closed, results) = (&self.store.closed, &self.store.results);
        let mut all = Measured::whole(results.net().ok_or(Missing::TooLarge)?);
        all.without(closed.rows().len().saturating_sub(results.count) + closed.unreadable());
        self.add_open(&mut all, Position::net_pnl);
        Ok(all)
    }

    /// Adds the open positions: their realized part, and their profit at the mark.
    fn add_open(&self, to: &mut Measured, realized: impl Fn(&Position) -> Option<Num>) {
        let page = self.store.positions.value();
        if !page.is_some_and(Page::is_whole) {
            to.lacks.push(Lack::Open);
        }
        let mut unpriced = 0;
        for position in page.into_iter().flat_map(|page| &page.rows) {
            to.value.add(realized(position).unwrap_or(Num::ZERO));
            let mark = self.store.mark(&position.market_id);
            match mark.and_then(|mark| position.unrealized_pnl(mark)) {
                Some(profit) => to.value.add(profit),
                None => unpriced += 1,
            }
        }
        to.lacks
            .extend((unpriced > 0).then_some(Lack::Unpriced(unpriced)));
    }

    /// Which closed positions are missing.
    fn unread(&self) -> Option<Lack> {
        let closed = &self.store.closed;
        if closed.head().value().is_none() || closed.has_more() {
            return Some(Lack::Unread(closed.rows().len()));
        }
        closed.is_incomplete().then_some(Lack::Cut)
    }

    /// The net profit of every day with a closed position, if all are read.
    fn days(&self) -> Result<Vec<Num>, Missing> {
        let closed = &self.store.closed;
        let unknown = closed.rows().len().saturating_sub(self.store.results.count);
        let unknown = Lack::Unknown(unknown + closed.unreadable());
        let lack = self.unread();
        if let Some(lack) = lack.or((closed.unreadable() > 0).then_some(unknown)) {
            return Err(Missing::Lacks(lack));
        }
        let nets = self.store.loss_days.nets(closed.rows().len());
        nets.ok_or(Missing::Lacks(unknown))
    }
}

/// The best day's share of all profitable days.
fn best_share(days: &[Num]) -> Option<Num> {
    let gains = || days.iter().copied().filter(|net| net.is_positive());
    let all = gains().try_fold(Num::ZERO, Num::plus)?;
    match gains().max() {
        Some(best) => best.over(all),
        None => Some(Num::ZERO),
    }
}
