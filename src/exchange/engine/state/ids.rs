//! Identifiers: counters from 1, rendered `ord_000001`; and indexes of markets and accounts in the configuration.

use derive_more::{Display, From, Into};
use serde::{Deserialize, Serialize};

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Display)]
        #[display("{}{_0:06}", $prefix)]
        pub struct $name(u64);

        impl $name {
            /// `None` for anything this engine would not print itself (other prefix, padding or sign).
            pub fn parse(text: &str) -> Option<Self> {
                let digits = text.strip_prefix($prefix)?;
                let id = Self(digits.parse().ok()?);
                (id.0 > 0 && id.to_string() == text).then_some(id)
            }

            /// The counter: ids are issued in order, so it also sorts rows of equal time.
            pub fn seq(self) -> u64 {
                self.0
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                Self(index as u64 + 1)
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> Self {
                usize::try_from(id.0.saturating_sub(1)).unwrap_or(usize::MAX)
            }
        }
    };
}

counter!(
    /// `ord_000001`
    OrderId, "ord_"
);
counter!(
    /// `pos_000001`
    PositionId, "pos_"
);
counter!(
    /// `twap_000001`
    TwapId, "twap_"
);
counter!(
    /// `scl_000001`
    ScaledId, "scl_"
);

/// The index in [`EngineConfig::markets`](crate::exchange::engine::state::EngineConfig).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, From, Into,
)]
pub struct MarketIx(pub(crate) usize);

/// The index in [`EngineConfig::accounts`](crate::exchange::engine::state::EngineConfig).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, From, Into,
)]
pub struct AccountIx(pub(crate) usize);
