//! `perpdeck scaled`: the scaled orders, working and ended; or one and its rungs.

use super::{
    super::{
        Exit,
        act::typed::id,
        out,
        service::{Service, arrive, patiently},
        voice::{ListFormat, ListOutput, json},
    },
    array, complete, drawn,
    filters::{self, MarketFilter},
    pages::Pages,
    prices,
    sheet::TextTable,
    width,
};
use crate::{
    app::{Store, account::poll::Answer},
    config::Sources,
    model::{Scaled, ScaledId},
    view::{
        Scene,
        columns::RUNGS,
        rungs, scaled_head,
        tables::rows::{RungRow, columns_of, csv},
    },
};
use color_eyre::Result;

/// Pages of the order history that are searched for its rungs.
const PAGES: usize = 10;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ScaledArgs {
    /// The field `scaled_order_id` of `orders` [default: all are listed, the newest first]
    #[arg(value_name = "SCALED_ORDER_ID", value_parser = id::<ScaledId>, conflicts_with_all = ["market", "limit", "all"])]
    id: Option<ScaledId>,
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: ScaledArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    match &args.id {
        Some(id) => show(&args, &service, id).await,
        None => list(&args, &service).await,
    }
}

async fn list(args: &ScaledArgs, service: &Service) -> Result<Exit> {
    let voice = args.output.voice();
    let market = args.market.wanted(service).await?;
    let wanted = filters::ladders(market.clone());
    let fetch = |cursor| service.client.scaled_orders(&service.account, cursor);
    let page = args.pages.read(voice, &wanted, fetch).await?;
    let markets = || page.rows.iter().map(|row| &row.market_id);
    let mut store = prices(service, markets().cloned().collect()).await;
    market.check(markets(), voice)?;
    service.take_orders(&mut store).await;
    out::say(&drawn(&store, |scene| match voice.format {
        ListFormat::Json => array(&page.rows),
        ListFormat::Table => page.rows.iter().map(|row| line(row, scene)).collect(),
        ListFormat::Csv => {
            let rungs = page.rows.iter().flat_map(|row| RungRow::all(row, scene));
            csv(columns_of::RUNG, &rungs.collect::<Vec<_>>())
        }
    }))?;
    Ok(complete(voice, &page))
}

/// Without its rungs.
fn line(ladder: &Scaled, scene: &Scene<'_>) -> String {
    format!("{}  {}\n", ladder.id, head(ladder, scene))
}

fn head(ladder: &Scaled, scene: &Scene<'_>) -> String {
    let head = scaled_head(ladder, scene).into_iter();
    head.map(|span| span.text).collect()
}

async fn show(args: &ScaledArgs, service: &Service, id: &ScaledId) -> Result<Exit> {
    let voice = args.output.voice();
    let ladder = patiently(|| service.client.scaled(id)).await?;
    out::say(&match voice.format {
        ListFormat::Json => format!("{}\n", json(&ladder)),
        ListFormat::Table => {
            let store = form_context(service, &ladder).await;
            let head = drawn(&store, |scene| head(&ladder, scene));
            format!("{head}\n{}", table(&ladder, &store))
        }
        ListFormat::Csv => drawn(&form_context(service, &ladder).await, |scene| {
            csv(columns_of::RUNG, &RungRow::all(&ladder, scene))
        }),
    })?;
    Ok(Exit::Ok)
}

fn table(ladder: &Scaled, store: &Store) -> String {
    let sheet = TextTable::of(RUNGS);
    drawn(store, |scene| {
        sheet.table(&rungs(ladder, scene), scene, width())
    })
}

/// Prices, and the orders of the rungs if they are working or among the newest.
async fn form_context(service: &Service, ladder: &Scaled) -> Store {
    let mut store = prices(service, vec![ladder.market_id.clone()]).await;
    service.take_orders(&mut store).await;
    let newest = patiently(|| service.client.orders(&service.account, None)).await;
    arrive(&mut store, Answer::History(newest));
    for _ in 1..PAGES {
        let rungs = ladder
            .rungs
            .iter()
            .filter_map(|rung| rung.order_id.as_ref());
        let is_found = rungs.into_iter().all(|id| store.order(id).is_some());
        let Some(next) = store.history.ask_more().filter(|_| !is_found) else {
            break;
        };
        let page = patiently(|| service.client.orders(&service.account, Some(next.clone()))).await;
        arrive(&mut store, Answer::MoreHistory(next, page));
    }
    store
}
