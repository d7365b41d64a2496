//! Bodies that change existing objects, as engine commands: close, attached exits, isolated margin
//! (docs/engine.md 2.7, 2.9, 6.4).

use super::super::{
    api_error::{ApiError, ApiResult},
    engine::{
        CloseHow, CloseParams, Crossing, Engine, ExitChange, MarketIx, OrderRecord, PositionId,
        SetAttachedExits, SetIsolatedMargin,
    },
};
use super::units::{
    MarketUnits, amount, client_order_id, market, observed, refuse, required, required_price,
    slippage,
};
use crate::{
    api::MarginBody,
    model::{self, CloseKind, ClosePosition, Exits},
};

/// `POST /v1/positions/{position_id}/close`; `market` is the position's own.
pub(crate) fn close(
    engine: &Engine,
    position: PositionId,
    market: MarketIx,
    body: &ClosePosition,
) -> ApiResult<CloseParams> {
    let units = MarketUnits::of(engine, market);
    refuse_unknown_close_fields(body)?;
    Ok(CloseParams {
        position,
        size: body.size.map(|size| units.size("size", size)).transpose()?,
        expected_price: body
            .expected_price
            .map(|given| observed("expected_price", given))
            .transpose()?,
        how: close_how(engine, units, body)?,
        client_order_id: client_order_id(body.client_order_id.as_ref())?,
    })
}

fn refuse_unknown_close_fields(body: &ClosePosition) -> ApiResult<()> {
    let given = [
        ("slippage_tolerance_bps", body.slippage_tolerance.is_some()),
        ("limit_price", body.limit_price.is_some()),
        ("trigger_price", body.trigger_price.is_some()),
        ("trigger_market_id", body.trigger_market_id.is_some()),
        ("trigger_direction", body.trigger_direction.is_some()),
    ];
    let known: &[&str] = match body.kind {
        CloseKind::Market => &["slippage_tolerance_bps"],
        CloseKind::Limit => &["limit_price"],
        CloseKind::Conditional => &[
            "slippage_tolerance_bps",
            "trigger_price",
            "trigger_market_id",
            "trigger_direction",
        ],
    };
    refuse(&given, known, body.kind)
}

fn close_how(engine: &Engine, units: MarketUnits, body: &ClosePosition) -> ApiResult<CloseHow> {
    let slippage = body
        .slippage_tolerance
        .map(|bps| slippage(bps.0))
        .transpose()?;
    Ok(match body.kind {
        CloseKind::Market => CloseHow::Market { slippage },
        CloseKind::Limit => CloseHow::Limit {
            price: required_price(units, "limit_price", body.limit_price, body.kind)?,
            crossing: if body.marketable_limit_acknowledged {
                Crossing::Acknowledged
            } else {
                Crossing::Unacknowledged
            },
        },
        CloseKind::Conditional => {
            let watched = body
                .trigger_market_id
                .as_ref()
                .map(|id| market(engine, "trigger_market_id", id))
                .transpose()?;
            let watched_units = watched.map_or(units, |(_, spec)| spec.into());
            CloseHow::Conditional {
                market: watched.map(|(market, _)| market),
                trigger: required_price(
                    watched_units,
                    "trigger_price",
                    body.trigger_price,
                    body.kind,
                )?,
                direction: required("trigger_direction", body.trigger_direction, body.kind)?,
                slippage,
            }
        }
    })
}

/// `PUT /v1/orders/{order_id}/attached-exits`.
pub(crate) fn exits(
    engine: &Engine,
    row: &OrderRecord,
    body: &Exits,
) -> ApiResult<SetAttachedExits> {
    let units = MarketUnits::of(engine, row.market);
    let leg = |field, leg| match leg {
        model::Leg::Keep => Ok(ExitChange::Keep),
        model::Leg::Remove => Ok(ExitChange::Remove),
        model::Leg::Set(price) => units.price(field, price).map(ExitChange::Set),
    };
    if body.take_profit.is_kept() && body.stop_loss.is_kept() {
        return Err(ApiError::body(
            "take_profit_price, stop_loss_price or both are required",
        ));
    }
    Ok(SetAttachedExits {
        order: row.id,
        take_profit: leg("take_profit_price", body.take_profit)?,
        stop_loss: leg("stop_loss_price", body.stop_loss)?,
    })
}

/// `PUT /v1/positions/{position_id}/isolated-margin`.
pub(crate) fn isolated_margin(
    position: PositionId,
    body: &MarginBody,
) -> ApiResult<SetIsolatedMargin> {
    Ok(SetIsolatedMargin {
        position,
        extra: amount("extra_margin", body.extra_margin)?,
    })
}
