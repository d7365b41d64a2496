//! The only deserializer for JSON bodies and scenario files.
//!
//! serde's derived structs also accept a sequence, by position: `["market", "chal-1", …]` was an order. Here a struct
//! is read only from an object (a table, in TOML), at every depth ([`SentJson`]).

mod faults;

#[cfg(test)]
pub(super) use faults::field_names;
pub(super) use faults::{FieldFault, WHOLE_BODY};

use serde::{
    Deserialize,
    de::{
        DeserializeOwned, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess,
        Visitor,
        value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Error, de::StrRead, value::RawValue};
use serde_path_to_error::{Path, Segment};
use std::fmt;

/// All of `text` as one `T`, or everything that is wrong with it.
pub(super) fn json<T: DeserializeOwned>(text: &[u8]) -> Result<T, Vec<FieldFault>> {
    whole(text).map_err(|why| {
        let found = faults::faults::<T>(text);
        if found.is_empty() {
            vec![FieldFault::body(&why)]
        } else {
            found
        }
    })
}

fn whole<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    T::deserialize(SentJson::new(serde_json::from_slice(text)?))
}

/// A scenario file. It is read as JSON too: only that reading refuses a sequence for a struct.
pub(super) fn toml<T: DeserializeOwned>(text: &str) -> Result<T, toml::de::Error> {
    let read = toml::from_str(text)?;
    let table: toml::Table = toml::from_str(text)?;
    let json = serde_json::to_vec(&table);
    let checked = json.and_then(|json| whole::<T>(&json));
    checked.map_err(toml::de::Error::custom)?;
    Ok(read)
}

/// The path to the last field with a known name; a text that ends early has none.
fn known(path: &Path) -> Option<String> {
    let is_known = |segment: &&Segment| !matches!(segment, Segment::Unknown);
    let written = |mut text: String, segment: &Segment| {
        if !text.is_empty() && !matches!(segment, Segment::Seq { .. }) {
            text.push('.');
        }
        text + &segment.to_string()
    };
    let text = path
        .iter()
        .take_while(is_known)
        .fold(String::new(), written);
    (!text.is_empty()).then_some(text)
}

/// The field that a body lacks, has twice or should not have. It is in no path, only in the message.
fn named(message: &str) -> Option<String> {
    let about = message
        .strip_prefix("missing")
        .or_else(|| message.strip_prefix("duplicate"))
        .or_else(|| message.strip_prefix("unknown"))?;
    let field = about.strip_prefix(" field `")?;
    Some(field.split('`').next()?.to_owned())
}

/// A value as it was sent. A struct is read from an object alone.
#[derive(Debug, Clone, Copy)]
struct SentJson<'de> {
    raw: &'de RawValue,
    /// The objects and arrays around it.
    depth: u8,
}

/// As `serde_json`'s own: what reads a value of any shape calls itself at every depth.
const DEEPEST: u8 = 127;

const NO_OBJECT: &str = "must be an object, not an array";

fn text_reader(text: &str) -> serde_json::Deserializer<StrRead<'_>> {
    serde_json::Deserializer::from_str(text)
}

impl<'de> SentJson<'de> {
    fn new(raw: &'de RawValue) -> Self {
        Self { raw, depth: 0 }
    }

    fn begins_with(self, sign: char) -> bool {
        self.raw.get().starts_with(sign)
    }

    fn inner(self, raw: &'de RawValue) -> Self {
        let depth = self.depth + 1;
        Self { raw, depth }
    }

    fn members(self) -> Result<impl Iterator<Item = (String, Self)>, Error> {
        let SentObject(members) = self.parsed()?;
        let members = members.into_iter();
        Ok(members.map(move |(name, raw)| (name, self.inner(raw))))
    }

    fn parsed<T: Deserialize<'de>>(self) -> Result<T, Error> {
        if self.depth >= DEEPEST {
            return Err(Error::custom("is nested too deeply"));
        }
        serde_json::from_str(self.raw.get())
    }
}

impl<'de> IntoDeserializer<'de, Error> for SentJson<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for SentJson<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.begins_with('{') {
            return MapDeserializer::new(self.members()?).deserialize_any(visitor);
        }
        if self.begins_with('[') {
            let items: Vec<&RawValue> = self.parsed()?;
            let items = items.into_iter().map(|raw| self.inner(raw));
            return SeqDeserializer::new(items).deserialize_any(visitor);
        }
        text_reader(self.raw.get()).deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.raw.get() {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        // serde_json has its own way for raw values.
        if name.starts_with("$serde_json") {
            text_reader(self.raw.get()).deserialize_newtype_struct(name, visitor)
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    /// Also of a variant with fields.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.begins_with('[') {
            return Err(Error::custom(NO_OBJECT));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.begins_with('{') {
            let members = MapAccessDeserializer::new(MapDeserializer::new(self.members()?));
            return members.deserialize_enum(name, variants, visitor);
        }
        text_reader(self.raw.get()).deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct identifier ignored_any
    }
}

/// The members of an object, repeated ones too.
struct SentObject<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for SentObject<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = SentObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _items: A) -> Result<Self::Value, A::Error> {
                Err(A::Error::custom(NO_OBJECT))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = vec![];
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(SentObject(members))
            }
        }

        from.deserialize_any(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        list: Option<Vec<Inner>>,
        choice: Option<Choice>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        count: u32,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Choice {
        Named { count: u32 },
        Held(Inner),
    }

    #[test]
    fn a_sequence_is_no_struct_at_any_depth() {
        for (text, field) in [
            ("[null, null]", "body"),
            (r#"{"list": [{"count": 1}, [2]]}"#, "list[1]"),
            (r#"{"choice": {"named": [1]}}"#, "choice.named"),
            (r#"{"choice": {"held": [1]}}"#, "choice.held"),
        ] {
            let found = json::<Outer>(text.as_bytes()).unwrap_err();
            let fields: Vec<&str> = found.iter().map(|fault| fault.field.as_str()).collect();
            assert_eq!(fields, [field], "{text}: {found:?}");
        }
        for text in [
            "list = [[1]]",
            "choice = { held = [1] }",
            "choice = { named = [1] }",
        ] {
            assert!(toml::<Outer>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_deep_value_is_refused() {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let of_depth = |depth| open.repeat(depth) + "1" + &close.repeat(depth);
            assert!(json::<serde_json::Value>(of_depth(100).as_bytes()).is_ok());
            let deep = of_depth(20_000);
            assert!(json::<serde_json::Value>(deep.as_bytes()).is_err());
            let unknown = format!(r#"{{"list": [{{"count": 1, "more": {deep}}}]}}"#);
            assert!(json::<Outer>(unknown.as_bytes()).is_err());
        }
    }

    #[test]
    fn objects_are_read_as_ever() {
        let held = Outer {
            list: Some(vec![Inner { count: 1 }]),
            choice: Some(Choice::Held(Inner { count: 2 })),
        };
        let text = r#"{"list": [{"count": 1}], "choice": {"held": {"count": 2}}}"#;
        assert_eq!(json::<Outer>(text.as_bytes()), Ok(held));
        let text = "list = [{ count = 1 }]\nchoice = { named = { count = 3 } }";
        let named = toml::<Outer>(text).unwrap();
        assert_eq!(named.choice, Some(Choice::Named { count: 3 }));
    }
}
