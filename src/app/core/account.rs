//! What the desk knows of its account, and what it is set to.

use crate::{
    app::{
        account::{
            about::About,
            guard::Guard,
            identity::{Identity, Mode},
            labels::Visibility,
            options::Options,
            poll::{FULL_READ_EVERY, LATE, Source},
            session::Session,
            store::Store,
            tracked::Tracked,
            used_terms::UsedTerms,
        },
        activity::{
            alerts,
            notice::{self, Activity, Tone},
            user_alerts::{Freshness, UserAlerts},
        },
        market::{data::MarketData, poll::MarketPolls},
        workflows::Workflows,
    },
    config::{Fees, PresetTable},
    model::{AccountId, Drift, Interval, MarketId, Num, Ticket, Timestamp, Zone, draft::Bracket},
};
use std::{collections::BTreeSet, time::Duration};
use strum::IntoEnumIterator as _;

/// One account: everything that is needed to trade on it, and nothing of a screen.
#[derive(Debug)]
pub struct Account {
    /// The desk's own time, which only goes forward; see [`Self::wall_now`].
    pub now: Timestamp,
    pub drift: Drift,
    pub options: Options,
    pub key_hints: KeyHints,
    /// `None` until the service is known.
    pub identity: Option<Identity>,
    /// Whether this account is on the screen.
    pub visibility: Visibility,
    pub store: Tracked<Store>,
    /// Candles and trades of the markets that were shown.
    pub market_data: Tracked<MarketData>,
    pub(crate) market_polls: MarketPolls,
    pub activity: Tracked<Activity>,
    /// The terms of this session's orders, by market.
    pub used: UsedTerms,
    /// What was requested before the account was known.
    pub(crate) early_exit: Option<EarlyExit>,
    /// Why new entries are refused, until the trader resumes them.
    pub halted: Option<String>,
    pub(crate) session: Session,
    pub(crate) watch: alerts::Watch,
    /// The alerts that the trader has set.
    pub user_alerts: Tracked<UserAlerts>,
    /// Which version of the trades is written down, and since when.
    pub(crate) trades_kept: (u64, Timestamp),
    /// The versions of closed positions, of orders and of placed stops that first stops were learned from.
    pub(crate) trades_learned: (u64, u64, u64),
    pub guard: Guard,
    /// The markets whose bracket is switched off for this session.
    pub(crate) brackets_off: BTreeSet<MarketId>,
    /// Flips, replacements and moves in progress.
    pub workflows: Workflows,
}

impl Account {
    pub fn new(options: Options, now: Timestamp) -> Self {
        Self {
            now,
            store: Tracked::new(Store::by(options.zone.clone())),
            market_data: Tracked::default(),
            market_polls: MarketPolls::default(),
            drift: Drift::default(),
            options,
            key_hints: KeyHints::default(),
            identity: None,
            visibility: Visibility::default(),
            activity: Tracked::default(),
            used: UsedTerms::default(),
            early_exit: None,
            halted: None,
            session: Session::default(),
            watch: alerts::Watch::default(),
            user_alerts: Tracked::default(),
            trades_kept: (0, now),
            trades_learned: (0, 0, 0),
            guard: Guard::default(),
            brackets_off: BTreeSet::new(),
            workflows: Workflows::default(),
        }
    }

    /// Where orders go. A paper exchange of perpdeck on this machine is one, whoever started it.
    pub fn mode(&self) -> Option<Mode> {
        let identity = self.identity.as_ref()?;
        let about = self.store.about.as_ref();
        let is_paper = about.is_some_and(|about| about.is_paper_at(&identity.base_url));
        Some(if is_paper { Mode::Paper } else { identity.mode })
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
        // A quiet stream is not active in step with the polls: ages change with their answers, in one frame.
        let is_streamed = self.store.streams.account.is_up();
        let read = self.store.markets.at().max(self.store.account.at());
        let newest = newest.chain(read.filter(|_| is_streamed));
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

    /// `None` until the service is known.
    pub fn account_id(&self) -> Option<&AccountId> {
        self.identity.as_ref().map(|known| &known.account_id)
    }

    /// The account that the command would act on, or why it cannot be given yet.
    pub(crate) fn account_for(&self, command: &str) -> Result<AccountId, String> {
        let account_id = self.account_id().cloned();
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
        let is_streamed = source.is_of_account_stream() && self.store.streams.account.is_up();
        let interval = self.interval_of(source).map(|interval| {
            if is_streamed {
                interval.max(FULL_READ_EVERY)
            } else {
                interval
            }
        });
        Some((
            age,
            interval.map(|interval| interval * self.visibility.slower()),
        ))
    }

    /// Whether what a source reports is of now.
    pub fn freshness(&self, source: Source) -> Freshness {
        let has_failed = self.store.trouble(source).is_some();
        let is_late = match self.age_of(source, self.now) {
            None => true,
            Some((_, None)) => false,
            Some((age, Some(interval))) => age > interval * LATE,
        };
        if has_failed || is_late {
            Freshness::Stale
        } else {
            Freshness::Fresh
        }
    }

    /// The context of a form.
    pub fn form_context(&self) -> FormContext<'_> {
        FormContext {
            store: &self.store,
            used: &self.used,
            own: self.now,
            now: self.service_now(),
            zone: &self.options.zone,
            fees: &self.options.fees,
            brackets: &self.options.brackets,
            brackets_off: &self.brackets_off,
            market_data: &self.market_data,
        }
    }

    /// Notes what came of a command, about the object that it is for.
    pub(crate) fn note_of(&mut self, about: About, ticket: Option<Ticket>, event: notice::Event) {
        self.activity.note_of(about, ticket, event, self.now);
    }

    /// Shows a message that is about no command.
    pub(crate) fn say(&mut self, tone: Tone, words: impl Into<String>) {
        let event = notice::Event::Message(tone, words.into());
        self.activity.note(None, event, self.now);
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

/// The keys that the account's messages name; without a screen there are none.
#[derive(Debug, Default)]
pub struct KeyHints {
    pub(crate) rearm: Option<String>,
    pub(crate) alerts: Option<String>,
    pub(crate) let_alerts_fire: Option<String>,
    pub(crate) decide: Option<String>,
}

/// The account as a form sees it.
#[derive(Debug, Clone, Copy)]
pub struct FormContext<'a> {
    pub store: &'a Store,
    pub used: &'a UsedTerms,
    /// The desk's own clock, for ages.
    pub own: Timestamp,
    /// The service's clock, for dated orders.
    pub now: Timestamp,
    pub zone: &'a Zone,
    /// The fees if no fill shows them.
    pub fees: &'a Fees,
    pub(crate) brackets: &'a PresetTable<Bracket>,
    pub(crate) brackets_off: &'a BTreeSet<MarketId>,
    market_data: &'a MarketData,
}

/// Candles of a mean range.
const RANGES: usize = 14;

impl FormContext<'_> {
    /// The mean range of a minute, where the chart has loaded its candles.
    pub(crate) fn range(&self, market: &MarketId) -> Option<Num> {
        let candles = self.market_data.candles(market, Interval::Minute1)?;
        candles.mean_range(RANGES)
    }
}
