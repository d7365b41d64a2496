//! The simulation's own endpoints as one enum.

use super::query::{BookQuery, CandleQuery, PageQuery, decoded};
use crate::{
    api::{QueryFault, RouteFault},
    model::{AccountId, MarketId},
};

#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SimRoute {
    OpenApi,
    MarketStatistics,
    Book(MarketId, BookQuery),
    Candles(MarketId, CandleQuery),
    Trades(MarketId, PageQuery),
    Equity(AccountId, PageQuery),
    Funding(AccountId, PageQuery),
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
            ("GET", ["markets"]) => Self::MarketStatistics,
            ("GET", ["markets" | "accounts", _, _]) => return history(resource, query),
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

    /// Routes without a rate limit, so that they stay reachable.
    pub(crate) fn is_unlimited(&self) -> bool {
        matches!(self, Self::SetBudgets | Self::Reset)
    }
}

fn unmatched(resource: &[&str]) -> RouteFault {
    match resource {
        ["openapi.yaml" | "markets" | "clock" | "nudge" | "faults" | "budgets" | "reset"]
        | ["markets", _, "book" | "candles" | "trades"]
        | ["accounts", _, "equity" | "funding"] => RouteFault::Method,
        _ => RouteFault::NotFound,
    }
}

/// The reads below one market or account.
fn history(resource: &[&str], query: &str) -> Result<SimRoute, RouteFault> {
    Ok(match resource {
        ["markets", id, "book"] => SimRoute::Book(market(id)?, BookQuery::parse(query)?),
        ["markets", id, "candles"] => SimRoute::Candles(market(id)?, CandleQuery::parse(query)?),
        ["markets", id, "trades"] => SimRoute::Trades(market(id)?, PageQuery::rows(query)?),
        ["accounts", id, "equity"] => SimRoute::Equity(owner(id)?, PageQuery::samples(query)?),
        ["accounts", id, "funding"] => SimRoute::Funding(owner(id)?, PageQuery::rows(query)?),
        _ => return Err(RouteFault::NotFound),
    })
}

fn market(id: &str) -> Result<MarketId, RouteFault> {
    Ok(decoded(id).ok_or(RouteFault::NotFound)?.into())
}

fn owner(id: &str) -> Result<AccountId, RouteFault> {
    Ok(decoded(id).ok_or(RouteFault::NotFound)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_market_id_in_the_path_keeps_its_pipe() {
        let book = SimRoute::Book("paper|BTC".into(), BookQuery::default());
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
        let twice = QueryFault::Twice("limit".to_owned());
        let query = "limit=1&limit=2";
        assert_eq!(
            parse("GET", "/sim/accounts/chal-1/equity", query),
            Err(twice.into())
        );
    }
}
