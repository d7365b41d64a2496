//! `perpdeck move ORDER_ID --price P`: moves a working order to another price or size.
//!
//! Contract: the same steps as on the desk. The stop of an open position is placed and read back as armed before the
//! old one is canceled (`docs/delivery.md 3.6`). Any other order is canceled first, and the rest is placed once a read
//! shows how much had filled, and at most 10 s after the data was read that the move was decided on. An unfinished move
//! is reported (exit 15).

use super::{
    consent, dry,
    perform::send,
    prepared::{ActFlags, PreparedCommand, writable},
    receipt::print_outcome,
    typed::id,
};
use crate::{
    app::{
        Store,
        account::successor::{Successor, filled_of, too_late},
        forms::form::{Form, FormContext, Used},
    },
    cli::{Exit, exit::UsageError, local_zone::local_zone, service::Service, voice::Output},
    config::Sources,
    model::{
        Command, Failure, FailureKind, Order, OrderId, Page, PlaceOrder, Position, Protection,
        Receipt, STOP_READ_TIMEOUT, StopMoveEvent, StopMoveStep, StopPair, accepted_stop,
        draft::Field, is_stop_canceled,
    },
    runtime::Clock,
};
use color_eyre::Result;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How far apart reads are that nothing else waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// How long a read may take to show what the first command did.
const READ_WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, clap::Args)]
#[group(id = "wanted", required = true, multiple = true, args = ["price", "limit_price", "trigger_price", "size"])]
pub(in crate::cli) struct MoveArgs {
    /// As `orders` shows it
    #[arg(value_parser = id::<OrderId>)]
    order_id: OrderId,
    /// Its new trigger price, or its new limit price if it has no trigger, USD: a number or an expression (bid-100,
    /// entry+2%)
    #[arg(long, conflicts_with_all = ["limit_price", "trigger_price"])]
    price: Option<String>,
    /// The new limit price, USD
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    limit_price: Option<String>,
    /// The new trigger price, USD
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    trigger_price: Option<String>,
    /// The new size in coin [default: the unfilled size]
    #[arg(long)]
    size: Option<String>,
    #[command(flatten)]
    how: ActFlags,
}

/// What moves an order, and in which order of the two.
enum MovePlan {
    /// A stop of this open position: the new one first.
    PlaceFirst {
        place: Box<PreparedCommand>,
        cancel: Box<PreparedCommand>,
        position: Box<Position>,
    },
    CancelFirst {
        cancel: Box<PreparedCommand>,
        successor: Box<Successor>,
    },
}

pub(in crate::cli) async fn run(args: MoveArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.how.output.voice())?;
    consent::possible(&service, args.how)?;
    let mut store = Store::default();
    let read_at = Instant::now();
    service.take_prices(&mut store).await;
    service.take_positions(&mut store).await;
    service.take_orders(&mut store).await;
    store.clocks = service.clocks().await;
    let order = found(&store, &args.order_id)?;
    let placed = args.placed(&service, &store, order)?;
    let plan = planned(&service, &store, (order, placed.clone()))?;
    let voice = args.how.output.voice();
    if service.is_dry_run() {
        let place = PreparedCommand::new(&service, Command::Place(Box::new(placed)), None)?;
        let cancel = match &plan {
            MovePlan::PlaceFirst { cancel, .. } | MovePlan::CancelFirst { cancel, .. } => cancel,
        };
        let requests = match &plan {
            MovePlan::PlaceFirst { .. } => [&place.request, &cancel.request],
            MovePlan::CancelFirst { .. } => [&cancel.request, &place.request],
        };
        return dry::show(&service, voice, &requests);
    }
    writable(&service)?;
    let what = format!("{} on {}", plan.words(order, &placed), service.place());
    if !consent::given(args.how, what).await? {
        return Ok(Exit::Usage);
    }
    match plan {
        MovePlan::PlaceFirst {
            place,
            cancel,
            position,
        } => place_first(&service, voice, (*place, *cancel, &position)).await,
        MovePlan::CancelFirst { cancel, successor } => {
            if let Some(why) = too_late(read_at.elapsed()) {
                return Err(UsageError(format!("nothing was sent: {why}")).into());
            }
            cancel_first(&service, voice, (*cancel, *successor), read_at).await
        }
    }
}

fn found<'a>(store: &'a Store, id: &OrderId) -> Result<&'a Order, Failure> {
    if let Some(why) = store.orders.trouble() {
        return Err(why.clone());
    }
    let why = || {
        let words = format!("no working order is called {id}; \"perpdeck orders\" lists them");
        Failure::new(FailureKind::NotFound, words)
    };
    store.order(id).ok_or_else(why)
}

fn planned(
    service: &Service,
    store: &Store,
    (order, placed): (&Order, PlaceOrder),
) -> Result<MovePlan> {
    let mut open = store.positions.rows().iter();
    let stopped = open.find(|position| order.protects(position) == Some(Protection::Stop));
    if let Some(position) = stopped {
        let cancel = order.cancel_for(&placed, position);
        return Ok(MovePlan::PlaceFirst {
            place: Box::new(PreparedCommand::new(
                service,
                Command::Place(Box::new(placed)),
                None,
            )?),
            cancel: Box::new(PreparedCommand::new(service, cancel, None)?),
            position: Box::new(position.clone()),
        });
    }
    let is_read = store.positions.value().is_some_and(Page::is_whole);
    if !is_read && order.is_armed() && order.may_close() {
        return Err(Failure::new(
            FailureKind::Unavailable,
            format!(
                "whether {} stops an open position is not known: the positions could not be read",
                order.id
            ),
        )
        .into());
    }
    let filled = if order.is_armed() {
        order.filled_size.unwrap_or_default().abs()
    } else {
        filled_of(order).map_err(|why| UsageError(why.to_owned()))?
    };
    Ok(MovePlan::CancelFirst {
        cancel: Box::new(PreparedCommand::new(
            service,
            Command::Cancel(order.id.clone()),
            None,
        )?),
        successor: Box::new(Successor {
            old: order.id.clone(),
            order: Box::new(placed),
            filled,
            since: Clock::start().now(),
        }),
    })
}

impl MovePlan {
    fn words(&self, order: &Order, placed: &PlaceOrder) -> String {
        let new = Command::Place(Box::new(placed.clone()));
        match self {
            Self::PlaceFirst { .. } => {
                format!("Stop move: places {new}, then cancels {}", order.id)
            }
            Self::CancelFirst { .. } => format!(
                "Cancel/replace: cancels {}, then places the unfilled remainder of {new}",
                order.id
            ),
        }
    }
}

impl MoveArgs {
    /// The order as it is to be: what is not named stays as it is.
    fn placed(&self, service: &Service, store: &Store, order: &Order) -> Result<PlaceOrder> {
        let (own, zone) = (Clock::start().now(), local_zone());
        let form_context = FormContext {
            store,
            used: &Used::default(),
            own,
            now: store.clocks.at(own, own),
            zone: &zone,
            fees: &service.fees,
        };
        let form = if order.is_armed() {
            Form::instead(order, &form_context).ok_or("an order of this type cannot be replaced")
        } else {
            Form::moved(order, &form_context)
        };
        let mut form = form.map_err(|why| UsageError(why.to_owned()))?;
        let waits_for = form.focus;
        let written = [
            (waits_for, &self.price),
            (Field::LimitPrice, &self.limit_price),
            (Field::TriggerPrice, &self.trigger_price),
            (Field::Size, &self.size),
        ];
        for (field, text) in written {
            if let Some(text) = text {
                form.draft.write(field, text);
            }
        }
        form.resolve_prices(&form_context);
        let command = form.draft.command(&form.seen(&form_context));
        let command = command.map_err(|faults| UsageError(faults.to_string()))?;
        let Command::Place(order) = command else {
            return Err(Failure::local(format!("{command} is no order")).into());
        };
        Ok(*order)
    }
}

/// The stop stands twice until the old one is canceled, and never not at all.
async fn place_first(
    service: &Service,
    voice: Output,
    (place, cancel, position): (PreparedCommand, PreparedCommand, &Position),
) -> Result<Exit> {
    let old = cancel.command.cancels().cloned();
    let old = old.ok_or_else(|| Failure::local("the old stop is not known"))?;
    let outcome = send(service, voice, &place, &[]).await?;
    let exit = print_outcome(voice, &place, &outcome);
    let new = match accepted_stop(&old, &outcome) {
        Ok(new) => new,
        Err(words) => {
            voice.note(&words);
            return Ok(exit.or(Exit::Partial));
        }
    };
    let pair = StopPair {
        old: &old,
        new: &new,
        position: &position.id,
    };
    let step = read_step(service, pair, StopMoveEvent::NewAccepted).await;
    if step == StopMoveStep::CancelsOld {
        return cancel_old(service, voice, (pair, &cancel)).await;
    }
    end(service, voice, (pair, step)).await
}

async fn cancel_old(
    service: &Service,
    voice: Output,
    (pair, cancel): (StopPair<'_>, &PreparedCommand),
) -> Result<Exit> {
    let outcome = send(service, voice, cancel, &[]).await?;
    let exit = print_outcome(voice, cancel, &outcome);
    if is_stop_canceled(&outcome) {
        return Ok(exit);
    }
    let step = read_step(service, pair, StopMoveEvent::OldNotCanceled).await;
    let ended = end(service, voice, (pair, step)).await?;
    // A list that still has it proves nothing of a cancel of unknown outcome.
    let is_unknown = exit == Exit::Unknown && ended == Exit::Partial;
    Ok(if is_unknown { exit } else { ended })
}

/// Reads until the lists decide, or the time is over.
async fn read_step(service: &Service, pair: StopPair<'_>, after: StopMoveEvent) -> StopMoveStep {
    let began = Instant::now();
    while began.elapsed() < STOP_READ_TIMEOUT {
        let (open, working) = tokio::join!(
            service.client.open_positions(&service.account),
            service.client.working_orders(&service.account)
        );
        if let (Ok(open), Ok(working)) = (open, working) {
            let step = pair.step(pair.standing(&open, &working), after);
            if step != StopMoveStep::Waits {
                return step;
            }
        }
        sleep(LOOK_AGAIN).await;
    }
    pair.unread(after)
}

/// The last step of a move.
async fn end(
    service: &Service,
    voice: Output,
    (pair, step): (StopPair<'_>, StopMoveStep),
) -> Result<Exit> {
    match step {
        StopMoveStep::Done => Ok(Exit::Ok),
        StopMoveStep::Closed => {
            voice.note("the position is closed: neither stop is left");
            Ok(Exit::Partial)
        }
        StopMoveStep::CancelsNew => {
            voice.note("the position is closed: the new stop protects nothing");
            let cancel = Command::Cancel(pair.new.clone());
            let cancel = PreparedCommand::new(service, cancel, None)?;
            let outcome = send(service, voice, &cancel, &[]).await?;
            Ok(print_outcome(voice, &cancel, &outcome).or(Exit::Partial))
        }
        StopMoveStep::Fails(why) => {
            let left = why.left.map_or_else(String::new, |old| {
                format!("; \"perpdeck cancel {old}\" cancels it")
            });
            voice.note(&format!("{}{left}", why.words));
            Ok(Exit::Partial)
        }
        // The old stop goes first, and a read that decides nothing ends as unread.
        StopMoveStep::CancelsOld | StopMoveStep::Waits => Ok(Exit::Partial),
    }
}

/// Two entries at once could both fill: nothing is placed before the old one is canceled.
async fn cancel_first(
    service: &Service,
    voice: Output,
    (cancel, successor): (PreparedCommand, Successor),
    read_at: Instant,
) -> Result<Exit> {
    let outcome = send(service, voice, &cancel, &[]).await?;
    let exit = print_outcome(voice, &cancel, &outcome);
    let is_gone = match &outcome {
        Ok(Receipt::Cancel(result)) => result.canceled,
        Ok(Receipt::AlreadySo(_)) => true,
        Ok(_) | Err(_) => false,
    };
    if !is_gone {
        voice.note(&format!(
            "nothing is placed: {} may still be working",
            successor.old
        ));
        return Ok(exit.or(Exit::Partial));
    }
    let left = left(service, &successor).await;
    let size = match left {
        Ok(size) => size,
        Err(why) => {
            voice.note(&why);
            return Ok(Exit::Partial);
        }
    };
    if let Some(why) = too_late(read_at.elapsed()) {
        let old = &successor.old;
        voice.note(&format!(
            "{old} is canceled, its replacement is not placed: {why}"
        ));
        return Ok(Exit::Partial);
    }
    if size < successor.order.size {
        voice.note(&format!(
            "part of {} filled before its cancel: the replacement is for the remaining {size}",
            successor.old
        ));
    }
    let order = PlaceOrder {
        size,
        ..*successor.order
    };
    let place = PreparedCommand::new(service, Command::Place(Box::new(order)), None)?;
    let outcome = send(service, voice, &place, &[]).await?;
    let exit = print_outcome(voice, &place, &outcome);
    if matches!(exit, Exit::Ok | Exit::Unknown) {
        return Ok(exit);
    }
    voice.note(&format!(
        "{} is canceled, its replacement is not placed",
        successor.old
    ));
    Ok(Exit::Partial)
}

/// By the row of the old order as it ended.
async fn left(service: &Service, successor: &Successor) -> Result<crate::model::Num, String> {
    let began = Instant::now();
    loop {
        let row = service.client.order(&successor.old).await;
        let row = row.ok().flatten();
        let is_over = row.as_ref().is_some_and(Order::is_over);
        if is_over || began.elapsed() > READ_WITHIN {
            return successor.left(row.as_ref());
        }
        sleep(LOOK_AGAIN).await;
    }
}
