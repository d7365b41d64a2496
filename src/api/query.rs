//! The queries of the list endpoints, built by the client and parsed by the exchange.

use super::{CURSOR_LIMIT, Dialect, FILTER_SPELLINGS, PAGE_LIMIT, URL_SAFE};
use crate::model::{AccountId, Cursor};
use percent_encoding::{percent_decode_str, utf8_percent_encode};
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
    /// The parameter that is wrong.
    pub fn parameter(&self) -> Option<&str> {
        let (Self::Unknown(name)
        | Self::Twice(name)
        | Self::Missing(name)
        | Self::Value { name, .. }
        | Self::Encoding(name)) = self;
        Some(name.as_str()).filter(|name| !name.is_empty())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OrderFilter {
    #[default]
    All,
    /// The complete bounded set of pending and resting orders.
    Working,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum PositionSelector {
    #[default]
    Open,
    Closed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrdersQuery {
    pub account_id: AccountId,
    pub filter: OrderFilter,
    pub limit: Option<u32>,
    pub cursor: Option<Cursor>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionsQuery {
    pub account_id: AccountId,
    pub selector: PositionSelector,
    pub limit: Option<u32>,
    pub cursor: Option<Cursor>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwapsQuery {
    /// Absent lists every account of the caller.
    pub account_id: Option<AccountId>,
}

impl OrdersQuery {
    pub(super) fn write(&self, dialect: &Dialect) -> String {
        let working = match self.filter {
            OrderFilter::All => None,
            OrderFilter::Working => Some(dialect.working_filter.value.clone()),
        };
        write([
            ("account_id", Some(self.account_id.raw().to_owned())),
            (&dialect.working_filter.name, working),
            ("limit", self.limit.map(|l| l.to_string())),
            ("cursor", self.cursor.as_ref().map(|c| c.raw().to_owned())),
        ])
    }

    pub(super) fn read(query: &str, dialect: &Dialect) -> Result<Self, QueryFault> {
        let mut pairs = Pairs::read(query)?;
        let working = &dialect.working_filter.value;
        let filter = match pairs.filter(&dialect.working_filter.name)? {
            None => OrderFilter::All,
            Some((_, value)) if value == *working => OrderFilter::Working,
            Some((name, given)) => {
                return Err(QueryFault::Value {
                    name,
                    wanted: format!("must be `{working}`"),
                    given,
                });
            }
        };
        let query = Self {
            account_id: pairs.account()?,
            filter,
            limit: pairs.limit()?,
            cursor: pairs.cursor()?,
        };
        pairs.finish(query)
    }
}

impl PositionsQuery {
    pub(super) fn write(&self, dialect: &Dialect) -> String {
        write([
            ("account_id", Some(self.account_id.raw().to_owned())),
            (&dialect.position_selector, Some(self.selector.to_string())),
            ("limit", self.limit.map(|l| l.to_string())),
            ("cursor", self.cursor.as_ref().map(|c| c.raw().to_owned())),
        ])
    }

    pub(super) fn read(query: &str, dialect: &Dialect) -> Result<Self, QueryFault> {
        let mut pairs = Pairs::read(query)?;
        let selector = match pairs.filter(&dialect.position_selector)? {
            None => PositionSelector::Open,
            Some((name, given)) => given.parse().map_err(|_| QueryFault::Value {
                name,
                wanted: "must be `open` or `closed`".to_owned(),
                given,
            })?,
        };
        let query = Self {
            account_id: pairs.account()?,
            selector,
            limit: pairs.limit()?,
            cursor: pairs.cursor()?,
        };
        pairs.finish(query)
    }
}

impl TwapsQuery {
    pub(super) fn write(&self, dialect: &Dialect) -> String {
        let account = self.account_id.as_ref().map(|id| id.raw().to_owned());
        write([(dialect.twaps_account.as_str(), account)])
    }

    pub(super) fn read(query: &str, dialect: &Dialect) -> Result<Self, QueryFault> {
        let mut pairs = Pairs::read(query)?;
        let account_id = pairs.take(&dialect.twaps_account).map(AccountId::from);
        pairs.finish(Self { account_id })
    }
}

fn write<'a>(pairs: impl IntoIterator<Item = (&'a str, Option<String>)>) -> String {
    let written: Vec<_> = pairs
        .into_iter()
        // An empty name means that the service has no such parameter.
        .filter(|(name, _)| !name.is_empty())
        .filter_map(|(name, value)| {
            Some(format!("{name}={}", utf8_percent_encode(&value?, URL_SAFE)))
        })
        .collect();
    written.join("&")
}

/// The parameters not read yet; any left at the end are unknown and refused.
struct Pairs(Vec<Pair>);

/// Name and value, decoded.
type Pair = (String, String);

impl Pairs {
    fn read(query: &str) -> Result<Self, QueryFault> {
        let mut pairs: Vec<Pair> = vec![];
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let odd = || QueryFault::Encoding(name.to_owned());
            let value = decoded(value).ok_or_else(odd)?;
            let name = decoded(name).ok_or_else(odd)?;
            if pairs.iter().any(|(known, _)| *known == name) {
                return Err(QueryFault::Twice(name));
            }
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.swap_remove(at).1)
    }

    /// The filter of a list, under `name` or any of its other spellings, and the spelling used. Two spellings at once
    /// are refused.
    fn filter(&mut self, name: &str) -> Result<Option<Pair>, QueryFault> {
        let is_filter = |given: &str| given == name || FILTER_SPELLINGS.contains(&given);
        let Some(at) = self.0.iter().position(|(given, _)| is_filter(given)) else {
            return Ok(None);
        };
        let found = self.0.remove(at);
        match self.0.iter().find(|(given, _)| is_filter(given)) {
            Some((again, _)) => Err(QueryFault::Twice(again.clone())),
            None => Ok(Some(found)),
        }
    }

    fn account(&mut self) -> Result<AccountId, QueryFault> {
        let given = self.take("account_id").filter(|id| !id.is_empty());
        given
            .map(AccountId::from)
            .ok_or_else(|| QueryFault::Missing("account_id".to_owned()))
    }

    fn limit(&mut self) -> Result<Option<u32>, QueryFault> {
        let Some(given) = self.take("limit") else {
            return Ok(None);
        };
        match given.parse() {
            Ok(limit) if (1..=PAGE_LIMIT).contains(&limit) => Ok(Some(limit)),
            _ => Err(QueryFault::Value {
                name: "limit".to_owned(),
                wanted: format!("must be an integer from 1 to {PAGE_LIMIT}"),
                given,
            }),
        }
    }

    fn cursor(&mut self) -> Result<Option<Cursor>, QueryFault> {
        let Some(given) = self.take("cursor") else {
            return Ok(None);
        };
        if given.is_empty() || given.chars().count() > CURSOR_LIMIT {
            return Err(QueryFault::Value {
                name: "cursor".to_owned(),
                wanted: format!("must be 1 to {CURSOR_LIMIT} characters long"),
                given: format!("{} characters", given.chars().count()),
            });
        }
        Ok(Some(Cursor::from(given)))
    }

    fn finish<T>(self, query: T) -> Result<T, QueryFault> {
        match self.0.into_iter().next() {
            Some((name, _)) => Err(QueryFault::Unknown(name)),
            None => Ok(query),
        }
    }
}

/// `None` if it is not percent-encoded UTF-8.
fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}
