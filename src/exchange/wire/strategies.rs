//! `POST /v1/twap-orders` and `/v1/scaled-orders` as engine commands (docs/service-api.md 4.2, 4.3).

use super::super::{
    api_error::ApiResult,
    engine::{Engine, Reason, ScaledParams, TwapParams},
};
use super::units::{MarketUnits, leverage, market, observed, optional_price, whole};
use crate::model::{PlaceScaled, PlaceTwap};

pub(crate) fn scaled(engine: &Engine, body: &PlaceScaled) -> ApiResult<ScaledParams> {
    let (market, spec) = market(engine, "market_id", &body.market_id)?;
    let units = MarketUnits::from(spec);
    Ok(ScaledParams {
        market,
        side: body.side,
        size: units.size("size", body.size)?,
        leverage: leverage(body.leverage)?,
        margin_mode: body.margin_mode,
        reduction: body.reduce_only.into(),
        start_price: units.price("start_price", body.start_price)?,
        end_price: units.price("end_price", body.end_price)?,
        rung_count: whole("rung_count", body.rung_count, Reason::InvalidScaled)?,
        distribution: body.distribution,
    })
}

pub(crate) fn twap(engine: &Engine, body: &PlaceTwap) -> ApiResult<TwapParams> {
    let (market, spec) = market(engine, "market_id", &body.market_id)?;
    let units = MarketUnits::from(spec);
    let whole = |field, given| whole(field, given, Reason::InvalidTwap);
    observed("expected_price", body.expected_price)?;
    Ok(TwapParams {
        kind: body.curve,
        market,
        side: body.side,
        size: units.size("size", body.size)?,
        leverage: leverage(body.leverage)?,
        margin_mode: body.margin_mode,
        reduction: body.reduce_only.into(),
        duration_minutes: whole("duration_minutes", body.duration_minutes)?,
        slice_interval_seconds: body
            .slice_interval_seconds
            .map(|given| whole("slice_interval_seconds", given))
            .transpose()?,
        pacing: body.randomize.into(),
        trigger_price: optional_price(units, "trigger_price", body.trigger_price)?,
        max_price: optional_price(units, "max_price", body.max_price)?,
        min_price: optional_price(units, "min_price", body.min_price)?,
    })
}
