//! The rules of a restart, row by row: `docs/delivery.md 7.2`.

use super::*;
use crate::{
    client::testing::responder::ORDER,
    journal::{Intent, IntentId, ReplayWindow},
    model::{CloseKind, FailureKind, Leg, Proof},
    runtime::outbox::tests::{buy, close},
};
use std::time::Duration;

const SENT: Timestamp = Timestamp(1_790_000_000_000);

fn entry(command: &Command, state: IntentState) -> IntentRow {
    IntentRow {
        id: IntentId(1),
        created_at: SENT,
        intent: Intent {
            base_url: "https://x.test".into(),
            account_id: "chal-1".into(),
            credential: String::new(),
            method: String::new(),
            target: String::new(),
            body: vec![],
            key: None,
            risk: command.risk(),
            command: command.to_string(),
            resource: None,
            parent: None,
            entry: None,
            replaces: None,
            deadline: SENT,
            replay_until: ReplayWindow::since(SENT).until(),
        },
        attempts: vec![],
        maybe_executed: state != IntentState::Prepared,
        state,
        by: None,
        outcome: None,
    }
}

/// A row that a desk with the same key recovers, `minutes` after it was sent.
fn case<'a>(entry: &'a IntentRow, command: &'a Command, minutes: u64) -> RecoveryCase<'a> {
    RecoveryCase {
        entry,
        command,
        ownership: Ownership::Own,
        process: ProcessKind::Desk,
        now: SENT.plus(Duration::from_mins(minutes)),
        is_overtaken: false,
        is_part: false,
        working: &[],
    }
}

/// What a desk decides, and what a verb decides.
fn both(
    case: RecoveryCase<'_>,
    decision: impl Fn(RecoveryCase<'_>) -> RecoveryDecision,
) -> [RecoveryDecision; 2] {
    [ProcessKind::Desk, ProcessKind::Verb].map(|process| decision(RecoveryCase { process, ..case }))
}

fn half() -> Command {
    let mut command = close("p-1");
    if let Command::Close(close) = &mut command {
        close.size = Some("0.5".parse().unwrap());
    }
    command
}

fn limit() -> Command {
    let mut command = close("p-1");
    if let Command::Close(close) = &mut command {
        close.kind = CloseKind::Limit;
    }
    command
}

fn exits() -> Command {
    Command::Exits(crate::model::Exits::unseen(
        "o-1".into(),
        Leg::Keep,
        Leg::Set("60000".parse().unwrap()),
    ))
}

fn close_all() -> Command {
    Command::CloseAll("chal-1".into())
}

fn cancel() -> Command {
    Command::Cancel("o-1".into())
}

fn stop() -> Command {
    Command::StopTwap("t-1".into())
}

#[test]
fn what_is_done_of_each_command_by_how_it_stood_and_how_old_it_is() {
    use IntentState::{Inflight, Parked, Prepared, Queued, Unknown};
    use RecoveryDecision::{Drop, Follow, Offer, Reconcile, Resend};
    let leave = RecoveryDecision::Leave;
    let table = [
        // Never left: an entry is dropped, a close may still be wanted.
        (buy(), Prepared, 1, [Drop, Drop]),
        (buy(), Prepared, 99, [Drop, Drop]),
        (close("p-1"), Prepared, 1, [Offer, leave.clone()]),
        (close_all(), Prepared, 99, [Offer, leave.clone()]),
        (cancel(), Prepared, 1, [Offer, leave]),
        // An order is never resent automatically, however recent.
        (buy(), Inflight, 1, [Reconcile, Reconcile]),
        (buy(), Unknown, 99, [Reconcile, Reconcile]),
        // A command that can only close goes on under its key while the service keeps it.
        (close_all(), Inflight, 14, [Resend, Reconcile]),
        (close_all(), Parked, 14, [Resend, Reconcile]),
        (close_all(), Inflight, 16, [Reconcile, Reconcile]),
        (close("p-1"), Unknown, 14, [Resend, Reconcile]),
        (close("p-1"), Unknown, 16, [Reconcile, Reconcile]),
        (half(), Inflight, 1, [Reconcile, Reconcile]),
        (limit(), Inflight, 1, [Reconcile, Reconcile]),
        // A command without a key is reconciled by reads first.
        (cancel(), Inflight, 1, [Reconcile, Reconcile]),
        (stop(), Inflight, 1, [Reconcile, Reconcile]),
        (exits(), Inflight, 1, [Reconcile, Reconcile]),
        (cancel(), Queued, 99, [Follow, Reconcile]),
    ];
    for (command, state, minutes, expected) in table {
        let entry = entry(&command, state);
        let fates = both(case(&entry, &command, minutes), |case| case.decision());
        assert_eq!(fates, expected, "{command}, {state}, {minutes} min");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn what_is_done_when_the_reads_have_told_or_have_not() {
    use RecoveryDecision::{Ask, Decided, Leave, Resend, Superseded};
    let working = || vec![serde_json::from_str::<Order>(ORDER).unwrap()];
    let stops = || {
        let reduces = ORDER.replace(r#""reduce_only":false"#, r#""reduce_only":true"#);
        vec![serde_json::from_str::<Order>(&reduces).unwrap()]
    };
    let over = || Failure {
        proves: Proof::Refused,
        ..Failure::new(FailureKind::Conflict, "order o-1 is filled")
    };
    let done = || Receipt::AlreadySo("TWAP t-1 is not active any more".into());
    let unread = || Err(Failure::new(FailureKind::TimedOut, "no answer"));
    let decided = |result: Result<Receipt, Failure>| [Decided(result.clone()), Decided(result)];
    let table = [
        (
            stop(),
            vec![],
            Ok(ReconcileOutcome::Done(done())),
            decided(Ok(done())),
        ),
        (
            cancel(),
            vec![],
            Ok(ReconcileOutcome::Ended(over())),
            decided(Err(over())),
        ),
        (
            cancel(),
            working(),
            Ok(ReconcileOutcome::NotDone),
            [Resend, Leave],
        ),
        (
            cancel(),
            stops(),
            Ok(ReconcileOutcome::NotDone),
            [Ask, Leave],
        ),
        (
            cancel(),
            vec![],
            Ok(ReconcileOutcome::NotDone),
            [Ask, Leave],
        ),
        (
            stop(),
            vec![],
            Ok(ReconcileOutcome::NotDone),
            [Resend, Leave],
        ),
        (
            stop(),
            vec![],
            Ok(ReconcileOutcome::Inconclusive),
            [Ask, Leave],
        ),
        (
            exits(),
            working(),
            Ok(ReconcileOutcome::NotDone),
            [Ask, Leave],
        ),
        (
            buy(),
            working(),
            Ok(ReconcileOutcome::Inconclusive),
            [Ask, Leave],
        ),
        (buy(), vec![], unread(), [Ask, Leave]),
    ];
    for (command, working, outcome, expected) in table {
        let entry = entry(&command, IntentState::Inflight);
        let case = RecoveryCase {
            working: &working,
            ..case(&entry, &command, 1)
        };
        let fates = both(case, |case| case.after(outcome.clone()));
        assert_eq!(fates, expected, "{command}, {outcome:?}");
    }
    let (entry, command) = (entry(&exits(), IntentState::Inflight), exits());
    let older = RecoveryCase {
        is_overtaken: true,
        ..case(&entry, &command, 1)
    };
    let fates = both(older, |case| case.after(Ok(ReconcileOutcome::NotDone)));
    assert_eq!(fates, [Superseded, Superseded]);
}

#[test]
fn nothing_of_elsewhere_is_ever_sent_and_a_flatten_that_goes_on_takes_its_parts_along() {
    use RecoveryDecision::{Ask, Drop, Foreign, Join, Leave, Offer, Resend};
    let elsewhere = [
        (buy(), IntentState::Prepared, [Drop, Drop]),
        (close_all(), IntentState::Prepared, [Foreign, Leave]),
        (close_all(), IntentState::Inflight, [Ask, Leave]),
        (cancel(), IntentState::Queued, [Ask, Leave]),
    ];
    for (command, state, expected) in elsewhere {
        let entry = entry(&command, state);
        let foreign = RecoveryCase {
            ownership: Ownership::Foreign,
            ..case(&entry, &command, 1)
        };
        let fates = both(foreign, |case| case.decision());
        assert_eq!(fates, expected, "{command}, {state}");
    }
    for (command, state, of_it, by_itself) in [
        (close_all(), IntentState::Inflight, Join, Resend),
        (close_all(), IntentState::Prepared, Drop, Offer),
        (cancel(), IntentState::Prepared, Drop, Offer),
    ] {
        let entry = entry(&command, state);
        let part = |is_part| RecoveryCase {
            is_part,
            ..case(&entry, &command, 1)
        };
        assert_eq!(
            [part(true), part(false)].map(|case| case.decision()),
            [of_it, by_itself]
        );
    }
}
