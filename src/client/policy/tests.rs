use super::*;
use crate::{
    client::ReconcileOutcome,
    model::{CancelResult, CloseAll, Lenient, OperationStatus, Order, OrderStatus, Proof},
};
use strum::VariantArray;

const ANSWERS: [&str; 17] = [
    "no byte", "timeout", "500", "502", "503", "503 wait", "504", "408", "425", "302", "400",
    "401", "403", "404", "409", "422", "429",
];

fn failure(status: u16, retry_after: Option<u64>) -> Failure {
    Failure {
        status: Some(status),
        retry_after: retry_after.map(Duration::from_secs),
        ..Failure::new(FailureKind::Invalid, format!("answer {status}"))
    }
}

fn attempt(answer: &str) -> Attempt {
    match answer {
        "no byte" => Attempt::NotSent(Failure::new(FailureKind::Unreachable, "refused")),
        "timeout" => Attempt::Doubtful(Failure::new(FailureKind::TimedOut, "no answer")),
        "503 wait" => Attempt::Refused(failure(503, Some(3))),
        "429" => Attempt::Refused(failure(429, Some(3))),
        status => Attempt::Refused(failure(status.parse().unwrap(), None)),
    }
}

fn risk(mutation: Mutation) -> Risk {
    match mutation {
        Mutation::Place
        | Mutation::PlaceTwap
        | Mutation::PlaceScaled
        | Mutation::Modify
        | Mutation::ExitBatch
        | Mutation::Margin => Risk::Increasing,
        Mutation::Close | Mutation::CloseAll => Risk::Reducing,
        Mutation::Cancel
        | Mutation::Exits
        | Mutation::StopTwap
        | Mutation::CancelScaled
        | Mutation::CancelAll => Risk::Neutral,
    }
}

fn tries(mutation: Mutation) -> RetryState {
    RetryState::start(mutation, risk(mutation), Timeouts::default())
}

fn word(verdict: &NextStep) -> &'static str {
    match verdict {
        NextStep::Settle(Ok(_)) => "done",
        NextStep::Settle(Err(why)) if why.is_doubtful() => "unknown",
        NextStep::Settle(Err(_)) => "failed",
        NextStep::Retry {
            meanwhile: Interim::Unknown(..),
            ..
        } => "ask in doubt",
        NextStep::Retry {
            meanwhile: Interim::Waiting(..),
            ..
        } => "ask again",
        NextStep::Retry {
            meanwhile: Interim::Running(_) | Interim::Stalled(_),
            ..
        } => "running",
        NextStep::Reconcile { .. } => "look",
    }
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn the_first_answer_decides_as_the_table_says() {
    for mutation in Mutation::VARIANTS {
        for answer in ANSWERS {
            let expected = match answer {
                "no byte" | "429" => "ask again",
                // It has not begun to close.
                "503 wait" if mutation.is_sliced() => "ask again",
                "timeout" | "500" | "502" | "503" | "503 wait" | "504" | "408" | "425" => {
                    if mutation.is_put() || mutation.is_named() {
                        "look"
                    } else {
                        "ask in doubt"
                    }
                }
                "302" => "unknown",
                "404" | "409" if mutation.is_delete() => "look",
                "409" if *mutation == Mutation::ExitBatch => "look",
                "409" if mutation.is_sliced() => "ask again",
                _ => "failed",
            };
            let verdict = tries(*mutation).after_attempt(attempt(answer), seconds(0), 500);
            assert_eq!(word(&verdict), expected, "{mutation:?} {answer}");
        }
    }
}

#[test]
fn after_a_doubt_no_refusal_ever_reads_as_rejected() {
    for mutation in Mutation::VARIANTS {
        for answer in ANSWERS {
            let mut tries = tries(*mutation);
            tries.after_attempt(attempt("timeout"), seconds(0), 0);
            let expected = match answer {
                "302" => "unknown",
                "400" | "401" | "403" | "404" | "422" if mutation.is_sliced() => "unknown",
                "400" | "401" | "403" | "404" | "422" => "look",
                "409" if !mutation.is_sliced() => "look",
                _ if mutation.is_put() || mutation.is_named() => "look",
                _ => "ask in doubt",
            };
            let verdict = tries.after_attempt(attempt(answer), seconds(1), 0);
            assert_eq!(word(&verdict), expected, "{mutation:?} {answer}");
        }
    }
}

#[test]
fn no_sequence_of_answers_after_a_doubt_ends_as_failed() {
    for mutation in Mutation::VARIANTS {
        for first in ANSWERS {
            for last in ANSWERS {
                let mut tries = tries(*mutation);
                tries.after_attempt(attempt("timeout"), seconds(0), 0);
                for answer in [first, last, last, last, last, last, last, last, last, last] {
                    if let NextStep::Settle(end) = told_nothing(&mut tries, answer, seconds(1)) {
                        assert!(
                            end.unwrap_err().is_doubtful(),
                            "{mutation:?} {first} {last}"
                        );
                        break;
                    }
                }
            }
        }
    }
}

/// The outcome when reads show `outcome`, and every response after the first is `last`, one second apart.
fn ended(mutation: Mutation, (first, last): (&str, &str), outcome: &ReconcileOutcome) -> Failure {
    let (mut tries, mut at) = (tries(mutation), 0);
    let mut verdict = tries.after_attempt(attempt(first), seconds(0), 0);
    loop {
        at += 1;
        verdict = match verdict {
            NextStep::Settle(end) => return end.unwrap_err(),
            NextStep::Retry { .. } => tries.after_attempt(attempt(last), seconds(at), 0),
            NextStep::Reconcile { .. } => tries.after_read(Ok(outcome.clone()), seconds(at), 0),
        };
    }
}

#[test]
fn an_end_proves_what_its_attempts_did_and_tells_no_status_that_never_came() {
    let filled = || Failure {
        proves: Proof::Refused,
        ..Failure::new(FailureKind::Conflict, "order o is filled")
    };
    for mutation in Mutation::VARIANTS {
        for (first, last) in ANSWERS.iter().flat_map(|a| ANSWERS.map(|b| (*a, b))) {
            for outcome in [
                ReconcileOutcome::Inconclusive,
                ReconcileOutcome::NotDone,
                ReconcileOutcome::Ended(filled()),
            ] {
                let end = ended(*mutation, (first, last), &outcome);
                let what = format!("{mutation:?} {first} {last} {outcome:?}: {end:?}");
                let came = [first, last].map(|word| attempt(word).trouble().unwrap().status);
                assert!(end.status.is_none() || came.contains(&end.status), "{what}");
                let never_left = [first, last] == ["no byte"; 2];
                assert_eq!(end.proves == Proof::Unsent, never_left, "{what}");
                let unknown = end.kind == FailureKind::Unknown;
                assert_eq!(end.proves == Proof::Nothing, unknown, "{what}");
            }
        }
    }
}

/// The next step after `answer` when reads show nothing: of an order, that there is none of its name.
fn told_nothing(tries: &mut RetryState, answer: &str, elapsed: Duration) -> NextStep {
    let nothing = if tries.mutation.is_named() {
        ReconcileOutcome::NotDone
    } else {
        ReconcileOutcome::Inconclusive
    };
    match tries.after_attempt(attempt(answer), elapsed, 0) {
        NextStep::Reconcile { .. } => tries.after_read(Ok(nothing), elapsed, 0),
        verdict @ (NextStep::Settle(_) | NextStep::Retry { .. }) => verdict,
    }
}

/// How often `answer` comes until the command is over, with waits as the policy asks.
fn asked(mutation: Mutation, answer: &str) -> (u32, Duration, Failure) {
    let (mut tries, mut elapsed, mut count) = (tries(mutation), Duration::ZERO, 0);
    loop {
        count += 1;
        match told_nothing(&mut tries, answer, elapsed) {
            NextStep::Retry { after, .. } | NextStep::Reconcile { after, .. } => elapsed += after,
            NextStep::Settle(end) => return (count, elapsed, end.unwrap_err()),
        }
    }
}

#[test]
fn budgets_are_kept_by_count_and_by_time() {
    let count = |mutation, answer| asked(mutation, answer).0;
    assert_eq!(count(Mutation::Place, "timeout"), 4);
    assert_eq!(count(Mutation::Cancel, "timeout"), 5);
    assert_eq!(count(Mutation::Close, "timeout"), 10);
    assert_eq!(count(Mutation::Place, "no byte"), 4);
    assert_eq!(count(Mutation::Place, "409"), 1);
    let (_, patient, _) = asked(Mutation::Close, "no byte");
    assert!(
        (seconds(295)..=seconds(300)).contains(&patient),
        "{patient:?}"
    );
    for mutation in Mutation::VARIANTS {
        for answer in ANSWERS {
            let (_, elapsed, _) = asked(*mutation, answer);
            assert!(
                elapsed <= tries(*mutation).budget().window,
                "{mutation:?} {answer}"
            );
        }
    }
}

#[test]
fn a_conflict_to_a_placement_is_final_and_nothing_was_placed() {
    for mutation in [
        Mutation::Place,
        Mutation::Close,
        Mutation::PlaceTwap,
        Mutation::PlaceScaled,
    ] {
        let (count, waited, why) = asked(mutation, "409");
        assert_eq!((count, waited), (1, Duration::ZERO), "{mutation:?}");
        assert!(
            !why.is_doubtful() && why.message.raw() == "answer 409",
            "{why}"
        );
    }
}

#[test]
fn a_conflict_in_doubt_is_read_by_name_each_time_and_stays_unknown() {
    let mut tries = tries(Mutation::Place);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    let mut heard = 0;
    let end = loop {
        heard += 1;
        if let NextStep::Settle(end) = told_nothing(&mut tries, "409", seconds(heard)) {
            break end.unwrap_err();
        }
    };
    assert_eq!((heard, end.kind), (3, FailureKind::Unknown));
}

#[test]
fn retry_after_is_never_undercut_and_a_long_one_is_handed_to_the_trader() {
    for draw in [0, 1, 500, 1000, 5000] {
        for asked in [1, 2, 3, 20] {
            let refused = Attempt::Refused(failure(429, Some(asked)));
            match tries(Mutation::Close).after_attempt(refused, seconds(0), draw) {
                NextStep::Retry { after, .. } => {
                    assert!(after >= seconds(asked) && after <= seconds(asked) + SPREAD);
                }
                other @ (NextStep::Settle(_) | NextStep::Reconcile { .. }) => panic!("{other:?}"),
            }
        }
    }
    for (mutation, longest) in [
        (Mutation::Place, 30),
        (Mutation::Cancel, 300),
        (Mutation::Close, 300),
    ] {
        let long = failure(429, Some(longest + 1));
        let verdict = tries(mutation).after_attempt(Attempt::Refused(long.clone()), seconds(0), 0);
        assert_eq!(verdict, NextStep::Settle(Err(outcome_text::refused(long))));
    }
}

#[test]
fn when_a_pause_ends_every_exit_goes_before_every_entry() {
    let after = |mutation, draw| {
        let refused = Attempt::Refused(failure(429, Some(3)));
        match tries(mutation).after_attempt(refused, seconds(0), draw) {
            NextStep::Retry { after, .. } => after,
            other @ (NextStep::Settle(_) | NextStep::Reconcile { .. }) => panic!("{other:?}"),
        }
    };
    let exits = [Mutation::Close, Mutation::CloseAll, Mutation::Cancel];
    let last = exits.map(|exit| after(exit, 1000)).into_iter().max();
    assert!(last <= Some(after(Mutation::Place, 0)), "{last:?}");
}

#[test]
fn waits_double_up_to_five_seconds_and_are_spread_by_half() {
    let mut tries = tries(Mutation::CloseAll);
    let mut waits = vec![];
    for draw in [1000, 1000, 1000, 1000, 1000, 0] {
        if let NextStep::Retry { after, .. } =
            tries.after_attempt(attempt("timeout"), seconds(0), draw)
        {
            waits.push(after.as_millis());
        }
    }
    assert_eq!(waits, [500, 1000, 2000, 4000, 5000, 2500]);
}

#[test]
fn what_could_not_be_settled_says_what_is_known_and_where_to_look() {
    let mut tries = tries(Mutation::Place);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    let NextStep::Settle(Err(end)) = told_nothing(&mut tries, "404", seconds(1)) else {
        panic!("404 ends it");
    };
    assert_eq!(
        end.to_string(),
        "outcome unknown: the order may have been placed (timed out: no answer), and reading the service did not \
         settle it (rejected: answer 404). Look at working orders, positions and history before you send it again"
    );
}

#[test]
fn what_never_left_is_told_as_not_sent() {
    let (_, _, end) = asked(Mutation::Place, "no byte");
    assert_eq!(
        end.to_string(),
        "unreachable: refused; nothing was sent in 4 tries"
    );
}

fn placed() -> Receipt {
    let order: Order = serde_json::from_str(crate::client::testing::responder::ORDER).unwrap();
    assert!(order.status.is(&OrderStatus::Resting));
    Receipt::Order {
        order: Box::new(order),
        queued: false,
    }
}

#[test]
fn an_answer_ends_the_doubt() {
    let receipt = placed();
    let mut tries = tries(Mutation::Place);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    let verdict = tries.after_attempt(Attempt::Done(receipt.clone()), seconds(1), 0);
    assert_eq!(verdict, NextStep::Settle(Ok(receipt)));
}

fn operation(done: u32, total: u32) -> CloseAll {
    CloseAll {
        id: "op".into(),
        operation: "close_all_positions".into(),
        account_id: "a".into(),
        status: Lenient::Known(OperationStatus::Running),
        total_count: total,
        succeeded_count: done,
        failed_count: 0,
        results: vec![],
        created_at: Timestamp(1),
        completed_at: None,
    }
}

fn running(operation: Option<CloseAll>, retry_after: Option<u64>) -> Attempt {
    Attempt::Running {
        operation: operation.map(SlicedOperation::CloseAll),
        retry_after: retry_after.map(Duration::from_secs),
    }
}

#[test]
fn a_close_all_of_a_hundred_targets_is_followed_to_its_end() {
    let mut tries = tries(Mutation::CloseAll);
    for done in 1..=100 {
        let verdict = tries.after_attempt(
            running(Some(operation(done, 100)), Some(7)),
            seconds(7 * u64::from(done)),
            0,
        );
        let expected = NextStep::Retry {
            after: seconds(7),
            meanwhile: Interim::Running(SlicedOperation::CloseAll(operation(done, 100))),
        };
        assert_eq!(verdict, expected);
    }
    let finished = Receipt::CloseAll(operation(100, 100));
    let verdict = tries.after_attempt(Attempt::Done(finished.clone()), seconds(800), 0);
    assert_eq!(verdict, NextStep::Settle(Ok(finished)));
}

#[test]
fn a_close_all_without_a_usable_retry_after_waits_two_seconds() {
    let verdict = tries(Mutation::CloseAll).after_attempt(running(None, None), seconds(0), 0);
    let expected = NextStep::Retry {
        after: seconds(2),
        meanwhile: Interim::Waiting(outcome_text::closing(), FollowUp::Again),
    };
    assert_eq!(verdict, expected);
}

#[test]
fn a_close_all_that_stands_still_is_told_and_asked_seldom_and_never_given_up() {
    let mut tries = tries(Mutation::CloseAll);
    let mut elapsed = Duration::ZERO;
    let mut stalled = vec![];
    while elapsed < Duration::from_hours(1) {
        let verdict = tries.after_attempt(running(Some(operation(3, 10)), Some(1)), elapsed, 0);
        let NextStep::Retry { after, meanwhile } = verdict else {
            panic!("{verdict:?}");
        };
        if let Interim::Stalled(_) = meanwhile {
            stalled.push(after);
        }
        elapsed += after;
    }
    assert!(stalled.len() > 110, "{}", stalled.len());
    assert!(stalled.iter().all(|after| *after == seconds(30)));
}

#[test]
fn a_close_all_that_is_asked_seldom_and_gets_nowhere_in_ten_minutes_stands_still() {
    let mut tries = tries(Mutation::CloseAll);
    let slow = |tries: &mut RetryState, at| {
        tries.after_attempt(running(Some(operation(3, 10)), Some(200)), seconds(at), 0)
    };
    assert_eq!(word(&slow(&mut tries, 0)), "running");
    let verdict = slow(&mut tries, 601);
    let told = matches!(
        verdict,
        NextStep::Retry { meanwhile: Interim::Stalled(_), after } if after == seconds(200)
    );
    assert!(told, "{verdict:?}");
}

#[test]
fn a_key_that_was_at_work_and_is_not_heard_of_again_is_never_called_rejected_or_unsent() {
    for mutation in Mutation::VARIANTS
        .iter()
        .filter(|mutation| mutation.is_sliced())
    {
        for later in ["no byte", "timeout", "401", "404", "400", "429", "503 wait"] {
            let mut tries = tries(*mutation);
            let first = told_nothing(&mut tries, "409", seconds(0));
            assert_eq!(word(&first), "ask again");
            let verdict = word(&tries.after_attempt(attempt(later), seconds(1), 0));
            let open = ["look", "unknown", "ask in doubt"].contains(&verdict);
            assert!(open, "{mutation:?} {later}: {verdict}");
        }
    }
}

#[test]
fn a_slice_that_is_at_work_to_the_last_is_never_called_rejected() {
    for mutation in [Mutation::CloseAll, Mutation::CancelAll] {
        let (count, _, why) = asked(mutation, "409");
        assert_eq!(count, 5, "{mutation:?}");
        assert!(why.is_doubtful(), "{mutation:?}: {why}");
    }
}

#[test]
fn a_lost_answer_to_an_order_is_settled_by_one_read_of_its_name() {
    for mutation in [Mutation::Place, Mutation::Close] {
        for lost in ["timeout", "500", "503"] {
            let mut tries = tries(mutation);
            let first = tries.after_attempt(attempt(lost), seconds(0), 0);
            assert_eq!(word(&first), "look");
            let found = tries.after_read(Ok(ReconcileOutcome::Done(placed())), seconds(1), 0);
            assert_eq!(found, NextStep::Settle(Ok(placed())));
        }
    }
}

#[test]
fn an_order_whose_name_nobody_knows_is_sent_again_with_its_key() {
    let mut tries = tries(Mutation::Place);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    let none = tries.after_read(Ok(ReconcileOutcome::NotDone), seconds(1), 0);
    assert_eq!(word(&none), "ask in doubt");
    let placed = placed();
    let answered = tries.after_attempt(Attempt::Done(placed.clone()), seconds(1), 0);
    assert_eq!(answered, NextStep::Settle(Ok(placed)));
}

#[test]
fn a_lost_close_of_a_position_that_is_gone_is_as_wished() {
    let gone = Receipt::AlreadySo("position p-1 is not open".into());
    let mut lost = tries(Mutation::Close);
    lost.after_attempt(attempt("timeout"), seconds(0), 0);
    let seen = lost.after_read(Ok(ReconcileOutcome::Done(gone.clone())), seconds(1), 0);
    assert_eq!(seen, NextStep::Settle(Ok(gone)));
}

#[test]
fn what_is_not_sent_again_is_not_said_to_have_been_asked_about() {
    let mut tries = tries(Mutation::Place);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    let held = Failure::local("a close-all was requested after it");
    let NextStep::Settle(Err(end)) = tries.after_attempt(Attempt::NotSent(held), seconds(1), 0)
    else {
        panic!("a person decides");
    };
    assert_eq!(
        end.message.raw(),
        "the order may have been placed (timed out: no answer), and it is not sent again: a close-all was requested \
         after it. Look at working orders, positions and history before you send it again"
    );
}

#[test]
fn a_refusal_in_the_middle_of_a_close_all_is_not_a_rejection() {
    let mut tries = tries(Mutation::CloseAll);
    tries.after_attempt(running(Some(operation(3, 10)), Some(1)), seconds(0), 0);
    let verdict = tries.after_attempt(attempt("401"), seconds(1), 0);
    assert_eq!(word(&verdict), "unknown");
}

#[test]
fn a_service_that_contradicts_itself_is_not_followed() {
    let twice = |id: &str| crate::model::CloseResult {
        position_id: id.into(),
        status: Lenient::Known(crate::model::CloseResultStatus::Submitted),
        order: None,
        failure_code: None,
        rule_id: None,
    };
    let contradictions = [
        CloseAll {
            id: "other".into(),
            ..operation(4, 10)
        },
        operation(4, 11),
        operation(2, 10),
        operation(11, 10),
        CloseAll {
            results: vec![twice("p"), twice("p")],
            ..operation(4, 10)
        },
    ];
    for now in contradictions {
        let mut tries = tries(Mutation::CloseAll);
        tries.after_attempt(running(Some(operation(3, 10)), Some(1)), seconds(0), 0);
        let verdict = tries.after_attempt(running(Some(now.clone()), Some(1)), seconds(1), 0);
        assert_eq!(word(&verdict), "unknown", "{now:?}");
    }
}

fn done() -> Receipt {
    Receipt::AlreadySo("as asked".into())
}

#[test]
fn a_change_in_doubt_is_read_before_it_is_sent_again() {
    let mut tries = tries(Mutation::Exits);
    let first = tries.after_attempt(attempt("timeout"), seconds(0), 0);
    assert_eq!(word(&first), "look");
    let not_there = tries.after_read(Ok(ReconcileOutcome::NotDone), seconds(1), 0);
    assert_eq!(word(&not_there), "ask in doubt");
    tries.after_attempt(attempt("timeout"), seconds(2), 0);
    let there = tries.after_read(Ok(ReconcileOutcome::Done(done())), seconds(3), 0);
    assert_eq!(there, NextStep::Settle(Ok(done())));
}

#[test]
fn exits_that_moved_are_as_asked_or_the_batch_is_refused() {
    let conflict = failure(409, None);
    let refused = outcome_text::refused(conflict.clone());
    let position =
        serde_json::from_str(r#"{"id":"p-1","market_id":"paper|BTC","size":1}"#).unwrap();
    let moved = Receipt::Position(Box::new(position));
    for (seen, end) in [
        // A proxy delivered it twice, and the answer is that of the second copy.
        (ReconcileOutcome::Done(moved.clone()), Ok(moved)),
        (ReconcileOutcome::NotDone, Err(refused)),
    ] {
        let mut tries = tries(Mutation::ExitBatch);
        let answer = Attempt::Refused(conflict.clone());
        assert_eq!(word(&tries.after_attempt(answer, seconds(0), 0)), "look");
        let step = tries.after_read(Ok(seen), seconds(1), 0);
        assert_eq!(step, NextStep::Settle(end));
    }
}

#[test]
fn a_change_the_service_refused_is_not_sent_again_whatever_the_reads_say() {
    let mut tries = tries(Mutation::Margin);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    tries.after_read(Ok(ReconcileOutcome::NotDone), seconds(1), 0);
    assert_eq!(
        word(&tries.after_attempt(attempt("400"), seconds(2), 0)),
        "look"
    );
    let end = tries.after_read(Ok(ReconcileOutcome::NotDone), seconds(3), 0);
    assert_eq!(word(&end), "unknown");
}

#[test]
fn a_cancel_that_finds_nothing_is_what_the_order_says_it_is() {
    for answer in ["404", "409"] {
        let canceled = Receipt::Cancel(CancelResult {
            id: "o".into(),
            canceled: true,
            queued: false,
        });
        let filled = Failure::new(FailureKind::Conflict, "order o is filled");
        let ends = [
            (Ok(ReconcileOutcome::Done(canceled)), "done"),
            (Ok(ReconcileOutcome::Ended(filled)), "failed"),
            (Ok(ReconcileOutcome::Inconclusive), "failed"),
            (Err(failure(401, None)), "look"),
        ];
        for (seen, expected) in ends {
            let mut tries = tries(Mutation::Cancel);
            assert_eq!(
                word(&tries.after_attempt(attempt(answer), seconds(0), 0)),
                "look"
            );
            assert_eq!(
                word(&tries.after_read(seen, seconds(1), 0)),
                expected,
                "{answer}"
            );
        }
    }
}

#[test]
fn a_cancel_that_was_not_carried_out_is_looked_at() {
    let neither = Receipt::Cancel(CancelResult {
        id: "o".into(),
        canceled: false,
        queued: false,
    });
    let mut tries = tries(Mutation::Cancel);
    let verdict = tries.after_attempt(Attempt::Done(neither), seconds(0), 0);
    assert_eq!(word(&verdict), "look");
    let NextStep::Settle(Err(why)) = tries.after_read(Ok(ReconcileOutcome::NotDone), seconds(1), 0)
    else {
        panic!("the order still works");
    };
    assert_eq!((why.proves, why.status), (Proof::Refused, None));
}

#[test]
fn a_refusal_by_a_trading_rule_is_final_at_once() {
    let ruled = Failure {
        rule_id: Some("max-size".into()),
        ..failure(409, None)
    };
    let verdict = tries(Mutation::Place).after_attempt(Attempt::Refused(ruled), seconds(0), 0);
    assert_eq!(word(&verdict), "failed");
}

/// A TWAP whose first attempt broke off, and whose other attempts could not connect.
fn cut_off() -> RetryState {
    let mut tries = tries(Mutation::PlaceTwap);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    for elapsed in 1..=2 {
        let verdict = tries.after_attempt(attempt("no byte"), seconds(elapsed), 0);
        assert_eq!(word(&verdict), "ask in doubt");
    }
    assert_eq!(
        word(&tries.after_attempt(attempt("no byte"), seconds(3), 0)),
        "look"
    );
    let unread = Failure::new(FailureKind::Unreachable, "refused");
    assert_eq!(
        word(&tries.after_read(Err(unread), seconds(5), 0)),
        "look",
        "nobody is asked while nobody is there"
    );
    tries
}

#[test]
fn a_twap_that_was_cut_off_goes_out_once_more_when_the_service_is_back_and_knows_nothing_of_it() {
    let mut tries = cut_off();
    let back = tries.after_read(Ok(ReconcileOutcome::Inconclusive), seconds(8), 0);
    assert_eq!(word(&back), "ask in doubt");
    let placed = placed();
    let answered = tries.after_attempt(Attempt::Done(placed.clone()), seconds(8), 0);
    assert_eq!(answered, NextStep::Settle(Ok(placed)));
}

#[test]
fn a_put_that_no_read_explains_is_not_sent_over_what_may_have_been_set_meanwhile() {
    let mut tries = tries(Mutation::Margin);
    tries.after_attempt(attempt("timeout"), seconds(0), 0);
    tries.after_read(Ok(ReconcileOutcome::NotDone), seconds(1), 0);
    tries.after_attempt(attempt("no byte"), seconds(2), 0);
    let seen = tries.after_read(Ok(ReconcileOutcome::Inconclusive), seconds(3), 0);
    assert_eq!(word(&seen), "unknown");
}

#[test]
fn the_try_after_a_return_is_one_and_whatever_it_meets_reads_as_unknown() {
    for answer in [
        "no byte", "timeout", "500", "400", "401", "404", "409", "429",
    ] {
        let mut tries = cut_off();
        tries.after_read(Ok(ReconcileOutcome::Inconclusive), seconds(8), 0);
        let verdict = told_nothing(&mut tries, answer, seconds(8));
        assert_eq!(word(&verdict), "unknown", "{answer}");
    }
}

#[test]
fn who_was_reached_to_the_last_and_did_not_answer_is_not_asked_once_more() {
    let mut silent = tries(Mutation::PlaceTwap);
    for elapsed in 0..4 {
        silent.after_attempt(attempt("timeout"), seconds(elapsed), 0);
    }
    let seen = silent.after_read(Ok(ReconcileOutcome::Inconclusive), seconds(5), 0);
    assert_eq!(word(&seen), "unknown");
}
