//! `POST /v1/orders` as an engine command: which fields a type needs and which it refuses (docs/engine.md 2.1).

use super::super::{
    api_error::{ApiError, ApiResult},
    engine::{
        AttachedExits, Engine, ExitOverlap, MarketIx, Millis, NanoPx, OrderParams, PlaceMode,
        PositionId, Reason, Tif,
    },
};
use super::units::{
    MarketUnits, client_order_id, leverage, market, observed, optional_price, refuse, required,
    required_price, slippage,
};
use crate::model::{PlaceKind, PlaceOrder, TimeInForce};

/// `POST /v1/orders`.
pub(crate) fn place(engine: &Engine, body: &PlaceOrder) -> ApiResult<OrderParams> {
    let (market, spec) = market(engine, "market_id", &body.market_id)?;
    let units = MarketUnits::from(spec);
    refuse_unknown_fields(body)?;
    Ok(OrderParams {
        market,
        side: body.side,
        size: units.size("size", body.size)?,
        leverage: leverage(body.leverage)?,
        margin_mode: body.margin_mode,
        expected_price: match body.expected_price {
            Some(given) => observed("expected_price", given)?,
            None => midpoint(engine, market, units),
        },
        reduction: body.reduce_only.into(),
        tif: tif(body)?,
        slippage: body
            .slippage_tolerance
            .map(|bps| slippage(bps.0))
            .transpose()?,
        exits: AttachedExits {
            take_profit: optional_price(units, "take_profit_price", body.take_profit_price)?,
            stop_loss: optional_price(units, "stop_loss_price", body.stop_loss_price)?,
        },
        overlap: overlap(body)?,
        mode: mode(engine, units, body)?,
        client_order_id: client_order_id(body.client_order_id.as_ref())?,
    })
}

/// Consent to replace exits is only for an order that brings some.
fn overlap(body: &PlaceOrder) -> ApiResult<ExitOverlap> {
    if !body.replace_overlapping_exits {
        return Ok(ExitOverlap::Refused);
    }
    if body.take_profit_price.is_none() && body.stop_loss_price.is_none() {
        return Err(ApiError::invalid(
            "replace_overlapping_exits",
            "replace_overlapping_exits needs take_profit_price or stop_loss_price",
        ));
    }
    Ok(ExitOverlap::Replaced)
}

/// The optional fields of each type beyond the common ones; any other is refused by name.
fn optional_fields(kind: PlaceKind) -> &'static [&'static str] {
    const EXITS: &str = "take_profit_price";
    const STOP: &str = "stop_loss_price";
    const SLIPPAGE: &str = "slippage_tolerance_bps";
    match kind {
        PlaceKind::Market => &[SLIPPAGE, EXITS, STOP],
        PlaceKind::Limit => &["limit_price", EXITS, STOP],
        PlaceKind::Chase => &["chase_offset", "chase_cap_price", EXITS, STOP],
        PlaceKind::StopMarket | PlaceKind::TakeMarket => &["trigger_price", SLIPPAGE, EXITS, STOP],
        PlaceKind::StopLimit | PlaceKind::TakeLimit => {
            &["trigger_price", "limit_price", EXITS, STOP]
        }
        PlaceKind::TakeProfit => &["trigger_price", "target_position_id", SLIPPAGE],
        PlaceKind::Conditional => &[
            "trigger_price",
            "trigger_market_id",
            "trigger_direction",
            SLIPPAGE,
            EXITS,
            STOP,
        ],
    }
}

fn refuse_unknown_fields(body: &PlaceOrder) -> ApiResult<()> {
    let given = [
        ("limit_price", body.limit_price.is_some()),
        ("trigger_price", body.trigger_price.is_some()),
        ("trigger_market_id", body.trigger_market_id.is_some()),
        ("trigger_direction", body.trigger_direction.is_some()),
        ("chase_offset", body.chase_offset.is_some()),
        ("chase_cap_price", body.chase_cap_price.is_some()),
        ("take_profit_price", body.take_profit_price.is_some()),
        ("stop_loss_price", body.stop_loss_price.is_some()),
        ("slippage_tolerance_bps", body.slippage_tolerance.is_some()),
        ("target_position_id", body.target_position_id.is_some()),
    ];
    refuse(&given, optional_fields(body.kind), body.kind)
}

fn mode(engine: &Engine, units: MarketUnits, body: &PlaceOrder) -> ApiResult<PlaceMode> {
    let limit = || required_price(units, "limit_price", body.limit_price, body.kind);
    let trigger = || required_price(units, "trigger_price", body.trigger_price, body.kind);
    Ok(match body.kind {
        PlaceKind::Market => PlaceMode::Market,
        PlaceKind::Limit => PlaceMode::Limit { price: limit()? },
        PlaceKind::Chase => PlaceMode::Chase {
            offset: units.offset(
                "chase_offset",
                required("chase_offset", body.chase_offset, body.kind)?,
            )?,
            cap: optional_price(units, "chase_cap_price", body.chase_cap_price)?,
        },
        PlaceKind::StopMarket => PlaceMode::StopMarket {
            trigger: trigger()?,
        },
        PlaceKind::StopLimit => PlaceMode::StopLimit {
            trigger: trigger()?,
            price: limit()?,
        },
        PlaceKind::TakeMarket => PlaceMode::TakeMarket {
            trigger: trigger()?,
        },
        PlaceKind::TakeLimit => PlaceMode::TakeLimit {
            trigger: trigger()?,
            price: limit()?,
        },
        PlaceKind::TakeProfit => PlaceMode::TakeProfit {
            trigger: trigger()?,
            target: body
                .target_position_id
                .as_ref()
                .map(|id| position_id(id.raw()))
                .transpose()?,
        },
        PlaceKind::Conditional => conditional(engine, body)?,
    })
}

/// The trigger price has the units of the market it watches.
fn conditional(engine: &Engine, body: &PlaceOrder) -> ApiResult<PlaceMode> {
    let watched = required(
        "trigger_market_id",
        body.trigger_market_id.as_ref(),
        body.kind,
    )?;
    let (market, spec) = market(engine, "trigger_market_id", watched)?;
    Ok(PlaceMode::Conditional {
        market,
        trigger: required_price(spec.into(), "trigger_price", body.trigger_price, body.kind)?,
        direction: required("trigger_direction", body.trigger_direction, body.kind)?,
    })
}

fn tif(body: &PlaceOrder) -> ApiResult<Tif> {
    let expires_at = body.gtd_expires_at;
    let tif = match body.time_in_force {
        Some(TimeInForce::Gtc) => {
            let message = "time_in_force is ioc, fok or gtd: leave it out for gtc";
            return Err(ApiError::field(
                "time_in_force",
                Reason::InvalidTimeInForce,
                message,
            ));
        }
        given => given.unwrap_or(TimeInForce::Gtc),
    };
    if tif != TimeInForce::Gtd && expires_at.is_some() {
        return Err(ApiError::field(
            "gtd_expires_at",
            Reason::InvalidTimeInForce,
            "gtd_expires_at needs time_in_force gtd".to_owned(),
        ));
    }
    Ok(match tif {
        TimeInForce::Gtc => Tif::Gtc,
        TimeInForce::Ioc => Tif::Ioc,
        TimeInForce::Fok => Tif::Fok,
        TimeInForce::Gtd => {
            let given = expires_at.ok_or_else(|| {
                let message = "gtd_expires_at is required with time_in_force gtd";
                ApiError::field("gtd_expires_at", Reason::InvalidTimeInForce, message)
            })?;
            Tif::Gtd {
                expires_at: Millis(given.0),
            }
        }
    })
}

/// The recorded midpoint if the client sends none.
fn midpoint(engine: &Engine, market: MarketIx, units: MarketUnits) -> NanoPx {
    let facts = engine.market_facts(market);
    facts.mid.unwrap_or(facts.mark.nano(units.size_decimals))
}

fn position_id(text: &str) -> ApiResult<PositionId> {
    PositionId::parse(text).ok_or_else(|| ApiError::not_found("position"))
}
