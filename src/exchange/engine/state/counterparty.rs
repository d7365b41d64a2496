//! The counterparty of all accounts, so that money is conserved (docs/engine.md 6.8).
//!
//! The market maker trades against every fill from the book, the insurance account against what a liquidation cannot
//! sell; fees and funding go to pools. Users and counterparties together always sum to the deposits, to the micro-USD
//! .

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CashFlows, FeeClass, FillPart, Lots, MarketIx, Side, Usd};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counterparty {
    maker: Inventory,
    insurance: Inventory,
    fees: Usd,
    funding: Usd,
}

/// One counterparty's cash and positions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Inventory {
    cash: Usd,
    held: BTreeMap<MarketIx, Lots>,
}

impl Counterparty {
    /// Takes the other side of a user's fill.
    pub(crate) fn trade(
        &mut self,
        fee_class: FeeClass,
        market: MarketIx,
        side: Side,
        FillPart { lots, money }: FillPart,
    ) {
        let counterparty = match fee_class {
            FeeClass::Maker | FeeClass::Taker => &mut self.maker,
            FeeClass::Free => &mut self.insurance,
        };
        let (sold, earned) = match side {
            Side::Buy => (lots, money),
            Side::Sell => (-lots, -money),
        };
        *counterparty.held.entry(market).or_default() -= sold;
        counterparty.cash += earned;
    }

    /// Pays what an account received besides its trades, and receives what it paid.
    pub(crate) fn pay(&mut self, flows: CashFlows) {
        self.fees += flows.fees;
        self.funding -= flows.funding;
        self.insurance.cash -= flows.insurance;
    }

    /// Its total value with positions at `mark`.
    #[cfg(test)]
    pub(crate) fn value(&self, mark: impl Fn(MarketIx) -> super::units::Px) -> Usd {
        let worth = |inventory: &Inventory| {
            let held = inventory.held.iter();
            inventory.cash + held.map(|(market, lots)| mark(*market) * *lots).sum()
        };
        worth(&self.maker) + worth(&self.insurance) + self.fees + self.funding
    }
}
