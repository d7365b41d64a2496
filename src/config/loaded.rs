//! Validated settings, with the origin of each.

use crate::config::{SettingOrigin, Settings, layers::Layers};

/// Settings and their origins.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Of the chosen account, or the only one.
    pub settings: Settings,
    pub(super) layers: Layers,
    /// The other configured accounts.
    pub others: Vec<Loaded>,
}

impl Loaded {
    /// Every configured account, the chosen one first.
    pub fn accounts(&self) -> impl Iterator<Item = &Settings> {
        let others = self.others.iter().map(|other| &other.settings);
        std::iter::once(&self.settings).chain(others)
    }

    /// The origin of a setting's value; `None` if it is not set.
    pub fn origin(&self, key: &str) -> Option<SettingOrigin> {
        self.layers.find(key).map(|(origin, _)| origin)
    }
}
