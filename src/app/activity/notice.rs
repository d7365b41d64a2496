//! Events as data: the toast shows the newest, the activity pane all.

use super::alerts::Alert;
use crate::{
    app::account::{
        about::About,
        guard::{Level, Verdict},
        store::Store,
    },
    config::{AlertChannel, Alerts},
    model::{
        Command, Failure, FailureKind, OrderStatus, Past, Progress, Receipt, Ticket, Timestamp,
        echo,
    },
};
use std::{collections::VecDeque, time::Duration};
use strum::Display;

/// How long good news stays in the toast. Bad news stays until it is dismissed.
const GOOD_NEWS: Duration = Duration::from_secs(5);
/// The most lines of the activity pane.
pub(crate) const KEPT: usize = 2_000;
/// Lines of earlier sessions have numbers below that of this session's first line.
const BEFORE: u64 = 1 << 32;

/// The content of a line of the activity pane, and of a toast while it is new.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Sent(Command),
    /// Only what a waiting person must know: an unknown outcome, a wait, a round of a close-all.
    Progress(Command, Progress),
    Settled(Command, Result<Receipt, Failure>),
    /// The desk's own message: a refused key, a lost journal, a service that is ready.
    Message(Tone, String),
    /// An event on the account that no key of this desk caused.
    Alert(Alert),
    /// An event on an account that is not on the screen.
    Elsewhere(Box<Elsewhere>),
    /// A command of an earlier session, and its outcome.
    Past(Box<Past>),
}

/// An event on another account.
#[derive(Debug, Clone, PartialEq)]
pub struct Elsewhere {
    /// The account's name.
    pub account: String,
    pub notice: Notice,
}

/// The meaning of a notice; the theme decides its look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Tone {
    Plain,
    Good,
    Warn,
    Alert,
}

/// Where an alert is shown besides the activity pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    AsToast,
    InActivity,
}

/// An event with its place in the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Its number, which identifies the line in the activity pane.
    pub number: u64,
    pub at: Timestamp,
    pub ticket: Option<Ticket>,
    /// The object of its command at that time.
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
            Self::Settled(command, Ok(receipt)) => answer_tone(command, receipt),
            Self::Settled(_, Err(why)) if why.kind == FailureKind::DryRun => Tone::Warn,
            Self::Settled(_, Err(_)) | Self::Progress(_, Progress::Parked { .. }) => Tone::Alert,
            Self::Message(tone, _) => *tone,
            Self::Alert(alert) => alert.tone(),
            Self::Elsewhere(elsewhere) => elsewhere.notice.event.tone(),
            Self::Past(past) => past_tone(past),
        }
    }

    /// Whether `other` makes it outdated.
    fn is_taken_back_by(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Alert(Alert::Down), Self::Alert(Alert::Up)) => true,
            (Self::Elsewhere(elsewhere), Self::Elsewhere(other)) => {
                let events = (&elsewhere.notice.event, &other.notice.event);
                elsewhere.account == other.account && events.0.is_taken_back_by(events.1)
            }
            _ => false,
        }
    }

    /// Whether it must be shown while another account is on the screen.
    pub(crate) fn shows_on_other_accounts(&self, alerts: &Alerts) -> bool {
        match self {
            Self::Settled(..) | Self::Progress(_, Progress::Parked { .. }) => true,
            Self::Alert(alert) => alert.ways(alerts).has(AlertChannel::Toast),
            Self::Message(tone, _) => matches!(tone, Tone::Warn | Tone::Alert),
            Self::Sent(_) | Self::Progress(..) | Self::Elsewhere(_) | Self::Past(_) => false,
        }
    }
}

impl Alert {
    pub fn tone(&self) -> Tone {
        match self {
            // It stays until the trader has read it.
            Self::Filled(order) | Self::Partial(order) if !order.contradictions().is_empty() => {
                Tone::Alert
            }
            Self::Filled(_) | Self::Up | Self::Challenge(Verdict::Passed) => Tone::Good,
            Self::Partial(_) | Self::TwapEnded(_) => Tone::Plain,
            Self::Guard(gauge) if !gauge.limit.is_loss() => Tone::Good,
            Self::Guard(gauge) if gauge.level() == Level::Reached => Tone::Alert,
            Self::TwapStalled(_) | Self::Guard(_) | Self::Gone(_) => Tone::Warn,
            Self::Challenge(Verdict::Breached(_))
            | Self::Rejected(_)
            | Self::NearLiquidation(..)
            // It stays until the trader has read it.
            | Self::User(_)
            | Self::Down => Tone::Alert,
        }
    }
}

/// Whether the response is the wanted one, and about what was requested.
pub fn answer_tone(command: &Command, receipt: &Receipt) -> Tone {
    if echo::differences(command, receipt).is_empty() {
        receipt_tone(receipt)
    } else {
        Tone::Alert
    }
}

/// Whether the response means success.
fn receipt_tone(receipt: &Receipt) -> Tone {
    use crate::model::OrderStatus::{Expired, Rejected};
    match receipt {
        Receipt::Order { order, .. }
            if matches!(order.status.known(), Some(Rejected | Expired)) =>
        {
            Tone::Alert
        }
        Receipt::CloseAll(operation) if operation.failed_count > 0 => Tone::Alert,
        Receipt::CancelAll(operation) if operation.failed_count > 0 => Tone::Alert,
        Receipt::CancelAll(operation) if operation.queued_count() > 0 => Tone::Warn,
        Receipt::CloseAll(operation) if operation.failures().next().is_some() => Tone::Warn,
        Receipt::Cancel(cancel) if !cancel.canceled => Tone::Warn,
        Receipt::Order { .. }
        | Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::CloseAll(_)
        | Receipt::CancelAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => Tone::Good,
    }
}

/// The tone of its outcome then.
fn past_tone(past: &Past) -> Tone {
    match (&past.result, past.order_status) {
        (Ok(_), Some(OrderStatus::Rejected | OrderStatus::Expired)) | (Err(_), _) => Tone::Alert,
        (Ok(receipt), _) => receipt_tone(receipt),
    }
}

/// How far back the activity reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Horizon {
    /// Nothing before this session was read yet.
    #[default]
    Session,
    /// Older lines exist.
    Part,
    /// The same, and they were requested.
    Requested,
    /// Everything recorded, except dropped lines.
    Whole,
    /// Older lines could not be read.
    Unreadable,
}

/// All events of this desk, and which of them the toast shows.
#[derive(Debug)]
pub struct Activity {
    /// Newest last.
    pub lines: VecDeque<Notice>,
    toast: Option<u64>,
    /// The line that explains an ignored key.
    refusal: Option<u64>,
    last: u64,
    pub(crate) horizon: Horizon,
    /// Whether lines were dropped.
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

    /// [`note`](Self::note) for a command with a known target.
    pub fn note_of(&mut self, about: About, ticket: Option<Ticket>, event: Event, now: Timestamp) {
        self.last += 1;
        // Progress is shown with the pending commands and replaces no other notice.
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

    /// As long as this number does not change, the lines stay the same.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Whether older lines exist.
    pub fn has_more(&self) -> bool {
        self.has_forgotten || matches!(self.horizon, Horizon::Part | Horizon::Requested)
    }

    /// Whether older lines are missing, because they are unread or unreadable.
    pub fn lacks_lines(&self) -> bool {
        self.has_more() || self.horizon == Horizon::Unreadable
    }

    /// Explains a refused key. A key that is held down or repeated gets one line.
    pub(crate) fn refuse(&mut self, why: String, now: Timestamp) {
        let event = Event::Message(Tone::Warn, why);
        let newest = self.lines.back_mut();
        match newest.filter(|line| Some(line.number) == self.refusal && line.event == event) {
            Some(line) => {
                line.at = now;
                self.toast = self.refusal;
            }
            None => self.note(None, event, now),
        }
        self.refusal = Some(self.last);
        self.changed();
    }

    /// Explains input without effect; bad news that waits to be dismissed stays the toast.
    pub(crate) fn remark(&mut self, why: String, now: Timestamp) {
        let kept = self.toast.filter(|_| self.toast_ends_at().is_none());
        self.refuse(why, now);
        self.toast = kept.or(self.toast);
    }

    /// The next action makes the explanation of an ignored key outdated.
    pub(crate) fn forget_refusal(&mut self) {
        self.toast = self.toast.filter(|shown| Some(*shown) != self.refusal);
    }

    /// Adds an alert. If it is to be `shown` it becomes the toast, but never replaces bad news that waits to be
    /// dismissed. Unless it is bad itself, it does not replace the response to what the trader has just done either.
    /// Only a restored connection withdraws that it was down.
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
            names: store.names.clone(),
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

    /// An event of another account becomes the toast, unless it is good and another notice waits to be read.
    pub(crate) fn beside(&mut self, event: &Event, now: Timestamp) {
        let kept = self.toast.filter(|_| self.waits(now));
        let is_bad = event.tone() == Tone::Alert;
        self.note(None, event.clone(), now);
        if let (Some(kept), false) = (kept, is_bad) {
            self.toast = Some(kept);
            self.take_back(event);
        }
    }

    /// Hides what `event` makes outdated.
    pub(crate) fn take_back(&mut self, event: &Event) {
        let shown = self.toast.and_then(|number| self.line(number));
        if shown.is_some_and(|shown| shown.event.is_taken_back_by(event)) {
            self.toast = None;
        }
    }

    /// Whether the toast is bad news, or the response to what the trader has just done.
    fn waits(&self, now: Timestamp) -> bool {
        let by_hand = self.toast_ends_at().is_none();
        let toast = self.toast(now);
        toast.is_some_and(|n| by_hand || matches!(n.event, Event::Settled(..)))
    }

    /// The number of this session's newest line; before the first a lower one.
    pub fn newest(&self) -> u64 {
        self.last
    }

    /// The lines after this one, oldest first.
    pub fn since(&self, number: u64) -> impl Iterator<Item = &Notice> {
        let lines = self.lines.iter();
        lines.filter(move |line| line.number > number)
    }

    /// The line with this number, if it is kept.
    pub fn line(&self, number: u64) -> Option<&Notice> {
        let first = self.lines.front()?.number;
        self.lines
            .get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    pub fn toast(&self, now: Timestamp) -> Option<&Notice> {
        let news = self.line(self.toast?)?;
        (self.toast_ends_at().is_none_or(|end| now < end)).then_some(news)
    }

    /// When the toast disappears; `None` without a toast, or if it waits to be dismissed.
    pub fn toast_ends_at(&self) -> Option<Timestamp> {
        let news = self.line(self.toast?)?;
        let stays = news.event.tone() == Tone::Alert;
        (!stays).then(|| news.at.plus(GOOD_NEWS))
    }

    /// Dismisses the toast; returns whether one waited for that.
    pub fn dismiss_toast(&mut self, now: Timestamp) -> bool {
        let was_shown = self.toast(now).is_some();
        self.toast = None;
        was_shown
    }
}
