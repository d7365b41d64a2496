//! The words of orders that stand for themselves: sides, states, times in force.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

/// A closed vocabulary of the wire: snake-case words, the same in JSON, on the command line and on the screen.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Display,
            EnumString, VariantArray,
        )]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }
    )+};
}
pub(in crate::model) use words;

words! {
    Side { Buy, Sell }
    MarginMode { Cross, Isolated }
    TimeInForce { Gtc, Ioc, Fok, Gtd }
    TriggerDirection { Above, Below }
    LiquidityRole { Maker, Taker }
    OrderStatus { Pending, Filled, Rejected, Expired, Resting, Canceled }
}

/// The spoken form of an order type: `stop mkt` for `stop_market`, `take profit` for `take_profit`.
pub fn spoken(kind: &impl ToString) -> String {
    let kind = kind.to_string();
    kind.replace("_market", " mkt").replace('_', " ")
}

impl Side {
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// +1 for buy, -1 for sell.
    #[must_use]
    pub fn sign(self) -> i64 {
        match self {
            Self::Buy => 1,
            Self::Sell => -1,
        }
    }
}

impl OrderStatus {
    /// Pending and resting orders can still act; every other status is final.
    pub fn is_working(self) -> bool {
        matches!(self, Self::Pending | Self::Resting)
    }
}
