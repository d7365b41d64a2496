//! What can be set. Names here are the names everywhere: file, environment, flags.

use super::{
    AlertCommand, Alerts, BookSource, CandleSource, Checks, FactsSource, Fees, Guard,
    MarketPresets, PriceSource, Proxy, Secret, SizePresets, SourceChoice, TradeSource, presets,
    service::proxy, words,
};
use crate::api::{Dialect, Term};
use serde::{Deserialize, Deserializer, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::Duration,
};
use strum::{Display, VariantArray, VariantNames};

/// Every setting. Defaults live in `assets/default.toml` and nowhere else; what is optional here has none.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a file says true or false, and each is a setting of its own"
)]
pub struct Settings {
    pub base_url: Option<String>,
    pub account_id: Option<String>,
    #[serde(default, serialize_with = "words::hidden")]
    pub(super) api_key: Option<Secret>,
    #[serde(default, deserialize_with = "words::path")]
    pub(super) api_key_file: Option<PathBuf>,
    pub(super) api_key_command: Option<String>,
    /// The name of an entry in the system's keyring.
    pub(super) api_key_keyring: Option<String>,
    /// What requests to other machines go through; straight there when it is not set, whatever the environment says.
    #[serde(default, deserialize_with = "proxy::read")]
    pub(super) proxy: Option<Proxy>,
    /// The profile whose account is shown first.
    pub profile: Option<String>,
    /// The colour of the account's name in the header; chosen by the desk where several accounts have none.
    pub badge_color: Option<Tint>,
    pub price_source: SourceChoice<PriceSource>,
    pub candle_source: SourceChoice<CandleSource>,
    pub book_source: SourceChoice<BookSource>,
    pub trade_source: SourceChoice<TradeSource>,
    pub facts_source: SourceChoice<FactsSource>,
    /// How long the close-all strip waits; zero sends at once.
    #[serde(with = "words::duration")]
    pub close_all_delay: Duration,
    /// Whether close-all waits for `y` instead of going by itself.
    pub close_all_confirm: bool,
    /// How many ticks beyond break-even a stop goes; slippage comes on top of what is reckoned.
    pub be_extra_ticks: u32,
    /// Whether one-key trading on the price ladder can be armed.
    pub ladder_one_key: bool,
    /// The sizes that a key goes through in a form and on the price ladder.
    pub size_presets: SizePresets,
    /// Those of single markets.
    #[serde(default, serialize_with = "presets::unless_empty")]
    pub size_presets_of: MarketPresets,
    pub theme: Theme,
    /// A file of the trader's own, instead of `theme`.
    #[serde(default, deserialize_with = "words::path")]
    pub theme_file: Option<PathBuf>,
    pub color: ColorChoice,
    pub motion: Motion,
    /// Whether the desk hears the mouse; else it is the terminal's own.
    pub mouse: bool,
    /// Whether the first start on the paper exchange shows one around.
    pub tour: bool,
    #[serde(default, deserialize_with = "words::path")]
    pub keys_file: Option<PathBuf>,
    /// Where the journal and the log live; see [`super::state_dir`] for the default.
    #[serde(default, deserialize_with = "words::path")]
    pub state_dir: Option<PathBuf>,
    /// How long what was settled stays in the journal; zero is for ever.
    pub journal_days: u32,
    /// Where exports are written; where the program runs when it is not set.
    #[serde(default, deserialize_with = "words::path")]
    pub export_dir: Option<PathBuf>,
    pub log_level: LogLevel,
    /// Whether what the activity pane tells is appended to a file, too.
    pub event_log: bool,
    /// What is run when an alert of the trader's own fires.
    pub alert_command: AlertCommand,
    /// Whether the kernel keeps the desk from writing where it has nothing to write.
    pub sandbox: Sandbox,
    /// Whether nothing but reads leaves.
    pub read_only: bool,
    /// Whether what would be sent is only told: neither journaled nor sent.
    pub dry_run: bool,
    pub checks: Checks,
    pub guard: Guard,
    pub fees: Fees,
    pub alerts: Alerts,
    pub poll: Poll,
    pub dialect: Dialect,
    #[serde(default, skip_serializing)]
    pub(super) profiles: ProfileNames,
    /// The profile these are the settings of; `None` for what is set above them.
    #[serde(skip)]
    pub name: Option<String>,
    /// What of the dialect somebody has set.
    #[serde(skip)]
    pub(super) pinned: BTreeSet<Term>,
}

/// The interval of each poller: working orders, TWAPs, known ladders, the newest page of closed positions and of all
/// orders, prices (`markets`), account figures (`account`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [poll]")]
pub struct Poll {
    #[serde(with = "words::duration")]
    pub positions: Duration,
    #[serde(with = "words::duration")]
    pub orders: Duration,
    #[serde(with = "words::duration")]
    pub twaps: Duration,
    #[serde(with = "words::duration")]
    pub scaled: Duration,
    #[serde(with = "words::duration")]
    pub markets: Duration,
    #[serde(with = "words::duration")]
    pub account: Duration,
    #[serde(with = "words::duration")]
    pub history: Duration,
    #[serde(with = "words::duration")]
    pub closed: Duration,
}

macro_rules! word {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, Display, VariantArray, VariantNames)]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum $name { $($variant),+ }
    };
}

word!(
    /// The built-in colours: by the background they are for, or by whom.
    Theme { Dark, Light, Contrast, BlueOrange, RedUp }
);

/// How many colours to use. `Auto` means as many as the terminal has, and none when `NO_COLOR` is set.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, Display, VariantArray, VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ColorChoice {
    Auto,
    /// As many as the terminal has, whatever `NO_COLOR` says.
    Always,
    Never,
    Truecolor,
    #[serde(rename = "256")]
    #[strum(serialize = "256")]
    Indexed,
    #[serde(rename = "16")]
    #[strum(serialize = "16")]
    Basic,
}

word!(
    /// Whether numbers move by time alone.
    Motion { Full, Reduced }
);

word!(
    /// What tells one account from another at a glance. Neither red nor green, which mean profit and side.
    Tint { Blue, Cyan, Violet, Magenta, Orange, Yellow, Grey }
);

word!(
    /// Where the kernel has none, `Auto` is as `Off`.
    Sandbox { Auto, Off }
);

word!(LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace
});

/// The names of the profiles; what stands in them is read by laying them over the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProfileNames(pub(super) BTreeSet<String>);

impl<'de> Deserialize<'de> for ProfileNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let profiles = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
        Ok(Self(profiles.into_keys().collect()))
    }
}
