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
    filters::{self, SideFilter, SinceFilter, WantedMarket},
    funding,
    pages::{Pages, RowDate, Selection, Since},
};
use crate::{
    api::TwapSelector,
    app::{
        Store,
        account::trades::TradeLog,
        core::sheet::{Format, Sheet, SheetRows},
    },
    config::Sources,
    model::{Failure, Market, Order, Page, Position, Scaled, Twap},
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
    /// A new file, or a directory for one with a generated name [default: standard output]
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    to: Option<String>,
    /// The format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "csv")]
    output: ExportFormat,
    #[command(flatten)]
    notes: NoteFlags,
}

/// The lists that a service can be read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ExportedList {
    /// Open positions
    Positions,
    /// Working orders
    Orders,
    /// TWAP and VWAP orders, active and ended
    Twaps,
    /// Scaled orders, working and ended; in CSV a line for each rung
    Scaled,
    /// Closed positions with your notes, R multiples, MAE and MFE
    Closed,
    /// Every order
    History,
    /// What the orders have filled
    Fills,
    /// Funding payments, on the paper exchange
    Funding,
    /// The equity, once a minute, on the paper exchange
    Equity,
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
    let since = args.since.instant(&service).await;
    let reading = ListReader {
        service: &service,
        voice,
        since,
    };
    let ReadList { rows, exit } = reading.read(args.list, &working).await?;
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

/// Reads whole lists, from an instant on.
struct ListReader<'a> {
    service: &'a Service,
    voice: Output,
    since: Since,
}

impl ListReader<'_> {
    async fn read(&self, list: ExportedList, working: &Page<Order>) -> Result<ReadList> {
        let Self { service, .. } = self;
        let (client, account) = (&service.client, &service.account);
        Ok(match list {
            ExportedList::Positions => {
                let mut page = service.open_positions().await?;
                page.rows.retain(|row| self.since.keeps(row.opened_at));
                self.done(page, SheetRows::Positions)
            }
            ExportedList::Orders => {
                let mut page = working.clone();
                let at = |row: &Order| Some(row.requested_at);
                page.rows.retain(|row| self.since.keeps(at(row)));
                self.done(page, SheetRows::Working)
            }
            ExportedList::Twaps => self.done(self.twaps().await?, SheetRows::Twaps),
            ExportedList::Scaled => {
                let fetch = |cursor| client.scaled_orders(account, cursor);
                let wanted = Selection::dated(
                    |row: &Scaled| row.id.to_string(),
                    self.since,
                    |row| row.started_at,
                );
                let page = Pages::all().read(self.voice, &wanted, fetch).await?;
                self.done(page, SheetRows::Scaled)
            }
            ExportedList::Closed => {
                let fetch = |cursor| client.closed_positions(account, cursor);
                let wanted = Selection::dated(
                    |row: &Position| row.id.to_string(),
                    self.since,
                    |row| row.closed_at,
                );
                let page = Pages::all().read(self.voice, &wanted, fetch).await?;
                self.done(page, SheetRows::Closed)
            }
            ExportedList::History => {
                let fetch = |cursor| client.orders(account, cursor);
                let at: RowDate<Order> = |row| Some(row.requested_at);
                let wanted = Selection::dated(|row: &Order| row.id.to_string(), self.since, at);
                let page = Pages::all().read(self.voice, &wanted, fetch).await?;
                self.done(page, SheetRows::History)
            }
            ExportedList::Fills => self.fills().await?,
            ExportedList::Funding => self.funding().await?,
            ExportedList::Equity => self.equity().await?,
        })
    }

    async fn fills(&self) -> Result<ReadList> {
        let Self { service, .. } = self;
        let fetch = |cursor| service.client.fills(&service.account, cursor);
        let wanted = filters::fills(WantedMarket::Any, SideFilter::default(), self.since);
        let page = Pages::all().read(self.voice, &wanted, fetch).await?;
        Ok(self.done(page, SheetRows::Fills))
    }

    async fn funding(&self) -> Result<ReadList> {
        let instead = "export positions\" and \"perpdeck export closed";
        funding::is_listed(self.service, instead).await?;
        let fetch = |cursor| funding::payments_page(self.service, cursor);
        let wanted = funding::payments(self.since);
        let page = Pages::all().read(self.voice, &wanted, fetch).await?;
        Ok(self.done(page, SheetRows::Funding))
    }

    async fn equity(&self) -> Result<ReadList> {
        let instead = "account\" and \"perpdeck export closed";
        funding::is_listed(self.service, instead).await?;
        let fetch = |cursor| funding::samples_page(self.service, cursor);
        let wanted = funding::samples(self.since);
        let page = Pages::all().read(self.voice, &wanted, fetch).await?;
        Ok(self.done(page, SheetRows::Equity))
    }

    fn done<T>(&self, page: Page<T>, rows: fn(Vec<T>) -> SheetRows) -> ReadList {
        let exit = complete(self.voice, &page);
        ReadList {
            rows: rows(page.rows),
            exit,
        }
    }

    /// The active ones, then those that were completed and those that were canceled.
    async fn twaps(&self) -> Result<Page<Twap>> {
        let (client, account) = (&self.service.client, &self.service.account);
        let mut page = patiently(|| client.active_twaps(account)).await?;
        page.rows.retain(|row| self.since.keeps(row.started_at));
        for list in [TwapSelector::Completed, TwapSelector::Canceled] {
            let fetch = |cursor| client.ended_twaps(account, list, cursor);
            let wanted = Selection::dated(
                |row: &Twap| row.id.to_string(),
                self.since,
                |row| row.started_at,
            );
            let ended = Pages::all().read(self.voice, &wanted, fetch).await?;
            page.rows.extend(ended.rows);
            page.unreadable.extend(ended.unreadable);
            page.incomplete |= ended.incomplete;
        }
        Ok(page)
    }
}
