//! Open vocabularies: a word that the service added later is shown, not refused.

use crate::model::Text;
use derive_more::{Display, From};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::{borrow::Cow, str::FromStr};

/// Reads an optional value, also from its text in quotes; one of another shape is unknown, so that it does not cost the
/// row.
pub(in crate::model) fn or_none<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Option::<Box<RawValue>>::deserialize(from)?;
    let read = |raw: &str| serde_json::from_str(raw).ok();
    Ok(raw.and_then(|raw| read(raw.get()).or_else(|| read(raw.get().trim_matches('"')))))
}

/// A known word, or the service's own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Display, From)]
#[serde(untagged)]
pub enum Lenient<T> {
    #[from]
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

impl<'de, T: FromStr> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(deserializer)?;
        Ok(word
            .parse()
            .map_or_else(|_| Self::Other(Text::name(&word)), Self::Known))
    }
}
