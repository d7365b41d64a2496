//! The queries of the list endpoints, built by the client and parsed by the exchange.

use super::{CURSOR_LIMIT, PAGE_LIMIT, URL_SAFE};
use crate::model::{AccountId, ClientOrderId, Cursor, Num, Side};
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use std::{ops::RangeInclusive, str::FromStr};
use strum::{Display, EnumString};

/// Why a query is refused, naming the parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryFault {
    #[error("unknown query parameter `{0}`")]
    Unknown(String),
    #[error("query parameter `{0}` is given twice")]
    Twice(String),
    #[error("query parameter `{0}` is required")]
    Missing(String),
    #[error("query parameter `{name}` {wanted}, not `{given}`")]
    Value {
        name: String,
        wanted: String,
        given: String,
    },
    /// The name as written.
    #[error("query parameter `{0}` is not valid percent-encoded UTF-8")]
    Encoding(String),
}

impl QueryFault {
    fn value(name: &str, wanted: impl Into<String>, given: String) -> Self {
        Self::Value {
            name: name.to_owned(),
            wanted: wanted.into(),
            given,
        }
    }

    /// The parameter that is wrong.
    pub fn parameter(&self) -> &str {
        let (Self::Unknown(name)
        | Self::Twice(name)
        | Self::Missing(name)
        | Self::Value { name, .. }
        | Self::Encoding(name)) = self;
        name
    }
}

/// Everything that is wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct QueryFaults(pub Vec<QueryFault>);

impl From<QueryFault> for QueryFaults {
    fn from(fault: QueryFault) -> Self {
        Self(vec![fault])
    }
}

/// The longest name of an order, in characters.
const CLIENT_ORDER_ID_LIMIT: usize = 128;

/// Which orders of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum OrderFilter {
    /// What an absent word means: there is none for it.
    #[default]
    #[strum(disabled)]
    All,
    /// Pending and resting orders: the complete set.
    Working,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum PositionSelector {
    #[default]
    Open,
    Closed,
}

/// Which TWAPs and VWAPs of the account. Only the ended ones are paged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum TwapSelector {
    /// Running and canceling.
    #[default]
    Active,
    Completed,
    Canceled,
}

/// One page of a list of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageQuery {
    pub account_id: AccountId,
    /// 1 to [`PAGE_LIMIT`].
    pub limit: Option<u32>,
    pub cursor: Option<Cursor>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrdersQuery {
    Of(PageQuery, OrderFilter),
    /// The one order of this name, if there is one.
    Named(ClientOrderId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionsQuery {
    pub page: PageQuery,
    pub selector: PositionSelector,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwapsQuery {
    pub page: PageQuery,
    pub selector: TwapSelector,
}

/// What an order of this side and size would meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteSize {
    pub side: Side,
    /// In coin, above zero.
    pub size: Num,
}

impl PageQuery {
    /// The first rows, as many as the service sends.
    pub fn first(account_id: AccountId) -> Self {
        Self {
            account_id,
            limit: None,
            cursor: None,
        }
    }

    pub(super) fn write(&self) -> String {
        self.written(None)
    }

    fn written(&self, status: Option<String>) -> String {
        write([
            ("account_id", Some(self.account_id.raw().to_owned())),
            ("status", status),
            ("limit", self.limit.map(|l| l.to_string())),
            ("cursor", self.cursor.as_ref().map(|c| c.raw().to_owned())),
        ])
    }

    pub(super) fn read(query: &str) -> Result<Self, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        let page = pairs.page();
        pairs.finish(page)
    }
}

impl OrdersQuery {
    pub(super) fn write(&self) -> String {
        match self {
            Self::Of(page, OrderFilter::All) => page.written(None),
            Self::Of(page, filter) => page.written(Some(filter.to_string())),
            Self::Named(id) => write([("client_order_id", Some(id.raw().to_owned()))]),
        }
    }

    pub(super) fn read(query: &str) -> Result<Self, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        if let Some(id) = pairs.take("client_order_id") {
            let id = pairs.noted(bounded("client_order_id", CLIENT_ORDER_ID_LIMIT, id));
            return pairs.finish(id.map(|id| Self::Named(id.into())));
        }
        let filter = pairs.word("status", "`working`");
        let query = pairs.page().zip(filter);
        pairs.finish(query.map(|(page, filter)| Self::Of(page, filter)))
    }
}

/// A text of 1 to so many characters.
fn bounded(name: &str, most: usize, given: String) -> Result<String, QueryFault> {
    let count = given.chars().count();
    if (1..=most).contains(&count) {
        return Ok(given);
    }
    let wanted = format!("must be 1 to {most} characters long");
    Err(QueryFault::value(
        name,
        wanted,
        format!("{count} characters"),
    ))
}

impl PositionsQuery {
    pub(super) fn write(&self) -> String {
        self.page.written(Some(self.selector.to_string()))
    }

    pub(super) fn read(query: &str) -> Result<Self, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        let selector = pairs.word("status", "`open` or `closed`");
        let query = selector.zip(pairs.page());
        pairs.finish(query.map(|(selector, page)| Self { page, selector }))
    }
}

impl TwapsQuery {
    pub(super) fn write(&self) -> String {
        self.page.written(Some(self.selector.to_string()))
    }

    pub(super) fn read(query: &str) -> Result<Self, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        let selector = pairs.word("status", "`active`, `completed` or `canceled`");
        let query = selector.zip(pairs.page());
        pairs.finish(query.map(|(selector, page)| Self { page, selector }))
    }
}

impl QuoteSize {
    pub(super) fn write(self) -> String {
        write([
            ("side", Some(self.side.to_string())),
            ("size", Some(self.size.to_string())),
        ])
    }

    /// `None` without both.
    pub(super) fn read(query: &str) -> Result<Option<Self>, QueryFaults> {
        let mut pairs = QueryPairs::read(query);
        let missing = |name: &str| QueryFault::Missing(name.to_owned());
        let (requested, coins) = match (pairs.take("side"), pairs.take("size")) {
            (None, None) => return pairs.finish(Some(None)),
            given => given,
        };
        let requested = requested.ok_or_else(|| missing("side"));
        let requested = requested.and_then(|word| parsed("side", "must be `buy` or `sell`", word));
        let requested = pairs.noted(requested);
        let coins = pairs.noted(coins.ok_or_else(|| missing("size")).and_then(positive));
        let given = requested.zip(coins);
        let given = given.map(|(side, size)| Some(Self { side, size }));
        pairs.finish(given)
    }
}

/// For an endpoint without parameters.
pub fn no_parameters(query: &str) -> Result<(), QueryFaults> {
    QueryPairs::read(query).finish(Some(()))
}

fn positive(given: String) -> Result<Num, QueryFault> {
    let wanted = "must be a number above zero";
    let size: Num = parsed("size", wanted, given.clone())?;
    if size.is_positive() {
        return Ok(size);
    }
    Err(QueryFault::value("size", wanted, given))
}

/// Digits only, within the range.
pub fn whole(name: &str, given: String, range: RangeInclusive<i64>) -> Result<i64, QueryFault> {
    let is_digits = given.bytes().all(|byte| byte.is_ascii_digit());
    let number = given.parse().ok().filter(|_| is_digits);
    let is_within = |number: &i64| range.contains(number);
    number.filter(is_within).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        QueryFault::value(
            name,
            format!("must be an integer from {least} to {most}"),
            given,
        )
    })
}

pub fn parsed<T: FromStr>(name: &str, wanted: &str, given: String) -> Result<T, QueryFault> {
    given
        .parse()
        .map_err(|_| QueryFault::value(name, wanted, given))
}

fn write<'a>(pairs: impl IntoIterator<Item = (&'a str, Option<String>)>) -> String {
    let written: Vec<_> = pairs
        .into_iter()
        .filter_map(|(name, value)| {
            Some(format!("{name}={}", utf8_percent_encode(&value?, URL_SAFE)))
        })
        .collect();
    written.join("&")
}

/// The parameters not read yet, and what was wrong so far; any left at the end are unknown and refused.
#[derive(Debug)]
pub struct QueryPairs {
    left: Vec<Pair>,
    faults: Vec<QueryFault>,
}

/// Name and value, decoded.
type Pair = (String, String);

impl QueryPairs {
    pub fn read(query: &str) -> Self {
        let mut pairs = Self {
            left: vec![],
            faults: vec![],
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let read = pairs.pair(pair);
            if let Some(pair) = pairs.noted(read) {
                pairs.left.push(pair);
            }
        }
        pairs
    }

    fn pair(&self, pair: &str) -> Result<Pair, QueryFault> {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let odd = || QueryFault::Encoding(name.to_owned());
        let value = decoded(value).ok_or_else(odd)?;
        let name = decoded(name).ok_or_else(odd)?;
        if self.left.iter().any(|(known, _)| *known == name) {
            return Err(QueryFault::Twice(name));
        }
        Ok((name, value))
    }

    /// Notes a fault, so that reading goes on.
    fn noted<T>(&mut self, read: Result<T, QueryFault>) -> Option<T> {
        read.map_err(|fault| self.faults.push(fault)).ok()
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.left.iter().position(|(known, _)| known == name)?;
        Some(self.left.swap_remove(at).1)
    }

    /// A parameter that may be absent; `None` if it is wrong.
    pub fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(String) -> Result<T, QueryFault>,
    ) -> Option<Option<T>> {
        let read = self.take(name).map(read).transpose();
        self.noted(read)
    }

    /// A word with a default.
    pub fn word<T: FromStr + Default>(&mut self, name: &str, words: &str) -> Option<T> {
        let read = |given| parsed(name, &format!("must be {words}"), given);
        self.optional(name, read).map(Option::unwrap_or_default)
    }

    fn page(&mut self) -> Option<PageQuery> {
        let account_id = self.account();
        let account_id = self.noted(account_id);
        let limit = self.optional("limit", |given| {
            whole("limit", given, 1..=PAGE_LIMIT.into())
        });
        let cursor = self.optional("cursor", |given| bounded("cursor", CURSOR_LIMIT, given));
        Some(PageQuery {
            account_id: account_id?,
            limit: limit?.and_then(|limit| u32::try_from(limit).ok()),
            cursor: cursor?.map(Cursor::from),
        })
    }

    fn account(&mut self) -> Result<AccountId, QueryFault> {
        let given = self.take("account_id").filter(|id| !id.is_empty());
        given
            .map(AccountId::from)
            .ok_or_else(|| QueryFault::Missing("account_id".to_owned()))
    }

    /// `query` is absent only after a fault.
    pub fn finish<T>(mut self, query: Option<T>) -> Result<T, QueryFaults> {
        let unknown = self
            .left
            .into_iter()
            .map(|(name, _)| QueryFault::Unknown(name));
        self.faults.extend(unknown);
        query
            .filter(|_| self.faults.is_empty())
            .ok_or(QueryFaults(self.faults))
    }
}

/// `None` if it is not percent-encoded UTF-8.
fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}
