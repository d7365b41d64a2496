//! The first byte of every close, cancel, close-all and flatten reaches the service within 250 ms, whatever else is
//! wrong.

use super::*;
use crate::client::{RequestClass, testing::responder::Seen};
use std::sync::atomic::{AtomicBool, Ordering};

const MOST: Duration = Duration::from_millis(250);
const CLOSE: &str = "POST /v1/positions/p-1/close ";
const CANCEL: &str = "DELETE /v1/orders/o-1 ";
const CLOSE_ALL: &str = "POST /v1/accounts/chal-1/close-all-positions ";

/// When each request's first byte arrived, in the order of [`Responder::seen`].
type Arrivals = Arc<Mutex<Vec<Instant>>>;

/// A service that never answers orders, and everything else at once.
fn answer(seen: &Seen) -> Reply {
    let line = seen.line.as_str();
    if line.starts_with("POST /v1/orders ") {
        Reply::Silence
    } else if line.starts_with(CLOSE) {
        placed()
    } else if line.starts_with(CANCEL) {
        canceled()
    } else if line.starts_with(CLOSE_ALL) {
        closed_all()
    } else {
        empty()
    }
}

async fn timed(
    part: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    hurt: impl FnOnce(&mut Journal) + Send + 'static,
) -> (Scene, Arrivals) {
    let arrivals = Arrivals::default();
    let noted = Arc::clone(&arrivals);
    let note = move || noted.lock().unwrap().push(Instant::now());
    let responder = Responder::playing(part, note).await;
    let (client, _calls) = responder.client();
    let dir = place();
    (Scene::on(dir, responder, client, hurt), arrivals)
}

/// Given on the desk.
async fn assert_all_leave_in_time(timed: (Scene, Arrivals)) {
    assert_given_leave_in_time(timed, Outbox::send).await;
}

/// Given on the command line, which chooses the keys; a flatten has none.
async fn assert_verbs_leave_in_time(timed: (Scene, Arrivals)) {
    let send = |outbox: &mut Outbox, ticket: Ticket, command| {
        if let Command::Flatten(_) = command {
            return outbox.send(ticket, command);
        }
        outbox.send_as(ticket, command, format!("key-{}", ticket.0).into());
    };
    assert_given_leave_in_time(timed, send).await;
}

/// Gives a close, a cancel, a close-all and a flatten at once, and measures each.
async fn assert_given_leave_in_time(
    (mut scene, arrivals): (Scene, Arrivals),
    send: impl Fn(&mut Outbox, Ticket, Command),
) {
    let exits = [
        close("p-1"),
        Command::Cancel("o-1".into()),
        Command::CloseAll("chal-1".into()),
        Command::Flatten("chal-1".into()),
    ];
    let given = Instant::now();
    for (number, command) in (1_000..).zip(exits) {
        send(&mut scene.outbox, Ticket(number), command);
    }
    // The flatten's close-all looks like that of `X`, with another key.
    for (line, count) in [(CLOSE, 1), (CANCEL, 1), (CLOSE_ALL, 2)] {
        let took = loop {
            let took = times(&scene, &arrivals, line, given);
            if took.len() == count {
                break took;
            }
            // A message follows every arrival.
            scene.events.recv().await.unwrap();
        };
        assert!(took.iter().all(|took| *took < MOST), "{line}: {took:?}");
        tell(line, &took);
    }
}

#[expect(
    clippy::print_stderr,
    reason = "the figures of docs/verification.md come from here"
)]
fn tell(line: &str, took: &[Duration]) {
    let name = std::thread::current().name().map(str::to_owned);
    let name = name.unwrap_or_default();
    let trouble = name.rsplit("::").next().unwrap_or_default();
    eprintln!("{trouble}: {line}first byte after {took:?}");
}

fn times(scene: &Scene, arrivals: &Arrivals, line: &str, given: Instant) -> Vec<Duration> {
    let at = arrivals.lock().unwrap();
    let seen = scene.responder.seen();
    let of_line = seen
        .iter()
        .zip(at.iter())
        .filter(|(seen, _)| seen.line.starts_with(line));
    of_line
        .map(|(_, at)| at.saturating_duration_since(given))
        .collect()
}

#[tokio::test]
async fn with_a_disk_that_hangs() {
    let (go_on, hang) = std::sync::mpsc::channel::<()>();
    let scene = timed(answer, move |_| {
        let _over = hang.recv();
    });
    assert_all_leave_in_time(scene.await).await;
    drop(go_on);
}

#[tokio::test]
async fn with_a_disk_that_hangs_from_the_command_line_too() {
    let (go_on, hang) = std::sync::mpsc::channel::<()>();
    let scene = timed(answer, move |_| {
        let _over = hang.recv();
    });
    assert_verbs_leave_in_time(scene.await).await;
    drop(go_on);
}

#[tokio::test]
async fn with_the_budget_spent() {
    let first = AtomicBool::new(true);
    let part = move |seen: &Seen| {
        if first.swap(false, Ordering::Relaxed) {
            error("429 Too Many Requests", "retry-after: 1\r\n")
        } else {
            answer(seen)
        }
    };
    let (scene, arrivals) = timed(part, |_| ()).await;
    let client = scene.outbox.context.client.clone();
    client.open_positions().await.unwrap_err();
    tokio::time::sleep(client.pause_left()).await;
    assert!(!client.for_class(RequestClass::Entry).wait().is_zero());
    assert_all_leave_in_time((scene, arrivals)).await;
}

#[tokio::test]
async fn behind_many_orders_that_nobody_answers() {
    let (mut scene, arrivals) = timed(answer, |_| ()).await;
    for number in 1..=60 {
        scene.outbox.send(Ticket(number), buy());
    }
    let sends = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Sending { .. }));
    while !sends(&scene.events.recv().await.unwrap()) {}
    assert_all_leave_in_time((scene, arrivals)).await;
}

#[tokio::test]
async fn behind_many_orders_that_wait_for_a_disk_that_hangs() {
    let (go_on, hang) = std::sync::mpsc::channel::<()>();
    let (mut scene, arrivals) = timed(answer, move |_| {
        let _over = hang.recv();
    })
    .await;
    for number in 1..=60 {
        scene.outbox.send(Ticket(number), buy());
    }
    assert_all_leave_in_time((scene, arrivals)).await;
    drop(go_on);
}
