//! `perpdeck export PANE`: the file that `E` writes on the desk, on standard output or in a file.
//!
//! Contract: every row of the list, from every page. Nothing is printed or written if a page cannot be read. A file is
//! never overwritten.

use super::{
    super::{
        Exit, out,
        service::{Service, patiently},
        voice::{ListFormat, NoteFlags, Output},
    },
    complete,
    filters::{Since, SinceFilter},
    pages::{Pages, Selection, all_listed},
};
use crate::{
    api::TwapSelector,
    app::{
        Store,
        account::trades::TradeLog,
        core::sheet::{Format, Sheet, SheetRows},
    },
    config::Sources,
    model::{Failure, Market, Order, Page, Position, Scaled, Timestamp, Twap},
    runtime::{Clock, kept_trades, write_export},
    view,
};
use color_eyre::{Report, Result};
use std::path::Path;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ExportArgs {
    /// What to export
    #[arg(value_enum)]
    list: ExportedList,
    #[command(flatten)]
    since: SinceFilter,
    /// A new file, or a directory for a file with a generated name; standard output when left out
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    to: Option<String>,
    /// The format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "csv")]
    output: ExportFormat,
    #[command(flatten)]
    notes: NoteFlags,
}

/// The panes that a service can be read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ExportedList {
    /// Open positions
    Positions,
    /// Working orders
    Orders,
    /// TWAP and VWAP orders, active and ended
    Twaps,
    /// Ladders, working and ended; in CSV a line for each rung
    Scaled,
    /// Closed positions with your notes, R multiples, MAE and MFE
    Closed,
    /// Every order
    History,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ExportFormat {
    Csv,
    Json,
}

/// What was read: the rows, and whether they are all.
struct ReadList {
    rows: SheetRows,
    exit: Exit,
}

pub(in crate::cli) async fn run(args: ExportArgs, sources: &Sources) -> Result<Exit> {
    let (format, written) = match args.output {
        ExportFormat::Csv => (Format::Csv, ListFormat::Csv),
        ExportFormat::Json => (Format::Json, ListFormat::Json),
    };
    let voice = args.notes.voice(Some(written));
    let service = Service::open(sources, voice).await?;
    let mut store = Store::default();
    if args.list == ExportedList::Positions {
        service.take_positions(&mut store).await;
    }
    service.take_prices(&mut store, &[]).await;
    let working = service.working_orders().await?;
    let trades = if args.list == ExportedList::Closed {
        notes(&service)?
    } else {
        TradeLog::default()
    };
    let ReadList { rows, exit } = read(&service, &args, (voice, &working)).await?;
    let markets = store.markets.value().into_iter();
    let sheet = Sheet {
        to: args.to.clone(),
        format,
        account: service.account.to_string(),
        at: Clock::start().now(),
        rows,
        markets: markets
            .flat_map(|all| all.values().cloned())
            .collect::<Vec<Market>>(),
        working: Some(working).filter(|_| args.list == ExportedList::Positions),
        trades,
    };
    if args.to.is_some() {
        let (path, rows) = write_export(&sheet, Path::new(".")).map_err(Failure::local)?;
        voice.note(&format!("{rows} rows in {path}"));
    } else {
        let (text, _) = view::file(&sheet);
        out::say(&text)?;
    }
    Ok(exit)
}

/// What desks on this account noted of its trades.
fn notes(service: &Service) -> Result<TradeLog> {
    let kept = kept_trades(&service.journal_dir, &service.identity());
    kept.map_err(|why| Report::new(Failure::local(why)))
}

async fn read(
    service: &Service,
    args: &ExportArgs,
    (voice, working): (Output, &Page<Order>),
) -> Result<ReadList> {
    let since = args.since.instant(service).await;
    Ok(match args.list {
        ExportedList::Positions => {
            let page = service.open_positions().await?;
            let rows = SheetRows::Positions;
            whole(voice, page, (since, |row| row.opened_at), rows)
        }
        ExportedList::Orders => {
            let at = |row: &Order| Some(row.requested_at);
            whole(voice, working.clone(), (since, at), SheetRows::Working)
        }
        ExportedList::Twaps => {
            let page = twaps(service, voice, since).await?;
            whole(voice, page, (since, |row| row.started_at), SheetRows::Twaps)
        }
        ExportedList::Scaled => {
            let fetch = |cursor| service.client.scaled_orders(&service.account, cursor);
            let wanted = dated(since, |row: &Scaled| row.started_at);
            let key = |row: &Scaled| row.id.clone();
            let page = Pages::all().read(voice, (key, &wanted), fetch).await?;
            read_list(voice, page, SheetRows::Ladders)
        }
        ExportedList::Closed => {
            let fetch = |cursor| service.client.closed_positions(&service.account, cursor);
            let wanted = dated(since, |row: &Position| row.closed_at);
            let key = |row: &Position| row.id.clone();
            let page = Pages::all().read(voice, (key, &wanted), fetch).await?;
            read_list(voice, page, SheetRows::Closed)
        }
        ExportedList::History => {
            let fetch = |cursor| service.client.orders(&service.account, cursor);
            let wanted = dated(since, |row: &Order| Some(row.requested_at));
            let key = |row: &Order| row.id.clone();
            let page = Pages::all().read(voice, (key, &wanted), fetch).await?;
            read_list(voice, page, SheetRows::History)
        }
    })
}

/// When a row is of.
type RowDate<T> = fn(&T) -> Option<Timestamp>;

/// Of a list that has one page; an undated row is older than any instant.
fn whole<T>(
    voice: Output,
    mut page: Page<T>,
    (since, at): (Since, RowDate<T>),
    rows: fn(Vec<T>) -> SheetRows,
) -> ReadList {
    page.rows.retain(|row| since.keeps(at(row)));
    read_list(voice, page, rows)
}

fn read_list<T>(voice: Output, page: Page<T>, rows: fn(Vec<T>) -> SheetRows) -> ReadList {
    let exit = complete(voice, &page);
    ReadList {
        rows: rows(page.rows),
        exit,
    }
}

fn dated<T: 'static>(since: Since, at: RowDate<T>) -> Selection<T> {
    Selection {
        keeps: Box::new(move |row| since.keeps(at(row))),
        ends: Box::new(move |row| since.ends(at(row))),
        lists: all_listed,
        extent: since.extent(),
    }
}

/// The active ones, then those that were completed and those that were canceled.
async fn twaps(service: &Service, voice: Output, since: Since) -> Result<Page<Twap>> {
    let (client, account) = (&service.client, &service.account);
    let mut page = patiently(|| client.active_twaps(account)).await?;
    for list in [TwapSelector::Completed, TwapSelector::Canceled] {
        let fetch = |cursor| client.ended_twaps(account, list, cursor);
        let wanted = dated(since, |row: &Twap| row.started_at);
        let key = |row: &Twap| row.id.clone();
        let ended = Pages::all().read(voice, (key, &wanted), fetch).await?;
        page.rows.extend(ended.rows);
        page.unreadable.extend(ended.unreadable);
        page.incomplete |= ended.incomplete;
    }
    Ok(page)
}
