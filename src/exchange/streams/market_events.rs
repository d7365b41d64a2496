//! The events of a channel: what of a market differs from what was sent last. Decimals are strings.
//!
//! An event is JSON text as soon as it is known: hundreds of candles as trees of values cost megabytes.

use super::super::{
    engine::{
        BookLevel, CandleRange, CandleReport, Engine, Interval, MarketAccess, MarketIx,
        MarketReport, MarketSpec, Side,
    },
    state::ExchangeState,
    wire::{MarketUnits, rate, usd},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Trades of before the subscription that are sent with it.
const EARLIER_TRADES: usize = 30;
/// Levels of a book, a side.
const LEVELS: usize = 20;

/// What of a market is sent.
#[derive(Debug, Clone)]
pub(super) enum Channel {
    Ticks,
    Books,
    Trades,
    Candles {
        intervals: Vec<Interval>,
        /// Candles of before the subscription that are sent with it.
        history: usize,
    },
    MarketStats,
    Status,
}

/// What of a market was sent last.
#[derive(Debug, Default)]
pub(super) struct LastSent {
    /// The last event, without its time.
    body: Map<String, Value>,
    newest_trade: Option<i64>,
    /// The newest candle of each interval, by when it opened.
    candles: BTreeMap<Interval, (i64, String)>,
}

/// A market, and how its numbers are written.
#[derive(Clone, Copy)]
struct StreamedMarket<'a> {
    spec: &'a MarketSpec,
    units: MarketUnits,
}

impl Channel {
    pub(super) fn parse(
        name: &str,
        intervals: Vec<Interval>,
        history: usize,
    ) -> Result<Self, String> {
        Ok(match name {
            "ticks" => Self::Ticks,
            "books" => Self::Books,
            "trades" => Self::Trades,
            "candles" if intervals.is_empty() => return Err("intervals is missing".to_owned()),
            "candles" => Self::Candles { intervals, history },
            "marketStats" => Self::MarketStats,
            "status" => Self::Status,
            other => return Err(format!("there is no channel \"{other}\"")),
        })
    }

    /// What changed since `last_sent`, which then holds it.
    pub(super) fn events(
        &self,
        state: &ExchangeState,
        ix: MarketIx,
        last_sent: &mut LastSent,
    ) -> Vec<String> {
        let engine = &state.engine;
        let (market, facts) = (StreamedMarket::of(engine, ix), engine.market_facts(ix));
        let now = engine.now().0;
        match self {
            Self::Ticks => last_sent.whole(market.tick(&facts), now),
            Self::Books => last_sent.whole(market.book(engine, ix), now),
            Self::Status => last_sent.whole(market.status(), now),
            Self::MarketStats => last_sent.patch(
                market.stats(state, ix, &facts),
                market.named("marketStats"),
                now,
            ),
            Self::Trades => market.trades(state, ix, last_sent),
            Self::Candles { intervals, history } => intervals
                .iter()
                .flat_map(|interval| last_sent.candles(state, ix, *interval, *history))
                .collect(),
        }
        .into_iter()
        .collect()
    }
}

impl LastSent {
    /// The whole event, if anything but its time is new.
    fn whole(&mut self, body: Map<String, Value>, now: i64) -> Vec<String> {
        if body == self.body {
            return vec![];
        }
        self.body.clone_from(&body);
        vec![timed(body, now)]
    }

    /// The fields that are new: an absent one keeps, null clears.
    fn patch(
        &mut self,
        body: Map<String, Value>,
        named: Map<String, Value>,
        now: i64,
    ) -> Vec<String> {
        let fresh = body
            .iter()
            .filter(|(name, value)| self.body.get(*name) != Some(*value));
        let mut event = named;
        let before = event.len();
        event.extend(fresh.map(|(name, value)| (name.clone(), value.clone())));
        let is_new = event.len() > before;
        self.body = body;
        is_new.then(|| timed(event, now)).into_iter().collect()
    }

    /// The candles from the one that was sent last, if they are new or have changed.
    fn candles(
        &mut self,
        state: &ExchangeState,
        ix: MarketIx,
        interval: Interval,
        history: usize,
    ) -> Vec<String> {
        let present = state.engine.now().0.div_euclid(interval.millis());
        let limit = match self.candles.get(&interval) {
            Some((open_time, _)) => present - open_time.div_euclid(interval.millis()) + 1,
            None => i64::try_from(history).unwrap_or(i64::MAX).max(1),
        };
        let range = CandleRange {
            interval,
            before: None,
            limit: usize::try_from(limit).unwrap_or(1),
        };
        let mut rows = candle_rows(state, ix, range);
        if let Some(newest) = self.candles.get(&interval) {
            rows.retain(|row| row.0 >= newest.0 && row != newest);
        }
        if let Some(newest) = rows.last() {
            self.candles.insert(interval, newest.clone());
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

fn timed(mut body: Map<String, Value>, now: i64) -> String {
    body.insert("time".to_owned(), now.into());
    Value::Object(body).to_string()
}

/// Candles by rising time, each with when it opens.
pub(super) fn candle_rows(
    state: &ExchangeState,
    ix: MarketIx,
    range: CandleRange,
) -> Vec<(i64, String)> {
    let engine = &state.engine;
    let market = StreamedMarket::of(engine, ix);
    let reports = engine.candles(ix, range).reports();
    let rows = reports.iter();
    rows.map(|report| (report.open_time.0, market.candle(range.interval, report)))
        .collect()
}

impl<'a> StreamedMarket<'a> {
    fn of(engine: &'a Engine, ix: MarketIx) -> Self {
        let spec = engine.market_spec(ix);
        Self {
            spec,
            units: MarketUnits::from(spec),
        }
    }

    fn named(self, kind: &str) -> Map<String, Value> {
        let fields = [
            ("type", kind),
            ("provider", &self.spec.provider),
            ("symbol", &self.spec.coin),
        ];
        let fields = fields.into_iter();
        fields
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect()
    }

    fn with(self, kind: &str, fields: Value) -> Map<String, Value> {
        let mut body = self.named(kind);
        if let Value::Object(fields) = fields {
            body.extend(fields);
        }
        body
    }

    fn tick(self, facts: &MarketReport) -> Map<String, Value> {
        let px = |px| self.units.px(px).to_string();
        let fields = json!({
            "price": px(facts.mark),
            "last": facts.last.map(px),
            "bid": facts.bid.map(px),
            "ask": facts.ask.map(px),
        });
        self.with("tick", fields)
    }

    fn book(self, engine: &Engine, ix: MarketIx) -> Map<String, Value> {
        let level = |level: BookLevel| {
            let (price, size) = (self.units.px(level.px), self.units.lots(level.size));
            [price.to_string(), size.to_string()]
        };
        let side = |side| -> Vec<_> {
            let levels = engine.book_levels(ix, side).take(LEVELS);
            levels.map(level).collect()
        };
        self.with(
            "book",
            json!({ "bids": side(Side::Buy), "asks": side(Side::Sell) }),
        )
    }

    fn status(self) -> Map<String, Value> {
        let status = match self.spec.access {
            MarketAccess::Disabled => "closed",
            MarketAccess::ReduceOnly => "reduce_only",
            MarketAccess::Open => "open",
        };
        self.with("status", json!({ "status": status }))
    }

    fn stats(
        self,
        state: &ExchangeState,
        ix: MarketIx,
        facts: &MarketReport,
    ) -> Map<String, Value> {
        const HOURS_BETWEEN_FUNDINGS: u32 = 1;
        let px = |px| self.units.px(px);
        let change = px(facts.mark).percent_from(px(facts.prev_day));
        let fields = json!({
            "markPx": px(facts.mark).to_string(),
            "change24hPct": change.map(|change| change.to_string()),
            "fundingRate": rate(facts.funding_rate).to_string(),
            "fundingIntervalHours": HOURS_BETWEEN_FUNDINGS,
            "nextFundingTime": facts.next_funding_at.0,
            "dayNtlVlm": usd(facts.day_volume).to_string(),
        });
        let mut fields = fields.as_object().cloned().unwrap_or_default();
        // The service has no such field, and a generated market no gap.
        if state.markets.is_some() {
            let since = state.engine.gap_since(ix).map(|since| since.0);
            fields.insert("gapSince".to_owned(), since.into());
        }
        fields
    }

    /// By rising number.
    fn trades(self, state: &ExchangeState, ix: MarketIx, last_sent: &mut LastSent) -> Vec<String> {
        let newest = state.engine.trades(ix, None).next().map(|(id, _)| id);
        let known = last_sent.newest_trade;
        let fresh = state.engine.trades(ix, None);
        let fresh = fresh.take_while(|(id, _)| known.is_none_or(|known| *id > known));
        let most = known.map_or(EARLIER_TRADES, |_| usize::MAX);
        let mut events: Vec<String> = fresh
            .take(most)
            .map(|(id, trade)| {
                let fields = json!({
                    "tradeId": id.to_string(),
                    "side": trade.aggressor,
                    "price": self.units.px(trade.px).to_string(),
                    "size": self.units.lots(trade.size).to_string(),
                    "time": trade.at.0,
                });
                Value::Object(self.with("trade", fields)).to_string()
            })
            .collect();
        events.reverse();
        last_sent.newest_trade = newest;
        events
    }

    fn candle(self, interval: Interval, report: &CandleReport) -> String {
        let candle = report.candle;
        let px = |px| self.units.px(px).to_string();
        let open_time = report.open_time.0;
        let fields = json!({
            "interval": interval.to_string(),
            "openTime": open_time,
            "closeTime": open_time + interval.millis() - 1,
            "open": px(candle.open),
            "high": px(candle.high),
            "low": px(candle.low),
            "close": px(candle.close),
            "volume": self.units.lots(candle.volume).to_string(),
            "quoteVolume": usd(candle.turnover).to_string(),
            "trades": candle.trades,
            "isFinal": report.is_closed,
        });
        Value::Object(self.with("candle", fields)).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::{
        ClockMode, ExchangeOptions, ReceivedSource, ReplayEnd, ReplayOptions, Scenario,
        SimulatorAccess, engine::Millis, open, tests::served,
    };
    use crate::model::Timestamp;
    use tempfile::TempDir;
    use tokio::time::Instant;

    #[tokio::test]
    async fn a_market_whose_frames_are_missing_says_so_in_its_statistics() {
        let home = TempDir::new().unwrap();
        let file = home.path().join("btc.txt");
        let book = |at: i64| {
            let levels = r#"[[{"n":1,"px":"100","sz":"1"}],[{"n":1,"px":"101","sz":"1"}]]"#;
            format!(
                r#"{at}000000 {{"channel":"l2Book","data":{{"coin":"BTC","levels":{levels},"time":{at}}}}}"#
            )
        };
        let start = 1_790_000_000_000_i64;
        let lines = [book(start), book(start + 10_000), book(start + 20_000)].join("\n");
        std::fs::write(&file, lines + "\n").unwrap();
        let scenario = include_str!("../../../tests/support/bare.toml");
        let source = ReceivedSource::Replay(ReplayOptions {
            files: vec![file],
            market: Some("hyperliquid|BTC".into()),
            end: ReplayEnd::Stop,
        });
        let opened = open(ExchangeOptions {
            scenario: Scenario::parse(scenario).unwrap().on_received(source),
            start: Timestamp(0),
            pace: Some(ClockMode::Paused),
            data_dir: None,
            simulator: SimulatorAccess::Served,
        });
        let service = served(opened.unwrap());
        let mut state = service.state().unwrap();
        let mut last_sent = LastSent::default();
        let mut told = |millis: i64| {
            state.advance(Millis(millis), Instant::now());
            let market = MarketIx::from(0);
            let events = Channel::MarketStats.events(&state, market, &mut last_sent);
            let event: Value = serde_json::from_str(events.first()?).unwrap();
            Some(event["gapSince"].clone())
        };
        assert_eq!(told(0), Some(Value::Null));
        assert_eq!(told(6_000), Some(json!(start)));
        assert_eq!(told(5_000), Some(Value::Null), "the next book has come");
    }
}
