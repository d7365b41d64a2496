//! `perpdeck move ORDER_ID --price P`: moves a working order to another price or size.
//!
//! Contract: the same steps as on the desk (`docs/delivery.md 3.6`). An order is moved in place, the exits of a position
//! with a batch that is tried once more where they have changed. Where the service does not move an order, it is
//! canceled, and the rest is placed once a read shows how much had filled, and at most 10 s after the data was read that
//! the move was decided on. An unfinished move is reported (exit 15).

use super::{
    consent, dry,
    guarded::{self, in_place, read},
    perform::send,
    prepared::{ActFlags, PreparedCommand, writable},
    receipt::print_outcome,
    typed::id,
};
use crate::{
    app::{
        Store,
        account::{
            store::moves::Moved,
            successor::{Successor, filled_of, too_late},
            used_terms::UsedTerms,
        },
        core::account::FormContext,
        forms::form::Form,
        orders::moves::{self, MovePlan},
    },
    cli::{Exit, exit::UsageError, local_zone::local_zone, service::Service, voice::Output},
    config::Sources,
    model::{Command, Failure, FailureKind, Order, OrderId, PlaceOrder, Receipt, draft::Field},
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

/// The order as the form first shows it, and as it is to be.
struct Terms {
    shown: PlaceOrder,
    wanted: PlaceOrder,
}

pub(in crate::cli) async fn run(args: MoveArgs, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, args.how.output.voice()).await?;
    consent::possible(&service, args.how)?;
    let read_at = Instant::now();
    let store = read(&service).await;
    let order = found(&store, &args.order_id)?;
    if let Some(why) = store.positions.trouble().filter(|_| order.may_close()) {
        let words = format!("whether {} stops an open position is not known", order.id);
        return Err(Failure {
            message: format!("{words}: {}", why.message).into(),
            ..why.clone()
        }
        .into());
    }
    let terms = args.terms(&service, &store, order)?;
    match plan(&store, order, &terms)? {
        MovePlan::InPlace(moved @ Moved::Exits(_)) => {
            let command = |store: &Store| Ok(moved.command(store).map_err(UsageError)?);
            guarded::send(&service, args.how, (&store, &command)).await
        }
        MovePlan::InPlace(moved @ Moved::Order(_)) => {
            let command = moved.command(&store).map_err(UsageError)?;
            let prepared = PreparedCommand::new(command, None)?;
            let outcome = match in_place(&service, args.how, &prepared).await? {
                Ok(outcome) => outcome,
                Err(exit) => return Ok(exit),
            };
            let voice = args.how.output.voice();
            match &outcome {
                Err(why) if moves::is_not_moved_in_place(why) => {
                    voice.note(&format!("it is not moved in place: {}", why.message));
                    let successor = successor(order, terms.wanted)?;
                    cancel_first(&service, voice, successor, read_at).await
                }
                Ok(_) | Err(_) => Ok(print_outcome(voice, &prepared, &outcome)),
            }
        }
        MovePlan::Replace => {
            let successor = successor(order, terms.wanted)?;
            replace(&service, args.how, successor, read_at).await
        }
    }
}

/// A move that only the unread positions forbid fails with that read, which a repetition may mend.
fn plan(store: &Store, order: &Order, terms: &Terms) -> Result<MovePlan> {
    let plan = moves::plan(store, order, (&terms.shown, &terms.wanted));
    plan.map_err(|words| match store.positions.trouble() {
        Some(why) => Failure {
            message: format!("{words}; the positions could not be read: {}", why.message).into(),
            ..why.clone()
        }
        .into(),
        None => UsageError(words).into(),
    })
}

async fn replace(
    service: &Service,
    how: ActFlags,
    successor: Successor,
    read_at: Instant,
) -> Result<Exit> {
    let voice = how.output.voice();
    let new = Command::Place(successor.order.clone());
    if service.is_dry_run() {
        let cancel = PreparedCommand::new(Command::Cancel(successor.old.clone()), None)?;
        let place = PreparedCommand::new(new, None)?;
        return dry::show(service, voice, &[&cancel.request, &place.request]);
    }
    writable(service)?;
    let what = format!(
        "Cancel/replace: cancels {}, then places the unfilled remainder of {new} on {}",
        successor.old,
        service.place()
    );
    if !consent::given(how, what).await? {
        return Ok(Exit::Usage);
    }
    if let Some(why) = too_late(read_at.elapsed()) {
        return Err(UsageError(format!("nothing was sent: {why}")).into());
    }
    cancel_first(service, voice, successor, read_at).await
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

/// What takes the place of an order that is canceled.
fn successor(order: &Order, wanted: PlaceOrder) -> Result<Successor> {
    let filled = if order.is_armed() {
        order.filled_size.unwrap_or_default().abs()
    } else {
        filled_of(order).map_err(|why| UsageError(why.to_owned()))?
    };
    Ok(Successor {
        old: order.id.clone(),
        order: Box::new(wanted),
        filled,
        since: Clock::start().now(),
    })
}

impl MoveArgs {
    /// What is not named stays as it is.
    fn terms(&self, service: &Service, store: &Store, order: &Order) -> Result<Terms> {
        let (own, zone) = (Clock::start().now(), local_zone());
        let form_context = FormContext {
            store,
            used: &UsedTerms::default(),
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
        let shown = placed(&form, &form_context)?;
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
        let wanted = placed(&form, &form_context)?;
        Ok(Terms { shown, wanted })
    }
}

fn placed(form: &Form, form_context: &FormContext) -> Result<PlaceOrder> {
    let command = form.command(form_context);
    let command = command.map_err(|faults| UsageError(faults.to_string()))?;
    let Command::Place(order) = command else {
        return Err(Failure::local(format!("{command} is no order")).into());
    };
    Ok(*order)
}

/// Two entries at once could both fill: nothing is placed before the old one is canceled.
async fn cancel_first(
    service: &Service,
    voice: Output,
    successor: Successor,
    read_at: Instant,
) -> Result<Exit> {
    let cancel = PreparedCommand::new(Command::Cancel(successor.old.clone()), None)?;
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
    let place = PreparedCommand::new(Command::Place(Box::new(order)), None)?;
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
