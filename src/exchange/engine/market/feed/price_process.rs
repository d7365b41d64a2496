//! The fair price (docs/engine.md 9.1): two-scale volatility and jumps common to all coins, and each coin's own moves.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use serde::{Deserialize, Serialize};

use super::{
    numbers::{DAY, DT, YEAR, bps, halving, real, whole},
    rng::RngStream,
};
use crate::exchange::engine::state::{Bps, MAX_COUNT, MarketSpec, Px, Side};

/// Half-life of the price impact of users' trades, in seconds.
const PRESSURE_HALF_LIFE: f64 = 300.0;
/// Half-life of a book's premium over the oracle, in seconds: as long as the hours that funding averages.
const PREMIUM_HALF_LIFE: f64 = 4.0 * 3_600.0;
/// Standard deviation of the premium of a coin with 100 % volatility. The funding clamp hides less than 5 bp around the
/// interest, so a smaller one would make funding constant.
const PREMIUM_DEVIATION: f64 = 0.0016;
/// Correlation of a premium's change with the price's change: buyers of a rise pay for it.
const PREMIUM_CORRELATION: f64 = 0.6;

/// A mean-reverting random value around 0.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct MeanRevertingProcess {
    keep: f64,
    kick: f64,
    value: f64,
}

impl MeanRevertingProcess {
    fn new(half_life: f64, deviation: f64) -> Self {
        let keep = halving(half_life);
        Self {
            keep,
            kick: deviation * (1.0 - keep * keep).sqrt(),
            value: 0.0,
        }
    }

    fn step(&mut self, normal: f64) -> f64 {
        self.value = self.keep * self.value + self.kick * normal;
        self.value
    }

    /// Starts as if it had run for long.
    fn started(self, deviations: f64) -> Self {
        let deviation = self.kick / (1.0 - self.keep * self.keep).sqrt();
        Self {
            value: deviation * deviations,
            ..self
        }
    }
}

/// What all coins share in one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommonStep {
    /// Current volatility relative to the usual; around 1.
    pub(super) activity: f64,
    /// The common factor's normal draw.
    factor: f64,
    /// The part of a common jump in this step, for a coin of 50 % volatility.
    jump: f64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CommonProcess {
    rng: RngStream,
    fast: MeanRevertingProcess,
    slow: MeanRevertingProcess,
    jump: JumpProcess,
}

/// A jump is spread with a 2 s half-life: in one step it would give unrealistic tails.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct JumpProcess {
    per_day: f64,
    mean: f64,
    pending: f64,
}

impl JumpProcess {
    fn step(&mut self, rng: &mut RngStream, rate: f64) -> f64 {
        if rng.uniform() < self.per_day / DAY * DT * rate {
            self.pending += rng.sign() * rng.exponential(self.mean);
        }
        let now = self.pending * (1.0 - halving(2.0));
        self.pending -= now;
        now
    }
}

impl CommonProcess {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: RngStream::new(seed, "climate"),
            fast: MeanRevertingProcess::new(300.0, 0.45),
            slow: MeanRevertingProcess::new(6.0 * 3_600.0, 0.35),
            jump: JumpProcess {
                per_day: 24.0,
                mean: 0.0010,
                pending: 0.0,
            },
        }
    }

    pub(super) fn step(&mut self) -> CommonStep {
        let fast = self.fast.step(self.rng.normal());
        let slow = self.slow.step(self.rng.normal());
        let variance = 0.45 * 0.45 + 0.35 * 0.35;
        CommonStep {
            activity: libm::exp(fast + slow - variance),
            factor: self.rng.normal(),
            jump: self.jump.step(&mut self.rng, libm::exp(fast)),
        }
    }
}

/// The state of one coin.
#[derive(Debug, Clone, Copy)]
pub(super) struct FairPrice {
    pub(super) oracle: Px,
    /// The center of its book in price units: the oracle plus a small premium.
    pub(super) center: f64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PriceProcess {
    rng: RngStream,
    start: f64,
    volatility: f64,
    beta: f64,
    /// Log distance from the start price.
    away: f64,
    jump: JumpProcess,
    premium: MeanRevertingProcess,
    /// Log distance from users' trades, which decays.
    pressure: f64,
}

impl PriceProcess {
    pub(super) fn new(seed: u64, spec: &MarketSpec) -> Self {
        Self {
            rng: RngStream::new(seed, &format!("{}|walk", spec.market_id())),
            start: real(spec.start_price.0.unsigned_abs()),
            volatility: bps(spec.volatility),
            beta: bps(spec.beta),
            away: 0.0,
            jump: JumpProcess {
                per_day: 6.0,
                mean: 0.0012,
                pending: 0.0,
            },
            premium: premium(seed, spec),
            pressure: 0.0,
        }
    }

    pub(super) fn step(&mut self, common_step: CommonStep) -> FairPrice {
        let scale = self.volatility * (DT / YEAR).sqrt() * common_step.activity;
        let own = (1.0 - self.beta * self.beta).sqrt() * self.rng.normal();
        let change = self.beta * common_step.factor + own;
        let jumps = common_step.jump * self.volatility / 0.5 + self.jump.step(&mut self.rng, 1.0);
        // A weak pull to the start price keeps long demos in range.
        self.away *= halving(3.0 * DAY);
        self.away += scale * change + jumps;
        // From one price unit to `MAX_COUNT` of them: every product of prices stays inside the engine's integers.
        let lowest = libm::log(1.0 / self.start);
        self.away = self.away.max(lowest).min(libm::log(highest() / self.start));
        let premium = self.premium.step(correlated(change, self.rng.normal()));
        self.pressure *= halving(PRESSURE_HALF_LIFE);
        let wanted = self.start * libm::exp(self.away + self.pressure);
        let fair = wanted.max(1.0).min(highest());
        FairPrice {
            oracle: Px(whole(fair + 0.5).max(1)),
            center: fair * (1.0 + premium),
        }
    }

    /// A taker of `side` took this part of a day's volume (docs/engine.md 9.4).
    pub(super) fn press(&mut self, side: Side, part: f64) {
        let day = self.volatility * (DAY / YEAR).sqrt();
        let push = 0.1 * part.sqrt() * day;
        self.pressure += match side {
            Side::Buy => push,
            Side::Sell => -push,
        };
    }

    pub(super) fn nudge(&mut self, by: Bps) {
        self.away += nudged(by);
    }

    /// Whether a nudge leaves the price within its bounds, or brings it nearer to them.
    pub(super) fn has_room(&self, by: Bps) -> bool {
        let then = self.start * libm::exp(self.away + self.pressure + nudged(by));
        if by.0 < 0 {
            then >= 1.0
        } else {
            then <= highest()
        }
    }
}

/// Draws the start from a stream of its own, so that prices do not depend on it.
fn premium(seed: u64, spec: &MarketSpec) -> MeanRevertingProcess {
    let mut rng = RngStream::new(seed, &format!("{}|premium", spec.market_id()));
    let deviation = PREMIUM_DEVIATION * bps(spec.volatility);
    MeanRevertingProcess::new(PREMIUM_HALF_LIFE, deviation).started(rng.normal())
}

/// A premium's random step: correlated with the price's.
fn correlated(change: f64, other: f64) -> f64 {
    PREMIUM_CORRELATION * change + (1.0 - PREMIUM_CORRELATION * PREMIUM_CORRELATION).sqrt() * other
}

/// Log distance of a nudge.
fn nudged(by: Bps) -> f64 {
    libm::log1p(bps(by).max(-0.99))
}

fn highest() -> f64 {
    real(MAX_COUNT.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::{
        market::premium::hourly,
        state::{NanoRate, Usd},
    };

    fn coin(symbol: &str, volatility: i64, beta: i64) -> MarketSpec {
        MarketSpec {
            provider: "paper".to_owned(),
            symbol: symbol.to_owned(),
            coin: symbol.to_owned(),
            category: "crypto".to_owned(),
            access: crate::exchange::engine::MarketAccess::Open,
            size_decimals: 5,
            max_leverage: 40,
            tiers: Vec::new(),
            start_price: Px(640_000_000),
            volatility: Bps(volatility),
            beta: Bps(beta),
            base_depth: Usd::dollars(120_000),
            impact_notional: Usd::dollars(20_000),
        }
    }

    /// One-minute log returns of two coins over a day.
    fn day(seed: u64) -> [Vec<f64>; 2] {
        let mut common = CommonProcess::new(seed);
        let mut walks = [
            PriceProcess::new(seed, &coin("BTC", 5_000, 8_500)),
            PriceProcess::new(seed, &coin("ETH", 7_000, 8_500)),
        ];
        let mut returns = [Vec::new(), Vec::new()];
        let mut before = [0.0; 2];
        for step in 1..=4 * 86_400 {
            let common_step = common.step();
            for ((price_process, before), returns) in
                walks.iter_mut().zip(&mut before).zip(&mut returns)
            {
                price_process.step(common_step);
                if step % 240 == 0 {
                    returns.push(price_process.away - *before);
                    *before = price_process.away;
                }
            }
        }
        returns
    }

    fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
        values.clone().sum::<f64>() / real(values.count() as u64)
    }

    fn covariance(a: &[f64], b: &[f64]) -> f64 {
        let (of_a, of_b) = (mean(a.iter().copied()), mean(b.iter().copied()));
        mean(a.iter().zip(b).map(move |(a, b)| (a - of_a) * (b - of_b)))
    }

    /// Autocorrelation at a lag of one minute.
    fn memory(values: &[f64]) -> f64 {
        covariance(&values[1..], &values[..values.len() - 1]) / covariance(values, values)
    }

    #[test]
    fn a_day_of_prices_is_as_wild_and_as_related_as_real_ones() {
        for seed in [1, 42] {
            let [btc, eth] = day(seed);
            let variance = covariance(&btc, &btc);
            let yearly = (variance * YEAR / 60.0).sqrt();
            assert!((0.25..0.80).contains(&yearly), "volatility {yearly}");
            let fourth = mean(btc.iter().map(|change| change.powi(4)));
            let kurtosis = fourth / (variance * variance);
            assert!((4.0..25.0).contains(&kurtosis), "kurtosis {kurtosis}");
            assert!(memory(&btc).abs() < 0.12, "direction {}", memory(&btc));
            let sizes: Vec<f64> = btc.iter().map(|change| change.abs()).collect();
            assert!(
                (0.08..0.45).contains(&memory(&sizes)),
                "clusters {}",
                memory(&sizes)
            );
            let related = covariance(&btc, &eth) / (variance * covariance(&eth, &eth)).sqrt();
            assert!((0.6..0.85).contains(&related), "related {related}");
        }
    }

    /// The hourly funding rates of a day, in nano per hour, and the correlation of premium and price changes.
    fn funding(seed: u64) -> (Vec<i64>, f64) {
        let mut common = CommonProcess::new(seed);
        let mut price_process = PriceProcess::new(seed, &coin("BTC", 5_000, 8_500));
        let (mut rates, mut changes) = (Vec::new(), [Vec::new(), Vec::new()]);
        let (mut sum, mut before) = (0.0, (0.0, price_process.premium.value));
        for step in 1..=24 * 14_400 {
            price_process.step(common.step());
            sum += price_process.premium.value;
            if step % 14_400 == 0 {
                rates.push(hourly(NanoRate(whole(sum / 14_400.0 * 1e9))).0);
                sum = 0.0;
            }
            if step % 240 == 0 {
                changes[0].push(price_process.away - before.0);
                changes[1].push(price_process.premium.value - before.1);
                before = (price_process.away, price_process.premium.value);
            }
        }
        let [price, premium] = &changes;
        let scale = (covariance(price, price) * covariance(premium, premium)).sqrt();
        (rates, covariance(price, premium) / scale)
    }

    #[test]
    fn funding_moves_with_the_market_and_stays_within_what_real_ones_come_to() {
        for seed in [1, 7, 42] {
            let (rates, related) = funding(seed);
            let different: std::collections::BTreeSet<i64> = rates.iter().copied().collect();
            assert!(different.len() >= 8, "{rates:?}");
            let usual = -400_000..400_000;
            assert!(rates.iter().all(|rate| usual.contains(rate)), "{rates:?}");
            assert!((0.2..0.9).contains(&related), "{related}");
            assert_eq!(funding(seed).0, rates, "of one seed");
        }
    }
}
