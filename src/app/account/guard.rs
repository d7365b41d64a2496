//! The current challenge limits, and how the challenge ended.

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

/// The source of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Service,
    /// The settings of this desk and its reads.
    Local,
}

/// What a local figure lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// This many open positions in markets without a known price.
    Unpriced(usize),
    /// The open positions, which are unknown or incomplete.
    Open,
    /// Closed positions that are still unread; this many were read.
    Unread(usize),
    /// This many closed positions with an unknown profit.
    Unknown(usize),
    /// Closed positions that the service has but gives no cursor for.
    Cut,
    /// The peak of a drawdown: the highest equity seen here is used instead.
    Peak,
}

/// Why a limit is not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The service does not report it and the settings do not set it.
    Unset,
    /// It depends on this.
    Lacks(Lack),
    /// The figures are too large to add up.
    TooLarge,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    pub limit: Limit,
    /// Share of the whole: 1 is reached; may exceed 1.
    pub used: Num,
    /// The measured value and the limit, if both are known. USD, days or percent.
    pub figures: Option<(Num, Num)>,
    pub origin: Origin,
    pub lacks: Vec<Lack>,
}

/// How the challenge ended, according to the service.
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
    /// A loss limit; the others are goals.
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

    /// What may still be lost before it is reached, USD, for a loss limit if known.
    fn left(&self) -> Option<Num> {
        let (value, bound) = self.figures.filter(|_| self.limit.is_loss())?;
        let left = match self.origin {
            // Equity above its floor.
            Origin::Service => value.minus(bound)?,
            Origin::Local => bound.minus(value)?,
        };
        Some(left.max(Num::ZERO))
    }

    /// The level for alerts.
    pub(crate) fn news(&self) -> Level {
        let reported = match self.limit {
            Limit::DailyLoss | Limit::Drawdown => Level::Near,
            Limit::Target => Level::Reached,
            Limit::TradingDays | Limit::Consistency => return Level::Fine,
        };
        Some(self.level())
            .filter(|level| *level >= reported)
            .unwrap_or(Level::Fine)
    }
}

impl Lack {
    pub(crate) fn is_unread(&self) -> bool {
        matches!(self, Self::Unread(_))
    }
}

/// The current gauges, and whether their lock is overridden.
#[derive(Debug, Default)]
pub struct Guard {
    pub gauges: Vec<Gauge>,
    pub(crate) missing: Vec<(Limit, Missing)>,
    /// The levels that were reported.
    pub(crate) reported: BTreeMap<Limit, Level>,
    /// The highest equity that the service reported, USD.
    pub(crate) peak: Option<Num>,
    /// The verdict that was reported.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) is_lifted: bool,
}

impl Guard {
    pub fn gauge(&self, limit: Limit) -> Option<&Gauge> {
        self.gauges.iter().find(|gauge| gauge.limit == limit)
    }

    /// Why this limit has no gauge.
    pub fn missing(&self, limit: Limit) -> Option<Missing> {
        let mut missing = self.missing.iter();
        missing
            .find(|(of, _)| *of == limit)
            .map(|(_, missing)| *missing)
    }

    /// The loss limit that is reached, overridden or not.
    pub fn reached(&self) -> Option<&Gauge> {
        let mut gauges = self.gauges.iter();
        gauges.find(|gauge| gauge.limit.is_loss() && gauge.level() == Level::Reached)
    }

    /// The loss limit with the least left, and how much that is, USD.
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
