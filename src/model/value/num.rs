//! Exact decimals: the digits of the JSON text.

use derive_more::{Display, From};
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use std::{
    fmt,
    io::{self, Write as _},
    str::FromStr,
};

/// An exact decimal: a price, a size, an amount of USD. Never goes through `f64`.
///
/// It parses the text of a JSON number (`RawValue`, measured 10 % slower than `f64`) and writes the same digits.
/// Arithmetic returns `None` instead of overflowing, so an impossible sum is unknown on the screen, not wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Display, From)]
#[from(i64, u32)]
pub struct Num(Decimal);

/// Why a text is not a number perpdeck can hold exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumError {
    #[error("not a number")]
    NotANumber,
    #[error("more digits than can be held exactly (28)")]
    TooPrecise,
}

impl Num {
    pub const ZERO: Self = Self(Decimal::ZERO);
    pub const ONE: Self = Self(Decimal::ONE);
    pub const HUNDRED: Self = Self(Decimal::ONE_HUNDRED);

    /// `mantissa × 10^-scale`: `Num::new(12345, 2)` is 123.45. Scales above 28 count as 28.
    pub fn new(mantissa: i64, scale: u32) -> Self {
        Self(Decimal::new(mantissa, scale.min(Decimal::MAX_SCALE)))
    }

    /// As [`Num::new`] for wide integers (the exchange's micro-USD); `None` past 28 digits.
    pub fn from_scaled(mantissa: i128, scale: u32) -> Option<Self> {
        Decimal::try_from_i128_with_scale(mantissa, scale)
            .ok()
            .map(Self)
    }

    /// The number as an integer count of `10^-scale`, or `None` if it has finer digits or does not fit.
    pub fn to_scaled<Count: TryFrom<i128>>(self, scale: u32) -> Option<Count> {
        let (mantissa, own) = (self.0.mantissa(), self.0.scale());
        let ten_to = |power: u32| 10_i128.checked_pow(power);
        let count = if own <= scale {
            mantissa.checked_mul(ten_to(scale - own)?)?
        } else {
            let unit = ten_to(own - scale)?;
            (mantissa % unit == 0).then_some(mantissa / unit)?
        };
        let fits = count.unsigned_abs() <= Decimal::MAX.mantissa().unsigned_abs();
        Count::try_from(count).ok().filter(|_| fits)
    }

    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    pub fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    pub fn times(self, other: Self) -> Option<Self> {
        self.0.checked_mul(other.0).map(Self)
    }

    /// `None` when `other` is zero.
    pub fn over(self, other: Self) -> Option<Self> {
        self.0.checked_div(other.0).map(Self)
    }

    /// How far it is from `from`, in percent of `from`.
    pub fn percent_from(self, from: Self) -> Option<Self> {
        self.minus(from)?.times(Self::HUNDRED)?.over(from)
    }

    /// The remainder of dividing by `other`; `None` if that is zero.
    pub fn modulo(self, other: Self) -> Option<Self> {
        self.0.checked_rem(other.0).map(Self)
    }

    #[must_use]
    pub fn abs(self) -> Self {
        Self(self.0.abs())
    }

    #[must_use]
    pub fn negated(self) -> Self {
        if self.is_zero() { self } else { Self(-self.0) }
    }

    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    pub fn is_positive(self) -> bool {
        self > Self::ZERO
    }

    pub fn is_negative(self) -> bool {
        self < Self::ZERO
    }

    /// Digits after the decimal point, as written.
    pub fn decimals(self) -> u32 {
        self.0.scale()
    }

    /// Rounded half away from zero to exactly `decimals` places, for display.
    #[must_use]
    pub fn rounded(self, decimals: u32) -> Self {
        if self.decimals() == decimals {
            return self;
        }
        let mut value = self
            .0
            .round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
        value.rescale(decimals);
        Self(value)
    }

    /// Rounded towards zero to a multiple of `10^-decimals`: a size that must not exceed the request.
    #[must_use]
    pub fn truncated(self, decimals: u32) -> Self {
        Self(self.0.trunc_with_scale(decimals))
    }

    /// Without trailing zeros.
    #[must_use]
    pub fn normalized(self) -> Self {
        Self(self.0.normalize())
    }

    /// The digits unchanged, with thousands separators.
    pub fn grouped(self) -> String {
        let text = self.abs().to_string();
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text.as_str(), None),
        };
        let mut out = String::with_capacity(text.len() + whole.len() / 3 + 1);
        if self.is_negative() {
            out.push('-');
        }
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i).is_multiple_of(3) {
                out.push(',');
            }
            out.push(digit);
        }
        if let Some(fraction) = fraction {
            out.push('.');
            out.push_str(fraction);
        }
        out
    }

    /// The integer part, rounded towards zero; `None` if it does not fit.
    pub fn to_i64(self) -> Option<i64> {
        i64::try_from(self.0.trunc().mantissa()).ok()
    }
}

impl FromStr for Num {
    type Err = NumError;

    /// Parses JSON number text (`0.10`, `-3`, `1e-7`). Refuses a number it cannot hold exactly.
    fn from_str(text: &str) -> Result<Self, NumError> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((m, e)) => (m, e.parse::<i32>().map_err(|_| NumError::NotANumber)?),
            None => (text, 0),
        };
        if !is_plain_number(mantissa) {
            return Err(NumError::NotANumber);
        }
        let value = Decimal::from_str_exact(mantissa).map_err(|_| NumError::TooPrecise)?;
        let value = shifted(value, exponent).ok_or(NumError::TooPrecise)?;
        Ok(if value.is_zero() {
            Self(value.abs())
        } else {
            Self(value)
        })
    }
}

/// Digits with at most one point, as in JSON: `Decimal` alone also accepts `1_0` and `+1`.
fn is_plain_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match digits.split_once('.') {
        Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
        None => all_digits(digits),
    }
}

fn shifted(value: Decimal, exponent: i32) -> Option<Decimal> {
    if exponent >= 0 {
        let exponent = u32::try_from(exponent)
            .ok()
            .filter(|e| *e <= Decimal::MAX_SCALE)?;
        let factor = Decimal::try_from_i128_with_scale(10_i128.checked_pow(exponent)?, 0).ok()?;
        return value.checked_mul(factor);
    }
    let scale = value.scale().checked_add(exponent.unsigned_abs())?;
    Decimal::try_from_i128_with_scale(value.mantissa(), scale).ok()
}

impl fmt::Debug for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        read(raw.get(), raw.get())
    }
}

fn read<E: serde::de::Error>(digits: &str, raw: &str) -> Result<Num, E> {
    let number = digits.parse();
    number.map_err(|why| E::custom(format_args!("{why}: {raw:.40}")))
}

/// A number of a service's row: also one whose digits are text.
#[derive(Deserialize)]
struct RowNumber(#[serde(deserialize_with = "Num::read_row")] Num);

impl Num {
    /// For `deserialize_with`: a number of a service's row, also one whose digits are text.
    pub(in crate::model) fn read_row<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(from)?;
        read(raw.get().trim_matches('"'), raw.get())
    }

    /// The same where it may be missing or null.
    pub(in crate::model) fn read_row_any<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Self>, D::Error> {
        let row_number = Option::<RowNumber>::deserialize(from)?;
        Ok(row_number.map(|RowNumber(number)| number))
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = NumText::of(*self).map_err(S::Error::custom)?;
        let raw: &RawValue = serde_json::from_slice(text.bytes()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// The digits of a number on the stack: rows of the exchange have a dozen numbers each.
struct NumText {
    room: [u8; NumText::LONGEST],
    free: usize,
}

impl NumText {
    /// Sign, point and the 29 digits that a decimal holds at most, or 28 behind `0.`; with room to spare.
    const LONGEST: usize = 40;

    fn of(number: Num) -> io::Result<Self> {
        let mut room = [0; Self::LONGEST];
        let mut rest = room.as_mut_slice();
        write!(rest, "{number}")?;
        let free = rest.len();
        Ok(Self { room, free })
    }

    fn bytes(&self) -> &[u8] {
        let used = Self::LONGEST - self.free;
        self.room.get(..used).unwrap_or_default()
    }
}

/// Basis points: hundredths of a percent.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Display,
)]
#[display("{_0} bps")]
#[serde(transparent)]
pub struct Bps(pub Num);

#[cfg(test)]
mod tests {
    use crate::model::value::num::*;

    fn json(text: &str) -> Result<Num, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    #[test]
    fn every_digit_of_a_number_survives_the_round_trip() {
        for text in [
            "0.10",
            "64123.5",
            "100.00",
            "12345678901234567.12345678",
            "-0.5",
            "0",
        ] {
            let num = json(text).unwrap();
            assert_eq!(serde_json::to_string(&num).unwrap(), text);
        }
    }

    #[test]
    fn exponents_are_read_exactly() {
        assert_eq!(json("1e-7").unwrap(), Num::new(1, 7));
        assert_eq!(json("1.7E12").unwrap(), Num::from(1_700_000_000_000_i64));
        assert_eq!(json("-0").unwrap().to_string(), "0");
    }

    #[test]
    fn what_cannot_be_held_exactly_is_refused_not_rounded() {
        for text in ["1e400", "1e-29", "1234567890123456789012345678901"] {
            assert!(json(text).unwrap_err().contains("exactly"), "{text}");
        }
        for text in ["\"1\"", "null", "[1]", "true"] {
            assert!(json(text).unwrap_err().contains("not a number"), "{text}");
        }
    }

    #[test]
    fn impossible_sums_are_unknown() {
        assert_eq!(Num::ONE.over(Num::ZERO), None);
        let huge: Num = "79228162514264337593543950335".parse().unwrap();
        assert_eq!(huge.times(huge), None);
    }

    #[test]
    fn scaled_integers_keep_every_digit_or_say_no() {
        assert_eq!(Num::new(150, 2).to_scaled(3), Some(1500));
        assert_eq!(Num::new(15, 1).to_scaled::<i128>(0), None);
        assert_eq!(Num::new(-1500, 3).to_scaled(1), Some(-15));
        assert_eq!(Num::ZERO.to_scaled(28), Some(0));
        let widest: Num = "79228162514264337593543950335".parse().unwrap();
        assert_eq!(widest.to_scaled(0), Some((1_i128 << 96) - 1));
        assert_eq!(widest.to_scaled::<i128>(1), None);
        assert_eq!(widest.to_scaled::<i64>(0), None);
        assert_eq!(Num::ONE.to_scaled::<i128>(29), None);
        assert_eq!(
            Num::from_scaled(-1_234_567, 6).unwrap().to_string(),
            "-1.234567"
        );
    }

    #[test]
    fn the_longest_numbers_go_to_the_wire_with_every_digit() {
        for text in [
            "0",
            "-0.5",
            "79228162514264337593543950335",
            "-79228162514264337593543950335",
            "-7.9228162514264337593543950335",
            "-0.0000000000000000000000000001",
        ] {
            let number: Num = text.parse().unwrap();
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
    }
}
