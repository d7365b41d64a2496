//! `perpdeck positions`: open or closed positions.

use super::{
    super::{Exit, service::Service, voice::ListOutput},
    ExactFormat,
    filters::{self, DirectionFilter, MarketFilter, SinceFilter},
    pages::Pages,
    prices,
    sheet::Sheet,
    show,
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
use std::future::ready;

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
    Box::pin(list(&args, sources)).await
}

async fn list(args: &PositionsArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    let market = args.market.wanted(&service).await?;
    let wanted = filters::positions(
        market.clone(),
        args.side,
        args.since.instant(&service).await,
    );
    if args.closed {
        let fetch = |cursor| service.client.closed_positions(&service.account, cursor);
        let pages = args.pages;
        let key = |position: &Position| position.id.clone();
        let page = pages.read(voice, (key, &wanted), fetch);
        let sheet = Sheet {
            columns: CLOSED_AS_TOLD,
            id: None,
        };
        let exact = ExactFormat {
            row: ClosedPositionRow::new,
            columns: columns_of::CLOSED_POSITION,
        };
        // A closed position is compared with no price.
        let (page, store) = (page.await?, prices(&service, vec![]).await);
        market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
        return show(voice, &page, (sheet, exact), ready(store)).await;
    }
    let sheet = Sheet {
        columns: OPEN,
        id: Some(|position: &Position| position.id.to_string()),
    };
    let exact = ExactFormat {
        row: PositionRow::new,
        columns: columns_of::POSITION,
    };
    let page = args
        .pages
        .within(voice, service.open_positions().await?, &wanted);
    let markets = page.rows.iter().map(|row| row.market_id.clone());
    let mut store = prices(&service, markets.collect()).await;
    market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
    // The orders that may protect a position.
    service.take_orders(&mut store).await;
    show(voice, &page, (sheet, exact), ready(store)).await
}
