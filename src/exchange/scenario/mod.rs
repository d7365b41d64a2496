//! Scenarios: markets, users and rules in TOML, and a script that has already happened when the first request comes.
//!
//! The script is played before the start instant, in virtual time, as fast as the engine steps; everything in it is
//! an ordinary engine command, so nothing on a desk is there without having been traded. Prices are in basis points
//! of the mid at that moment and sizes in USD, so that a script holds for any seed.

mod play;
mod script;
mod shape;

use super::{
    budget::Rates,
    engine::{AccountIx, Engine, Millis},
    gate::ApiKey,
};
use crate::model::AccountId;
use shape::Shape;
use std::path::{Path, PathBuf};

/// Built in; what `perpdeck` and `perpdeck demo` start with.
const DEMO: &str = include_str!("../../../assets/scenario-demo.toml");

/// A scenario that has been read, not yet played.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Decides prices, keys and everything random; may be set to another than the file's.
    pub seed: u64,
    shape: Shape,
}

/// Why a scenario cannot be used; names the file or the entry, its value and what is allowed.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioFault {
    #[error("the scenario file {path} could not be read")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the scenario is not as it should be: {0}")]
    Text(#[from] Box<toml::de::Error>),
    #[error("the scenario's {entry} `{value}`: {wanted}")]
    Entry {
        entry: &'static str,
        value: String,
        wanted: &'static str,
    },
}

impl ScenarioFault {
    fn entry(entry: &'static str, value: impl ToString, wanted: &'static str) -> Self {
        Self::Entry {
            entry,
            value: value.to_string(),
            wanted,
        }
    }
}

/// An exchange ready to be served.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) engine: Engine,
    pub(super) users: Vec<User>,
}

#[derive(Debug)]
pub(super) struct User {
    pub(super) key: ApiKey,
    pub(super) accounts: Vec<(AccountId, AccountIx)>,
}

impl Scenario {
    /// The living desk: every pane has something true in it.
    pub fn demo() -> Result<Self, ScenarioFault> {
        Self::parse(DEMO)
    }

    pub fn from_file(path: &Path) -> Result<Self, ScenarioFault> {
        let text = std::fs::read_to_string(path).map_err(|source| ScenarioFault::File {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text)
    }

    pub fn parse(text: &str) -> Result<Self, ScenarioFault> {
        let shape: Shape = toml::from_str(text).map_err(Box::new)?;
        Ok(Self {
            seed: shape.seed,
            shape,
        })
    }

    pub(super) fn budgets(&self) -> Rates {
        self.shape.budgets
    }

    /// Builds the engine and plays the script, so that virtual time stands at `start`.
    pub(super) fn open(&self, start: Millis) -> Result<Opened, ScenarioFault> {
        let before = Millis::seconds(self.shape.warm_up_seconds.into());
        let config = self.shape.engine_config(self.seed, start - before)?;
        let mut engine = Engine::new(config);
        play::play(&mut engine, &self.shape.script, start)?;
        engine.advance_to(start);
        let users = self.shape.users.iter().map(|user| User {
            key: ApiKey::derived(self.seed, &user.name),
            accounts: user
                .accounts
                .iter()
                .filter_map(|account| {
                    let ix = engine.account(&account.id)?;
                    Some((account.id.as_str().into(), ix))
                })
                .collect(),
        });
        let users = users.collect();
        Ok(Opened { engine, users })
    }
}
