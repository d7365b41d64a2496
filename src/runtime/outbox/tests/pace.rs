//! Timing: `Retry-After`, outages, spent budgets and the service's rate limit.

use super::*;
use crate::client::{
    RequestClass,
    testing::{
        rehearsal,
        responder::{client, connection},
    },
};

/// Longer than any service means it: a year.
const YEAR: &str = "31622400";

#[tokio::test]
async fn an_order_is_not_sent_while_the_service_wants_orders_to_wait() {
    let limited = error("429 Too Many Requests", "retry-after: 90\r\n");
    let mut scene = Scene::of(vec![limited]).await;
    scene.outbox.send(TICKET, buy());
    let failure = scene.settled().await.1.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Limited);
    scene.outbox.send(Ticket(2), buy());
    let failure = scene.settled().await.1.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Limited);
    assert!(failure.retry_after.unwrap() > Duration::from_secs(80));
    assert_eq!(methods(&scene), ["POST"]);
}

#[tokio::test]
async fn a_poll_that_is_told_to_wait_for_a_year_holds_back_no_exit() {
    let limited = error("429 Too Many Requests", &format!("retry-after: {YEAR}\r\n"));
    let mut scene = Scene::of(vec![limited, canceled()]).await;
    let polls = scene.outbox.context.client.for_class(RequestClass::Poll);
    let why = polls.open_positions().await.unwrap_err();
    assert_eq!(why.retry_after, Some(Duration::from_mins(5)));
    assert!(polls.pause_left() <= Duration::from_mins(5));
    scene.outbox.send(TICKET, Command::Cancel("o-1".into()));
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Cancel(_))), "{result:?}");
    assert_eq!(methods(&scene), ["GET", "DELETE"]);
}

#[tokio::test(start_paused = true)]
async fn an_exit_that_is_told_to_wait_for_a_year_is_tried_once_a_minute_and_says_so() {
    for command in [
        Command::Cancel("o-1".into()),
        Command::CloseAll("chal-1".into()),
    ] {
        let (client, _calls) = client(connection("http://127.0.0.1:9"));
        let exits = client.for_class(RequestClass::Exit);
        let (mutation, start) = (command.facts().mutation, Instant::now());
        let (mut at, mut told) = (vec![], vec![]);
        let limited = rehearsal::Reply {
            status: 429,
            headers: vec![("retry-after", YEAR.to_owned())],
            body: "{}".to_owned(),
        };
        let result = pursue(
            RetryState::new(&command, Timeouts::default()),
            || 0,
            |_| {
                at.push(start.elapsed().as_secs());
                ready(exits.rehearse((Instant::now(), NOW), &limited, mutation))
            },
            || ready(Ok(ReconcileOutcome::Inconclusive)),
            |meanwhile, after| {
                told.push((meanwhile, after));
                ready(())
            },
        )
        .await;
        assert_eq!(at.get(..5), Some(&[0, 60, 120, 180, 240][..]), "{command}");
        let (Some((Interim::Waiting(why, _), after)), true) = (told.first(), result.is_err())
        else {
            panic!("{told:?}");
        };
        assert_eq!(*after, Duration::from_mins(1));
        let words = "asks to wait 31622400 s, perpdeck asks again after 60 s";
        assert!(why.message.to_string().contains(words), "{why}");
    }
}

#[tokio::test]
async fn an_outage_is_not_answered_with_a_storm_and_an_exit_is_retried_all_the_same() {
    let part = |seen: &crate::client::testing::responder::Seen| {
        if seen.line.contains("client_order_id") {
            empty()
        } else {
            broken()
        }
    };
    let mut scene = Scene::hurried_at(place(), Responder::playing(part, || ()).await, 50);
    for number in 1..=12 {
        scene.outbox.send(Ticket(number), buy());
    }
    for _ in 1..=12 {
        parked(&mut scene).await;
    }
    let sent = |method: &str| {
        let seen = methods(&scene);
        seen.iter().filter(|word| *word == method).count()
    };
    assert_eq!(
        sent("POST"),
        12 + 10,
        "each once, and the whole retry quota"
    );
    scene.outbox.send(Ticket(13), Command::Cancel("o-1".into()));
    parked(&mut scene).await;
    let sent = methods(&scene);
    assert_eq!(sent.iter().filter(|word| *word == "DELETE").count(), 5);
}

#[tokio::test]
async fn with_the_budget_spent_an_exit_leaves_at_once_and_an_order_waits() {
    let limited = error("429 Too Many Requests", "retry-after: 1\r\n");
    let mut scene = Scene::of(vec![limited, canceled()]).await;
    let client = scene.outbox.context.client.clone();
    client.open_positions().await.unwrap_err();
    tokio::time::sleep(client.pause_left()).await;
    assert!(client.polls_per_minute().is_some());
    scene.outbox.send(Ticket(1), buy());
    let waits = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Waiting { .. }));
    while !waits(&scene.events.recv().await.unwrap()) {}
    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Cancel(_))), "{result:?}");
    assert_eq!(methods(&scene), ["GET", "DELETE"]);
}

#[tokio::test(start_paused = true)]
async fn the_wait_the_service_asks_for_is_sat_out_to_the_second() {
    let limited = |wait: u64| {
        Attempt::Refused(Failure {
            status: Some(429),
            retry_after: Some(Duration::from_secs(wait)),
            ..Failure::new(FailureKind::Limited, "slow down")
        })
    };
    let start = Instant::now();
    let mut at = vec![];
    let result = pursue(
        RetryState::new(&Command::Cancel("o".into()), Timeouts::default()),
        || 0,
        |number| {
            at.push(start.elapsed().as_secs());
            ready(match number {
                1 => limited(7),
                2 => limited(3),
                _ => Attempt::Refused(Failure {
                    status: Some(404),
                    ..Failure::new(FailureKind::NotFound, "no such order")
                }),
            })
        },
        || ready(Ok(ReconcileOutcome::Inconclusive)),
        |_, _| ready(()),
    )
    .await;
    assert_eq!(result.unwrap_err().kind, FailureKind::NotFound);
    assert_eq!(at, [0, 7, 10]);
}

#[tokio::test(start_paused = true)]
async fn a_close_all_is_followed_at_the_pace_the_service_sets() {
    let operation = |done: u32| CloseAll {
        id: "op".into(),
        operation: "close_all_positions".into(),
        account_id: "chal-1".into(),
        status: crate::model::OperationStatus::Running.into(),
        total_count: 3,
        succeeded_count: done,
        failed_count: 0,
        results: vec![],
        created_at: NOW,
        completed_at: None,
    };
    let start = Instant::now();
    let (mut at, mut told) = (vec![], vec![]);
    let result = pursue(
        RetryState::new(&Command::CloseAll("chal-1".into()), Timeouts::default()),
        || 0,
        |number| {
            at.push(start.elapsed().as_secs());
            ready(match number {
                1 | 2 => Attempt::Running {
                    operation: Some(crate::model::SlicedOperation::CloseAll(operation(number))),
                    retry_after: Some(Duration::from_secs(5)),
                },
                _ => Attempt::Done(Receipt::CloseAll(operation(3))),
            })
        },
        || ready(Ok(ReconcileOutcome::Inconclusive)),
        |meanwhile, _| {
            told.push(meanwhile);
            ready(())
        },
    )
    .await;
    assert_eq!(result, Ok(Receipt::CloseAll(operation(3))));
    assert_eq!(at, [0, 5, 10]);
    let running = [1, 2]
        .map(|done| Interim::Running(crate::model::SlicedOperation::CloseAll(operation(done))));
    assert_eq!(told, running);
}
