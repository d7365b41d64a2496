//! One change of one resource at a time.

use super::*;

#[tokio::test]
async fn a_change_of_an_order_is_proved_by_the_order_that_another_command_made() {
    let protected = ORDER.replacen('{', r#"{"attached_stop_loss_price":60000,"#, 1);
    let mut scene = Scene::of(vec![Reply::Drop, row(&protected)]).await;
    let exits = crate::model::Exits::unseen(
        "o-1".into(),
        crate::model::Leg::Keep,
        crate::model::Leg::Set("60000".parse().unwrap()),
    );
    scene.outbox.send(TICKET, Command::Exits(exits));
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Order { .. })), "{said:?}");
}

#[tokio::test]
async fn two_commands_for_one_order_never_overlap_and_keep_their_order() {
    let bad = || error("400 Bad Request", "");
    let mut scene = Scene::of(vec![canceled(), bad(), bad()]).await;
    for number in 1..=3 {
        scene
            .outbox
            .send(Ticket(number), Command::Cancel("o-1".into()));
    }
    let mut settled = vec![];
    while settled.len() < 3 {
        if let Msg::Settled(ticket, result) = scene.events.recv().await.unwrap() {
            settled.push((ticket, result.is_ok()));
        }
    }
    let expected = [(Ticket(1), true), (Ticket(2), false), (Ticket(3), false)];
    assert_eq!(settled, expected);
}
