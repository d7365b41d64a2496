//! The stream of a key's accounts, as far as it is about one of them.
//!
//! Contract: events are reported in the order of their numbers, each once. After a gap or an unreadable message nothing is
//! reported until the stream has resumed where it was, or has sent the account anew. A connection that resumed and brought
//! no event before its fault is followed by one that begins anew.

use super::{
    Stream,
    account_frame::AccountFrame,
    event::{AccountEvent, Liveness},
    link::LinkEnd,
};
use crate::model::{AccountId, Timestamp};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::time::Duration;

/// A snapshot that is not complete within this is not waited for.
const SNAPSHOT_WITHIN: Duration = Duration::from_secs(10);
/// A stream that sends no message for so long, not even a heartbeat, is dead, although its socket may answer pings.
const DEAD_AFTER: Duration = Duration::from_secs(45);

/// What of an account's stream was reported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AccountNews {
    /// The account anew: what was known of it is replaced by these rows.
    Snapshot(Vec<AccountEvent>),
    Event(AccountEvent),
}

/// How far the stream has come.
#[derive(Debug, Clone, PartialEq)]
enum AccountPhase {
    /// Since when the service has to say hello.
    Opening(Timestamp),
    Snapshot(Snapshot),
    /// It says that it goes on where it was, and has not shown it yet.
    Resumed,
    Live,
    Closed,
}

/// An account that is being sent anew.
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
    phase: AccountPhase,
    /// What the service calls the stream; without a name it cannot go on after a loss.
    stream_id: Option<String>,
    /// The number of the last event that was reported; `None` while none was counted.
    last_seq: Option<u64>,
    /// The instant of that event, by the service's clock.
    reported_at: Option<Timestamp>,
    /// When the last message came.
    received_at: Timestamp,
    news: Vec<AccountNews>,
    end: Option<LinkEnd>,
}

impl AccountStream {
    pub(crate) fn new(account: AccountId) -> Self {
        Self {
            account,
            phase: AccountPhase::Closed,
            stream_id: None,
            last_seq: None,
            reported_at: None,
            received_at: Timestamp(0),
            news: vec![],
            end: None,
        }
    }

    fn fault(&mut self, why: &'static str) {
        // Resuming again would end as this did.
        if self.phase != AccountPhase::Live {
            self.last_seq = None;
        }
        (self.phase, self.end) = (AccountPhase::Closed, Some(LinkEnd::Fault(why)));
    }

    /// The stream goes on where it was, or a snapshot follows.
    fn greeted(&mut self, frame: &AccountFrame<'_>) {
        let AccountPhase::Opening(since) = self.phase else {
            return self.fault("it greets twice");
        };
        let stream_id = frame.stream_id();
        self.phase = if frame.resumed == Some(true) && self.resume().is_some() {
            self.stream_id = stream_id.or(self.stream_id.take());
            AccountPhase::Resumed
        } else {
            AccountPhase::Snapshot(Snapshot {
                since,
                stream_id,
                rows: None,
            })
        };
    }

    /// Where to go on after a loss: the stream, and the last of its events that was reported.
    fn resume(&self) -> Option<(&str, u64)> {
        self.stream_id.as_deref().zip(self.last_seq)
    }

    fn snapshot(&mut self, frame: &AccountFrame<'_>) {
        let AccountPhase::Snapshot(snapshot) = &mut self.phase else {
            return self.fault("it sent a snapshot unasked");
        };
        if !frame.is_about(&self.account) {
            return;
        }
        let Some(rows) = frame.rows(&self.account) else {
            return self.fault("its snapshot cannot be read");
        };
        let rows = rows.into_iter().map(|row| AccountEvent {
            seq: frame.seq,
            at: frame.at(),
            row,
            liveness: Liveness::Backfill,
        });
        snapshot.rows = Some(rows.collect());
    }

    fn snapshot_ended(&mut self, frame: &AccountFrame<'_>) {
        let AccountPhase::Snapshot(snapshot) = &mut self.phase else {
            return self.fault("it sent a snapshot unasked");
        };
        let Some(rows) = snapshot.rows.take() else {
            return self.fault("it does not tell the account");
        };
        self.stream_id = snapshot.stream_id.take();
        self.last_seq = frame.seq;
        self.reported_at = frame.at();
        self.news.push(AccountNews::Snapshot(rows));
        self.phase = AccountPhase::Live;
    }

    /// An event, or a sign of life that counts events.
    fn counted(&mut self, frame: &AccountFrame<'_>) {
        if !self.is_live() {
            return;
        }
        let is_beat = frame.kind() == "heartbeat";
        if let Some((seq, last)) = frame.seq.zip(self.last_seq) {
            let expected = last.saturating_add(u64::from(!is_beat));
            if seq > expected {
                return self.fault("events are missing");
            }
            // It was reported already.
            if seq < expected {
                return;
            }
        }
        self.last_seq = frame.seq.or(self.last_seq);
        if is_beat {
            return;
        }
        self.phase = AccountPhase::Live;
        self.reported_at = self.reported_at.max(frame.at());
        if !frame.is_about(&self.account) {
            return;
        }
        let Some(row) = frame.row(&self.account) else {
            // Resuming would bring the same row again.
            self.last_seq = None;
            return self.fault("an event cannot be read");
        };
        self.news.push(AccountNews::Event(AccountEvent {
            seq: frame.seq,
            at: frame.at(),
            row,
            liveness: Liveness::Live,
        }));
    }
}

impl Stream for AccountStream {
    type Event = AccountNews;

    fn query(&mut self, _now: Timestamp) -> String {
        self.resume().map_or_else(String::new, |(id, seq)| {
            let id = utf8_percent_encode(id, NON_ALPHANUMERIC);
            let since = self
                .reported_at
                .map_or_else(String::new, |at| format!("&since={}", at.0));
            format!("?resume={id}&last_seq={seq}{since}")
        })
    }

    fn opened(&mut self, now: Timestamp) {
        (self.phase, self.end, self.received_at) = (AccountPhase::Opening(now), None, now);
    }

    fn frame(&mut self, text: &str, now: Timestamp) {
        if self.end.is_some() {
            return;
        }
        self.received_at = now;
        let Ok(frame) = serde_json::from_str::<AccountFrame<'_>>(text) else {
            return self.fault("its messages cannot be read");
        };
        match frame.kind() {
            "hello" => self.greeted(&frame),
            "snapshot" => self.snapshot(&frame),
            "snapshot_end" => self.snapshot_ended(&frame),
            "reconnect" => self.end = Some(LinkEnd::ServiceRequest),
            "error" => self.fault("it reports an error"),
            "account" | "position" | "order" | "fill" | "heartbeat" => self.counted(&frame),
            _ => {}
        }
    }

    fn pass(&mut self, now: Timestamp) {
        if self.due().is_some_and(|due| due <= now) {
            self.fault(if self.is_live() {
                "it is silent"
            } else {
                "its snapshot does not come"
            });
        }
    }

    fn due(&self) -> Option<Timestamp> {
        match &self.phase {
            AccountPhase::Opening(since) | AccountPhase::Snapshot(Snapshot { since, .. }) => {
                Some(since.plus(SNAPSHOT_WITHIN))
            }
            AccountPhase::Resumed | AccountPhase::Live => Some(self.received_at.plus(DEAD_AFTER)),
            AccountPhase::Closed => None,
        }
    }

    fn requests(&mut self, _now: Timestamp) -> Vec<String> {
        vec![]
    }

    fn events(&mut self) -> Vec<AccountNews> {
        std::mem::take(&mut self.news)
    }

    fn is_live(&self) -> bool {
        matches!(self.phase, AccountPhase::Resumed | AccountPhase::Live)
    }

    fn end(&self) -> Option<LinkEnd> {
        self.end
    }

    fn lost(&mut self) {
        self.phase = AccountPhase::Closed;
    }
}
