//! `place --bracket`: a new order with the stop and the targets that the settings give an entry of the desk.
//!
//! Contract: what cannot have its bracket is not sent. The stop and a single target go with the order. Several targets
//! follow its fill, by the workflow of the desk (`docs/delivery.md 3.7`), and only while the verb runs: what it leaves, a
//! desk takes over.

use super::{
    consent::{self, ActingService},
    prepared::PreparedCommand,
    readings::{Readings, read_rows},
    send_and_report::send_and_report,
    workflow,
};
use crate::{
    app::{
        MarketAnswer, RequestTime, Workflow, core::account::Account, forms::form::Form,
        workflows::BracketRun,
    },
    cli::{Exit, exit::UsageError, service::Reading},
    model::{
        Command, Failure, Interval, MarketId,
        draft::{Field, LaterTarget},
    },
    view::forms::caution::question,
};
use color_eyre::Result;

/// Whether a new order has the bracket of its market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum BracketRule {
    Without,
    OfSettings,
}

/// Candles for the mean range of a minute.
const CANDLES: u32 = 20;

/// Reads what a bracket is computed from, and whether the position has exits already.
pub(super) async fn read(readings: &Readings<'_>, account: &mut Account, market: &MarketId) {
    let service = readings.service;
    readings.take(&mut account.store, Reading::Positions).await;
    readings.take(&mut account.store, Reading::Figures).await;
    service.take_orders(&mut account.store).await;
    let at = RequestTime {
        desk: service.clock.now(),
        service: service.clock.now(),
    };
    let minute = Interval::Minute1;
    let answered = service.client.candles(market, minute, None, CANDLES).await;
    let answer = MarketAnswer::Candles(minute, None, answered);
    account.market_data.arrive(market, at, answer);
}

/// Writes its prices into the form. Returns the targets that follow the fill.
pub(super) fn attach(form: &mut Form, account: &Account) -> Result<Vec<LaterTarget>> {
    let store = &account.store;
    let troubles = [store.positions.trouble(), store.orders.trouble()];
    if let Some(why) = troubles.into_iter().flatten().next() {
        return Err(Failure::clone(why).into());
    }
    let context = account.form_context();
    // Relative prices stay in the form as they were written: their digits are printed when all of it is read.
    let digits = form.with_digits(&context);
    if digits.bracket(&context).is_none() {
        let why = "--bracket: the settings have none for this market, or the order reduces a position or adds to one with exits";
        return Err(UsageError(why.to_owned()).into());
    }
    let wrong = |faults| UsageError(format!("--bracket: {faults}"));
    let targets = digits.later_targets(&context).map_err(wrong)?;
    if let Some(small) = digits.small_target(&context) {
        let words = question(&small, &digits.seen(&context));
        return Err(UsageError(format!("--bracket: {words}")).into());
    }
    let bracketed = digits.bracketed(&context).map_err(wrong)?;
    for exit in [Field::StopLoss, Field::TakeProfit] {
        if form.draft.text(exit).unwrap_or_default().is_empty() {
            form.draft
                .write(exit, bracketed.text(exit).unwrap_or_default());
        }
    }
    Ok(targets)
}

/// Sends the order, and the targets once it has filled.
pub(super) async fn run(service: &ActingService, mut prepared: PreparedCommand) -> Result<Exit> {
    let targets = std::mem::take(&mut prepared.later_targets);
    let Command::Place(order) = prepared.command.clone() else {
        return send_and_report(service, prepared).await;
    };
    let count = targets.len();
    let spelled = consent::spelled(&prepared);
    let what = format!("{spelled}, and {count} targets once it has filled");
    if let Some(exit) = service.withheld(&[&prepared.request], &what).await? {
        return Ok(exit);
    }
    service.voice.note(&format!(
        "{count} targets are placed once it has filled, if this command still runs; if not, a desk says so"
    ));
    let mut store = read_rows(service).await;
    let run = Workflow::Bracket(BracketRun::new(order, targets));
    workflow::run(service, &mut store, run, Some(prepared)).await
}
