//! Settings as flags: the same names as in a file, with dashes.

use crate::config::{ColorChoice, LogLevel, Motion, SettingFlag, Sources, Theme};
use clap::{Args, ValueHint, builder::PossibleValuesParser};
use std::{ffi::OsString, path::PathBuf};
use strum::VariantNames;

/// There is no `--api-key`: everybody on the machine can read a program's flags.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(super) struct SettingsFlags {
    /// A settings file that overrides the user's own
    #[arg(long, global = true, value_name = "FILE", env = "PERPDECK_CONFIG", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// The profile in the settings whose account is used
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    /// The address of the service: scheme, host and port
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    base_url: Option<String>,
    /// The account to show and trade
    #[arg(long, global = true, value_name = "ID")]
    account_id: Option<String>,
    /// A file with the key, readable by you alone (mode 600)
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    api_key_file: Option<String>,
    /// How long the close-all strip waits before it sends: 1.5s, 0s
    #[arg(long, global = true, value_name = "TIME")]
    close_all_delay: Option<String>,
    /// Whether close-all waits for y
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    close_all_confirm: Option<String>,
    /// Refuses every command; reads go on
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    read_only: Option<String>,
    /// Prints the requests instead of sending them
    #[arg(long, short = 'n', global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    dry_run: Option<String>,
    /// The colors
    #[arg(long, global = true, value_parser = words::<Theme>())]
    theme: Option<String>,
    /// A file with your own colors
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    theme_file: Option<String>,
    /// How many colors to use
    #[arg(long, global = true, value_name = "WHEN", value_parser = words::<ColorChoice>())]
    color: Option<String>,
    /// How much moves on the screen
    #[arg(long, global = true, value_parser = words::<Motion>())]
    motion: Option<String>,
    /// Does not use the mouse
    #[arg(long, global = true)]
    no_mouse: bool,
    /// Does not show the tour at the first start
    #[arg(long, global = true)]
    no_tour: bool,
    /// A file with your own keys
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    keys_file: Option<String>,
    /// The directory of the journal and the log
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    state_dir: Option<String>,
    /// How much is logged
    #[arg(long, global = true, value_name = "LEVEL", value_parser = words::<LogLevel>())]
    log_level: Option<String>,
}

fn words<T: VariantNames>() -> PossibleValuesParser {
    PossibleValuesParser::new(T::VARIANTS)
}

impl SettingsFlags {
    /// The sources of settings, given the process's environment and the user's own file.
    pub(super) fn sources(
        &self,
        environment: impl Iterator<Item = (OsString, OsString)>,
        user_file: Option<PathBuf>,
    ) -> Sources {
        let text = |os: OsString| os.to_string_lossy().into_owned();
        Sources {
            user_file,
            named_file: self.config.clone(),
            environment: environment
                .map(|(name, value)| (text(name), text(value).into()))
                .collect(),
            flags: self.given(),
        }
    }

    fn given(&self) -> Vec<SettingFlag> {
        let off = |is_given: bool| is_given.then(|| "false".to_owned());
        let (no_mouse, no_tour) = (off(self.no_mouse), off(self.no_tour));
        [
            ("profile", "--profile", &self.profile),
            ("mouse", "--no-mouse", &no_mouse),
            ("tour", "--no-tour", &no_tour),
            ("base_url", "--base-url", &self.base_url),
            ("account_id", "--account-id", &self.account_id),
            ("api_key_file", "--api-key-file", &self.api_key_file),
            (
                "close_all_delay",
                "--close-all-delay",
                &self.close_all_delay,
            ),
            (
                "close_all_confirm",
                "--close-all-confirm",
                &self.close_all_confirm,
            ),
            ("read_only", "--read-only", &self.read_only),
            ("dry_run", "--dry-run", &self.dry_run),
            ("theme", "--theme", &self.theme),
            ("theme_file", "--theme-file", &self.theme_file),
            ("color", "--color", &self.color),
            ("motion", "--motion", &self.motion),
            ("keys_file", "--keys-file", &self.keys_file),
            ("state_dir", "--state-dir", &self.state_dir),
            ("log_level", "--log-level", &self.log_level),
        ]
        .into_iter()
        .filter_map(|(key, name, value)| {
            Some(SettingFlag {
                key,
                name,
                value: value.clone()?,
            })
        })
        .collect()
    }
}
