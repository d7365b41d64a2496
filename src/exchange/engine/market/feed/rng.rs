//! Portable random numbers: one `ChaCha` stream per purpose.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::numbers::real;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RngStream(ChaCha8Rng);

impl RngStream {
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(fnv1a(purpose));
        Self(rng)
    }

    /// The stream of another purpose, of the same seed.
    pub(crate) fn sibling(&self, purpose: &str) -> Self {
        let mut rng = ChaCha8Rng::from_seed(self.0.get_seed());
        rng.set_stream(fnv1a(purpose));
        Self(rng)
    }

    /// A whole number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low).unwrap_or(0) + 1;
        low + i64::try_from(self.0.next_u64() % span).unwrap_or(0)
    }

    /// In (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (real(self.0.next_u64() >> 11) + 0.5) / real(1 << 53)
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(self.uniform())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.uniform())
    }

    pub(crate) fn pareto(&mut self, alpha: f64) -> f64 {
        libm::pow(self.uniform(), -1.0 / alpha)
    }

    pub(crate) fn poisson(&mut self, mean: f64) -> usize {
        let limit = libm::exp(-mean.min(50.0));
        let mut product = self.uniform();
        let mut count = 0;
        while product > limit {
            product *= self.uniform();
            count += 1;
        }
        count
    }

    pub(crate) fn sign(&mut self) -> f64 {
        if self.uniform() < 0.5 { 1.0 } else { -1.0 }
    }
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
