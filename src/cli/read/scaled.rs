//! `perpdeck scaled list` and `scaled show`: scaled orders, working and ended, and their rungs.
//!
//! Contract: a CSV has a line for each rung, because the scaled order's own fields would repeat.

use super::{
    super::{
        Exit,
        named::id,
        service::{Service, arrive, patiently},
        voice::{ListFormat, ListOutput},
    },
    ListView, drawn,
    filters::{self, MarketFilter},
    pages::Pages,
    prices,
    sheet::TextTable,
    width,
};
use crate::{
    app::{Store, account::poll::Answer},
    config::Sources,
    model::{MarketId, Scaled, ScaledId},
    view::{
        Scene,
        columns::{RUNGS, SCALED},
        rungs,
        tables::rows::{RungRow, ScaledRow, columns_of},
    },
};
use color_eyre::Result;

/// Pages of the order history that are searched for its rungs.
const PAGES: usize = 10;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ListArgs {
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ShowArgs {
    /// The field `scaled_order_id` of `orders`, and the ids of `scaled list`
    #[arg(required = true, value_name = "SCALED_ORDER_ID", value_parser = id::<ScaledId>)]
    scaled_ids: Vec<ScaledId>,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn list(args: ListArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let market = args.market.wanted(&service).await?;
    let wanted = filters::scaled(market.clone());
    let fetch = |cursor| service.client.scaled_orders(&service.account, cursor);
    let page = args.pages.read(voice, &wanted, fetch).await?;
    let mut store = prices(&service, markets(&page.rows)).await;
    market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
    service.take_orders(&mut store).await;
    if voice.format == ListFormat::Csv {
        let page = page.with(|rows| rung_rows(&rows, &store));
        return rung_view().print(&args.output, &page, &store);
    }
    view().print(&args.output, &page, &store)
}

pub(in crate::cli) async fn show(args: ShowArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let mut found = vec![];
    for id in &args.scaled_ids {
        found.push(patiently(|| service.client.scaled(id)).await?);
    }
    let store = form_context(&service, &found).await;
    if voice.format == ListFormat::Csv {
        let rows = rung_rows(&found, &store);
        return rung_view().show(&args.output, &rows, &store, |_, _| String::new());
    }
    view().show(&args.output, &found, &store, rung_table)
}

fn view() -> ListView<Scaled, ScaledRow> {
    ListView {
        table: TextTable {
            columns: SCALED,
            id: Some(|row| row.id.to_string()),
        },
        row: |row, _| ScaledRow(row.clone()),
        csv: columns_of::RUNG,
    }
}

fn rung_view() -> ListView<RungRow, RungRow> {
    ListView::plain(&[], columns_of::RUNG)
}

fn rung_rows(rows: &[Scaled], store: &Store) -> Vec<RungRow> {
    drawn(store, |scene| {
        rows.iter()
            .flat_map(|row| RungRow::all(row, scene))
            .collect()
    })
}

/// The rungs of one, below the scaled orders.
fn rung_table(row: &Scaled, scene: &Scene<'_>) -> String {
    let rungs = rungs(row, scene);
    let table = TextTable::of(RUNGS).table(&rungs.iter().collect::<Vec<_>>(), scene, width());
    format!("\n{}\n{table}", row.id)
}

fn markets(rows: &[Scaled]) -> Vec<MarketId> {
    rows.iter().map(|row| row.market_id.clone()).collect()
}

/// Prices, and the orders of the rungs if they are working or among the newest.
async fn form_context(service: &Service, found: &[Scaled]) -> Store {
    let mut store = prices(service, markets(found)).await;
    service.take_orders(&mut store).await;
    let newest = patiently(|| service.client.orders(&service.account, None)).await;
    arrive(&mut store, Answer::History(newest));
    for _ in 1..PAGES {
        let rungs = found.iter().flat_map(|row| &row.rungs);
        let mut placed = rungs.filter_map(|rung| rung.order_id.as_ref());
        let is_found = placed.all(|id| store.order(id).is_some());
        let Some(next) = store.history.ask_more().filter(|_| !is_found) else {
            break;
        };
        let page = patiently(|| service.client.orders(&service.account, Some(next.clone()))).await;
        arrive(&mut store, Answer::MoreHistory(next, page));
    }
    store
}
