//! The state of the market panels: which market, which panels, which layout.
//!
//! Contract: the shown market is that of the row under the cursor, unless a person pinned one. Nothing here is ever
//! sent; losing it only moves things.

use super::{chart::CandleChart, width_tier::WidthTier};
use crate::model::MarketId;
use std::collections::BTreeMap;
use strum::{Display, EnumIter, EnumString, IntoEnumIterator};

/// A panel that shows the market and can have the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumIter)]
#[strum(serialize_all = "snake_case")]
pub enum MarketPanel {
    Ladder,
    Chart,
}

impl MarketPanel {
    /// In the order of their keys.
    pub const ALL: &'static [Self] = &[Self::Ladder, Self::Chart];
}

/// How the screen is divided.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Display, EnumIter, EnumString,
)]
#[strum(serialize_all = "snake_case")]
pub enum LayoutPreset {
    /// The market beside positions and orders.
    #[default]
    Market,
    /// All space to positions, orders, TWAPs and scaled orders; the market is a tab of the history.
    Risk,
    /// Most of the room to the history.
    History,
}

impl LayoutPreset {
    fn next(self) -> Self {
        let mut following = Self::iter().skip_while(|preset| *preset != self).skip(1);
        following.next().unwrap_or_default()
    }
}

/// Which market the screen shows, and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarketScreen {
    /// The terminal's width tier.
    pub tier: WidthTier,
    pub chart: CandleChart,
    /// The panel that had the keys last.
    last: Option<MarketPanel>,
    presets: BTreeMap<WidthTier, LayoutPreset>,
    /// That of the row last under the cursor.
    followed: Option<MarketId>,
    pinned: Option<MarketId>,
    visit: Option<ChartVisit>,
}

/// The chart on the whole screen for a while, and what it goes back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChartVisit {
    /// Shown instead of the market pinned or followed.
    pub(crate) market: Option<MarketId>,
    pub(crate) panel_before: Option<MarketPanel>,
    pub(crate) was_zoomed: bool,
}

impl MarketScreen {
    /// The market shown.
    pub fn market(&self) -> Option<&MarketId> {
        let visited = self.visit.as_ref().and_then(|visit| visit.market.as_ref());
        let own = self.pinned.as_ref().or(self.followed.as_ref());
        visited.or(own)
    }

    pub fn is_pinned(&self) -> bool {
        self.pinned.is_some() && self.pinned.as_ref() == self.market()
    }

    /// Shows this market whatever the cursor is on.
    pub fn pin(&mut self, market: MarketId) {
        if let Some(visit) = &mut self.visit {
            visit.market = None;
        }
        self.pinned = Some(market);
    }

    /// Pins the market shown, or lets it follow the cursor again.
    pub(crate) fn turn_pin(&mut self) {
        match self.market().cloned() {
            Some(market) if !self.is_pinned() => self.pin(market),
            Some(_) | None => self.pinned = None,
        }
    }

    /// The chart goes on the whole screen for a while.
    pub(crate) fn begin_visit(&mut self, visit: ChartVisit) {
        self.visit = Some(visit);
    }

    pub(crate) fn is_visiting(&self) -> bool {
        self.visit.is_some()
    }

    /// What to go back to.
    pub(crate) fn end_visit(&mut self) -> Option<ChartVisit> {
        self.visit.take()
    }

    /// The row under the cursor belongs to this market; a row without one keeps the last.
    pub(crate) fn follow(&mut self, market: Option<MarketId>) {
        if market.is_some() {
            self.followed = market;
        }
    }

    pub fn preset(&self, tier: WidthTier) -> LayoutPreset {
        self.presets.get(&tier).copied().unwrap_or_default()
    }

    /// What was chosen in earlier sessions.
    pub fn recall(&mut self, presets: BTreeMap<WidthTier, LayoutPreset>) {
        self.presets = presets;
    }

    /// Another account is shown on the same screen.
    pub(crate) fn take_over(&mut self, other: &Self) {
        self.tier = other.tier;
        self.presets.clone_from(&other.presets);
    }

    /// Goes on to the next arrangement on screens of this size; answers which.
    pub(crate) fn next_preset(&mut self) -> LayoutPreset {
        let next = self.preset(self.tier).next();
        self.presets.insert(self.tier, next);
        next
    }

    /// This panel gets the keys.
    pub(crate) fn bring_forward(&mut self, panel: MarketPanel) {
        self.last = Some(panel);
    }

    /// The panel that is shown if only one fits.
    pub fn front(&self) -> Option<MarketPanel> {
        self.last.or(Some(MarketPanel::Chart))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(coin: &str) -> MarketId {
        format!("paper|{coin}").into()
    }

    #[test]
    fn the_market_shown_is_that_of_the_cursor_unless_one_is_pinned() {
        let mut screen = MarketScreen::default();
        screen.follow(Some(id("BTC")));
        screen.follow(None);
        assert_eq!(screen.market(), Some(&id("BTC")));
        screen.turn_pin();
        screen.follow(Some(id("SOL")));
        assert_eq!(screen.market(), Some(&id("BTC")));
        screen.turn_pin();
        assert_eq!(screen.market(), Some(&id("SOL")));
    }

    #[test]
    fn a_visit_shows_its_market_and_what_was_pinned_is_pinned_afterwards() {
        let mut screen = MarketScreen::default();
        screen.follow(Some(id("BTC")));
        screen.pin(id("ETH"));
        let visit = |market| ChartVisit {
            market: Some(id(market)),
            panel_before: None,
            was_zoomed: false,
        };
        screen.begin_visit(visit("SOL"));
        assert_eq!(
            (screen.market(), screen.is_pinned()),
            (Some(&id("SOL")), false)
        );
        assert!(screen.end_visit().is_some());
        assert_eq!(
            (screen.market(), screen.is_pinned()),
            (Some(&id("ETH")), true)
        );
        screen.begin_visit(visit("SOL"));
        screen.turn_pin();
        assert!(screen.end_visit().is_some());
        assert_eq!(
            (screen.market(), screen.is_pinned()),
            (Some(&id("SOL")), true)
        );
    }

    #[test]
    fn each_size_of_screen_has_an_arrangement_of_its_own() {
        let mut screen = MarketScreen::default();
        let all = [(); 4].map(|()| screen.next_preset());
        let [risk, history, market, again] = all;
        assert_eq!(market, LayoutPreset::Market);
        assert_eq!([risk, history, again], {
            [
                LayoutPreset::Risk,
                LayoutPreset::History,
                LayoutPreset::Risk,
            ]
        });
        assert_eq!(screen.preset(WidthTier::Medium), LayoutPreset::Market);
    }
}
