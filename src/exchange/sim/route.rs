//! The simulation's own endpoints as one enum.

use super::query::{BookQuery, CandleQuery, RowsQuery};
use crate::{
    api::{Method, QueryFaults, RouteFault, matched_route, no_parameters},
    model::{AccountId, MarketId, OrderId},
};

#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SimRoute {
    OpenApi,
    MarketStatistics,
    Book(MarketId, BookQuery),
    Candles(MarketId, CandleQuery),
    Trades(MarketId, RowsQuery),
    Equity(AccountId, RowsQuery),
    Funding(AccountId, RowsQuery),
    OrderEvidence(OrderId),
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
        matched_route(method, path, "sim", |method, resource| {
            Self::matched(method, resource, query)
        })
    }

    /// `None` if no endpoint has this method and path.
    fn matched(
        method: Method,
        resource: &[&str],
        query: &str,
    ) -> Option<Result<Self, QueryFaults>> {
        use Method::{Delete, Get, Post};
        let bare = |route: Self| no_parameters(query).map(|()| route);
        Some(match (method, resource) {
            (Get, ["openapi.yaml"]) => bare(Self::OpenApi),
            (Get, ["markets"]) => bare(Self::MarketStatistics),
            (Get, ["markets", id, "book"]) => {
                BookQuery::parse(query).map(|query| Self::Book((*id).into(), query))
            }
            (Get, ["markets", id, "candles"]) => {
                CandleQuery::parse(query).map(|query| Self::Candles((*id).into(), query))
            }
            (Get, ["markets", id, "trades"]) => {
                RowsQuery::rows(query).map(|page| Self::Trades((*id).into(), page))
            }
            (Get, ["accounts", id, "equity"]) => {
                RowsQuery::samples(query).map(|page| Self::Equity((*id).into(), page))
            }
            (Get, ["accounts", id, "funding"]) => {
                RowsQuery::rows(query).map(|page| Self::Funding((*id).into(), page))
            }
            (Get, ["orders", id, "evidence"]) => bare(Self::OrderEvidence((*id).into())),
            (Get, ["clock"]) => bare(Self::Clock),
            (Post, ["clock"]) => bare(Self::SetClock),
            (Post, ["nudge"]) => bare(Self::Nudge),
            (Get, ["faults"]) => bare(Self::Faults),
            (Post, ["faults"]) => bare(Self::PlantFault),
            (Delete, ["faults"]) => bare(Self::ClearFaults),
            (Post, ["budgets"]) => bare(Self::SetBudgets),
            (Post, ["reset"]) => bare(Self::Reset),
            _ => return None,
        })
    }

    /// Routes without a rate limit, so that they stay reachable.
    pub(crate) fn is_unlimited(&self) -> bool {
        matches!(self, Self::SetBudgets | Self::Reset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::QueryFault;

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
        assert_eq!(
            parse("GET", "/sim/markets", "x=1"),
            Err(QueryFaults::from(unknown).into())
        );
        let twice = QueryFault::Twice("limit".to_owned());
        let query = "limit=1&limit=2";
        assert_eq!(
            parse("GET", "/sim/accounts/chal-1/equity", query),
            Err(QueryFaults::from(twice).into())
        );
    }
}
