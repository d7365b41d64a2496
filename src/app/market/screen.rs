//! The state of the market panels: which market, which panels, which layout.
//!
//! Contract: the shown market is that of the row under the cursor, unless a person pinned one. On a terminal it follows
//! once the cursor rests: whoever runs through a list requests and draws no market on the way. Nothing here is ever sent;
//! losing it only moves things.

use super::{
    chart::CandleChart, chart_lines::ChartLines, two_charts::ChartBeside, width_tier::WidthTier,
};
use crate::model::{MarketId, Timestamp};
use std::{collections::BTreeMap, time::Duration};
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
    pub(super) beside: Option<ChartBeside>,
    pub lines: ChartLines,
    /// The panel that had the keys last.
    last: Option<MarketPanel>,
    presets: BTreeMap<WidthTier, LayoutPreset>,
    /// That of the row last under the cursor.
    followed: Option<MarketId>,
    /// That of the row now under the cursor, until it is followed.
    next: Option<NextMarket>,
    /// How long the cursor rests before its market is shown; zero shows it at once.
    cursor_rest: Duration,
    pinned: Option<MarketId>,
    visit: Option<ChartVisit>,
}

/// A market that the cursor has moved to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NextMarket {
    id: MarketId,
    shown_at: Timestamp,
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
    pub(crate) fn follow(&mut self, market: Option<MarketId>, now: Timestamp) {
        let Some(id) = market else {
            return;
        };
        if self.followed.is_none() || self.followed.as_ref() == Some(&id) {
            self.followed = Some(id);
            self.next = None;
            return;
        }
        let waiting = self.next.take().filter(|next| next.id == id);
        let shown_at = waiting.map_or_else(|| now.plus(self.cursor_rest), |next| next.shown_at);
        self.next = Some(NextMarket { id, shown_at });
        if shown_at <= now {
            self.follow_at_once();
        }
    }

    /// The next key means the market under the cursor.
    pub(crate) fn follow_at_once(&mut self) {
        if let Some(next) = self.next.take() {
            self.followed = Some(next.id);
        }
    }

    /// When the market under the cursor is shown, if another is shown now.
    pub(crate) fn follows_at(&self) -> Option<Timestamp> {
        self.next.as_ref().map(|next| next.shown_at)
    }

    /// Shows the market under the cursor only after the cursor has rested for so long.
    pub(crate) fn wait_for_rest(&mut self, rest: Duration) {
        self.cursor_rest = rest;
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
        (self.tier, self.cursor_rest) = (other.tier, other.cursor_rest);
        self.presets.clone_from(&other.presets);
        self.lines.clone_from(&other.lines);
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

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    fn id(coin: &str) -> MarketId {
        format!("paper|{coin}").into()
    }

    #[test]
    fn a_cursor_that_runs_through_markets_shows_the_one_it_rests_on() {
        let rest = Duration::from_millis(80);
        let step = Duration::from_millis(33);
        let mut screen = MarketScreen::default();
        screen.wait_for_rest(rest);
        screen.follow(Some(id("BTC")), NOW);
        assert_eq!(screen.market(), Some(&id("BTC")), "the first at once");
        let mut now = NOW;
        for coin in ["ETH", "SOL", "DOGE"] {
            now = now.plus(step);
            screen.follow(Some(id(coin)), now);
            assert_eq!(screen.market(), Some(&id("BTC")));
        }
        assert_eq!(screen.follows_at(), Some(now.plus(rest)));
        screen.follow(Some(id("DOGE")), now.plus(rest));
        assert_eq!(screen.market(), Some(&id("DOGE")));
        assert_eq!(screen.follows_at(), None);
        screen.follow(Some(id("ETH")), now.plus(rest));
        screen.follow(Some(id("DOGE")), now.plus(rest + step));
        assert_eq!(screen.follows_at(), None, "it came back");
        screen.follow(Some(id("SOL")), now.plus(rest + step));
        screen.follow_at_once();
        assert_eq!(screen.market(), Some(&id("SOL")), "a key means it");
    }

    #[test]
    fn the_market_shown_is_that_of_the_cursor_unless_one_is_pinned() {
        let mut screen = MarketScreen::default();
        screen.follow(Some(id("BTC")), NOW);
        screen.follow(None, NOW);
        assert_eq!(screen.market(), Some(&id("BTC")));
        screen.turn_pin();
        screen.follow(Some(id("SOL")), NOW);
        assert_eq!(screen.market(), Some(&id("BTC")));
        screen.turn_pin();
        assert_eq!(screen.market(), Some(&id("SOL")));
    }

    #[test]
    fn a_visit_shows_its_market_and_what_was_pinned_is_pinned_afterwards() {
        let mut screen = MarketScreen::default();
        screen.follow(Some(id("BTC")), NOW);
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
