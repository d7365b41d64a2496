//! What an account's history keeps of its money: funding payments, and its equity once a minute. No event.

use super::margin::MarginAssumption;
use crate::exchange::engine::{
    core::Engine,
    state::{EquityRecord, FundingRecord, NanoRate, PositionId, Usd},
};

impl Engine {
    pub(super) fn keep_funding(&mut self, id: PositionId, rate: NanoRate, amount: Usd) {
        let position = self.positions.at(id);
        let payment = FundingRecord {
            at: self.now,
            market: position.market,
            position: id,
            size: position.size,
            rate,
            amount,
        };
        let account = usize::from(position.account);
        if let Some(history) = self.account_histories.get_mut(account) {
            history.funding.push(payment);
        }
    }

    pub(crate) fn sample_equity(&mut self) {
        for account in self.accounts.ids() {
            let balance = self.balance_if(account, &MarginAssumption::default());
            let sample = EquityRecord {
                at: self.now,
                cash: balance.cash,
                unrealized: balance.unrealized,
            };
            if let Some(history) = self.account_histories.get_mut(usize::from(account)) {
                history.equity.push(sample);
            }
        }
    }
}
