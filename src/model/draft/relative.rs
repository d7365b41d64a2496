//! Prices relative to another price: `bid`, `-1%`, `entry +0.5%`, `ask-2`.
//!
//! Contract: pure. The result is on the price grid, and there is none if the other price is unknown. The expression is
//! never sent: the reader replaces it with digits first.

use super::{
    super::{Num, Side, Tick},
    Draft, DraftFault, Field, Seen, number,
};

/// The price that the expression refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PriceAnchor {
    /// The entry of its order or position; else the midpoint.
    Usual,
    Entry,
    Mid,
    Bid,
    Ask,
    Mark,
}

const WORDS: &[(&str, PriceAnchor)] = &[
    ("entry", PriceAnchor::Entry),
    ("mid", PriceAnchor::Mid),
    ("bid", PriceAnchor::Bid),
    ("ask", PriceAnchor::Ask),
    ("mark", PriceAnchor::Mark),
];

/// The distance from the other price: in USD, or in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offset {
    Usd(Num),
    Percent(Num),
}

/// A price relative to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelativePrice {
    anchor: PriceAnchor,
    offset: Offset,
}

/// The entry prices that a form knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entered {
    /// The base of a bare offset; else the midpoint.
    pub usual: Option<Num>,
    /// The value of the word `entry`.
    pub entry: Option<Num>,
}

impl From<Option<Num>> for Entered {
    fn from(entry: Option<Num>) -> Self {
        Self {
            usual: entry,
            entry,
        }
    }
}

impl RelativePrice {
    /// `None` for digits, or for no price at all. A bare offset needs its sign.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let named = WORDS.iter().find_map(|(word, anchor)| {
            let rest = text.strip_prefix(word)?;
            Some((*anchor, rest.trim_start()))
        });
        let (anchor, rest) = named.unwrap_or((PriceAnchor::Usual, &text));
        let offset = if rest.is_empty() {
            named.map(|_| Offset::Usd(Num::ZERO))?
        } else {
            offset(rest)?
        };
        Some(Self { anchor, offset })
    }

    /// What an incomplete expression in `text` could become, if it is one.
    pub fn completions(text: &str) -> Option<String> {
        let text = text.trim().to_ascii_lowercase();
        if text.is_empty() || Self::read(&text).is_some() {
            return None;
        }
        let words = WORDS.iter().map(|(word, _)| *word);
        let words: Vec<_> = words.filter(|word| word.starts_with(&text)).collect();
        if !words.is_empty() {
            return Some(words.join(" · "));
        }
        let before = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Self::read(&format!("{text}0")).map(|_| format!("{before}100 · {before}0.5%"))
    }

    /// The digits for `field`, on the known or guessed grid. A limit is rounded to the passive side of `side`, any
    /// other price to the nearest step.
    ///
    /// # Errors
    /// If the other price is unknown, or the offset goes below zero.
    pub fn resolve(
        self,
        field: Field,
        seen: &Seen,
        entered: Entered,
        side: Option<Side>,
    ) -> Result<Num, DraftFault> {
        let market = seen.market_of(field);
        let mid = || market?.mid();
        let from = match self.anchor {
            PriceAnchor::Usual => entered
                .usual
                .or_else(mid)
                .ok_or(DraftFault::UnknownAnchor("mid"))?,
            PriceAnchor::Entry => entered.entry.ok_or(DraftFault::UnknownAnchor("entry"))?,
            PriceAnchor::Mid => mid().ok_or(DraftFault::UnknownAnchor("mid"))?,
            PriceAnchor::Bid => market
                .and_then(|m| m.bid)
                .ok_or(DraftFault::UnknownAnchor("bid"))?,
            PriceAnchor::Ask => market
                .and_then(|m| m.ask)
                .ok_or(DraftFault::UnknownAnchor("ask"))?,
            PriceAnchor::Mark => market
                .and_then(|m| m.mark)
                .ok_or(DraftFault::UnknownAnchor("mark"))?,
        };
        let price = match self.offset {
            Offset::Usd(usd) => from.plus(usd),
            Offset::Percent(share) => from
                .times(share)
                .and_then(|part| part.over(Num::HUNDRED))
                .and_then(|part| from.plus(part)),
        };
        let price = price.ok_or(DraftFault::TooManyDigits)?;
        let tick = Tick::at(market, price);
        let price = match side.filter(|_| field == Field::LimitPrice) {
            Some(side) => tick.resting(price, side),
            None => tick.near(price),
        };
        if price.is_positive() {
            Ok(price)
        } else {
            Err(DraftFault::NotPositive)
        }
    }
}

impl Draft {
    /// The current value of a relative price; `None` if the field holds none.
    pub fn resolved_price(&self, field: Field, seen: &Seen) -> Option<Result<Num, DraftFault>> {
        let text = self.text(field).filter(|_| field.is_price())?;
        let price = RelativePrice::read(text)?;
        Some(price.resolve(field, seen, self.entered_at(field, seen), self.side(seen)))
    }

    /// Its side.
    pub fn side(&self, seen: &Seen) -> Option<Side> {
        match self {
            Self::Entry(draft) => Some(draft.side),
            Self::Close(_) => seen.position?.side().map(Side::opposite),
            Self::Exits(_) => seen.order?.side.known(),
            Self::Protect(_) => seen.position?.side(),
            Self::Margin(_) => None,
        }
    }

    /// The entry prices of the order or position; otherwise `entry` is that of the open position in the price's market.
    /// An entry price cannot refer to itself.
    fn entered_at(&self, field: Field, seen: &Seen) -> Entered {
        let usual = self.usual(field, seen);
        let is_elsewhere = field == Field::TriggerPrice && self.watches_another(seen);
        let open = seen.position.filter(|_| !is_elsewhere);
        Entered {
            usual,
            entry: usual.or_else(|| open?.entry_price),
        }
    }

    /// Whether its trigger is a price of another market.
    fn watches_another(&self, seen: &Seen) -> bool {
        match self {
            Self::Entry(draft) => draft.watched().is_some(),
            Self::Close(draft) => draft.watched(seen).is_some(),
            Self::Exits(_) | Self::Protect(_) | Self::Margin(_) => false,
        }
    }

    fn usual(&self, field: Field, seen: &Seen) -> Option<Num> {
        match self {
            Self::Entry(draft) => {
                let is_exit = matches!(field, Field::TakeProfit | Field::StopLoss);
                draft.entry(seen).filter(|_| is_exit)
            }
            Self::Close(draft) if draft.watched(seen).is_none() => seen.position?.entry_price,
            Self::Exits(_) => seen.order?.limit_price,
            Self::Protect(_) => seen.position?.entry_price,
            Self::Close(_) | Self::Margin(_) => None,
        }
    }
}

/// `+100`, `-0.5%`, `+ 1 %`.
fn offset(text: &str) -> Option<Offset> {
    let is_less = text.starts_with('-');
    let digits = text.strip_prefix(['+', '-'])?.trim_start();
    let percent = digits.strip_suffix('%');
    let value = number(percent.unwrap_or(digits).trim_end()).ok()?;
    if value.is_negative() {
        return None;
    }
    let value = if is_less { value.negated() } else { value };
    Some(match percent {
        Some(_) => Offset::Percent(value),
        None => Offset::Usd(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Market;

    fn eth() -> Market {
        Market {
            mark: Some(Num::from(3001_u32)),
            bid: Some(Num::new(30_000, 1)),
            ask: Some(Num::new(30_002, 1)),
            size_decimals: Some(2),
            ..Market::new("paper|ETH".into())
        }
    }

    fn digits(text: &str, field: Field, entry: Option<Num>, side: Option<Side>) -> String {
        let market = eth();
        let seen = Seen {
            market: Some(&market),
            ..Seen::default()
        };
        let Some(price) = RelativePrice::read(text) else {
            return "no such price".to_owned();
        };
        match price.resolve(field, &seen, entry.into(), side) {
            Ok(price) => price.to_string(),
            Err(fault) => fault.to_string(),
        }
    }

    #[test]
    fn a_price_is_said_by_the_market_or_by_the_entry() {
        let entry = Some(Num::from(2500_u32));
        for (text, digits_of) in [
            ("bid", "3000.0"),
            ("ask", "3000.2"),
            (" Mark ", "3001.0"),
            ("mid", "3000.1"),
            ("mid+1%", "3030.1"),
            ("ask -2", "2998.2"),
            ("entry", "2500.0"),
            ("entry + 0.2 %", "2505.0"),
            ("-10%", "2250.0"),
            ("+100", "2600.0"),
        ] {
            let said = digits(text, Field::TriggerPrice, entry, None);
            assert_eq!(said, digits_of, "{text}");
        }
        assert_eq!(digits("-1%", Field::StopLoss, None, None), "2970.1");
    }

    #[test]
    fn a_limit_rests_rather_than_pays() {
        let limit = |side| digits("mid-0.01%", Field::LimitPrice, None, Some(side));
        assert_eq!([limit(Side::Buy), limit(Side::Sell)], ["2999.7", "2999.8"]);
    }

    #[test]
    fn where_no_tick_is_known_what_comes_of_one_has_five_figures() {
        let said = |text: &str, entry: &str| {
            let price = RelativePrice::read(text).unwrap();
            let entry = Some(entry.parse().unwrap());
            let price = price.resolve(
                Field::StopLoss,
                &Seen::default(),
                Entered::from(entry),
                None,
            );
            price.unwrap().to_string()
        };
        assert_eq!(said("-1%", "65592"), "64936");
        assert_eq!(said("-1%", "0.15961"), "0.15801");
        assert_eq!(said("+0.333%", "151.58"), "152.08");
        assert_eq!(said("+1%", "0.0000000000012345"), "0.000000000001");
    }

    #[test]
    fn what_is_begun_says_what_it_could_become() {
        for (text, rest) in [
            ("m", "mid · mark"),
            ("MA", "mark"),
            ("mark-", "mark-100 · mark-0.5%"),
            ("mark -0.", "mark -100 · mark -0.5%"),
            ("-", "-100 · -0.5%"),
        ] {
            assert_eq!(
                RelativePrice::completions(text).as_deref(),
                Some(rest),
                "{text}"
            );
        }
        for text in ["", "mark", "mark-5", "-1%", "3000", "30.", "x", "markx"] {
            assert_eq!(RelativePrice::completions(text), None, "{text}");
        }
    }

    #[test]
    fn what_says_no_other_price_is_none_and_what_is_not_known_is_said() {
        for text in [
            "", "3000", "1%", "-", "+x", "bidding", "--5", "entry 5", "$100",
        ] {
            assert_eq!(RelativePrice::read(text), None, "{text}");
        }
        let unknown = digits("entry", Field::StopLoss, None, None);
        assert_eq!(unknown, "no entry price is known here: write the price");
        let below = digits("-5000", Field::StopLoss, None, None);
        assert_eq!(below, "must be above 0");
    }
}
