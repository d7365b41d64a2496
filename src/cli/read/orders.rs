//! `perpdeck orders`: the working orders, or the whole history.

use super::{
    super::{Exit, service::Service, voice::ListOutput},
    ListView, doubts,
    filters::{self, MarketFilter, OrderState, SideFilter, SinceFilter},
    pages::Pages,
    prices,
    sheet::TextTable,
};
use crate::{
    config::Sources,
    model::Order,
    view::{
        columns::{HISTORY, WORKING},
        tables::rows::{OrderRow, columns_of},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OrdersArgs {
    /// Every order of the account, the newest first, instead of the working ones
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    side: SideFilter,
    /// Only orders in this state; ended ones are read from the history
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Option<OrderState>,
    #[command(flatten)]
    since: SinceFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: OrdersArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let market = args.market.wanted(&service).await?;
    let since = args.since.instant(&service).await;
    let wanted = filters::orders(market.clone(), args.side, args.status, since);
    let is_past = args.history || args.status.is_some_and(OrderState::is_final);
    let (page, table) = if is_past {
        let fetch = |cursor| service.client.orders(&service.account, cursor);
        let page = args.pages.read(voice, &wanted, fetch).await?;
        (page, TextTable::of(HISTORY))
    } else {
        let page = service.working_orders().await?;
        let table = TextTable {
            columns: WORKING,
            id: Some(|order: &Order| order.id.to_string()),
        };
        (args.pages.within(voice, page, &wanted), table)
    };
    doubts(voice, &page.rows);
    let markets = page.rows.iter().filter(|_| !is_past);
    let markets = markets.map(|row| row.market_id.clone()).collect();
    let store = prices(&service, markets).await;
    market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
    let view = ListView {
        table,
        row: OrderRow::new,
        csv: columns_of::ORDER,
    };
    view.print(&args.output, &page, &store)
}
