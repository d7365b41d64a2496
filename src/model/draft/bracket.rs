//! The stop and targets that go with an entry, and the distance of a stop that trails.
//!
//! Contract: pure. A bracket is read once, from its text in the settings; its prices follow from an entry at the time of
//! the order, on the price grid. What a distance needs and nobody knows is an error, never another distance.

use super::{
    super::{Num, Protection, Side, Tick},
    DraftFault,
    number::positive,
};
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// How far a price is from another one, on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// `40t`
    Ticks(Num),
    /// `0.5%`
    Percent(Num),
    /// `1.5atr`: mean ranges of candles of one minute.
    Ranges(Num),
    /// `$25`: lost or won by the whole size.
    Usd(Num),
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ticks(count) => write!(f, "{count}t"),
            Self::Percent(share) => write!(f, "{share}%"),
            Self::Ranges(count) => write!(f, "{count}atr"),
            Self::Usd(usd) => write!(f, "${usd}"),
        }
    }
}

type OfNumber = fn(Num) -> Distance;

/// What a distance is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistanceBasis {
    pub price: Num,
    pub tick: Tick,
    pub size: Option<Num>,
    /// The mean range of a minute.
    pub range: Option<Num>,
}

/// Why a distance is no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DistanceFault {
    #[error("the mean range is not known yet: show the chart of this market in 1m candles")]
    UnknownRange,
    #[error("an amount in USD needs the size first")]
    UnknownSize,
    #[error("no price of this market is known")]
    UnknownPrice,
    #[error("it is further away than the price itself")]
    TooFar,
}

impl Distance {
    /// # Errors
    /// What can be written.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim().to_ascii_lowercase();
        let signs: [(&str, OfNumber); 3] = [
            ("atr", Self::Ranges),
            ("t", Self::Ticks),
            ("%", Self::Percent),
        ];
        let with_sign = signs
            .iter()
            .find_map(|(sign, of)| Some((text.strip_suffix(sign)?, *of)));
        let usd = || Some((text.strip_prefix('$')?, Self::Usd as OfNumber));
        let (number, of) = with_sign.or_else(usd).unwrap_or(("", Self::Ticks));
        positive(number)
            .map(of)
            .map_err(|_| format!("{text:?} is no distance: write 40t (ticks), 0.5%, 1.5atr or $25"))
    }

    /// The distance in USD of price, not yet on the grid.
    ///
    /// # Errors
    /// What it needs and nobody knows.
    pub fn usd(self, basis: DistanceBasis) -> Result<Num, DistanceFault> {
        let far = match self {
            Self::Ticks(count) => count.times(basis.tick.step()),
            Self::Percent(share) => {
                let part = basis.price.times(share);
                part.and_then(|part| part.over(Num::HUNDRED))
            }
            Self::Ranges(count) => count.times(basis.range.ok_or(DistanceFault::UnknownRange)?),
            Self::Usd(usd) => usd.over(basis.size.ok_or(DistanceFault::UnknownSize)?),
        };
        far.ok_or(DistanceFault::TooFar)
    }

    /// The price of this exit of an entry on `side`.
    ///
    /// # Errors
    /// As [`Self::usd`], or if the price would not be above zero.
    pub fn exit(
        self,
        exit: Protection,
        side: Side,
        basis: DistanceBasis,
    ) -> Result<Num, DistanceFault> {
        let far = self.usd(basis)?;
        let is_above = (exit == Protection::Target) == (side == Side::Buy);
        let price = if is_above {
            basis.price.plus(far)
        } else {
            basis.price.minus(far)
        };
        let price = price.map(|price| price.max(Num::ZERO));
        let price = price.map(|price| basis.tick.near(price).normalized());
        price
            .filter(|price| price.is_positive() && *price != basis.price)
            .ok_or(DistanceFault::TooFar)
    }
}

/// A target, and its share of what fills, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BracketTarget {
    pub distance: Distance,
    pub share: Num,
}

/// A target that is placed after the fill, and its share of that in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaterTarget {
    pub price: Num,
    pub share: Num,
}

impl LaterTarget {
    /// How much each of these closes of what has filled, in whole lots. The last of targets for all of it gets what rounding
    /// leaves.
    pub fn sizes(targets: &[Self], filled: Num, decimals: u32) -> Vec<Num> {
        let (mut left, mut share_left) = (filled, Num::HUNDRED);
        let size = |target: &Self| {
            share_left = share_left.minus(target.share).unwrap_or_default();
            let part = filled.times(target.share);
            let part = part.and_then(|part| part.over(Num::HUNDRED));
            let part = part.unwrap_or_default().truncated(decimals);
            let size = if share_left.is_zero() { left } else { part };
            left = left.minus(size).unwrap_or_default();
            size.normalized()
        };
        targets.iter().map(size).collect()
    }
}

/// What goes with every entry of a market; nothing of it is no bracket.
#[derive(Debug, Clone, Default, PartialEq, Eq, derive_more::Display)]
#[display("{text}")]
pub struct Bracket {
    text: String,
    pub stop: Option<Distance>,
    pub targets: Vec<BracketTarget>,
    /// How far a stop trails; without it as far as it is.
    pub trail: Option<Distance>,
}

impl Bracket {
    /// Whether an entry is sent with something.
    pub fn is_attached(&self) -> bool {
        self.stop.is_some() || !self.targets.is_empty()
    }

    /// The target of the whole size, which the service takes with the entry.
    pub fn only_target(&self) -> Option<Distance> {
        match self.targets.as_slice() {
            [one] if one.share == Num::HUNDRED => Some(one.distance),
            _ => None,
        }
    }

    /// The targets that are placed after the fill, because one request takes only one target.
    pub fn later_targets(&self) -> &[BracketTarget] {
        if self.only_target().is_some() {
            &[]
        } else {
            &self.targets
        }
    }

    fn take(&mut self, part: &str) -> Result<(), String> {
        let words: Vec<_> = part.split_whitespace().collect();
        let twice = |word| Err(format!("two {word}s: one is allowed"));
        match words.as_slice() {
            ["stop", _] if self.stop.is_some() => twice("stop"),
            ["trail", _] if self.trail.is_some() => twice("trail"),
            ["stop", far] => Distance::read(far).map(|far| self.stop = Some(far)),
            ["trail", far] => Distance::read(far).map(|far| self.trail = Some(far)),
            ["target", far] => self.target(far, "100%"),
            ["target", far, share] => self.target(far, share),
            _ => Err(format!(
                "{part:?} is no part of a bracket: write \"stop 40t, target 80t 50%, target 160t 50%, trail 40t\""
            )),
        }
    }

    fn target(&mut self, far: &str, share: &str) -> Result<(), String> {
        let number = share.strip_suffix('%').and_then(|it| positive(it).ok());
        let share = number
            .filter(|share| *share <= Num::HUNDRED)
            .ok_or_else(|| format!("{share:?} is no share of a target: write 50%"))?;
        let distance = Distance::read(far)?;
        self.targets.push(BracketTarget { distance, share });
        let mut shares = self.targets.iter().map(|target| target.share);
        let sum = shares.try_fold(Num::ZERO, Num::plus);
        if sum.is_none_or(|sum| sum > Num::HUNDRED) {
            return Err("the targets are for more than 100%: write the share of each".to_owned());
        }
        Ok(())
    }
}

impl TryFrom<&str> for Bracket {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        let text = text.trim().to_ascii_lowercase();
        let mut bracket = Self {
            text: text.clone(),
            ..Self::default()
        };
        let parts = text.split(',').map(str::trim);
        for part in parts.filter(|_| !text.is_empty()) {
            bracket.take(part)?;
        }
        Ok(bracket)
    }
}

impl<'de> Deserialize<'de> for Bracket {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::try_from(text.as_str()).map_err(D::Error::custom)
    }
}

impl Serialize for Bracket {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl From<DistanceFault> for DraftFault {
    fn from(why: DistanceFault) -> Self {
        Self::Bracket(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn basis() -> DistanceBasis {
        DistanceBasis {
            price: num("64000"),
            tick: Tick::of(num("0.5")).unwrap(),
            size: Some(num("0.1")),
            range: Some(num("24")),
        }
    }

    #[test]
    fn a_distance_is_in_ticks_percent_ranges_or_usd_of_the_size() {
        let exit = |text, which, side| {
            let price = Distance::read(text).unwrap().exit(which, side, basis());
            price.unwrap().to_string()
        };
        for (text, stop, target) in [
            ("40t", "63980", "64020"),
            ("0.5%", "63680", "64320"),
            ("1.5atr", "63964", "64036"),
            ("$25", "63750", "64250"),
        ] {
            assert_eq!(exit(text, Protection::Stop, Side::Buy), stop, "{text}");
            assert_eq!(exit(text, Protection::Target, Side::Buy), target, "{text}");
            assert_eq!(exit(text, Protection::Stop, Side::Sell), target, "{text}");
            assert_eq!(exit(text, Protection::Target, Side::Sell), stop, "{text}");
        }
        for text in ["", "40", "t", "-1%", "0t", "five"] {
            assert!(Distance::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_distance_that_cannot_be_computed_is_no_price() {
        let bare = DistanceBasis {
            size: None,
            range: None,
            ..basis()
        };
        let fault = |text, basis| {
            let price = Distance::read(text).unwrap();
            price.exit(Protection::Stop, Side::Buy, basis).unwrap_err()
        };
        assert_eq!(fault("1atr", bare), DistanceFault::UnknownRange);
        assert_eq!(fault("$25", bare), DistanceFault::UnknownSize);
        assert_eq!(fault("100%", basis()), DistanceFault::TooFar);
    }

    #[test]
    fn a_bracket_has_a_stop_and_targets_with_their_shares() {
        let read = |text| Bracket::try_from(text);
        let several = read("stop 1%, target 80t 50%, target 160t 30%, trail 40t").unwrap();
        let shares: Vec<_> = several.later_targets().iter().map(|it| it.share).collect();
        assert_eq!(shares, [num("50"), num("30")]);
        assert_eq!(several.only_target(), None);
        assert_eq!(several.trail, Some(Distance::Ticks(num("40"))));
        let one = read("stop 1%, target 2%").unwrap();
        assert_eq!(one.only_target(), Some(Distance::Percent(num("2"))));
        assert!(one.later_targets().is_empty());
        assert!(!read("").unwrap().is_attached());
        for (text, why) in [
            ("stop", "is no part of a bracket"),
            ("stop 1%, stop 2%", "two stops"),
            ("stop 1", "is no distance"),
            ("target 1%, target 2%", "more than 100%"),
            ("target 1% half", "is no share"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
