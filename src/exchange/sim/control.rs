//! The controls of a simulation: clock, price, faults, budgets, and a new beginning.

use super::super::{
    answer::{ApiRequest, ApiResponse},
    budget::RateLimits,
    chaos::{FaultInjector, FaultRule},
    clock::Speed,
    engine::{Bps, Millis},
    fault::{ApiError, ServiceCode},
    floor::ExchangeState,
    service::{ResetState, Service},
    wire,
};
use crate::{
    api::Data,
    model::{MarketId, Num, Timestamp},
};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// Longest `advance_ms`: an hour, so that one request holds the floor for well under a second.
const MAX_ADVANCE_MS: i64 = 3_600_000;
/// Largest `bps` of a nudge, either way.
const MAX_NUDGE_BPS: i64 = 2_000;

#[derive(Debug, Serialize)]
struct ClockState {
    now: Timestamp,
    paused: bool,
    /// Virtual seconds per wall second while not paused.
    speed: Num,
    /// SHA-256 over everything that has happened, and over how many events: equal for equal runs.
    log_hash: String,
    log_len: u64,
}

/// Everything optional; `speed` and `paused` are applied before `advance_ms`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetClock {
    #[serde(default, deserialize_with = "wire::optional_integral")]
    advance_ms: Option<i64>,
    paused: Option<bool>,
    speed: Option<Num>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nudge {
    market_id: MarketId,
    #[serde(deserialize_with = "wire::integral")]
    bps: i64,
}

pub(super) fn clock(floor: &ExchangeState) -> Result<ApiResponse, ApiError> {
    ApiResponse::ok(&Data {
        data: ClockState {
            now: wire::at(floor.engine.now()),
            paused: floor.clock.is_paused(),
            speed: Num::new(floor.clock.speed().thousandths().into(), 3).normalized(),
            log_hash: floor.engine.log_hash(),
            log_len: floor.engine.log_len(),
        },
    })
}

pub(super) fn set_clock(
    floor: &mut ExchangeState,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let body: SetClock = call.json()?;
    let speed = body.speed.map(speed).transpose()?;
    let advance = body.advance_ms.unwrap_or(0);
    if !(0..=MAX_ADVANCE_MS).contains(&advance) {
        let message = format!("advance_ms must be 0 to {MAX_ADVANCE_MS}, not {advance}");
        return Err(ApiError::field(
            "advance_ms",
            ServiceCode::InvalidRequest,
            message,
        ));
    }
    let (wall, now) = (Instant::now(), floor.engine.now());
    if let Some(speed) = speed {
        floor.clock.set_speed(speed, wall, now);
    }
    match body.paused {
        Some(true) => floor.clock.pause(),
        Some(false) if floor.clock.is_paused() => {
            floor.clock.run(floor.clock.speed(), wall, now);
        }
        Some(false) | None => {}
    }
    if advance > 0 {
        floor.advance(Millis(advance), wall);
    }
    clock(floor)
}

fn speed(given: Num) -> Result<Speed, ApiError> {
    given
        .to_scaled(3)
        .and_then(|thousandths| u32::try_from(thousandths).ok())
        .and_then(Speed::from_thousandths)
        .ok_or_else(|| {
            let message =
                format!("speed must be 0.001 to 100 with at most 3 decimals, not {given}");
            ApiError::field("speed", ServiceCode::InvalidRequest, message)
        })
}

pub(super) fn nudge(floor: &mut ExchangeState, call: &ApiRequest) -> Result<ApiResponse, ApiError> {
    let body: Nudge = call.json()?;
    let (market, _) = wire::market(&floor.engine, "market_id", &body.market_id)?;
    if !(-MAX_NUDGE_BPS..=MAX_NUDGE_BPS).contains(&body.bps) {
        let message = format!(
            "bps must be -{MAX_NUDGE_BPS} to {MAX_NUDGE_BPS}, not {}",
            body.bps
        );
        return Err(ApiError::field("bps", ServiceCode::InvalidRequest, message));
    }
    if !floor.engine.has_room(market, Bps(body.bps)) {
        let message = format!(
            "bps {} would move the price beyond what a price may be",
            body.bps
        );
        return Err(ApiError::field("bps", ServiceCode::InvalidRequest, message));
    }
    floor.engine.nudge(market, Bps(body.bps));
    clock(floor)
}

pub(super) fn faults(service: &Service) -> Result<ApiResponse, ApiError> {
    let data = service.chaos()?.plants().to_vec();
    ApiResponse::ok(&Data { data })
}

pub(super) fn plant_fault(service: &Service, call: &ApiRequest) -> Result<ApiResponse, ApiError> {
    let plant: FaultRule = call.json()?;
    if let Some((field, message)) = plant.misfit() {
        return Err(ApiError::field(field, ServiceCode::InvalidRequest, message));
    }
    service.chaos()?.plant(plant);
    faults(service)
}

pub(super) fn clear_faults(service: &Service) -> Result<ApiResponse, ApiError> {
    service.chaos()?.clear();
    faults(service)
}

pub(super) fn set_budgets(service: &Service, call: &ApiRequest) -> Result<ApiResponse, ApiError> {
    let data: RateLimits = call.json()?;
    service.budgets.set(data);
    ApiResponse::ok(&Data { data })
}

/// Every account, and all that was steered, as when the exchange was first opened.
pub(super) fn reset(service: &Service, call: &ApiRequest) -> Result<ApiResponse, ApiError> {
    call.no_body()?;
    // Its script is played before anybody has to wait for the floor.
    let anew = service.beginning.floor()?;
    let answer = {
        let mut floor = service.floor()?;
        floor.begin_anew(anew);
        clock(&floor)?
    };
    let ResetState { scenario, .. } = &service.beginning;
    *service.chaos()? = FaultInjector::new(scenario.seed(), scenario.faults());
    service.budgets.set(scenario.budgets());
    Ok(answer)
}
