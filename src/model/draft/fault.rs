//! Errors of a draft, field by field.

use super::{
    super::{ExitConflict, Num},
    DistanceFault, Field,
};
use std::{fmt, ops::RangeInclusive};

/// How long a TWAP may last (docs/service-api.md 4.2).
pub(super) const MINUTES: RangeInclusive<u32> = 5..=1_440;

/// Why a field cannot be sent as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftFault {
    #[error("required")]
    Missing,
    #[error("bracket: {0}")]
    Bracket(DistanceFault),
    #[error("no commas: write 1.5 or 1000")]
    Comma,
    #[error("write the digits out, without an exponent")]
    Exponent,
    #[error("write the minus as -")]
    ForeignMinus,
    #[error("write the digits as 0 to 9")]
    ForeignDigits,
    #[error("not a number: digits and one point only")]
    NotANumber,
    #[error("more digits than can be held exactly (28)")]
    TooManyDigits,
    #[error("must be above 0")]
    NotPositive,
    #[error("must be 0 or more")]
    Negative,
    #[error("not on the tick of {tick}: {}", either(*.below, *.above))]
    OffTick { tick: Num, below: Num, above: Num },
    #[error(
        "a percentage of what only reduces is of an open position: there is none that this reduces"
    )]
    PercentOfNothing,
    #[error(
        "this is against the open position: choose reduce-only for a share of that, or write the size"
    )]
    PercentAgainst,
    #[error("the free margin is not known: write the size in coin or $1000")]
    UnknownMargin,
    #[error("the account's equity is not known")]
    UnknownEquity,
    #[error("no margin is free")]
    NoMargin,
    #[error("the open position alone needs that margin at this leverage")]
    MarginOfPosition,
    #[error("a share of the free margin needs a leverage")]
    UnknownLeverage,
    #[error("more than 100 %")]
    AboveAll,
    #[error("more than the position, {0}")]
    AbovePosition(Num),
    #[error("not in lots of {lot}: {}", either(*.below, *.above))]
    OffLot { lot: Num, below: Num, above: Num },
    #[error("less than the smallest size, {0}")]
    BelowLot(Num),
    #[error("the smallest size of this market is not known: write it in coin")]
    UnknownLot,
    #[error("no price of this market is known: write the observed mid")]
    NoMid,
    #[error("must be {0} to {1}")]
    OutOfRange(Num, Num),
    #[error("no price to convert with: write it in coin")]
    UnknownPrice,
    #[error("needs the {} first", .0.label())]
    Needs(Field),
    #[error("awaits more: {0}")]
    Incomplete(String),
    #[error("no {0} price is known here: write the price")]
    UnknownAnchor(&'static str),
    #[error("r needs an entry price and a stop loss")]
    RiskWithoutStop,
    #[error(
        "r is the loss at a stop loss, which an order of this type cannot have: write its size"
    )]
    RiskWithoutStopField,
    #[error("a long's stop must be below its entry (a short's above)")]
    StopOnWrongSide,
    #[error("r is the loss of an entry at its stop loss: a close has none, write its size")]
    RiskOnExit,
    #[error(
        "liquidated at est. {0}, before the stop: r cannot size it; a nearer stop or less leverage"
    )]
    StopPastLiquidation(Num),
    #[error(
        "this limit crosses the market and would fill at once: it needs your confirmation here"
    )]
    Crosses,
    #[error("the position is not known")]
    UnknownPosition,
    #[error(transparent)]
    Exits(ExitConflict),
    #[error("the total would be below 0: there is {0} now")]
    BelowZero(Num),
    #[error("not a time: write 90s, 30m, 2h, 1d, 18:00 or 2026-01-05 18:00")]
    NotAnInstant,
    #[error(
        "write whole minutes from {} to {}: 30, 90m, 2h or 1d",
        MINUTES.start(),
        Num::from(*MINUTES.end()).grouped()
    )]
    NotASpan,
    #[error("must be a whole number")]
    NotWhole,
    #[error("this time has passed")]
    Past,
    #[error("above {0}, the most this market takes")]
    AboveMarket(u32),
}

/// A price of 0 is not valid, so it is not suggested.
fn either(below: Num, above: Num) -> String {
    if below.is_zero() {
        return above.to_string();
    }
    format!("{below} or {above}")
}

/// The errors, in the order of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults(pub Vec<(Field, DraftFault)>);

impl Faults {
    pub fn of(&self, field: Field) -> Option<&DraftFault> {
        let mut here = self.0.iter().filter(|(known, _)| *known == field);
        here.next().map(|(_, fault)| fault)
    }

    /// The value, unless there are errors.
    pub(super) fn none<T>(self, read: Option<T>) -> Result<T, Self> {
        match read {
            Some(value) if self.0.is_empty() => Ok(value),
            Some(_) | None => Err(self),
        }
    }

    /// The value; an error is recorded and gives `None`.
    pub(super) fn take<T>(&mut self, field: Field, read: Result<T, DraftFault>) -> Option<T> {
        read.map_err(|fault| self.0.push((field, fault))).ok()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (field, fault)) in self.0.iter().enumerate() {
            let before = if i == 0 { "" } else { "; " };
            write!(f, "{before}{}: {fault}", field.label())?;
        }
        Ok(())
    }
}
