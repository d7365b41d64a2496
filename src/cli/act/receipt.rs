//! The printed outcome of a command.

use crate::{
    cli::{
        Exit,
        act::prepared::{PreparedCommand, SendOutcome},
        voice::{Output, json},
    },
    model::{
        CancelResult, Command, Failure, FailureKind, IdempotencyKey, Num, Order, Proof, Receipt,
        Resource, Scaled, Text, echo,
    },
    view::tables::{activity::cancel_all_words, order_words::due_size},
};
use serde::Serialize;

/// Prints the outcome and returns the exit code.
pub(super) fn print_outcome(
    voice: Output,
    prepared: &PreparedCommand,
    outcome: &SendOutcome,
) -> Exit {
    let receipt = match outcome {
        Ok(receipt) => receipt,
        Err(why) => {
            if let Some(next) = without_snapshot(&prepared.command, why) {
                voice.note(next);
            }
            return voice.failed(&about(why, &prepared.command), prepared.kept_key());
        }
    };
    let line = if voice.is_json() {
        data(prepared, receipt)
    } else if let (Command::ExitBatch(batch), Receipt::Position(_)) = (&prepared.command, receipt) {
        format!("{batch}: done")
    } else {
        sentence(receipt)
    };
    voice.result(&format!("{line}\n"), prepared.kept_key());
    if let Receipt::Cancel(result) = receipt
        && result.queued
        && !result.canceled
    {
        voice.note(&format!(
            "the cancel of order {} is still queued: the order may execute first; \"perpdeck orders\" shows it",
            result.id
        ));
        return Exit::Partial;
    }
    if let Some(why) = receipt.refusal() {
        return voice.failed(&why, prepared.kept_key());
    }
    match (
        checked(voice, prepared, receipt),
        &prepared.command,
        receipt,
    ) {
        (Exit::Ok, Command::PlaceScaled(_), Receipt::Scaled(ladder)) => {
            rungs(voice, prepared, ladder)
        }
        (exit, _, _) => exit,
    }
}

/// Compares the result with the request.
pub(super) fn checked(voice: Output, prepared: &PreparedCommand, receipt: &Receipt) -> Exit {
    let differences = echo::differences(&prepared.command, receipt);
    if differences.is_empty() {
        return Exit::Ok;
    }
    let what = format!(
        "{} differs from the request: {}",
        echo::name(receipt),
        differences.join(", ")
    );
    voice.mismatched(&what, prepared.kept_key())
}

/// A scaled order without a rung is a refusal, one without some of them is partly placed.
fn rungs(voice: Output, prepared: &PreparedCommand, ladder: &Scaled) -> Exit {
    let refused = ladder.refused_rungs();
    let Some(why) = refused.first().and_then(|rung| rung.reject_reason.as_ref()) else {
        return Exit::Ok;
    };
    let (refused, all) = (refused.len(), ladder.rungs.len());
    if refused == all {
        let why = Failure {
            proves: Proof::Refused,
            ..Failure::new(FailureKind::Invalid, format!("no rung was placed: {why}"))
        };
        return voice.failed(&why, prepared.kept_key());
    }
    voice.note(&format!(
        "{refused} of {all} rungs were refused: {why}; \"perpdeck scaled show {}\" shows them",
        ladder.id
    ));
    Exit::Partial
}

/// What helps if the service took no snapshot: 503 (`docs/service-api.md 2.4`), for too many positions among others. After
/// a lost answer it does not say that nothing was closed.
fn without_snapshot(command: &Command, why: &Failure) -> Option<&'static str> {
    let is_without = matches!(command, Command::CloseAll(_)) && why.status == Some(503);
    is_without.then_some(
        "status 503 may mean that more positions are open than the 100 that one close-all takes: \"perpdeck positions\" \
         lists them, \"perpdeck close\" closes one",
    )
}

/// The failure with the order that the command was about, if the service names none.
fn about(why: &Failure, command: &Command) -> Failure {
    let mut why = why.clone();
    if let (None, Resource::Order(id)) = (&why.order_id, command.resource()) {
        why.order_id = Some(id);
    }
    why
}

/// `{"data":…}`, as the service responded.
#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct ReceiptData<'a, T> {
    data: &'a T,
    queued: Option<bool>,
    /// What differs from the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mismatch: Vec<String>,
    /// The same command under this key repeats it without doing it twice.
    idempotency_key: Option<&'a str>,
}

/// One line of JSON; every number keeps its digits.
pub(super) fn data(prepared: &PreparedCommand, receipt: &Receipt) -> String {
    match receipt {
        Receipt::Order { order, .. } => line(prepared, receipt, order),
        Receipt::Cancel(result) => line(prepared, receipt, result),
        Receipt::Position(position) => line(prepared, receipt, position),
        Receipt::Twap(twap) => line(prepared, receipt, twap),
        Receipt::Scaled(ladder) => line(prepared, receipt, ladder),
        Receipt::CloseAll(operation) => line(prepared, receipt, operation),
        Receipt::CancelAll(operation) => line(prepared, receipt, operation),
        // Proved by reads, not a response of the service.
        Receipt::AlreadySo(_) | Receipt::Flat(_) => line(prepared, receipt, &sentence(receipt)),
    }
}

fn line<T: Serialize>(prepared: &PreparedCommand, receipt: &Receipt, data: &T) -> String {
    let queued = if let Receipt::Order { queued, .. } = receipt {
        Some(*queued)
    } else {
        None
    };
    json(&ReceiptData {
        data,
        queued,
        mismatch: echo::differences(&prepared.command, receipt),
        idempotency_key: prepared.kept_key().map(IdempotencyKey::raw),
    })
}

pub(super) fn sentence(receipt: &Receipt) -> String {
    match receipt {
        Receipt::Order {
            order,
            queued: true,
        } => format!("{}, queued", order_sentence(order)),
        Receipt::Order { order, .. } => order_sentence(order),
        Receipt::Cancel(result) => cancel_sentence(result),
        Receipt::Position(position) => match position.isolated_margin_extra {
            Some(extra) => format!("position {}: extra margin {extra} USD", position.id),
            None => format!("position {} changed", position.id),
        },
        Receipt::Twap(twap) => format!("TWAP {}: {}", twap.id, word(twap.status.as_ref())),
        Receipt::Scaled(ladder) => {
            format!(
                "scaled order {}: {}",
                ladder.id,
                word(ladder.status.as_ref())
            )
        }
        Receipt::CloseAll(operation) => format!("close-all {operation}"),
        Receipt::CancelAll(operation) => format!("cancel-all: {}", cancel_all_words(operation)),
        Receipt::AlreadySo(words) => words.to_string(),
        Receipt::Flat(proof) => format!("flat: {proof}"),
    }
}

fn word(status: Option<&Text>) -> String {
    status.map_or_else(|| "stopped".to_owned(), ToString::to_string)
}

/// `order ord-1: buy 0.10 paper|BTC limit @ 60000, resting`.
pub(super) fn order_sentence(order: &Order) -> String {
    let price = |word: &str, price: Option<Num>| {
        price.map_or_else(String::new, |price| format!(" {word} {price}"))
    };
    format!(
        "order {}: {} {} {} {}{}, {}{}",
        order.id,
        order.side,
        due_size(order),
        order.market_id,
        order.mode,
        price("@", order.limit_price),
        order.status,
        price("at", order.fill_price)
    )
}

pub(super) fn cancel_sentence(result: &CancelResult) -> String {
    let came = match (result.canceled, result.queued) {
        (true, _) => "canceled",
        (false, true) => "cancel queued; the order may still execute first",
        (false, false) => "not canceled",
    };
    format!("order {}: {came}", result.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_all_that_503_leaves_unknown_says_how_many_positions_it_takes_and_not_that_none_was_closed()
     {
        let refused = |status| Failure {
            status: Some(status),
            ..Failure::new(FailureKind::Unknown, "no snapshot")
        };
        let close_all = Command::CloseAll("chal-1".into());
        let words = without_snapshot(&close_all, &refused(503)).unwrap();
        assert!(words.starts_with("status 503 may mean"), "{words}");
        assert_eq!(without_snapshot(&close_all, &refused(401)), None);
        let cancel_all = Command::CancelAll("chal-1".into());
        assert_eq!(without_snapshot(&cancel_all, &refused(503)), None);
    }
}
