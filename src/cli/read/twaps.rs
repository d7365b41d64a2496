//! `perpdeck twaps`: the active TWAP and VWAP orders.

use super::{
    super::{
        Exit,
        service::{Service, patiently},
        voice::ListOutput,
    },
    ExactFormat,
    filters::{MarketFilter, SideFilter, TwapState},
    prices,
    sheet::Sheet,
    show,
};
use crate::{
    config::Sources,
    view::{
        columns::TWAPS,
        tables::rows::{TwapRow, columns_of},
    },
};
use color_eyre::Result;
use std::future::ready;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TwapsArgs {
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    side: SideFilter,
    /// Only orders in this state
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Option<TwapState>,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: TwapsArgs, sources: &Sources) -> Result<Exit> {
    list(&args, sources).await
}

async fn list(args: &TwapsArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let mut page = patiently(|| service.client.active_twaps(&service.account)).await?;
    page.rows.retain(|twap| {
        args.market.keeps(&twap.market_id)
            && args.side.keeps(twap.side())
            && args.status.is_none_or(|state| state.is_of(twap))
    });
    let sheet = Sheet {
        columns: TWAPS,
        id: Some(|twap| twap.id.to_string()),
    };
    let exact = ExactFormat {
        row: TwapRow::new,
        columns: columns_of::TWAP,
    };
    let markets = page.rows.iter().map(|row| row.market_id.clone()).collect();
    let (voice, store) = (args.output.voice(), prices(&service, markets).await);
    args.market
        .check(page.rows.iter().map(|row| &row.market_id), (&store, voice))?;
    show(voice, &page, (sheet, exact), ready(store)).await
}
