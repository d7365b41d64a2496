//! Field checks that all body readers share.

use super::super::{
    api_error::{ApiError, ServiceCode},
    engine::{Engine, MarketIx, MarketSpec, Px},
};
use super::units::{MarketUnits, account_limit};
use crate::model::{ClientOrderId, MarketId, Num};

pub(crate) fn market<'a>(
    engine: &'a Engine,
    field: &'static str,
    id: &MarketId,
) -> Result<(MarketIx, &'a MarketSpec), ApiError> {
    account_limit(field, id.raw())?;
    let found = engine.market(id.raw());
    found
        .and_then(|ix| Some((ix, engine.market_spec(ix)?)))
        .ok_or_else(|| {
            ApiError::field(
                field,
                ServiceCode::UnknownMarket,
                format!("{field} `{id}` is not a market here; GET /v1/markets lists them"),
            )
        })
}

/// The client's own name of an order; a longer one than 128 characters is refused with the body.
pub(super) fn client_order_id(
    given: Option<&ClientOrderId>,
) -> Result<Option<ClientOrderId>, ApiError> {
    match given {
        Some(name) if name.raw().is_empty() => Err(ApiError::invalid(
            "client_order_id",
            "client_order_id must be 1 to 128 characters long",
        )),
        Some(_) | None => Ok(given.cloned()),
    }
}

pub(crate) fn optional_price(
    units: MarketUnits,
    field: &'static str,
    given: Option<Num>,
) -> Result<Option<Px>, ApiError> {
    given.map(|price| units.price(field, price)).transpose()
}

pub(super) fn required_price(
    units: MarketUnits,
    field: &'static str,
    given: Option<Num>,
    kind: impl std::fmt::Display,
) -> Result<Px, ApiError> {
    units.price(field, required(field, given, kind)?)
}

pub(super) fn required<T>(
    field: &'static str,
    given: Option<T>,
    kind: impl std::fmt::Display,
) -> Result<T, ApiError> {
    given.ok_or_else(|| ApiError::invalid(field, format!("{field} is required for type {kind}")))
}

/// Refuses the first field that `kind` does not have.
pub(super) fn refuse(
    given: &[(&'static str, bool)],
    known: &[&str],
    kind: impl std::fmt::Display,
) -> Result<(), ApiError> {
    let unknown = given
        .iter()
        .find(|(field, is_given)| *is_given && !known.contains(field));
    unknown.map_or(Ok(()), |(field, _)| {
        let message = format!("{field} cannot be used with type {kind}");
        Err(ApiError::invalid(*field, message))
    })
}
