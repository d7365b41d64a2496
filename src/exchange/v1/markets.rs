//! What the service is, its markets, and a quote of one (docs/service-api.md 2.7).

use super::super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    engine::{Engine, FillEstimate, LiquidityRole, Lots, MarketAccess, MarketIx, MarketSpec, Side},
    state::ExchangeState,
    wire::{self, MarketUnits, nano, usd},
};
use crate::{
    api::QuoteSize,
    model::{
        Listing, MarketId, Num, Quote, QuoteDepth, ReferenceKind, ServiceAbout, ServiceEnvironment,
        UnfillableReason,
    },
};

/// `simulator` is where the controls of the simulation are, if they are served.
pub(super) fn about(simulator: Option<&'static str>) -> ServiceAbout {
    let documentation = match simulator {
        Some(root) => format!("{root}/openapi.yaml"),
        None => "docs/service-api.md".to_owned(),
    };
    ServiceAbout {
        name: Some("perpdeck paper exchange".into()),
        version: Some(env!("CARGO_PKG_VERSION").into()),
        environment: Some(ServiceEnvironment::Test.into()),
        documentation: Some(documentation.into()),
        simulator: simulator.map(Into::into),
    }
}

pub(super) fn markets(engine: &Engine) -> Vec<Listing> {
    engine
        .markets
        .each()
        .map(|market| listing(&market.spec))
        .collect()
}

pub(super) fn market(state: &ExchangeState, id: &MarketId) -> ApiResult<Listing> {
    let market = state.market(id)?;
    Ok(listing(state.engine.market_spec(market)))
}

fn listing(spec: &MarketSpec) -> Listing {
    Listing {
        market_id: spec.market_id().into(),
        provider: spec.provider.as_str().into(),
        symbol: spec.symbol.as_str().into(),
        coin: spec.coin.as_str().into(),
        size_decimals: Some(spec.size_decimals),
        max_leverage: Some(spec.max_leverage),
        market_type: Some("perpetual".into()),
        category: Some(spec.category.as_str().into()),
        trading_enabled: Some(spec.access != MarketAccess::Disabled),
        reduce_only: Some(spec.access == MarketAccess::ReduceOnly),
    }
}

/// The prices of a market, and with a size what a market order would meet. 503 without a book that can price it.
pub(super) fn quote(
    state: &ExchangeState,
    id: &MarketId,
    size: Option<QuoteSize>,
) -> ApiResult<Quote> {
    let ix = state.market(id)?;
    let engine = &state.engine;
    let (units, facts) = (MarketUnits::of(engine, ix), engine.market_facts(ix));
    let is_priced = match size {
        None => facts.mid.is_some(),
        Some(_) => facts.bid.or(facts.ask).is_some(),
    };
    if !is_priced {
        let message = format!("{id} has no fresh two-sided book now");
        return Err(ApiError::unavailable(
            ServiceCode::QuoteUnavailable,
            message,
        ));
    }
    let prices = Quote {
        bid: facts.bid.map(|px| units.px(px)),
        ask: facts.ask.map(|px| units.px(px)),
        mid: facts.mid.map(nano),
        time: Some(wire::at(facts.updated_at)),
        ..Quote::default()
    };
    let Some(size) = size else {
        return Ok(prices);
    };
    let (reference, kind) = match facts.mid {
        Some(mid) => (nano(mid), ReferenceKind::BookMid),
        None => (units.px(facts.mark), ReferenceKind::VenueMark),
    };
    let fill = fill(engine, ix, size.side, units.whole_lots(size.size));
    let met = fill.as_ref().ok();
    Ok(Quote {
        fillable: Some(met.is_some()),
        unfillable_reason: fill.as_ref().err().copied().map(Into::into),
        reference_price: Some(reference),
        reference_kind: Some(kind.into()),
        estimated_fill_price: met.and_then(|met| met.average).map(nano),
        estimated_notional: met.map(|met| usd(met.notional)),
        estimated_fee: met.map(|met| usd(met.fee)),
        // A rate counts hundred-thousandths, a basis point ten-thousandths.
        fee_bps: Some(Num::new(engine.fee_rate(LiquidityRole::Taker), 1).normalized()),
        levels_consumed: met.map(|met| Num::from(met.levels)),
        depth: Some(QuoteDepth::Standard.into()),
        ..prices
    })
}

/// What a market order of this size would get from the book as it is.
fn fill(
    engine: &Engine,
    market: MarketIx,
    side: Side,
    lots: Option<Lots>,
) -> Result<FillEstimate, UnfillableReason> {
    let lots = lots.ok_or(UnfillableReason::SizePrecisionMismatch)?;
    let met = engine.fill_estimate(market, side, lots);
    match met {
        Some(met) if met.filled == lots => Ok(met),
        Some(met) if met.filled > Lots::ZERO => Err(UnfillableReason::InsufficientDepth),
        Some(_) | None => Err(UnfillableReason::EmptyBook),
    }
}
