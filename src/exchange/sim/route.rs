//! The simulation's own endpoints as one enum.

use super::super::engine::TwapStatus;
use crate::{
    api::{QueryFault, RouteFault},
    model::{AccountId, MarketId},
};
use percent_encoding::percent_decode_str;
use strum::VariantNames as _;

#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SimRoute {
    OpenApi,
    Markets,
    Book(MarketId),
    Accounts,
    AllTwaps(AccountId, Option<TwapStatus>),
    PlaceTwap,
    ScaledOrders(AccountId),
    PlaceScaled,
    Clock,
    SetClock,
    Nudge,
    Faults,
    PlantFault,
    ClearFaults,
    SetBudgets,
    Reset,
}

impl SimRoute {
    /// As [`Route::parse`](crate::api::Route::parse), for paths below `/sim`.
    pub(crate) fn parse(method: &str, path: &str, query: &str) -> Result<Self, RouteFault> {
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let ["sim", resource @ ..] = segments.as_slice() else {
            return Err(RouteFault::NotFound);
        };
        let route = match (method, resource) {
            ("GET", ["openapi.yaml"]) => Self::OpenApi,
            ("GET", ["markets"]) => Self::Markets,
            ("GET", ["markets", id, "book"]) => {
                Self::Book(decoded(id).ok_or(RouteFault::NotFound)?.into())
            }
            ("GET", ["accounts"]) => Self::Accounts,
            ("GET", ["twap-orders"]) => return twaps(query),
            ("POST", ["twap-orders"]) => Self::PlaceTwap,
            ("GET", ["scaled-orders"]) => {
                let [account_id] = parameters(query, ["account_id"])?;
                return Ok(Self::ScaledOrders(account(account_id)?));
            }
            ("POST", ["scaled-orders"]) => Self::PlaceScaled,
            ("GET", ["clock"]) => Self::Clock,
            ("POST", ["clock"]) => Self::SetClock,
            ("POST", ["nudge"]) => Self::Nudge,
            ("GET", ["faults"]) => Self::Faults,
            ("POST", ["faults"]) => Self::PlantFault,
            ("DELETE", ["faults"]) => Self::ClearFaults,
            ("POST", ["budgets"]) => Self::SetBudgets,
            ("POST", ["reset"]) => Self::Reset,
            _ => return Err(unmatched(resource)),
        };
        match query.split('=').next().unwrap_or_default() {
            "" => Ok(route),
            name => Err(QueryFault::Unknown(name.to_owned()).into()),
        }
    }

    /// Market data and the description are nobody's; everything else needs a key.
    pub(crate) fn is_public(&self) -> bool {
        matches!(self, Self::OpenApi | Self::Markets | Self::Book(_))
    }

    /// Stays reachable whatever budgets are set.
    pub(crate) fn is_unlimited(&self) -> bool {
        matches!(self, Self::SetBudgets | Self::Reset)
    }
}

fn unmatched(resource: &[&str]) -> RouteFault {
    match resource {
        [
            "openapi.yaml" | "markets" | "accounts" | "twap-orders" | "scaled-orders" | "clock"
            | "nudge" | "faults" | "budgets" | "reset",
        ]
        | ["markets", _, "book"] => RouteFault::Method,
        _ => RouteFault::NotFound,
    }
}

fn twaps(query: &str) -> Result<SimRoute, RouteFault> {
    let [account_id, status] = parameters(query, ["account_id", "status"])?;
    let status = status.map(|given| {
        given.parse().map_err(|_| QueryFault::Value {
            name: "status".to_owned(),
            wanted: format!("must be one of {}", TwapStatus::VARIANTS.join(", ")),
            given,
        })
    });
    Ok(SimRoute::AllTwaps(
        account(account_id)?,
        status.transpose()?,
    ))
}

fn account(given: Option<String>) -> Result<AccountId, QueryFault> {
    let given = given.filter(|id| !id.is_empty());
    let missing = || QueryFault::Missing("account_id".to_owned());
    given.map(AccountId::from).ok_or_else(missing)
}

/// The values of these query parameters, and of no others.
fn parameters<const N: usize>(
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
fn decoded(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_market_id_in_the_path_keeps_its_pipe() {
        let book = SimRoute::Book("paper|BTC".into());
        for path in [
            "/sim/markets/paper%7CBTC/book",
            "/sim/markets/paper|BTC/book",
        ] {
            assert_eq!(SimRoute::parse("GET", path, ""), Ok(book.clone()));
        }
    }

    #[test]
    fn a_wrong_method_or_query_is_told_apart_from_a_missing_path() {
        let parse = SimRoute::parse;
        assert_eq!(parse("PUT", "/sim/clock", ""), Err(RouteFault::Method));
        assert_eq!(parse("GET", "/sim/moon", ""), Err(RouteFault::NotFound));
        let unknown = QueryFault::Unknown("x".to_owned());
        assert_eq!(parse("GET", "/sim/markets", "x=1"), Err(unknown.into()));
        let missing = QueryFault::Missing("account_id".to_owned());
        assert_eq!(
            parse("GET", "/sim/scaled-orders", ""),
            Err(missing.clone().into())
        );
        assert_eq!(
            parse("GET", "/sim/twap-orders", "status=failed"),
            Err(missing.into())
        );
        let twice = QueryFault::Twice("account_id".to_owned());
        let query = "account_id=a&status=failed&account_id=b";
        assert_eq!(parse("GET", "/sim/twap-orders", query), Err(twice.into()));
    }
}
