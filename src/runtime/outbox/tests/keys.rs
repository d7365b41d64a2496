//! The key a caller chose: repeating it returns the first command's outcome.

use super::*;
use crate::app::activity::notice::Tone;

#[tokio::test]
async fn one_key_from_two_askers_at_once_is_one_intent_and_no_harm_to_the_journal() {
    let mut scene = Scene::of(vec![placed(), placed(), placed()]).await;
    for number in 1..=2 {
        scene.outbox.send_as(Ticket(number), buy(), "k-1".into());
    }
    for _ in 1..=2 {
        let (_, result) = scene.settled().await;
        assert!(matches!(result, Ok(Receipt::Order { .. })), "{result:?}");
    }
    scene.outbox.send(Ticket(3), buy());
    assert!(scene.settled().await.1.is_ok(), "the journal takes on");
    let keys = scene.responder.seen().into_iter().map(|seen| {
        let key = seen.header("idempotency-key").map(str::to_owned);
        key == Some("k-1".to_owned())
    });
    assert_eq!(keys.collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(entries(scene).await.len(), 2);
}

#[tokio::test]
async fn what_was_done_stays_done_when_its_repetition_gets_no_answer() {
    let mut scene = Scene::of(vec![placed(), error("302 Found", "")]).await;
    scene.outbox.send_as(Ticket(1), buy(), "k-1".into());
    assert!(scene.settled().await.1.is_ok());
    scene.outbox.send_as(Ticket(2), buy(), "k-1".into());
    parked(&mut scene).await;
    let [entry] = entries(scene).await.try_into().unwrap();
    let made = entry.outcome.and_then(|told| told.order_id);
    assert_eq!((entry.state, made), (IntentState::Done, Some("o-1".into())));
}

#[tokio::test]
async fn a_key_is_not_lent_to_another_deed() {
    let mut scene = Scene::of(vec![placed()]).await;
    scene.outbox.send_as(Ticket(1), close("p-1"), "k-1".into());
    assert!(scene.settled().await.1.is_ok());
    scene.outbox.send_as(Ticket(2), close("p-2"), "k-1".into());
    let why = scene.settled().await.1.unwrap_err().to_string();
    assert!(
        why.contains("the key was used for another command"),
        "{why}"
    );
    assert_eq!(scene.responder.seen().len(), 1);
}

#[tokio::test]
async fn the_key_that_was_chosen_is_the_key_that_is_sent_also_without_a_journal() {
    let mut scene = hurt(vec![closed_all(), empty(), empty()], |journal| {
        journal.break_disk_after(0);
    })
    .await;
    let close_all = Command::CloseAll("chal-1".into());
    scene.outbox.send_as(TICKET, close_all, "k-1".into());
    let (told, result) = scene.settled().await;
    assert!(result.is_ok(), "{result:?}");
    assert!(said(&told).contains("idempotency key k-1"), "{told:?}");
    let seen = scene.responder.seen();
    assert_eq!(seen[0].header("idempotency-key"), Some("k-1"));
}

#[tokio::test]
async fn a_write_that_fails_when_nobody_waits_for_it_any_more_is_said_all_the_same() {
    let (go_on, hang) = std::sync::mpsc::channel::<()>();
    let mut scene = hurt(vec![canceled()], move |journal| {
        let _over = hang.recv();
        journal.break_disk_after(0);
    })
    .await;
    scene.outbox.send(TICKET, Command::Cancel("o-1".into()));
    assert!(scene.settled().await.1.is_ok(), "it does not wait");
    drop(go_on);
    loop {
        if let Msg::Notify(Tone::Alert, text) = scene.events.recv().await.unwrap() {
            assert!(text.contains("New orders are refused"), "{text}");
            break;
        }
    }
    scene.outbox.send(Ticket(2), buy());
    assert!(scene.settled().await.1.is_err());
}

/// A second key would begin a second operation.
#[tokio::test]
async fn a_close_all_that_is_unfinished_is_continued_under_its_key_when_it_is_given_again() {
    let script = vec![error("302 Found", ""), closed_all(), empty(), empty()];
    let mut scene = Scene::of(script).await;
    let close_all = || Command::CloseAll("chal-1".into());
    scene.outbox.send(Ticket(1), close_all());
    parked(&mut scene).await;
    scene.outbox.send(Ticket(2), close_all());
    let result = scene.settled().await.1;
    assert!(matches!(result, Ok(Receipt::CloseAll(_))), "{result:?}");
    let seen = scene.responder.seen();
    assert_eq!(
        seen[0].header("idempotency-key"),
        seen[1].header("idempotency-key")
    );
    let [entry] = entries(scene).await.try_into().unwrap();
    assert_eq!(entry.state, IntentState::Done);
}

/// The desk then sends a new one for what came since: the key meant all there is.
#[tokio::test]
async fn an_operation_that_is_given_again_goes_on_under_its_key_and_says_so() {
    for command in [
        Command::CloseAll("chal-1".into()),
        Command::CancelAll("chal-1".into()),
    ] {
        let script = vec![error("302 Found", ""), error("302 Found", "")];
        let mut scene = Scene::of(script).await;
        scene.outbox.send(Ticket(1), command.clone());
        parked(&mut scene).await;
        scene.outbox.send(Ticket(2), command);
        loop {
            let msg = scene.events.recv().await.unwrap();
            if let Msg::Continues(ticket) = msg {
                assert_eq!(ticket, Ticket(2));
                break;
            }
        }
        parked(&mut scene).await;
        let seen = scene.responder.seen();
        let keys = seen.iter().map(|seen| seen.header("idempotency-key"));
        let [first, second] = keys.collect::<Vec<_>>().try_into().unwrap();
        assert_eq!(first, second);
    }
}
