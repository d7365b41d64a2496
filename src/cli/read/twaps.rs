//! `perpdeck twap list` and `twap show`: TWAP and VWAP orders, active or ended.

use super::{
    super::{
        Exit,
        named::id,
        service::{Service, patiently},
        voice::ListOutput,
    },
    ListView, each,
    filters::{self, MarketFilter, SideFilter, SinceFilter, TwapState, WantedMarket},
    pages::Pages,
    prices,
    sheet::TextTable,
};
use crate::{
    api::TwapSelector,
    config::Sources,
    model::{Page, Twap, TwapId},
    view::{
        columns::TWAPS,
        tables::rows::{TwapRow, columns_of},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TwapsArgs {
    /// Completed and canceled ones, the newest first, instead of the active ones
    #[arg(long, conflicts_with = "status")]
    ended: bool,
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    side: SideFilter,
    /// Only orders in this state
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Option<TwapState>,
    #[command(flatten)]
    since: SinceFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ShowArgs {
    /// As `twap list` and `twap list --ended` show them
    #[arg(required = true, value_name = "TWAP_ORDER_ID", value_parser = id::<TwapId>)]
    twap_ids: Vec<TwapId>,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn show(args: ShowArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let client = &service.client;
    let read = |id| async move { client.twap(&id).await };
    let twaps = each(&args.twap_ids, read, |id| {
        format!(
            "there is no TWAP {id}; \"perpdeck twap list\" lists active ones, with --ended the others"
        )
    });
    let twaps = twaps.await?;
    let markets = twaps.iter().map(|row| row.market_id.clone());
    let store = prices(&service, markets.collect()).await;
    view().show(&args.output, &twaps, &store, |_, _| String::new())
}

pub(in crate::cli) async fn list(args: TwapsArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let market = args.market.wanted(&service).await?;
    let page = if args.ended {
        ended(&args, &market, &service).await?
    } else {
        active(&args, &market, &service).await?
    };
    let markets = page.rows.iter().map(|row| row.market_id.clone()).collect();
    let (voice, store) = (args.output.voice(), prices(&service, markets).await);
    market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
    view().print(&args.output, &page, &store)
}

fn view() -> ListView<Twap, TwapRow> {
    ListView {
        table: TextTable {
            columns: TWAPS,
            id: Some(|twap| twap.id.to_string()),
        },
        row: TwapRow::new,
        csv: columns_of::TWAP,
    }
}

async fn active(args: &TwapsArgs, market: &WantedMarket, service: &Service) -> Result<Page<Twap>> {
    let page = patiently(|| service.client.active_twaps(&service.account)).await?;
    let since = args.since.instant(service).await;
    let state = args.status;
    let wanted = filters::twaps(market.clone(), args.side, since, |twap| twap.started_at)
        .filtered(move |twap| state.is_none_or(|state| state.is_of(twap)));
    Ok(args.pages.within(args.output.voice(), page, &wanted))
}

/// The service lists those that were completed and those that were canceled apart.
async fn ended(args: &TwapsArgs, market: &WantedMarket, service: &Service) -> Result<Page<Twap>> {
    let since = args.since.instant(service).await;
    let wanted = filters::twaps(market.clone(), args.side, since, Twap::ended_at);
    let read = |ended| {
        let fetch = move |cursor| service.client.ended_twaps(&service.account, ended, cursor);
        args.pages.read_pages(&wanted, fetch)
    };
    let lists = [
        read(TwapSelector::Completed).await?,
        read(TwapSelector::Canceled).await?,
    ];
    Ok(args.pages.merged(args.output.voice(), &wanted, lists))
}
