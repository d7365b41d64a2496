//! `perpdeck markets`, `book`, `candles` and `trades`: public market data.
//!
//! Contract: from the sources that the desk uses: a simulator's own documents, or else the service's market stream.
//! Without one the verb says which setting names it (exit 2).

use super::{
    super::{
        Exit,
        exit::UsageError,
        named::{id, unknown_market},
        service::{Service, arrive, patiently},
        voice::ListOutput,
    },
    ListView,
    filters::{MarketFilter, SideFilter, SinceFilter},
    prices,
    sheet::TextTable,
    stream_link::streamed,
    stream_snapshot::stream_snapshot,
};
use crate::{
    app::{Store, account::poll::Answer},
    config::Sources,
    feed::{event::MarketEvent, topic::Channel},
    model::{Book, Candle, Dated, Interval, MarketId, Page, PublicTrade, Timestamp, ambiguous},
    runtime::{
        Clock,
        polling::market_reads::{self, MarketReads, WantedCandles},
    },
    view::tables::quotes::{
        BOOK, CANDLES, CandleRow, LevelRow, QUOTES, QuoteRow, TAPE, TapeRow, columns_of,
    },
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use color_eyre::{Report, Result};
use std::collections::BTreeMap;
use strum::VariantNames as _;

/// Rows of one request for candles or trades.
const PAGE: u32 = 1_000;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct MarketsArgs {
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct BookArgs {
    /// The market by its symbol, coin or id: BTC, btc or 'paper|BTC'
    #[arg(value_parser = id::<MarketId>)]
    market: MarketId,
    /// At most this many prices of each side, the best first
    #[arg(long, value_name = "LEVELS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CandlesArgs {
    /// The market by its symbol, coin or id: BTC, btc or 'paper|BTC'
    #[arg(value_parser = id::<MarketId>)]
    market: MarketId,
    /// The length of a candle
    #[arg(long, default_value = "1m", value_parser = interval())]
    interval: Interval,
    /// At most this many, the newest; printed oldest first
    #[arg(long, short = 'L', value_name = "ROWS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    since: SinceFilter,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TradesArgs {
    /// The market by its symbol, coin or id: BTC, btc or 'paper|BTC'
    #[arg(value_parser = id::<MarketId>)]
    market: MarketId,
    /// At most this many, the newest first
    #[arg(long, short = 'L', value_name = "ROWS", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    side: SideFilter,
    #[command(flatten)]
    since: SinceFilter,
    #[command(flatten)]
    output: ListOutput,
}

fn interval() -> impl TypedValueParser<Value = Interval> {
    PossibleValuesParser::new(Interval::VARIANTS).try_map(|word| word.parse::<Interval>())
}

pub(in crate::cli) async fn markets(args: MarketsArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let market = args.market.wanted(&service).await?;
    let wanted = market.id().cloned().into_iter().collect();
    let mut page = service.markets(&wanted).await?;
    let mut store = Store::default();
    arrive(&mut store, Answer::Markets(Ok(page.rows.clone())));
    page.rows.retain(|row| market.keeps(&row.id));
    market.check(page.rows.iter().map(|row| &row.id), args.output.voice())?;
    let view = ListView {
        table: TextTable::of(QUOTES),
        row: QuoteRow::new,
        csv: columns_of::QUOTE,
    };
    view.print(&args.output, &page, &store)
}

pub(in crate::cli) async fn book(args: BookArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let (store, market) = named(&service, args.market).await?;
    let names = streamed(&store, &market);
    let read = patiently(|| {
        market_reads::book(MarketReads::of(&service.client), &names, Some(args.depth))
    })
    .await?;
    let read = match read {
        Some(book) => Some(book),
        None => streamed_book(&service, &store, &market).await?,
    };
    let Dated { value, made_at } = read.unwrap_or_default();
    let mut rows = LevelRow::all(&market, &value, made_at);
    // A source may send more levels.
    rows.retain(|row| row.level <= args.depth);
    let view = ListView::plain(BOOK, columns_of::LEVEL);
    view.print(&args.output, &Page::of(rows), &store)
}

pub(in crate::cli) async fn candles(args: CandlesArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let (store, market) = named(&service, args.market.clone()).await?;
    let candles = read_candles(&service, &store, &market, &args).await?;
    let rows = candles.rows.iter();
    let page = Page {
        rows: rows
            .map(|candle| CandleRow::new(&market, args.interval, candle))
            .collect(),
        unreadable: candles.unreadable,
        ..Page::default()
    };
    let view = ListView::plain(CANDLES, columns_of::CANDLE);
    view.print(&args.output, &page, &store)
}

/// Oldest first; older pages follow until there are enough.
async fn read_candles(
    service: &Service,
    store: &Store,
    market: &MarketId,
    args: &CandlesArgs,
) -> Result<Page<Candle>> {
    let most = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let since = args.since.instant(service).await;
    let names = streamed(store, market);
    let (mut whole, mut before) = (Page::<Candle>::default(), None::<Timestamp>);
    loop {
        let ask = || {
            let wanted = WantedCandles {
                interval: args.interval,
                before,
                limit: args.limit.min(PAGE),
            };
            market_reads::candles(
                MarketReads::of(&service.client),
                &names,
                wanted,
                Clock::start().now(),
            )
        };
        let read = patiently(ask).await?;
        let Some(Dated {
            value: mut page, ..
        }) = read
        else {
            whole.rows = streamed_candles(service, store, market, args.interval).await?;
            break;
        };
        page.rows
            .retain(|row| before.is_none_or(|before| row.open_time < before));
        page.rows.sort_by_key(|row| row.open_time);
        let oldest = page.rows.first().map(|row| row.open_time);
        whole.unreadable.extend(page.unreadable);
        page.rows.append(&mut whole.rows);
        whole.rows = page.rows;
        before = oldest;
        if oldest.is_none() || since.ends(oldest) || whole.rows.len() >= most {
            break;
        }
    }
    whole.rows.retain(|row| since.keeps(Some(row.open_time)));
    let older = whole.rows.len().saturating_sub(most);
    whole.rows.drain(..older);
    Ok(whole)
}

pub(in crate::cli) async fn trades(args: TradesArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let (store, market) = named(&service, args.market).await?;
    let since = args.since.instant(&service).await;
    let limit = if args.since.is_given() {
        PAGE
    } else {
        args.limit.min(PAGE)
    };
    let names = streamed(&store, &market);
    let read =
        patiently(|| market_reads::trades(MarketReads::of(&service.client), &names, limit)).await?;
    let mut page = match read {
        Some(page) => page.value,
        None => Page::of(streamed_trades(&service, &store, &market).await?),
    };
    page.rows
        .sort_by_key(|row| std::cmp::Reverse((row.at, row.id)));
    let oldest = page.rows.last().map(|row| row.at);
    let is_cut = args.since.is_given() && !page.rows.is_empty() && !since.ends(oldest);
    if is_cut {
        voice.note("the source sends its newest trades only: older ones since then may be missing");
    }
    page.rows
        .retain(|row| since.keeps(Some(row.at)) && args.side.keeps(Some(row.aggressor)));
    page.rows
        .truncate(usize::try_from(args.limit).unwrap_or(usize::MAX));
    let rows = page.rows.iter();
    let page = Page {
        rows: rows.map(|trade| TapeRow::new(&market, trade)).collect(),
        unreadable: page.unreadable,
        ..Page::default()
    };
    ListView::plain(TAPE, columns_of::TAPE).print(&args.output, &page, &store)
}

/// The newest book that the stream begins with.
async fn streamed_book(
    service: &Service,
    store: &Store,
    market: &MarketId,
) -> Result<Option<Dated<Book>>> {
    let events = stream_snapshot(service, store, market, Channel::Book).await?;
    Ok(events.into_iter().rev().find_map(|event| match event {
        MarketEvent::Book { book, .. } => Some(book),
        MarketEvent::Trade { .. }
        | MarketEvent::Candle { .. }
        | MarketEvent::Tick { .. }
        | MarketEvent::Stats { .. }
        | MarketEvent::Refused { .. } => None,
    }))
}

/// The newest candles, oldest first.
async fn streamed_candles(
    service: &Service,
    store: &Store,
    market: &MarketId,
    interval: Interval,
) -> Result<Vec<Candle>> {
    let events = stream_snapshot(service, store, market, Channel::Candles(interval)).await?;
    let candles = events.into_iter().filter_map(|event| match event {
        MarketEvent::Candle { candle, .. } => Some((candle.open_time, candle)),
        MarketEvent::Book { .. }
        | MarketEvent::Trade { .. }
        | MarketEvent::Tick { .. }
        | MarketEvent::Stats { .. }
        | MarketEvent::Refused { .. } => None,
    });
    Ok(candles.collect::<BTreeMap<_, _>>().into_values().collect())
}

async fn streamed_trades(
    service: &Service,
    store: &Store,
    market: &MarketId,
) -> Result<Vec<PublicTrade>> {
    let events = stream_snapshot(service, store, market, Channel::Trades).await?;
    let trades = events.into_iter().filter_map(|event| match event {
        MarketEvent::Trade { trade, .. } => Some(trade),
        MarketEvent::Book { .. }
        | MarketEvent::Candle { .. }
        | MarketEvent::Tick { .. }
        | MarketEvent::Stats { .. }
        | MarketEvent::Refused { .. } => None,
    });
    Ok(trades.collect())
}

/// The market of this id or symbol. Without a list of markets the source decides about an id.
pub(super) async fn named(service: &Service, name: MarketId) -> Result<(Store, MarketId)> {
    let store = prices(service, vec![name.clone()]).await;
    let found = store.markets_named(name.raw());
    match found.as_slice() {
        [id] => {
            let id = id.clone();
            Ok((store, id))
        }
        [_, _, ..] => Err(Report::new(UsageError(ambiguous(name.raw(), &found)))),
        [] if store.known_markets().is_empty() => Ok((store, name)),
        [] => Err(Report::new(UsageError(unknown_market(&name, &store)))),
    }
}
