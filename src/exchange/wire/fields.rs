//! What every body reader does with a field.

use super::super::{
    engine::{Engine, MarketIx, MarketSpec, Px},
    fault::{Fault, ServiceCode},
};
use super::units::{Units, account_limit};
use crate::model::{MarketId, Num};

pub(crate) fn market<'a>(
    engine: &'a Engine,
    field: &'static str,
    id: &MarketId,
) -> Result<(MarketIx, &'a MarketSpec), Fault> {
    account_limit(field, id.raw())?;
    let found = engine.market(id.raw());
    found
        .and_then(|ix| Some((ix, engine.market_spec(ix)?)))
        .ok_or_else(|| {
            Fault::field(
                field,
                ServiceCode::UnknownMarket,
                format!("{field} `{id}` is no market here; GET /sim/markets lists them"),
            )
        })
}

pub(super) fn optional_price(
    units: Units,
    field: &'static str,
    given: Option<Num>,
) -> Result<Option<Px>, Fault> {
    given.map(|price| units.price(field, price)).transpose()
}

pub(super) fn required_price(
    units: Units,
    field: &'static str,
    given: Option<Num>,
    kind: impl std::fmt::Display,
) -> Result<Px, Fault> {
    units.price(field, required(field, given, kind)?)
}

pub(super) fn required<T>(
    field: &'static str,
    given: Option<T>,
    kind: impl std::fmt::Display,
) -> Result<T, Fault> {
    given.ok_or_else(|| {
        Fault::field(
            field,
            ServiceCode::InvalidRequest,
            format!("{field} is required for type {kind}"),
        )
    })
}

/// Refuses the first given field that `kind` does not know.
pub(super) fn refuse(
    given: &[(&'static str, bool)],
    known: &[&str],
    kind: impl std::fmt::Display,
) -> Result<(), Fault> {
    let stranger = given
        .iter()
        .find(|(field, is_given)| *is_given && !known.contains(field));
    stranger.map_or(Ok(()), |(field, _)| {
        let message = format!("{field} has no place in an order of type {kind}");
        Err(Fault::field(*field, ServiceCode::InvalidRequest, message))
    })
}
