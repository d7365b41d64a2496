//! Settings that change while the desk runs.
//!
//! Contract: a good reading is in force as a whole from the message that brings it, a bad one changes nothing: no limit
//! is ever loosened by a file that cannot be read. Either way the trader is told what, and `:config` tells it again.
//! Whom the desk trades with, and how it is spoken to, stays as it was at the start.

use super::options::Options;
use crate::{app::keys::keymap::Keymap, config::Change, model::Timestamp};
use std::path::PathBuf;

/// What the files say now.
#[derive(Debug, Clone, PartialEq)]
pub enum Reread {
    Good(Box<Renewal>),
    /// What is wrong, where, and what may stand there, one line each.
    Bad(Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Renewal {
    /// Of the account the desk was started with.
    pub options: Options,
    /// Of the other profiles, by name.
    pub others: Vec<(String, Options)>,
    pub keymap: Keymap,
    /// Since the last good reading.
    pub changes: Vec<Change>,
    /// What reads otherwise than at the start and takes effect at the next one only.
    pub waiting: Vec<String>,
    pub files: Vec<PathBuf>,
}

impl Reread {
    /// As it concerns an account beside the first, by the name of its profile; one without a name has the first's
    /// settings. `None` where the files do not know the profile any more: its settings stay.
    pub(crate) fn for_account(&self, name: Option<&str>) -> Option<Self> {
        let (Self::Good(renewal), Some(name)) = (self, name) else {
            return Some(self.clone());
        };
        let mut others = renewal.others.iter();
        let (_, options) = others.find(|(of, _)| of == name)?;
        Some(Self::Good(Box::new(Renewal {
            options: options.clone(),
            ..*renewal.clone()
        })))
    }
}

/// What is known of the settings besides what they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Why what the files say now is not in force; empty when it is.
    pub faults: Vec<String>,
    /// When they were last read, good or bad; `None` before anything changed.
    pub read_at: Option<Timestamp>,
    /// What the last good reading changed.
    pub changes: Vec<String>,
    /// What takes effect at the next start.
    pub waiting: Vec<String>,
    pub files: Vec<PathBuf>,
}
