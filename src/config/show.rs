//! Prints the settings in force, without keys.

use super::{
    Loaded, SettingOrigin,
    layers::{DEFAULTS, variable},
    rows::rows,
};
use std::fmt;

/// A settings file to start from: the reference with every setting commented out, so that it fixes no default.
pub fn template() -> String {
    let body = DEFAULTS
        .split_once("\n\n\n")
        .map_or(DEFAULTS, |(_, body)| body);
    let mut text = "# Settings of perpdeck. Take the # off a line to change it.\n\n\n".to_owned();
    for line in body.lines() {
        let sets = line.starts_with(|c: char| c.is_ascii_lowercase());
        text += if sets { "# " } else { "" };
        text += line;
        text.push('\n');
    }
    text
}

/// TOML with dotted names, each with its origin.
impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in rows(&self.settings) {
            if value.is_null() {
                writeln!(f, "# {key} is not set ({})", variable(&key))?;
                continue;
            }
            let line = format!("{key} = {value}");
            let origin = self.origin(&key).unwrap_or(SettingOrigin::Default);
            let own = match &self.settings.name {
                Some(name) if self.layers.is_own(&key) => format!(", profile {name}"),
                Some(_) | None => String::new(),
            };
            writeln!(f, "{line:<56} # {origin}{own}")?;
        }
        for other in &self.others {
            other.own_rows(f)?;
        }
        Ok(())
    }
}

impl Loaded {
    /// The settings that a profile sets itself.
    fn own_rows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in rows(&self.settings) {
            if self.layers.is_own(&key) {
                let line = format!("{} = {value}", self.layers.spelled(&key));
                let origin = self.origin(&key).unwrap_or(SettingOrigin::Default);
                writeln!(f, "{line:<56} # {origin}")?;
            }
        }
        Ok(())
    }
}
