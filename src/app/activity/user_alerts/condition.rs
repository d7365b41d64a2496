//! One alert: what it watches, which way the value must go, and what is known of the value so far.

use crate::model::{MarketId, MarketNames, Num, Timestamp};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use strum::Display;

/// Time between two firings of an alert that fires every time.
const COOL_DOWN: Duration = Duration::from_mins(1);
/// How far back the value must go before an alert can fire again, as a share of the level: 0.05 %.
const REARM_SHARE: (i64, u32) = (5, 4);

/// A value, and the smallest step that values of its kind take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertSample {
    pub value: Num,
    pub step: Num,
}

/// What is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertSubject {
    /// The mark, USD.
    Price(MarketId),
    /// The rate of an hour, as a share.
    Funding(MarketId),
    /// Unrealised profit of what is open in a market, USD.
    PositionPnl(MarketId),
    /// Unrealised profit of all that is open, USD.
    AccountPnl,
    /// From the mark to the nearest liquidation price in a market, as a share of the mark.
    LiquidationDistance(MarketId),
}

/// Which way the value must go. A crossing needs a value before it; above and below hold at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Display)]
#[serde(rename_all = "snake_case")]
pub enum AlertTrigger {
    #[strum(serialize = "crosses")]
    Crossing,
    #[strum(serialize = "crosses up")]
    CrossingUp,
    #[strum(serialize = "crosses down")]
    CrossingDown,
    #[strum(serialize = ">")]
    Above,
    #[strum(serialize = "<")]
    Below,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AlertRepeat {
    #[default]
    Once,
    /// Each time the value has gone back and come again, at most once a minute.
    Every,
}

/// Where the value was seen last, of its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LevelSide {
    Below,
    Above,
}

/// What an alert does with the next value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertPhase {
    #[default]
    Armed,
    /// It has fired, and waits for the value to go back.
    Rearming,
    /// It has fired once and is over.
    Done,
    Expired,
}

/// An alert of the trader's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserAlert {
    /// Of this session only.
    #[serde(skip)]
    pub id: u64,
    pub subject: AlertSubject,
    pub trigger: AlertTrigger,
    /// In the unit of the subject.
    pub level: Num,
    #[serde(default)]
    pub repeat: AlertRepeat,
    /// By the wall clock, as the two below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    pub set_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fired_at: Option<Timestamp>,
    #[serde(default)]
    pub phase: AlertPhase,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<LevelSide>,
}

impl AlertSubject {
    pub fn market_id(&self) -> Option<&MarketId> {
        match self {
            Self::Price(id)
            | Self::Funding(id)
            | Self::PositionPnl(id)
            | Self::LiquidationDistance(id) => Some(id),
            Self::AccountPnl => None,
        }
    }

    /// The word for it on the command line and in the facts of `alert_command`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Price(_) => "price",
            Self::Funding(_) => "funding",
            Self::PositionPnl(_) | Self::AccountPnl => "pnl",
            Self::LiquidationDistance(_) => "liq",
        }
    }

    pub fn is_price(&self) -> bool {
        matches!(self, Self::Price(_))
    }

    /// Whether its values are shares, written in percent.
    pub fn is_share(&self) -> bool {
        matches!(self, Self::Funding(_) | Self::LiquidationDistance(_))
    }

    /// A value of it as it is typed: shares in percent, whatever else in USD.
    pub fn written(&self, value: Num) -> String {
        if self.is_share() {
            let percent = value.times(Num::HUNDRED).unwrap_or(value);
            return format!("{}%", percent.normalized());
        }
        value.normalized().to_string()
    }
}

impl UserAlert {
    /// Whether it was set as the same one, whatever values it has met since.
    pub fn is_same(&self, other: &Self) -> bool {
        let set = |alert: &Self| {
            let what = (alert.subject.clone(), alert.trigger, alert.level);
            (what, alert.repeat, alert.expires_at, alert.set_at)
        };
        set(self) == set(other)
    }

    pub fn new(
        (subject, trigger, level): (AlertSubject, AlertTrigger, Num),
        repeat: AlertRepeat,
        expires_at: Option<Timestamp>,
        set_at: Timestamp,
    ) -> Self {
        Self {
            id: 0,
            subject,
            trigger,
            level,
            repeat,
            expires_at,
            set_at,
            fired_at: None,
            phase: AlertPhase::Armed,
            side: None,
        }
    }

    /// Whether it can still fire.
    pub fn is_waiting(&self) -> bool {
        matches!(self.phase, AlertPhase::Armed | AlertPhase::Rearming)
    }

    /// Whether its time has run out just now.
    pub(super) fn expire(&mut self, now: Timestamp) -> bool {
        let is_over = self.is_waiting() && self.expires_at.is_some_and(|end| end <= now);
        if is_over {
            self.phase = AlertPhase::Expired;
        }
        is_over
    }

    /// Takes the next fresh value in; whether it fires by that.
    pub(super) fn judge(&mut self, sample: AlertSample, now: Timestamp) -> bool {
        if self.phase == AlertPhase::Rearming && self.is_back(sample) {
            self.phase = AlertPhase::Armed;
        }
        let cools = self.fired_at.is_some_and(|at| now.since(at) < COOL_DOWN);
        let fires = self.phase == AlertPhase::Armed && self.is_met(sample.value) && !cools;
        if sample.value != self.level {
            self.side = Some(if sample.value < self.level {
                LevelSide::Below
            } else {
                LevelSide::Above
            });
        }
        if fires {
            self.fired_at = Some(now);
            self.phase = match self.repeat {
                AlertRepeat::Once => AlertPhase::Done,
                AlertRepeat::Every if self.is_back(sample) => AlertPhase::Armed,
                AlertRepeat::Every => AlertPhase::Rearming,
            };
        }
        fires
    }

    fn is_met(&self, value: Num) -> bool {
        let rises = self.side == Some(LevelSide::Below) && value >= self.level;
        let falls = self.side == Some(LevelSide::Above) && value <= self.level;
        match self.trigger {
            AlertTrigger::Crossing => rises || falls,
            AlertTrigger::CrossingUp => rises,
            AlertTrigger::CrossingDown => falls,
            AlertTrigger::Above => value > self.level,
            AlertTrigger::Below => value < self.level,
        }
    }

    /// Whether the value has gone far enough from the level for another firing to be news.
    fn is_back(&self, sample: AlertSample) -> bool {
        let Some(away) = sample.value.minus(self.level) else {
            return false;
        };
        let steps = sample.step.times(Num::from(2_u32)).unwrap_or(Num::ZERO);
        let (mantissa, scale) = REARM_SHARE;
        let share = self.level.abs().times(Num::new(mantissa, scale));
        let share = share.unwrap_or(Num::ZERO);
        let far = steps.max(share);
        match self.trigger {
            AlertTrigger::Crossing => away.abs() >= far,
            AlertTrigger::CrossingUp | AlertTrigger::Above => away.negated() >= far,
            AlertTrigger::CrossingDown | AlertTrigger::Below => away >= far,
        }
    }
}

impl UserAlert {
    /// As it is typed after `:alert`: `btc > 66000`, `btc liq < 5% every`. Its end is not part of it.
    pub fn words(&self, names: &MarketNames) -> String {
        let market = self.subject.market_id().map(|id| names.typed(id));
        let subject = (!self.subject.is_price()).then(|| self.subject.word().to_owned());
        let level = self.subject.written(self.level);
        let repeat = match self.repeat {
            AlertRepeat::Once => None,
            AlertRepeat::Every => Some(self.repeat.to_string()),
        };
        let condition = [Some(self.trigger.to_string()), Some(level)];
        let words = [market, subject]
            .into_iter()
            .chain(condition)
            .chain([repeat]);
        words.flatten().collect::<Vec<_>>().join(" ")
    }
}
