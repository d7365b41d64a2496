//! What can be set. Names here are the names everywhere: file, environment, flags.

use super::{
    Alerts, Checks, Connection, FactsSource, Fees, Guard, PriceSource, Proxy, Secret,
    SettingsError, SourceChoice, key, layers::Layers, profiles::Names, proxy, validate, words,
};
use crate::{
    api::{Dialect, Learned, Term},
    model::AccountId,
};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::PathBuf, time::Duration};
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
    pub facts_source: SourceChoice<FactsSource>,
    /// How long the close-all strip waits; zero sends at once.
    #[serde(with = "words::duration")]
    pub close_all_delay: Duration,
    /// Whether close-all waits for `y` instead of going by itself.
    pub close_all_confirm: bool,
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
    pub(super) profiles: Names,
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

/// Whom the desk trades with.
#[derive(Debug, Clone)]
pub enum FarEnd {
    /// Nothing is configured: its own paper exchange, which the runtime starts.
    Paper,
    LiveApi(Box<Connection>),
}

impl Settings {
    /// How the far end is spoken to: the paper exchange speaks its own way, whatever is set.
    pub fn spoken(&self) -> Dialect {
        match self.base_url.as_deref().map(validate::reach) {
            None => Dialect::default(),
            Some(validate::Reach::ThisMachine) => self.dialect.clone().on_paper(),
            Some(validate::Reach::Elsewhere) => self.dialect.clone(),
        }
    }

    /// The setting whose program is run for the key, if that is where it comes from.
    pub fn key_program(&self) -> Option<&'static str> {
        if self.api_key.is_some() || self.api_key_file.is_some() {
            return None;
        }
        let command = self.api_key_command.as_ref().map(|_| "api_key_command");
        command.or_else(|| self.api_key_keyring.as_ref().map(|_| "api_key_keyring"))
    }

    /// Puts what is secret where the layers only say that it is set.
    pub(super) fn unlock(&mut self, layers: &Layers) {
        if self.api_key.is_some() {
            self.api_key = layers.secret("api_key").cloned();
        }
        if let Some(whole) = layers.secret("proxy") {
            self.proxy = whole.expose_secret().parse().ok();
        }
    }

    /// Reads the key from its file or command when that is where it is; the command may ask on the terminal, so
    /// this comes before the desk opens.
    pub fn far_end(&self) -> Result<FarEnd, SettingsError> {
        let (Some(base_url), Some(account_id)) = (&self.base_url, &self.account_id) else {
            return Ok(FarEnd::Paper);
        };
        let reach = validate::reach(base_url);
        Ok(FarEnd::LiveApi(Box::new(Connection {
            base_url: base_url.trim_end_matches('/').to_owned(),
            api_key: key::find(self)?,
            account_id: AccountId::from(account_id.as_str()),
            dialect: self.spoken(),
            pinned: self.pinned.clone(),
            learned: Learned::default(),
            prices: self.price_source.resolve(reach, PriceSource::paper),
            facts: self.facts_source.resolve(reach, FactsSource::paper),
            proxy: self.proxy.clone(),
            read_only: self.read_only,
            dry_run: self.dry_run,
        })))
    }
}

impl Connection {
    /// To a paper exchange of this crate, which speaks the default dialect whatever the settings say.
    pub fn paper(base_url: String, api_key: Secret, account_id: AccountId) -> Self {
        Self {
            base_url,
            api_key,
            account_id,
            dialect: Dialect::default(),
            pinned: Term::all().collect(),
            learned: Learned::default(),
            prices: Some(PriceSource::paper()),
            facts: Some(FactsSource::paper()),
            proxy: None,
            read_only: false,
            dry_run: false,
        }
    }
}
