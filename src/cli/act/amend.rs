//! `perpdeck move ORDER_ID --price P`: moves a working order to another price or size.
//!
//! Contract: the same steps as on the desk. The stop of an open position is placed and read back as armed before the
//! old one is canceled (`docs/delivery.md 3.6`). Any other order is canceled first, and the rest is placed once a read
//! shows how much had filled. An unfinished move is reported (exit 15).

use super::{
    consent, dry,
    perform::send,
    prepared::{ActFlags, PreparedCommand, writable},
    receipt::told,
};
use crate::{
    app::{
        Store,
        account::successor::{Successor, filled_of},
        forms::form::{Around, Form, Used},
    },
    cli::{Exit, exit::Misuse, service::Service, voice::Output},
    config::Sources,
    model::{
        Command, Failure, FailureKind, Order, OrderId, PlaceOrder, Position, Protection, Receipt,
        Zone, draft::Field,
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
    order_id: OrderId,
    /// The price it waits for, its trigger or its limit, USD: digits, or said by another price (bid-100, entry+2%)
    #[arg(long, conflicts_with_all = ["limit_price", "trigger_price"])]
    price: Option<String>,
    /// No worse than this
    #[arg(long, value_name = "PRICE")]
    limit_price: Option<String>,
    /// The mark at which it fires
    #[arg(long, value_name = "PRICE")]
    trigger_price: Option<String>,
    /// In coin; what is left of it when left out
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
    let service = Service::open(sources)?;
    consent::possible(&service, args.how)?;
    let mut store = Store::default();
    service.take_prices(&mut store).await;
    service.take_positions(&mut store).await;
    service.take_orders(&mut store).await;
    let order = found(&store, &args.order_id)?;
    let placed = args.placed(&service, &store, order)?;
    let plan = planned(&service, &store, (order, placed.clone()))?;
    let voice = args.how.output.voice();
    if service.is_dry_run() {
        let place = deed(&service, Command::Place(Box::new(placed)))?;
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
            cancel_first(&service, voice, (*cancel, *successor)).await
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

fn deed(service: &Service, command: Command) -> Result<PreparedCommand> {
    PreparedCommand::new(service, command, None)
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
            place: Box::new(deed(service, Command::Place(Box::new(placed)))?),
            cancel: Box::new(deed(service, cancel)?),
            position: Box::new(position.clone()),
        });
    }
    let filled = if order.is_armed() {
        order.filled_size.unwrap_or_default().abs()
    } else {
        filled_of(order).map_err(|why| Misuse(why.to_owned()))?
    };
    Ok(MovePlan::CancelFirst {
        cancel: Box::new(deed(service, Command::Cancel(order.id.clone()))?),
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
        let (now, zone) = (Clock::start().now(), Zone::local());
        let around = Around {
            store,
            used: &Used::default(),
            own: now,
            now,
            zone: &zone,
            fees: &service.fees,
        };
        let form = if order.is_armed() {
            Form::instead(order, &around).ok_or("an order of this type cannot be placed anew")
        } else {
            Form::moved(order, &around)
        };
        let mut form = form.map_err(|why| Misuse(why.to_owned()))?;
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
        form.resolve_prices(&around);
        let command = form.draft.command(&form.seen(&around));
        let command = command.map_err(|faults| Misuse(faults.to_string()))?;
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
    let outcome = send(service, voice, &place, &[]).await?;
    let exit = told(voice, &place, &outcome)?;
    let Ok(Receipt::Order { order: new, .. }) = &outcome else {
        voice.note("the stop is not moved: the old one stands");
        return Ok(exit);
    };
    if exit != Exit::Ok {
        voice.note("the stop is not moved: the old one stands");
        return Ok(exit);
    }
    match read_back(service, (new, position)).await {
        ReadBack::Armed => {
            let outcome = send(service, voice, &cancel, &[]).await?;
            let exit = told(voice, &cancel, &outcome)?;
            if exit == Exit::Ok {
                return Ok(exit);
            }
            voice.note(&format!(
                "both stops stand: {} is left to do",
                cancel.command
            ));
            Ok(Exit::Partial)
        }
        ReadBack::Flat => {
            voice.note("the position is closed: the new stop guards nothing");
            let cancel = deed(service, Command::Cancel(new.id.clone()))?;
            let outcome = send(service, voice, &cancel, &[]).await?;
            Ok(told(voice, &cancel, &outcome)?.or(Exit::Partial))
        }
        ReadBack::NotArmed(why) => {
            let words = format!("{why}: {} is left to do", cancel.command);
            voice.note(&words);
            Ok(Exit::Partial)
        }
    }
}

/// What reads show of a stop that was accepted.
enum ReadBack {
    Armed,
    /// The position is gone, and the new stop is not.
    Flat,
    NotArmed(String),
}

async fn read_back(service: &Service, (new, position): (&Order, &Position)) -> ReadBack {
    let began = Instant::now();
    let mut why = format!("whether {} is armed is not known", new.id);
    while began.elapsed() < READ_WITHIN {
        let (open, working) = tokio::join!(
            service.client.open_positions(&service.account),
            service.client.working_orders(&service.account)
        );
        if let (Ok(open), Ok(working)) = (open, working)
            && open.is_whole()
            && working.is_whole()
        {
            let is_open = open.rows.iter().any(|row| row.id == position.id);
            let mut rows = working.rows.iter();
            let is_armed = rows.any(|row| row.id == new.id && row.is_armed());
            match (is_armed, is_open) {
                (true, true) => return ReadBack::Armed,
                (true, false) => return ReadBack::Flat,
                (false, _) => why = format!("the new stop {} is not armed", new.id),
            }
        }
        sleep(LOOK_AGAIN).await;
    }
    ReadBack::NotArmed(why)
}

/// Two entries at once could both fill: nothing is placed before the old one is canceled.
async fn cancel_first(
    service: &Service,
    voice: Output,
    (cancel, successor): (PreparedCommand, Successor),
) -> Result<Exit> {
    let outcome = send(service, voice, &cancel, &[]).await?;
    let exit = told(voice, &cancel, &outcome)?;
    let is_gone = match &outcome {
        Ok(Receipt::Cancel(result)) => result.canceled,
        Ok(Receipt::AlreadySo(_)) => true,
        Ok(_) | Err(_) => false,
    };
    if !is_gone {
        voice.note(&format!("nothing is placed: {} may work on", successor.old));
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
    if size < successor.order.size {
        voice.note(&format!(
            "some of {} filled before it was canceled: {size} is left to place",
            successor.old
        ));
    }
    let order = PlaceOrder {
        size,
        ..*successor.order
    };
    let place = deed(service, Command::Place(Box::new(order)))?;
    let outcome = send(service, voice, &place, &[]).await?;
    let exit = told(voice, &place, &outcome)?;
    if matches!(exit, Exit::Ok | Exit::Unknown) {
        return Ok(exit);
    }
    voice.note(&format!(
        "{} is canceled, nothing is placed in its stead",
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
