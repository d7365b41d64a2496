//! The price (docs/engine.md 9.1): a martingale that moves by orders of others and by news, in clusters of activity.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use serde::{Deserialize, Serialize};

use super::{
    market_size::orders_per_second,
    numbers::{DAY, DT, YEAR, bps, halving, real, whole},
    rng::RngStream,
};
use crate::exchange::engine::state::{Bps, MAX_COUNT, MarketSpec, Px, Side};

/// Half-life of the extra variance after news, in seconds.
const NEWS_HALF_LIFE: f64 = 2.0;
/// Mean size of a jump that news spreads over time, in deviations of a usual step.
const NEWS_SIZE: f64 = 25.0;
/// Moves per usual step of the factor that all coins share.
const COMMON_MOVES: f64 = 0.75;
/// Seconds over which an order triggers others, and how many it triggers.
const EXCITATION_SECONDS: f64 = 3.0;
const BRANCHING: f64 = 0.5;
/// Half the spread, over the mean move of an order. More than 1, since a resting order is also behind a queue, and stale
/// for a step: with this a maker at the best price earns next to nothing before fees.
const HALF_SPREAD_MOVES: f64 = 1.25;
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

/// News adds variance and no direction, so that a jump that has begun cannot be followed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct NewsProcess {
    per_day: f64,
    /// Variance that is still to come, in that of a usual step.
    pending: f64,
}

impl NewsProcess {
    fn new(per_day: f64) -> Self {
        Self {
            per_day,
            pending: 0.0,
        }
    }

    /// The volatility of this step with that of news, relative to the usual.
    fn step(&mut self, rng: &mut RngStream, mood: f64) -> f64 {
        if rng.uniform() < self.per_day / DAY * DT * mood {
            self.pending += rng.exponential(NEWS_SIZE).powi(2);
        }
        let now = self.pending * (1.0 - halving(NEWS_HALF_LIFE));
        self.pending -= now;
        (mood * mood + now).sqrt()
    }
}

/// Moves of one step, in deviations of a usual step.
#[derive(Debug, Clone)]
struct Moves {
    activity: f64,
    mean_size: f64,
    sizes: Vec<f64>,
}

impl Moves {
    /// This many moves, when there are `usual` of them in a usual step: number and size grow with activity.
    ///
    /// A size is exponential: whatever part of a move has happened, the rest of it is as large on average as the whole
    /// was. So no distance from the price is a better one to quote at than another.
    fn draw(rng: &mut RngStream, activity: f64, usual: f64, count: usize) -> Self {
        let mean_size = (activity / (2.0 * usual)).sqrt();
        let sizes = (0..count).map(|_| rng.sign() * rng.exponential(mean_size));
        Self {
            activity,
            mean_size,
            sizes: sizes.collect(),
        }
    }

    /// The sum, in deviations of this step.
    fn change(&self) -> f64 {
        self.sizes.iter().sum::<f64>() / self.activity
    }
}

/// What all coins share in one step.
#[derive(Debug, Clone)]
pub(super) struct CommonStep {
    /// Volatility relative to the usual, without news; around 1.
    mood: f64,
    moves: Moves,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CommonProcess {
    rng: RngStream,
    fast: MeanRevertingProcess,
    slow: MeanRevertingProcess,
    news: NewsProcess,
}

impl CommonProcess {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: RngStream::new(seed, "climate"),
            fast: MeanRevertingProcess::new(300.0, 0.45),
            slow: MeanRevertingProcess::new(6.0 * 3_600.0, 0.35),
            news: NewsProcess::new(24.0),
        }
    }

    pub(super) fn step(&mut self) -> CommonStep {
        let fast = self.fast.step(self.rng.normal());
        let slow = self.slow.step(self.rng.normal());
        let variance = 0.45 * 0.45 + 0.35 * 0.35;
        let mood = libm::exp(fast + slow - variance);
        let activity = self.news.step(&mut self.rng, mood);
        let count = self.rng.poisson(COMMON_MOVES * activity);
        CommonStep {
            mood,
            moves: Moves::draw(&mut self.rng, activity, COMMON_MOVES, count),
        }
    }
}

/// Where a book stands, in price units.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Quote {
    pub(super) center: f64,
    pub(super) half_spread: f64,
}

/// An order of others, and the center of the book before and after it, in price units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweep {
    pub(super) side: Side,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// One step of one coin.
#[derive(Debug, Clone)]
pub(super) struct PriceStep {
    pub(super) oracle: Px,
    pub(super) sweeps: Vec<Sweep>,
    pub(super) quote: Quote,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PriceProcess {
    rng: RngStream,
    start: f64,
    /// Of the log price, in a usual step.
    deviation: f64,
    beta: f64,
    /// Orders of others in a usual step.
    orders: f64,
    /// Orders per second that earlier ones have triggered.
    excitement: f64,
    news: NewsProcess,
    /// Log distance of the oracle from the start price.
    away: f64,
    /// Log distance of the book's center from the oracle.
    premium: MeanRevertingProcess,
    /// A nudge, which the next step trades.
    nudged: f64,
}

impl PriceProcess {
    pub(super) fn new(seed: u64, spec: &MarketSpec) -> Self {
        Self {
            rng: RngStream::new(seed, &format!("{}|walk", spec.market_id())),
            start: real(spec.start_price.0.unsigned_abs()),
            deviation: bps(spec.volatility) * (DT / YEAR).sqrt(),
            beta: bps(spec.beta),
            orders: orders_per_second(spec) * DT,
            excitement: 0.0,
            news: NewsProcess::new(6.0),
            away: 0.0,
            premium: premium(seed, spec),
            nudged: 0.0,
        }
    }

    pub(super) fn step(&mut self, common: &CommonStep) -> PriceStep {
        let own = self.own_moves(common.mood);
        let before = self.away + self.premium.value;
        let mut walk = Walk::new(self.start, before);
        if self.nudged != 0.0 {
            walk.trade(direction(self.nudged), std::mem::take(&mut self.nudged));
        }
        for size in &own.sizes {
            let distance = self.deviation * self.own_share() * size;
            walk.trade(direction(*size), distance);
        }
        let traded = self.orders * self.beta * self.beta / COMMON_MOVES;
        for size in &common.moves.sizes {
            let distance = self.deviation * self.beta * size;
            if self.rng.uniform() < traded {
                walk.trade(direction(*size), distance);
            } else {
                walk.center += distance;
            }
        }
        self.settle(walk.center, &own, &common.moves);
        PriceStep {
            oracle: Px(whole(price(self.start, self.away) + 0.5).max(1)),
            sweeps: walk.sweeps,
            quote: self.quote(&own, &common.moves),
        }
    }

    /// The part of its variance that a coin does not share.
    fn own_share(&self) -> f64 {
        (1.0 - self.beta * self.beta).sqrt()
    }

    /// Orders come in bursts, and a burst has no direction.
    fn own_moves(&mut self, mood: f64) -> Moves {
        let activity = self.news.step(&mut self.rng, mood);
        let usual = self.orders * self.own_share().powi(2);
        let fresh = usual * (1.0 - BRANCHING) * activity;
        let count = self.rng.poisson(fresh + self.excitement * DT);
        self.excitement *= libm::exp(-DT / EXCITATION_SECONDS);
        self.excitement += real(count as u64) * BRANCHING / EXCITATION_SECONDS;
        Moves::draw(&mut self.rng, activity, usual, count)
    }

    /// What can be traded is a martingale: the expected price is the one before, for which the logarithm loses half its
    /// variance. The oracle follows the book at its premium, so that the premium's way back is in the oracle alone.
    fn settle(&mut self, center: f64, own: &Moves, common: &Moves) {
        let change = self.own_share() * own.change() + self.beta * common.change();
        let premium = self.premium.step(correlated(change, self.rng.normal()));
        let variance =
            (self.own_share() * own.activity).powi(2) + (self.beta * common.activity).powi(2);
        let center = center - 0.5 * variance * self.deviation * self.deviation;
        // From one price unit to `MAX_COUNT` of them: every product of prices stays inside the engine's integers.
        let lowest = libm::log(1.0 / self.start);
        let highest = libm::log(highest() / self.start);
        self.away = (center - premium).max(lowest).min(highest);
    }

    /// Half the spread follows from what an order of others moves the price by, on average.
    fn quote(&self, own: &Moves, common: &Moves) -> Quote {
        let shared = self.beta * self.beta;
        let move_size = (1.0 - shared) * self.own_share() * own.mean_size
            + shared * self.beta * common.mean_size;
        let center = price(self.start, self.away + self.premium.value);
        Quote {
            center,
            half_spread: HALF_SPREAD_MOVES * center * self.deviation * move_size,
        }
    }

    /// The log price moves from the next step on.
    pub(super) fn press(&mut self, by: f64) {
        self.away += by;
    }

    pub(super) fn nudge(&mut self, by: Bps) {
        self.nudged += nudged(by);
    }

    /// Whether a nudge leaves the price within its bounds, or brings it nearer to them.
    pub(super) fn has_room(&self, by: Bps) -> bool {
        let then = self.start * libm::exp(self.away + self.nudged + nudged(by));
        if by.0 < 0 {
            then >= 1.0
        } else {
            then <= highest()
        }
    }
}

/// The book's center on its way through a step, as a log distance.
#[derive(Debug)]
struct Walk {
    start: f64,
    center: f64,
    sweeps: Vec<Sweep>,
}

impl Walk {
    fn new(start: f64, center: f64) -> Self {
        Self {
            start,
            center,
            sweeps: Vec::new(),
        }
    }

    fn trade(&mut self, side: Side, distance: f64) {
        let before = self.center;
        self.center += distance;
        self.sweeps.push(Sweep {
            side,
            from: price(self.start, before),
            to: price(self.start, self.center),
        });
    }
}

fn price(start: f64, away: f64) -> f64 {
    (start * libm::exp(away)).max(1.0).min(highest())
}

fn direction(size: f64) -> Side {
    if size > 0.0 { Side::Buy } else { Side::Sell }
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
                price_process.step(&common_step);
                if step % 240 == 0 {
                    let center = price_process.away + price_process.premium.value;
                    returns.push(center - *before);
                    *before = center;
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
            price_process.step(&common.step());
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
