//! Whole numbers in requests. A number is whole by its value: `5.0` is 5, as in JSON Schema.

use crate::model::Num;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Number;
use std::fmt::Display;

/// For `deserialize_with`; also reads TOML.
pub(crate) fn integral<'de, D: Deserializer<'de>, T: TryFrom<i128, Error: Display>>(
    deserializer: D,
) -> Result<T, D::Error> {
    whole(&Number::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// As [`integral`], for fields that may be null.
pub(crate) fn optional<'de, D: Deserializer<'de>, T: TryFrom<i128, Error: Display>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let given = Option::<Number>::deserialize(deserializer)?;
    let read = given.as_ref().map(whole).transpose();
    read.map_err(D::Error::custom)
}

fn whole<T: TryFrom<i128, Error: Display>>(given: &Number) -> Result<T, String> {
    let number = given.to_string().parse::<Num>().ok();
    let count = number
        .and_then(|number| number.to_scaled(0))
        .ok_or_else(|| format!("must be a whole number, not {given}"))?;
    T::try_from(count).map_err(|why| format!("{given}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<u32> {
        integral(&mut serde_json::Deserializer::from_str(json)).ok()
    }

    #[test]
    fn five_point_zero_is_five_and_five_and_a_half_is_not() {
        for (json, number) in [
            ("5", Some(5)),
            ("5.0", Some(5)),
            ("5e3", Some(5000)),
            ("5.5", None),
            ("-1", None),
            ("4294967296", None),
            ("1e300", None),
            ("\"5\"", None),
            ("null", None),
        ] {
            assert_eq!(read(json), number, "{json}");
        }
    }
}
