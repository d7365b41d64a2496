//! Identifiers: counters from 1, rendered `ord_000001`; and indexes of markets and accounts in the configuration.

use serde::{Deserialize, Serialize};

use std::fmt;

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{:06}"), self.0)
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MarketIx(pub(crate) usize);

/// The index in [`EngineConfig::accounts`](crate::exchange::engine::state::EngineConfig).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AccountIx(pub(crate) usize);

impl From<usize> for MarketIx {
    fn from(index: usize) -> Self {
        Self(index)
    }
}

impl From<MarketIx> for usize {
    fn from(ix: MarketIx) -> Self {
        ix.0
    }
}

impl From<usize> for AccountIx {
    fn from(index: usize) -> Self {
        Self(index)
    }
}

impl From<AccountIx> for usize {
    fn from(ix: AccountIx) -> Self {
        ix.0
    }
}
