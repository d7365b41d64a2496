//! The state of one desk.

use crate::{
    app::{
        account::{labels::AccountLabels, row_id::RowId},
        core::account::Account,
        dialogs::overlay::Overlay,
        forms::form::{self, Form},
        keys::{
            key_prefix::KeyPrefix,
            keymap::{Context, Keymap},
        },
        market::{
            price_ladder::PriceLadder,
            screen::{MarketPanel, MarketScreen},
        },
        tables::{
            marks::Marks,
            pane::{Focus, Pane},
            rows::{self, All, Rows},
            table_view::TableViews,
        },
    },
    model::{Ticket, Timestamp},
};

use super::{
    freeze::Frozen, options::Options, presets::ChosenPresets, reload, tour, tracked::Tracked,
};
use std::collections::BTreeMap;

/// One account's desk: the whole state behind the keys and the screen.
#[derive(Debug)]
pub struct Model {
    pub account: Account,
    pub keymap: Keymap,
    /// The accounts of this desk, including this one.
    pub roster: AccountLabels,
    pub focus: Focus,
    pub market_screen: MarketScreen,
    pub price_ladder: PriceLadder,
    pub marks: Tracked<Marks>,
    /// The last one is on top and gets the keys.
    pub overlays: Vec<Overlay>,
    /// The forms of refused commands, newest last.
    pub(crate) refused: Vec<Refused>,
    /// The forms of commands in progress, and of orders that wait for a cancel.
    pub(crate) sent_forms: Tracked<BTreeMap<Ticket, Box<form::Form>>>,
    /// When a form was last sent and closed.
    pub(crate) sent_at: Option<Timestamp>,
    /// Which size preset is on in each market.
    pub(crate) presets: ChosenPresets,
    /// What is filtered and sorted, and how.
    pub table_views: Tracked<TableViews>,
    /// The polls since the display was paused; `None` while it is not.
    pub frozen: Option<Frozen>,
    /// The command lines of this session, newest last.
    pub(crate) spoken: Vec<String>,
    /// Where the cursor goes after a flip.
    pub(crate) row_replacement: Option<super::row_replacement::RowReplacement>,
    /// Whether the settings on disk are in force.
    pub settings: reload::ReloadStatus,
    /// The first key of a sequence, until the second comes.
    pub(crate) chain: Option<KeyPrefix>,
    /// The tour, while it runs.
    pub tour: Option<tour::Tour>,
}

impl Model {
    pub fn new(options: Options, keymap: Keymap, now: Timestamp) -> Self {
        Self {
            account: Account::new(options, now),
            keymap,
            roster: AccountLabels::default(),
            focus: Focus::default(),
            market_screen: MarketScreen::default(),
            price_ladder: PriceLadder::default(),
            marks: Tracked::default(),
            overlays: vec![],
            refused: vec![],
            sent_forms: Tracked::default(),
            sent_at: None,
            presets: ChosenPresets::default(),
            table_views: Tracked::default(),
            frozen: None,
            spoken: vec![],
            row_replacement: None,
            settings: reload::ReloadStatus::default(),
            chain: None,
            tour: None,
        }
    }

    pub fn rows(&self, pane: Pane) -> Rows<'_> {
        rows::rows(
            &self.account.store,
            &self.account.activity,
            &self.table_views,
            pane,
        )
    }

    /// The row of this pane that keys act on, and its index.
    pub fn selected_in(&self, pane: Pane) -> Option<(usize, RowId)> {
        self.focus.selected(pane, &self.rows(pane))
    }

    /// The row that keys act on now; none while a panel of the market has them.
    pub fn selected(&self) -> Option<RowId> {
        if self.focus.panel.is_some() {
            return None;
        }
        self.selected_in(self.focus.pane).map(|(_, row)| row)
    }

    pub(crate) fn all_rows(&self, pane: Pane) -> All<'_> {
        rows::all(&self.account.store, &self.account.activity, pane)
    }

    /// The context of a form.
    pub fn form_context(&self) -> form::FormContext<'_> {
        let now = (self.account.now, self.account.service_now());
        self.account
            .options
            .form_context(&self.account.store, &self.account.used, now)
    }

    /// The topmost panel decides what a key means.
    pub fn context(&self) -> Context {
        self.overlays
            .last()
            .map_or_else(|| self.place(), Overlay::context)
    }

    /// What of the desk has the keys when nothing lies over it.
    pub fn place(&self) -> Context {
        match self.focus.panel {
            Some(MarketPanel::Chart) => Context::MarketChart,
            Some(MarketPanel::Ladder) => Context::PriceLadder,
            None => self.focus.pane.context(),
        }
    }

    /// Whether typed letters are text in the current focus.
    pub fn takes_text(&self) -> bool {
        self.context().takes_text()
    }
}

/// A form whose command was refused, and its line in the activity pane.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) form: Box<Form>,
    pub(crate) line: u64,
}
