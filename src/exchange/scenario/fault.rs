//! Why a scenario cannot be used.

use std::{ops::RangeInclusive, path::PathBuf};

/// Why a scenario cannot be used. Names the file or the entry, its value and the allowed range.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioFault {
    #[error("the scenario file {path} could not be read")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the scenario is not valid")]
    Text(#[from] Box<toml::de::Error>),
    #[error("a fault of the scenario could never happen: {0}")]
    Fault(String),
    #[error("the scenario's {entry} `{value}`: must be {least} to {most}")]
    Range {
        entry: &'static str,
        value: String,
        least: String,
        most: String,
    },
    #[error("the scenario's {entry} `{value}`: {wanted}")]
    Entry {
        entry: &'static str,
        value: String,
        wanted: &'static str,
    },
}

/// What is made of a scenario, or why it cannot be.
pub(super) type ScenarioResult<T> = Result<T, ScenarioFault>;

impl ScenarioFault {
    pub(super) fn entry(
        entry: &'static str,
        value: &(impl ToString + ?Sized),
        wanted: &'static str,
    ) -> Self {
        Self::Entry {
            entry,
            value: value.to_string(),
            wanted,
        }
    }
}

/// A number of a scenario, if it is within its range.
pub(super) fn within<N: PartialOrd + ToString>(
    entry: &'static str,
    given: N,
    allowed: RangeInclusive<N>,
) -> ScenarioResult<N> {
    if allowed.contains(&given) {
        return Ok(given);
    }
    Err(ScenarioFault::Range {
        entry,
        value: given.to_string(),
        least: allowed.start().to_string(),
        most: allowed.end().to_string(),
    })
}
