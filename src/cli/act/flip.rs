//! `perpdeck flip POSITION_ID`: closes a position, then opens the same size the other way.
//!
//! Contract: as the key of the desk (`docs/delivery.md 3.5`), with the same workflow. While entries are halted, nothing
//! is begun.

use super::{
    consent, drive,
    perform::would_be_halted,
    prepared::{ActFlags, PreparedCommand},
    typed::{self, id},
};
use crate::{
    app::{Store, Workflow, workflows::FlipRun},
    cli::{Exit, service::Service},
    config::Sources,
    model::{
        Command, Failure, FailureKind, Flip, MarginMode, Market, PlaceOrder, Position, PositionId,
        Side,
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FlipArgs {
    /// As `positions` shows it, or its market: btc
    #[arg(value_parser = id::<PositionId>)]
    position_id: PositionId,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: FlipArgs, sources: &Sources) -> Result<Exit> {
    let (how, voice) = (args.how, args.how.output.voice());
    let service = consent::service(sources, how).await?;
    let mut store = Store::default();
    service.take_positions(&mut store).await;
    service.take_prices(&mut store, &[]).await;
    let id = typed::position(args.position_id, &store)?;
    let position = found(&store, &id)?;
    let flip = planned(&service, position)?;
    let observed = store.market(&position.market_id).and_then(Market::mid);
    let opening = flip.opening(position.quantity(), observed);
    let close = PreparedCommand::new(Command::Close(flip.close(observed)), None)?;
    let opening = PreparedCommand::new(Command::Place(Box::new(opening)), None)?;
    let not_halted = || match would_be_halted(&service).filter(|_| !service.is_dry_run()) {
        Some(why) => Err(why),
        None => Ok(()),
    };
    not_halted()?;
    let (requests, what) = ([&close.request, &opening.request], flip.words(&store.names));
    if let Some(exit) = consent::withheld(&service, how, &requests, &what).await? {
        return Ok(exit);
    }
    // A halt may have come while the question was open.
    not_halted()?;
    let flip = FlipRun::new(flip.agreed(service.clock.now()));
    drive::run(&service, voice, &mut store, Workflow::Flip(flip)).await
}

fn found<'a>(store: &'a Store, id: &PositionId) -> Result<&'a Position, Failure> {
    if let Some(why) = store.positions.trouble() {
        return Err(why.clone());
    }
    let why = || {
        Failure::new(
            FailureKind::NotFound,
            format!("no open position is called {id}"),
        )
    };
    store.position(id).ok_or_else(why)
}

/// The other side is opened with the leverage and the margin mode of the position.
fn planned(service: &Service, position: &Position) -> Result<Flip, Failure> {
    let untold = || Failure::local("its leverage is not known: close it, then open the other way");
    let margin_mode = if position.is_isolated() {
        MarginMode::Isolated
    } else {
        MarginMode::Cross
    };
    let (account, market) = (service.account.clone(), position.market_id.clone());
    let terms = PlaceOrder {
        leverage: position.leverage.ok_or_else(untold)?,
        margin_mode,
        ..PlaceOrder::market(account, market, Side::Buy, position.quantity())
    };
    Flip::new(position, terms, service.clock.now()).map_err(Failure::local)
}
