//! The stream of a key's accounts: a snapshot, then an event for each row that changed, numbered.
//!
//! Contract: all streams of a user report the same events under the same numbers. Events are kept for [`RESUMABLE`], so
//! that a client that was away for less misses none.

use super::{
    super::{
        auth::AuthenticatedUser,
        engine::{AccountIx, Millis, OrderId, OrderRecord, PositionId, RowKey},
        lock::locked,
        response_cache::StateVersion,
        service::ExchangeService,
        state::ExchangeState,
        v1,
    },
    session::{AfterChanges, StreamProtocol},
};
use crate::model::{Order, Position};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;

/// How long an event can be requested again.
const RESUMABLE: Duration = Duration::from_secs(100);

/// The events of each user who has had a stream.
#[derive(Debug, Default)]
pub(in crate::exchange) struct AccountStreams(Mutex<HashMap<usize, AccountStream>>);

#[derive(Debug)]
struct AccountStream {
    id: Arc<str>,
    seq: u64,
    events: VecDeque<StreamEvent>,
    accounts: Vec<KnownAccount>,
    /// Of the state that the events lead to.
    version: StateVersion,
    /// A reset begins the accounts anew, and so their stream.
    resets: u64,
}

#[derive(Debug)]
struct StreamEvent {
    seq: u64,
    at: Instant,
    text: Arc<str>,
}

/// The rows of an account as they were sent last.
#[derive(Debug)]
struct KnownAccount {
    ix: AccountIx,
    /// Without its risk, which moves with every price.
    account: Value,
    positions: BTreeMap<PositionId, Position>,
    working: BTreeMap<OrderId, Order>,
    newest_order: Option<RowKey<OrderId>>,
    newest_fill: Option<RowKey<OrderId>>,
}

/// What happened to a row.
struct RowEvent {
    kind: &'static str,
    row: Value,
}

impl KnownAccount {
    fn of(state: &ExchangeState, ix: AccountIx) -> Self {
        let engine = &state.engine;
        let rows = state.rows();
        let positions = engine.open_positions(ix);
        let newest_fill = engine.filled_orders(ix, None).next();
        Self {
            ix,
            account: value(&v1::without_risk(engine, ix)),
            positions: positions
                .iter()
                .map(|row| (row.id, rows.position(row)))
                .collect(),
            working: engine
                .working_orders(ix)
                .map(|row| (row.id, rows.order(row)))
                .collect(),
            newest_order: engine.orders(ix, None).next().map(OrderRecord::key),
            newest_fill: newest_fill.and_then(OrderRecord::fill_key),
        }
    }

    /// Fills, then orders, positions and the account, as each leads to the next.
    fn changes_to(&self, now: &Self, state: &ExchangeState) -> Vec<RowEvent> {
        let mut events = self.fills(state);
        events.extend(self.orders(now, state));
        events.extend(self.positions(now, state));
        if self.account != now.account {
            events.push(RowEvent {
                kind: "account",
                row: value(&v1::with_risk(&state.engine, self.ix)),
            });
        }
        events
    }

    fn fills(&self, state: &ExchangeState) -> Vec<RowEvent> {
        let fills = state.engine.filled_orders(self.ix, None);
        let fresh = fills.take_while(|row| row.fill_key() > self.newest_fill);
        let mut events: Vec<_> = fresh
            .map(|row| RowEvent {
                kind: "fill",
                row: value(&state.rows().order(row)),
            })
            .collect();
        events.reverse();
        events
    }

    /// Orders that work and changed, that are new, and that ended.
    fn orders(&self, now: &Self, state: &ExchangeState) -> Vec<RowEvent> {
        let engine = &state.engine;
        let fresh = engine.orders(self.ix, None);
        let fresh = fresh.take_while(|row| Some(row.key()) > self.newest_order);
        let ended = self
            .working
            .keys()
            .filter(|id| !now.working.contains_key(id));
        let ended = ended.filter_map(|id| engine.order(self.ix, *id));
        let changed = self
            .working
            .iter()
            .filter(|(id, row)| now.working.get(id).is_some_and(|present| present != *row));
        let changed = changed.filter_map(|(id, _)| engine.order(self.ix, *id));
        let mut rows: Vec<_> = fresh.chain(ended).chain(changed).collect();
        rows.sort_by_key(|row| row.key());
        rows.dedup_by_key(|row| row.id);
        rows.into_iter()
            .map(|row| RowEvent {
                kind: "order",
                row: value(&state.rows().order(row)),
            })
            .collect()
    }

    fn positions(&self, now: &Self, state: &ExchangeState) -> Vec<RowEvent> {
        let closed = self
            .positions
            .keys()
            .filter(|id| !now.positions.contains_key(id));
        let closed = closed.filter_map(|id| state.engine.position(self.ix, *id));
        let closed = closed.map(|row| value(&state.rows().position(&row)));
        let open = now.positions.iter();
        let open = open.filter(|(id, row)| self.positions.get(id) != Some(*row));
        closed
            .chain(open.map(|(_, row)| value(row)))
            .map(|row| RowEvent {
                kind: "position",
                row,
            })
            .collect()
    }
}

fn value(row: &impl serde::Serialize) -> Value {
    // A row of the API is always JSON.
    serde_json::to_value(row).unwrap_or_default()
}

impl AccountStream {
    fn begin(id: String, state: &ExchangeState, caller: &AuthenticatedUser) -> Self {
        let accounts = caller.accounts.iter();
        Self {
            id: id.into(),
            seq: 0,
            events: VecDeque::new(),
            accounts: accounts.map(|ix| KnownAccount::of(state, *ix)).collect(),
            version: state.engine.version(),
            resets: state.engine.resets(),
        }
    }

    /// Adds what changed since the last call, and drops what is too old.
    fn advance(&mut self, state: &ExchangeState) {
        let (now, at) = (state.engine.now(), Instant::now());
        while self
            .events
            .front()
            .is_some_and(|event| at - event.at > RESUMABLE)
        {
            self.events.pop_front();
        }
        if self.version == state.engine.version() {
            return;
        }
        self.version = state.engine.version();
        for known in &mut self.accounts {
            let present = KnownAccount::of(state, known.ix);
            let account_id = &state.engine.account_spec(known.ix).id;
            for RowEvent { kind, row } in known.changes_to(&present, state) {
                self.seq += 1;
                let event = json!({
                    "event": kind,
                    "account_id": account_id,
                    kind: row,
                    "seq": self.seq,
                    "time": now.0,
                });
                self.events.push_back(StreamEvent {
                    seq: self.seq,
                    at,
                    text: event.to_string().into(),
                });
            }
            *known = present;
        }
    }

    /// Whether every event after this one is still kept.
    fn has_all_after(&self, seq: u64) -> bool {
        let oldest = self.events.front().map_or(self.seq + 1, |event| event.seq);
        seq <= self.seq && seq + 1 >= oldest
    }

    fn after(&self, seq: u64) -> impl Iterator<Item = &StreamEvent> {
        let begins = self.events.partition_point(|event| event.seq <= seq);
        self.events.iter().skip(begins)
    }
}

/// One client's place in the stream of its user.
#[derive(Debug)]
pub(super) struct AccountSession {
    streams: Arc<AccountStreams>,
    caller: AuthenticatedUser,
    /// Where the client left off, as it says.
    resume: Option<(String, u64)>,
    stream_id: Arc<str>,
    seq: u64,
}

impl AccountSession {
    pub(super) fn new(
        streams: Arc<AccountStreams>,
        caller: AuthenticatedUser,
        query: &str,
    ) -> Self {
        let parameter = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let (_, value) = pairs.find(|(given, _)| *given == name)?;
            Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
        };
        let resume = parameter("resume").zip(parameter("last_seq"));
        Self {
            streams,
            caller,
            resume: resume.and_then(|(id, seq)| Some((id, seq.parse().ok()?))),
            stream_id: Arc::default(),
            seq: 0,
        }
    }

    fn snapshot(&self, state: &ExchangeState) -> Vec<String> {
        let engine = &state.engine;
        let now = engine.now().0;
        let accounts = self.caller.accounts.iter();
        let mut texts: Vec<String> = accounts
            .map(|ix| {
                let known = KnownAccount::of(state, *ix);
                let snapshot = json!({
                    "event": "snapshot",
                    "account_id": engine.account_spec(*ix).id,
                    "account": v1::with_risk(engine, *ix),
                    "positions": known.positions.into_values().collect::<Vec<_>>(),
                    "orders": known.working.into_values().collect::<Vec<_>>(),
                    "seq": self.seq,
                    "time": now,
                });
                snapshot.to_string()
            })
            .collect();
        let end = json!({ "event": "snapshot_end", "seq": self.seq, "time": now });
        texts.push(end.to_string());
        texts
    }
}

impl StreamProtocol for AccountSession {
    fn greeting(&mut self, service: &ExchangeService, state: &ExchangeState) -> Vec<String> {
        let begin = || {
            let id = service.request_ids.next().to_string();
            AccountStream::begin(id, state, &self.caller)
        };
        let streams = Arc::clone(&self.streams);
        let mut streams = locked(&streams.0);
        let stream = streams.entry(self.caller.user).or_insert_with(begin);
        if stream.resets != state.engine.resets() {
            *stream = begin();
        }
        stream.advance(state);
        self.stream_id = Arc::clone(&stream.id);
        let resumed = self
            .resume
            .take()
            .filter(|(id, seq)| **id == *stream.id && stream.has_all_after(*seq));
        self.seq = resumed.as_ref().map_or(stream.seq, |(_, seq)| *seq);
        let hello = json!({
            "event": "hello",
            "stream_id": &*stream.id,
            "resumed": resumed.is_some(),
            "seq": self.seq,
            "time": state.engine.now().0,
        });
        let mut texts = vec![hello.to_string()];
        match resumed {
            Some((_, seq)) => {
                texts.extend(stream.after(seq).map(|event| event.text.to_string()));
                self.seq = stream.seq;
            }
            None => texts.extend(self.snapshot(state)),
        }
        texts
    }

    fn answers(&mut self, _state: &ExchangeState, _text: &str) -> Vec<String> {
        vec![]
    }

    fn changes(&mut self, state: &ExchangeState, out: &mut Vec<String>) -> AfterChanges {
        let mut streams = locked(&self.streams.0);
        let resets = state.engine.resets();
        let stream = streams
            .get_mut(&self.caller.user)
            .filter(|stream| stream.id == self.stream_id && stream.resets == resets);
        let Some(stream) = stream else {
            out.push(self.farewell());
            return AfterChanges::Close;
        };
        stream.advance(state);
        if !stream.has_all_after(self.seq) {
            out.push(self.farewell());
            return AfterChanges::Close;
        }
        out.extend(stream.after(self.seq).map(|event| event.text.to_string()));
        self.seq = stream.seq;
        AfterChanges::GoOn
    }

    fn heartbeat(&mut self, now: Millis) -> Option<String> {
        let beat = json!({ "event": "heartbeat", "seq": self.seq, "time": now.0 });
        Some(beat.to_string())
    }

    fn farewell(&self) -> String {
        json!({ "event": "reconnect" }).to_string()
    }
}
