//! A disk that fails, is full or hangs: new orders are refused, closes and cancels are sent.

use super::*;

#[tokio::test]
async fn a_disk_that_breaks_at_any_write_lets_no_order_out_after_it_and_every_exit() {
    // An order takes three writes: the intent, its attempt and its outcome.
    for writes in 0..=6 {
        let script = (0..9).map(|_| placed()).collect();
        let mut scene = hurt(script, move |journal| journal.break_disk_after(writes)).await;
        let mut out = 0;
        for number in 1..=4 {
            scene.outbox.send(Ticket(number), buy());
            out += u32::from(scene.settled().await.1.is_ok());
        }
        assert_eq!(out, writes.div_ceil(3), "after {writes} writes");
        assert_eq!(methods(&scene).len(), usize::try_from(out).unwrap());
        scene.outbox.send(Ticket(5), close("p-1"));
        let (msgs, result) = scene.settled().await;
        assert!(result.is_ok(), "{result:?}");
        let seen = scene.responder.seen();
        let key = seen.last().unwrap().header("idempotency-key").unwrap();
        let words = said(&msgs);
        assert!(
            words.contains("sent without the journal") && words.contains(key),
            "{words}"
        );
    }
}

#[tokio::test]
async fn when_the_state_dir_is_deleted_no_order_leaves_and_every_exit_does() {
    let mut scene = hurt(vec![placed(), placed()], |_| ()).await;
    scene.outbox.send(Ticket(1), buy());
    assert!(scene.settled().await.1.is_ok());
    std::fs::remove_dir_all(scene.dir.path()).unwrap();
    scene.outbox.send(Ticket(2), buy());
    let (msgs, result) = scene.settled().await;
    assert_eq!(result.unwrap_err().kind, FailureKind::Local);
    let words = said(&msgs);
    let is_told = words.contains("was deleted while perpdeck used it")
        && words.contains("New orders are refused; closing and canceling still work");
    assert!(is_told, "{words}");
    scene.outbox.send(Ticket(3), close("p-1"));
    let (msgs, result) = scene.settled().await;
    assert!(result.is_ok(), "{result:?}");
    assert!(said(&msgs).contains("sent without the journal"));
    assert_eq!(
        scene.responder.seen().len(),
        2,
        "the first order and the close"
    );
}

#[tokio::test]
async fn on_a_full_disk_no_order_leaves_and_everything_is_closed_and_recorded() {
    let mut scene = hurt(vec![closed_all(), empty(), empty()], |journal| {
        journal.fill_disk();
    })
    .await;
    scene.outbox.send(Ticket(1), buy());
    let (msgs, result) = scene.settled().await;
    assert_eq!(result.unwrap_err().kind, FailureKind::Local);
    let held = said(&msgs);
    assert!(
        held.contains("full") && held.contains("New orders are refused"),
        "{held}"
    );
    let close_all = Command::CloseAll("chal-1".into());
    scene.outbox.send(Ticket(2), close_all);
    let result = scene.settled().await.1;
    assert!(matches!(result, Ok(Receipt::CloseAll(_))), "{result:?}");
    let key = scene.responder.seen()[0]
        .header("idempotency-key")
        .map(IdempotencyKey::from);
    let [known] = entries(scene).await.try_into().unwrap();
    assert_eq!((known.intent.key, known.state), (key, IntentState::Done));
}

#[tokio::test]
async fn a_desk_started_without_room_for_a_journal_is_halted_as_before_and_closes_all() {
    let dir = place();
    let responder = Responder::answering(vec![closed_all(), empty(), empty()]).await;
    let account = "chal-1".into();
    let before = Journal::open(dir.path()).unwrap();
    before
        .halts()
        .halt(&responder.url, &account, "flattened")
        .unwrap();
    drop(before);
    let (client, _calls) = responder.client();
    let (sender, events) = channel(64);
    let place = dir.path().to_owned();
    let open = move || Journal::open_without_room(&place);
    let mut scene = Scene {
        outbox: Outbox::spawn(client, Clock::Frozen(NOW), dir.path(), open, sender),
        dir,
        responder,
        events,
    };
    scene.outbox.send(TICKET, buy());
    let (msgs, result) = scene.settled().await;
    let why = result.unwrap_err().to_string();
    assert!(why.contains("HALTED: flattened"), "{why}");
    assert!(said(&msgs).contains("is full"), "{}", said(&msgs));
    scene.outbox.send(Ticket(2), Command::CloseAll(account));
    let (msgs, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::CloseAll(_))), "{result:?}");
    let seen = scene.responder.seen();
    assert!(said(&msgs).contains(seen[0].header("idempotency-key").unwrap()));
}

#[tokio::test]
async fn an_order_decided_before_the_disk_hung_is_not_placed_when_the_disk_comes_back() {
    let responder = Responder::answering(vec![placed()]).await;
    let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
    // The timeout of thirty seconds becomes thirty milliseconds.
    let timeouts = Timeouts::divided_by(1_000);
    let client = Client::with_timeouts(responder.connection(), calls, || NOW, timeouts).unwrap();
    let (dir, clock) = (place(), Clock::start());
    let (sender, events) = channel(64);
    let place = dir.path().to_owned();
    let open = move || Journal::open(&place);
    let mut scene = Scene {
        outbox: Outbox::spawn(client, clock, dir.path(), open, sender),
        dir,
        responder,
        events,
    };
    scene.outbox.context.ready().await;
    let (_never, hang) = std::sync::mpsc::channel::<()>();
    let hangs = scene.outbox.context.writer.ask(move |_| {
        let _back = hang.recv_timeout(Duration::from_millis(100));
        Ok(())
    });
    scene.outbox.send(TICKET, buy());
    let why = scene.settled().await.1.unwrap_err();
    assert!(hangs.await.unwrap().is_ok());
    assert!(why.to_string().contains("its deadline has passed"), "{why}");
    assert_eq!(scene.responder.seen(), []);
    let [entry] = entries(scene).await.try_into().unwrap();
    assert_eq!(
        (entry.state, entry.maybe_executed),
        (IntentState::Unsent, false)
    );
}

#[tokio::test]
async fn a_disk_that_hangs_holds_an_exit_for_a_moment_and_the_next_one_not_at_all() {
    let (go_on, hang) = std::sync::mpsc::channel::<()>();
    let mut scene = hurt(vec![canceled(), canceled(), canceled()], move |_| {
        let _over = hang.recv();
    })
    .await;
    let start = Instant::now();
    for (number, most) in [(1, 250), (2, 50)] {
        let before = start.elapsed();
        scene
            .outbox
            .send(Ticket(number), Command::Cancel("o-1".into()));
        let sends = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Sending { .. }));
        while !sends(&scene.events.recv().await.unwrap()) {}
        let took = start.elapsed().saturating_sub(before).as_millis();
        assert!(took < most, "cancel {number} left after {took} ms");
        scene.settled().await.1.unwrap();
    }
    drop(go_on);
}
