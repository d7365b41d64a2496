//! `perpdeck move ORDER_ID --price P`: moves a working order to another price or size.
//!
//! Contract: the same steps as on the desk (`docs/delivery.md 3.6`). An order is moved in place, the exits of a position
//! with a batch that is tried once more where they have changed. Where the service does not move an order, it is
//! canceled, and the rest is placed once a read shows how much had filled, and at most 10 s after the data was read that
//! the move was decided on. An unfinished move is reported (exit 15).

use super::{
    consent::ActingService,
    prepared::{ActFlags, PreparedCommand},
    readings::{listed, read_rows},
    workflow,
};
use crate::{
    app::{
        Store, Workflow,
        account::tracked::Tracked,
        core::account::{Account, FormContext},
        forms::form::Form,
        orders::of_row,
        workflows::{
            OrderMove, Replacement,
            goals::Moved,
            plan::{self, MovePlan},
        },
    },
    cli::{Exit, exit::UsageError, named::id},
    config::Sources,
    model::{Command, Failure, Num, Order, OrderId, PlaceOrder, draft::Field},
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
#[group(id = "wanted", required = true, multiple = true, args = ["price", "limit_price", "trigger_price", "size"])]
pub(in crate::cli) struct MoveArgs {
    /// As `orders` shows it
    #[arg(value_parser = id::<OrderId>)]
    order_id: OrderId,
    /// Its new trigger price, or its new limit price if it has no trigger, USD: a number or an expression (bid-100,
    /// entry+2%)
    #[arg(long, allow_hyphen_values = true, conflicts_with_all = ["limit_price", "trigger_price"])]
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
    /// `None` if the service does not report it.
    filled: Option<Num>,
}

pub(in crate::cli) async fn run(args: MoveArgs, sources: &Sources) -> Result<Exit> {
    let service = ActingService::open(sources, args.how).await?;
    let read_at = service.clock.now();
    let mut account = service.desk_account();
    account.store = Tracked::new(read_rows(&service).await);
    let (orders, id) = (&account.store.orders, &args.order_id);
    let order = listed(orders, account.store.order(id), || {
        format!("no working order is called {id}; \"perpdeck orders\" lists them")
    })?;
    let unread = account.store.positions.trouble();
    if let Some(why) = unread.filter(|_| order.may_close()) {
        let words = format!("whether {} stops an open position is not known", order.id);
        return Err(why.saying(format!("{words}: {}", why.message)).into());
    }
    let terms = args.terms(&account, order)?;
    let plan = plan(&account.store, order, &terms)?;
    let wanted = Box::new(terms.wanted);
    let replacement = Replacement::new(order.id.clone(), wanted, terms.filled, read_at);
    let one = match plan {
        MovePlan::InPlace(moved @ Moved::Exits(_)) => OrderMove::of_exits(moved),
        MovePlan::InPlace(moved @ Moved::Order(_)) => {
            let otherwise = replacement.map(Box::new).map_err(str::to_owned);
            OrderMove::new(moved, otherwise)
        }
        MovePlan::Replace => {
            let replacement = replacement.map_err(|why| UsageError(why.to_owned()))?;
            return replace(&service, &mut account.store, replacement).await;
        }
    };
    workflow::in_place(&service, &mut account.store, one).await
}

/// A move that only the unread positions forbid fails with that read, which a repetition may mend.
fn plan(store: &Store, order: &Order, terms: &Terms) -> Result<MovePlan> {
    let plan = plan::plan(store, order, (&terms.shown, &terms.wanted));
    plan.map_err(|words| match store.positions.trouble() {
        Some(why) => {
            let unread = format!("{words}; the positions could not be read: {}", why.message);
            why.saying(unread).into()
        }
        None => UsageError(words).into(),
    })
}

/// Two entries at once could both fill: nothing is placed before the old one is canceled.
async fn replace(
    service: &ActingService,
    store: &mut Store,
    replacement: Replacement,
) -> Result<Exit> {
    let old = replacement.old();
    let new = Command::Place(Box::new(replacement.order().clone()));
    let what =
        format!("Cancel/replace: cancels {old}, then places the unfilled remainder of {new}");
    let cancel = PreparedCommand::new(Command::Cancel(old.clone()), None)?;
    let place = PreparedCommand::new(new, None)?;
    let requests = [&cancel.request, &place.request];
    if let Some(exit) = service.withheld(&requests, &what).await? {
        return Ok(exit);
    }
    if let Some(why) = replacement.too_late(service.clock.now()) {
        return Err(UsageError(format!("nothing was sent: {why}")).into());
    }
    workflow::run(service, store, Workflow::Replace(replacement), None).await
}

impl MoveArgs {
    /// What is not named stays as it is.
    fn terms(&self, account: &Account, order: &Order) -> Result<Terms> {
        let form_context = account.form_context();
        let mut form = of_row::moved(account, order).map_err(UsageError)?;
        let shown = placed(&form, &form_context)?;
        let filled = form.replaces.as_ref().and_then(|old| old.filled);
        let waits_for = form.focus;
        let written = [
            (waits_for, &self.price),
            (Field::LimitPrice, &self.limit_price),
            (Field::TriggerPrice, &self.trigger_price),
            (Field::Size, &self.size),
        ];
        for (field, text) in written {
            let Some(text) = text else { continue };
            if !form.draft.fields().contains(&field) {
                let (flag, id, label) = (field.flag(), &order.id, field.label());
                return Err(UsageError(format!("{flag}: {id} has no {label}")).into());
            }
            form.draft.write(field, text);
        }
        form.resolve_prices(&form_context);
        let wanted = placed(&form, &form_context)?;
        Ok(Terms {
            shown,
            wanted,
            filled,
        })
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
