//! The state directory.

use crate::config;
use std::path::PathBuf;

/// The directory of the journal and the log.
pub(super) fn state_dir(settings: &config::Settings) -> PathBuf {
    settings.state_dir.clone().unwrap_or_else(config::state_dir)
}
