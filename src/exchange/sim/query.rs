//! The query parameters of `/sim`: which there are, and what each may be.

use super::super::engine::Interval;
use crate::{api::QueryFault, model::Num};
use percent_encoding::percent_decode_str;
use std::{ops::RangeInclusive, str::FromStr};
use strum::VariantNames as _;

/// Largest `before`: integers up to here survive every JSON reader.
const MAX_BEFORE: i64 = (1 << 53) - 1;
const CANDLE_LIMITS: PageLimits = PageLimits {
    default: 500,
    most: 1_500,
};
const ROW_LIMITS: PageLimits = PageLimits {
    default: 100,
    most: 1_000,
};

/// How many rows a page has.
#[derive(Debug, Clone, Copy)]
struct PageLimits {
    default: usize,
    most: usize,
}

/// `limit` and `before`: the newest rows below an instant or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageQuery {
    pub(crate) limit: usize,
    pub(crate) before: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CandleQuery {
    pub(crate) interval: Interval,
    pub(crate) page: PageQuery,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BookQuery {
    /// Levels a side; absent: all there are.
    pub(crate) depth: Option<usize>,
    /// The step of prices to sum levels by.
    pub(crate) group: Option<Num>,
}

impl CandleQuery {
    pub(super) fn parse(query: &str) -> Result<Self, QueryFault> {
        let [interval, limit, before] = parameters(query, ["interval", "limit", "before"])?;
        let words = format!("must be one of {}", Interval::VARIANTS.join(", "));
        let interval = interval.map(|given| word("interval", given, &words));
        Ok(Self {
            interval: interval.transpose()?.unwrap_or_default(),
            page: PageQuery::new(limit, before, CANDLE_LIMITS)?,
        })
    }
}

impl BookQuery {
    pub(super) fn parse(query: &str) -> Result<Self, QueryFault> {
        let [depth, group] = parameters(query, ["depth", "group"])?;
        let depth = depth.map(|given| whole("depth", given, 1..=1_000));
        let group = group.map(|given| word("group", given, "must be a number"));
        Ok(Self {
            depth: depth.transpose()?.map(count),
            group: group.transpose()?,
        })
    }
}

impl PageQuery {
    /// A page of rows with numbers.
    pub(super) fn rows(query: &str) -> Result<Self, QueryFault> {
        let [limit, before] = parameters(query, ["limit", "before"])?;
        Self::new(limit, before, ROW_LIMITS)
    }

    /// A page of a curve.
    pub(super) fn samples(query: &str) -> Result<Self, QueryFault> {
        let [limit, before] = parameters(query, ["limit", "before"])?;
        Self::new(limit, before, CANDLE_LIMITS)
    }

    fn new(
        limit: Option<String>,
        before: Option<String>,
        limits: PageLimits,
    ) -> Result<Self, QueryFault> {
        let most = i64::try_from(limits.most).unwrap_or(i64::MAX);
        let limit = limit.map(|given| whole("limit", given, 1..=most));
        let before = before.map(|given| whole("before", given, 0..=MAX_BEFORE));
        Ok(Self {
            limit: limit.transpose()?.map_or(limits.default, count),
            before: before.transpose()?,
        })
    }
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Digits only, within the range.
fn whole(name: &str, given: String, range: RangeInclusive<i64>) -> Result<i64, QueryFault> {
    let is_digits = given.bytes().all(|byte| byte.is_ascii_digit());
    let number = given.parse().ok().filter(|_| is_digits);
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| QueryFault::Value {
            name: name.to_owned(),
            wanted: format!(
                "must be an integer from {} to {}",
                range.start(),
                range.end()
            ),
            given,
        })
}

pub(super) fn word<T: FromStr>(name: &str, given: String, wanted: &str) -> Result<T, QueryFault> {
    given.parse().map_err(|_| QueryFault::Value {
        name: name.to_owned(),
        wanted: wanted.to_owned(),
        given,
    })
}

/// The values of these query parameters, and of no others.
pub(super) fn parameters<const N: usize>(
    query: &str,
    names: [&str; N],
) -> Result<[Option<String>; N], QueryFault> {
    let mut values = [const { None }; N];
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let mut slots = names.iter().zip(&mut values);
        let Some((_, slot)) = slots.find(|(known, _)| **known == name) else {
            return Err(QueryFault::Unknown(name.to_owned()));
        };
        if slot.replace(value_of(name, value)?).is_some() {
            return Err(QueryFault::Twice(name.to_owned()));
        }
    }
    Ok(values)
}

fn value_of(name: &str, text: &str) -> Result<String, QueryFault> {
    decoded(text).ok_or_else(|| QueryFault::Encoding(name.to_owned()))
}

/// `None` for what is no percent-encoded UTF-8.
pub(super) fn decoded(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_default_its_bounds_and_digits_only() {
        let page = |query| PageQuery::rows(query).map(|page| (page.limit, page.before));
        assert_eq!(page(""), Ok((100, None)));
        assert_eq!(page("limit=1000&before=0"), Ok((1_000, Some(0))));
        for query in [
            "limit=0",
            "limit=1001",
            "limit=+5",
            "limit=",
            "before=-1",
            "before=1e3",
            "before=9007199254740992",
        ] {
            let QueryFault::Value { name, wanted, .. } = page(query).unwrap_err() else {
                panic!("{query}");
            };
            assert!(query.starts_with(&name), "{query}");
            assert!(wanted.starts_with("must be an integer from "), "{wanted}");
        }
    }

    #[test]
    fn an_interval_is_one_of_the_nine() {
        let interval = |query| CandleQuery::parse(query).map(|query| query.interval);
        assert_eq!(interval(""), Ok(Interval::Minute1));
        assert_eq!(interval("interval=4h"), Ok(Interval::Hour4));
        let why = interval("interval=2m").unwrap_err().to_string();
        assert!(
            why.contains("1s, 5s, 15s, 1m, 5m, 15m, 1h, 4h, 1d"),
            "{why}"
        );
    }
}
