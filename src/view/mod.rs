//! View models: what is on the screen as words and tones, for the desk, the command line and exports
//! alike.
//!
//! Contract: pure functions of the model; no terminal types; only the rows asked for are formatted; what
//! is unknown is [`format::UNKNOWN`]. Every meaning is in the words, tones only repeat it.

mod accounts;
mod activity;
mod alert;
mod bulk;
mod calls;
mod closed;
mod column_list;
mod csv;
mod curve;
mod days;
mod detail;
mod export;
mod footer;
pub mod form;
pub mod format;
mod guard;
mod header;
mod help;
mod history;
mod listed;
mod markets;
mod orders;
mod panes;
mod passing;
mod positions;
mod price;
mod prompt;
mod protection;
mod quality;
mod question;
mod reading;
pub mod rows;
mod scaled;
mod settings;
mod spark;
mod strip;
mod table;
mod title;
mod tour;
mod twaps;
mod unseen;
mod words;

pub use accounts::accounts;
pub use activity::{EventLine, event_line};
pub use alert::notification;
pub use bulk::{BulkItem, BulkView, bulk};
pub use column_list::column_list;
pub use csv::{Members, Name, csv, field as csv_field, no_members};
pub use curve::{Curve, FULL, curve};
pub use days::DayLines;
pub use detail::{DetailLine, DetailView, detail, detail_text};
pub use export::{export, file, file_stem};
pub use footer::{Following, Hint, following, footer};
pub use guard::limits;
pub use header::{Chip, Header, Segment, header};
pub use help::{HelpSection, help};
pub use listed::ListView;
pub use markets::markets;
pub use panes::{emptiness, foot, pane_table};
pub use price::{Level, Place, PriceView, Trade, price};
pub use prompt::{PromptView, Under, prompt};
pub use quality::quality;
pub use reading::READING;
pub use scaled::{RungLine, head as ladder_head, rungs};
pub use settings::settings;
pub use strip::{FlightView, StripView, ToastView, flights, strip, toast};
pub use table::{
    Align, Body, Cell, Column, Facts, Gauge, Heading, Lead, Row, Share, Table, Widest,
};
pub use title::{Title, arrow, newer, title};
pub use tour::{TourView, tour};
pub use twaps::{Bar, TwapCard, cards};
pub use unseen::out_of_sight;

/// The columns of every resource, as the desk, the command line and exports show them.
pub mod columns {
    pub use super::{
        activity::ACTIVITY, calls::CALLS, closed::CLOSED, history::HISTORY, orders::WORKING,
        positions::OPEN, scaled::RUNGS, twaps::TWAPS,
    };
}

use crate::{
    app::{
        Mode, Model, Motion, Store,
        activity::notice::{self, Activity},
        keys::keymap::Action,
    },
    model::{Drift, Timestamp},
};
use format::Zone;
use std::time::Duration;

/// What a piece of text means; the theme decides how it looks. Every meaning is also in the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tone {
    #[default]
    Plain,
    /// Labels, units, what is there but not meant.
    Muted,
    /// What the eye should find first: the market, the equity.
    Strong,
    /// The thing that is selected or has the keys.
    Accent,
    /// Under way: partly filled, running.
    Info,
    /// Profit, bought, done.
    Good,
    /// Loss, sold, refused.
    Bad,
    /// Late, waiting, close to a limit.
    Warn,
    /// Old, unknown, over a limit.
    Alert,
}

impl From<notice::Tone> for Tone {
    fn from(tone: notice::Tone) -> Self {
        match tone {
            notice::Tone::Plain => Self::Plain,
            notice::Tone::Good => Self::Good,
            notice::Tone::Warn => Self::Warn,
            notice::Tone::Alert => Self::Alert,
        }
    }
}

/// A piece of text with its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    pub text: String,
    pub tone: Tone,
    /// What a click on it presses the key for.
    pub presses: Option<Action>,
}

impl Span {
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            tone,
            presses: None,
        }
    }

    /// The same as a button: the words of a key.
    #[must_use]
    pub fn pressing(self, action: Action) -> Self {
        Self {
            presses: Some(action),
            ..self
        }
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Plain)
    }

    pub fn muted(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Muted)
    }

    /// What stands where nothing is known.
    pub fn unknown() -> Self {
        Self::muted(format::UNKNOWN)
    }
}

/// What a cell may look at besides its own row.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub store: &'a Store,
    /// What this desk has done: it knows of cancels the service has queued.
    pub activity: &'a Activity,
    /// What the wall clock says: what the service dates is measured by it.
    pub now: Timestamp,
    /// The same moment in the desk's own time: countdowns run on it.
    pub own_now: Timestamp,
    pub zone: &'a Zone,
    /// Whom the numbers are from, once that is known.
    pub mode: Option<Mode>,
    /// Whether what only time moves stands still.
    pub motion: Motion,
    /// The tone of numbers that late prices are part of; `None` while prices are not late.
    pub priced: Option<Tone>,
}

impl<'a> Scene<'a> {
    pub fn of(model: &'a Model, zone: &'a Zone) -> Self {
        Self {
            store: &model.store,
            activity: &model.activity,
            now: model.wall_now(),
            own_now: model.now,
            zone,
            mode: model.identity.as_ref().map(|identity| identity.mode),
            motion: model.options.motion,
            priced: title::priced(model),
        }
    }

    /// What the service's clock said at `own`, an instant of the desk's own time: what it dates is measured by that.
    pub(super) fn served_at(&self, own: Timestamp) -> Timestamp {
        self.store.clocks.at(own, self.on_wall(own))
    }

    pub(super) fn served(&self) -> Timestamp {
        self.served_at(self.own_now)
    }

    /// How long ago something was that the service dates.
    pub(super) fn since(&self, at: Timestamp) -> Duration {
        self.served().since(at)
    }

    /// A number that prices are part of: late prices make it late, whatever else it means.
    pub(super) fn priced(&self, number: Span) -> Span {
        let is_alarm = number.tone == Tone::Alert || number.text == format::UNKNOWN;
        match self.priced {
            Some(tone) if !is_alarm => Span { tone, ..number },
            Some(_) | None => number,
        }
    }

    /// When it was by the wall clock that the desk noted `own` as.
    pub fn on_wall(&self, own: Timestamp) -> Timestamp {
        Drift::between(self.own_now, self.now).on_wall(own)
    }
}
