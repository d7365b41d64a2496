//! Settings that hold together, with where each came from.

use crate::config::{SettingOrigin, Settings, layers::Layers};

/// Settings, and where each came from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Of the account that was chosen, or the only one.
    pub settings: Settings,
    pub(super) layers: Layers,
    /// The other accounts that are set.
    pub others: Vec<Loaded>,
}

impl Loaded {
    /// Every account that is set, the chosen one first.
    pub fn accounts(&self) -> impl Iterator<Item = &Settings> {
        let others = self.others.iter().map(|other| &other.settings);
        std::iter::once(&self.settings).chain(others)
    }

    /// Where the value of a setting stands; `None` when nobody has set it.
    pub fn origin(&self, key: &str) -> Option<SettingOrigin> {
        self.layers.find(key).map(|(origin, _)| origin)
    }
}
