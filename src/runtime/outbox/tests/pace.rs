//! Timing: `Retry-After`, outages, spent budgets and the service's rate limit.

use super::*;

#[tokio::test]
async fn nothing_is_sent_while_the_service_wants_silence() {
    let limited = error("429 Too Many Requests", "retry-after: 90\r\n");
    let mut scene = Scene::of(vec![limited]).await;
    let client = scene.outbox.context.client.clone();
    client.open_positions(&"chal-1".into()).await.unwrap_err();
    scene.outbox.send(TICKET, buy());
    let failure = scene.settled().await.1.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Limited);
    assert!(failure.retry_after.unwrap() > Duration::from_secs(80));
    assert_eq!(scene.responder.seen().len(), 1);
}

#[tokio::test]
async fn an_outage_is_not_answered_with_a_storm_and_an_exit_is_retried_all_the_same() {
    let mut scene = Scene::divided_by((0..400).map(|_| broken()).collect(), 50).await;
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
    client.open_positions(&"chal-1".into()).await.unwrap_err();
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
