//! `perpdeck order`, `position`, `twap show` and `scaled show`: rows by their ids, working or ended.

use super::{
    super::{
        Exit,
        named::{self, id},
        service::{Service, arrive, patiently},
        voice::{ListFormat, ListOutput},
    },
    doubts, each,
    listed::markets,
    prices,
    sheet::TextTable,
    views, width,
};
use crate::{
    app::{Store, account::poll::Answer},
    config::Sources,
    model::{Order, OrderId, Position, PositionId, Scaled, ScaledId, TwapId},
    view::{Scene, columns::RUNGS, rungs, tables::evidence},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OrderArgs {
    /// As `orders` and `orders --history` show them
    #[arg(required = true, value_name = "ORDER_ID", value_parser = id::<OrderId>)]
    order_ids: Vec<OrderId>,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn order(args: OrderArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let client = &service.client;
    let read = |id| async move { client.order(&id).await };
    let orders = each(&args.order_ids, read, |id| {
        format!(
            "there is no order {id} among the working orders and the newest of the history; \"perpdeck orders --history --all\" lists all"
        )
    });
    let orders = orders.await?;
    doubts(voice, &orders);
    let mut store = prices(&service, markets(&orders)).await;
    for id in &args.order_ids {
        if let Some(evidence) = patiently(|| client.evidence(id)).await?
            && evidence.optimistic_filled.is_some()
        {
            store.evidence.arrive(evidence);
        }
    }
    views::orders().show(&args.output, &orders, &store, evidence_lines)
}

/// One for each fill, below the table.
fn evidence_lines(order: &Order, scene: &Scene<'_>) -> String {
    let Some(known) = scene.store.evidence.of(order) else {
        return String::new();
    };
    let bracket = evidence::bracket(known).map(|bracket| ("booked–optimistic".into(), bracket));
    let lines = bracket
        .into_iter()
        .chain(known.fills.iter().map(evidence::fill));
    let lines: Vec<String> = lines
        .map(|(label, words)| format!("{label}  {words}\n"))
        .collect();
    lines.concat()
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PositionArgs {
    /// As `positions` and `positions --closed` show them, or the market of an open one: btc
    #[arg(required = true, value_name = "POSITION_ID", value_parser = id::<PositionId>)]
    position_ids: Vec<PositionId>,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn position(args: PositionArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let mut open = Store::default();
    service.take_positions(&mut open).await;
    service.take_prices(&mut open, &[]).await;
    let named = args.position_ids.into_iter();
    let named: Vec<_> = named
        .map(|named| named::position(named, &open))
        .collect::<Result<_>>()?;
    let client = &service.client;
    let read = |id| async move { client.position(&id).await };
    let found = each(&named, read, |id| {
        format!(
            "there is no position {id}; \"perpdeck positions --closed --all\" lists closed ones"
        )
    });
    let found = found.await?;
    let mut store = prices(&service, markets(&found)).await;
    service.take_orders(&mut store).await;
    if found.iter().all(Position::is_closed) {
        return views::closed().show(&args.output, &found, &store, nothing);
    }
    views::open().show(&args.output, &found, &store, nothing)
}

/// Below a table.
fn nothing<T>(_: &T, _: &Scene<'_>) -> String {
    String::new()
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TwapArgs {
    /// As `twap list` and `twap list --ended` show them
    #[arg(required = true, value_name = "TWAP_ORDER_ID", value_parser = id::<TwapId>)]
    twap_ids: Vec<TwapId>,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn twap(args: TwapArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let client = &service.client;
    let read = |id| async move { client.twap(&id).await };
    let twaps = each(&args.twap_ids, read, |id| {
        format!(
            "there is no TWAP {id}; \"perpdeck twap list\" lists active ones, with --ended the others"
        )
    });
    let twaps = twaps.await?;
    let store = prices(&service, markets(&twaps)).await;
    views::twaps().show(&args.output, &twaps, &store, nothing)
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ScaledArgs {
    /// The field `scaled_order_id` of `orders`, and the ids of `scaled list`
    #[arg(required = true, value_name = "SCALED_ORDER_ID", value_parser = id::<ScaledId>)]
    scaled_ids: Vec<ScaledId>,
    #[command(flatten)]
    output: ListOutput,
}

/// With their rungs.
pub(in crate::cli) async fn scaled(args: ScaledArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let mut found = vec![];
    for id in &args.scaled_ids {
        found.push(patiently(|| service.client.scaled(id)).await?);
    }
    let store = with_rungs(&service, &found).await;
    if voice.format == ListFormat::Csv {
        let rows = views::rung_rows(&found, &store);
        return views::rungs().show(&args.output, &rows, &store, nothing);
    }
    views::scaled().show(&args.output, &found, &store, rung_table)
}

/// The rungs of one, below the scaled orders.
fn rung_table(row: &Scaled, scene: &Scene<'_>) -> String {
    let rungs = rungs(row, scene);
    let table = TextTable::of(RUNGS).table(&rungs.iter().collect::<Vec<_>>(), scene, width());
    format!("\n{}\n{table}", row.id)
}

/// Pages of the order history that are searched for rungs.
const PAGES: usize = 10;

/// Prices, and the orders of the rungs if they are working or among the newest.
async fn with_rungs(service: &Service, found: &[Scaled]) -> Store {
    let mut store = prices(service, markets(found)).await;
    service.take_orders(&mut store).await;
    let newest = patiently(|| service.client.orders(None)).await;
    arrive(&mut store, Answer::History(newest));
    for _ in 1..PAGES {
        let rungs = found.iter().flat_map(|row| &row.rungs);
        let mut placed = rungs.filter_map(|rung| rung.order_id.as_ref());
        let is_found = placed.all(|id| store.order(id).is_some());
        let Some(next) = store.history.ask_more().filter(|_| !is_found) else {
            break;
        };
        let page = patiently(|| service.client.orders(Some(next.clone()))).await;
        arrive(&mut store, Answer::MoreHistory(next, page));
    }
    store
}
