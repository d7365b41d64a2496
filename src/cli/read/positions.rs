//! `perpdeck positions`: open or closed positions.

use super::{
    super::{Exit, service::Service, voice::ListOutput},
    ListView,
    filters::{self, DirectionFilter, MarketFilter, SinceFilter},
    pages::Pages,
    prices,
    sheet::TextTable,
};
use crate::{
    config::Sources,
    model::Position,
    view::{
        columns::{CLOSED_AS_TOLD, OPEN},
        tables::rows::{ClosedPositionRow, PositionRow, columns_of},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PositionsArgs {
    /// Closed positions, the newest first, instead of the open ones
    #[arg(long)]
    closed: bool,
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    side: DirectionFilter,
    #[command(flatten)]
    since: SinceFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: PositionsArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let market = args.market.wanted(&service).await?;
    let since = args.since.instant(&service).await;
    let wanted = filters::positions(market.clone(), args.side, since);
    if args.closed {
        let fetch = |cursor| service.client.closed_positions(&service.account, cursor);
        let page = args.pages.read(voice, &wanted, fetch).await?;
        // A closed position is compared with no price.
        let store = prices(&service, vec![]).await;
        market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
        return closed().print(&args.output, &page, &store);
    }
    let page = args
        .pages
        .within(voice, service.open_positions().await?, &wanted);
    let markets = page.rows.iter().map(|row| row.market_id.clone());
    let mut store = prices(&service, markets.collect()).await;
    market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
    // The orders that may protect a position.
    service.take_orders(&mut store).await;
    open().print(&args.output, &page, &store)
}

pub(super) fn closed() -> ListView<Position, ClosedPositionRow> {
    ListView {
        table: TextTable::of(CLOSED_AS_TOLD),
        row: ClosedPositionRow::new,
        csv: columns_of::CLOSED_POSITION,
    }
}

pub(super) fn open() -> ListView<Position, PositionRow> {
    ListView {
        table: TextTable {
            columns: OPEN,
            id: Some(|position: &Position| position.id.to_string()),
        },
        row: PositionRow::new,
        csv: columns_of::POSITION,
    }
}
