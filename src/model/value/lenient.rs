//! Open vocabularies: a word that the service added later is shown, not refused.

use crate::model::Text;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{borrow::Cow, fmt, str::FromStr};

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
