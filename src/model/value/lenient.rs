//! Open vocabularies: a word that the service added later is shown, not refused.

use crate::model::Text;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, str::FromStr};

/// Reads an optional value; one of another shape is unknown, so that it does not cost the row.
pub(in crate::model) fn or_none<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Option::<Box<RawValue>>::deserialize(from)?;
    Ok(raw.and_then(|raw| serde_json::from_str(raw.get()).ok()))
}

/// A known word, or the service's own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Lenient<T> {
    Known(T),
    Other(Text),
}

impl<T: Copy> Lenient<T> {
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(word) => Some(*word),
            Self::Other(_) => None,
        }
    }
}

impl<T: PartialEq> Lenient<T> {
    pub fn is(&self, word: &T) -> bool {
        matches!(self, Self::Known(known) if known == word)
    }
}

impl<T> From<T> for Lenient<T> {
    fn from(word: T) -> Self {
        Self::Known(word)
    }
}

impl<T: fmt::Display> fmt::Display for Lenient<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(word) => word.fmt(f),
            Self::Other(text) => text.fmt(f),
        }
    }
}

impl<'de, T: FromStr> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(deserializer)?;
        Ok(word
            .parse()
            .map_or_else(|_| Self::Other(Text::name(&word)), Self::Known))
    }
}

impl<T: Serialize> Serialize for Lenient<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(word) => word.serialize(serializer),
            Self::Other(text) => text.serialize(serializer),
        }
    }
}
