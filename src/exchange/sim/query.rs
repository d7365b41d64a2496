//! The query parameters of `/sim`: which there are, and what each may be.

use super::super::engine::Interval;
use crate::{
    api::{QueryFaults, QueryPairs, parsed, whole},
    model::Num,
};
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
pub(crate) struct RowsQuery {
    pub(crate) limit: usize,
    pub(crate) before: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CandleQuery {
    pub(crate) interval: Interval,
    pub(crate) page: RowsQuery,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BookQuery {
    /// Levels a side; absent: all there are.
    pub(crate) depth: Option<usize>,
    /// The step of prices to sum levels by.
    pub(crate) group: Option<Num>,
}

impl CandleQuery {
    pub(super) fn parse(query: &str) -> Result<Self, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        let words = format!("one of {}", Interval::VARIANTS.join(", "));
        let interval = pairs.word("interval", &words);
        let query = interval.zip(RowsQuery::take(&mut pairs, CANDLE_LIMITS));
        pairs.finish(query.map(|(interval, page)| Self { interval, page }))
    }
}

impl BookQuery {
    pub(super) fn parse(query: &str) -> Result<Self, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        let depth = pairs.optional("depth", |given| whole("depth", given, 1..=1_000));
        let group = pairs.optional("group", |given| parsed("group", "must be a number", given));
        let query = depth.zip(group).map(|(depth, group)| Self {
            depth: depth.map(count),
            group,
        });
        pairs.finish(query)
    }
}

impl RowsQuery {
    /// A page of rows with numbers.
    pub(super) fn rows(query: &str) -> Result<Self, QueryFaults> {
        Self::parse(query, ROW_LIMITS)
    }

    /// A page of a curve.
    pub(super) fn samples(query: &str) -> Result<Self, QueryFaults> {
        Self::parse(query, CANDLE_LIMITS)
    }

    fn parse(query: &str, limits: PageLimits) -> Result<Self, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        let page = Self::take(&mut pairs, limits);
        pairs.finish(page)
    }

    fn take(pairs: &mut QueryPairs, limits: PageLimits) -> Option<Self> {
        let most = i64::try_from(limits.most).unwrap_or(i64::MAX);
        let limit = pairs.optional("limit", |given| whole("limit", given, 1..=most));
        let before = pairs.optional("before", |given| whole("before", given, 0..=MAX_BEFORE));
        Some(Self {
            limit: limit?.map_or(limits.default, count),
            before: before?,
        })
    }
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::QueryFault;

    #[test]
    fn a_page_has_its_default_its_bounds_and_digits_only() {
        let page = |query| RowsQuery::rows(query).map(|page| (page.limit, page.before));
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
            let QueryFaults(faults) = page(query).unwrap_err();
            let [QueryFault::Value { name, wanted, .. }] = &faults[..] else {
                panic!("{query}");
            };
            assert!(query.starts_with(name), "{query}");
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
