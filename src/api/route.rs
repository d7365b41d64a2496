//! Every documented endpoint as one enum: method, path and query in both directions.

use super::{
    OrdersQuery, PageQuery, PositionsQuery, QueryFaults, QuoteSize, TwapsQuery, URL_SAFE,
    no_parameters,
};
use crate::model::{AccountId, MarketId, OrderId, PositionId, ScaledId, TwapId};
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use std::fmt;
use strum::{Display, EnumString, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// Its variants, in snake case, are the operation ids of `assets/openapi.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Route {
    /// What the service says of itself; needs no key.
    About,
    /// Needs no key, like the market of an id.
    Markets,
    Market(MarketId),
    Quote(MarketId, Option<QuoteSize>),
    Accounts,
    Account(AccountId),
    TradingPolicy(AccountId),
    CloseAll(AccountId),
    CancelAll(AccountId),
    Orders(OrdersQuery),
    PlaceOrder,
    Order(OrderId),
    ModifyOrder(OrderId),
    CancelOrder(OrderId),
    AttachedExits(OrderId),
    Fills(PageQuery),
    Positions(PositionsQuery),
    Position(PositionId),
    ClosePosition(PositionId),
    ExitOrders(PositionId),
    IsolatedMargin(PositionId),
    Twaps(TwapsQuery),
    PlaceTwap,
    Twap(TwapId),
    StopTwap(TwapId),
    ScaledOrders(PageQuery),
    PlaceScaled,
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
    Query(#[from] QueryFaults),
}

impl Route {
    pub fn method(&self) -> Method {
        match self {
            Self::About
            | Self::Markets
            | Self::Market(_)
            | Self::Quote(..)
            | Self::Accounts
            | Self::Account(_)
            | Self::TradingPolicy(_)
            | Self::Orders(_)
            | Self::Order(_)
            | Self::Fills(_)
            | Self::Positions(_)
            | Self::Position(_)
            | Self::Twaps(_)
            | Self::Twap(_)
            | Self::ScaledOrders(_)
            | Self::Scaled(_) => Method::Get,
            Self::CloseAll(_)
            | Self::CancelAll(_)
            | Self::PlaceOrder
            | Self::ClosePosition(_)
            | Self::PlaceTwap
            | Self::PlaceScaled => Method::Post,
            Self::AttachedExits(_) | Self::ExitOrders(_) | Self::IsolatedMargin(_) => Method::Put,
            Self::ModifyOrder(_) => Method::Patch,
            Self::CancelOrder(_) | Self::StopTwap(_) | Self::CancelScaled(_) => Method::Delete,
        }
    }

    /// Whether it is served without a key.
    pub fn is_public(&self) -> bool {
        matches!(self, Self::About | Self::Markets | Self::Market(_))
    }

    /// Path and query, percent-encoded, starting with `/v1`.
    pub fn target(&self) -> String {
        let of = |kind: &str, id: &str, rest: &str| format!("/v1/{kind}/{}{rest}", segment(id));
        match self {
            Self::About => "/v1".to_owned(),
            Self::Markets => "/v1/markets".to_owned(),
            Self::Market(id) => of("markets", id.raw(), ""),
            Self::Quote(id, size) => {
                let query = size.map(QuoteSize::write).unwrap_or_default();
                with_query(&of("markets", id.raw(), "/quote"), &query)
            }
            Self::Accounts => "/v1/accounts".to_owned(),
            Self::Account(id) => of("accounts", id.raw(), ""),
            Self::TradingPolicy(id) => of("accounts", id.raw(), "/trading-policy"),
            Self::CloseAll(id) => of("accounts", id.raw(), "/close-all-positions"),
            Self::CancelAll(id) => of("accounts", id.raw(), "/cancel-all-orders"),
            Self::Orders(query) => with_query("/v1/orders", &query.write()),
            Self::PlaceOrder => "/v1/orders".to_owned(),
            Self::Order(id) | Self::ModifyOrder(id) | Self::CancelOrder(id) => {
                of("orders", id.raw(), "")
            }
            Self::AttachedExits(id) => of("orders", id.raw(), "/attached-exits"),
            Self::Fills(query) => with_query("/v1/fills", &query.write()),
            Self::Positions(query) => with_query("/v1/positions", &query.write()),
            Self::Position(id) => of("positions", id.raw(), ""),
            Self::ClosePosition(id) => of("positions", id.raw(), "/close"),
            Self::ExitOrders(id) => of("positions", id.raw(), "/exit-orders"),
            Self::IsolatedMargin(id) => of("positions", id.raw(), "/isolated-margin"),
            Self::Twaps(query) => with_query("/v1/twap-orders", &query.write()),
            Self::PlaceTwap => "/v1/twap-orders".to_owned(),
            Self::Twap(id) | Self::StopTwap(id) => of("twap-orders", id.raw(), ""),
            Self::ScaledOrders(query) => with_query("/v1/scaled-orders", &query.write()),
            Self::PlaceScaled => "/v1/scaled-orders".to_owned(),
            Self::Scaled(id) | Self::CancelScaled(id) => of("scaled-orders", id.raw(), ""),
        }
    }

    /// The endpoint of a request line. `method` is as on the wire (`GET`), `query` without its `?`.
    pub fn parse(method: &str, path: &str, query: &str) -> Result<Self, RouteFault> {
        matched_route(method, path, "v1", |method, resource| {
            Self::matched(method, resource, query)
        })
    }

    /// `None` if no endpoint has this method and path.
    fn matched(
        method: Method,
        resource: &[&str],
        query: &str,
    ) -> Option<Result<Self, QueryFaults>> {
        use Method::{Delete, Get, Patch, Post, Put};
        let bare = |route: Self| no_parameters(query).map(|()| route);
        Some(match (method, resource) {
            (Get, []) => bare(Self::About),
            (Get, ["markets"]) => bare(Self::Markets),
            (Get, ["markets", id]) => bare(Self::Market((*id).into())),
            (Get, ["markets", id, "quote"]) => {
                QuoteSize::read(query).map(|size| Self::Quote((*id).into(), size))
            }
            (Get, ["accounts"]) => bare(Self::Accounts),
            (Get, ["accounts", id]) => bare(Self::Account((*id).into())),
            (Get, ["accounts", id, "trading-policy"]) => bare(Self::TradingPolicy((*id).into())),
            (Post, ["accounts", id, "close-all-positions"]) => bare(Self::CloseAll((*id).into())),
            (Post, ["accounts", id, "cancel-all-orders"]) => bare(Self::CancelAll((*id).into())),
            (Get, ["orders"]) => OrdersQuery::read(query).map(Self::Orders),
            (Post, ["orders"]) => bare(Self::PlaceOrder),
            (Get, ["orders", id]) => bare(Self::Order((*id).into())),
            (Patch, ["orders", id]) => bare(Self::ModifyOrder((*id).into())),
            (Delete, ["orders", id]) => bare(Self::CancelOrder((*id).into())),
            (Put, ["orders", id, "attached-exits"]) => bare(Self::AttachedExits((*id).into())),
            (Get, ["fills"]) => PageQuery::read(query).map(Self::Fills),
            (Get, ["positions"]) => PositionsQuery::read(query).map(Self::Positions),
            (Get, ["positions", id]) => bare(Self::Position((*id).into())),
            (Post, ["positions", id, "close"]) => bare(Self::ClosePosition((*id).into())),
            (Put, ["positions", id, "exit-orders"]) => bare(Self::ExitOrders((*id).into())),
            (Put, ["positions", id, "isolated-margin"]) => bare(Self::IsolatedMargin((*id).into())),
            (Get, ["twap-orders"]) => TwapsQuery::read(query).map(Self::Twaps),
            (Post, ["twap-orders"]) => bare(Self::PlaceTwap),
            (Get, ["twap-orders", id]) => bare(Self::Twap((*id).into())),
            (Delete, ["twap-orders", id]) => bare(Self::StopTwap((*id).into())),
            (Get, ["scaled-orders"]) => PageQuery::read(query).map(Self::ScaledOrders),
            (Post, ["scaled-orders"]) => bare(Self::PlaceScaled),
            (Get, ["scaled-orders", id]) => bare(Self::Scaled((*id).into())),
            (Delete, ["scaled-orders", id]) => bare(Self::CancelScaled((*id).into())),
            _ => return None,
        })
    }
}

/// The route of a request line below `root`, by what has a method and the path segments behind it.
pub fn matched_route<R>(
    method: &str,
    path: &str,
    root: &str,
    matched: impl Fn(Method, &[&str]) -> Option<Result<R, QueryFaults>>,
) -> Result<R, RouteFault> {
    let segments = segments(path).ok_or(RouteFault::NotFound)?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let resource = match segments.as_slice() {
        [first, resource @ ..] if *first == root => resource,
        _ => return Err(RouteFault::NotFound),
    };
    let wanted = method.parse().ok();
    if let Some(found) = wanted.and_then(|method| matched(method, resource)) {
        return Ok(found?);
    }
    let mut methods = Method::VARIANTS.iter();
    Err(
        if methods.any(|method| matched(*method, resource).is_some()) {
            RouteFault::Method
        } else {
            RouteFault::NotFound
        },
    )
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
        api::{OrderFilter, PositionSelector, TwapSelector},
        model::{Cursor, Num, Side},
    };
    use strum::VariantNames as _;

    fn every_route() -> Vec<Route> {
        let odd = "a/b|c ?&=ü..";
        let page = PageQuery {
            account_id: odd.into(),
            limit: Some(100),
            cursor: Some(Cursor::from("c+/=".to_owned())),
        };
        let first = PageQuery::first(odd.into());
        let size = QuoteSize {
            side: Side::Sell,
            size: Num::new(15, 1),
        };
        vec![
            Route::About,
            Route::Markets,
            Route::Market(odd.into()),
            Route::Quote(odd.into(), None),
            Route::Quote(odd.into(), Some(size)),
            Route::Accounts,
            Route::Account(odd.into()),
            Route::TradingPolicy(odd.into()),
            Route::CloseAll(odd.into()),
            Route::CancelAll(odd.into()),
            Route::Orders(OrdersQuery::Of(page.clone(), OrderFilter::Working)),
            Route::Orders(OrdersQuery::Of(first.clone(), OrderFilter::All)),
            Route::Orders(OrdersQuery::Named(odd.into())),
            Route::PlaceOrder,
            Route::Order(odd.into()),
            Route::ModifyOrder(odd.into()),
            Route::CancelOrder(odd.into()),
            Route::AttachedExits(odd.into()),
            Route::Fills(page.clone()),
            Route::Positions(PositionsQuery {
                page: page.clone(),
                selector: PositionSelector::Closed,
            }),
            Route::Position(odd.into()),
            Route::ClosePosition(odd.into()),
            Route::ExitOrders(odd.into()),
            Route::IsolatedMargin(odd.into()),
            Route::Twaps(TwapsQuery {
                page: page.clone(),
                selector: TwapSelector::Completed,
            }),
            Route::PlaceTwap,
            Route::Twap(odd.into()),
            Route::StopTwap(odd.into()),
            Route::ScaledOrders(page),
            Route::PlaceScaled,
            Route::Scaled(odd.into()),
            Route::CancelScaled(odd.into()),
        ]
    }

    #[test]
    fn what_the_client_builds_the_exchange_reads_back_whole() {
        let routes = every_route();
        let known: std::collections::BTreeSet<&str> =
            routes.iter().map(<&'static str>::from).collect();
        assert_eq!(
            known.len(),
            Route::VARIANTS.len(),
            "a route is missing here"
        );
        for route in routes {
            let target = route.target();
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let read = Route::parse(&route.method().to_string(), path, query);
            assert_eq!(read, Ok(route));
        }
    }

    #[test]
    fn an_order_is_found_by_its_name_alone() {
        let parse = |query: &str| Route::parse("GET", "/v1/orders", query);
        let named = Route::Orders(OrdersQuery::Named("k 1".into()));
        assert_eq!(parse("client_order_id=k%201"), Ok(named));
        let why = parse("client_order_id=k&account_id=a").unwrap_err();
        assert_eq!(why.to_string(), "unknown query parameter `account_id`");
    }

    #[test]
    fn a_wrong_query_is_refused_by_name() {
        for (path, query, words) in [
            ("orders", "", "query parameter `account_id` is required"),
            (
                "orders",
                "account_id=a&limit=0",
                "query parameter `limit` must be an integer from 1 to 100, not `0`",
            ),
            (
                "orders",
                "account_id=a&status=done",
                "query parameter `status` must be `working`, not `done`",
            ),
            (
                "positions",
                "account_id=a&status=half",
                "query parameter `status` must be `open` or `closed`, not `half`",
            ),
            (
                "orders",
                "account_id=a&limt=5",
                "unknown query parameter `limt`",
            ),
            (
                "orders",
                "account_id=a&account_id=b",
                "query parameter `account_id` is given twice",
            ),
            (
                "markets/x%7CBTC/quote",
                "side=buy",
                "query parameter `size` is required",
            ),
            (
                "markets/x%7CBTC/quote",
                "side=buy&size=-1",
                "query parameter `size` must be a number above zero, not `-1`",
            ),
        ] {
            let fault = Route::parse("GET", &format!("/v1/{path}"), query).unwrap_err();
            assert_eq!(fault.to_string(), words);
        }
    }

    #[test]
    fn a_known_path_with_another_method_is_not_a_missing_path() {
        let parse = |method, path| Route::parse(method, path, "");
        assert_eq!(parse("PUT", "/v1/orders"), Err(RouteFault::Method));
        assert_eq!(parse("BREW", "/v1/orders/o1"), Err(RouteFault::Method));
        assert_eq!(
            parse("GET", "/v1/orders/o1/attached-exits"),
            Err(RouteFault::Method)
        );
        assert_eq!(parse("GET", "/v1/candles"), Err(RouteFault::NotFound));
        assert_eq!(parse("GET", "/v2/orders"), Err(RouteFault::NotFound));
    }
}
