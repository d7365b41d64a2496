//! `perpdeck fills`: what the account's orders have filled.
//!
//! Contract: each fill is listed once. Where the list has an order's own row, which covers its parts
//! (`Order::adds_to_its_parts`), the rows of the parts are left out.

use super::{
    super::{Exit, service::Service, voice::ListOutput},
    ListView, doubts,
    filters::{self, MarketFilter, SideFilter, SinceFilter},
    pages::Pages,
    prices,
};
use crate::{
    config::Sources,
    view::tables::standing::{FILLS, FillRow, columns_of},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FillsArgs {
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    side: SideFilter,
    #[command(flatten)]
    since: SinceFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: FillsArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let market = args.market.wanted(&service).await?;
    let since = args.since.instant(&service).await;
    let wanted = filters::fills(market.clone(), args.side, since);
    let fetch = |cursor| service.client.fills(&service.account, cursor);
    let page = args.pages.read(voice, &wanted, fetch).await?;
    doubts(voice, &page.rows);
    let fills = page.with(|orders| {
        let mut rows: Vec<_> = orders.iter().filter_map(FillRow::new).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.filled_at));
        rows
    });
    let store = prices(&service, vec![]).await;
    market.check(fills.rows.iter().map(|row| &row.market_id), voice)?;
    ListView::plain(FILLS, columns_of::FILL).print(&args.output, &fills, &store)
}
