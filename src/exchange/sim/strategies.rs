//! Creating TWAP/VWAP orders and ladders: the documented service creates them out of `api.md`'s sight.

use super::super::{
    answer::{Answer, Call},
    engine::{Command, MarketIx, Outcome, PlaceScaled, PlaceTwap, Px, TwapKind},
    fault::Fault,
    floor::Floor,
    gate::Caller,
    wire::{self, Units, leverage, whole},
};
use crate::{
    api::{Data, List},
    model::{AccountId, MarginMode, MarketId, Num, Scaled, Side},
};
use hyper::StatusCode;
use serde::Deserialize;

/// `POST /sim/twap-orders`. `size` is unsigned, as in an order; the resource's sizes are signed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TwapBody {
    account_id: AccountId,
    market_id: MarketId,
    side: Side,
    size: Num,
    leverage: Num,
    margin_mode: MarginMode,
    #[serde(default)]
    reduce_only: bool,
    #[serde(default)]
    kind: TwapKind,
    duration_minutes: Num,
    #[serde(default)]
    randomize: bool,
    trigger_price: Option<Num>,
    max_price: Option<Num>,
    min_price: Option<Num>,
}

/// `POST /sim/scaled-orders`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScaledBody {
    account_id: AccountId,
    market_id: MarketId,
    side: Side,
    size: Num,
    leverage: Num,
    margin_mode: MarginMode,
    #[serde(default)]
    reduce_only: bool,
    start_price: Num,
    end_price: Num,
    rung_count: Num,
    /// Size of the last rung over the first; absent is 1.
    skew: Option<Num>,
}

pub(super) fn place_twap(floor: &mut Floor, caller: &Caller, call: &Call) -> Result<Answer, Fault> {
    let body: TwapBody = call.json()?;
    let account = floor.account(caller, body.account_id.raw())?;
    let (market, spec) = wire::market(&floor.engine, "market_id", &body.market_id)?;
    let command = twap(market, spec.into(), &body)?;
    let Outcome::Twap(id) = floor.apply(account, Command::PlaceTwap(command))? else {
        return Err(Fault::broken("a TWAP that made none"));
    };
    let row = floor.engine.twap(account, id);
    let data = row.and_then(|row| floor.rows().twap(row));
    Answer::new(StatusCode::CREATED, &Data { data })
}

fn twap(market: MarketIx, units: Units, body: &TwapBody) -> Result<PlaceTwap, Fault> {
    let price = |field, given: Option<Num>| -> Result<Option<Px>, Fault> {
        given.map(|price| units.price(field, price)).transpose()
    };
    Ok(PlaceTwap {
        kind: body.kind,
        market,
        side: body.side,
        size: units.size("size", body.size)?,
        leverage: leverage(body.leverage)?,
        margin_mode: body.margin_mode,
        reduction: body.reduce_only.into(),
        duration_minutes: whole("duration_minutes", body.duration_minutes, "invalid_twap")?,
        pacing: body.randomize.into(),
        trigger_price: price("trigger_price", body.trigger_price)?,
        max_price: price("max_price", body.max_price)?,
        min_price: price("min_price", body.min_price)?,
    })
}

pub(super) fn place_scaled(
    floor: &mut Floor,
    caller: &Caller,
    call: &Call,
) -> Result<Answer, Fault> {
    let body: ScaledBody = call.json()?;
    let account = floor.account(caller, body.account_id.raw())?;
    let (market, spec) = wire::market(&floor.engine, "market_id", &body.market_id)?;
    let command = scaled(market, spec.into(), &body)?;
    let Outcome::Scaled(id) = floor.apply(account, Command::PlaceScaled(command))? else {
        return Err(Fault::broken("a ladder that made none"));
    };
    let row = floor.engine.scaled(account, id);
    let data = row.and_then(|row| floor.rows().scaled(row));
    Answer::new(StatusCode::CREATED, &Data { data })
}

fn scaled(market: MarketIx, units: Units, body: &ScaledBody) -> Result<PlaceScaled, Fault> {
    let skew = body.skew.unwrap_or(Num::ONE);
    let skew_milli = skew
        .to_scaled(3)
        .and_then(|milli| u32::try_from(milli).ok())
        .filter(|milli| *milli > 0)
        .ok_or_else(|| {
            let message = format!("skew {skew} must be above 0 with at most 3 decimals");
            Fault::field("skew", "invalid_scaled", message)
        })?;
    Ok(PlaceScaled {
        market,
        side: body.side,
        size: units.size("size", body.size)?,
        leverage: leverage(body.leverage)?,
        margin_mode: body.margin_mode,
        reduction: body.reduce_only.into(),
        start_price: units.price("start_price", body.start_price)?,
        end_price: units.price("end_price", body.end_price)?,
        rung_count: whole("rung_count", body.rung_count, "invalid_scaled")?,
        skew_milli,
    })
}

/// Every ladder of the account, newest first.
pub(super) fn scaled_orders(
    floor: &Floor,
    caller: &Caller,
    id: &AccountId,
) -> Result<Answer, Fault> {
    let account = floor.account(caller, id.raw())?;
    let data: Vec<Scaled> = floor
        .engine
        .scaled_orders(account)
        .filter_map(|row| floor.rows().scaled(row))
        .collect();
    Answer::ok(&List {
        data,
        has_more: Some(false),
        next_cursor: None,
    })
}
