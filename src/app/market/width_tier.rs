//! The width tier of the screen, which decides what is shown at once.

use strum::{Display, EnumIter, EnumString};

/// On a smaller screen nothing reliable can be shown: columns and rows.
pub const SMALLEST: (u16, u16) = (60, 16);

/// From this size on the screen has room for everything, and for two charts.
pub(crate) const WIDEST: (u16, u16) = (160, 34);

/// How much room there is. The height decides as well: a wide but low screen takes the next form down.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Display, EnumIter, EnumString,
)]
#[strum(serialize_all = "snake_case")]
pub enum WidthTier {
    /// Positions over orders, the chart over TWAP and scaled, the ladder; the history below.
    #[default]
    Wide,
    /// Positions over orders, the chart or the ladder beside them; the history below.
    Medium,
    /// Positions, and one place with tabs for everything else.
    Column,
    /// One pane at a time; what it leaves free shows positions, or the orders below those.
    List,
    TooSmall,
}

const TIERS: &[(WidthTier, u16, u16)] = &[
    (WidthTier::Wide, WIDEST.0, WIDEST.1),
    (WidthTier::Medium, 100, 30),
    (WidthTier::Column, 80, 20),
    (WidthTier::List, SMALLEST.0, SMALLEST.1),
];

impl WidthTier {
    /// Of a screen of so many columns and rows.
    pub fn from_size(width: u16, height: u16) -> Self {
        let fits = |(_, least_width, least_height): &&(Self, u16, u16)| {
            width >= *least_width && height >= *least_height
        };
        TIERS
            .iter()
            .find(fits)
            .map_or(Self::TooSmall, |(tier, ..)| *tier)
    }

    /// Whether the line of markets has a place under the header.
    pub fn has_watchlist(self) -> bool {
        matches!(self, Self::Wide | Self::Medium | Self::Column)
    }
}
