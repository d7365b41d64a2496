//! `perpdeck position ID…`: positions, open or closed.

use super::{
    super::{
        Exit,
        named::{self, id},
        service::Service,
        voice::ListOutput,
    },
    each, positions, prices,
};
use crate::{
    app::Store,
    config::Sources,
    model::{Position, PositionId},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PositionArgs {
    /// As `positions` and `positions --closed` show them, or the market of an open one: btc
    #[arg(required = true, value_name = "POSITION_ID", value_parser = id::<PositionId>)]
    position_ids: Vec<PositionId>,
    #[command(flatten)]
    output: ListOutput,
}

pub(in crate::cli) async fn run(args: PositionArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.output.voice()).await?;
    let mut open = Store::default();
    service.take_positions(&mut open).await;
    service.take_prices(&mut open, &[]).await;
    let named = args.position_ids.into_iter();
    let named: Vec<_> = named
        .map(|named| named::position(named, &open))
        .collect::<Result<_>>()?;
    let client = &service.client;
    let read = |id| async move { client.position(&id).await };
    let found = each(&named, read, |id| {
        format!(
            "there is no position {id}; \"perpdeck positions --closed --all\" lists closed ones"
        )
    });
    let found = found.await?;
    let markets = found.iter().map(|row| row.market_id.clone());
    let mut store = prices(&service, markets.collect()).await;
    service.take_orders(&mut store).await;
    if found.iter().all(Position::is_closed) {
        return positions::closed().show(&args.output, &found, &store, |_, _| String::new());
    }
    positions::open().show(&args.output, &found, &store, |_, _| String::new())
}
