//! The limits of a challenge as they are now, and how the challenge has ended.

use crate::model::Num;
use std::collections::BTreeMap;
use strum::Display;
use strum::EnumIter;

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

    pub(crate) fn rule(self) -> &'static str {
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
    pub(crate) fn news(&self) -> Level {
        let told = match self.limit {
            Limit::DailyLoss | Limit::Drawdown => Level::Near,
            Limit::Target => Level::Reached,
            Limit::TradingDays | Limit::Consistency => return Level::Fine,
        };
        Some(self.level())
            .filter(|level| *level >= told)
            .unwrap_or(Level::Fine)
    }
}

impl Lack {
    pub(crate) fn is_unread(&self) -> bool {
        matches!(self, Self::Unread(_))
    }
}

/// The gauges as they are now, and whether their lock is lifted.
#[derive(Debug, Default)]
pub struct Guard {
    pub gauges: Vec<Gauge>,
    pub(crate) missing: Vec<(Limit, Missing)>,
    /// The levels that have been told of.
    pub(crate) told: BTreeMap<Limit, Level>,
    /// The highest equity that the service has told, USD.
    pub(crate) peak: Option<Num>,
    /// That has been told of, too.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) is_lifted: bool,
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
