//! The origin of a setting.

use std::{fmt, path::PathBuf};

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    Default,
    File(PathBuf),
    Variable(String),
    Flag(&'static str),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}
