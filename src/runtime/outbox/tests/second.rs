//! A desk whose journal another desk has.

use super::*;
use crate::{
    app::CallerRequest,
    journal::asides,
    runtime::{
        callers::Callers,
        socket::{self, Host},
    },
};

/// Another desk has the journal in `dir`; it does not answer.
fn another(dir: &TempDir) -> Journal {
    let journal = Journal::open(dir.path()).unwrap();
    journal.announce();
    journal
}

/// What is said until it is told anew who has the journal, and who that is.
async fn told(scene: &mut Scene) -> Option<String> {
    loop {
        if let Msg::Second(first) = scene.events.recv().await.unwrap() {
            return first;
        }
    }
}

/// Where every command stands in the first journal beside the one in `dir`.
fn beside(dir: &TempDir) -> Vec<State> {
    let beside = asides(dir.path()).next().unwrap();
    let journal = Journal::open_read_only(&beside).unwrap();
    let rows = journal.recent(9).unwrap();
    rows.into_iter().map(|row| row.state).collect()
}

#[tokio::test]
async fn beside_a_desk_that_does_not_answer_exits_go_out_and_an_order_is_refused_with_its_number() {
    let dir = place();
    let _other = another(&dir);
    let script = vec![canceled(), closed_all(), empty(), empty()];
    let mut scene = Scene::at(dir, Responder::answering(script).await);
    let pid = format!("(process {})", std::process::id());
    scene.outbox.send(Ticket(1), buy());
    let (_, refused) = scene.settled().await;
    let why = refused.unwrap_err().to_string();
    assert!(why.contains(&pid) && why.contains("trade there"), "{why}");
    for (number, exit) in [
        (2, Command::Cancel("o-1".into())),
        (3, Command::CloseAll("chal-1".into())),
    ] {
        scene.outbox.send(Ticket(number), exit);
        let (msgs, result) = scene.settled().await;
        assert!(result.is_ok(), "{result:?}");
        assert!(said(&msgs).contains("does not answer"), "{msgs:?}");
    }
    assert_eq!(methods(&scene)[..2], ["DELETE", "POST"]);
    assert!(scene.outbox.is_written().await);
    assert_eq!(beside(&scene.dir), [State::Done, State::Done]);
}

#[tokio::test]
async fn a_flatten_beside_a_desk_that_does_not_answer_is_halted_still_when_it_takes_over() {
    let dir = place();
    let other = another(&dir);
    let answer = |seen: &crate::client::testing::responder::Seen| {
        if seen.line.starts_with("GET ") {
            empty()
        } else {
            closed_all()
        }
    };
    let responder = Responder::playing(answer, || ()).await;
    let mut scene = Scene::hurried_at(dir, responder, 100);
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (_, flat) = scene.settled().await;
    assert!(matches!(flat, Ok(Receipt::Flat(_))), "{flat:?}");
    drop(other);
    let halted = Msg::Halted(Some("it was flattened".to_owned()));
    while scene.events.recv().await.unwrap() != halted {}
}

#[tokio::test]
async fn when_the_other_desk_is_gone_this_one_takes_the_journal_and_goes_on_with_what_was_open() {
    let dir = place();
    let answer = |seen: &crate::client::testing::responder::Seen| match seen.line.as_str() {
        line if line.starts_with("GET ") => empty(),
        line if line.contains("close-all") => closed_all(),
        _ => placed(),
    };
    let responder = Responder::playing(answer, || ()).await;
    let mut other = another(&dir);
    let left = intent(&Command::CloseAll("chal-1".into()), &responder.url, &other);
    other.record(NOW, &left).unwrap();
    let mut scene = Scene::at(dir, responder);
    assert!(told(&mut scene).await.is_some());
    assert_eq!(methods(&scene), Vec::<String>::new());
    drop(other);
    let (msgs, resumed) = scene.settled().await;
    assert!(matches!(resumed, Ok(Receipt::CloseAll(_))), "{resumed:?}");
    assert!(msgs.contains(&Msg::Second(None)), "{msgs:?}");
    let sent = scene.responder.seen().into_iter();
    let keys: Vec<_> = sent
        .filter_map(|seen| seen.header("idempotency-key").map(str::to_owned))
        .collect();
    assert_eq!(keys, ["key-1"], "its own");
    scene.outbox.send(TICKET, buy());
    let (_, bought) = scene.settled().await;
    assert!(bought.is_ok(), "{bought:?}");
    let states = entries(scene).await.into_iter().map(|entry| entry.state);
    assert_eq!(states.collect::<Vec<_>>(), [State::Done, State::Done]);
}

#[tokio::test]
async fn what_was_begun_beside_the_journal_is_settled_where_it_was_begun() {
    let dir = place();
    let mut other = another(&dir);
    let responder = Responder::answering(vec![error("302 Found", ""), empty()]).await;
    let first = intent(&buy(), &responder.url, &other);
    let row = other.record(NOW, &first).unwrap();
    other
        .set_standing(
            NOW,
            row,
            &crate::journal::Standing::new(State::Rejected, "so"),
        )
        .unwrap();
    let mut scene = Scene::at(dir, responder);
    assert!(told(&mut scene).await.is_some());
    scene.outbox.send(TICKET, close("p-1"));
    parked(&mut scene).await;
    drop(other);
    assert_eq!(told(&mut scene).await, None);
    scene.outbox.give_up(TICKET);
    scene.settled().await.1.unwrap_err();
    assert!(scene.outbox.is_written().await);
    assert_eq!(beside(&scene.dir), [State::Abandoned]);
    let states = entries(scene).await.into_iter().map(|entry| entry.state);
    assert_eq!(states.collect::<Vec<_>>(), [State::Rejected]);
}

#[tokio::test]
async fn a_desk_that_answers_sends_what_the_second_one_is_told_to() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::at(dir, Responder::answering(vec![]).await);
    let (inbox, mut asked) = channel(4);
    let callers = Callers::default();
    let host = Host {
        client: scene.outbox.desk.client.clone(),
        callers: callers.clone(),
        inbox,
    };
    let door = scene.dir.path().to_owned();
    tokio::spawn(socket::receive(vec![host], door));
    assert!(told(&mut scene).await.is_some());
    while socket::call(scene.dir.path()).await.is_none() {}
    scene.outbox.send(TICKET, Command::Cancel("o-1".into()));
    let Some(Msg::Asked(caller, wish)) = asked.recv().await else {
        panic!("asked");
    };
    let CallerRequest::Send { command, .. } = wish else {
        panic!("one command");
    };
    assert_eq!(command, Command::Cancel("o-1".into()));
    callers.attend(caller, Ticket(9));
    callers.hear(&Msg::Progress(Ticket(9), Progress::Sending { attempt: 1 }));
    let receipt = Receipt::AlreadySo("canceled there".into());
    callers.hear(&Msg::Settled(Ticket(9), Ok(receipt.clone())));
    let (msgs, end) = scene.settled().await;
    assert_eq!(end, Ok(receipt));
    let sending = Msg::Progress(TICKET, Progress::Sending { attempt: 1 });
    assert!(msgs.contains(&sending), "{msgs:?}");
    assert_eq!(scene.responder.seen(), [], "nothing leaves from here");
}
