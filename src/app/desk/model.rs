//! The state of one desk.

use crate::{
    app::{
        account::{
            guard::Guard,
            identity::Identity,
            labels::{AccountLabels, Visibility},
            poll::Source,
            row_id::RowId,
            session::Session,
            store::Store,
        },
        activity::{
            alerts,
            notice::{self, Activity, Tone},
            user_alerts::UserAlerts,
        },
        dialogs::overlay::Overlay,
        forms::form::{self, Form},
        keys::{
            key_prefix::KeyPrefix,
            keymap::{Context, Keymap},
        },
        market::{
            data::MarketData,
            poll::MarketPolls,
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
    model::{AccountId, Drift, Ticket, Timestamp},
};

use super::{
    freeze::Frozen, options::Options, presets::ChosenPresets, reload, tour, tracked::Tracked,
};
use std::{collections::BTreeMap, time::Duration};
use strum::IntoEnumIterator as _;

/// One account's desk: the whole state behind the keys and the screen.
#[derive(Debug)]
pub struct Model {
    /// The desk's own time, which only goes forward; see [`Self::wall_now`].
    pub now: Timestamp,
    pub drift: Drift,
    pub options: Options,
    pub keymap: Keymap,
    /// `None` until the service is known.
    pub identity: Option<Identity>,
    /// The accounts of this desk, including this one.
    pub roster: AccountLabels,
    /// Whether this account is on the screen.
    pub visibility: Visibility,
    pub store: Tracked<Store>,
    /// Candles and trades of the markets that were shown.
    pub market_data: Tracked<MarketData>,
    pub(crate) market_polls: MarketPolls,
    pub focus: Focus,
    pub market_screen: MarketScreen,
    pub price_ladder: PriceLadder,
    pub marks: Tracked<Marks>,
    /// The last one is on top and gets the keys.
    pub overlays: Vec<Overlay>,
    pub activity: Tracked<Activity>,
    /// The forms of refused commands, newest last.
    pub(crate) refused: Vec<Refused>,
    /// The forms of commands in progress, and of orders that wait for a cancel.
    pub(crate) sent_forms: Tracked<BTreeMap<Ticket, Box<form::Form>>>,
    /// When a form was last sent and closed.
    pub(crate) sent_at: Option<Timestamp>,
    /// The terms of this session's orders, by market.
    pub used: form::Used,
    /// Which size preset is on in each market.
    pub(crate) presets: ChosenPresets,
    /// What is filtered and sorted, and how.
    pub table_views: Tracked<TableViews>,
    /// The polls since the display was paused; `None` while it is not.
    pub frozen: Option<Frozen>,
    /// The command lines of this session, newest last.
    pub(crate) spoken: Vec<String>,
    /// What was requested before the account was known.
    pub(crate) early_exit: Option<EarlyExit>,
    /// Where the cursor goes after a flip.
    pub(crate) row_replacement: Option<super::row_replacement::RowReplacement>,
    /// Why new entries are refused, until the trader re-arms the desk.
    pub halted: Option<String>,
    /// Whether the settings on disk are in force.
    pub settings: reload::ReloadStatus,
    pub(crate) session: Session,
    pub(crate) watch: alerts::Watch,
    /// The alerts that the trader has set.
    pub user_alerts: Tracked<UserAlerts>,
    /// Which version of the trades is written down, and since when.
    pub(crate) trades_kept: (u64, Timestamp),
    /// The versions of closed positions, of orders and of placed stops that first stops were learned from.
    pub(crate) trades_learned: (u64, u64, u64),
    pub guard: Guard,
    /// The first key of a sequence, until the second comes.
    pub(crate) chain: Option<KeyPrefix>,
    /// The tour, while it runs.
    pub tour: Option<tour::Tour>,
}

impl Model {
    pub fn new(options: Options, keymap: Keymap, now: Timestamp) -> Self {
        Self {
            now,
            store: Tracked::new(Store::by(options.zone.clone())),
            market_data: Tracked::default(),
            market_polls: MarketPolls::default(),
            drift: Drift::default(),
            options,
            keymap,
            identity: None,
            roster: AccountLabels::default(),
            visibility: Visibility::default(),
            focus: Focus::default(),
            market_screen: MarketScreen::default(),
            price_ladder: PriceLadder::default(),
            marks: Tracked::default(),
            overlays: vec![],
            activity: Tracked::default(),
            refused: vec![],
            sent_forms: Tracked::default(),
            sent_at: None,
            used: form::Used::default(),
            presets: ChosenPresets::default(),
            table_views: Tracked::default(),
            frozen: None,
            spoken: vec![],
            early_exit: None,
            row_replacement: None,
            halted: None,
            settings: reload::ReloadStatus::default(),
            session: Session::default(),
            watch: alerts::Watch::default(),
            user_alerts: Tracked::default(),
            trades_kept: (0, now),
            trades_learned: (0, 0, 0),
            guard: Guard::default(),
            chain: None,
            tour: None,
        }
    }

    /// The machine's wall clock, for comparison with the service's dates.
    pub fn wall_now(&self) -> Timestamp {
        self.drift.on_wall(self.now)
    }

    /// The service's clock now.
    pub fn service_now(&self) -> Timestamp {
        self.service_at(self.now)
    }

    /// The service's clock at `own`, an instant of the desk's own time.
    pub(crate) fn service_at(&self, own: Timestamp) -> Timestamp {
        self.store.clocks.at(own, self.drift.on_wall(own))
    }

    /// The instant that ages and countdowns in rows are computed for. They change together, once a second and with the
    /// newest answer.
    pub fn shown_second(&self) -> Timestamp {
        let newest = Source::iter().filter_map(|source| self.store.polled_at(source));
        newest.max().map_or(self.now, |newest| {
            let seconds = (self.now.0 - newest.0).div_euclid(1_000);
            Timestamp(newest.0 + seconds * 1_000)
        })
    }

    /// Rises with every change of what is known of the markets.
    pub fn market_version(&self) -> u64 {
        self.market_data.version() + self.store.books.version()
    }

    /// Whether an answer about the markets is still to come.
    pub(crate) fn awaits_market_data(&self) -> bool {
        self.market_polls.is_awaiting() || self.market_data.awaits_older()
    }

    pub fn rows(&self, pane: Pane) -> Rows<'_> {
        rows::rows(&self.store, &self.activity, &self.table_views, pane)
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
        rows::all(&self.store, &self.activity, pane)
    }

    /// The account that the command would act on, or why it cannot be given yet.
    pub(crate) fn account_for(&self, command: &str) -> Result<AccountId, String> {
        let known = self.identity.as_ref();
        let account_id = known.map(|identity| identity.account_id.clone());
        account_id.ok_or_else(|| format!("{command}: the account is not known yet"))
    }

    /// How often a source is polled at least; `None` if it is not polled.
    pub fn interval_of(&self, source: Source) -> Option<Duration> {
        let set = *self.options.intervals.get(&source)?;
        let about = self.store.about.as_ref();
        let has_budget = about.is_some_and(|about| !about.is_simulator());
        Some(if has_budget {
            set.max(source.idle_interval())
        } else {
            set
        })
    }

    /// The age of a source's data at `now`, and its interval; `None` before the first answer.
    pub fn age_of(&self, source: Source, now: Timestamp) -> Option<(Duration, Option<Duration>)> {
        let age = now.since(self.store.polled_at(source)?);
        let interval = self.interval_of(source);
        Some((
            age,
            interval.map(|interval| interval * self.visibility.slower()),
        ))
    }

    /// The context of a form.
    pub fn form_context(&self) -> form::FormContext<'_> {
        let now = (self.now, self.service_now());
        self.options.form_context(&self.store, &self.used, now)
    }

    /// Shows a message that is about no command.
    pub(crate) fn say(&mut self, tone: Tone, words: impl Into<String>) {
        let event = notice::Event::Message(tone, words.into());
        self.activity.note(None, event, self.now);
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

/// A close-all or flatten that waits for the account. The later ones do more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EarlyExit {
    CloseAllKey,
    FlattenKey,
    /// By a signal, which asks nothing.
    FlattenNow,
}

impl EarlyExit {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CloseAllKey => "close-all",
            Self::FlattenKey | Self::FlattenNow => "flatten",
        }
    }
}

/// A form whose command was refused, and its line in the activity pane.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) form: Box<Form>,
    pub(crate) line: u64,
}
