//! Settings: their types, sources and errors. Names `model` and `disk`.
//!
//! Contract: [`load()`] combines the built-in `assets/default.toml`, the user's file, a named file, the environment and
//! flags, in this order. It returns valid settings, or every [`Problem`], each with the file, variable or flag and the
//! setting. A key never appears in an error, a `Debug` or `config show`.
//!
//! Known limits: files are UTF-8 TOML. Numbers with a fraction are written as strings, because the TOML library would
//! read them as `f64`. The mode of a file is checked, its owner is not.

mod alert_command;
mod alerts;
mod change;
mod checks;
mod fees;
mod guard;
mod kept;
mod layers;
mod load;
mod loaded;
pub mod memory;
mod origin;
mod paths;
mod presets;
mod problem;
mod profiles;
mod resolve;
mod rows;
mod schema;
mod secrets;
mod service;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod validate;
mod words;

pub use alert_command::AlertCommand;
pub use alerts::{AlertChannel, AlertChannels, Alerts, Escape};
pub use change::{Change, Leeway, SettingValues, Takes};
pub use checks::Checks;
pub use fees::Fees;
pub use guard::Guard;
pub use kept::{ColumnChoice, KeptChoices, columns_file, keep_columns, kept_columns};
pub use layers::{SettingFlag, Sources};
pub use load::load;
pub use loaded::Loaded;
pub use origin::SettingOrigin;
pub use paths::{at_home, state_dir, user_file};
pub use presets::{MarketPresets, PresetTable, SizePreset, SizePresets};
pub use problem::{Problem, SettingsError};
pub use resolve::FarEnd;
pub use schema::schema;
pub use secrets::child_env::{is_secret_variable, keyless};
pub use secrets::key::ApiKeySource;
pub use secrets::secret::Secret;
pub use service::connection::{Connection, ServiceKind, StreamUrls};
pub use service::proxy::Proxy;
pub use service::venues::{VenueUrls, Venues};
pub use settings::{
    ColorChoice, LogLevel, MarketData, Motion, PollIntervals, Settings, Theme, Tint,
};
pub use show::template;
