//! Parsing and printing of single values.

use super::{Secret, paths};
use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, Serializer};
use std::path::PathBuf;

/// `250ms`, `1.5s`, `2m`.
pub(super) mod duration {
    use super::SignedDuration;
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};
    use std::time::Duration;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parsed = text.trim().parse::<SignedDuration>().ok();
        parsed
            .and_then(|duration| Duration::try_from(duration).ok())
            .ok_or_else(|| {
                D::Error::custom(format_args!(
                    "{text:?} is not a duration: write a number and its unit, as in \"250ms\", \"1.5s\" or \"2m\""
                ))
            })
    }

    pub(crate) fn serialize<S: Serializer>(
        value: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&super::shown(*value))
    }
}

/// A decimal as text, `"0.5"`, to stay exact; whole numbers may be unquoted.
pub(super) mod decimal {
    use crate::model::Num;
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Whole(i64),
        Text(String),
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Num>, D::Error> {
        let number = match Option::<Written>::deserialize(deserializer)? {
            None => return Ok(None),
            Some(Written::Whole(number)) => Ok(Num::from(number)),
            Some(Written::Text(text)) if text.trim().is_empty() => return Ok(None),
            Some(Written::Text(text)) => text.trim().parse::<Num>().map_err(|_| text),
        };
        let positive = number.and_then(|number| {
            let fits = !number.is_negative();
            fits.then_some(number).ok_or_else(|| number.to_string())
        });
        positive.map(Some).map_err(|text| {
            D::Error::custom(format_args!(
                "{text:?} is not a limit: write a number, as in \"0.5\", or \"\" for none"
            ))
        })
    }

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Num>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(number) => serializer.collect_str(number),
            None => serializer.serialize_str(""),
        }
    }
}

/// As written in a file.
pub(super) fn shown(value: std::time::Duration) -> String {
    SignedDuration::try_from(value)
        .map_or_else(|_| format!("{value:?}"), |duration| format!("{duration:#}"))
}

/// A path; `~/` is the home directory.
pub(super) fn path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(paths::at_home))
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
pub(super) fn hidden<S: Serializer>(
    secret: &Option<Secret>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secret {
        Some(_) => serializer.serialize_str("(set, not shown)"),
        None => serializer.serialize_none(),
    }
}
