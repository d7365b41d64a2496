//! A dry run: every command ends as the request it would have been, and nothing else happens.

use super::*;
use crate::{
    app::Effect,
    model::{Exits, Leg},
};

struct Rehearsal {
    dir: TempDir,
    responder: Responder,
    client: Client,
    sink: CommandSink,
    events: Receiver<Msg>,
}

impl Rehearsal {
    async fn of(script: Vec<Reply>) -> Self {
        Self::at(place(), Responder::answering(script).await)
    }

    fn at(dir: TempDir, responder: Responder) -> Self {
        let mut connection = responder.connection();
        connection.dry_run = true;
        let (client, _calls) = crate::client::testing::responder::client(connection);
        let (sender, events) = channel(64);
        let dry_run = DryRunOutbox::begin(client.clone(), dir.path().to_owned(), sender);
        Self {
            dir,
            responder,
            client,
            sink: CommandSink::Tells(dry_run),
            events,
        }
    }

    async fn hear(&mut self) -> Msg {
        self.events.recv().await.unwrap()
    }

    async fn introduced(&mut self) -> String {
        let Msg::Notify(_, words) = self.hear().await else {
            panic!("introduced first");
        };
        words
    }

    /// The outcome: it was not sent, and which request it was.
    async fn told(&mut self, command: Command) -> String {
        self.sink.send(TICKET, command);
        let Msg::Settled(TICKET, Err(why)) = self.hear().await else {
            panic!("one end, and no good one");
        };
        assert_eq!(
            (why.kind, why.proves),
            (FailureKind::DryRun, crate::model::Proof::Unsent)
        );
        assert!(!why.to_string().contains("pd_live_secret"), "{why}");
        why.to_string()
    }
}

fn every_kind() -> Vec<(Command, &'static str)> {
    let exits = Exits {
        order_id: "o-1".into(),
        take_profit: Leg::Remove,
        stop_loss: Leg::Keep,
        risk: Risk::Neutral,
    };
    let margin = Command::Margin {
        position_id: "p-1".into(),
        extra: "200".parse().unwrap(),
        risk: Risk::Increasing,
    };
    vec![
        (buy(), "POST /v1/orders {\""),
        (close("p-1"), "POST /v1/positions/p-1/close {\""),
        (Command::Cancel("o-1".into()), "DELETE /v1/orders/o-1"),
        (Command::Unprotect("o-1".into()), "DELETE /v1/orders/o-1"),
        (
            Command::Exits(exits),
            "PUT /v1/orders/o-1/attached-exits {\"take_profit_price\":null}",
        ),
        (
            margin,
            "PUT /v1/positions/p-1/isolated-margin {\"extra_margin\":200}",
        ),
        (
            Command::StopTwap("t-1".into()),
            "DELETE /v1/twap-orders/t-1",
        ),
        (
            Command::CancelScaled("s-1".into()),
            "DELETE /v1/scaled-orders/s-1",
        ),
        (
            Command::CloseAll("chal-1".into()),
            "POST /v1/accounts/chal-1/close-all-positions",
        ),
    ]
}

#[tokio::test]
async fn each_command_is_told_as_the_request_it_would_have_been_and_no_journal_begins() {
    let mut rehearsal = Rehearsal::of(vec![]).await;
    assert_eq!(
        rehearsal.introduced().await,
        "DRY RUN: nothing is sent or journaled; each command that would be is listed here"
    );
    for (command, request) in every_kind() {
        let told = rehearsal.told(command.clone()).await;
        let expected = format!("dry run: not sent: {request}");
        assert!(told.starts_with(&expected), "{command}: {told}");
    }
    // Decisions of a person do nothing.
    for effect in [
        Effect::Resend(TICKET),
        Effect::GiveUp(TICKET),
        Effect::Rearm,
    ] {
        rehearsal.sink.decide(&effect);
    }
    assert_eq!(rehearsal.responder.seen().len(), 0, "not even a read");
    assert_eq!(std::fs::read_dir(rehearsal.dir.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_flatten_tells_what_it_would_send_and_never_that_anything_is_flat() {
    let part = |seen: &crate::client::testing::responder::Seen| {
        if seen.line.contains("/v1/orders") {
            ok(&format!(r#"{{"data":[{ORDER}],"has_more":false}}"#))
        } else if seen.line.contains("/v1/twap-orders") {
            ok(r#"{"data":[{"id":"t-1","account_id":"chal-1","market_id":"paper|BTC"}]}"#)
        } else {
            empty()
        }
    };
    let responder = Responder::playing(part, || ()).await;
    let mut rehearsal = Rehearsal::at(place(), responder);
    rehearsal.introduced().await;
    assert_eq!(
        rehearsal.told(Command::Flatten("chal-1".into())).await,
        "dry run: not sent: POST /v1/accounts/chal-1/close-all-positions · DELETE /v1/twap-orders/t-1 · \
         DELETE /v1/orders/o-1"
    );
    let seen = rehearsal.responder.seen();
    assert!(seen.iter().all(|seen| seen.line.starts_with("GET ")));
}

#[tokio::test]
async fn a_flatten_that_cannot_read_everything_says_what_is_not_known() {
    let script = (0..12).map(|_| broken()).collect();
    let mut rehearsal = Rehearsal::of(script).await;
    rehearsal.introduced().await;
    let told = rehearsal.told(Command::Flatten("chal-1".into())).await;
    let words = "POST /v1/accounts/chal-1/close-all-positions · the rest could not be read: ";
    assert!(told.contains(words), "{told}");
}

#[tokio::test]
async fn what_an_earlier_session_left_open_is_counted_and_left_alone() {
    let dir = place();
    let responder = Responder::answering(vec![]).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    for command in [close("p-1"), buy()] {
        let mut left = intent(&command, &responder.url, &journal);
        left.key = Some(format!("key of {command}").into());
        journal.record(NOW, &left).unwrap();
    }
    drop(journal);
    let mut rehearsal = Rehearsal::at(dir, responder);
    assert_eq!(
        rehearsal.introduced().await,
        "DRY RUN: nothing is sent or journaled; each command that would be is listed here; 2 open commands of an \
         earlier session are not continued"
    );
    assert_eq!(rehearsal.responder.seen().len(), 0);
    // The journal is free and unchanged.
    let journal = Journal::open(rehearsal.dir.path()).unwrap();
    assert_eq!(journal.open_intents().unwrap().len(), 2);
}

#[tokio::test]
async fn the_client_of_a_dry_run_sends_no_change_whoever_asks_it_to() {
    let rehearsal = Rehearsal::of(vec![]).await;
    for (command, _) in every_kind() {
        let request = crate::api::Request::encode(&command, "key-1".into()).unwrap();
        let attempt = rehearsal
            .client
            .send(&request, command.facts().mutation)
            .await;
        let not_sent = Attempt::NotSent(Failure::dry_run(request.to_string()));
        assert_eq!(attempt, not_sent);
    }
    assert_eq!(rehearsal.responder.seen().len(), 0);
}
