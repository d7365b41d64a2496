//! The grammar of numbers a person types.

use super::{super::Num, super::NumError, Fault};

/// Longer texts cannot be numbers that are held exactly, however many of their digits are zeros.
const LONGEST: usize = 40;

/// Digits after the point that can be held: the lot where none is known.
const FINEST: u32 = 28;

/// A size as typed, before it is known what it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// `0.5`: in coin.
    Coin(Num),
    /// `$1000`: worth this many USD.
    Notional(Num),
    /// `50%`: of the position it makes smaller; on an entry, of the free margin.
    Percent(Num),
    /// `r25`: lose this many USD when the stop loss is reached, with the fees that are known.
    AtRisk(Num),
}

/// Reads a size. Everything but zero and less has a meaning here; whether it fits is the draft's question.
pub fn amount(text: &str) -> Result<Amount, Fault> {
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

pub fn positive(text: &str) -> Result<Num, Fault> {
    let number = number(text)?;
    if number.is_positive() {
        Ok(number)
    } else {
        Err(Fault::NotPositive)
    }
}

/// Reads `text` as a decimal, exactly, or says what is wrong with it. `.5` is 0.5; `5.` is half a number.
pub fn number(text: &str) -> Result<Num, Fault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Fault::Missing);
    }
    if let Some(fault) = text.chars().find_map(foreign) {
        return Err(fault);
    }
    if text.contains(['e', 'E']) {
        let is_scientific = text.bytes().all(|b| b"0123456789.eE+-".contains(&b));
        return Err(if is_scientific {
            Fault::Exponent
        } else {
            Fault::NotANumber
        });
    }
    if text.len() > LONGEST {
        return Err(Fault::TooManyDigits);
    }
    let whole = match text.strip_prefix('.') {
        Some(fraction) => format!("0.{fraction}"),
        None => text.to_owned(),
    };
    whole.parse().map_err(|why| match why {
        NumError::NotANumber => Fault::NotANumber,
        NumError::TooPrecise => Fault::TooManyDigits,
    })
}

/// Like [`number`], but nothing typed is no number.
pub(super) fn optional(
    text: &str,
    read: impl Fn(&str) -> Result<Num, Fault>,
) -> Result<Option<Num>, Fault> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    read(text).map(Some)
}

/// A number that may be zero.
pub(super) fn not_negative(text: &str) -> Result<Num, Fault> {
    let number = number(text)?;
    if number.is_negative() {
        Err(Fault::Negative)
    } else {
        Ok(number)
    }
}

/// Cut to whole lots: never more than was asked for, and never nothing. What fits, and what cannot be judged, stays as
/// typed.
pub(super) fn whole_lots(size: Num, decimals: Option<u32>) -> Result<Num, Fault> {
    let finer = decimals.filter(|lot| *lot < size.decimals());
    let cut = finer.map_or(size, |lot| size.truncated(lot));
    if cut.is_zero() {
        let lot = Num::new(1, decimals.unwrap_or(FINEST));
        return Err(Fault::BelowLot(lot));
    }
    Ok(cut)
}

/// `share` percent of what is held, never more.
pub(super) fn part(held: Num, share: Num) -> Result<Num, Fault> {
    if share > Num::HUNDRED {
        return Err(Fault::AboveAll);
    }
    let part = held.times(share).and_then(|p| p.over(Num::HUNDRED));
    part.map(|part| part.normalized().min(held))
        .ok_or(Fault::TooManyDigits)
}

/// The likely meaning of a character no number has.
fn foreign(c: char) -> Option<Fault> {
    match c {
        ',' => Some(Fault::Comma),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => Some(Fault::ForeignMinus),
        c if c.is_numeric() && !c.is_ascii() => Some(Fault::ForeignDigits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_plainly_a_number_is_refused_with_its_reason() {
        for (text, fault) in [
            ("", Fault::Missing),
            ("   ", Fault::Missing),
            ("1,5", Fault::Comma),
            ("1,000.5", Fault::Comma),
            ("1e5", Fault::Exponent),
            ("1E-3", Fault::Exponent),
            ("\u{2212}5", Fault::ForeignMinus),
            ("\u{661}\u{662}", Fault::ForeignDigits),
            ("５", Fault::ForeignDigits),
            ("1.2.3", Fault::NotANumber),
            ("5.", Fault::NotANumber),
            (".", Fault::NotANumber),
            ("+5", Fault::NotANumber),
            ("0x10", Fault::NotANumber),
            ("1_000", Fault::NotANumber),
            ("1 000", Fault::NotANumber),
            ("NaN", Fault::NotANumber),
            ("one", Fault::NotANumber),
            ("12345678901234567890123456789012", Fault::TooManyDigits),
            ("-1", Fault::NotPositive),
            ("0", Fault::NotPositive),
            ("-0", Fault::NotPositive),
        ] {
            assert_eq!(positive(text), Err(fault), "{text:?}");
        }
    }

    #[test]
    fn five_hundred_zeros_are_no_number_wherever_they_stand() {
        let zeros = "0".repeat(500);
        for text in [zeros.clone(), format!("1{zeros}"), format!("0.{zeros}1")] {
            assert_eq!(number(&text), Err(Fault::TooManyDigits), "{text:.8}");
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
            ("$", Err(Fault::Missing)),
            ("r", Err(Fault::Missing)),
            ("$-5", Err(Fault::NotPositive)),
            ("$50%", Err(Fault::NotANumber)),
            ("0.5 BTC", Err(Fault::NotANumber)),
        ] {
            assert_eq!(amount(text), meant, "{text}");
        }
    }
}
