//! `perpdeck positions`: what is open, or what was closed.

use super::{
    super::{Exit, service::Service, voice::ListOutput},
    pages::Pages,
    prices,
    sheet::Sheet,
    show,
};
use crate::{
    config::Sources,
    model::Position,
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
    let (page, sheet) = if args.closed {
        let fetch = |cursor| service.client.closed_positions(&service.account, cursor);
        let page = args
            .pages
            .read(voice, |position| position.id.clone(), fetch);
        let sheet = Sheet {
            columns: CLOSED,
            id: None,
        };
        (page.await?, sheet)
    } else {
        let sheet = Sheet {
            columns: OPEN,
            id: Some(|position: &Position| position.id.to_string()),
        };
        let page = service.open_positions().await?;
        (args.pages.within(voice, page), sheet)
    };
    let context = async {
        let mut store = prices(&service).await;
        if !args.closed {
            // The orders that may protect a position.
            service.take_orders(&mut store).await;
        }
        store
    };
    show(voice, &page, sheet, context).await
}
