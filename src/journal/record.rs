//! The lines of the journal, and how their values are written.
//!
//! Contract: what is read is exactly what was recorded. Ids and instants from the wire are cut or converted when they are
//! read there; here they are not.

use super::{AttemptRow, IntentId, IntentRow, IntentState, Outcome, WriterId};
use crate::model::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Record {
    /// The first record, also after the file was written anew: what is known from before it is void.
    Begin {
        /// For the fingerprints of API keys.
        salt: String,
        /// The lowest number that no intent has had.
        next: i64,
    },
    /// A new intent, or all that is known of an older one.
    Intent(Box<IntentRow>),
    /// It is about to be sent by this writer, or proof has come that no byte of it was.
    Mark {
        id: IntentId,
        state: IntentState,
        by: WriterId,
    },
    /// Its writer is dead: it is this one's from now on.
    TakeOver {
        id: IntentId,
        by: WriterId,
    },
    Attempt {
        id: IntentId,
        attempt: AttemptRow,
    },
    /// What is known of it now.
    State {
        id: IntentId,
        state: IntentState,
        outcome: Outcome,
    },
    /// This flatten was proved.
    AbandonParts {
        deed: IntentId,
        #[serde(deserialize_with = "millis")]
        at: Timestamp,
    },
    /// Damage was found, or a person has seen it.
    Damage(Option<String>),
}

/// For `deserialize_with`: milliseconds, whatever their magnitude.
pub(super) fn millis<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    i64::deserialize(from).map(Timestamp)
}

/// For `deserialize_with`: an id or text of any length.
pub(super) fn exact<'de, D: Deserializer<'de>, T: From<String>>(from: D) -> Result<T, D::Error> {
    String::deserialize(from).map(T::from)
}

/// The same of what may be absent.
pub(super) fn exact_if_any<'de, D: Deserializer<'de>, T: From<String>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(T::from))
}

/// A body is JSON, and is written as the text that it is.
pub(super) mod body {
    use serde::{Deserialize as _, Deserializer, Serializer, ser::Error as _};

    pub(in crate::journal) fn serialize<S: Serializer>(
        body: &[u8],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(std::str::from_utf8(body).map_err(S::Error::custom)?)
    }

    pub(in crate::journal) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<u8>, D::Error> {
        String::deserialize(from).map(String::into_bytes)
    }
}
