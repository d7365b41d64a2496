//! The choice of a source of prices, books, candles or trades: a word, or a table of pointers.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// A source of market data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SourceChoice<T> {
    /// What the service itself has: a simulator says so in `GET /v1`.
    #[default]
    Auto,
    None,
    /// The simulator's, without asking.
    Paper,
    Custom(T),
}

impl<T: Clone> SourceChoice<T> {
    /// The choice beside a source of prices: what is left open is the paper exchange's where the prices are.
    pub(in crate::config) fn beside<P>(&self, prices: &SourceChoice<P>) -> Self {
        match (self, prices) {
            (Self::Auto, SourceChoice::Paper) => Self::Paper,
            (Self::Auto, SourceChoice::Auto | SourceChoice::None | SourceChoice::Custom(_))
            | (Self::None | Self::Paper | Self::Custom(_), _) => self.clone(),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SourceChoice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SourceVisitor(PhantomData))
    }
}

/// Written by hand instead of as an untagged enum, so that an unknown key in the table keeps its path.
struct SourceVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for SourceVisitor<T> {
    type Value = SourceChoice<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"auto\", \"none\", \"paper\" or a table")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
        match word {
            "auto" => Ok(SourceChoice::Auto),
            "none" => Ok(SourceChoice::None),
            "paper" => Ok(SourceChoice::Paper),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(SourceChoice::Custom)
    }
}

impl<T: Serialize> Serialize for SourceChoice<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::None => serializer.serialize_str("none"),
            Self::Paper => serializer.serialize_str("paper"),
            Self::Custom(source) => source.serialize(serializer),
        }
    }
}
