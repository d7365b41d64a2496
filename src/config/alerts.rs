//! Which events raise an alert, and how.

use super::words;
use crate::model::Num;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::collections::BTreeSet;
use strum::{Display, EnumString, VariantNames};

/// The channels of each kind of alert. The activity pane shows all of them, whatever is set here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [alerts]", default)]
pub struct Alerts {
    pub fill: AlertChannels,
    pub partial: AlertChannels,
    pub reject: AlertChannels,
    pub twap_stalled: AlertChannels,
    pub twap_ended: AlertChannels,
    pub liquidation: AlertChannels,
    pub guard: AlertChannels,
    pub connection: AlertChannels,
    /// An alert that the trader has set.
    pub user_alert: AlertChannels,
    /// A position is reported when its mark comes this near to its liquidation price, in percent.
    #[serde(with = "words::decimal")]
    pub liquidation_within: Option<Num>,
    pub desktop_escape: Escape,
}

/// One channel of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum AlertChannel {
    Toast,
    Bell,
    Desktop,
}

/// Written `"toast bell"`; empty means the activity pane only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlertChannels(BTreeSet<AlertChannel>);

impl AlertChannels {
    pub fn has(&self, channel: AlertChannel) -> bool {
        self.0.contains(&channel)
    }
}

impl FromIterator<AlertChannel> for AlertChannels {
    fn from_iter<I: IntoIterator<Item = AlertChannel>>(ways: I) -> Self {
        Self(ways.into_iter().collect())
    }
}

impl<'de> Deserialize<'de> for AlertChannels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let ways = text.split_whitespace().map(|word| {
            word.parse::<AlertChannel>().map_err(|_| {
                let known = AlertChannel::VARIANTS.join(", ");
                D::Error::custom(format_args!("{word:?} is not a way to notify: {known}"))
            })
        });
        ways.collect::<Result<_, _>>().map(Self)
    }
}

impl Serialize for AlertChannels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        serializer.serialize_str(&words.join(" "))
    }
}

/// The escape sequence for desktop notifications.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Deserialize,
    Serialize,
    Display,
    VariantNames,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Escape {
    /// Windows Terminal, foot and many more.
    #[default]
    Osc9,
    /// rxvt-unicode, foot and more.
    Osc777,
    /// kitty's own.
    Kitty,
}
