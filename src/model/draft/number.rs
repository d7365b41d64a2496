//! The grammar of typed numbers.

use super::{
    super::{Num, NumError},
    DraftFault,
};

/// A longer text cannot be an exact number, however many of its digits are zeros.
const LONGEST: usize = 40;

/// The most digits after the point: the lot if none is known.
const FINEST: u32 = 28;

/// A size as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// `0.5`: in coin.
    Coin(Num),
    /// `$1000`: this value in USD.
    Notional(Num),
    /// `50%`: of the position it reduces; for an entry, of the free margin.
    Percent(Num),
    /// `r25`: loses this many USD at the stop loss, including known fees.
    AtRisk(Num),
}

impl Amount {
    /// In whole lots of coin at `price`, a share being of the `equity`; what is lost at a stop needs the stop.
    pub fn coins(
        self,
        equity: Option<Num>,
        price: Option<Num>,
        decimals: Option<u32>,
    ) -> Result<Num, DraftFault> {
        let usd = match self {
            Self::Coin(size) => return typed_lots(size, decimals),
            Self::Notional(usd) => usd,
            Self::Percent(share) => {
                let equity = equity.ok_or(DraftFault::UnknownEquity)?;
                share_of(equity, share).ok_or(DraftFault::TooManyDigits)?
            }
            Self::AtRisk(_) => return Err(DraftFault::RiskWithoutStop),
        };
        let decimals = decimals.ok_or(DraftFault::UnknownLot)?;
        let price = price.ok_or(DraftFault::UnknownPrice)?;
        let size = usd.over(price).ok_or(DraftFault::TooManyDigits)?;
        whole_lots(size, Some(decimals)).map(Num::normalized)
    }
}

/// `share` percent of `whole`.
pub fn share_of(whole: Num, share: Num) -> Option<Num> {
    whole.times(share)?.over(Num::HUNDRED)
}

/// Reads a size. Everything but zero and less has a meaning here; whether it fits is the draft's question.
pub fn amount(text: &str) -> Result<Amount, DraftFault> {
    let text = text.trim();
    if let Some(usd) = text.strip_prefix('$') {
        return positive(usd).map(Amount::Notional);
    }
    if let Some(percent) = text.strip_suffix('%') {
        return positive(percent).map(Amount::Percent);
    }
    if let Some(usd) = text.strip_prefix(['r', 'R']) {
        return positive(usd).map(Amount::AtRisk);
    }
    positive(text).map(Amount::Coin)
}

pub fn positive(text: &str) -> Result<Num, DraftFault> {
    let number = number(text)?;
    if number.is_positive() {
        Ok(number)
    } else {
        Err(DraftFault::NotPositive)
    }
}

/// Parses an exact decimal, or explains what is wrong. `.5` is 0.5; `5.` is incomplete.
pub fn number(text: &str) -> Result<Num, DraftFault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DraftFault::Missing);
    }
    if let Some(fault) = text.chars().find_map(foreign) {
        return Err(fault);
    }
    if text.contains(['e', 'E']) {
        let is_scientific = text.bytes().all(|b| b"0123456789.eE+-".contains(&b));
        return Err(if is_scientific {
            DraftFault::Exponent
        } else {
            DraftFault::NotANumber
        });
    }
    if text.len() > LONGEST {
        return Err(DraftFault::TooManyDigits);
    }
    let whole = match text.strip_prefix('.') {
        Some(fraction) => format!("0.{fraction}"),
        None => text.to_owned(),
    };
    whole.parse().map_err(|why| match why {
        NumError::NotANumber => DraftFault::NotANumber,
        NumError::TooPrecise => DraftFault::TooManyDigits,
    })
}

/// Like [`number`], but an empty text is `None`.
pub(super) fn optional(
    text: &str,
    read: impl Fn(&str) -> Result<Num, DraftFault>,
) -> Result<Option<Num>, DraftFault> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    read(text).map(Some)
}

/// A number that may be zero.
pub(super) fn not_negative(text: &str) -> Result<Num, DraftFault> {
    let number = number(text)?;
    if number.is_negative() {
        Err(DraftFault::Negative)
    } else {
        Ok(number)
    }
}

/// Rounds down to whole lots, but never to zero. A size that fits, or cannot be judged, stays as typed.
pub(super) fn whole_lots(size: Num, decimals: Option<u32>) -> Result<Num, DraftFault> {
    let finer = decimals.filter(|lot| *lot < size.decimals());
    let cut = finer.map_or(size, |lot| size.truncated(lot));
    if cut.is_zero() {
        let lot = Num::new(1, decimals.unwrap_or(FINEST));
        return Err(DraftFault::BelowLot(lot));
    }
    Ok(cut)
}

/// A size in coin as typed: one between two lots is refused, as a price between two ticks is.
pub(super) fn typed_lots(size: Num, decimals: Option<u32>) -> Result<Num, DraftFault> {
    let below = whole_lots(size, decimals)?;
    if below == size {
        return Ok(below);
    }
    let lot = Num::new(1, decimals.unwrap_or(FINEST));
    let above = below.plus(lot).ok_or(DraftFault::TooManyDigits)?;
    Err(DraftFault::OffLot { lot, below, above })
}

/// `share` percent of `held`, never more.
pub(super) fn part(held: Num, share: Num) -> Result<Num, DraftFault> {
    if share > Num::HUNDRED {
        return Err(DraftFault::AboveAll);
    }
    share_of(held, share)
        .map(|part| part.normalized().min(held))
        .ok_or(DraftFault::TooManyDigits)
}

/// The likely meaning of a character that no number contains.
fn foreign(c: char) -> Option<DraftFault> {
    match c {
        ',' => Some(DraftFault::Comma),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => {
            Some(DraftFault::ForeignMinus)
        }
        c if c.is_numeric() && !c.is_ascii() => Some(DraftFault::ForeignDigits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_plainly_a_number_is_refused_with_its_reason() {
        for (text, fault) in [
            ("", DraftFault::Missing),
            ("   ", DraftFault::Missing),
            ("1,5", DraftFault::Comma),
            ("1,000.5", DraftFault::Comma),
            ("1e5", DraftFault::Exponent),
            ("1E-3", DraftFault::Exponent),
            ("\u{2212}5", DraftFault::ForeignMinus),
            ("\u{661}\u{662}", DraftFault::ForeignDigits),
            ("５", DraftFault::ForeignDigits),
            ("1.2.3", DraftFault::NotANumber),
            ("5.", DraftFault::NotANumber),
            (".", DraftFault::NotANumber),
            ("+5", DraftFault::NotANumber),
            ("0x10", DraftFault::NotANumber),
            ("1_000", DraftFault::NotANumber),
            ("1 000", DraftFault::NotANumber),
            ("NaN", DraftFault::NotANumber),
            ("one", DraftFault::NotANumber),
            (
                "12345678901234567890123456789012",
                DraftFault::TooManyDigits,
            ),
            ("-1", DraftFault::NotPositive),
            ("0", DraftFault::NotPositive),
            ("-0", DraftFault::NotPositive),
        ] {
            assert_eq!(positive(text), Err(fault), "{text:?}");
        }
    }

    #[test]
    fn five_hundred_zeros_are_no_number_wherever_they_stand() {
        let zeros = "0".repeat(500);
        for text in [zeros.clone(), format!("1{zeros}"), format!("0.{zeros}1")] {
            assert_eq!(number(&text), Err(DraftFault::TooManyDigits), "{text:.8}");
        }
    }

    #[test]
    fn every_digit_typed_is_kept() {
        for (text, digits) in [("0.10", "0.10"), (".5", "0.5"), (" 64000.5 ", "64000.5")] {
            assert_eq!(number(text).unwrap().to_string(), digits);
        }
    }

    #[test]
    fn a_size_may_be_coin_usd_a_share_or_what_is_lost_at_the_stop() {
        let half = Num::new(5, 1);
        for (text, meant) in [
            ("0.5", Ok(Amount::Coin(half))),
            ("$0.5", Ok(Amount::Notional(half))),
            ("0.5%", Ok(Amount::Percent(half))),
            ("r0.5", Ok(Amount::AtRisk(half))),
            ("R.5", Ok(Amount::AtRisk(half))),
            ("$", Err(DraftFault::Missing)),
            ("r", Err(DraftFault::Missing)),
            ("$-5", Err(DraftFault::NotPositive)),
            ("$50%", Err(DraftFault::NotANumber)),
            ("0.5 BTC", Err(DraftFault::NotANumber)),
        ] {
            assert_eq!(amount(text), meant, "{text}");
        }
    }
}
