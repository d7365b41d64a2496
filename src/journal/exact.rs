//! How values are read from the journal.
//!
//! Contract: what is read is exactly what was recorded. Ids and instants from the wire are cut or converted when they are
//! read there; here they are not.

use crate::model::Timestamp;
use serde::{Deserialize, Deserializer};

/// For `deserialize_with`: milliseconds, whatever their magnitude.
pub(super) fn millis<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    i64::deserialize(from).map(Timestamp)
}

/// For `deserialize_with`: an id or text of any length.
pub(super) fn text<'de, D: Deserializer<'de>, T: From<String>>(from: D) -> Result<T, D::Error> {
    String::deserialize(from).map(T::from)
}

/// The same of what may be absent.
pub(super) fn text_if_any<'de, D: Deserializer<'de>, T: From<String>>(
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
