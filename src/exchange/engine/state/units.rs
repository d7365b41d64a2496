//! The integer units of the engine.
//!
//! A price counts `10^-(6 - size_decimals)` USD and a size `10^-size_decimals` coins, so price × size is a whole number
//! of micro-USD on every market. Averages and liquidation prices may fall between two price units and are in nano-USD
//! ([`NanoPx`]).

use derive_more::{Add, AddAssign, Neg, Sub, SubAssign, Sum};
use serde::{Deserialize, Serialize};
use std::{fmt, ops::Mul};

use crate::model::Num;

macro_rules! count {
    ($(#[$doc:meta])* $name:ident($int:ty)) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
            Add, Sub, Neg, AddAssign, SubAssign, Sum,
        )]
        pub struct $name(pub $int);

        impl $name {
            pub const ZERO: Self = Self(0);

            #[must_use]
            pub fn abs(self) -> Self {
                Self(self.0.abs())
            }

            #[must_use]
            pub fn is_zero(self) -> bool {
                self.0 == 0
            }
        }
    };
}

count!(
    /// A price in units of `10^-(6 - size_decimals)` USD.
    Px(i64)
);
count!(
    /// A size in units of `10^-size_decimals` coins; signed where it is a position (negative is short).
    Lots(i64)
);
count!(
    /// Money in micro-USD.
    Usd(i128)
);
count!(
    /// Virtual time: milliseconds since the Unix epoch, or a span of them.
    Millis(i64)
);
count!(
    /// A price in nano-USD, for averages, midpoints and liquidation prices.
    NanoPx(i64)
);
count!(
    /// A rate in units of 1e-9 (12 500 is 0.00125 %).
    NanoRate(i64)
);
count!(
    /// Hundredths of a percent.
    Bps(i64)
);

/// The largest size and price the engine accepts; keeps every product inside its integers.
pub const MAX_COUNT: i64 = 1_000_000_000_000;

/// 4 % per hour.
pub const MAX_HOURLY_FUNDING: NanoRate = NanoRate(40_000_000);

impl Mul<Lots> for Px {
    type Output = Usd;
    /// Exact, by the choice of units.
    fn mul(self, lots: Lots) -> Usd {
        Usd(i128::from(self.0) * i128::from(lots.0))
    }
}

impl Px {
    /// The same price in nano-USD.
    #[must_use]
    pub fn nano(self, size_decimals: u32) -> NanoPx {
        NanoPx(self.0.saturating_mul(10_i64.pow(3 + size_decimals)))
    }
}

impl Usd {
    /// Whole dollars.
    #[must_use]
    pub const fn dollars(whole: i64) -> Self {
        Self(whole as i128 * 1_000_000)
    }

    /// `self × num / den`, rounded towards minus infinity; zero for `den` 0.
    #[must_use]
    pub fn mul_floor(self, num: i64, den: i64) -> Self {
        match den {
            0 => Self::ZERO,
            _ => Self((self.0 * i128::from(num)).div_euclid(i128::from(den))),
        }
    }

    /// `self × num / den`, rounded towards plus infinity; zero for `den` 0.
    #[must_use]
    pub fn mul_ceil(self, num: i64, den: i64) -> Self {
        -(-self).mul_floor(num, den)
    }

    /// The average price of `lots` that cost this much in total, rounded half up; `None` for no lots.
    #[must_use]
    pub fn per(self, lots: Lots, size_decimals: u32) -> Option<NanoPx> {
        ratio(
            self.0 * 10_i128.pow(3 + size_decimals),
            i128::from(lots.abs().0),
        )
        .and_then(|nano| i64::try_from(nano).ok().map(NanoPx))
    }
}

/// `num / den` rounded half up; `None` when `den` is 0.
pub(crate) fn ratio(num: i128, den: i128) -> Option<i128> {
    let (num, den) = if den < 0 { (-num, -den) } else { (num, den) };
    (den != 0).then(|| (2 * num + den).div_euclid(2 * den))
}

impl Millis {
    /// Virtual time moves only in steps of this length.
    pub const STEP: Self = Self(250);
    pub const DAY: Self = Self(86_400_000);
    pub const HOUR: Self = Self(3_600_000);
    pub const MINUTE: Self = Self(60_000);

    #[must_use]
    pub const fn seconds(whole: i64) -> Self {
        Self(whole * 1000)
    }

    /// The UTC day this instant is in.
    #[must_use]
    pub fn day(self) -> i64 {
        self.0.div_euclid(Self::DAY.0)
    }

    /// The first whole hour after this instant.
    #[must_use]
    pub fn next_hour(self) -> Self {
        Self((self.0.div_euclid(Self::HOUR.0) + 1) * Self::HOUR.0)
    }

    /// Whether the step that ends at this instant reached a multiple of `every`. An engine may start at any
    /// millisecond, so a step need not end exactly on one.
    pub(crate) fn reached_multiple_of(self, every: i64) -> bool {
        let step_start = self.0 - Self::STEP.0;
        self.0.div_euclid(every) > step_start.div_euclid(every)
    }
}

/// A count as a decimal number without trailing zeros. The engine's bounds keep every count below 28 digits, where
/// [`Num`] is exact.
pub(crate) fn decimal(count: i128, decimals: u32) -> Num {
    match i64::try_from(count) {
        Ok(count) => shortest(count, decimals),
        Err(_) => Num::from_scaled(count, decimals)
            .unwrap_or_default()
            .normalized(),
    }
}

/// The same for nearly every count: without its trailing zeros before it becomes a decimal, whose division is slow.
fn shortest(mut count: i64, mut decimals: u32) -> Num {
    while decimals > 0 && count % 10 == 0 {
        count /= 10;
        decimals -= 1;
    }
    Num::new(count, decimals)
}

impl Px {
    /// As a decimal number.
    #[must_use]
    pub fn shown(self, size_decimals: u32) -> Num {
        decimal(self.0.into(), price_decimals(size_decimals))
    }
}

impl Lots {
    /// As a decimal number.
    #[must_use]
    pub fn shown(self, size_decimals: u32) -> Num {
        decimal(self.0.into(), size_decimals)
    }
}

/// Decimals of a price, in a market whose sizes have so many.
pub(crate) fn price_decimals(size_decimals: u32) -> u32 {
    6_u32.saturating_sub(size_decimals)
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal(self.0, 6).fmt(f)
    }
}
