//! The JSON Schema of model values, for `perpdeck schema`, which prints the schema of each row.
//!
//! Contract: the schema describes what is written. A decimal is a number with every digit, an instant the milliseconds
//! since 1970 in UTC, a word of an open vocabulary any text with the known words listed.

use super::{Lenient, Num, Text, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::{borrow::Cow, fmt::Display};
use strum::VariantArray;

/// The format of an instant.
pub const INSTANT: &str = "unix-time-ms";

macro_rules! inline_schema {
    ($value:ty, $name:literal, $schema:tt) => {
        impl JsonSchema for $value {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

inline_schema!(Num, "Decimal", { "type": "number" });
inline_schema!(Timestamp, "Instant", { "type": "integer", "format": INSTANT });
inline_schema!(Text, "Text", { "type": "string" });

impl<T: VariantArray + Display> JsonSchema for Lenient<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Word".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<_> = T::VARIANTS.iter().map(ToString::to_string).collect();
        json_schema!({ "type": "string", "examples": words })
    }
}
