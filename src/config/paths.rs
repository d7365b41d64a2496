//! Where files are: XDG directories on Linux and macOS.

use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use std::path::PathBuf;

fn strategy() -> Option<impl AppStrategy> {
    let args = AppStrategyArgs {
        top_level_domain: String::new(),
        author: String::new(),
        app_name: "perpdeck".to_owned(),
    };
    choose_app_strategy(args).ok()
}

/// `~/.config/perpdeck/config.toml`, whether or not it exists; `None` without a home directory.
pub fn user_file() -> Option<PathBuf> {
    Some(strategy()?.config_dir().join("config.toml"))
}

/// `~/.local/state/perpdeck`; without a home directory, `.perpdeck` in the working directory.
pub fn state_dir() -> PathBuf {
    strategy()
        .and_then(|dirs| dirs.state_dir())
        .unwrap_or_else(|| PathBuf::from(".perpdeck"))
}

/// Expands a leading `~/`: no shell has done so for a value in a file.
pub fn at_home(path: String) -> PathBuf {
    match (path.strip_prefix("~/"), etcetera::home_dir()) {
        (Some(rest), Ok(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
