//! The desk's behaviour as one pure function: what happened comes in as [`Msg`], what is wanted of the
//! world goes out as [`Effect`], and [`update()`] joins them.
//!
//! Contract: no I/O, no clock, no terminal, no async. Time comes in with every message.

mod about;
mod alerts;
mod arrival;
mod books;
mod bulk;
mod called;
mod chain;
pub mod checks;
mod clocks;
pub mod command;
mod days;
mod doubt;
mod equity;
pub mod export;
mod feed;
pub mod fees;
mod fleet;
mod flight;
pub mod form;
mod freeze;
pub mod guard;
mod guest;
pub mod halt;
mod health;
pub mod keymap;
pub mod lens;
mod line;
mod lineage;
pub mod marks;
pub mod mouse;
pub mod notice;
pub mod overlay;
pub mod pane;
pub mod poll;
mod press;
mod prices;
pub mod prompt;
mod remote;
pub mod renewal;
mod screen;
mod store;
mod submit;
mod tally;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod tour;
mod unseen;
mod update;
mod wake;

pub use about::{About, Target};
pub use alerts::Alert;
pub use books::{Books, EVERY as BOOK_EVERY};
pub use bulk::marked;
pub use chain::{Chain, awaited};
pub use clocks::Clocks;
pub use days::{DayResult, Days};
pub use equity::Equity;
pub use feed::{Churn, Feed};
pub use fleet::{Desks, Fleet, Glance, Roster, Seat, Switch, Whose};
pub use freeze::Frozen;
pub use guest::{Guest, Sending, Wish};
pub use health::Health;
pub use lineage::{Lineage, links};
pub use prices::{Fill, Prices};
pub use remote::Remote;
pub use screen::{Rows, TreeRow};
pub use store::{Closing, Ended, Flight, Store};
pub use tally::{Fills, MarketResults, Quality, Results, Rule, Sum};
pub use update::update;
pub use wake::wake;

use crate::config::{Alerts, Checks, Dialect, Fees, Guard, Theme};
pub use crate::config::{Motion, Tint};
use crate::model::{
    AccountId, Book, Call, Command, Cursor, Drift, Failure, IdempotencyKey, MarketId, OrderId,
    Progress, Receipt, ScaledId, Side, Ticket, Timestamp, Zone,
};
use keymap::{Action, Chord, Context, Keymap};
use lens::{Lenses, Reading};
use marks::Marks;
use mouse::Spot;
use notice::{Activity, Notice, Tone};
use overlay::Overlay;
use pane::{Focus, Pane, RowId};
use poll::{Poll, Source};
use std::{collections::BTreeMap, ops::Range, time::Duration};

/// Everything that can happen. The only way in.
#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    Key(Chord),
    /// A key on a screen too small to draw anything but a strip.
    Unseen(Chord),
    Paste(String),
    /// The left button was pressed on what the last frame showed there.
    Click(Spot),
    /// The wheel was turned over a list, of which the rows at these places are seen from now on.
    Scrolled(Spot, Range<usize>),
    /// The terminal changed its size, or only time has passed.
    Tick,
    /// The far end is known: which it is and which account.
    Opened(Identity),
    Polled(Box<Poll>),
    /// The order book of a market, asked for at this instant.
    Booked(MarketId, Timestamp, Result<Book, Failure>),
    Called(Call),
    /// A poll was not answered, or with trouble; it is asked again at this instant.
    TriesAgain(Source, Timestamp),
    Progress(Ticket, Progress),
    Settled(Ticket, Result<Receipt, Failure>),
    /// A cancel that was queued has come to its end.
    Ended(OrderId, Result<Receipt, Failure>),
    /// A command of an earlier session that is still in doubt: it has a number on this desk now.
    Resumed(Ticket, Command),
    /// An alert with a way to undo what it is about.
    Offered(String, Command),
    /// An export: where it is and how many rows it holds, or why there is none.
    Written(Result<(String, usize), String>),
    /// The machine's wall clock was set.
    ClockSet(Drift),
    /// Get out now: from outside the terminal.
    Flatten,
    /// The command line wants this done while the desk has the journal.
    Asked(Guest, Wish),
    /// Why nothing that raises exposure is sent from now on; `None` when it is again.
    Halted(Option<String>),
    /// The settings files read otherwise now, or were asked for.
    Reread(renewal::Reread),
    /// The world outside the desk has something to say to the trader.
    Said(Tone, String),
}

/// Everything the app may ask of the world. The only way out.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Send(Ticket, Command),
    /// The same for a command that somebody else has named.
    SendAs(Ticket, Command, IdempotencyKey),
    /// From now on this guest hears how the ticket goes.
    Attend(Guest, Ticket),
    /// What this guest wanted is not sent, and why.
    TurnAway(Guest, String),
    /// The parked command of this ticket: the same request with the same key once more.
    Again(Ticket),
    /// The parked command of this ticket is given up, whatever became of it.
    GiveUp(Ticket),
    /// A person trades on after a halt.
    Rearm,
    /// Another account is wanted on the screen: the desk's own to do.
    Show(Switch),
    /// From now on this account is looked at, or not.
    Glance(Glance),
    /// Poll these now, whatever their interval.
    Poll(Vec<Source>),
    MoreClosed(Cursor),
    MoreHistory(Cursor),
    /// The order book of this market, once.
    Book(MarketId),
    /// From now on poll these ladders too.
    Watch(Vec<ScaledId>),
    /// Something for the terminal itself, outside the screen.
    Signal(Signal),
    /// From now on poll this often.
    Pace(BTreeMap<Source, Duration>),
    /// From now on nothing but reads leaves; and the end of that.
    HoldBack,
    LetThrough,
    /// These colours for the session; `None` for those of the settings.
    Wear(Option<Theme>),
    /// These columns of the pane from now on, and in the next session; `None` for all in their own order. Every account
    /// of the desk is looked at like this.
    KeepColumns(Pane, Option<Vec<usize>>),
    /// Read the settings now; answered by [`Msg::Reread`].
    Reread,
    /// Into a file of its own; answered by [`Msg::Written`].
    Write(Box<export::Sheet>),
    Quit,
}

/// What is said to the terminal and not drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    Bell,
    /// A desktop notification of this.
    Notify(Box<Notice>),
    /// Into the clipboard.
    Copy(Clip),
}

/// What is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clip {
    Text(String),
    /// One below the other.
    Lines(Vec<String>),
    /// All that is known of this row.
    Detail(RowId),
}

/// What a screen, a form or a strip may ask of the app; it never reaches sideways.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    Stay,
    Close,
    Open(Box<Overlay>),
    /// Send it; the overlay that asked for it, if one did, closes.
    Run(Command),
    /// Send them one by one, listed with what comes of each; the strip that asked closes.
    RunEach(Vec<Command>),
    /// Send the parked command of this ticket again; the strip closes.
    Again(Ticket),
    /// Let go of the parked command of this ticket; the strip closes.
    GiveUp(Ticket),
    /// Send what raises exposure again; the strip closes.
    Rearm,
    /// Of a form only: send it; the form stays until it settles, and keeps its contents if it fails.
    RunAndStay(Command),
    /// This pane, filtered like this; the overlay that asked closes.
    Show(Pane, String),
    /// As if the key for this had been pressed on the desk.
    Press(Action),
    /// These columns of the pane, kept; `None` for all in their own order. The list that asked closes.
    Choose(Pane, Option<Vec<usize>>),
    /// Ask this of the world.
    Want(Effect),
    /// A form for a new order there.
    Order(Side, MarketId),
    /// Show another account; the list that asked closes.
    Switch(Switch),
    /// Hold the display, or let it go on.
    Freeze,
    /// Say why a key does nothing.
    Refuse(String),
    Copy(Clip),
    /// New risk is let through although a loss limit is reached; the strip closes.
    Lift,
    /// What was replaced works on beside the new one, and this would cancel it; the strip closes.
    Keep(Command),
    /// Go, whatever is on its way.
    Leave,
}

/// Where orders go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Paper,
    LiveApi,
}

/// The far end as the header names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub mode: Mode,
    pub account_id: AccountId,
    pub base_url: String,
    pub profile: Profile,
}

/// What a person has given an account to know it by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: Option<String>,
    pub tint: Option<Tint>,
}

/// When the one-key close-all goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseAllRule {
    /// After this long unless stopped; zero sends at once.
    After(Duration),
    /// Only when confirmed.
    Confirmed,
}

/// What the settings decide about behaviour.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub close_all: CloseAllRule,
    /// How often each source is polled: the measure of what is stale.
    pub intervals: BTreeMap<Source, Duration>,
    /// How the service spells what is sent: a form can show it.
    pub dialect: Dialect,
    /// What a new order must keep to.
    pub checks: Checks,
    /// Nothing is sent.
    pub read_only: bool,
    /// Whose clocks a typed date is read by.
    pub zone: Zone,
    /// How the columns of the panes read: the view's tables.
    pub reading: Reading,
    /// How news is told.
    pub alerts: Alerts,
    /// The limits of the challenge where the service does not tell them.
    pub guard: Guard,
    /// What is charged where the service does not tell.
    pub fees: Fees,
    /// Whether what only time moves stands still where it can.
    pub motion: Motion,
}

/// One account's desk: all that decides what a key does and what is on the screen.
#[derive(Debug)]
pub struct Model {
    /// The desk's own time, which only goes forward; see [`Self::wall_now`].
    pub now: Timestamp,
    pub drift: Drift,
    pub options: Options,
    pub keymap: Keymap,
    /// `None` until the far end is known.
    pub identity: Option<Identity>,
    /// The accounts of this desk, this one among them.
    pub roster: Roster,
    /// Whether this account is on the screen.
    pub glance: Glance,
    pub store: Store,
    pub focus: Focus,
    pub marks: Marks,
    /// The last one is on top and gets the keys.
    pub overlays: Vec<Overlay>,
    pub activity: Activity,
    /// What the orders of this session were placed with, by market.
    pub used: form::Used,
    /// What is filtered and sorted, and how.
    pub lenses: Lenses,
    /// What has come since the display was held; `None` while it is not.
    pub frozen: Option<Frozen>,
    /// The command lines of this session, the newest last.
    spoken: Vec<String>,
    /// A flatten was asked for before the account was known.
    flatten_wanted: bool,
    /// Why nothing that raises exposure is sent, until the trader re-arms the desk.
    pub halted: Option<String>,
    /// Whether the settings on disk are in force.
    pub settings: renewal::Standing,
    session: checks::Session,
    watch: alerts::Watch,
    pub guard: guard::Guard,
    /// The first of two keys, until the second comes.
    chain: Option<Chain>,
    /// What a new trader is shown, while that lasts.
    pub tour: Option<tour::Tour>,
}

impl Model {
    pub fn new(options: Options, keymap: Keymap, now: Timestamp) -> Self {
        Self {
            now,
            store: Store::by(options.zone.clone()),
            drift: Drift::default(),
            options,
            keymap,
            identity: None,
            roster: Roster::default(),
            glance: Glance::default(),
            focus: Focus::default(),
            marks: Marks::default(),
            overlays: vec![],
            activity: Activity::default(),
            used: form::Used::default(),
            lenses: Lenses::default(),
            frozen: None,
            spoken: vec![],
            flatten_wanted: false,
            halted: None,
            settings: renewal::Standing::default(),
            session: checks::Session::default(),
            watch: alerts::Watch::default(),
            guard: guard::Guard::default(),
            chain: None,
            tour: None,
        }
    }

    /// What the machine's wall clock says, as the service dates things.
    pub fn wall_now(&self) -> Timestamp {
        self.drift.on_wall(self.now)
    }

    /// Whose `deed` it would be, or why it cannot be done yet.
    fn account_for(&self, deed: &str) -> Result<AccountId, String> {
        let known = self.identity.as_ref();
        let account_id = known.map(|identity| identity.account_id.clone());
        account_id.ok_or_else(|| format!("{deed}: the account is not known yet"))
    }

    /// What a form is read against.
    pub fn around(&self) -> form::Around<'_> {
        form::Around::of(&self.store, &self.used, &self.options, self.wall_now())
    }

    /// Says something to the trader that is about no command.
    fn say(&mut self, tone: Tone, words: impl Into<String>) {
        let event = notice::Event::Said(tone, words.into());
        self.activity.note(None, event, self.now);
    }

    /// What a key means is decided by whatever is on top.
    pub fn context(&self) -> Context {
        self.overlays
            .last()
            .map_or(self.focus.pane.context(), Overlay::context)
    }
}
