//! The premium of a market over its oracle, and the hourly funding rate (docs/engine.md 6.6).

use serde::{Deserialize, Serialize};

use super::book::OrderBook;
use crate::exchange::engine::state::{MAX_HOURLY_FUNDING, NanoRate, Px, Side, Usd};

/// 0.01 % per 8 h.
const FUNDING_INTEREST: i64 = 100_000;
/// 0.05 % per 8 h.
const FUNDING_CLAMP: i64 = 500_000;
const NANO: i128 = 1_000_000_000;

/// Premium samples of the current hour.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct PremiumSamples {
    sum: i128,
    count: i64,
}

impl PremiumSamples {
    pub(crate) fn add(&mut self, premium: NanoRate) {
        self.sum += i128::from(premium.0);
        self.count += 1;
    }

    /// The hourly rate from these samples.
    pub(crate) fn rate(self) -> NanoRate {
        let average = self.sum.checked_div(i128::from(self.count)).unwrap_or(0);
        hourly(NanoRate(i64::try_from(average).unwrap_or(0)))
    }
}

/// `F = P + clamp(interest − P)` per 8 h, an eighth of it per hour, capped.
pub(crate) fn hourly(premium: NanoRate) -> NanoRate {
    let eight_hours =
        premium.0 + (FUNDING_INTEREST - premium.0).clamp(-FUNDING_CLAMP, FUNDING_CLAMP);
    NanoRate((eight_hours / 8).clamp(-MAX_HOURLY_FUNDING.0, MAX_HOURLY_FUNDING.0))
}

/// How far the price of trading the impact notional is outside the oracle price, relative to it.
pub(crate) fn premium(book: &OrderBook, oracle: Px, impact: Usd) -> Option<NanoRate> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::{BookLevel, Lots};

    fn book(bid: i64, ask: i64) -> OrderBook {
        let level = |px| BookLevel {
            px: Px(px),
            size: Lots(1_000_000),
        };
        let mut book = OrderBook::default();
        book.refresh(&[level(bid)], &[level(ask)]);
        book
    }

    #[test]
    fn a_bid_one_percent_over_the_index_makes_longs_pay_an_eighth_of_0_95_percent_an_hour() {
        let premium = premium(&book(10_100, 10_200), Px(10_000), Usd(20_000_000_000));
        assert_eq!(premium, Some(NanoRate(10_000_000)), "1 %");
        assert_eq!(hourly(NanoRate(10_000_000)), NanoRate(1_187_500));
    }

    /// The premiums that Hyperliquid published with these indices and impact prices: −0.0005927453 and −0.0002824061.
    #[test]
    fn a_book_below_the_index_has_the_premium_that_the_venue_publishes() {
        let impact = Usd::dollars(20_000);
        let btc = premium(&book(775_580, 775_590), Px(776_050), impact);
        assert_eq!(btc, Some(NanoRate(-592_745)));
        let eth = premium(&book(212_365, 212_400), Px(212_460), impact);
        assert_eq!(eth, Some(NanoRate(-282_406)));
    }

    #[test]
    fn a_quiet_premium_pays_the_interest_and_a_deep_discount_pays_longs() {
        assert_eq!(hourly(NanoRate(200_000)), NanoRate(12_500), "0.00125 %");
        assert_eq!(hourly(NanoRate(-1_000_000)), NanoRate(-62_500), "-5 bp / 8");
        assert_eq!(hourly(NanoRate(-900_000)), NanoRate(-50_000), "-0.005 %");
    }

    #[test]
    fn an_hour_costs_what_its_samples_come_to_on_average() {
        let mut hour = PremiumSamples::default();
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
}
