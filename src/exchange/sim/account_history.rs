//! Equity and funding of an account.

use super::{
    super::{
        api_error::ApiResult,
        auth::AuthenticatedUser,
        engine::{EquityRecord, FundingRecord, Usd},
        state::ExchangeState,
        wire::{self, MarketUnits, rate, usd},
    },
    query::RowsQuery,
};
use crate::model::{AccountId, MarketId, Num, Timestamp};
use serde::Serialize;

/// USD. Cash below 0 is reported as an advance of the insurance fund (docs/engine.md 6.8).
#[derive(Debug, Serialize)]
pub(super) struct EquityResource {
    time: Timestamp,
    equity: Num,
    cash: Num,
    unrealized_pnl: Num,
    insurance_advance: Num,
}

#[derive(Debug, Serialize)]
pub(super) struct FundingResource {
    payment_id: i64,
    time: Timestamp,
    market_id: MarketId,
    position_id: String,
    size: Num,
    rate: Num,
    amount: Num,
    /// At the last known rate: what the venue paid for that hour was not received.
    estimated: bool,
}

pub(super) fn equity(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &AccountId,
    page: RowsQuery,
) -> ApiResult<Vec<EquityResource>> {
    let account = state.account(caller, id.raw())?;
    let is_before = |row: &&EquityRecord| page.before.is_none_or(|before| row.at.0 < before);
    let rows = state.engine.equity_curve(account).filter(is_before);
    let mut samples: Vec<EquityResource> = rows.take(page.limit).map(sample).collect();
    samples.reverse();
    Ok(samples)
}

fn sample(row: &EquityRecord) -> EquityResource {
    EquityResource {
        time: wire::at(row.at),
        equity: usd(row.equity()),
        cash: usd(row.cash.max(Usd::ZERO)),
        unrealized_pnl: usd(row.unrealized),
        insurance_advance: usd((-row.cash).max(Usd::ZERO)),
    }
}

pub(super) fn funding(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &AccountId,
    page: RowsQuery,
) -> ApiResult<Vec<FundingResource>> {
    let account = state.account(caller, id.raw())?;
    let rows = state.engine.funding_payments(account, page.before);
    let rows = rows.take(page.limit);
    let payments = rows.map(|(id, row)| payment(state, id, row));
    Ok(payments.collect())
}

fn payment(state: &ExchangeState, payment_id: i64, row: &FundingRecord) -> FundingResource {
    FundingResource {
        payment_id,
        time: wire::at(row.at),
        market_id: state.rows().market_id(row.market),
        position_id: row.position.to_string(),
        size: MarketUnits::of(&state.engine, row.market).lots(row.size),
        rate: rate(row.rate),
        amount: usd(row.amount),
        estimated: state.engine.is_estimated(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::Millis;

    #[test]
    fn cash_below_zero_is_an_advance_and_the_three_numbers_make_the_equity() {
        let row = |cash: i64, unrealized: i64| {
            let row = sample(&EquityRecord {
                at: Millis(0),
                cash: Usd::dollars(cash),
                unrealized: Usd::dollars(unrealized),
            });
            [
                row.cash,
                row.unrealized_pnl,
                row.insurance_advance,
                row.equity,
            ]
            .map(Num::to_i64)
        };
        assert_eq!(row(100, -30), [100, -30, 0, 70].map(Some));
        assert_eq!(row(-5, 80), [0, 80, 5, 75].map(Some));
    }
}
