//! The client against real sockets: what a service can do to it, and what it reports.

use super::{
    Attempt, Mutation, ReconcileOutcome, RequestClass,
    testing::responder::{ORDER, Reply, Responder, client, connection, error, json, ok},
};
use crate::{
    api::Request,
    model::{Call, Command, Cursor, Failure, FailureKind, Market, OrderStatus, Receipt, Timestamp},
};
use std::{collections::BTreeSet, time::Duration};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn orders(rows: &[&str], rest: &str) -> Reply {
    ok(&format!(r#"{{"data":[{}]{rest}}}"#, rows.join(",")))
}

fn order(id: &str, status: &str) -> String {
    ORDER.replace("o-1", id).replace("resting", status)
}

fn request(command: &Command) -> Request {
    Request::encode(command, "key-1".into()).unwrap()
}

async fn send(reply: Reply, command: Command) -> (Attempt, Vec<super::testing::responder::Seen>) {
    let responder = Responder::answering(vec![reply]).await;
    let (client, _calls) = responder.client();
    let attempt = client
        .send(&request(&command), command.facts().mutation)
        .await;
    (attempt, responder.seen())
}

async fn read(reply: Reply) -> Failure {
    let responder = Responder::answering(vec![reply]).await;
    let (client, _calls) = responder.client();
    client.open_positions().await.unwrap_err()
}

#[tokio::test]
async fn an_answer_about_an_order_of_another_name_does_not_say_that_ours_was_placed() {
    let answer = |name: &str| ok(&format!(r#"{{"data":{}}}"#, named(ORDER, name)));
    let close = Command::Close(crate::model::ClosePosition::market("p".into()));
    let (other, _) = send(answer("key-2"), close.clone()).await;
    assert!(matches!(other, Attempt::Doubtful(_)), "{other:?}");
    let (own, _) = send(answer("key-1"), close).await;
    assert!(matches!(own, Attempt::Done(_)), "{own:?}");
}

#[tokio::test]
async fn a_request_carries_the_key_of_the_service_and_nothing_it_should_not() {
    let responder = Responder::answering(vec![orders(&[], r#","has_more":false"#)]).await;
    let (client, mut calls) = responder.client();
    client.working_orders().await.unwrap();
    let seen = &responder.seen()[0];
    assert_eq!(
        seen.line,
        "GET /v1/orders?account_id=chal-1&status=working&limit=100 HTTP/1.1"
    );
    assert_eq!(seen.header("authorization"), Some("Bearer pd_live_secret"));
    assert!(seen.header("user-agent").unwrap().starts_with("perpdeck/"));
    assert_eq!(seen.header("idempotency-key"), None);
    let call = calls.recv().await.unwrap();
    let expected = Call {
        at: Timestamp(1_790_000_000_000),
        method: "GET",
        target: "/v1/orders?account_id=chal-1&status=working&limit=100".into(),
        outcome: Ok(200),
        elapsed: call.elapsed,
        request_id: None,
        pause: None,
        date: None,
        budget: None,
    };
    assert_eq!(call, expected);
    assert!(!format!("{client:?}{call:?}").contains("secret"));
}

#[tokio::test]
async fn working_orders_are_walked_over_every_page_and_each_is_taken_once() {
    let (a, b, c) = (
        order("a", "resting"),
        order("b", "pending"),
        order("c", "resting"),
    );
    let responder = Responder::answering(vec![
        orders(&[&a, &b], r#","has_more":true,"next_cursor":"p/2""#),
        orders(&[&b, &c], r#","has_more":false,"next_cursor":null"#),
    ])
    .await;
    let (client, _calls) = responder.client();
    let page = client.working_orders().await.unwrap();
    let ids: Vec<_> = page.rows.iter().map(|order| order.id.raw()).collect();
    assert_eq!((ids, page.incomplete), (vec!["a", "b", "c"], false));
    assert!(responder.seen()[1].line.contains("cursor=p%2F2"));
}

#[tokio::test]
async fn a_list_that_loses_its_place_is_shown_as_incomplete_not_as_all_there_is() {
    let a = order("a", "resting");
    let more = |cursor: &str| orders(&[&a], &format!(r#","has_more":true{cursor}"#));
    let too_long = format!(r#","next_cursor":"{}""#, "x".repeat(1025));
    let scripts = [
        vec![more("")],
        vec![more(r#","next_cursor":"""#)],
        vec![more(&too_long)],
        vec![
            more(r#","next_cursor":"p2""#),
            more(r#","next_cursor":"p2""#),
        ],
        vec![
            more(r#","next_cursor":"p2""#),
            more(r#","next_cursor":"p3""#),
            more(r#","next_cursor":"p2""#),
        ],
    ];
    for (index, script) in scripts.into_iter().enumerate() {
        let responder = Responder::answering(script).await;
        let (client, _calls) = responder.client();
        let page = client.working_orders().await.unwrap();
        assert_eq!((page.rows.len(), page.incomplete), (1, true), "{index}");
    }
}

#[tokio::test]
async fn a_service_that_ignores_the_filter_shows_no_finished_order_as_working_and_hides_no_unknown_one()
 {
    let rows = [
        order("a", "filled"),
        order("b", "resting"),
        order("c", "canceled"),
        order("d", "amended"),
    ];
    let rows: Vec<_> = rows.iter().map(String::as_str).collect();
    let responder = Responder::answering(vec![orders(&rows, "")]).await;
    let (client, _calls) = responder.client();
    let page = client.working_orders().await.unwrap();
    let ids: Vec<_> = page.rows.iter().map(|order| order.id.raw()).collect();
    assert_eq!(ids, ["b", "d"]);
}

#[tokio::test]
async fn one_bad_row_is_named_and_the_others_are_shown() {
    let bad = order("b", "resting").replace("0.10", "\"much\"");
    let responder = Responder::answering(vec![orders(&[&order("a", "amended"), &bad], "")]).await;
    let (client, _calls) = responder.client();
    let page = client.orders(None).await.unwrap();
    assert_eq!(page.rows[0].status.to_string(), "amended");
    assert!(!page.rows[0].is_working());
    assert_eq!(page.rows.len(), 1);
    let [why] = page.unreadable.as_slice() else {
        panic!("{page:?}");
    };
    assert!(
        why.to_string().starts_with("data[1].size: not a number"),
        "{why}"
    );
}

#[tokio::test]
async fn history_is_read_page_by_page() {
    let responder = Responder::answering(vec![orders(
        &[&order("a", "filled")],
        r#","has_more":true,"next_cursor":"p3""#,
    )])
    .await;
    let (client, _calls) = responder.client();
    let asked = Cursor::from("p2".to_owned());
    let page = client.orders(Some(asked)).await.unwrap();
    assert_eq!(page.next, Some(Cursor::from("p3".to_owned())));
    let line = &responder.seen()[0].line;
    assert_eq!(
        line,
        "GET /v1/orders?account_id=chal-1&limit=50&cursor=p2 HTTP/1.1"
    );
}

const POSITION: &str =
    r#"{"id":"p","market_id":"x|BTC","size":1,"entry_price":100,"liquidation_price":130}"#;

#[tokio::test]
async fn open_positions_are_never_shown_as_closed_ones() {
    let closed = POSITION.replace(r#""id":"p""#, r#""id":"q","closed_at":1790000000000"#);
    let responder =
        Responder::answering(vec![ok(&format!(r#"{{"data":[{POSITION},{closed}]}}"#))]).await;
    let (client, _calls) = responder.client();
    let page = client.closed_positions(None).await.unwrap();
    let ids: Vec<_> = page.rows.iter().map(|row| row.id.raw()).collect();
    assert_eq!((ids, page.incomplete), (vec!["q"], true));
}

#[tokio::test]
async fn every_error_status_has_its_word() {
    let cases = [
        ("400 Bad Request", FailureKind::Invalid),
        ("401 Unauthorized", FailureKind::Auth),
        ("404 Not Found", FailureKind::NotFound),
        ("409 Conflict", FailureKind::Conflict),
        ("500 Internal Server Error", FailureKind::Unavailable),
        ("503 Service Unavailable", FailureKind::Unavailable),
    ];
    for (status, kind) in cases {
        let failure = read(error(status, "")).await;
        let expected = Failure {
            status: status[..3].parse().ok(),
            code: Some("c".into()),
            request_id: Some("5f3c1c1e-9a54-4a52-8f50-0d2b7b9a8c11".into()),
            ..Failure::new(kind, "says no")
        };
        assert_eq!(failure, expected);
    }
}

#[tokio::test]
async fn a_429_pauses_everything_sent_with_the_key() {
    let reply = error("429 Too Many Requests", "retry-after: 7\r\n");
    let responder = Responder::answering(vec![reply]).await;
    let (client, mut calls) = responder.client();
    assert_eq!(client.pause_left(), Duration::ZERO);
    let failure = client.open_positions().await.unwrap_err();
    assert_eq!(failure.retry_after, Some(Duration::from_secs(7)));
    let left = client.clone().pause_left();
    assert!(left > Duration::from_secs(6) && left <= Duration::from_secs(7));
    let call = calls.recv().await.unwrap();
    assert_eq!(call.outcome, Ok(429));
    assert_eq!(call.request_id, failure.request_id);
    assert!(
        call.pause >= Some(left),
        "reads wait until the budget has room: {call:?}"
    );
}

#[tokio::test]
async fn a_429_by_a_trading_rule_holds_back_that_order_and_nothing_else_of_the_key() {
    let cooldown = |rest: &str| {
        let body = format!(r#"{{"error":{{"code":"order_cooldown","message":"too soon"{rest}}}}}"#);
        json("429 Too Many Requests", "retry-after: 7\r\n", &body)
    };
    let close = Command::CloseAll("chal-1".into());
    let named = cooldown(r#","rule_id":"order_cooldown""#);
    let responder = Responder::answering(vec![named, cooldown("")]).await;
    let (client, mut calls) = responder.client();
    let client = client.for_class(RequestClass::Exit);
    let asked = request(&close);
    let send = || client.send(&asked, Mutation::CloseAll);
    let wait = Some(Duration::from_secs(7));
    assert_eq!(send().await.retry_after(), wait, "its own to wait out");
    assert_eq!(client.pause_left(), Duration::ZERO);
    for class in [RequestClass::Exit, RequestClass::Entry, RequestClass::Poll] {
        assert_eq!(client.for_class(class).wait(), Duration::ZERO, "{class:?}");
    }
    let call = calls.recv().await.unwrap();
    assert_eq!(
        (call.outcome, call.pause, call.budget),
        (Ok(429), None, None)
    );

    assert_eq!(send().await.retry_after(), wait);
    assert!(
        client.pause_left() > Duration::from_secs(6),
        "a 429 that names no rule is the key's, whatever it calls itself"
    );
}

#[tokio::test]
async fn answers_that_are_no_answers_are_told_in_plain_words() {
    let page = ok("<!doctype html><html>Sign in to the hotel wifi</html>");
    assert_eq!(
        read(page).await.to_string(),
        "unreadable answer: the answer is a web page, not the documented JSON"
    );
    assert_eq!(
        read(ok("")).await.to_string(),
        "unreadable answer: the answer is an empty body, not the documented JSON"
    );
    let wrong = read(ok(r#"{"data":null}"#)).await;
    assert!(wrong.to_string().contains("at `data`"), "{wrong}");
    let cut = Reply::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"data\":[".to_vec());
    assert_eq!(
        read(cut).await.to_string(),
        "broken answer: the answer was cut short"
    );
    let dropped = read(Reply::Drop).await;
    assert_eq!(dropped.kind, FailureKind::Broken);
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let mut bytes = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    bytes.resize(6 * 1024 * 1024, b' ');
    let failure = read(Reply::Bytes(bytes)).await;
    assert_eq!(
        failure.to_string(),
        "unreadable answer: the answer is longer than 4 MiB and was not read"
    );
}

#[tokio::test]
async fn a_redirect_is_told_and_the_key_goes_nowhere_else() {
    let elsewhere = Responder::answering(vec![ok(r#"{"data":[]}"#)]).await;
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let location = format!("location: {}/v1/positions\r\n", elsewhere.url);
        let failure = read(json(status, &location, "")).await;
        assert!(failure.to_string().contains("base URL is probably wrong"));
    }
    assert_eq!(elsewhere.seen(), []);
}

#[tokio::test]
async fn nobody_at_home_means_that_nothing_was_sent() {
    // A port that was free a moment ago: bound and released.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let (client, mut calls) = client(connection(&format!("http://{address}")));
    let attempt = client
        .send(&request(&Command::Cancel("o".into())), Mutation::Cancel)
        .await;
    let Attempt::NotSent(why) = attempt else {
        panic!("{attempt:?}");
    };
    assert_eq!(why.kind, FailureKind::Unreachable);
    assert!(
        why.to_string()
            .starts_with(&format!("unreachable: could not connect to {address}: ")),
        "{why}"
    );
    let call = calls.recv().await.unwrap();
    assert_eq!(call.outcome, Err(FailureKind::Unreachable));
}

#[tokio::test]
async fn an_https_address_where_plain_http_is_spoken_names_the_scheme() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let plain = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let answer = b"HTTP/1.1 400 Bad Request\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        // Until the client hangs up.
        drop(stream.read_to_end(&mut vec![]).await);
    };
    let (client, _calls) = client(connection(&address));
    let cancel = request(&Command::Cancel("o".into()));
    let (attempt, ()) = tokio::join!(client.send(&cancel, Mutation::Cancel), plain);
    let Attempt::NotSent(why) = attempt else {
        panic!("{attempt:?}");
    };
    let words = why.to_string();
    assert!(
        words.contains("the answer is not TLS: check scheme and port"),
        "{words}"
    );
}

#[tokio::test]
async fn a_mutation_goes_out_byte_for_byte_with_its_key() {
    let command = Command::CloseAll("chal-1".into());
    let (_, seen) = send(ok("{}"), command).await;
    assert_eq!(
        seen[0].line,
        "POST /v1/accounts/chal-1/close-all-positions HTTP/1.1"
    );
    assert_eq!(seen[0].header("idempotency-key"), Some("key-1"));
    assert_eq!(seen[0].body, b"");

    let exits = Command::margin("p|1".into(), "12.50".parse().unwrap(), None);
    let (attempt, seen) = send(ok(&format!(r#"{{"data":{POSITION}}}"#)), exits).await;
    assert_eq!(
        seen[0].line,
        "PUT /v1/positions/p%7C1/isolated-margin HTTP/1.1"
    );
    assert_eq!(seen[0].header("content-type"), Some("application/json"));
    assert_eq!(seen[0].header("idempotency-key"), None);
    assert_eq!(seen[0].body, br#"{"extra_margin":12.50}"#);
    assert!(matches!(attempt, Attempt::Done(Receipt::Position(_))));
}

#[tokio::test]
async fn what_one_attempt_proves_is_kept_apart() {
    let cancel = || Command::Cancel("o".into());
    let done = ok(r#"{"data":{"id":"o","canceled":false,"queued":true}}"#);
    let (attempt, _) = send(done, cancel()).await;
    let Attempt::Done(Receipt::Cancel(result)) = attempt else {
        panic!("{attempt:?}");
    };
    assert!(result.queued && !result.canceled);

    let (attempt, _) = send(error("404 Not Found", ""), cancel()).await;
    assert!(matches!(attempt, Attempt::Refused(why) if why.kind == FailureKind::NotFound));
    let unreadable = [Reply::Drop, ok("<html>"), ok(""), ok(r#"{"data":null}"#)];
    for reply in unreadable {
        let (attempt, _) = send(reply, cancel()).await;
        assert!(matches!(attempt, Attempt::Doubtful(_)), "{attempt:?}");
    }
    let (attempt, _) = send(ok(r#"{"data":{}}"#), Command::Cancel("..".into())).await;
    let Attempt::NotSent(why) = attempt else {
        panic!("{attempt:?}");
    };
    assert_eq!(why.kind, FailureKind::Local);
}

#[tokio::test]
async fn an_order_receipt_shows_what_the_service_made_of_it() {
    let close = Command::Close(crate::model::ClosePosition::market("p".into()));
    let reply = json(
        "201 Created",
        "",
        &format!(r#"{{"data":{},"queued":true}}"#, order("o-9", "rejected")),
    );
    let (attempt, seen) = send(reply, close).await;
    let Attempt::Done(Receipt::Order { order, queued }) = attempt else {
        panic!("{attempt:?}");
    };
    assert!(order.status.is(&OrderStatus::Rejected) && queued);
    assert_eq!(
        seen[0].body,
        br#"{"type":"market","client_order_id":"key-1"}"#
    );
}

fn operation(status: &str) -> String {
    format!(
        r#"{{"data":{{"id":"op","operation":"close_all_positions","account_id":"chal-1",
        "status":"{status}","total_count":2,"succeeded_count":1,"failed_count":0,"results":[],
        "created_at":1790000000000}}}}"#
    )
}

#[tokio::test]
async fn a_close_all_in_progress_is_neither_done_nor_failed() {
    let close_all = || Command::CloseAll("chal-1".into());
    let accepted = json("202 Accepted", "retry-after: 3\r\n", &operation("running"));
    let (attempt, _) = send(accepted, close_all()).await;
    let Attempt::Running {
        operation: Some(running),
        retry_after,
    } = attempt
    else {
        panic!("{attempt:?}");
    };
    assert_eq!(running.done_count(), 1);
    assert_eq!(retry_after, Some(Duration::from_secs(3)));

    let (attempt, _) = send(json("202 Accepted", "", ""), close_all()).await;
    let bodyless = Attempt::Running {
        operation: None,
        retry_after: None,
    };
    assert_eq!(attempt, bodyless);
    for (status, word) in [("201 Created", "completed"), ("200 OK", "completed")] {
        let (attempt, _) = send(json(status, "", &operation(word)), close_all()).await;
        assert!(matches!(attempt, Attempt::Done(Receipt::CloseAll(_))));
    }
    let (attempt, _) = send(ok(&operation("running")), close_all()).await;
    assert!(matches!(attempt, Attempt::Running { .. }));
}

#[tokio::test]
async fn prices_of_a_simulator_come_from_one_document() {
    let body = r#"{"data":[{"market_id":"paper|BTC","mark_price":64000.10},{"mark_price":1}]}"#;
    let no_list = error("404 Not Found", "");
    let responder = Responder::answering(vec![ok(body), no_list]).await;
    let (client, _calls) = responder.client();
    let page = client.markets(&BTreeSet::new(), 0).await.unwrap();
    let btc = Market {
        mark: Some("64000.10".parse().unwrap()),
        ..Market::new("paper|BTC".into())
    };
    assert_eq!(page.rows, [btc]);
    assert_eq!(
        page.unreadable,
        ["data[1].: missing field `market_id` at line 1 column 16".into()]
    );
    assert_eq!(responder.seen()[0].line, "GET /sim/markets HTTP/1.1");
}

#[tokio::test]
async fn a_service_that_keeps_silent_leaves_the_outcome_open() {
    let responder = Responder::answering(vec![Reply::Silence]).await;
    let (client, _calls) = responder.client();
    let outgoing = super::send::OutgoingRequest {
        method: reqwest::Method::DELETE,
        url: super::base::endpoint(&client.0.base, "/v1/orders/o").unwrap(),
        body: &[],
        key: None,
        timeout: Duration::from_millis(50),
    };
    let Err(super::send::NoResponse::MaybeSent(why)) = client.exchange(outgoing).await else {
        panic!("nobody answered");
    };
    assert_eq!(why.kind, FailureKind::TimedOut);
}

/// The outcome of a close of unknown outcome: the orders of its name, then the position.
async fn close_sight(named: &[&str], position: Reply) -> ReconcileOutcome {
    let close = Command::Close(crate::model::ClosePosition::market("pos-1".into()));
    let script = vec![orders(named, ""), position];
    let responder = Responder::answering(script).await;
    let (client, _calls) = responder.client();
    client
        .reconcile(&close, Some(&"key-1".into()), Timestamp(0))
        .await
        .unwrap()
}

fn named(order: &str, name: &str) -> String {
    order.replacen('{', &format!(r#"{{"client_order_id":"{name}","#), 1)
}

#[tokio::test]
async fn a_lost_close_is_settled_by_one_read_of_its_name() {
    let found = named(&order("o-7", "filled"), "key-1");
    let missing = error("404 Not Found", "");
    let ReconcileOutcome::Done(Receipt::Order { order, .. }) =
        close_sight(&[&found], missing).await
    else {
        panic!("the close is there");
    };
    assert_eq!(order.id, "o-7".into());
}

#[tokio::test]
async fn a_close_without_a_row_is_not_done_while_its_position_is_open() {
    let position = |rest: &str| {
        ok(&format!(
            r#"{{"data":{{"id":"pos-1","market_id":"paper|BTC","size":1{rest}}}}}"#
        ))
    };
    let other = named(&order("o-7", "filled"), "key-2");
    let foreign = named(&order("o-7", "filled"), "key-1").replace("chal-1", "chal-9");
    for rows in [vec![], vec![other.as_str()], vec![foreign.as_str()]] {
        assert_eq!(
            close_sight(&rows, position("")).await,
            ReconcileOutcome::NotDone
        );
    }
    let gone = ReconcileOutcome::Done(Receipt::AlreadySo("position pos-1 is not open".into()));
    assert_eq!(
        close_sight(&[], position(r#","status":"closed""#)).await,
        gone
    );
    assert_eq!(close_sight(&[], error("404 Not Found", "")).await, gone);
}

#[tokio::test]
async fn a_position_whose_row_cannot_be_read_is_not_taken_for_a_closed_one() {
    let unreadable = r#"{"data":[{"id":"pos-1","size":[]}],"has_more":false}"#;
    let responder = Responder::answering(vec![ok(unreadable)]).await;
    let (client, _calls) = responder.client();
    let margin = Command::margin("pos-1".into(), "200".parse().unwrap(), None);
    let outcome = client.reconcile(&margin, None, Timestamp(0)).await.unwrap();
    assert_eq!(outcome, ReconcileOutcome::Inconclusive);
}

/// A proxy that refuses every tunnel, and a client that uses it for a remote service.
async fn behind_a_proxy(reply: Reply) -> (Responder, super::Client) {
    let proxy = Responder::answering(vec![reply]).await;
    let address = proxy.url.replace("http://", "http://desk:hunter2@");
    let far = crate::config::Connection {
        proxy: Some(address.parse().unwrap()),
        ..connection("https://service.test")
    };
    let (client, _calls) = client(far);
    (proxy, client)
}

#[tokio::test]
async fn a_proxy_that_is_set_is_asked_for_a_tunnel_and_told_its_own_password_but_never_the_key() {
    let closed = error("407 Proxy Authentication Required", "");
    let (proxy, client) = behind_a_proxy(closed).await;
    let why = client.open_positions().await.unwrap_err();
    let seen = proxy.seen();
    assert_eq!(seen[0].line, "CONNECT service.test:443 HTTP/1.1");
    // desk:hunter2
    let told = seen[0].header("proxy-authorization");
    assert_eq!(told, Some("Basic ZGVzazpodW50ZXIy"));
    assert_eq!(seen[0].header("authorization"), None);
    let all = format!("{why} {why:?} {client:?}");
    assert!(why.to_string().contains(&proxy.url), "which proxy: {why}");
    assert!(!all.contains("hunter2") && !all.contains("secret"), "{all}");
}

#[tokio::test]
async fn an_order_that_a_proxy_would_not_carry_was_surely_not_sent() {
    let (_proxy, client) = behind_a_proxy(error("502 Bad Gateway", "")).await;
    let cancel = Command::Cancel("o-1".into());
    let attempt = client.send(&request(&cancel), Mutation::Cancel).await;
    assert!(matches!(attempt, Attempt::NotSent(_)), "{attempt:?}");
}

#[tokio::test]
async fn what_is_on_this_machine_is_reached_past_the_proxy() {
    let here = Responder::answering(vec![orders(&[], r#","has_more":false"#)]).await;
    let nowhere = crate::config::Connection {
        proxy: Some("http://127.0.0.1:9".parse().unwrap()),
        ..here.connection()
    };
    let (client, _calls) = client(nowhere);
    assert!(client.working_orders().await.is_ok());
}
