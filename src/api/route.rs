//! Every documented endpoint as one enum: method, path and query in both directions.

use super::{Dialect, OrdersQuery, PositionsQuery, QueryFault, TwapsQuery, URL_SAFE};
use crate::model::{AccountId, OrderId, PositionId, ScaledId, TwapId};
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use std::fmt;
use strum::{Display, EnumString};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

/// Its variants, in snake case, are the operation ids of `assets/openapi.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Route {
    CloseAll(AccountId),
    PlaceOrder,
    ClosePosition(PositionId),
    AttachedExits(OrderId),
    IsolatedMargin(PositionId),
    Orders(OrdersQuery),
    CancelOrder(OrderId),
    Positions(PositionsQuery),
    Twaps(TwapsQuery),
    StopTwap(TwapId),
    Scaled(ScaledId),
    CancelScaled(ScaledId),
}

/// Why a request matches no endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteFault {
    #[error("no such endpoint")]
    NotFound,
    #[error("this endpoint does not take that method")]
    Method,
    #[error(transparent)]
    Query(#[from] QueryFault),
}

impl Route {
    pub fn method(&self) -> Method {
        match self {
            Self::Orders(_) | Self::Positions(_) | Self::Twaps(_) | Self::Scaled(_) => Method::Get,
            Self::CloseAll(_) | Self::PlaceOrder | Self::ClosePosition(_) => Method::Post,
            Self::AttachedExits(_) | Self::IsolatedMargin(_) => Method::Put,
            Self::CancelOrder(_) | Self::StopTwap(_) | Self::CancelScaled(_) => Method::Delete,
        }
    }

    /// Path and query, percent-encoded, starting with `/v1`.
    pub fn target(&self, dialect: &Dialect) -> String {
        match self {
            Self::CloseAll(id) => {
                format!("/v1/accounts/{}/close-all-positions", segment(id.raw()))
            }
            Self::PlaceOrder => "/v1/orders".to_owned(),
            Self::ClosePosition(id) => format!("/v1/positions/{}/close", segment(id.raw())),
            Self::AttachedExits(id) => format!("/v1/orders/{}/attached-exits", segment(id.raw())),
            Self::IsolatedMargin(id) => {
                format!("/v1/positions/{}/isolated-margin", segment(id.raw()))
            }
            Self::Orders(query) => with_query("/v1/orders", &query.write(dialect)),
            Self::CancelOrder(id) => format!("/v1/orders/{}", segment(id.raw())),
            Self::Positions(query) => with_query("/v1/positions", &query.write(dialect)),
            Self::Twaps(query) => with_query("/v1/twap-orders", &query.write(dialect)),
            Self::StopTwap(id) => format!("/v1/twap-orders/{}", segment(id.raw())),
            Self::Scaled(id) | Self::CancelScaled(id) => {
                format!("/v1/scaled-orders/{}", segment(id.raw()))
            }
        }
    }

    /// The endpoint of a request line. `method` is as on the wire (`GET`), `query` without its `?`.
    pub fn parse(
        method: &str,
        path: &str,
        query: &str,
        dialect: &Dialect,
    ) -> Result<Self, RouteFault> {
        let segments = segments(path).ok_or(RouteFault::NotFound)?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let ["v1", resource @ ..] = segments.as_slice() else {
            return Err(RouteFault::NotFound);
        };
        let route = match (method, resource) {
            ("POST", ["accounts", id, "close-all-positions"]) => Self::CloseAll((*id).into()),
            ("POST", ["orders"]) => Self::PlaceOrder,
            ("GET", ["orders"]) => return Ok(Self::Orders(OrdersQuery::read(query, dialect)?)),
            ("DELETE", ["orders", id]) => Self::CancelOrder((*id).into()),
            ("PUT", ["orders", id, "attached-exits"]) => Self::AttachedExits((*id).into()),
            ("GET", ["positions"]) => {
                return Ok(Self::Positions(PositionsQuery::read(query, dialect)?));
            }
            ("POST", ["positions", id, "close"]) => Self::ClosePosition((*id).into()),
            ("PUT", ["positions", id, "isolated-margin"]) => Self::IsolatedMargin((*id).into()),
            ("GET", ["twap-orders"]) => return Ok(Self::Twaps(TwapsQuery::read(query, dialect)?)),
            ("DELETE", ["twap-orders", id]) => Self::StopTwap((*id).into()),
            ("GET", ["scaled-orders", id]) => Self::Scaled((*id).into()),
            ("DELETE", ["scaled-orders", id]) => Self::CancelScaled((*id).into()),
            _ => return Err(unmatched(resource)),
        };
        match query {
            "" => Ok(route),
            _ => {
                Err(QueryFault::Unknown(query.split('=').next().unwrap_or(query).to_owned()).into())
            }
        }
    }
}

/// The fault of an unmatched path: it exists with another method, or not at all.
fn unmatched(resource: &[&str]) -> RouteFault {
    match resource {
        ["orders" | "positions" | "twap-orders"]
        | ["orders" | "twap-orders" | "scaled-orders", _]
        | ["accounts", _, "close-all-positions"]
        | ["orders", _, "attached-exits"]
        | ["positions", _, "close" | "isolated-margin"] => RouteFault::Method,
        _ => RouteFault::NotFound,
    }
}

fn segment(id: &str) -> impl fmt::Display {
    utf8_percent_encode(id, URL_SAFE)
}

fn with_query(path: &str, query: &str) -> String {
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// Decoded path segments; `None` for an empty segment or one that is not UTF-8.
fn segments(path: &str) -> Option<Vec<String>> {
    path.strip_prefix('/')?
        .split('/')
        .map(|part| {
            let decoded = percent_decode_str(part).decode_utf8().ok()?;
            (!decoded.is_empty()).then(|| decoded.into_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{FILTER_SPELLINGS, OrderFilter, PositionSelector, QueryPair},
        model::Cursor,
    };

    fn every_route() -> Vec<Route> {
        let odd = "a/b|c ?&=ü..";
        vec![
            Route::CloseAll(odd.into()),
            Route::PlaceOrder,
            Route::ClosePosition(odd.into()),
            Route::AttachedExits(odd.into()),
            Route::IsolatedMargin(odd.into()),
            Route::Orders(OrdersQuery {
                account_id: odd.into(),
                filter: OrderFilter::Working,
                limit: Some(100),
                cursor: Some(Cursor::from("c+/=".to_owned())),
            }),
            Route::CancelOrder(odd.into()),
            Route::Positions(PositionsQuery {
                account_id: odd.into(),
                selector: PositionSelector::Closed,
                limit: None,
                cursor: None,
            }),
            Route::Twaps(TwapsQuery {
                account_id: Some(odd.into()),
            }),
            Route::StopTwap(odd.into()),
            Route::Scaled(odd.into()),
            Route::CancelScaled(odd.into()),
        ]
    }

    fn reparsed(route: &Route, dialect: &Dialect) -> Result<Route, RouteFault> {
        let target = route.target(dialect);
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        Route::parse(&route.method().to_string(), path, query, dialect)
    }

    #[test]
    fn what_the_client_builds_the_exchange_reads_back_whole() {
        let renamed = Dialect {
            working_filter: QueryPair {
                name: "view".to_owned(),
                value: "live".to_owned(),
            },
            position_selector: "state".to_owned(),
            twaps_account: "account".to_owned(),
            ..Dialect::default()
        };
        for dialect in [Dialect::default(), renamed] {
            for route in every_route() {
                assert_eq!(reparsed(&route, &dialect), Ok(route));
            }
        }
    }

    #[test]
    fn the_filter_of_a_list_goes_by_any_of_its_spellings_and_by_one_at_a_time() {
        let parse = |path, query: &str| Route::parse("GET", path, query, &Dialect::default());
        for name in FILTER_SPELLINGS {
            let orders = parse("/v1/orders", &format!("account_id=a&{name}=working"));
            let positions = parse("/v1/positions", &format!("account_id=a&{name}=closed"));
            assert!(
                matches!(orders, Ok(Route::Orders(q)) if q.filter == OrderFilter::Working)
                    && matches!(positions, Ok(Route::Positions(q)) if q.selector == PositionSelector::Closed),
                "{name}"
            );
        }
        for (query, words) in [
            (
                "account_id=a&view=half",
                "query parameter `view` must be `open` or `closed`, not `half`",
            ),
            (
                "account_id=a&status=open&state=open",
                "query parameter `state` is given twice",
            ),
        ] {
            let fault = parse("/v1/positions", query).unwrap_err();
            assert_eq!(fault.to_string(), words);
        }
    }

    #[test]
    fn a_wrong_query_is_refused_by_name() {
        let parse = |query| Route::parse("GET", "/v1/orders", query, &Dialect::default());
        for (query, words) in [
            ("", "query parameter `account_id` is required"),
            (
                "account_id=a&limit=0",
                "query parameter `limit` must be an integer from 1 to 100, not `0`",
            ),
            (
                "account_id=a&status=done",
                "query parameter `status` must be `working`, not `done`",
            ),
            ("account_id=a&limt=5", "unknown query parameter `limt`"),
            (
                "account_id=a&account_id=b",
                "query parameter `account_id` is given twice",
            ),
        ] {
            assert_eq!(parse(query).unwrap_err().to_string(), words);
        }
    }

    #[test]
    fn a_known_path_with_another_method_is_not_a_missing_path() {
        let parse = |method, path| Route::parse(method, path, "", &Dialect::default());
        assert_eq!(parse("PATCH", "/v1/orders"), Err(RouteFault::Method));
        assert_eq!(
            parse("GET", "/v1/orders/o1/attached-exits"),
            Err(RouteFault::Method)
        );
        assert_eq!(parse("GET", "/v1/fills"), Err(RouteFault::NotFound));
        assert_eq!(parse("GET", "/v2/orders"), Err(RouteFault::NotFound));
    }
}
