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
    filters::SinceFilter,
    listed::Listed,
    lists,
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
    model::{
        Cursor, EquitySample, Failure, FundingPayment, Market, Order, Page, Position, Scaled, Twap,
    },
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
        let (path, rows) = write_export(&sheet, Path::new(".")).map_err(Report::msg)?;
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
    kept.map_err(|why| Failure::local(why).into())
}

/// Reads whole lists, from an instant on.
struct ListReader<'a> {
    service: &'a Service,
    voice: Output,
    since: Since,
}

impl ListReader<'_> {
    async fn read(&self, list: ExportedList, working: &Page<Order>) -> Result<ReadList> {
        let Self { service, since, .. } = self;
        let client = &service.client;
        Ok(match list {
            ExportedList::Positions => {
                let mut page = service.open_positions().await?;
                page.rows.retain(|row| since.keeps(row.opened_at));
                self.done(page, SheetRows::Positions)
            }
            ExportedList::Orders => {
                let mut page = working.clone();
                page.rows.retain(|row| since.keeps(Some(row.requested_at)));
                self.done(page, SheetRows::Working)
            }
            ExportedList::Twaps => self.done(self.twaps().await?, SheetRows::Twaps),
            ExportedList::Scaled => {
                let wanted = self.dated(|row: &Scaled| row.started_at);
                self.all(
                    &wanted,
                    |cursor| client.scaled_orders(cursor),
                    SheetRows::Scaled,
                )
                .await?
            }
            ExportedList::Closed => {
                let wanted = self.dated(|row: &Position| row.closed_at);
                self.all(
                    &wanted,
                    |cursor| client.closed_positions(cursor),
                    SheetRows::Closed,
                )
                .await?
            }
            ExportedList::History => {
                let wanted = self.dated(|row: &Order| Some(row.requested_at));
                self.all(&wanted, |cursor| client.orders(cursor), SheetRows::History)
                    .await?
            }
            ExportedList::Fills => {
                let wanted = lists::filled(self.dated(|row| row.settled_at));
                self.all(&wanted, |cursor| client.fills(cursor), SheetRows::Fills)
                    .await?
            }
            ExportedList::Funding => {
                let instead = "export positions\" and \"perpdeck export closed";
                lists::needs_simulator(service, instead).await?;
                let wanted = self.dated(|row: &FundingPayment| Some(row.paid_at));
                let fetch = |cursor| lists::payments(service, cursor);
                self.all(&wanted, fetch, SheetRows::Funding).await?
            }
            ExportedList::Equity => {
                let instead = "account\" and \"perpdeck export closed";
                lists::needs_simulator(service, instead).await?;
                let id = |row: &EquitySample| row.sampled_at.0.to_string();
                let wanted = Selection::dated(id, self.since, |row| Some(row.sampled_at));
                let fetch = |cursor| lists::samples(service, cursor);
                self.all(&wanted, fetch, SheetRows::Equity).await?
            }
        })
    }

    fn dated<T: Listed>(&self, at: RowDate<T>) -> Selection<T> {
        Selection::dated(T::id, self.since, at)
    }

    /// Every page of a list.
    async fn all<T: 'static, F>(
        &self,
        wanted: &Selection<T>,
        fetch: impl FnMut(Option<Cursor>) -> F,
        rows: fn(Vec<T>) -> SheetRows,
    ) -> Result<ReadList>
    where
        F: Future<Output = Result<Page<T>, Failure>>,
    {
        let page = Pages::all().read(self.voice, wanted, fetch).await?;
        Ok(self.done(page, rows))
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
        let client = &self.service.client;
        let mut page = patiently(|| client.active_twaps()).await?;
        page.rows.retain(|row| self.since.keeps(row.started_at));
        let wanted = self.dated(|row: &Twap| row.started_at);
        for list in [TwapSelector::Completed, TwapSelector::Canceled] {
            let fetch = |cursor| client.ended_twaps(list, cursor);
            let ended = Pages::all().read(self.voice, &wanted, fetch).await?;
            page.rows.extend(ended.rows);
            page.unreadable.extend(ended.unreadable);
            page.incomplete |= ended.incomplete;
        }
        Ok(page)
    }
}
