//! Candles and trades of a market.

use super::{
    super::{
        api_error::ApiResult,
        auth::AuthenticatedUser,
        engine::{CandleRange, CandleReport, CandleWindow, MarketIx, Millis, TapeRecord},
        message::{ApiRequest, ApiResponse},
        service::ExchangeService,
        state::ExchangeState,
        wire::{self, MarketUnits, usd},
    },
    query::{CandleQuery, RowsQuery},
};
use crate::model::{Candle, MarketId, PublicTrade, Timestamp};
use serde::Serialize;

/// Rows of a market, and the instant up to which they are complete: without it a reader cannot tell a quiet market from
/// an old answer.
#[derive(Debug, Serialize)]
struct MarketRows<Row> {
    data: Vec<Row>,
    updated_at: Timestamp,
}

pub(super) fn candles(
    service: &ExchangeService,
    id: &MarketId,
    query: CandleQuery,
    request: &ApiRequest,
) -> ApiResult<ApiResponse> {
    let window = |state: &ExchangeState| candle_window(state, id, query);
    service.read(request.read_by(None), window, |(units, window, now)| {
        let reports = window.reports();
        let rows = reports.iter().map(|report| candle(units, report));
        MarketRows::<Candle> {
            data: rows.collect(),
            updated_at: wire::at(now),
        }
    })
}

fn candle_window(
    state: &ExchangeState,
    id: &MarketId,
    query: CandleQuery,
) -> ApiResult<(MarketUnits, CandleWindow, Millis)> {
    let (ix, units) = market_units(state, id)?;
    let range = CandleRange {
        interval: query.interval,
        before: query.page.before.map(Millis),
        limit: query.page.limit,
    };
    let engine = &state.engine;
    Ok((units, engine.candles(ix, range), engine.now()))
}

fn candle(units: MarketUnits, report: &CandleReport) -> Candle {
    let candle = report.candle;
    Candle {
        open_time: wire::at(report.open_time),
        open: units.px(candle.open),
        high: units.px(candle.high),
        low: units.px(candle.low),
        close: units.px(candle.close),
        volume: Some(units.lots(candle.volume)),
        turnover: Some(usd(candle.turnover)),
        trades: Some(candle.trades),
        is_closed: report.is_closed,
        is_synthetic: report.is_synthetic,
    }
}

pub(super) fn trades(
    service: &ExchangeService,
    caller: Option<&AuthenticatedUser>,
    id: &MarketId,
    page: RowsQuery,
    request: &ApiRequest,
) -> ApiResult<ApiResponse> {
    let is_own = |trade: &TapeRecord| {
        let accounts = &caller?.accounts;
        let mut traded = [trade.account, trade.maker].into_iter().flatten();
        Some(traded.any(|account| accounts.contains(&account)))
    };
    let trade = |units: MarketUnits, (trade_id, trade): &(i64, TapeRecord)| PublicTrade {
        id: u64::try_from(*trade_id).ok(),
        price: units.px(trade.px),
        size: units.lots(trade.size),
        aggressor: trade.aggressor,
        at: wire::at(trade.at),
        is_own: is_own(trade),
    };
    let page = |state: &ExchangeState| trade_page(state, id, page);
    service.read(request.read_by(caller), page, |(units, rows, now)| {
        let rows = rows.iter().map(|row| trade(units, row));
        MarketRows::<PublicTrade> {
            data: rows.collect(),
            updated_at: wire::at(now),
        }
    })
}

/// The trades of a page with their numbers.
type TradePage = Vec<(i64, TapeRecord)>;

fn trade_page(
    state: &ExchangeState,
    id: &MarketId,
    page: RowsQuery,
) -> ApiResult<(MarketUnits, TradePage, Millis)> {
    let (ix, units) = market_units(state, id)?;
    let rows = state.engine.trades(ix, page.before).take(page.limit);
    let rows = rows.map(|(id, trade)| (id, *trade)).collect();
    Ok((units, rows, state.engine.now()))
}

fn market_units(state: &ExchangeState, id: &MarketId) -> ApiResult<(MarketIx, MarketUnits)> {
    let ix = state.market(id)?;
    Ok((ix, MarketUnits::of(&state.engine, ix)))
}
