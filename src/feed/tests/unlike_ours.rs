//! Services that say it in another way than perpdeck's own exchange, or send what cannot be.

use super::*;

/// A stream whose account was sent whole, by these numbers of its last event.
fn told(seq: impl Into<Option<u64>>) -> AccountStream {
    let mut stream = account();
    stream.opened(at(0));
    let mut frames = snapshot(0, &[]);
    frames.pop();
    let end = match seq.into() {
        Some(seq) => json!({"event": "snapshot_end", "seq": seq}),
        None => json!({"event": "snapshot_end"}),
    };
    frames.push(end.to_string());
    take(&mut stream, &frames, &mut None);
    stream
}

fn reconnects(stream: &mut AccountStream) -> String {
    stream.lost();
    let query = stream.query(at(0));
    stream.opened(at(0));
    query
}

fn moved(seq: u64) -> String {
    order_event(seq, &order(1, 99, "resting"))
}

#[test]
fn a_snapshot_without_a_number_is_followed_from_its_first_event() {
    let mut stream = told(None);
    for seq in [40, 41] {
        stream.frame(&moved(seq), at(0));
    }
    assert_eq!((stream.events().len(), stream.end()), (2, None));
    stream.frame(&moved(43), at(0));
    assert_eq!(stream.end(), Some(LinkEnd::Fault("events are missing")));
    assert!(reconnects(&mut stream).starts_with("?resume=st%2F1&last_seq=41"));
}

#[test]
fn messages_that_name_no_account_are_about_that_of_their_rows() {
    let (mut stream, mut picture) = (account(), None);
    stream.opened(at(0));
    let mut foreign = order(2, 98, "resting");
    foreign["account_id"] = json!("other");
    let frames = [
        json!({"event": "hello", "stream_id": "st"}),
        json!({"event": "snapshot", "account": {"id": "other"}, "positions": [], "orders": [foreign]}),
        json!({"event": "snapshot", "account": {"id": "acc"}, "positions": [], "orders": []}),
        json!({"event": "snapshot_end"}),
        json!({"event": "order", "order": foreign, "seq": 1}),
        json!({"event": "order", "order": order(1, 99, "resting"), "seq": 2}),
    ];
    take(
        &mut stream,
        &frames.map(|frame| frame.to_string()),
        &mut picture,
    );
    let shown = [("ord-1".to_owned(), "99".to_owned())];
    assert_eq!(
        (prices(picture.as_ref()), stream.end()),
        (shown.into(), None)
    );
}

#[test]
fn a_message_that_says_what_happened_is_known_by_its_type_or_by_its_row() {
    let (mut stream, mut picture) = (account(), None);
    stream.opened(at(0));
    let filled = order(2, 98, "filled");
    let frames = [
        json!({"type": "hello", "stream_id": "st"}),
        json!({"type": "snapshot", "account": {"id": "acc"}, "positions": [], "orders": [order(2, 98, "resting")]}),
        json!({"type": "snapshot_end", "seq": 0}),
        json!({"type": "order", "event": "created", "order": order(1, 99, "resting"), "seq": 1}),
        json!({"event": "filled", "order": filled, "seq": 2}),
    ];
    take(
        &mut stream,
        &frames.map(|frame| frame.to_string()),
        &mut picture,
    );
    let shown = [("ord-1".to_owned(), "99".to_owned())];
    assert_eq!(
        (prices(picture.as_ref()), stream.end()),
        (shown.into(), None)
    );
}

#[test]
fn a_resume_that_brings_no_event_before_its_fault_is_not_tried_again() {
    let refusal = json!({"event": "error", "code": "resume_failed", "message": "no"}).to_string();
    let cannot_be = json!({"event": "order", "account_id": "acc", "order": {}, "seq": -1});
    let faults = [
        vec![refusal],
        vec![resumed(4), moved(9)],
        vec![resumed(4), cannot_be.to_string()],
    ];
    for frames in faults {
        let mut stream = told(4);
        assert!(reconnects(&mut stream).starts_with("?resume=st%2F1&last_seq=4"));
        for frame in &frames {
            stream.frame(frame, at(0));
        }
        assert!(
            matches!(stream.end(), Some(LinkEnd::Fault(_))),
            "{frames:?}"
        );
        assert_eq!(reconnects(&mut stream), "", "{frames:?}");
    }
}

#[test]
fn a_stream_goes_on_under_another_name_or_a_number_as_its_name() {
    let mut stream = told(4);
    reconnects(&mut stream);
    let hello = json!({"event": "hello", "stream_id": 77, "resumed": true});
    stream.frame(&hello.to_string(), at(0));
    stream.frame(&moved(5), at(0));
    assert!(stream.is_live());
    assert!(reconnects(&mut stream).starts_with("?resume=77&last_seq=5"));
    stream.frame(
        &json!({"event": "hello", "resumed": null}).to_string(),
        at(0),
    );
    assert_eq!(
        (stream.end(), stream.is_live()),
        (None, false),
        "a snapshot follows"
    );
}

#[test]
fn the_last_number_that_there_is_ends_nothing() {
    let mut stream = told(u64::MAX);
    stream.frame(&moved(1), at(0));
    assert_eq!((stream.events().len(), stream.end()), (0, None));
}

#[test]
fn an_account_stream_without_a_message_for_45_seconds_is_dead_although_its_socket_answers() {
    let mut stream = told(4);
    let beat = json!({"event": "heartbeat", "seq": 4}).to_string();
    stream.frame(&beat, at(30_000));
    assert_eq!(stream.due(), Some(at(75_000)));
    stream.pass(at(74_999));
    assert_eq!(stream.end(), None);
    stream.pass(at(75_000));
    assert_eq!(stream.end(), Some(LinkEnd::Fault("it is silent")));
}

#[test]
fn a_subscription_may_be_named_by_a_number() {
    let mut stream = opened(Channel::Book);
    hears(&mut stream, 0, &json!({"op": "sub_ok", "id": 1, "sub": 12}));
    let frame = json!({"op": "events", "sub": 12, "events": [book(100, 101, 1)]});
    hears(&mut stream, 0, &frame);
    assert_eq!(books(&mut stream), [(100, 1)]);
}

#[test]
fn a_book_may_call_itself_anything() {
    let mut stream = subscribed(Channel::Book);
    let (mut named, mut nameless) = (book(100, 101, 1), book(101, 102, 2));
    named["type"] = json!("orderbook");
    nameless.as_object_mut().unwrap().remove("type");
    hears(&mut stream, 0, &events("s1", &[named, nameless]));
    assert_eq!(books(&mut stream), [(100, 1), (101, 2)]);
}

#[test]
fn a_service_that_always_sends_events_before_it_acknowledges_is_asked_twice() {
    let mut stream = opened(Channel::Book);
    let mut asked = vec![];
    for millis in 0..4 {
        let requests = requests(&mut stream, millis);
        asked.push(requests.len());
        for (_, id) in requests.iter().filter(|(op, _)| op == "sub") {
            hears(&mut stream, millis, &events("s", &[book(100, 101, millis)]));
            hears(
                &mut stream,
                millis,
                &json!({"op": "sub_ok", "id": id, "sub": "s"}),
            );
        }
    }
    assert_eq!(asked, [1, 2, 0, 0]);
    hears(&mut stream, 5, &events("s", &[book(100, 101, 5)]));
    assert_eq!(books(&mut stream), [(100, 5)]);
}

#[test]
fn events_of_ended_subscriptions_do_not_hide_an_early_snapshot() {
    let mut stream = subscribed(Channel::Book);
    for n in 0..100 {
        hears(
            &mut stream,
            0,
            &events(&format!("old{n}"), &[book(1, 2, 0)]),
        );
    }
    let both = [Channel::Book, Channel::Trades].map(|channel| Topic::of(channel, market()));
    stream.want(both.into(), at(0));
    hears(&mut stream, 0, &events("s2", &[trade(1, 1)]));
    acknowledge(&mut stream, 0, "s2");
    let again = [("unsub".to_owned(), 2), ("sub".to_owned(), 3)];
    assert_eq!(requests(&mut stream, 0), again);
}

#[test]
fn a_thousand_trades_of_one_instant_take_no_room_for_a_million() {
    let mut stream = subscribed(Channel::Trades);
    let rows: Vec<_> = (1..=1_000).map(|id| trade(id, 7)).collect();
    hears(&mut stream, 0, &events("s1", &rows));
    let told = trades(&mut stream);
    assert_eq!(told.len(), 1_000);
    let follows: Vec<_> = told.iter().map(|(_, follows, _)| *follows).collect();
    assert_eq!((follows[1], follows[150]), (1, 150));
    assert_eq!(follows.iter().max(), Some(&200));
}
