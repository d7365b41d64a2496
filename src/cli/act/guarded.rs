//! A batch of exits that says what was seen, sent once more where that has changed.

use super::{
    dry,
    perform::{send as deliver, send_with_consent},
    prepared::{ActFlags, PreparedCommand, SendOutcome},
    receipt::print_outcome,
};
use crate::{
    app::{Store, account::poll::Answer, orders::moves::is_without_effect},
    cli::{
        Exit,
        service::{Service, arrive},
    },
    model::{Command, FailureKind, Receipt},
};
use color_eyre::Result;

/// What the exits are made of, and the command by what they are.
pub(super) type Wanted<'a> = (&'a Store, &'a dyn Fn(&Store) -> Result<Command>);

/// Sends the batch. After a 409 the exits are read again, once (`docs/delivery.md 3.6`).
pub(super) async fn send(
    service: &Service,
    how: ActFlags,
    (store, command): Wanted<'_>,
) -> Result<Exit> {
    let voice = how.output.voice();
    let prepared = PreparedCommand::new(command(store)?, None)?;
    if is_without_effect(&prepared.command) {
        return Ok(print_outcome(voice, &prepared, &Ok(already())));
    }
    let outcome = match in_place(service, how, &prepared).await? {
        Ok(outcome) => outcome,
        Err(exit) => return Ok(exit),
    };
    let conflict = outcome.as_ref().err();
    if conflict.is_none_or(|why| why.kind != FailureKind::Conflict) {
        return Ok(print_outcome(voice, &prepared, &outcome));
    }
    voice.note("the exits of the position have changed: reading them again");
    let prepared = PreparedCommand::new(command(&read(service).await)?, None)?;
    let outcome = if is_without_effect(&prepared.command) {
        Ok(already())
    } else {
        deliver(service, voice, &prepared, &[]).await?
    };
    Ok(print_outcome(voice, &prepared, &outcome))
}

fn already() -> Receipt {
    Receipt::AlreadySo("the exits of the position are so already".into())
}

/// The outcome, or the exit code where nothing was sent.
pub(super) async fn in_place(
    service: &Service,
    how: ActFlags,
    prepared: &PreparedCommand,
) -> Result<Result<SendOutcome, Exit>> {
    if service.is_dry_run() {
        let exit = dry::show(service, how.output.voice(), &[&prepared.request])?;
        return Ok(Err(exit));
    }
    let outcome = send_with_consent(service, how, prepared, &[]).await?;
    Ok(outcome.ok_or(Exit::Usage))
}

/// Positions, working orders and prices.
pub(super) async fn read(service: &Service) -> Store {
    let mut store = Store::default();
    let (positions, orders) = tokio::join!(service.read_positions(), service.working_orders());
    store.arrive(positions);
    arrive(&mut store, Answer::Orders(orders));
    store.clocks = service.clocks().await;
    service.take_prices(&mut store, &[]).await;
    store
}
