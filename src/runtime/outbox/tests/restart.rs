//! What becomes of commands, and of queued cancels, after a restart: cases 18, 25 and 26 of `tests/faults/cases.rs`.

use super::*;
use crate::{
    api::Request,
    app::activity::notice::Tone,
    client::{
        Timeouts,
        testing::responder::{Reply, Responder, ok},
    },
    journal::{Intent, IntentState, ReplayWindow, StateUpdate},
    model::{ExitBatch, ExitGroup, ExitOperation, FailureKind, ModifyOrder, Timestamp},
};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc::{Receiver, channel, unbounded_channel};

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const HOUR: Duration = Duration::from_hours(1);

struct OutboxContext {
    dir: TempDir,
    responder: Responder,
    outbox: Outbox,
    events: Receiver<Msg>,
}

/// A desk at `now`, a hundred times as fast, on a journal with `commands` in flight since [`NOW`].
async fn after_a_crash(now: Timestamp, commands: &[Command], script: Vec<Reply>) -> OutboxContext {
    let dir = tempfile::tempdir().unwrap();
    let responder = Responder::answering(script).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    for (command, number) in commands.iter().zip(1..) {
        let intent = left_open(command, number, &responder.url, &journal);
        journal.record(NOW, &intent).unwrap();
    }
    drop(journal);
    opened(dir, responder, now)
}

fn left_open(command: &Command, number: u32, url: &str, journal: &Journal) -> Intent {
    let key = format!("key-{number}").into();
    let request = Request::encode(command, key).unwrap();
    Intent {
        base_url: url.to_owned(),
        account_id: "chal-1".into(),
        credential: journal.fingerprint("pd_live_secret").unwrap(),
        method: request.method.to_string(),
        target: request.target,
        body: request.body,
        key: request.key,
        risk: command.risk(),
        command: command.to_string(),
        resource: command.resource().raw().map(str::to_owned),
        parent: None,
        entry: command.entry().cloned(),
        replaces: command.replaces().cloned(),
        deadline: NOW.plus(Duration::from_secs(30)),
        replay_until: ReplayWindow::since(NOW).until(),
    }
}

fn opened(dir: TempDir, responder: Responder, now: Timestamp) -> OutboxContext {
    opened_at(dir, responder, now, Timeouts::divided_by(100))
}

fn opened_at(
    dir: TempDir,
    responder: Responder,
    now: Timestamp,
    timeouts: Timeouts,
) -> OutboxContext {
    let (calls, _) = unbounded_channel();
    let client =
        Client::with_timeouts(responder.connection(), calls, move || now, timeouts).unwrap();
    let (sender, events) = channel(64);
    let place = dir.path().to_owned();
    let open = move || Journal::open(&place);
    OutboxContext {
        outbox: Outbox::spawn(client, Clock::Frozen(now), dir.path(), open, sender),
        dir,
        responder,
        events,
    }
}

impl OutboxContext {
    async fn until(&mut self, is: impl Fn(&Msg) -> bool) -> Msg {
        loop {
            let msg = self.events.recv().await.unwrap();
            if is(&msg) {
                return msg;
            }
        }
    }

    fn methods(&self) -> Vec<String> {
        let seen = self.responder.seen();
        let method = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        seen.iter().map(|seen| method(&seen.line)).collect()
    }

    /// The states of all commands, newest first.
    fn states(&self) -> Vec<IntentState> {
        let journal = Journal::open_read_only(self.dir.path()).unwrap();
        let entries = journal.recent(9).unwrap();
        entries.iter().map(|entry| entry.state).collect()
    }

    /// The journal comes to these states: a desk goes on before a slow disk has written them.
    async fn comes_to(&self, states: &[IntentState]) {
        let written = async {
            while self.states() != states {
                tokio::task::yield_now().await;
            }
        };
        let _late = tokio::time::timeout(Duration::from_secs(20), written).await;
        assert_eq!(self.states(), states);
    }
}

fn empty() -> Reply {
    ok(r#"{"data":[],"has_more":false}"#)
}

fn is_asked(msg: &Msg) -> bool {
    matches!(msg, Msg::Progress(_, crate::model::Progress::Parked { .. }))
}

#[tokio::test]
async fn a_key_too_old_to_be_known_is_not_sent_again_by_desk_or_restart() {
    let command = Command::CloseAll("chal-1".into());
    let mut context = after_a_crash(NOW.plus(HOUR), &[command], vec![empty(), empty()]).await;
    let Msg::Progress(ticket, _) = context.until(is_asked).await else {
        panic!("asked");
    };
    context.outbox.again(ticket);
    let refusal =
        |msg: &Msg| matches!(msg, Msg::Notify(_, text) if text.contains("cannot be sent again"));
    context.until(refusal).await;
    let sent = context.methods();
    assert!(sent.iter().all(|method| method == "GET"), "{sent:?}");
    context.comes_to(&[IntentState::Parked]).await;
}

fn target(price: u32, size: &str) -> ExitOperation {
    ExitOperation::Place {
        group: ExitGroup::Tp,
        execution_type: None,
        price: price.into(),
        size: size.parse().unwrap(),
        oco_pair_with: None,
    }
}

#[tokio::test]
async fn a_batch_of_targets_of_which_one_has_filled_since_is_done_and_not_a_question() {
    let batch = ExitBatch {
        position_id: "pos-1".into(),
        expected_position_size: "0.5".parse().unwrap(),
        expected_orders: vec![],
        operations: vec![target(65_000, "0.3"), target(66_000, "0.2")],
        risk: Risk::Neutral,
        entry: Some("ord-9".into()),
    };
    let row = |id: &str, more: &str| {
        format!(
            r#"{{"id":"{id}","account_id":"chal-1","market_id":"paper|BTC","provider":"paper","symbol":"BTC","coin":"BTC",
            "type":"take_market","mode":"take_market","side":"sell","expected_price":64000,"leverage":1,
            "margin_mode":"cross","reduce_only":true,"requested_at":{},"target_position_id":"pos-1",{more}}}"#,
            NOW.0
        )
    };
    let first = row(
        "o-1",
        r#""size":0.3,"filled_size":0.3,"trigger_price":65000,"triggered_at":1790000001000,"status":"filled""#,
    );
    let second = row(
        "o-2",
        r#""size":0.2,"trigger_price":66000,"status":"resting""#,
    );
    let list = |rows: &str| ok(&format!(r#"{{"data":[{rows}],"has_more":false}}"#));
    let answer = move |seen: &crate::client::testing::responder::Seen| match seen.line.as_str() {
        line if line.contains("/v1/positions/") => ok(
            r#"{"data":{"id":"pos-1","account_id":"chal-1","market_id":"paper|BTC","size":0.2,"side":"long"}}"#,
        ),
        line if line.contains("status=working") => list(&second),
        _ => list(&format!("{second},{first}")),
    };
    let dir = tempfile::tempdir().unwrap();
    let responder = Responder::playing(answer, || ()).await;
    let command = Command::ExitBatch(Box::new(batch));
    let mut journal = Journal::open(dir.path()).unwrap();
    let intent = left_open(&command, 1, &responder.url, &journal);
    journal.record(NOW, &intent).unwrap();
    drop(journal);
    let mut context = opened(dir, responder, NOW.plus(Duration::from_secs(9)));
    let Msg::Resumed(ticket, shown) = context.until(|msg| matches!(msg, Msg::Resumed(..))).await
    else {
        panic!("the desk knows of it");
    };
    assert_eq!(shown.to_string(), command.to_string());
    assert_eq!(shown.entry(), command.entry(), "of the same bracket");
    let Msg::Progress(_, progress) = context.until(|msg| matches!(msg, Msg::Progress(..))).await
    else {
        panic!("it says so");
    };
    assert!(progress.is_unknown(), "no other exit is placed meanwhile");
    let settled = context.until(|msg| matches!(msg, Msg::Settled(..))).await;
    assert!(matches!(settled, Msg::Settled(of, Ok(Receipt::Position(_))) if of == ticket));
    context.comes_to(&[IntentState::Done]).await;
    assert!(context.methods().iter().all(|method| method == "GET"));
}

#[tokio::test]
async fn an_order_in_doubt_that_was_given_before_a_close_all_is_said_to_open_anew() {
    let commands = [super::buy(), Command::CloseAll("chal-1".into())];
    let answer = |seen: &crate::client::testing::responder::Seen| match seen.line.as_str() {
        line if line.starts_with("GET ") => empty(),
        _ => super::closed_all(),
    };
    let dir = tempfile::tempdir().unwrap();
    let responder = Responder::playing(answer, || ()).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    for (command, number) in commands.iter().zip(1_u32..) {
        let intent = left_open(command, number, &responder.url, &journal);
        let at = NOW.plus(Duration::from_secs(number.into()));
        journal.record(at, &intent).unwrap();
    }
    drop(journal);
    let mut context = opened(dir, responder, NOW.plus(Duration::from_secs(9)));
    let said = |msg: &Msg| matches!(msg, Msg::Notify(Tone::Alert, text) if text.contains("sending it again opens a new position"));
    context.until(said).await;
    let outlived = context.until(|msg| matches!(msg, Msg::Outlived(_))).await;
    let Msg::Progress(ticket, _) = context.until(is_asked).await else {
        panic!("asked");
    };
    assert_eq!(outlived, Msg::Outlived(ticket));
}

/// The same, but nothing was sent: the connection was down until the desk died.
async fn with_nothing_left(now: Timestamp, command: &Command, script: Vec<Reply>) -> OutboxContext {
    let dir = tempfile::tempdir().unwrap();
    let responder = Responder::answering(script).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let id = journal.record(NOW, &left_open(command, 1, &responder.url, &journal));
    journal.mark_prepared(id.unwrap()).unwrap();
    drop(journal);
    opened(dir, responder, now)
}

/// The question to the trader, and its text.
async fn asked(context: &mut OutboxContext) -> (Ticket, crate::model::Failure) {
    let msg = context.until(is_asked).await;
    let Msg::Progress(ticket, crate::model::Progress::Parked { why, .. }) = msg else {
        panic!("{msg:?}");
    };
    (ticket, why)
}

#[tokio::test]
async fn a_way_out_that_never_left_is_offered_after_a_restart_and_goes_out_when_the_trader_says_so()
{
    // An hour old: the service no longer keeps the key, so its absence proves nothing.
    let script = vec![empty(), tests::placed()];
    let mut context = with_nothing_left(NOW.plus(HOUR), &tests::close("p-1"), script).await;
    let (ticket, why) = asked(&mut context).await;
    assert!(!why.is_doubtful(), "it surely had no effect: {why}");
    assert_eq!(context.states(), [IntentState::Prepared]);
    assert_eq!(context.methods(), ["GET"], "nothing goes by itself");
    context.outbox.again(ticket);
    let settled = context.until(is_settled).await;
    assert!(matches!(settled, Msg::Settled(_, Ok(_))), "{settled:?}");
    let key = context.responder.seen()[1]
        .header("idempotency-key")
        .map(str::to_owned);
    assert_eq!(key.as_deref(), Some("key-1"), "as it was recorded");
    context.comes_to(&[IntentState::Done]).await;
}

#[tokio::test]
async fn a_way_out_that_never_left_and_is_let_go_is_written_down_as_unsent() {
    for command in [
        tests::close("p-1"),
        Command::CloseAll("chal-1".into()),
        Command::Cancel("o-1".into()),
    ] {
        let mut context = with_nothing_left(NOW, &command, vec![empty()]).await;
        let (ticket, _) = asked(&mut context).await;
        context.outbox.give_up(ticket);
        context.until(is_settled).await;
        assert_eq!(context.methods(), ["GET"], "{command}");
        let journal = Journal::open_read_only(context.dir.path()).unwrap();
        let row = &journal.recent(1).unwrap()[0];
        assert_eq!(
            (row.state, row.maybe_executed),
            (IntentState::Unsent, false)
        );
    }
}

#[tokio::test]
async fn an_order_that_never_left_is_neither_sent_nor_offered_after_a_restart() {
    let mut context = with_nothing_left(NOW, &tests::buy(), vec![empty()]).await;
    let told = |msg: &Msg| matches!(msg, Msg::Notify(_, text) if text.contains("was never sent"));
    context.until(told).await;
    context.comes_to(&[IntentState::Unsent]).await;
    assert_eq!(context.methods(), ["GET"]);
}

#[tokio::test]
async fn after_a_crash_the_older_of_two_changes_is_never_sent_again() {
    let margin = |extra: &str| Command::margin("p-1".into(), extra.parse().unwrap(), None);
    let fifty = || {
        ok(
            r#"{"data":[{"id":"p-1","market_id":"paper|BTC","size":1,"isolated_margin_extra":50}],
            "has_more":false}"#,
        )
    };
    let script = vec![empty(), fifty(), fifty()];
    let context = after_a_crash(NOW, &[margin("100"), margin("50")], script).await;
    context
        .comes_to(&[IntentState::Done, IntentState::Abandoned])
        .await;
    assert_eq!(context.methods(), ["GET", "GET", "GET"]);
}

#[tokio::test]
async fn after_a_crash_an_older_move_is_never_sent_over_a_newer_one_that_was_answered() {
    let at = |price: &str| {
        Command::Modify(ModifyOrder {
            order_id: "o-1".into(),
            price: price.parse().unwrap(),
            size: None,
            risk: Risk::Neutral,
        })
    };
    let newer = ORDER.replacen('{', r#"{"limit_price":61000,"#, 1);
    let responder = Responder::answering(vec![empty(), row(&newer)]).await;
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    for (price, number) in [("60000", 1), ("61000", 2)] {
        let intent = left_open(&at(price), number, &responder.url, &journal);
        let id = journal.record(NOW, &intent).unwrap();
        if number == 2 {
            let done = StateUpdate::new(IntentState::Done, "order o-1 resting");
            journal.record_state(NOW, id, &done).unwrap();
        }
    }
    drop(journal);
    let context = opened(dir, responder, NOW);
    context
        .comes_to(&[IntentState::Done, IntentState::Abandoned])
        .await;
    assert_eq!(context.methods(), ["GET", "GET"]);
}

#[tokio::test]
async fn a_queued_cancel_whose_stop_fires_ends_as_filled_and_not_as_canceled() {
    let queued = ok(r#"{"data":{"id":"o-1","canceled":false,"queued":true}}"#);
    let filled = crate::client::testing::responder::ORDER.replace(r#""resting""#, r#""filled""#);
    let filled = ok(&format!(r#"{{"data":{filled}}}"#));
    let mut context = after_a_crash(NOW, &[], vec![queued, filled]).await;
    context
        .outbox
        .send(Ticket(1), Command::Cancel("o-1".into()));
    let ended = context.until(|msg| matches!(msg, Msg::Ended(..))).await;
    let Msg::Ended(id, Err(why)) = ended else {
        panic!("{ended:?}");
    };
    assert_eq!((id.raw(), why.kind), ("o-1", FailureKind::Conflict));
    assert!(why.message.raw().contains("order o-1 is filled"), "{why}");
    context.comes_to(&[IntentState::Rejected]).await;
}

#[tokio::test]
async fn no_order_slips_out_between_a_restart_and_the_flatten_that_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let responder = Responder::answering(vec![empty()]).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let closing = left_open(
        &Command::CloseAll("chal-1".into()),
        1,
        &responder.url,
        &journal,
    );
    let deed = Intent {
        target: "flatten:chal-1".into(),
        key: None,
        ..closing
    };
    journal.record(NOW, &deed).unwrap();
    drop(journal);
    let (client, _calls) = responder.client();
    // Nobody receives the progress yet.
    let (sender, _unheard) = channel(1);
    let place = dir.path().to_owned();
    let open = move || Journal::open(&place);
    let outbox = Outbox::spawn(client, Clock::Frozen(NOW), dir.path(), open, sender);
    outbox.context.ready().await;
    let refusal = outbox
        .context
        .refusal(&tests::buy(), outbox.context.epoch());
    assert!(refusal.is_some_and(|why| why.message.raw().contains("flattening")));
}

#[tokio::test]
async fn a_desk_that_was_halted_is_halted_still_when_it_is_started_again_until_it_is_rearmed() {
    let dir = tempfile::tempdir().unwrap();
    let responder = Responder::answering(vec![tests::placed(), tests::placed()]).await;
    let journal = Journal::open(dir.path()).unwrap();
    let (here, account) = (responder.url.clone(), "chal-1".into());
    journal.halts().halt(&here, &account, "flattened").unwrap();
    drop(journal);
    let (client, _calls) = responder.client();
    let (sender, events) = channel(64);
    let place = dir.path().to_owned();
    let open = move || Journal::open(&place);
    let mut context = OutboxContext {
        outbox: Outbox::spawn(client, Clock::Frozen(NOW), dir.path(), open, sender),
        dir,
        responder,
        events,
    };
    let halted = Msg::Halted(Some("flattened".to_owned()));
    assert_eq!(context.until(|_| true).await, halted);
    context.outbox.send(Ticket(1), tests::buy());
    let refused = context.until(is_settled).await;
    let Msg::Settled(_, Err(why)) = refused else {
        panic!("{refused:?}");
    };
    assert!(why.to_string().contains("HALTED: flattened"), "{why}");
    context.outbox.send(Ticket(2), tests::close("p-1"));
    assert!(matches!(
        context.until(is_settled).await,
        Msg::Settled(_, Ok(_))
    ));
    context.outbox.rearm();
    context.until(|msg| *msg == Msg::Halted(None)).await;
    context.outbox.send(Ticket(3), tests::buy());
    assert!(matches!(
        context.until(is_settled).await,
        Msg::Settled(_, Ok(_))
    ));
    let OutboxContext { dir, outbox, .. } = context;
    drop(outbox);
    let journal = tests::reopened(&dir).await;
    assert_eq!(journal.halts().of(&here, &account), None);
}

fn is_settled(msg: &Msg) -> bool {
    matches!(msg, Msg::Settled(..))
}

/// A desk whose last session left an order with an unknown outcome. The service answers no read in time, but accepts
/// closes and cancels.
async fn with_doubt_that_lasts(timeouts: Timeouts) -> OutboxContext {
    let dir = tempfile::tempdir().unwrap();
    let answer = |seen: &crate::client::testing::responder::Seen| {
        if seen.line.starts_with("GET ") {
            Reply::Silence
        } else {
            tests::placed()
        }
    };
    let responder = Responder::playing(answer, || ()).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let intent = left_open(&tests::buy(), 1, &responder.url, &journal);
    journal.record(NOW, &intent).unwrap();
    drop(journal);
    opened_at(dir, responder, NOW, timeouts)
}

#[tokio::test]
async fn an_order_behind_the_last_sessions_doubt_is_told_for_what_it_waits_and_refused_in_time() {
    let mut context = with_doubt_that_lasts(Timeouts::divided_by(100)).await;
    context.outbox.send(Ticket(1), tests::buy());
    let told = |msg: &Msg| matches!(msg, Msg::Notify(_, text) if text.contains("the last session"));
    context.until(told).await;
    let Msg::Settled(Ticket(1), Err(why)) = context.until(is_settled).await else {
        panic!("refused");
    };
    assert_eq!(why.kind, FailureKind::Unavailable, "exit code 12");
    assert!(why.message.raw().contains("nothing was sent"), "{why}");
    assert!(context.methods().iter().all(|method| method == "GET"));
}

#[tokio::test]
async fn a_way_out_under_a_key_of_its_own_waits_for_no_doubt_of_the_last_session() {
    // Reads time out after ten seconds each.
    let mut context = with_doubt_that_lasts(Timeouts::default()).await;
    let given = tokio::time::Instant::now();
    let close = tests::close("p-1");
    context.outbox.send_as(Ticket(1), close, "mine".into());
    let Msg::Settled(Ticket(1), result) = context.until(is_settled).await else {
        panic!("settled");
    };
    assert!(result.is_ok(), "{result:?}");
    assert!(given.elapsed() < Duration::from_secs(5));
}
