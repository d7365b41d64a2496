//! `perpdeck positions`: open or closed positions.

use super::{
    super::{Exit, service::Service, voice::ListOutput},
    ExactFormat,
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

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PositionsArgs {
    /// Closed positions, the newest first, instead of the open ones
    #[arg(long)]
    closed: bool,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: PositionsArgs, sources: &Sources) -> Result<Exit> {
    list(&args, sources).await
}

async fn list(args: &PositionsArgs, sources: &Sources) -> Result<Exit> {
    let (voice, service) = (args.output.voice(), Service::open(sources)?);
    if args.closed {
        let fetch = |cursor| service.client.closed_positions(&service.account, cursor);
        let pages = args.pages;
        let page = pages.read(voice, |position| position.id.clone(), fetch);
        let sheet = Sheet {
            columns: CLOSED_AS_TOLD,
            id: None,
        };
        let exact = ExactFormat {
            row: ClosedPositionRow::new,
            columns: columns_of::CLOSED_POSITION,
        };
        return show(voice, &page.await?, (sheet, exact), prices(&service)).await;
    }
    let sheet = Sheet {
        columns: OPEN,
        id: Some(|position: &Position| position.id.to_string()),
    };
    let exact = ExactFormat {
        row: PositionRow::new,
        columns: columns_of::POSITION,
    };
    let page = args.pages.within(voice, service.open_positions().await?);
    let context = async {
        let mut store = prices(&service).await;
        // The orders that may protect a position.
        service.take_orders(&mut store).await;
        store
    };
    show(voice, &page, (sheet, exact), context).await
}
