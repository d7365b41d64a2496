//! The keys of the panes, and the selected row of each.

use crate::{
    app::{
        account::{pane::Pane, row_id::RowId},
        keys::keymap::{Action, Context},
        market::screen::MarketPanel,
        tables::seen::Seen,
    },
    model::Timestamp,
};

use super::rows::Rows;
use std::collections::BTreeMap;
use strum::IntoEnumIterator;

impl Pane {
    pub fn context(self) -> Context {
        match self {
            Self::Positions => Context::Positions,
            Self::Orders => Context::Orders,
            Self::Twaps => Context::Twaps,
            Self::Scaled => Context::Scaled,
            Self::Closed => Context::Closed,
            Self::History => Context::History,
            Self::Activity => Context::Activity,
            Self::Calls => Context::Calls,
        }
    }

    /// The pane of a focus key.
    pub fn of(action: Action) -> Option<Self> {
        Self::iter().find(|pane| pane.focus_action() == action)
    }

    /// The action that focuses this pane.
    pub fn focus_action(self) -> Action {
        match self {
            Self::Positions => Action::Positions,
            Self::Orders => Action::Orders,
            Self::Twaps => Action::Twaps,
            Self::Scaled => Action::Scaled,
            Self::Closed => Action::Closed,
            Self::History => Action::History,
            Self::Activity => Action::Activity,
            Self::Calls => Action::Calls,
        }
    }
}

/// What a place of the screen shows, and what can have the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceContent {
    Pane(Pane),
    Panel(MarketPanel),
}

/// Which pane has the keys, which history tab is up, and the selection of each pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Focus {
    pub pane: Pane,
    /// The tab on top while another pane has the keys.
    pub tab: Pane,
    /// The same of TWAPs and scaled orders.
    pub strategy: Pane,
    /// The panel of the market that has the keys in place of a pane.
    pub panel: Option<MarketPanel>,
    pub zoomed: bool,
    selected: BTreeMap<Pane, RowId>,
    /// What the cursor was on at the last check.
    seen: BTreeMap<Pane, Seen>,
    /// Panes whose cursor moved to another row while they were hidden.
    overlooked: BTreeMap<Pane, RowId>,
    /// The row under the cursor disappeared: until then no key acts there, unless somebody moves it first.
    startled: BTreeMap<Pane, Timestamp>,
}

impl Default for Focus {
    fn default() -> Self {
        Self {
            pane: Pane::default(),
            tab: Pane::Closed,
            strategy: Pane::Twaps,
            panel: None,
            zoomed: false,
            selected: BTreeMap::new(),
            seen: BTreeMap::new(),
            overlooked: BTreeMap::new(),
            startled: BTreeMap::new(),
        }
    }
}

impl Focus {
    pub fn go(&mut self, pane: Pane) {
        self.pane = pane;
        self.panel = None;
        if pane.is_history() {
            self.tab = pane;
        }
        if pane.is_strategy() {
            self.strategy = pane;
        }
    }

    /// What has the keys.
    pub fn content(&self) -> PlaceContent {
        self.panel
            .map_or(PlaceContent::Pane(self.pane), PlaceContent::Panel)
    }

    /// Whether this pane has the keys.
    pub fn has_keys(&self, pane: Pane) -> bool {
        self.panel.is_none() && self.pane == pane
    }

    /// The selected row and its index in `rows`: the remembered one if it exists, otherwise the first.
    pub fn selected(&self, pane: Pane, rows: &Rows<'_>) -> Option<(usize, RowId)> {
        let wanted = self.selected.get(&pane);
        let at = wanted.and_then(|row| rows.position(row)).unwrap_or(0);
        rows.get(at).map(|row| (at, row))
    }

    pub fn select(&mut self, pane: Pane, row: RowId) {
        self.selected.insert(pane, row);
        self.startled.remove(&pane);
        self.overlooked.remove(&pane);
    }

    /// The row that a person chose, or that the cursor was kept on.
    pub(crate) fn chosen(&self, pane: Pane) -> Option<&RowId> {
        self.selected.get(&pane)
    }

    /// The cursor moved to this row by itself.
    pub(crate) fn fall(&mut self, pane: Pane, row: RowId) {
        self.selected.insert(pane, row);
    }

    pub(crate) fn seen(&self, pane: Pane) -> Option<&Seen> {
        self.seen.get(&pane)
    }

    pub(crate) fn see(&mut self, pane: Pane, seen: Seen) {
        self.seen.insert(pane, seen);
    }

    /// The cursor moved to another row that nobody has seen yet.
    pub(crate) fn overlook(&mut self, pane: Pane, left: RowId) {
        self.overlooked.entry(pane).or_insert(left);
    }

    /// The row that the cursor was on when the pane was last visible, if it has moved since.
    pub(crate) fn overlooked(&self, pane: Pane) -> Option<&RowId> {
        self.overlooked.get(&pane)
    }

    /// The pane is visible: returns whether its cursor had moved by itself.
    pub(crate) fn notice(&mut self, pane: Pane) -> bool {
        self.overlooked.remove(&pane).is_some()
    }

    pub(crate) fn startle(&mut self, pane: Pane, until: Timestamp) {
        self.startled.insert(pane, until);
    }

    /// Until when the new row under the cursor counts as unseen.
    pub(crate) fn startled(&self, pane: Pane) -> Option<Timestamp> {
        self.startled.get(&pane).copied()
    }
}
