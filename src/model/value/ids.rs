//! Ids. Each has its own type, so an order's id cannot be sent in place of a position's.

use crate::model::Text;
use derive_more::{Display, From};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::borrow::Cow;

/// The longest id. A truncated id would identify something else.
const LONGEST: usize = 128;

/// Reads an id; a too long one is refused, together with its row.
fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    let id = Cow::<str>::deserialize(from)?;
    let length = id.chars().count();
    if length > LONGEST {
        let why = format!("an id of {length} characters, the limit is {LONGEST}");
        return Err(D::Error::custom(why));
    }
    Ok(id.as_ref().into())
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema, Display, From,
        )]
        #[from(&str, String)]
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $name(#[serde(deserialize_with = "read")] Text);

        impl $name {
            /// The exact characters, for the wire; never for showing.
            pub fn raw(&self) -> &str {
                self.0.raw()
            }
        }

    )+};
}

ids! {
    /// The account.
    AccountId
    /// A market: `<provider>|<coin>`.
    MarketId
    OrderId
    PositionId
    /// A TWAP or VWAP order.
    TwapId
    /// A scaled order.
    ScaledId
    /// A close-all-positions operation.
    OperationId
    /// 1 to 128 printable characters; perpdeck creates a UUID per action and reuses it on every retry.
    IdempotencyKey
    /// The caller's own name of an order, 1 to 128 characters, unique per user.
    ClientOrderId
}

impl ClientOrderId {
    /// One name for both: an order is found by its key when its answer was lost. `None` for a request that is only shown and
    /// has no key yet.
    pub fn of(key: &IdempotencyKey) -> Option<Self> {
        (!key.raw().is_empty()).then(|| key.raw().into())
    }
}

impl MarketId {
    /// The part before the pipe; the whole id without one.
    pub fn provider(&self) -> &str {
        self.raw()
            .split_once('|')
            .map_or(self.raw(), |(provider, _)| provider)
    }

    /// The part after the pipe, which is the venue's name for it; the whole id without one. What a person sees is
    /// [`MarketNames::shown`](crate::model::MarketNames::shown).
    pub fn coin(&self) -> Text {
        self.raw()
            .split_once('|')
            .map_or(self.raw(), |(_, coin)| coin)
            .into()
    }
}

/// A command in flight, numbered by this desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Display)]
#[display("#{_0}")]
pub struct Ticket(pub u64);

#[cfg(test)]
mod tests {
    use crate::model::value::ids::*;

    #[test]
    fn an_id_that_is_too_long_is_refused_and_never_cut() {
        let read = |length: usize| serde_json::from_value::<PositionId>("x".repeat(length).into());
        assert_eq!(read(128).unwrap().raw().len(), 128);
        let why = read(65_533).unwrap_err().to_string();
        assert!(why.contains("65533 characters"), "{why}");
    }
}
