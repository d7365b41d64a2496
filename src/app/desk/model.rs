//! The state of one desk.

use crate::{
    app::{
        account::{
            labels::AccountLabels, options::Options, pane::Pane, row_id::RowId, tracked::Tracked,
        },
        core::account::{Account, KeyHints},
        dialogs::overlay::Overlay,
        forms::form::{self, Form},
        keys::{
            key_prefix::KeyPrefix,
            keymap::{Action, Context, Keymap},
        },
        market::{
            own_orders::own_position,
            price_ladder::PriceLadder,
            screen::{MarketPanel, MarketScreen},
        },
        rules::warnings::OrderWarning,
        tables::{
            all_rows::{self, All},
            marks::Marks,
            pane::Focus,
            rows::{self, Rows},
            table_view::{
                TableViews,
                fact::{ColumnName, Fact},
            },
        },
    },
    model::{MarketId, PositionId, Ticket, Timestamp, draft::Seen},
};

use super::{frozen::Frozen, reload, replaced_row::RowReplacement, tour_step::Tour};
use std::{collections::BTreeMap, ptr::fn_addr_eq};

/// One account's desk: the whole state behind the keys and the screen.
#[derive(Debug)]
pub struct Model {
    pub account: Account,
    /// Changed by [`Self::set_keymap`].
    pub keymap: Keymap,
    pub reading: Reading,
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
    /// The index of the chosen size preset, by market; the first by default.
    pub(crate) presets: BTreeMap<MarketId, usize>,
    /// What is filtered and sorted, and how.
    pub table_views: Tracked<TableViews>,
    /// The lists of now while the display is frozen; `None` while it is not.
    pub frozen: Option<Frozen>,
    /// The command lines of this session, newest last.
    pub(crate) spoken: Vec<String>,
    /// Where the cursor goes after a flip.
    pub(crate) row_replacement: Option<RowReplacement>,
    /// Whether the settings on disk are in force.
    pub settings: reload::ReloadStatus,
    /// The first key of a sequence, until the second comes.
    pub(crate) key_prefix: Option<KeyPrefix>,
    /// The tour, while it runs.
    pub tour: Option<Tour>,
}

impl Model {
    /// The keys of this desk from now on, also in the messages of its account.
    pub fn set_keymap(&mut self, keymap: Keymap) {
        self.account.key_hints = key_hints(&keymap);
        self.keymap = keymap;
    }

    pub fn new(options: Options, reading: Reading, keymap: Keymap, now: Timestamp) -> Self {
        Self {
            account: Account {
                key_hints: key_hints(&keymap),
                ..Account::new(options, now)
            },
            keymap,
            reading,
            roster: AccountLabels::default(),
            focus: Focus::default(),
            market_screen: MarketScreen::default(),
            price_ladder: PriceLadder::default(),
            marks: Tracked::default(),
            overlays: vec![],
            refused: vec![],
            sent_forms: Tracked::default(),
            sent_at: None,
            presets: BTreeMap::new(),
            table_views: Tracked::default(),
            frozen: None,
            spoken: vec![],
            row_replacement: None,
            settings: reload::ReloadStatus::default(),
            key_prefix: None,
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

    /// The open position that keys act on now: in a panel of the market the one there, else that of the row under the
    /// cursor.
    pub fn position_under_keys(&self) -> Option<PositionId> {
        if self.focus.panel.is_some() {
            let market = self.market_screen.market()?;
            return own_position(&self.account.store, market).map(|position| position.id.clone());
        }
        let is_listed = self.focus.pane == Pane::Positions;
        let Some(RowId::Position(id)) = is_listed.then(|| self.selected()).flatten() else {
            return None;
        };
        Some(id)
    }

    /// The same, where it is reported beside the market shown: a pinned market does not follow the cursor of a pane.
    pub fn position_named_with_keys(&self) -> Option<PositionId> {
        let follows = self.focus.panel.is_some() || !self.market_screen.is_pinned();
        self.position_under_keys().filter(|_| follows)
    }

    pub(crate) fn all_rows(&self, pane: Pane) -> All<'_> {
        all_rows::all(&self.account.store, &self.account.activity, pane)
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

fn key_hints(keymap: &Keymap) -> KeyHints {
    let key = |context, action| Some(keymap.chord(context, action)?.to_string());
    KeyHints {
        rearm: key(Context::Desk, Action::ResumeEntries),
        alerts: key(Context::Desk, Action::UserAlerts),
        let_alerts_fire: key(Context::UserAlerts, Action::LetAlertsFire),
        decide: key(Context::Desk, Action::Decide),
    }
}

/// A form whose command was refused, and its line in the activity pane.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) form: Box<Form>,
    pub(crate) line: u64,
}

/// A row's value in a column; the row by its index in the pane's own order, the column by its number.
pub(crate) type Read = fn(&Model, Pane, usize, usize) -> Fact;

/// How the columns of the panes are read, and how a question is put. Tables and words belong to the view, which the app does
/// not name: the creator of a desk passes this in.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The columns of a pane, in the default order.
    pub columns: fn(Pane) -> Vec<ColumnName>,
    /// The value of the row at this index (before filter and sort) in the n-th column.
    pub fact: Read,
    /// All words of the row at this index: its cells and its id, in lower case.
    pub words: fn(&Model, Pane, usize) -> String,
    /// The numbers of the row at this index as displayed, without thousands separators.
    pub numbers: fn(&Model, Pane, usize) -> String,
    /// What a form asks about, in words.
    pub question: fn(&OrderWarning, &Seen<'_>) -> String,
}

/// Compares the functions.
impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        fn_addr_eq(self.columns, other.columns)
            && fn_addr_eq(self.fact, other.fact)
            && fn_addr_eq(self.words, other.words)
            && fn_addr_eq(self.numbers, other.numbers)
            && fn_addr_eq(self.question, other.question)
    }
}
