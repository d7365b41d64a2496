//! Small random numbers, the same for the same seed. For spreading waits, never for secrets.

/// `SplitMix64` (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub(crate) struct Jitter(u64);

impl Jitter {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform from 0 to 1000.
    pub(crate) fn per_mille(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // The remainder is below 1001 and fits.
        u32::try_from((mixed ^ (mixed >> 31)) % 1001).unwrap_or(0)
    }
}
