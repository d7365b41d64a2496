//! The only deserializer for JSON bodies and scenario files.
//!
//! serde's derived structs also accept a sequence, by position: `["market", "chal-1", …]` was an order. Here a struct
//! is read only from an object (a table, in TOML), at every depth. [`ObjectOnly`] wraps a deserializer and everything
//! it returns, and refuses a sequence wherever a struct is expected.

mod faults;

#[cfg(test)]
pub(super) use faults::field_names;
pub(super) use faults::{FieldFault, WHOLE_BODY};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
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

fn whole<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read = T::deserialize(ObjectOnly(&mut reader))?;
    reader.end()?;
    Ok(read)
}

/// A scenario file.
pub(super) fn toml<T: DeserializeOwned>(text: &str) -> Result<T, toml::de::Error> {
    T::deserialize(ObjectOnly(toml::Deserializer::parse(text)?))
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

/// Forwards everything, and wraps every deserializer it hands out.
struct ObjectOnly<T>(T);

/// [`ObjectOnly`] for the visitor of a struct: refuses a sequence.
struct ObjectOnlyVisitor<V>(V);

/// Methods of a deserializer that forward their arguments.
macro_rules! pass_on {
    ($($method:ident($($arg:ident: $type:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($arg: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($arg,)* ObjectOnly(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    pass_on! {
        deserialize_any();
        deserialize_option();
        deserialize_newtype_struct(name: &'static str);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
    }

    // Both formats say what they hold; only the kinds above are read otherwise when they are asked for.
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = ObjectOnlyVisitor(ObjectOnly(visitor));
        self.0.deserialize_struct(name, fields, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ObjectOnlyVisitor<ObjectOnly<V>> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _sequence: A) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("must be an object, not an array"))
    }
}

/// Methods of a visitor that forward a plain value.
macro_rules! visit_plain {
    ($($method:ident($type:ty);)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ObjectOnly<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visit_plain! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f64(f64);
        visit_char(char);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(ObjectOnly(inner))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(ObjectOnly(inner))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(ObjectOnly(sequence))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(ObjectOnly(map))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(ObjectOnly(choice))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ObjectOnly<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(ObjectOnly(inner))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ObjectOnly<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(ObjectOnly(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ObjectOnly<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(ObjectOnly(seed))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(ObjectOnly(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for ObjectOnly<A> {
    type Error = A::Error;
    type Variant = ObjectOnly<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.0.variant_seed(ObjectOnly(seed))?;
        Ok((value, ObjectOnly(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for ObjectOnly<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(ObjectOnly(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, ObjectOnly(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0
            .struct_variant(fields, ObjectOnlyVisitor(ObjectOnly(visitor)))
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
