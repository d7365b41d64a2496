//! Hourly funding (docs/engine.md 6.6): premium samples every 5 s, the resulting rate, and the payments.

use super::{cash::excess, margin::MarginAssumption};
use crate::exchange::engine::{
    core::Engine,
    market::premium::{PremiumSamples, premium},
    state::{
        CashFlows, EngineEvent, EquityRecord, FundingRecord, MarginMode, MarketIx, Millis,
        NanoRate, PositionId, Usd,
    },
};

const SAMPLE_INTERVAL_MS: i64 = 5_000;
/// What a position of `size × oracle` receives at `rate`, rounded against the payer.
fn payment(value: Usd, rate: NanoRate) -> Usd {
    -value.mul_ceil(rate.0, 1_000_000_000)
}

impl Engine {
    pub(crate) fn sample_funding(&mut self) {
        if !self.now.reached_multiple_of(SAMPLE_INTERVAL_MS) {
            return;
        }
        for ix in self.markets.ids() {
            let market = self.markets.at_mut(ix);
            let impact = market.spec.impact_notional;
            if let Some(premium) = premium(&market.book, market.oracle, impact) {
                market.premiums.add(premium);
            }
        }
    }

    /// Pays at whole UTC hours, at the oracle price, to positions open at that instant.
    pub(crate) fn pay_funding(&mut self) {
        if !self.now.reached_multiple_of(Millis::HOUR.0) {
            return;
        }
        let due = |engine: &Self, market| {
            let rate = engine.funding_rate(market);
            (!engine.is_frozen(market)).then_some(rate)
        };
        self.pay_hour(due);
        for ix in self.markets.ids() {
            self.markets.at_mut(ix).premiums = PremiumSamples::default();
            if self.is_frozen(ix) {
                self.received.at_mut(ix).unpaid_hours += 1;
            }
        }
    }

    /// Pays the hours that a gap of the market covered. Nothing was filled meanwhile, so the positions are those of then.
    pub(crate) fn pay_missed_hours(&mut self, market: MarketIx) {
        let received = self.received.at_mut(market);
        let hours = std::mem::take(&mut received.unpaid_hours);
        if hours == 0 {
            return;
        }
        let rate = received.estimate_rate(self.now);
        for _ in 0..hours {
            self.pay_hour(|_, other| rate.filter(|_| other == market));
        }
    }

    /// Pays every open position whose market has a rate.
    fn pay_hour(&mut self, rate: impl Fn(&Self, MarketIx) -> Option<NanoRate>) {
        for account in self.accounts.ids() {
            let open: Vec<_> = self.accounts.at(account).open.values().copied().collect();
            for id in open {
                let (market, size) = (self.positions.at(id).market, self.positions.at(id).size);
                let Some(rate) = rate(self, market) else {
                    continue;
                };
                let amount = payment(self.markets.at(market).oracle * size, rate);
                self.keep_funding(id, rate, amount);
                self.credit_funding(id, amount);
            }
        }
    }

    /// The next hour's rate as of now: the venue's own on a received market.
    pub(crate) fn funding_rate(&self, market: MarketIx) -> NanoRate {
        let received = self.received.get(market);
        let own = received.and_then(|received| received.prices.funding);
        own.unwrap_or_else(|| self.markets.at(market).premiums.rate())
    }

    fn credit_funding(&mut self, id: PositionId, amount: Usd) {
        let position = self.positions.at_mut(id);
        let account = position.account;
        let flows = CashFlows {
            funding: amount,
            insurance: excess(amount, position.own_margin()),
            ..CashFlows::default()
        };
        position.funding += amount;
        if position.margin_mode == MarginMode::Isolated {
            position.margin_funding += amount + flows.insurance;
        }
        self.record(EngineEvent::Funding {
            position: id,
            amount,
        });
        self.pay(account, flows);
    }
}

impl Engine {
    fn keep_funding(&mut self, id: PositionId, rate: NanoRate, amount: Usd) {
        let position = self.positions.at(id);
        let payment = FundingRecord {
            at: self.now,
            market: position.market,
            position: id,
            size: position.size,
            rate,
            amount,
        };
        let history = self.account_histories.at_mut(position.account);
        history.funding.push(payment);
    }

    pub(crate) fn sample_equity(&mut self) {
        for account in self.accounts.ids() {
            let balance = self.balance_if(account, &MarginAssumption::default());
            let sample = EquityRecord {
                at: self.now,
                cash: balance.cash,
                unrealized: balance.unrealized,
            };
            self.account_histories.at_mut(account).equity.push(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_of_ten_at_ten_thousand_pays_an_eighth_of_0_95_percent() {
        let ten_at_ten_thousand = Usd::dollars(100_000);
        assert_eq!(
            payment(ten_at_ten_thousand, NanoRate(1_187_500)),
            Usd(-118_750_000)
        );
    }

    #[test]
    fn what_a_long_pays_is_never_less_than_what_a_short_of_the_same_size_receives() {
        let paid = payment(Usd(1_000_001), NanoRate(12_500));
        let received = payment(Usd(-1_000_001), NanoRate(12_500));
        assert_eq!((paid, received), (Usd(-13), Usd(12)));
    }
}
