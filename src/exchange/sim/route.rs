//! The simulation's own endpoints as one enum.

use crate::{
    api::{QueryFault, RouteFault},
    model::{AccountId, MarketId},
};
use percent_encoding::percent_decode_str;

#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SimRoute {
    OpenApi,
    Markets,
    Book(MarketId),
    Accounts,
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
            ("POST", ["twap-orders"]) => Self::PlaceTwap,
            ("GET", ["scaled-orders"]) => return account(query).map(Self::ScaledOrders),
            ("POST", ["scaled-orders"]) => Self::PlaceScaled,
            ("GET", ["clock"]) => Self::Clock,
            ("POST", ["clock"]) => Self::SetClock,
            ("POST", ["nudge"]) => Self::Nudge,
            ("GET", ["faults"]) => Self::Faults,
            ("POST", ["faults"]) => Self::PlantFault,
            ("DELETE", ["faults"]) => Self::ClearFaults,
            ("POST", ["budgets"]) => Self::SetBudgets,
            ("POST", ["reset"]) => Self::Reset,
            _ => return Err(misfit(resource)),
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

fn misfit(resource: &[&str]) -> RouteFault {
    match resource {
        [
            "openapi.yaml" | "markets" | "accounts" | "twap-orders" | "scaled-orders" | "clock"
            | "nudge" | "faults" | "budgets" | "reset",
        ]
        | ["markets", _, "book"] => RouteFault::Method,
        _ => RouteFault::NotFound,
    }
}

/// The one query parameter of the ladder list.
fn account(query: &str) -> Result<AccountId, RouteFault> {
    let missing = || QueryFault::Missing("account_id".to_owned());
    let (name, value) = query.split_once('=').ok_or_else(missing)?;
    match (name, value) {
        ("account_id", "") => Err(missing().into()),
        ("account_id", value) => match value.split_once('&') {
            None => {
                let odd = || QueryFault::Encoding(name.to_owned());
                Ok(decoded(value).ok_or_else(odd)?.into())
            }
            Some((_, more)) => {
                let next = more.split('=').next().unwrap_or_default();
                Err(QueryFault::Unknown(next.to_owned()).into())
            }
        },
        (name, _) => Err(QueryFault::Unknown(name.to_owned()).into()),
    }
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
        assert_eq!(parse("GET", "/sim/scaled-orders", ""), Err(missing.into()));
    }
}
