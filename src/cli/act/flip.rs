//! `perpdeck flip POSITION_ID…`: closes a position, then opens the same size the other way.
//!
//! Contract: as the key of the desk (`docs/delivery.md 3.5`), with the same workflow. While entries are halted, nothing
//! is begun.

use super::{
    consent::ActingService,
    prepared::{ActFlags, PreparedCommand, would_be_halted},
    readings::listed,
    workflow,
};
use crate::{
    app::{Store, Workflow, workflows::FlipRun},
    cli::{
        Exit,
        named::{self, id},
    },
    config::Sources,
    model::{Command, Failure, Flip, Market, PositionId},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FlipArgs {
    /// As `positions` shows them, or their markets: btc
    #[arg(required = true, value_name = "POSITION_ID", value_parser = id::<PositionId>)]
    position_ids: Vec<PositionId>,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: FlipArgs, sources: &Sources) -> Result<Exit> {
    let service = ActingService::open(sources, args.how).await?;
    let one = async |named, _| flip(&service, named).await;
    service.each(&args.position_ids, one).await
}

async fn flip(service: &ActingService, named: PositionId) -> Result<Exit> {
    let mut store = Store::default();
    service.take_positions(&mut store).await;
    service.take_prices(&mut store, &[]).await;
    let id = named::position(named, &store)?;
    let missing = || format!("no open position is called {id}");
    let position = listed(&store.positions, store.position(&id), missing)?;
    let now = service.clock.now();
    let flip = Flip::new(position, service.account.clone(), None, now).map_err(Failure::local)?;
    let observed = store.market(&position.market_id).and_then(Market::mid);
    let opening = flip.opening(position.quantity(), observed);
    let close = PreparedCommand::new(Command::Close(flip.close(observed)), None)?;
    let opening = PreparedCommand::new(Command::Place(Box::new(opening)), None)?;
    let not_halted = || match would_be_halted(service).filter(|_| !service.is_dry_run()) {
        Some(why) => Err(why),
        None => Ok(()),
    };
    not_halted()?;
    let (requests, what) = ([&close.request, &opening.request], flip.words(&store.names));
    if let Some(exit) = service.withheld(&requests, &what).await? {
        return Ok(exit);
    }
    // A halt may have come while the question was open.
    not_halted()?;
    let flip = FlipRun::new(flip.agreed(service.clock.now()));
    workflow::run(service, &mut store, Workflow::Flip(flip), None).await
}
