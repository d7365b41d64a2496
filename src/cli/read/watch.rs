//! `perpdeck watch`: what changes, one line each, until it is stopped.
//!
//! Contract: orders and positions are read at an interval and compared by the service's own fields: a moving mark alone is
//! no change. Events are the lines that desks on this account write to `events.jsonl`. A read that fails is reported
//! once, and again when reads succeed; a refused key ends the watch.

mod events;
mod stream_rows;
mod streams;

pub(in crate::cli) use stream_rows::{AccountLine, MarketLine};

use super::{
    super::{
        Exit,
        exit::UsageError,
        local_zone::local_zone,
        named::{id, is_word},
        service::Service,
        voice::{ListFormat, NoteFlags, json},
    },
    drawn,
    filters::{MarketFilter, WantedMarket},
    listed::Listed,
};
use crate::{
    app::Store,
    config::Sources,
    model::{Failure, FailureKind, MarketId, Order, Page, Position, Timestamp, draft::span},
    runtime::Clock,
    view::{
        tables::rows::{OrderRow, PositionRow},
        text::words,
    },
};
use color_eyre::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io::{self, IsTerminal as _, Write as _},
    time::Duration,
};
use stream_rows::WatchedChannel;
use tokio::time::{Instant, sleep_until, timeout};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct WatchArgs {
    /// orders (the default), positions, events (of an open desk), account or market BTC (streams), or the ids of orders
    #[arg(value_name = "WHAT", value_parser = id::<String>)]
    what: Vec<String>,
    /// What of the market, with commas between
    #[arg(
        long = "channel",
        value_enum,
        value_name = "CHANNELS",
        value_delimiter = ',',
        default_value = "book,trades,candles,stats"
    )]
    channels: Vec<WatchedChannel>,
    #[command(flatten)]
    market: MarketFilter,
    /// How often orders and positions are read: 200ms to 1h
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    interval: Duration,
    /// Ends after this time: 90s, 2h; without it, Ctrl-C ends it
    #[arg(long = "for", value_name = "TIME", value_parser = length)]
    length: Option<Duration>,
    /// The format of a line [default: text on a terminal, jsonl elsewhere]
    #[arg(long, short, value_enum, value_name = "FORMAT")]
    output: Option<WatchFormat>,
    #[command(flatten)]
    notes: NoteFlags,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum WatchTarget {
    /// Working orders, and how each ends; of named ones until all have ended.
    Orders(Vec<String>),
    Positions,
    /// What an open desk does and sees: the lines of its activity pane.
    Events,
    /// Book, trades, candles and statistics of a market, from the service's stream or that of its venue.
    Market(MarketId),
    /// Orders, positions, fills and balance, from the service's stream.
    Account,
}

impl WatchTarget {
    fn read(given: &[String]) -> Result<Self, UsageError> {
        let words: Vec<_> = given.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] | ["orders"] => Ok(Self::Orders(vec![])),
            ["positions"] => Ok(Self::Positions),
            ["events"] => Ok(Self::Events),
            ["account"] => Ok(Self::Account),
            ["market", name] => Ok(Self::Market((*name).into())),
            ["market", ..] => Err(UsageError(
                "\"watch market\" needs one market: perpdeck watch market BTC".to_owned(),
            )),
            ids => match ids.iter().find(|name| is_word(name)) {
                Some(word) => Err(UsageError(format!(
                    "{word:?} cannot be watched: write orders, positions, events, account, market BTC, or the ids of orders"
                ))),
                None => Ok(Self::Orders(given.to_vec())),
            },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum WatchFormat {
    Text,
    /// One JSON object a line
    #[value(alias = "json")]
    Jsonl,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[schemars(inline)]
pub(in crate::cli) enum WatchedChange {
    /// It was there when the watch began.
    Present,
    Added,
    Changed,
    /// It is no longer in the list; the row is its last state that is known.
    Removed,
}

/// A line of `watch orders` or `watch positions`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::cli) struct WatchLine<R> {
    /// When it was seen.
    pub(in crate::cli) seen_at: Timestamp,
    pub(in crate::cli) change: WatchedChange,
    /// As `orders` or `positions` prints it.
    pub(in crate::cli) row: R,
}

pub(super) fn interval(text: &str) -> Result<Duration, String> {
    let millis = text
        .strip_suffix("ms")
        .and_then(|digits| digits.parse().ok());
    let read = millis.map(Duration::from_millis).or_else(|| span(text));
    let allowed = Duration::from_millis(200)..=Duration::from_hours(1);
    read.filter(|time| allowed.contains(time))
        .ok_or_else(|| "write a time from 200ms to 1h, as in 500ms or 5s".to_owned())
}

pub(super) fn length(text: &str) -> Result<Duration, String> {
    span(text).ok_or_else(|| "write a time, as in 90s, 30m or 2h".to_owned())
}

impl WatchFormat {
    fn chosen(written: Option<Self>) -> Self {
        written.unwrap_or(if io::stdout().is_terminal() {
            Self::Text
        } else {
            Self::Jsonl
        })
    }
}

pub(in crate::cli) async fn run(args: WatchArgs, sources: &Sources) -> Result<Exit> {
    let format = WatchFormat::chosen(args.output);
    let voice = args.notes.voice(Some(match format {
        WatchFormat::Text => ListFormat::Table,
        WatchFormat::Jsonl => ListFormat::Json,
    }));
    let target = WatchTarget::read(&args.what)?;
    let service = Service::open(sources, voice).await?;
    let watching = async {
        match target {
            WatchTarget::Orders(ids) => follow::<Order>(&service, &args, &ids, format).await,
            WatchTarget::Positions => follow::<Position>(&service, &args, &[], format).await,
            WatchTarget::Events => events::follow(&service, sources, format).await,
            WatchTarget::Market(name) => {
                streams::market(&service, &name, &args.channels, format).await
            }
            WatchTarget::Account => streams::account(&service, format).await,
        }
    };
    match args.length {
        None => watching.await,
        // Its end is no failure.
        Some(length) => timeout(length, watching).await.unwrap_or(Ok(Exit::Ok)),
    }
}

/// A row that can be watched.
trait Watchable: Listed + Clone + PartialEq {
    type Row: Serialize;

    async fn read(service: &Service) -> Result<Page<Self>, Failure>;
    /// One that is no longer in the list.
    async fn one(service: &Service, id: &str) -> Result<Option<Self>, Failure>;
    fn exact(&self, store: &Store) -> Self::Row;
    fn words(&self, store: &Store) -> String;
}

impl Watchable for Order {
    type Row = OrderRow;

    async fn read(service: &Service) -> Result<Page<Self>, Failure> {
        service.client.working_orders().await
    }

    async fn one(service: &Service, id: &str) -> Result<Option<Self>, Failure> {
        service.client.order(&id.into()).await
    }

    fn exact(&self, store: &Store) -> OrderRow {
        drawn(store, |scene| OrderRow::new(self, scene))
    }

    fn words(&self, store: &Store) -> String {
        let words = words::order(self, store.market(&self.market_id), &store.names);
        format!("{} {words}, {}", self.id, self.status)
    }
}

impl Watchable for Position {
    type Row = PositionRow;

    async fn read(service: &Service) -> Result<Page<Self>, Failure> {
        service.client.open_positions().await
    }

    async fn one(service: &Service, id: &str) -> Result<Option<Self>, Failure> {
        service.client.position(&id.into()).await
    }

    fn exact(&self, store: &Store) -> PositionRow {
        drawn(store, |scene| PositionRow::new(self, scene))
    }

    fn words(&self, store: &Store) -> String {
        words::position(self, store.market(&self.market_id), &store.names)
    }
}

/// Whether somebody still reads the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineReader {
    Listens,
    Gone,
}

/// Prints one line.
pub(super) fn print(line: &str) -> io::Result<LineReader> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Ok(()) => Ok(LineReader::Listens),
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(LineReader::Gone),
        Err(why) => Err(why),
    }
}

async fn follow<T: Watchable>(
    service: &Service,
    args: &WatchArgs,
    ids: &[String],
    format: WatchFormat,
) -> Result<Exit> {
    let voice = service.voice;
    let market = args.market.wanted(service).await?;
    let mut known: Option<BTreeMap<String, T>> = None;
    let (mut store, mut is_failing) = (Store::default(), false);
    let mut next = Instant::now();
    loop {
        sleep_until(next).await;
        next = Instant::now() + args.interval;
        let unlisted = if known.is_none() { ids } else { &[] };
        let page = match read::<T>(service, ids, unlisted).await {
            Ok(page) => page,
            Err(why) if matches!(why.kind, FailureKind::Auth | FailureKind::NotFound) => {
                return Ok(voice.failure(&why));
            }
            Err(why) => {
                if !is_failing {
                    voice.failure(&why);
                    voice.note("the watch continues");
                }
                is_failing = true;
                next += why.retry_after.unwrap_or_default();
                continue;
            }
        };
        if is_failing {
            is_failing = false;
            voice.note("reads succeed again");
        }
        let markets: Vec<_> = page.rows.iter().map(|row| row.market().clone()).collect();
        service.take_prices(&mut store, &markets).await;
        store.clocks = service.clocks().await;
        service.tell_requests();
        if known.is_none() {
            market.check(page.rows.iter().map(T::market), voice)?;
        }
        for (change, row) in changes(service, &market, &mut known, page).await {
            let line = change_line(format, change, &row, &store);
            if print(&line)? == LineReader::Gone {
                return Ok(Exit::Ok);
            }
        }
        if !ids.is_empty() && known.as_ref().is_some_and(BTreeMap::is_empty) {
            return Ok(Exit::Ok);
        }
    }
}

/// The list, or its rows of these ids; those of `unlisted` also if they are no longer in it.
async fn read<T: Watchable>(
    service: &Service,
    ids: &[String],
    unlisted: &[String],
) -> Result<Page<T>, Failure> {
    let mut page = T::read(service).await?;
    if ids.is_empty() {
        return Ok(page);
    }
    page.rows.retain(|row| ids.contains(&row.id()));
    for id in unlisted {
        if page.rows.iter().all(|row| row.id() != *id) {
            let row = T::one(service, id).await?;
            let missing = || Failure::new(FailureKind::NotFound, format!("there is no {id}"));
            page.rows.push(row.ok_or_else(missing)?);
        }
    }
    Ok(page)
}

/// What the page changes in what is known.
async fn changes<T: Watchable>(
    service: &Service,
    market: &WantedMarket,
    known: &mut Option<BTreeMap<String, T>>,
    page: Page<T>,
) -> Vec<(WatchedChange, T)> {
    let is_whole = page.is_whole();
    let fresh = if known.is_some() {
        WatchedChange::Added
    } else {
        WatchedChange::Present
    };
    let known = known.get_or_insert_default();
    let rows = page.rows.into_iter();
    let now: BTreeMap<_, _> = rows
        .filter(|row| market.keeps(row.market()))
        .map(|row| (row.id(), row))
        .collect();
    let mut changes = vec![];
    // An incomplete list proves nothing about a row that it lacks.
    let gone = known.keys().filter(|id| is_whole && !now.contains_key(*id));
    for id in gone.cloned().collect::<Vec<_>>() {
        if let Some(row) = known.remove(&id) {
            let last = T::one(service, &id).await.ok().flatten();
            changes.push((WatchedChange::Removed, last.unwrap_or(row)));
        }
    }
    for (id, row) in now {
        let change = match known.get(&id) {
            None => fresh,
            Some(before) if *before == row => continue,
            Some(_) => WatchedChange::Changed,
        };
        known.insert(id, row.clone());
        changes.push((change, row));
    }
    changes
}

fn change_line<T: Watchable>(
    format: WatchFormat,
    change: WatchedChange,
    row: &T,
    store: &Store,
) -> String {
    let seen_at = Clock::start().now();
    match format {
        WatchFormat::Jsonl => json(&WatchLine {
            seen_at,
            change,
            row: row.exact(store),
        }),
        WatchFormat::Text => {
            let time = local_zone().time_of_day(seen_at);
            format!("{time}  {change:<8} {}", row.words(store))
        }
    }
}
