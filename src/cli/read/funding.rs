//! `perpdeck funding`: what positions have paid and received.
//!
//! Contract: only the paper exchange lists payments (docs/paper-exchange.md); of another service the verb names the lists that
//! have the sums, and exits with 2.

use super::{
    super::{
        Exit,
        exit::UsageError,
        service::{Service, patiently},
        voice::ListOutput,
    },
    ListView,
    filters::{MarketFilter, SinceFilter},
    pages::{Pages, Selection, Since},
    prices,
};
use crate::{
    config::Sources,
    model::{Cursor, EquitySample, Failure, FundingPayment, Page},
    view::tables::standing::{FUNDING, columns_of},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FundingArgs {
    #[command(flatten)]
    market: MarketFilter,
    #[command(flatten)]
    since: SinceFilter,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: FundingArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    let service = Service::open(sources, voice).await?;
    is_listed(&service, "positions\" and \"perpdeck positions --closed").await?;
    let market = args.market.wanted(&service).await?;
    let wanted = payments(args.since.instant(&service).await);
    let keeps = market.clone();
    let wanted = wanted.filtered(move |row| keeps.keeps(&row.market_id));
    let fetch = |cursor| payments_page(&service, cursor);
    let page = args.pages.read(voice, &wanted, fetch).await?;
    market.check(page.rows.iter().map(|row| &row.market_id), voice)?;
    let store = prices(&service, vec![]).await;
    ListView::plain(FUNDING, columns_of::FUNDING).print(&args.output, &page, &store)
}

/// Refuses a service that keeps no such history; `instead` has what it does keep.
pub(super) async fn is_listed(service: &Service, instead: &str) -> Result<()> {
    if patiently(|| service.client.is_simulator()).await? {
        return Ok(());
    }
    let words =
        format!("this service keeps no such list; \"perpdeck {instead}\" have what it tells");
    Err(UsageError(words).into())
}

pub(super) fn payments(since: Since) -> Selection<FundingPayment> {
    let id = |row: &FundingPayment| row.payment_id.to_string();
    Selection::dated(id, since, |row| Some(row.paid_at))
}

pub(super) fn samples(since: Since) -> Selection<EquitySample> {
    let id = |row: &EquitySample| row.sampled_at.0.to_string();
    Selection::dated(id, since, |row| Some(row.sampled_at))
}

pub(super) async fn payments_page(
    service: &Service,
    cursor: Option<Cursor>,
) -> Result<Page<FundingPayment>, Failure> {
    let page = service.client.funding(&service.account, cursor).await?;
    Ok(page.unwrap_or_default())
}

pub(super) async fn samples_page(
    service: &Service,
    cursor: Option<Cursor>,
) -> Result<Page<EquitySample>, Failure> {
    let page = service.client.equity(&service.account, cursor).await?;
    Ok(page.unwrap_or_default())
}
