//! `perpdeck flip POSITION_ID`: closes a position, then opens the same size the other way.
//!
//! Contract: as the key of the desk (`docs/delivery.md 3.5`). The second command is made, and written down, only once
//! reads that were sent after the close was answered show neither the position nor an order that closes it; the limits
//! are checked again. Whatever cannot be proved within ten seconds ends it with the position closed, and says so. A
//! close whose outcome was unknown for a while is followed by nothing. While entries are halted, nothing is begun.

use super::{
    consent, dry,
    perform::{CommandHalf, send_half, would_be_halted},
    prepared::{ActFlags, PreparedCommand, SendOutcome, writable},
    receipt::print_outcome,
    typed::{self, id},
};
use crate::{
    app::Store,
    cli::{Exit, service::Service, voice::Output},
    config::Sources,
    model::{
        Command, Failure, FailureKind, Flip, FlipStanding, MarginMode, Market, Num, Order,
        PlaceOrder, Position, PositionId, Receipt, Side,
    },
    runtime::Clock,
};
use color_eyre::{Report, Result};
use std::time::Duration;
use tokio::time::sleep;

/// How far apart reads are that nothing else waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FlipArgs {
    /// As `positions` shows it, or its market: btc
    #[arg(value_parser = id::<PositionId>)]
    position_id: PositionId,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: FlipArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.how.output.voice()).await?;
    consent::possible(&service, args.how)?;
    let mut store = Store::default();
    service.take_positions(&mut store).await;
    service.take_prices(&mut store, &[]).await;
    let id = typed::position(args.position_id, &store)?;
    let position = found(&store, &id)?;
    let flip = planned(&service, position)?;
    let observed = store.market(&position.market_id).and_then(Market::mid);
    let close = PreparedCommand::new(Command::Close(flip.close(observed)), None)?;
    if service.is_dry_run() {
        let opening = opening(&service, &flip, (position.quantity(), observed))?;
        let requests = [&close.request, &opening.request];
        return dry::show(&service, args.how.output.voice(), &requests);
    }
    writable(&service)?;
    if let Some(why) = would_be_halted(&service) {
        return Err(why.into());
    }
    let what = format!("{} on {}", flip.words(&store.names), service.place());
    if !consent::given(args.how, what).await? {
        return Ok(Exit::Usage);
    }
    let flip = flip.agreed(Clock::start().now());
    perform(&service, args.how.output.voice(), (&flip, close)).await
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
    Flip::new(position, terms, Clock::start().now()).map_err(Failure::local)
}

fn opening(
    _service: &Service,
    flip: &Flip,
    (size, observed): (Num, Option<Num>),
) -> Result<PreparedCommand> {
    let order = flip.opening(size, observed);
    PreparedCommand::new(Command::Place(Box::new(order)), None)
}

async fn perform(
    service: &Service,
    voice: Output,
    (flip, close): (&Flip, PreparedCommand),
) -> Result<Exit> {
    // A halt may have come while the question was open.
    if let Some(why) = would_be_halted(service) {
        return Err(why.into());
    }
    let half = CommandHalf::default();
    let outcome = send_half(service, voice, (&close, &[]), &half).await?;
    let exit = print_outcome(voice, &close, &outcome);
    let receipt = match &outcome {
        Ok(receipt) if exit == Exit::Ok => receipt,
        Ok(_) | Err(_) => {
            voice.note(&not_closed(flip, exit));
            return Ok(exit);
        }
    };
    let closed = gone(service, flip, (receipt, &half)).await;
    let size = match closed {
        Ok(size) => size,
        Err(words) => {
            voice.note(&words);
            return Ok(Exit::Partial);
        }
    };
    // What fails from here on leaves the account flat.
    let opening = match prepared_opening(service, flip, size).await {
        Ok(opening) => opening,
        Err(why) => return Ok(flat(voice, &why)),
    };
    let half = CommandHalf {
        deadline: Some(flip.deadline()),
        ..CommandHalf::default()
    };
    match send_half(service, voice, (&opening, &[]), &half).await {
        Ok(outcome) => Ok(end(voice, &opening, &outcome)),
        Err(why) => Ok(flat(voice, &why)),
    }
}

fn not_closed(flip: &Flip, exit: Exit) -> String {
    let id = &flip.position().id;
    let state = if exit == Exit::Unknown {
        format!("whether {id} is closed is not known")
    } else {
        format!("{id} is not closed")
    };
    format!("flip stopped: {state}; nothing is opened")
}

/// At the price of now.
async fn prepared_opening(service: &Service, flip: &Flip, size: Num) -> Result<PreparedCommand> {
    let mut store = Store::default();
    let id = &flip.position().market_id;
    service
        .take_prices(&mut store, std::slice::from_ref(id))
        .await;
    let market = store.market(id);
    opening(service, flip, (size, market.and_then(Market::mid)))
}

const FLAT: &str = "flip stopped: the position is closed, the other way is not opened";

/// The other way could not be sent.
fn flat(voice: Output, why: &Report) -> Exit {
    voice.explain(why);
    voice.note(FLAT);
    Exit::Partial
}

/// Where the other way is not opened the position is closed all the same.
fn end(voice: Output, opening: &PreparedCommand, outcome: &SendOutcome) -> Exit {
    let exit = print_outcome(voice, opening, outcome);
    if matches!(exit, Exit::Ok | Exit::Unknown) {
        return exit;
    }
    voice.note(FLAT);
    Exit::Partial
}

/// How much was closed, once nothing is left of the position; or what ended it.
async fn gone(
    service: &Service,
    flip: &Flip,
    (receipt, half): (&Receipt, &CommandHalf),
) -> Result<Num, String> {
    if half.unknown.is_set() {
        let id = &flip.position().id;
        return Err(format!(
            "flip stopped: the close of {id} is done, but confirming it took too long; the opening was not sent"
        ));
    }
    let Receipt::Order { order, .. } = receipt else {
        let id = &flip.position().id;
        return Err(format!(
            "flip stopped: {id} is closed, but the size that this close closed is not known; nothing is opened"
        ));
    };
    let closed = final_size(service, flip, order).await?;
    let mut waits_for = "positions and orders are being read".to_owned();
    while !is_late(flip) {
        let (open, working) = tokio::join!(
            service.client.open_positions(&service.account),
            service.client.working_orders(&service.account)
        );
        match (open, working) {
            (Ok(open), Ok(working)) => match flip.standing(&open, &working) {
                FlipStanding::Gone if is_late(flip) => {}
                FlipStanding::Gone => return Ok(closed),
                FlipStanding::Stopped(words) => return Err(words),
                FlipStanding::Waits(words) => waits_for = words,
            },
            (Err(why), _) | (_, Err(why)) => waits_for = why.message.to_string(),
        }
        sleep(LOOK_AGAIN).await;
    }
    Err(late(&waits_for))
}

async fn final_size(service: &Service, flip: &Flip, answered: &Order) -> Result<Num, String> {
    let mut order = answered.clone();
    loop {
        if let Some(closed) = flip.closed_by(&order)? {
            return Ok(closed);
        }
        if is_late(flip) {
            return Err(late(&format!("{} still works", order.id)));
        }
        sleep(LOOK_AGAIN).await;
        if let Ok(Some(now)) = service.client.order(&order.id).await {
            order = now;
        }
    }
}

fn is_late(flip: &Flip) -> bool {
    flip.is_late(Clock::start().now())
}

fn late(waits_for: &str) -> String {
    format!("flip stopped: nothing is opened: it took longer than 10 s ({waits_for})")
}
