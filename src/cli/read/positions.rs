//! `perpdeck positions`: what is open, or what was closed.

use super::{
    super::{Exit, service::Service, voice::ListOutput},
    pages::Pages,
    prices,
    sheet::Sheet,
    show,
};
use crate::{
    app::Store,
    config::Sources,
    view::columns::{CLOSED, OPEN},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Closed positions, the newest first, instead of the open ones
    #[arg(long)]
    closed: bool,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: Args, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    voice.told(list(&args, sources).await)
}

async fn list(args: &Args, sources: &Sources) -> Result<Exit> {
    let (voice, service) = (args.output.voice(), Service::open(sources)?);
    if args.closed {
        let fetch = |cursor| service.client.closed_positions(&service.account, cursor);
        let page = args
            .pages
            .read(voice, |position| position.id.clone(), fetch);
        let sheet = Sheet {
            columns: CLOSED,
            id: None,
        };
        return show(voice, &page.await?, sheet, prices(&service)).await;
    }
    let page = service.open_positions().await?;
    let sheet = Sheet {
        columns: OPEN,
        id: Some(|position| position.id.to_string()),
    };
    show(voice, &page, sheet, around(&service)).await
}

/// Prices, and the orders that may protect a position.
async fn around(service: &Service) -> Store {
    let mut store = prices(service).await;
    service.take_orders(&mut store).await;
    store
}
