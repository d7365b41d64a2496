//! What happened, as data: the toast shows the newest, the activity pane all of them.

use crate::model::{Command, Failure, Progress, Receipt, Ticket, Timestamp};
use std::{collections::VecDeque, time::Duration};

/// How long good news stays in the toast. Bad news stays until it is dismissed.
const GOOD_NEWS: Duration = Duration::from_secs(5);
/// How many lines the activity pane remembers.
const KEPT: usize = 2_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Sent(Command),
    /// Only what a person must know while waiting: doubt, a wait, a round of a close-all.
    Progress(Command, Progress),
    Settled(Command, Result<Receipt, Failure>),
    /// The desk itself has something to say: a refused key, a lost journal, a far end that is ready.
    Said(Tone, String),
}

/// How a notice is meant; the theme decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Warn,
    Alert,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Running number, the line's id in the activity pane.
    pub number: u64,
    pub at: Timestamp,
    pub ticket: Option<Ticket>,
    pub event: Event,
}

impl Event {
    pub fn tone(&self) -> Tone {
        match self {
            Self::Sent(_)
            | Self::Progress(
                _,
                Progress::Sending { .. } | Progress::Running { .. } | Progress::Flattening(_),
            ) => Tone::Plain,
            Self::Progress(_, Progress::Unknown { .. } | Progress::Waiting { .. }) => Tone::Warn,
            Self::Settled(_, Ok(receipt)) => receipt_tone(receipt),
            Self::Settled(_, Err(_)) | Self::Progress(_, Progress::Parked { .. }) => Tone::Alert,
            Self::Said(tone, _) => *tone,
        }
    }
}

fn receipt_tone(receipt: &Receipt) -> Tone {
    use crate::model::OrderStatus::{Expired, Rejected};
    match receipt {
        Receipt::Order { order, .. }
            if matches!(order.status.known(), Some(Rejected | Expired)) =>
        {
            Tone::Alert
        }
        Receipt::CloseAll(operation) if operation.failed_count > 0 => Tone::Alert,
        Receipt::Cancel(cancel) if !cancel.canceled => Tone::Warn,
        Receipt::Order { .. }
        | Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::CloseAll(_)
        | Receipt::Over(_)
        | Receipt::Flat(_) => Tone::Good,
    }
}

/// Everything that happened on this desk, and which of it is still being shown.
#[derive(Debug, Default)]
pub struct Activity {
    /// The newest last.
    pub lines: VecDeque<Notice>,
    toast: Option<u64>,
    last: u64,
}

impl Activity {
    pub fn note(&mut self, ticket: Option<Ticket>, event: Event, now: Timestamp) {
        self.last += 1;
        self.toast = Some(self.last);
        self.lines.push_back(Notice {
            number: self.last,
            at: now,
            ticket,
            event,
        });
        if self.lines.len() > KEPT {
            self.lines.pop_front();
        }
    }

    pub fn toast(&self, now: Timestamp) -> Option<&Notice> {
        let newest = self.lines.back().filter(|n| Some(n.number) == self.toast)?;
        (self.toast_ends_at().is_none_or(|end| now < end)).then_some(newest)
    }

    /// When the toast leaves by itself; `None` when there is none or it waits to be dismissed.
    pub fn toast_ends_at(&self) -> Option<Timestamp> {
        let newest = self.lines.back().filter(|n| Some(n.number) == self.toast)?;
        let stays = newest.event.tone() == Tone::Alert;
        (!stays).then(|| newest.at.plus(GOOD_NEWS))
    }

    pub fn dismiss_toast(&mut self) -> bool {
        self.toast.take().is_some()
    }
}
