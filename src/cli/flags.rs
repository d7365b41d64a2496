//! Settings as flags: the same names as in a file, with dashes.

use crate::config::{ColorChoice, LogLevel, Motion, SettingFlag, Sources, Theme};
use clap::{Args, ValueHint, builder::PossibleValuesParser};
use std::{ffi::OsString, path::PathBuf};
use strum::VariantNames;

/// There is no `--api-key`: everybody on the machine can read a program's flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Settings")]
pub(super) struct SettingsFlags {
    /// A settings file, over the user's own
    #[arg(long, global = true, value_name = "FILE", env = "PERPDECK_CONFIG", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// The account to begin with, by the name of its profile in the settings
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    /// The service: scheme, host and port
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    base_url: Option<String>,
    /// The account to show and trade
    #[arg(long, global = true, value_name = "ID")]
    account_id: Option<String>,
    /// A file of yours alone (mode 600) with the key
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    api_key_file: Option<String>,
    /// Where prices come from: auto, none or paper
    #[arg(long, global = true, value_name = "SOURCE", value_parser = ["auto", "none", "paper"])]
    price_source: Option<String>,
    /// Where the candles of the chart come from: auto, none or paper
    #[arg(long, global = true, value_name = "SOURCE", value_parser = ["auto", "none", "paper"])]
    candle_source: Option<String>,
    /// Where the order book comes from: auto, none or paper
    #[arg(long, global = true, value_name = "SOURCE", value_parser = ["auto", "none", "paper"])]
    book_source: Option<String>,
    /// Where the recent trades come from: auto, none or paper
    #[arg(long, global = true, value_name = "SOURCE", value_parser = ["auto", "none", "paper"])]
    trade_source: Option<String>,
    /// Where account figures come from: auto, none or paper
    #[arg(long, global = true, value_name = "SOURCE", value_parser = ["auto", "none", "paper"])]
    facts_source: Option<String>,
    /// How long the close-all strip waits: 1.5s, 0s
    #[arg(long, global = true, value_name = "TIME")]
    close_all_delay: Option<String>,
    /// Whether close-all waits for y
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    close_all_confirm: Option<String>,
    /// Sends nothing: only reads leave
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    read_only: Option<String>,
    /// Says what would be sent, and sends and journals nothing
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    dry_run: Option<String>,
    /// The colours: for which background, or for whom
    #[arg(long, global = true, value_parser = words::<Theme>())]
    theme: Option<String>,
    /// Your own colours, instead of a theme
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    theme_file: Option<String>,
    /// How many colours, or none
    #[arg(long, global = true, value_name = "WHEN", value_parser = words::<ColorChoice>())]
    color: Option<String>,
    /// Whether what need not move stands still
    #[arg(long, global = true, value_parser = words::<Motion>())]
    motion: Option<String>,
    /// Leaves the mouse to the terminal
    #[arg(long, global = true)]
    no_mouse: bool,
    /// Does not show around at the first start
    #[arg(long, global = true)]
    no_tour: bool,
    /// Your own keys
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    keys_file: Option<String>,
    /// Where the journal and the log live
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    state_dir: Option<String>,
    /// How much the log says
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
            ("price_source", "--price-source", &self.price_source),
            ("candle_source", "--candle-source", &self.candle_source),
            ("book_source", "--book-source", &self.book_source),
            ("trade_source", "--trade-source", &self.trade_source),
            ("facts_source", "--facts-source", &self.facts_source),
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
