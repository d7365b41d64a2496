//! The places where keys act: the sections of the key table.

use super::{action::Action, chord::Chord};
use strum::{Display, EnumIter, EnumString, IntoEnumIterator, VariantNames};

/// Where a key is pressed. Panels do not fall back to the desk, so nothing acts behind a form. Only the keys that close
/// everything work over all panels: by their desk key, and where text is typed by the one that types nothing.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Display,
    EnumString,
    EnumIter,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Context {
    /// Everywhere, whatever is open.
    Always,
    /// Every pane, unless the pane has its own binding.
    Desk,
    Positions,
    Orders,
    Twaps,
    Scaled,
    Closed,
    History,
    Activity,
    Calls,
    /// The candle chart.
    MarketChart,
    PriceLadder,
    Form,
    Strip,
    Bulk,
    Limits,
    Export,
    Columns,
    Help,
    Detail,
    Markets,
    UserAlerts,
    Review,
    Accounts,
    Prompt,
}

impl Context {
    /// The sections in which a press is looked up; the first match wins.
    pub(super) fn chain(self) -> impl Iterator<Item = Self> {
        let fallback = self.is_pane().then_some(Self::Desk);
        [Some(Self::Always), Some(self), fallback]
            .into_iter()
            .flatten()
    }

    /// Whether the keys of that section work here.
    pub fn includes(self, section: Self) -> bool {
        self.chain().any(|place| place == section)
    }

    /// Whether every letter is text there. In a form a capital letter is a key.
    pub(in crate::app) fn takes_text(self) -> bool {
        matches!(self, Self::Prompt | Self::Help)
    }

    /// Whether `chord` types a character there and does nothing else. A form's fields never take capital letters, so
    /// capitals act there.
    fn types(self, chord: Chord) -> bool {
        let Some(typed) = chord.typed() else {
            return false;
        };
        self.takes_text() || (self == Self::Form && !typed.is_uppercase())
    }

    /// Whether `chord`, which does `action` on the desk, does so here too.
    pub(super) fn takes_from_desk(self, action: Action, chord: Chord) -> bool {
        let closes_all = action.closes_all() && !self.types(chord);
        closes_all || (action.works_everywhere() && self.only_shows())
    }

    /// It only shows something: no question waits, and closing it loses nothing.
    fn only_shows(self) -> bool {
        matches!(
            self,
            Self::Detail
                | Self::Markets
                | Self::UserAlerts
                | Self::Review
                | Self::Accounts
                | Self::Limits
        )
    }

    /// The panes in which its keys work; none for panels.
    pub(super) fn panes(self) -> impl Iterator<Item = Self> {
        Self::iter().filter(move |place| place.is_pane() && (self == Self::Desk || self == *place))
    }

    fn is_pane(self) -> bool {
        self.is_of_desk() && self != Self::Desk
    }

    /// The desk as a whole, one of its panes, or one of the panels of the market.
    pub(super) fn is_of_desk(self) -> bool {
        (Self::Desk..=Self::PriceLadder).contains(&self)
    }
}
