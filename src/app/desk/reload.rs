//! Settings that change while the desk runs.
//!
//! Contract: a valid reading takes effect as a whole with its message; an invalid one changes nothing, so an unreadable
//! file never relaxes a limit. Either way the trader sees what changed, and `:config` repeats it. Keys,
//! theme, size presets and limits change; everything else stays as at the start.

use crate::{
    app::{account::options::Options, keys::keymap::Keymap},
    config::Change,
    model::Timestamp,
};
use std::path::PathBuf;

/// The result of reading the files.
#[derive(Debug, Clone, PartialEq)]
pub enum Reload {
    Good(Box<Renewal>),
    /// What is wrong, where, and what is allowed, one line each.
    Bad(Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Renewal {
    /// Of the account that the desk was started with. Only its limits and size presets are applied.
    pub options: Options,
    /// Of the other profiles, by name.
    pub others: Vec<(String, Options)>,
    pub keymap: Keymap,
    /// Since the last valid reading.
    pub changes: Vec<Change>,
    /// Settings that differ from the start and need a restart.
    pub waiting: Vec<String>,
    pub files: Vec<PathBuf>,
}

impl Reload {
    /// The settings of another account, by its profile's name; an account without a name has the first one's. `None` if
    /// the profile no longer exists: its settings stay.
    pub(crate) fn for_account(&self, name: Option<&str>) -> Option<Self> {
        let (Self::Good(reload), Some(name)) = (self, name) else {
            return Some(self.clone());
        };
        let mut others = reload.others.iter();
        let (_, options) = others.find(|(of, _)| of == name)?;
        Some(Self::Good(Box::new(Renewal {
            options: options.clone(),
            ..*reload.clone()
        })))
    }
}

/// The state of the settings files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReloadStatus {
    /// Why the files' contents are not in force; empty if they are.
    pub faults: Vec<String>,
    /// When they were last read, valid or not; `None` before any change.
    pub read_at: Option<Timestamp>,
    /// What the last valid reading changed.
    pub changes: Vec<String>,
    /// Settings that need a restart.
    pub waiting: Vec<String>,
    pub files: Vec<PathBuf>,
}
