//! Desks that may not send: read-only ones, and a desk whose key is refused.

use super::*;
use crate::{
    client::testing::responder::json,
    model::{KeyScope, READ_ONLY_KEY},
};

#[tokio::test]
async fn a_read_only_desk_sends_no_byte_that_changes_anything() {
    let responder = Responder::answering(vec![]).await;
    let mut connection = responder.connection();
    connection.read_only = true;
    let (client, _calls) = crate::client::testing::responder::client(connection);
    let mut scene = Scene::with(place(), responder, client);
    let commands = [
        buy(),
        close("p-1"),
        Command::Cancel("o-1".into()),
        Command::Exits(crate::model::Exits::unseen(
            "o-1".into(),
            crate::model::Leg::Keep,
            crate::model::Leg::Remove,
        )),
        Command::margin("p-1".into(), "5".parse().unwrap(), None),
        Command::StopTwap("t-1".into()),
        Command::CancelScaled("s-1".into()),
        Command::CloseAll("chal-1".into()),
        Command::Flatten("chal-1".into()),
    ];
    for (number, command) in (1..).zip(commands) {
        scene.outbox.send(Ticket(number), command);
        let why = scene.settled().await.1.unwrap_err();
        assert!(why.message.raw().contains("read-only"), "{why}");
    }
    assert_eq!(scene.responder.seen(), []);
    assert_eq!(entries(scene).await, []);
}

#[tokio::test]
async fn a_refused_key_stops_all_sending_but_one_try_of_each_exit() {
    let unauthorized = || error("401 Unauthorized", "");
    let script = vec![unauthorized(), unauthorized()];
    let mut scene = Scene::of(script).await;
    let mut ends = vec![];
    let commands = [buy(), buy(), Command::CloseAll("chal-1".into())];
    for (number, command) in (1..).zip(commands) {
        scene.outbox.send(Ticket(number), command);
        ends.push(scene.settled().await.1.unwrap_err().kind);
    }
    assert_eq!(ends, [FailureKind::Auth; 3]);
    let lines: Vec<_> = scene.responder.seen().into_iter().map(|s| s.line).collect();
    assert_eq!(
        lines,
        [
            "POST /v1/orders HTTP/1.1",
            "POST /v1/accounts/chal-1/close-all-positions HTTP/1.1"
        ]
    );
}

#[tokio::test]
async fn a_key_that_is_taken_again_re_arms_the_desk_by_itself() {
    let script = vec![error("401 Unauthorized", ""), empty(), placed()];
    let mut scene = Scene::of(script).await;
    let client = scene.outbox.context.client.clone();
    scene.outbox.send(Ticket(1), buy());
    assert_eq!(scene.settled().await.1.unwrap_err().kind, FailureKind::Auth);
    scene.outbox.send(Ticket(2), buy());
    let why = scene.settled().await.1.unwrap_err();
    assert!(why.message.raw().contains("r retries"), "{why}");
    client.open_positions().await.unwrap();
    scene.outbox.send(Ticket(3), buy());
    scene.settled().await.1.unwrap();
    assert_eq!(methods(&scene), ["POST", "GET", "POST"]);
}

#[tokio::test]
async fn with_a_key_that_only_reads_no_entry_leaves_and_each_exit_is_tried_once() {
    let scope = || error("403 Forbidden", "");
    let mut scene = Scene::of(vec![scope(), scope()]).await;
    scene.outbox.send(Ticket(1), buy());
    let refused = scene.settled().await.1.unwrap_err();
    assert_eq!(
        (refused.kind, refused.status),
        (FailureKind::Invalid, Some(403)),
        "the key is valid"
    );
    let client = scene.outbox.context.client.clone();
    assert_eq!(client.key_scope(), KeyScope::ReadOnly);
    scene.outbox.send(Ticket(2), buy());
    let held = scene.settled().await.1.unwrap_err();
    assert_eq!(held.message.raw(), READ_ONLY_KEY);
    scene.outbox.send(Ticket(3), Command::Cancel("o-1".into()));
    let tried = scene.settled().await.1.unwrap_err();
    assert_eq!(tried.status, Some(403));
    assert_eq!(methods(&scene), ["POST", "DELETE"]);
}

#[tokio::test]
async fn a_web_page_with_403_holds_back_no_later_entry() {
    let page = json("403 Forbidden", "", "<html>not from here</html>");
    let mut scene = Scene::of(vec![page, placed()]).await;
    scene.outbox.send(Ticket(1), buy());
    assert_eq!(scene.settled().await.1.unwrap_err().status, Some(403));
    scene.outbox.send(Ticket(2), buy());
    scene.settled().await.1.unwrap();
}
