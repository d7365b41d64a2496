//! `perpdeck order ID`: one order, working or ended.

use super::{
    super::{
        Exit,
        act::typed::id,
        out,
        service::{Service, patiently},
        voice::{ListFormat, ListOutput, json},
    },
    doubts, drawn, prices,
    sheet::TextTable,
    width,
};
use crate::{
    config::Sources,
    model::{Failure, FailureKind, Order, OrderId},
    view::{
        Scene,
        columns::HISTORY,
        tables::{
            evidence,
            rows::{OrderRow, columns_of, csv},
        },
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OrderArgs {
    /// As `orders` and `orders --history` show it
    #[arg(value_parser = id::<OrderId>)]
    order_id: OrderId,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: OrderArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let id = &args.order_id;
    let found = patiently(|| service.client.order(id)).await?;
    let order = found.ok_or_else(|| {
        let words = format!(
            "there is no order {id} among the working orders and the newest of the history; \"perpdeck orders --history --all\" lists all"
        );
        Failure::new(FailureKind::NotFound, words)
    })?;
    doubts(voice, std::slice::from_ref(&order));
    let mut store = prices(&service, vec![order.market_id.clone()]).await;
    if let Some(evidence) = patiently(|| service.client.evidence(id)).await?
        && evidence.optimistic_filled.is_some()
    {
        store.evidence.arrive(evidence);
    }
    out::say(&drawn(&store, |scene| {
        let row = OrderRow::new(&order, scene);
        match voice.format {
            ListFormat::Json => format!("{}\n", json(&row)),
            ListFormat::Csv => csv(columns_of::ORDER, &[row]),
            ListFormat::Table => {
                let sheet = TextTable {
                    columns: HISTORY,
                    id: Some(|order: &Order| order.id.to_string()),
                };
                let table = sheet.table(std::slice::from_ref(&order), scene, width());
                table + &evidence_lines(&order, scene)
            }
        }
    }))?;
    Ok(Exit::Ok)
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
