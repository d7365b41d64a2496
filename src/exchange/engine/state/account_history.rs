//! The past of one account: its fills, its equity curve and its funding payments, each bounded.

use super::{EquityRecord, FillRecord, FundingRecord, Millis, Ring};

/// Fills kept of an account.
pub(crate) const FILL_CAPACITY: usize = 8_192;
/// Samples kept of an account's equity: three days at one a minute.
pub(crate) const EQUITY_CAPACITY: usize = 4_320;
/// Funding payments kept of an account.
pub(crate) const FUNDING_CAPACITY: usize = 4_096;
/// The equity of every account is sampled once in this span.
pub(crate) const EQUITY_INTERVAL_MS: i64 = Millis::MINUTE.0;

#[derive(Debug)]
pub(crate) struct AccountHistory {
    pub(crate) fills: Ring<FillRecord>,
    pub(crate) equity: Ring<EquityRecord>,
    pub(crate) funding: Ring<FundingRecord>,
}

impl Default for AccountHistory {
    fn default() -> Self {
        Self {
            fills: Ring::new(FILL_CAPACITY, 1),
            equity: Ring::new(EQUITY_CAPACITY, 1),
            funding: Ring::new(FUNDING_CAPACITY, 1),
        }
    }
}
