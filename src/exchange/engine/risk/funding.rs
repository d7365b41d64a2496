//! Hourly funding (docs/engine.md 6.6): premium samples every 5 s, the rate they make, and the payments.

use serde::{Deserialize, Serialize};

use super::cash::excess;
use crate::exchange::engine::{
    market::book::Book,
    state::{
        account::Flows,
        core::Engine,
        ids::PositionId,
        log::Event,
        units::{Millis, NanoRate, Px, Usd},
        words::{MarginMode, Side},
    },
};

const SAMPLE_EVERY: i64 = 5_000;
/// 0.01 % per 8 h.
const INTEREST: i64 = 100_000;
/// 0.05 % per 8 h.
const CLAMP: i64 = 500_000;
/// 4 % per hour.
const HOURLY_CAP: i64 = 40_000_000;
const NANO: i128 = 1_000_000_000;

/// Premium samples of the running hour.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Premiums {
    sum: i128,
    count: i64,
}

impl Premiums {
    fn add(&mut self, premium: NanoRate) {
        self.sum += i128::from(premium.0);
        self.count += 1;
    }

    /// The hourly rate these samples make.
    pub(crate) fn rate(self) -> NanoRate {
        let average = self.sum.checked_div(i128::from(self.count)).unwrap_or(0);
        hourly(NanoRate(i64::try_from(average).unwrap_or(0)))
    }
}

/// `F = P + clamp(interest − P)` per 8 h, an eighth of it per hour, capped.
pub(crate) fn hourly(premium: NanoRate) -> NanoRate {
    let eight_hours = premium.0 + (INTEREST - premium.0).clamp(-CLAMP, CLAMP);
    NanoRate((eight_hours / 8).clamp(-HOURLY_CAP, HOURLY_CAP))
}

/// How far the price of trading the impact notional lies outside the oracle, over the oracle.
fn premium(book: &Book, oracle: Px, impact: Usd) -> Option<NanoRate> {
    let outside = |side: Side| {
        let (cost, lots) = book.impact(side, impact);
        let reference = oracle * lots;
        // Micro-USD per lot, kept as a ratio: (cost − oracle·lots) / (oracle·lots).
        (reference.0 > 0).then(|| (cost.0 - reference.0) * NANO / reference.0)
    };
    let above = outside(Side::Sell)?.max(0);
    let below = (-outside(Side::Buy)?).max(0);
    i64::try_from(above - below).ok().map(NanoRate)
}

/// What a position of `size × oracle` receives at `rate`, rounded against whoever pays.
fn payment(value: Usd, rate: NanoRate) -> Usd {
    -value.mul_ceil(rate.0, 1_000_000_000)
}

impl Engine {
    pub(crate) fn sample_funding(&mut self) {
        if !self.now.reached_multiple_of(SAMPLE_EVERY) {
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

    /// Pays at whole UTC hours, on the oracle price, to the positions open at that instant.
    pub(crate) fn pay_funding(&mut self) {
        if !self.now.reached_multiple_of(Millis::HOUR.0) {
            return;
        }
        for account in self.accounts.ids() {
            let open: Vec<_> = self.accounts.at(account).open.values().copied().collect();
            for id in open {
                let market = self.markets.at(self.positions.at(id).market);
                let value = market.oracle * self.positions.at(id).size;
                let amount = payment(value, market.premiums.rate());
                self.credit_funding(id, amount);
            }
        }
        for ix in self.markets.ids() {
            self.markets.at_mut(ix).premiums = Premiums::default();
        }
    }

    fn credit_funding(&mut self, id: PositionId, amount: Usd) {
        let position = self.positions.at_mut(id);
        let account = position.account;
        let flows = Flows {
            funding: amount,
            insurance: excess(amount, position.own_margin()),
            ..Flows::default()
        };
        position.funding += amount;
        if position.margin_mode == MarginMode::Isolated {
            position.margin_funding += amount + flows.insurance;
        }
        self.record(Event::Funding {
            position: id,
            amount,
        });
        self.pay(account, flows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::{spec::BookLevel, units::Lots};

    fn book(bid: i64, ask: i64) -> Book {
        let level = |px| BookLevel {
            px: Px(px),
            size: Lots(1_000_000),
        };
        let mut book = Book::default();
        book.refresh(&[level(bid)], &[level(ask)]);
        book
    }

    #[test]
    fn a_bid_one_percent_over_the_index_makes_longs_pay_an_eighth_of_0_95_percent_an_hour() {
        let premium = premium(&book(10_100, 10_200), Px(10_000), Usd(20_000_000_000));
        assert_eq!(premium, Some(NanoRate(10_000_000)), "1 %");
        assert_eq!(hourly(NanoRate(10_000_000)), NanoRate(1_187_500));
        let ten_at_ten_thousand = Usd::dollars(100_000);
        assert_eq!(
            payment(ten_at_ten_thousand, NanoRate(1_187_500)),
            Usd(-118_750_000)
        );
    }

    #[test]
    fn a_quiet_premium_pays_the_interest_and_a_deep_discount_pays_longs() {
        assert_eq!(hourly(NanoRate(200_000)), NanoRate(12_500), "0.00125 %");
        assert_eq!(hourly(NanoRate(-1_000_000)), NanoRate(-62_500), "-5 bp / 8");
    }

    #[test]
    fn an_hour_costs_what_its_samples_come_to_on_average() {
        let mut hour = Premiums::default();
        assert_eq!(hour.rate(), NanoRate(12_500), "the interest alone");
        for premium in [3_000_000, -1_000_000, 0, 2_000_000] {
            hour.add(NanoRate(premium));
        }
        assert_eq!(
            hour.rate(),
            NanoRate(62_500),
            "10 bp less 5 bp, an eighth of it"
        );
    }

    #[test]
    fn no_hour_costs_more_than_four_percent() {
        assert_eq!(hourly(NanoRate(900_000_000)), NanoRate(40_000_000));
        assert_eq!(hourly(NanoRate(-900_000_000)), NanoRate(-40_000_000));
    }

    #[test]
    fn what_a_long_pays_is_never_less_than_what_a_short_of_the_same_size_receives() {
        let paid = payment(Usd(1_000_001), NanoRate(12_500));
        let received = payment(Usd(-1_000_001), NanoRate(12_500));
        assert_eq!((paid, received), (Usd(-13), Usd(12)));
    }
}
