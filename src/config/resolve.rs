//! From settings to the service they name.

use super::{
    Connection, Secret, ServiceKind, SettingsError, StreamUrls,
    layers::Layers,
    secrets::key::{self, ApiKeySource},
    settings::{MarketData, Settings},
};
use crate::model::AccountId;
use secrecy::ExposeSecret as _;

/// The service that the desk trades with.
#[derive(Debug, Clone)]
pub enum FarEnd {
    /// Nothing is configured: the desk's own paper exchange, which the runtime starts.
    Paper,
    LiveApi(Box<Connection>),
}

impl Settings {
    /// The setting whose program is run to get the key, if there is one.
    pub fn key_program(&self) -> Option<&'static str> {
        if self.api_key.is_some() || self.api_key_file.is_some() {
            return None;
        }
        let command = self.api_key_command.as_ref().map(|_| "api_key_command");
        command.or_else(|| self.api_key_keyring.as_ref().map(|_| "api_key_keyring"))
    }

    /// Puts the secrets back in place of their markers.
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
        let Some(base_url) = &self.base_url else {
            return Ok(FarEnd::Paper);
        };
        Ok(FarEnd::LiveApi(Box::new(Connection {
            base_url: base_url.trim_end_matches('/').to_owned(),
            api_key: key::find(self)?,
            key_source: ApiKeySource::of(self),
            account_id: AccountId::from(self.account_id.as_deref().unwrap_or_default()),
            kind: ServiceKind::Unknown,
            streams: StreamUrls {
                market: self.market_stream_url.clone(),
                account: self.account_stream_url.clone(),
            },
            venues: match self.market_data {
                MarketData::Off => None,
                MarketData::Venue => Some(self.venues.clone()),
            },
            proxy: self.proxy.clone(),
            ca_file: self.ca_file.clone(),
            read_only: self.read_only,
            dry_run: self.dry_run,
        })))
    }
}

impl Settings {
    /// A connection without a key that reads a market stream, or without its address the venues.
    pub fn public_data(&self, market_stream: Option<String>) -> Connection {
        let nowhere = "http://127.0.0.1:1".to_owned();
        // A client has to have one. Neither a venue nor a market stream gets it.
        let no_key = Secret::from("none".to_owned());
        Connection {
            venues: market_stream.is_none().then(|| self.venues.clone()),
            streams: StreamUrls {
                market: market_stream,
                account: None,
            },
            proxy: self.proxy.clone(),
            ca_file: self.ca_file.clone(),
            ..Connection::paper(nowhere, no_key, AccountId::from(""))
        }
    }
}

impl Connection {
    /// Whether the key's accounts are to be requested: the settings name none.
    pub fn needs_account(&self) -> bool {
        self.account_id.raw().is_empty()
    }

    /// A connection to this crate's paper exchange.
    pub fn paper(base_url: String, api_key: Secret, account_id: AccountId) -> Self {
        Self {
            base_url,
            api_key,
            key_source: ApiKeySource::Start,
            account_id,
            kind: ServiceKind::Simulator,
            streams: StreamUrls::default(),
            venues: None,
            proxy: None,
            ca_file: None,
            read_only: false,
            dry_run: false,
        }
    }
}
