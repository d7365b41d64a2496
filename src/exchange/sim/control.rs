//! The controls of a simulation: clock, price, faults, budgets and reset.

use super::super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    clock::Speed,
    engine::{Bps, Millis},
    faults::{FaultInjector, FaultRule},
    message::{ApiRequest, ApiResponse},
    rate_limit::RateLimits,
    received::ReceivedMarkets,
    service::{ExchangeService, ResetState},
    state::ExchangeState,
    wire,
};
use crate::model::{MarketId, Num, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// Longest `advance_ms`: an hour, so that one request holds the state for well under a second.
const MAX_ADVANCE_MS: i64 = 3_600_000;
/// Largest `bps` of a nudge, either way.
const MAX_NUDGE_BPS: i64 = 2_000;

#[derive(Debug, Serialize)]
struct ClockState {
    now: Timestamp,
    paused: bool,
    /// Virtual seconds per wall second while not paused.
    speed: Num,
    /// SHA-256 over all events, and their number: equal for equal runs.
    log_hash: String,
    log_len: u64,
}

/// Every field is optional; `speed` and `paused` are applied before `advance_ms`.
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

pub(super) fn clock(state: &ExchangeState) -> ApiResult<ApiResponse> {
    ApiResponse::data(ClockState {
        now: wire::at(state.engine.now()),
        paused: state.clock.is_paused(),
        speed: Num::new(state.clock.speed().thousandths().into(), 3).normalized(),
        log_hash: state.engine.log_hash(),
        log_len: state.engine.log_len(),
    })
}

pub(super) fn set_clock(state: &mut ExchangeState, request: &ApiRequest) -> ApiResult<ApiResponse> {
    let body: SetClock = request.json()?;
    let speed = body.speed.map(speed).transpose()?;
    let advance = body.advance_ms.unwrap_or(0);
    if state.markets.as_ref().is_some_and(ReceivedMarkets::is_live) {
        let message = "the clock of a live feed is that of the wall: only a generated market or a recording can be paused, advanced or sped up";
        return Err(ApiError::service(ServiceCode::InvalidRequest, message));
    }
    if !(0..=MAX_ADVANCE_MS).contains(&advance) {
        let message = format!("advance_ms must be 0 to {MAX_ADVANCE_MS}, not {advance}");
        return Err(ApiError::invalid("advance_ms", message));
    }
    let (wall, now) = (Instant::now(), state.engine.now());
    if let Some(speed) = speed {
        state.clock.set_speed(speed, wall, now);
    }
    match body.paused {
        Some(true) => state.clock.pause(),
        Some(false) if state.clock.is_paused() => {
            state.clock.run(state.clock.speed(), wall, now);
        }
        Some(false) | None => {}
    }
    if advance > 0 {
        state.advance(Millis(advance), wall);
    }
    clock(state)
}

fn speed(given: Num) -> ApiResult<Speed> {
    given
        .to_scaled(3)
        .and_then(Speed::from_thousandths)
        .ok_or_else(|| {
            let message =
                format!("speed must be 0.001 to 100 with at most 3 decimals, not {given}");
            ApiError::invalid("speed", message)
        })
}

pub(super) fn nudge(state: &mut ExchangeState, request: &ApiRequest) -> ApiResult<ApiResponse> {
    let body: Nudge = request.json()?;
    let (market, _) = wire::market(&state.engine, "market_id", &body.market_id)?;
    if state.markets.is_some() {
        let message =
            "the price of this market is the venue's: only a generated market can be moved";
        return Err(ApiError::invalid("market_id", message));
    }
    if !(-MAX_NUDGE_BPS..=MAX_NUDGE_BPS).contains(&body.bps) {
        let message = format!(
            "bps must be -{MAX_NUDGE_BPS} to {MAX_NUDGE_BPS}, not {}",
            body.bps
        );
        return Err(ApiError::invalid("bps", message));
    }
    if !state.engine.has_room(market, Bps(body.bps)) {
        let message = format!("bps {} would move the price out of its range", body.bps);
        return Err(ApiError::invalid("bps", message));
    }
    state.engine.nudge(market, Bps(body.bps));
    clock(state)
}

pub(super) fn faults(service: &ExchangeService) -> ApiResult<ApiResponse> {
    ApiResponse::data(service.faults()?.rules())
}

pub(super) fn plant_fault(
    service: &ExchangeService,
    request: &ApiRequest,
) -> ApiResult<ApiResponse> {
    let rule: FaultRule = request.json()?;
    if let Some((field, message)) = rule.invalid_field() {
        return Err(ApiError::invalid(field, message));
    }
    service.faults()?.add(rule);
    faults(service)
}

pub(super) fn clear_faults(service: &ExchangeService) -> ApiResult<ApiResponse> {
    service.faults()?.clear();
    faults(service)
}

pub(super) fn set_budgets(
    service: &ExchangeService,
    request: &ApiRequest,
) -> ApiResult<ApiResponse> {
    let data: RateLimits = request.json()?;
    service.rate_limiter.set(data);
    ApiResponse::data(data)
}

/// Resets every account and control to the first start.
pub(super) fn reset(service: &ExchangeService, request: &ApiRequest) -> ApiResult<ApiResponse> {
    request.no_body()?;
    // Plays the script before it takes the lock.
    let anew = service.reset_state.open()?;
    let answer = {
        let mut state = service.state()?;
        state.reset(anew);
        clock(&state)?
    };
    let ResetState { scenario, .. } = &service.reset_state;
    *service.faults()? = FaultInjector::new(scenario.seed(), scenario.faults());
    service.rate_limiter.set(scenario.budgets());
    service.tick_again.notify_one();
    Ok(answer)
}
