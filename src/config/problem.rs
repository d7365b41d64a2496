//! Errors in the settings, for the person who wrote them.

use super::SettingOrigin;
use std::{
    fmt,
    io::{self},
};

/// One wrong or unknown setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its origin; `None` if the setting is missing.
    pub origin: Option<SettingOrigin>,
    /// The setting's name, dots between tables; empty if the whole file is wrong.
    pub key: String,
    /// What is wrong and what is allowed. Never contains a key.
    pub what: String,
}

/// All errors of the settings, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError(pub Vec<Problem>);

impl Problem {
    pub(super) fn new(origin: Option<SettingOrigin>, key: &str, what: &str) -> Self {
        Self {
            origin,
            key: key.to_owned(),
            what: redacted(what),
        }
    }
}

impl From<Problem> for SettingsError {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Some(origin @ (SettingOrigin::Variable(_) | SettingOrigin::Flag(_))) => {
                write!(f, "{origin}")?;
            }
            Some(origin) if self.key.is_empty() => write!(f, "{origin}")?,
            Some(origin) => write!(f, "{origin}: {}", self.key)?,
            None => f.write_str(&self.key)?,
        }
        write!(f, ": {}", self.what)
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsError {}

/// A second guard against printing a key: API keys have a prefix that ends in `live_` (`docs/service-api.md 1`), so any
/// such word is hidden.
fn redacted(text: &str) -> String {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("live_") {
        let (before, key) = rest.split_at(at);
        out.push_str(before.trim_end_matches(in_word));
        out.push('…');
        rest = key.trim_start_matches(in_word);
    }
    out + rest
}

/// The message for an unreadable file; one about ownership or mode explains itself.
pub(super) fn unreadable(why: &io::Error) -> String {
    let is_ours_to_say =
        why.kind() == io::ErrorKind::PermissionDenied && why.raw_os_error().is_none();
    if is_ours_to_say {
        return why.to_string();
    }
    format!("cannot be read: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_the_wrong_place_is_not_repeated() {
        assert_eq!(
            redacted(r#"string "pp_live_0a-9Z" is not a url, nor is xlive_y; see live."#),
            r#"string "…" is not a url, nor is …; see live."#
        );
    }
}
