//! The only place that changes an account's cash, and that limits losses (negative balance protection).
//!
//! An isolated position loses at most its margin; closing a part of it, at most that part's share. A cross position
//! loses at most the cross equity: the cash that is not isolated margin, plus the profit of the other cross positions.
//! The insurance account pays anything beyond, whatever closed the position: a stop, a slice, a close, a liquidation.
//! Cash is negative only while the profit of open cross positions covers it.

use crate::exchange::engine::{
    core::Engine,
    state::{AccountIx, CashFlows, EngineEvent, Usd},
};

/// The part of a loss beyond its margin; zero without a margin of its own.
pub(crate) fn excess(net: Usd, margin: Option<Usd>) -> Usd {
    margin.map_or(Usd::ZERO, |margin| (-net - margin).max(Usd::ZERO))
}

impl CashFlows {
    /// Without what the insurance paid.
    pub(crate) fn net(self) -> Usd {
        self.realized - self.fees + self.funding
    }
}

impl Engine {
    /// Books `flows` on an account, and what the insurance owes it. Positions must already include the fill.
    pub(crate) fn pay(&mut self, account: AccountIx, mut flows: CashFlows) {
        let cash = self.accounts.at(account).cash + flows.net() + flows.insurance;
        flows.insurance += self.shortfall(account, cash);
        self.move_cash(account, flows);
        if flows.insurance > Usd::ZERO {
            self.record(EngineEvent::Insurance {
                account,
                amount: flows.insurance,
            });
        }
    }

    /// What `cash` and the profit of open cross positions lack to back the isolated margins.
    fn shortfall(&self, account: AccountIx, cash: Usd) -> Usd {
        let balance = self.balance(account);
        let profit = balance.cross_unrealized.max(Usd::ZERO);
        (balance.isolated - cash - profit).max(Usd::ZERO)
    }

    fn move_cash(&mut self, account: AccountIx, flows: CashFlows) {
        let account = self.accounts.at_mut(account);
        let net = flows.net() + flows.insurance;
        account.cash += net;
        account.flows.realized += flows.realized;
        account.flows.fees += flows.fees;
        account.flows.funding += flows.funding;
        account.flows.insurance += flows.insurance;
        account.challenge.add_profit(net);
        self.counterparty.pay(flows);
    }
}
