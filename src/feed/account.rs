//! The stream of a key's accounts, as far as it is about one of them.
//!
//! Contract: events are told in the order of their numbers, each once. After a gap, an unreadable message or a number
//! that goes back, nothing is told until the stream has resumed where it was, or has told the account anew.

use super::{
    Stream,
    account_frame::Frame,
    event::{AccountEvent, Told},
    link::LinkEnd,
};
use crate::model::{AccountId, Timestamp};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::time::Duration;

/// A snapshot that is not complete within this is not waited for.
const SNAPSHOT_WITHIN: Duration = Duration::from_secs(10);

/// What of an account's stream was told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AccountNews {
    /// The account anew: what was known of it is replaced by these rows.
    Snapshot(Vec<AccountEvent>),
    Event(AccountEvent),
}

/// How far the stream has come.
#[derive(Debug, Clone, PartialEq)]
enum Phase {
    /// Since when the service has to say hello.
    Opening(Timestamp),
    Snapshot(Snapshot),
    Live,
    Closed,
}

/// An account that is being told anew.
#[derive(Debug, Clone, PartialEq)]
struct Snapshot {
    /// Since when it has to be complete.
    since: Timestamp,
    stream_id: Option<String>,
    /// The account's rows, once they have come.
    rows: Option<Vec<AccountEvent>>,
}

#[derive(Debug)]
pub(crate) struct AccountStream {
    account: AccountId,
    phase: Phase,
    /// Where to go on after a loss: the stream, and the last of its events that was told.
    resume: Option<(String, u64)>,
    /// The instant of that event, by the service's clock.
    told_at: Option<Timestamp>,
    news: Vec<AccountNews>,
    end: Option<LinkEnd>,
}

impl AccountStream {
    pub(crate) fn new(account: AccountId) -> Self {
        Self {
            account,
            phase: Phase::Closed,
            resume: None,
            told_at: None,
            news: vec![],
            end: None,
        }
    }

    fn fault(&mut self, why: &'static str) {
        (self.phase, self.end) = (Phase::Closed, Some(LinkEnd::Fault(why)));
    }

    /// The stream goes on where it was, or a snapshot follows.
    fn greeted(&mut self, frame: &Frame<'_>) {
        let Phase::Opening(since) = self.phase else {
            return self.fault("it greets twice");
        };
        let id = frame.stream_id.as_deref();
        let known = self.resume.as_ref();
        self.phase = if frame.resumed && known.is_some_and(|(known, _)| id == Some(known)) {
            Phase::Live
        } else {
            Phase::Snapshot(Snapshot {
                since,
                stream_id: id.map(str::to_owned),
                rows: None,
            })
        };
    }

    fn snapshot(&mut self, frame: &Frame<'_>) {
        let Phase::Snapshot(snapshot) = &mut self.phase else {
            return self.fault("it sent a snapshot unasked");
        };
        if frame.account_id.as_ref() != Some(&self.account) {
            return;
        }
        let Some(rows) = frame.rows(&self.account) else {
            return self.fault("its snapshot cannot be read");
        };
        let rows = rows.into_iter().map(|row| AccountEvent {
            seq: frame.seq,
            at: frame.at(),
            row,
            told: Told::AsHistory,
        });
        snapshot.rows = Some(rows.collect());
    }

    fn snapshot_ended(&mut self, frame: &Frame<'_>) {
        let Phase::Snapshot(snapshot) = &mut self.phase else {
            return self.fault("it sent a snapshot unasked");
        };
        let Some(rows) = snapshot.rows.take() else {
            return self.fault("it does not tell the account");
        };
        self.resume = snapshot.stream_id.take().zip(frame.seq);
        self.told_at = frame.at();
        self.news.push(AccountNews::Snapshot(rows));
        self.phase = Phase::Live;
    }

    /// An event, or a sign of life that counts events.
    fn counted(&mut self, frame: &Frame<'_>) {
        if self.phase != Phase::Live {
            return;
        }
        let is_beat = frame.event == "heartbeat";
        if let (Some(seq), Some((_, last))) = (frame.seq, &mut self.resume) {
            let expected = if is_beat { *last } else { *last + 1 };
            if seq > expected {
                return self.fault("events are missing");
            }
            // It was told already.
            if seq < expected || is_beat {
                return;
            }
            *last = seq;
            self.told_at = self.told_at.max(frame.at());
        }
        if is_beat || frame.account_id.as_ref() != Some(&self.account) {
            return;
        }
        let Some(row) = frame.row(&self.account) else {
            // Resuming would bring the same row again.
            self.resume = None;
            return self.fault("an event cannot be read");
        };
        self.news.push(AccountNews::Event(AccountEvent {
            seq: frame.seq,
            at: frame.at(),
            row,
            told: Told::AsNews,
        }));
    }
}

impl Stream for AccountStream {
    type Event = AccountNews;

    fn query(&mut self, _now: Timestamp) -> String {
        self.resume.as_ref().map_or_else(String::new, |(id, seq)| {
            let id = utf8_percent_encode(id, NON_ALPHANUMERIC);
            let since = self
                .told_at
                .map_or_else(String::new, |at| format!("&since={}", at.0));
            format!("?resume={id}&last_seq={seq}{since}")
        })
    }

    fn opened(&mut self, now: Timestamp) {
        (self.phase, self.end) = (Phase::Opening(now), None);
    }

    fn frame(&mut self, text: &str, _now: Timestamp) {
        if self.end.is_some() {
            return;
        }
        let Ok(frame) = serde_json::from_str::<Frame<'_>>(text) else {
            return self.fault("its messages cannot be read");
        };
        match &*frame.event {
            "hello" => self.greeted(&frame),
            "snapshot" => self.snapshot(&frame),
            "snapshot_end" => self.snapshot_ended(&frame),
            "reconnect" => self.end = Some(LinkEnd::Asked),
            "error" => self.fault("it reports an error"),
            "account" | "position" | "order" | "fill" | "heartbeat" => self.counted(&frame),
            _ => {}
        }
    }

    fn pass(&mut self, now: Timestamp) {
        if self.due().is_some_and(|due| due <= now) {
            self.resume = None;
            self.fault("its snapshot does not come");
        }
    }

    fn due(&self) -> Option<Timestamp> {
        match &self.phase {
            Phase::Opening(since) | Phase::Snapshot(Snapshot { since, .. }) => {
                Some(since.plus(SNAPSHOT_WITHIN))
            }
            Phase::Live | Phase::Closed => None,
        }
    }

    fn requests(&mut self, _now: Timestamp) -> Vec<String> {
        vec![]
    }

    fn events(&mut self) -> Vec<AccountNews> {
        std::mem::take(&mut self.news)
    }

    fn is_live(&self) -> bool {
        self.phase == Phase::Live
    }

    fn end(&self) -> Option<LinkEnd> {
        self.end
    }

    fn lost(&mut self) {
        self.phase = Phase::Closed;
    }
}
