//! Candles and trades of a market.

use super::{
    super::{
        api_error::ApiError,
        auth::AuthenticatedUser,
        engine::{CandleRange, CandleReport, Millis, Side, TradeRecord},
        message::ApiResponse,
        state::ExchangeState,
        wire::{self, MarketUnits, usd},
    },
    book::market,
    query::{CandleQuery, PageQuery},
};
use crate::{
    api::Data,
    model::{MarketId, Num, Timestamp},
};
use serde::Serialize;

/// Prices and turnover in USD, volume in coin.
#[derive(Debug, Serialize)]
struct CandleResource {
    open_time: Timestamp,
    open: Num,
    high: Num,
    low: Num,
    close: Num,
    volume: Num,
    turnover: Num,
    trades: u64,
    closed: bool,
    synthetic: bool,
}

#[derive(Debug, Serialize)]
struct TradeResource {
    trade_id: i64,
    price: Num,
    size: Num,
    aggressor: Side,
    time: Timestamp,
    /// For a caller with a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<bool>,
}

pub(super) fn candles(
    state: &ExchangeState,
    id: &MarketId,
    query: CandleQuery,
) -> Result<ApiResponse, ApiError> {
    let (ix, units) = counted(state, id)?;
    let range = CandleRange {
        interval: query.interval,
        before: query.page.before.map(Millis),
        limit: query.page.limit,
    };
    let candles = state.engine.candles(ix, range);
    let candles = candles.iter().map(|report| candle(units, report));
    let data: Vec<CandleResource> = candles.collect();
    ApiResponse::ok(&Data { data })
}

fn candle(units: MarketUnits, report: &CandleReport) -> CandleResource {
    let candle = report.candle;
    CandleResource {
        open_time: wire::at(report.open_time),
        open: units.px(candle.open),
        high: units.px(candle.high),
        low: units.px(candle.low),
        close: units.px(candle.close),
        volume: units.lots(candle.volume),
        turnover: usd(candle.turnover),
        trades: candle.trades,
        closed: report.is_closed,
        synthetic: report.is_synthetic,
    }
}

pub(super) fn trades(
    state: &ExchangeState,
    caller: Option<&AuthenticatedUser>,
    id: &MarketId,
    page: PageQuery,
) -> Result<ApiResponse, ApiError> {
    let (ix, units) = counted(state, id)?;
    let is_own = |trade: &TradeRecord| {
        let accounts = &caller?.accounts;
        Some(
            trade
                .account
                .is_some_and(|account| accounts.contains(&account)),
        )
    };
    let rows = state.engine.trades(ix, page.before).take(page.limit);
    let trade = |(trade_id, trade): (i64, &TradeRecord)| TradeResource {
        trade_id,
        price: units.px(trade.px),
        size: units.lots(trade.size),
        aggressor: trade.aggressor,
        time: wire::at(trade.at),
        own: is_own(trade),
    };
    let data: Vec<TradeResource> = rows.map(trade).collect();
    ApiResponse::ok(&Data { data })
}

fn counted(
    state: &ExchangeState,
    id: &MarketId,
) -> Result<(super::super::engine::MarketIx, MarketUnits), ApiError> {
    let ix = market(state, id)?;
    let spec = state.engine.market_spec(ix);
    let spec = spec.ok_or_else(|| ApiError::broken("a market without its rules"))?;
    Ok((ix, MarketUnits::from(spec)))
}
