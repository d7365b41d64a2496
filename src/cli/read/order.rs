//! `perpdeck order ID…`: orders, working or ended.

use super::{
    super::{
        Exit,
        named::id,
        service::{Service, patiently},
        voice::ListOutput,
    },
    ListView, doubts, each, prices,
    sheet::TextTable,
};
use crate::{
    config::Sources,
    model::{Order, OrderId},
    view::{
        Scene,
        columns::HISTORY,
        tables::{
            evidence,
            rows::{OrderRow, columns_of},
        },
    },
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

pub(in crate::cli) async fn run(args: OrderArgs, sources: &Sources) -> Result<Exit> {
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
    let markets = orders.iter().map(|order| order.market_id.clone());
    let mut store = prices(&service, markets.collect()).await;
    for id in &args.order_ids {
        if let Some(evidence) = patiently(|| client.evidence(id)).await?
            && evidence.optimistic_filled.is_some()
        {
            store.evidence.arrive(evidence);
        }
    }
    let view = ListView {
        table: TextTable {
            columns: HISTORY,
            id: Some(|order: &Order| order.id.to_string()),
        },
        row: OrderRow::new,
        csv: columns_of::ORDER,
    };
    view.show(&args.output, &orders, &store, evidence_lines)
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
