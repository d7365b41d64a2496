//! What happened, as data: the toast shows the newest, the activity pane all of them.

use super::{alerts::Alert, earlier::Horizon};
use crate::{
    app::account::{about::About, store::Store},
    config::{Alerts, Way},
    model::{
        Command, Failure, FailureKind, OrderStatus, Past, Progress, Receipt, Ticket, Timestamp,
    },
};
use std::{collections::VecDeque, time::Duration};

/// How long good news stays in the toast. Bad news stays until it is dismissed.
const GOOD_NEWS: Duration = Duration::from_secs(5);
/// How many lines the activity pane remembers.
pub(crate) const KEPT: usize = 2_000;
/// Below the number of the first line of this session there is room for those of earlier ones.
const BEFORE: u64 = 1 << 32;

/// What a line of the activity pane tells, and a toast while it is new.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Sent(Command),
    /// Only what a person must know while waiting: doubt, a wait, a round of a close-all.
    Progress(Command, Progress),
    Settled(Command, Result<Receipt, Failure>),
    /// The desk itself has something to say: a refused key, a lost journal, a far end that is ready.
    Said(Tone, String),
    /// Something happened to the account without a key of this desk.
    Alert(Alert),
    /// Something happened to an account that is not on the screen.
    Elsewhere(Box<Elsewhere>),
    /// An earlier session asked it, and this is what came of it.
    Past(Box<Past>),
}

/// What is told of another account.
#[derive(Debug, Clone, PartialEq)]
pub struct Elsewhere {
    /// What it is called.
    pub account: String,
    pub notice: Notice,
}

/// How a notice is meant; the theme decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Warn,
    Alert,
}

/// Where an alert is to be seen besides the activity pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    AsToast,
    InActivity,
}

/// An event with its place among the others of the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Running number, the line's id in the activity pane.
    pub number: u64,
    pub at: Timestamp,
    pub ticket: Option<Ticket>,
    /// What its command was about when it happened.
    pub about: About,
    pub event: Event,
}

impl Event {
    pub fn tone(&self) -> Tone {
        match self {
            Self::Sent(_)
            | Self::Progress(
                _,
                Progress::Queued
                | Progress::Sending { .. }
                | Progress::Running { .. }
                | Progress::Flattening(_),
            ) => Tone::Plain,
            Self::Progress(_, Progress::Unknown { .. } | Progress::Waiting { .. }) => Tone::Warn,
            Self::Settled(_, Ok(receipt)) => receipt_tone(receipt),
            Self::Settled(_, Err(why)) if why.kind == FailureKind::DryRun => Tone::Warn,
            Self::Settled(_, Err(_)) | Self::Progress(_, Progress::Parked { .. }) => Tone::Alert,
            Self::Said(tone, _) => *tone,
            Self::Alert(alert) => alert.tone(),
            Self::Elsewhere(told) => told.notice.event.tone(),
            Self::Past(past) => past_tone(past),
        }
    }

    /// Whether this is not so any more after `other`.
    fn is_taken_back_by(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Alert(Alert::Down), Self::Alert(Alert::Up)) => true,
            (Self::Elsewhere(told), Self::Elsewhere(other)) => {
                let events = (&told.notice.event, &other.notice.event);
                told.account == other.account && events.0.is_taken_back_by(events.1)
            }
            _ => false,
        }
    }

    /// Whether a person must hear of it while another account is on the screen.
    pub(crate) fn is_told_elsewhere(&self, alerts: &Alerts) -> bool {
        match self {
            Self::Settled(..) | Self::Progress(_, Progress::Parked { .. }) => true,
            Self::Alert(alert) => alert.ways(alerts).has(Way::Toast),
            Self::Said(tone, _) => matches!(tone, Tone::Warn | Tone::Alert),
            Self::Sent(_) | Self::Progress(..) | Self::Elsewhere(_) | Self::Past(_) => false,
        }
    }
}

/// Whether what the service answered is what was wanted.
pub fn receipt_tone(receipt: &Receipt) -> Tone {
    use crate::model::OrderStatus::{Expired, Rejected};
    match receipt {
        Receipt::Order { order, .. }
            if matches!(order.status.known(), Some(Rejected | Expired)) =>
        {
            Tone::Alert
        }
        Receipt::CloseAll(operation) if operation.failed_count > 0 => Tone::Alert,
        Receipt::CloseAll(operation) if operation.failures().next().is_some() => Tone::Warn,
        Receipt::Cancel(cancel) if !cancel.canceled => Tone::Warn,
        Receipt::Order { .. }
        | Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::CloseAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => Tone::Good,
    }
}

/// As what it came to was told then.
fn past_tone(past: &Past) -> Tone {
    match (&past.result, past.order_status) {
        (Ok(_), Some(OrderStatus::Rejected | OrderStatus::Expired)) | (Err(_), _) => Tone::Alert,
        (Ok(receipt), _) => receipt_tone(receipt),
    }
}

/// Everything that happened on this desk, and which of it is still being shown.
#[derive(Debug)]
pub struct Activity {
    /// The newest last.
    pub lines: VecDeque<Notice>,
    toast: Option<u64>,
    /// The line that says why a key did nothing.
    refusal: Option<u64>,
    last: u64,
    pub(crate) horizon: Horizon,
    /// Whether lines have made room.
    pub(crate) has_forgotten: bool,
    version: u64,
}

impl Default for Activity {
    fn default() -> Self {
        Self {
            lines: VecDeque::new(),
            toast: None,
            refusal: None,
            last: BEFORE,
            horizon: Horizon::default(),
            has_forgotten: false,
            version: 0,
        }
    }
}

impl Activity {
    pub fn note(&mut self, ticket: Option<Ticket>, event: Event, now: Timestamp) {
        self.note_of(About::default(), ticket, event, now);
    }

    /// As [`note`](Self::note), of a command whose target was known.
    pub fn note_of(&mut self, about: About, ticket: Option<Ticket>, event: Event, now: Timestamp) {
        self.last += 1;
        // What is under way shows as a flight and hides no other news.
        if !matches!(event, Event::Progress(..)) {
            self.toast = Some(self.last);
        }
        self.lines.push_back(Notice {
            number: self.last,
            at: now,
            ticket,
            about,
            event,
        });
        if self.lines.len() > KEPT {
            self.lines.pop_front();
            self.has_forgotten = true;
        }
        self.changed();
    }

    pub(crate) fn changed(&mut self) {
        self.version += 1;
    }

    /// The same number, the same lines.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Whether there are older lines than those that are here.
    pub fn has_more(&self) -> bool {
        self.has_forgotten || matches!(self.horizon, Horizon::Part | Horizon::Asked)
    }

    /// Whether lines of before are missing, because there are more or because they cannot be read.
    pub fn lacks_lines(&self) -> bool {
        self.has_more() || self.horizon == Horizon::Unreadable
    }

    /// Why a key did nothing. A key that is held down, or pressed again at once, is answered by one line.
    pub(crate) fn refuse(&mut self, why: String, now: Timestamp) {
        let event = Event::Said(Tone::Warn, why);
        let is_shown = self.refusal.is_some() && self.refusal == self.toast;
        let newest = self.lines.back_mut().filter(|_| is_shown);
        match newest.filter(|line| Some(line.number) == self.refusal && line.event == event) {
            Some(line) => line.at = now,
            None => self.note(None, event, now),
        }
        self.refusal = Some(self.last);
        self.changed();
    }

    /// With the next thing that is done, why a key did nothing is no news any more.
    pub(crate) fn forget_refusal(&mut self) {
        self.toast = self.toast.filter(|shown| Some(*shown) != self.refusal);
    }

    /// Takes an alert in. It shows as the toast if it is to be `shown`, but never in place of bad news that
    /// waits to be dismissed, nor, unless it is bad itself, of the answer to what the trader has just done; only a
    /// connection that is back takes back that it was down.
    pub(crate) fn alert(
        &mut self,
        alert: Alert,
        store: &Store,
        now: Timestamp,
        shown: Shown,
    ) -> Notice {
        let waits = self.waits(now);
        let kept = self.toast;
        let may = shown == Shown::AsToast && (!waits || alert.tone() == Tone::Alert);
        let about = About {
            market: alert.market_id().and_then(|id| store.market(id)).cloned(),
            ..About::default()
        };
        let event = Event::Alert(alert);
        self.note_of(about.clone(), None, event.clone(), now);
        if !may {
            self.toast = kept;
            self.take_back(&event);
        }
        Notice {
            number: self.last,
            at: now,
            ticket: None,
            about,
            event,
        }
    }

    /// News of another account shows as the toast, unless it is good and something waits to be read.
    pub(crate) fn beside(&mut self, event: &Event, now: Timestamp) {
        let kept = self.toast.filter(|_| self.waits(now));
        let is_bad = event.tone() == Tone::Alert;
        self.note(None, event.clone(), now);
        if let (Some(kept), false) = (kept, is_bad) {
            self.toast = Some(kept);
            self.take_back(event);
        }
    }

    /// What is not so any more after `event` is shown no longer.
    pub(crate) fn take_back(&mut self, event: &Event) {
        let shown = self.toast.and_then(|number| self.line(number));
        if shown.is_some_and(|shown| shown.event.is_taken_back_by(event)) {
            self.toast = None;
        }
    }

    /// Whether the toast is bad news, or the answer to what the trader has just done.
    fn waits(&self, now: Timestamp) -> bool {
        let by_hand = self.toast_ends_at().is_none();
        let toast = self.toast(now);
        toast.is_some_and(|n| by_hand || matches!(n.event, Event::Settled(..)))
    }

    /// The running number of the newest line of this session, and before the first a lower one.
    pub fn newest(&self) -> u64 {
        self.last
    }

    /// The lines after this one, oldest first.
    pub fn since(&self, number: u64) -> impl Iterator<Item = &Notice> {
        let lines = self.lines.iter();
        lines.filter(move |line| line.number > number)
    }

    /// The line with this running number, while it is remembered.
    pub fn line(&self, number: u64) -> Option<&Notice> {
        let first = self.lines.front()?.number;
        self.lines
            .get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    pub fn toast(&self, now: Timestamp) -> Option<&Notice> {
        let news = self.line(self.toast?)?;
        (self.toast_ends_at().is_none_or(|end| now < end)).then_some(news)
    }

    /// When the toast leaves by itself; `None` when there is none or it waits to be dismissed.
    pub fn toast_ends_at(&self) -> Option<Timestamp> {
        let news = self.line(self.toast?)?;
        let stays = news.event.tone() == Tone::Alert;
        (!stays).then(|| news.at.plus(GOOD_NEWS))
    }

    /// Takes the toast away; whether one was waiting for that.
    pub fn dismiss_toast(&mut self, now: Timestamp) -> bool {
        let was_shown = self.toast(now).is_some();
        self.toast = None;
        was_shown
    }
}
