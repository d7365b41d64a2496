//! Every fault of a JSON body, for a body that does not decode.
//!
//! serde stops at the first one. Here each fault is set right after it is noted, and the body is read again: a field that
//! does not exist is left out, and one that is missing or wrong reads as a [`PlaceholderValue`].

use super::{SentJson, SentObject, known, named, text_reader};
use serde::{
    Deserialize, Serialize,
    de::{
        DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess,
        Visitor,
        value::{MapAccessDeserializer, MapDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Error, value::RawValue};
use std::slice;

/// What is wrong with one field, by its path: `operations[2].price`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldFault {
    pub(crate) field: String,
    pub(crate) issue: String,
}

/// The body as a whole, where no field can be named.
pub(crate) const WHOLE_BODY: &str = "body";

impl FieldFault {
    pub(crate) fn new(field: impl Into<String>, issue: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            issue: issue.into(),
        }
    }

    pub(super) fn body(why: &Error) -> Self {
        Self::new(WHOLE_BODY, format!("the body: {why}"))
    }
}

/// A member of the body as written; `None` reads as a placeholder.
type BodyField<'a> = (String, Option<&'a RawValue>);

/// One fault for each top-level field that is unknown, repeated, missing or wrong, the first of each.
pub(super) fn faults<T: DeserializeOwned>(text: &[u8]) -> Vec<FieldFault> {
    let SentObject(members) = match serde_json::from_slice(text) {
        Ok(written) => written,
        Err(why) => return vec![FieldFault::body(&why)],
    };
    let names = field_names::<T>();
    let mut found = vec![];
    let mut kept: Vec<BodyField<'_>> = vec![];
    for (name, raw) in members {
        if kept.iter().any(|(other, _)| *other == name) {
            found.push(FieldFault::new(&name, format!("{name} is given twice")));
        } else if names.contains(&name.as_str()) {
            kept.push((name, Some(raw)));
        } else {
            let issue = format!("unknown field `{name}`: {}", expected(names));
            found.push(FieldFault::new(&name, issue));
        }
    }
    // Each reading ends one fault of one field, so there are no more readings than fields.
    for _ in 0..=names.len() {
        let Some(fault) = next_fault::<T>(&mut kept) else {
            break;
        };
        found.push(fault);
    }
    found
}

fn expected(names: &[&str]) -> String {
    format!("the fields are {}", names.join(", "))
}

/// The first fault of these members, which a placeholder then hides.
fn next_fault<T: DeserializeOwned>(members: &mut Vec<BodyField<'_>>) -> Option<FieldFault> {
    let reading = BodyFields {
        rest: members.iter(),
        value: None,
    };
    let read = serde_path_to_error::deserialize(MapAccessDeserializer::new(reading));
    let why = read.map(|_: T| ()).err()?;
    let path = known(why.path());
    let why = why.into_inner().to_string();
    // The place in a text that is no longer the one sent.
    let why = why.split(" at line ").next().unwrap_or_default();
    let inner = named(why);
    let Some(path) = path else {
        let missing = inner.unwrap_or_else(|| WHOLE_BODY.to_owned());
        members.push((missing.clone(), None));
        return Some(FieldFault::new(&missing, format!("{missing} is required")));
    };
    let top = path.split(['.', '[']).next().unwrap_or_default();
    let wrong = members.iter_mut().find(|(name, _)| name == top)?;
    wrong.1.take()?;
    // The path of an unknown field has its name, that of a missing one has not.
    let field = match inner.filter(|inner| !path.ends_with(inner)) {
        Some(inner) => format!("{path}.{inner}"),
        None => path,
    };
    let issue = format!("{field}: {why}");
    Some(FieldFault { field, issue })
}

/// The fields that a struct reads.
pub(crate) fn field_names<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    drop(T::deserialize(FieldNames(&mut names)));
    names
}

/// Reads nothing and notes which fields were requested.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("only the names are wanted"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Reads the members one by one.
struct BodyFields<'a, 'de> {
    rest: slice::Iter<'a, BodyField<'de>>,
    /// Of the member whose name was read last.
    value: Option<&'de RawValue>,
}

impl<'de> MapAccess<'de> for BodyFields<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = *value;
        let name: StrDeserializer<'_, Error> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.value {
            Some(raw) => seed.deserialize(SentJson::new(raw)),
            None => seed.deserialize(PlaceholderValue),
        }
    }
}

/// Gives some valid value of whatever type is read.
#[derive(Debug, Clone, Copy)]
struct PlaceholderValue;

impl IntoDeserializer<'_, Error> for PlaceholderValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for PlaceholderValue {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        text_reader("1").deserialize_any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(false)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str("x")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str("x")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_none()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        text_reader("[]").deserialize_seq(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        // serde_json has its own way for raw values, which are numbers here.
        if name.starts_with("$serde_json") {
            text_reader("1").deserialize_newtype_struct(name, visitor)
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let fields = fields.iter().map(|field| (*field, self));
        visitor.visit_map(MapDeserializer::new(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let first = variants.first().copied().unwrap_or_default();
        let first: StrDeserializer<'_, Error> = first.into_deserializer();
        visitor.visit_enum(first)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit
        unit_struct tuple tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::ExitBatchBody, exchange::decode, model::PlaceOrder};

    fn found<T: DeserializeOwned>(text: &str) -> Vec<String> {
        let Err(found) = decode::json::<T>(text.as_bytes()) else {
            panic!("{text} decodes");
        };
        found.into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn every_unknown_missing_repeated_and_wrong_field_of_a_body_is_named_at_once() {
        let text =
            r#"{"nonsense":1,"side":"x","size":"y","size":1,"leverage":true,"account_id":"a"}"#;
        let mut found = found::<PlaceOrder>(text);
        found.sort();
        let expected = [
            "leverage",
            "margin_mode",
            "market_id",
            "nonsense",
            "side",
            "size",
            "size",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_field_of_a_part_is_named_by_its_path() {
        let body = |orders: &str, operations: &str| {
            format!(
                r#"{{"expected_position_size":1,"expected_orders":[{orders}],"operations":[{operations}]}}"#
            )
        };
        let cancel = r#"{"kind":"cancel","order_id":"o"}"#;
        for (text, field) in [
            (
                body(r#"{"order_id":"o","size":1}"#, cancel),
                "expected_orders[0].price",
            ),
            (
                body("", r#"{"kind":"cancel","order":"o"}"#),
                "operations[0].order",
            ),
            (
                body("", &format!(r#"{cancel},{{"kind":"move"}}"#)),
                "operations[1].kind",
            ),
            (
                body("", &format!(r#"{cancel},{{"kind":"modify","price":"1"}}"#)),
                "operations[1].price",
            ),
        ] {
            assert_eq!(found::<ExitBatchBody>(&text), [field], "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_a_fault_of_the_whole_body() {
        for text in ["", "[]", "{\"a\":", "1", "null", "{} {}"] {
            assert_eq!(found::<PlaceOrder>(text), [WHOLE_BODY], "{text}");
        }
    }

    #[test]
    fn a_placeholder_reads_as_every_field_of_every_body() {
        let names = field_names::<PlaceOrder>();
        assert!(names.len() > 20, "{names:?}");
        let all = MapDeserializer::new(names.iter().map(|name| (*name, PlaceholderValue)));
        let read: Result<PlaceOrder, Error> = PlaceOrder::deserialize(all);
        assert!(read.is_ok(), "{read:?}");
    }
}
