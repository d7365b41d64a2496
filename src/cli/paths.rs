//! Where the journal and the log go.

use crate::config;
use std::path::PathBuf;

/// Where the journal and the log go.
pub(super) fn state_dir(settings: &config::Settings) -> PathBuf {
    settings.state_dir.clone().unwrap_or_else(config::state_dir)
}
