//! Market data: subscriptions to channels of markets, and a page of candles on request.

use super::{
    super::{
        engine::{CandleRange, Interval, MarketIx, Millis},
        service::ExchangeService,
        state::ExchangeState,
    },
    market_events::{Channel, LastSent, candle_rows},
    session::{AfterChanges, StreamProtocol},
};
use serde::Deserialize;
use serde_json::json;
use std::str::FromStr as _;

/// Subscriptions of one connection.
const MAX_SUBSCRIPTIONS: usize = 64;
/// Markets of one subscription.
const MAX_SYMBOLS: usize = 32;
/// Candles of one page.
const MAX_CANDLES: usize = 1_500;

#[derive(Debug, Default)]
pub(super) struct MarketSession {
    subscriptions: Vec<Subscription>,
    last: u64,
    /// A reset begins the markets anew, with earlier times.
    resets: u64,
}

/// One channel of some markets.
#[derive(Debug)]
struct Subscription {
    /// The client's number of it.
    id: u64,
    /// Ours.
    name: String,
    channel: Channel,
    markets: Vec<(MarketIx, LastSent)>,
}

impl Subscription {
    fn events(&mut self, state: &ExchangeState) -> Option<String> {
        let channel = &self.channel;
        let events: Vec<String> = self
            .markets
            .iter_mut()
            .flat_map(|(ix, last_sent)| channel.events(state, *ix, last_sent))
            .collect();
        let (sub, rows) = (&self.name, events.join(","));
        (!events.is_empty())
            .then(|| format!(r#"{{"events":[{rows}],"op":"events","sub":"{sub}"}}"#))
    }
}

/// A message of the client. What it has beside this is ignored.
#[derive(Debug, Deserialize)]
struct ClientMessage {
    op: String,
    #[serde(default)]
    id: u64,
    #[serde(default)]
    channel: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    payload: Payload,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Payload {
    symbols: Vec<String>,
    providers: Vec<String>,
    intervals: Vec<String>,
    history_limit: usize,
    provider: String,
    symbol: String,
    interval: String,
    limit: Option<usize>,
    start_time: Option<i64>,
    end_time: Option<i64>,
}

impl StreamProtocol for MarketSession {
    fn greeting(&mut self, _service: &ExchangeService, state: &ExchangeState) -> Vec<String> {
        self.resets = state.engine.resets();
        vec![]
    }

    fn answers(&mut self, state: &ExchangeState, text: &str) -> Vec<String> {
        let message: ClientMessage = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(why) => {
                let error = json!({ "message": format!("this is no message: {why}") });
                return vec![json!({ "op": "err", "error": error }).to_string()];
            }
        };
        match message.op.as_str() {
            "sub" => self.subscribe(state, &message),
            "unsub" => {
                self.subscriptions.retain(|one| one.id != message.id);
                vec![json!({ "op": "end", "id": message.id }).to_string()]
            }
            "req" => vec![response(state, &message)],
            _ => vec![],
        }
    }

    fn changes(&mut self, state: &ExchangeState, out: &mut Vec<String>) -> AfterChanges {
        if self.resets != state.engine.resets() {
            out.push(self.farewell());
            return AfterChanges::Close;
        }
        let subscriptions = self.subscriptions.iter_mut();
        out.extend(subscriptions.filter_map(|one| one.events(state)));
        AfterChanges::GoOn
    }

    fn heartbeat(&mut self, _now: Millis) -> Option<String> {
        None
    }

    fn farewell(&self) -> String {
        json!({ "op": "draining" }).to_string()
    }
}

impl MarketSession {
    /// What is there now comes before `snapshot_end`.
    fn subscribe(&mut self, state: &ExchangeState, message: &ClientMessage) -> Vec<String> {
        let id = message.id;
        match self.subscription(state, message) {
            Ok(mut subscription) => {
                let ok = json!({
                    "op": "sub_ok",
                    "id": id,
                    "sub": subscription.name,
                    "snapshotBoundary": true
                });
                let events = subscription.events(state);
                self.subscriptions.push(subscription);
                let end = json!({ "op": "snapshot_end", "id": id }).to_string();
                let mut texts = vec![ok.to_string()];
                texts.extend(events);
                texts.push(end);
                texts
            }
            Err(why) => {
                let error = json!({ "message": why });
                vec![json!({ "op": "sub_err", "id": id, "error": error }).to_string()]
            }
        }
    }

    fn subscription(
        &mut self,
        state: &ExchangeState,
        message: &ClientMessage,
    ) -> Result<Subscription, String> {
        let Payload {
            symbols, providers, ..
        } = &message.payload;
        if self.subscriptions.iter().any(|one| one.id == message.id) {
            return Err(format!("id {} is in use on this connection", message.id));
        }
        if self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return Err(format!(
                "a connection has at most {MAX_SUBSCRIPTIONS} subscriptions"
            ));
        }
        if symbols.is_empty() || symbols.len() > MAX_SYMBOLS {
            return Err(format!("symbols takes 1 to {MAX_SYMBOLS} entries"));
        }
        // A list of several providers is read as its first.
        let provider = providers.first().ok_or("providers is missing")?;
        let markets = symbols.iter().map(|symbol| {
            let ix = market(state, provider, symbol)?;
            Ok((ix, LastSent::default()))
        });
        let intervals = message.payload.intervals.iter().map(|word| interval(word));
        let history = message.payload.history_limit.min(MAX_CANDLES);
        let channel = Channel::parse(
            &message.channel,
            intervals.collect::<Result<_, _>>()?,
            history,
        )?;
        let markets = markets.collect::<Result<_, String>>()?;
        self.last += 1;
        Ok(Subscription {
            id: message.id,
            name: format!("s{}", self.last),
            channel,
            markets,
        })
    }
}

fn response(state: &ExchangeState, message: &ClientMessage) -> String {
    let id = message.id;
    let result = match message.method.as_str() {
        "ping" => Ok(state.engine.now().0.to_string()),
        "candles.history" => history(state, &message.payload),
        other => Err(format!("there is no method \"{other}\"")),
    };
    match result {
        Ok(result) => format!(r#"{{"id":{id},"op":"res","result":{result}}}"#),
        Err(why) => json!({ "op": "err", "id": id, "error": { "message": why } }).to_string(),
    }
}

/// Candles by rising time that open in `startTime..=endTime`, as JSON text.
fn history(state: &ExchangeState, payload: &Payload) -> Result<String, String> {
    let ix = market(state, &payload.provider, &payload.symbol)?;
    let range = CandleRange {
        interval: interval(&payload.interval)?,
        before: payload.end_time.map(|end| Millis(end.saturating_add(1))),
        limit: payload.limit.unwrap_or(MAX_CANDLES).min(MAX_CANDLES),
    };
    let from = payload.start_time.unwrap_or(i64::MIN);
    let rows = candle_rows(state, ix, range).into_iter();
    let rows = rows.filter(|(open_time, _)| *open_time >= from);
    let rows: Vec<_> = rows.map(|(_, row)| row).collect();
    Ok(format!("[{}]", rows.join(",")))
}

fn interval(word: &str) -> Result<Interval, String> {
    Interval::from_str(word).map_err(|_| format!("interval {word} is not served here"))
}

fn market(state: &ExchangeState, provider: &str, symbol: &str) -> Result<MarketIx, String> {
    let found = state.engine.market(&format!("{provider}|{symbol}"));
    found.ok_or_else(|| format!("{provider} has no symbol {symbol}"))
}
