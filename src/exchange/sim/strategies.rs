//! Creating TWAP/VWAP orders and ladders: the documented service creates them out of `api.md`'s sight.
//! Under an `Idempotency-Key` a creation happens once, and its repeat answers with what it made as it is now.

use super::super::{
    answer::{Answer, Call},
    engine::{Command, MarketIx, PlaceScaled, PlaceTwap, Px},
    fault::Fault,
    floor::Floor,
    gate::Caller,
    idempotency::{Deed, Effect},
    wire::{self, Units, leverage, whole},
};
use crate::{
    api::{Data, List, ScaledBody, TwapBody},
    model::{AccountId, MarketId, Num, Scaled},
};
use hyper::StatusCode;
use serde::de::DeserializeOwned;

pub(super) fn place_twap(floor: &mut Floor, caller: &Caller, call: &Call) -> Result<Answer, Fault> {
    place(
        floor,
        caller,
        call,
        Creation {
            deed: Deed::PlaceTwap,
            names: |body: &TwapBody| (&body.account_id, &body.market_id),
            command: |market, units, body| twap(market, units, body).map(Command::PlaceTwap),
        },
    )
}

pub(super) fn place_scaled(
    floor: &mut Floor,
    caller: &Caller,
    call: &Call,
) -> Result<Answer, Fault> {
    place(
        floor,
        caller,
        call,
        Creation {
            deed: Deed::PlaceScaled,
            names: |body: &ScaledBody| (&body.account_id, &body.market_id),
            command: |market, units, body| scaled(market, units, body).map(Command::PlaceScaled),
        },
    )
}

/// How one kind of strategy is made of its body.
struct Creation<Body> {
    deed: fn(Box<Body>) -> Deed,
    names: fn(&Body) -> (&AccountId, &MarketId),
    command: fn(MarketIx, Units, &Body) -> Result<Command, Fault>,
}

fn place<Body: DeserializeOwned + Clone>(
    floor: &mut Floor,
    caller: &Caller,
    call: &Call,
    creation: Creation<Body>,
) -> Result<Answer, Fault> {
    let key = call.key_if_given()?;
    let body: Body = call.json()?;
    let deed = (creation.deed)(Box::new(body.clone()));
    if let Some(made) = floor.made(caller.user, key, &deed)? {
        return answer(floor, StatusCode::OK, &made);
    }
    let (account, market) = (creation.names)(&body);
    let account = floor.account(caller, account.raw())?;
    let (market, spec) = wire::market(&floor.engine, "market_id", market)?;
    let command = (creation.command)(market, spec.into(), &body)?;
    let made = floor.make((caller.user, key, deed), account, command)?;
    answer(floor, StatusCode::CREATED, &made)
}

/// What a creation made, as it is now.
fn answer(floor: &Floor, status: StatusCode, made: &Effect) -> Result<Answer, Fault> {
    match made {
        Effect::Twap(account, id) => {
            let row = floor.engine.twap(*account, *id);
            let data = row.and_then(|row| floor.rows().twap(row));
            Answer::new(status, &Data { data })
        }
        Effect::Scaled(account, id) => {
            let row = floor.engine.scaled(*account, *id);
            let data = row.and_then(|row| floor.rows().scaled(row));
            Answer::new(status, &Data { data })
        }
        Effect::Order(..) | Effect::Refused(_) | Effect::CloseAll(_) => {
            Err(Fault::broken("a creation that made something else"))
        }
    }
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
