//! `perpdeck orders`: the working orders, or the whole history.

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
    model::Order,
    view::{
        columns::{HISTORY, WORKING},
        tables::rows::{OrderRow, columns_of},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OrdersArgs {
    /// Every order there ever was, the newest first, instead of those that work
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    pages: Pages,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: OrdersArgs, sources: &Sources) -> Result<Exit> {
    list(&args, sources).await
}

async fn list(args: &OrdersArgs, sources: &Sources) -> Result<Exit> {
    let (voice, service) = (args.output.voice(), Service::open(sources)?);
    let exact = ExactFormat {
        row: OrderRow::new,
        columns: columns_of::ORDER,
    };
    let (page, sheet) = if args.history {
        let fetch = |cursor| service.client.orders(&service.account, cursor);
        let page = args.pages.read(voice, |order| order.id.clone(), fetch);
        let sheet = Sheet {
            columns: HISTORY,
            id: None,
        };
        (page.await?, sheet)
    } else {
        let sheet = Sheet {
            columns: WORKING,
            id: Some(|order: &Order| order.id.to_string()),
        };
        let page = service.working_orders().await?;
        (args.pages.within(voice, page), sheet)
    };
    show(voice, &page, (sheet, exact), prices(&service)).await
}
