//! All settings. Their names are the same in files, the environment and flags.

use super::{
    AlertCommand, Alerts, Checks, Fees, Guard, MarketPresets, Proxy, Secret, SizePresets, Venues,
    presets, service::proxy, words,
};
use crate::model::draft::Bracket;
use serde::{Deserialize, Deserializer, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::Duration,
};
use strum::{Display, VariantArray, VariantNames};

/// Every setting. Defaults are only in `assets/default.toml`; an optional setting has none.
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
    /// The proxy for requests to other machines; without it they go direct, whatever the environment says.
    #[serde(default, deserialize_with = "proxy::read")]
    pub(super) proxy: Option<Proxy>,
    /// Certificates of issuers to trust beside those of the system, as PEM.
    #[serde(default, deserialize_with = "words::path")]
    pub(super) ca_file: Option<PathBuf>,
    /// The service's stream of market data, which gets no key.
    pub market_stream_url: Option<String>,
    /// The service's stream of the key's accounts.
    pub account_stream_url: Option<String>,
    /// Whether the public market data of venues is used.
    pub market_data: MarketData,
    pub venues: Venues,
    /// The profile whose account is shown first.
    pub profile: Option<String>,
    /// The color of the account's name in the header; the desk chooses one if several accounts have none.
    pub badge_color: Option<Tint>,
    /// How long the close-all strip waits; zero sends at once.
    #[serde(with = "words::duration")]
    pub close_all_delay: Duration,
    /// Whether close-all needs `y` instead of starting by itself.
    pub close_all_confirm: bool,
    /// How many ticks beyond break-even a stop goes; slippage comes on top of what is computed.
    pub be_extra_ticks: u32,
    /// Whether one-key trading on the price ladder can be armed.
    pub ladder_one_key: bool,
    /// The sizes that a key steps through in a form and on the price ladder.
    pub size_presets: SizePresets,
    /// Those of single markets.
    #[serde(default, serialize_with = "presets::unless_empty")]
    pub size_presets_of: MarketPresets<SizePresets>,
    /// The stop and targets that go with every entry.
    pub bracket: Bracket,
    /// Those of single markets.
    #[serde(default, serialize_with = "presets::unless_empty")]
    pub bracket_of: MarketPresets<Bracket>,
    pub theme: Theme,
    /// A theme file of the trader, instead of `theme`.
    #[serde(default, deserialize_with = "words::path")]
    pub theme_file: Option<PathBuf>,
    pub color: ColorChoice,
    pub motion: Motion,
    /// Whether the desk uses the mouse; otherwise the terminal does.
    pub mouse: bool,
    /// Whether the first start on the paper exchange shows the tour.
    pub tour: bool,
    #[serde(default, deserialize_with = "words::path")]
    pub keys_file: Option<PathBuf>,
    /// The directory of the journal and the log; see [`super::state_dir`] for the default.
    #[serde(default, deserialize_with = "words::path")]
    pub state_dir: Option<PathBuf>,
    /// How many days settled rows stay in the journal; zero keeps all.
    pub journal_days: u32,
    /// Where exports are written; the working directory if unset.
    #[serde(default, deserialize_with = "words::path")]
    pub export_dir: Option<PathBuf>,
    pub log_level: LogLevel,
    /// Whether the lines of the activity pane are also appended to a file.
    pub event_log: bool,
    /// What is run when an alert of the trader's own fires.
    pub alert_command: AlertCommand,
    /// Whether mutations are refused.
    pub read_only: bool,
    /// Whether commands are only shown: neither journaled nor sent.
    pub dry_run: bool,
    pub checks: Checks,
    pub guard: Guard,
    pub fees: Fees,
    pub alerts: Alerts,
    pub poll: PollIntervals,
    #[serde(default, skip_serializing)]
    pub(super) profiles: ProfileNames,
    /// The profile of these settings; `None` for the top level.
    #[serde(skip)]
    pub name: Option<String>,
}

/// The polling intervals: working orders, TWAPs, known scaled orders, the newest page of closed positions and of all
/// orders, prices (`markets`), account figures (`account`).
#[serde_with::apply(Duration => #[serde(with = "words::duration")])]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [poll]")]
pub struct PollIntervals {
    pub positions: Duration,
    pub orders: Duration,
    pub twaps: Duration,
    pub scaled: Duration,
    pub markets: Duration,
    pub account: Duration,
    pub history: Duration,
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
    /// The built-in themes: by background, or by color vision and convention.
    Theme { Dark, Light, Contrast, BlueOrange, RedUp }
);

/// How many colors to use. `Auto` means as many as the terminal has, and none if `NO_COLOR` is set.
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
    /// Whether numbers update as time passes.
    Motion { Full, Reduced }
);

word!(
    /// The color that marks an account. Neither red nor green, which mean profit and side.
    Tint { Blue, Cyan, Violet, Magenta, Orange, Yellow, Grey }
);

word!(
    /// Where market data comes from that the service has none of: nowhere, or the venue of each market.
    MarketData { Off, Venue }
);

impl MarketData {
    /// What a person reads who turns it on.
    pub fn reveals(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Venue => Some(
                "market_data = \"venue\": the venues of your markets see the address of this machine and which markets you \
                 watch; never the key, the account or an order",
            ),
        }
    }
}

word!(LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace
});

/// The names of the profiles; their contents are read when they are applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProfileNames(pub(super) BTreeSet<String>);

impl<'de> Deserialize<'de> for ProfileNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let profiles = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
        Ok(Self(profiles.into_keys().collect()))
    }
}
