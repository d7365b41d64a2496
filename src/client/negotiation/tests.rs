//! What a scripted service shows, and how many requests learning costs.

use super::*;
use crate::{
    client::testing::responder::{ORDER, Reply, Responder, client, error, ok},
    model::{Side, Timestamp, TimestampUnit},
};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use tokio::sync::mpsc::unbounded_channel;

fn student(responder: &Responder) -> Client {
    client(Connection {
        pinned: BTreeSet::new(),
        ..responder.connection()
    })
    .0
}

fn orders(rows: &[&str]) -> Reply {
    page(rows, "")
}

fn page(rows: &[&str], next: &str) -> Reply {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let (id, status) = row.split_once(' ').unwrap();
            ORDER.replace("o-1", id).replace("resting", status)
        })
        .collect();
    let more = !next.is_empty();
    ok(&format!(
        r#"{{"data":[{}],"has_more":{more},"next_cursor":"{next}"}}"#,
        rows.join(",")
    ))
}

fn refused() -> Reply {
    error("400 Bad Request", "")
}

async fn working(client: &Client) -> (Vec<String>, bool) {
    let page = client.working_orders(&"chal-1".into()).await.unwrap();
    let ids = page.rows.iter().map(|order| order.id.raw().to_owned());
    (ids.collect(), page.incomplete)
}

/// The query of each request, without the account and the limit.
fn asked(responder: &Responder) -> Vec<String> {
    let lines = responder.seen().into_iter().map(|seen| seen.line);
    lines
        .map(|line| {
            let target = line.split(' ').nth(1).unwrap();
            let query = target.split_once('?').map_or("", |(_, query)| query);
            let kept = query
                .split('&')
                .filter(|pair| !pair.starts_with("account_id") && !pair.starts_with("limit"));
            kept.collect::<Vec<_>>().join("&")
        })
        .collect()
}

#[tokio::test]
async fn a_filter_that_is_refused_is_asked_for_by_its_other_names_once() {
    let script = vec![refused(), orders(&["a resting"]), orders(&["a resting"])];
    let responder = Responder::answering(script).await;
    let student = student(&responder);
    let mut negotiation = student.negotiation();
    assert_eq!(working(&student).await.0, ["a"]);
    assert!(negotiation.has_changed().unwrap());
    let told = negotiation.borrow_and_update().sentences();
    let words =
        "working orders: filter=working in place of status=working (status=working was refused)";
    assert_eq!(
        told,
        BTreeMap::from([(Term::WorkingFilter, words.to_owned())])
    );
    assert_eq!(working(&student).await.0, ["a"]);
    assert_eq!(
        asked(&responder),
        ["status=working", "filter=working", "filter=working"]
    );
}

#[tokio::test]
async fn a_filter_that_nobody_honours_is_left_out_and_the_pages_are_sorted_out_here() {
    let all = || orders(&["c filled", "b resting", "a canceled"]);
    let responder = Responder::answering((0..6).map(|_| all()).collect()).await;
    let student = student(&responder);
    assert_eq!(working(&student).await, (vec!["b".to_owned()], false));
    assert_eq!(working(&student).await, (vec!["b".to_owned()], false));
    let names = [
        "status=working",
        "filter=working",
        "state=working",
        "view=working",
        "",
        "",
    ];
    assert_eq!(asked(&responder), names);
}

#[tokio::test]
async fn sorted_out_pages_are_read_again_only_as_far_back_as_anything_can_have_changed() {
    let responder = Responder::answering(vec![
        page(&["d filled", "c resting"], "p2"),
        page(&["b resting", "a filled"], ""),
        page(&["e resting", "d filled", "c resting"], "p2"),
        page(&["b canceled", "a filled"], "p3"),
        page(&["e resting", "d filled", "c filled"], "p2"),
    ])
    .await;
    let student = client(Connection {
        dialect: Dialect::default().bare(Term::WorkingFilter),
        ..responder.connection()
    })
    .0;
    assert_eq!(working(&student).await.0, ["c", "b"]);
    // b was working, so the second page is read to find it; nothing older can matter then.
    assert_eq!(
        working(&student).await,
        (vec!["e".to_owned(), "c".to_owned()], false)
    );
    assert_eq!(working(&student).await, (vec!["e".to_owned()], false));
    assert_eq!(asked(&responder), ["", "cursor=p2", "", "cursor=p2", ""]);
}

#[tokio::test]
async fn a_filter_that_leaves_out_orders_that_work_is_found_out_by_the_history() {
    let responder = Responder::answering(vec![
        orders(&["a resting"]),
        orders(&[]),
        orders(&["a resting"]),
        orders(&["a resting"]),
    ])
    .await;
    let student = student(&responder);
    let account = "chal-1".into();
    student.orders(&account, None).await.unwrap();
    assert_eq!(working(&student).await.0, Vec::<String>::new());
    student.orders(&account, None).await.unwrap();
    assert_eq!(working(&student).await.0, ["a"]);
    assert_eq!(asked(&responder), ["", "status=working", "", ""]);
    let told = student.negotiation().borrow().sentences();
    assert!(
        told[&Term::WorkingFilter].contains("status=working left out working orders"),
        "{told:?}"
    );
}

#[tokio::test]
async fn trouble_that_is_not_about_the_words_teaches_nothing() {
    let busy = || error("503 Service Unavailable", "");
    let responder = Responder::answering(vec![busy(), refused(), busy()]).await;
    let student = student(&responder);
    let account = "chal-1".into();
    assert!(student.working_orders(&account).await.is_err());
    let why = student.working_orders(&account).await.unwrap_err();
    assert_eq!(why.kind, FailureKind::Invalid);
    assert_eq!(
        asked(&responder),
        ["status=working", "status=working", "filter=working"]
    );
    assert_eq!(student.dialect(), Dialect::default());
}

#[tokio::test]
async fn a_request_that_is_refused_in_any_words_is_not_the_words_fault() {
    let responder = Responder::answering((0..5).map(|_| refused()).collect()).await;
    let student = student(&responder);
    let failed = student.working_orders(&"chal-1".into()).await;
    assert_eq!(failed.unwrap_err().kind, FailureKind::Invalid);
    assert_eq!(student.dialect(), Dialect::default());
}

#[tokio::test]
async fn what_was_learned_before_is_spoken_from_the_start_unless_a_setting_says_otherwise() {
    let learned = Learned {
        position_selector: Some("state".to_owned()),
        twaps_account: Some("account".to_owned()),
        ..Learned::default()
    };
    let responder = Responder::answering(vec![]).await;
    let connection = |pinned| Connection {
        learned: learned.clone(),
        pinned,
        ..responder.connection()
    };
    let spoken = client(connection(BTreeSet::new())).0.dialect();
    assert_eq!(
        (&*spoken.position_selector, &*spoken.twaps_account),
        ("state", "account")
    );
    let pinned = client(connection(BTreeSet::from([Term::PositionSelector])))
        .0
        .dialect();
    assert_eq!(
        (&*pinned.position_selector, &*pinned.twaps_account),
        ("status", "account")
    );
}

#[tokio::test]
async fn the_unit_of_instants_is_read_off_the_rows() {
    let row = r#"{"data":[{"id":"p","market_id":"x|BTC","size":2,"opened_at":1790000000}]}"#;
    let responder = Responder::answering(vec![ok(row)]).await;
    let student = student(&responder);
    student.open_positions(&"chal-1".into()).await.unwrap();
    assert_eq!(student.dialect().timestamp_unit, TimestampUnit::Seconds);
}

/// One position, entered at 100, with these other fields.
fn held(rest: &str) -> Reply {
    ok(&format!(
        r#"{{"data":[{{"id":"p","market_id":"x|BTC","entry_price":100,{rest}}}]}}"#
    ))
}

fn marked(price: i64) -> Reply {
    ok(&format!(
        r#"{{"data":[{{"market_id":"x|BTC","mark_price":{price}}}]}}"#
    ))
}

async fn side(client: &Client) -> Option<Side> {
    let page = client.open_positions(&"chal-1".into()).await.unwrap();
    page.rows[0].side()
}

#[tokio::test]
async fn a_long_far_in_profit_beside_a_loser_stays_a_long() {
    // The losing position raises the liquidation price of the cross long above its entry.
    let long = || held(r#""size":2,"liquidation_price":130"#);
    let mut script = vec![long(), marked(150)];
    script.extend((0..4).flat_map(|_| [marked(150), long()]));
    let responder = Responder::answering(script).await;
    let student = student(&responder);
    assert_eq!(side(&student).await, Some(Side::Buy));
    for _ in 0..4 {
        student.markets().await.unwrap();
        assert_eq!(side(&student).await, Some(Side::Buy));
    }
    assert_eq!(student.dialect(), Dialect::default());
}

#[tokio::test]
async fn a_short_without_a_sign_has_no_side_until_marks_have_proved_it_again_and_again() {
    let short = || held(r#""size":2,"liquidation_price":130"#);
    let script = vec![
        short(),
        marked(90),
        marked(91),
        short(),
        marked(92),
        short(),
    ];
    let responder = Responder::answering(script).await;
    let student = student(&responder);
    assert_eq!(side(&student).await, None);
    student.markets().await.unwrap();
    assert_eq!(side(&student).await, None);
    student.markets().await.unwrap();
    assert_eq!(side(&student).await, Some(Side::Sell));
    assert!(!student.dialect().signed_sizes);
}

#[tokio::test]
async fn a_long_that_was_seen_in_the_moment_of_its_liquidation_teaches_nothing() {
    let dying = || held(r#""size":2,"liquidation_price":95"#);
    let gone = || ok(r#"{"data":[]}"#);
    let script = vec![marked(90), dying(), marked(90), gone(), marked(90), dying()];
    let responder = Responder::answering(script).await;
    let student = student(&responder);
    let account = "chal-1".into();
    for _ in 0..3 {
        student.markets().await.unwrap();
        student.open_positions(&account).await.unwrap();
    }
    assert_eq!(student.dialect(), Dialect::default());
}

#[tokio::test]
async fn a_negative_size_ends_whatever_was_believed_of_signs() {
    let bare = || held(r#""size":2,"liquidation_price":130"#);
    let mut script: Vec<_> = (0..3).flat_map(|_| [marked(90), bare()]).collect();
    script.extend([held(r#""size":-1,"liquidation_price":130"#), bare()]);
    let responder = Responder::answering(script).await;
    let student = student(&responder);
    for _ in 0..3 {
        student.markets().await.unwrap();
        side(&student).await;
    }
    assert!(!student.dialect().signed_sizes);
    assert_eq!(side(&student).await, Some(Side::Sell));
    assert_eq!(side(&student).await, Some(Side::Buy));
    assert!(student.dialect().signed_sizes);
}

#[tokio::test]
async fn a_mark_of_long_ago_tells_no_side() {
    let clock = Arc::new(AtomicI64::new(1_790_000_000_000));
    let bare = || held(r#""size":2,"liquidation_price":130"#);
    let down = error("503 Service Unavailable", "");
    let responder = Responder::answering(vec![marked(150), bare(), bare(), down]).await;
    let now = Arc::clone(&clock);
    let connection = Connection {
        pinned: BTreeSet::new(),
        ..responder.connection()
    };
    let (calls, _called) = unbounded_channel();
    let student = Client::new(connection, calls, move || {
        Timestamp(now.load(Ordering::Relaxed))
    });
    let student = student.unwrap();
    student.markets().await.unwrap();
    assert_eq!(side(&student).await, Some(Side::Buy));
    clock.fetch_add(6_000, Ordering::Relaxed);
    assert_eq!(side(&student).await, None);
}

#[tokio::test]
async fn paging_is_followed_wherever_its_members_stand() {
    let closed = r#"{"id":"p","market_id":"x|BTC","size":1,"closed_at":1790000000000}"#;
    for members in [
        r#""pagination":{"has_more":true,"next_cursor":"p2"}"#,
        r#""meta":{"cursor":"p2"}"#,
        r#""paging":{"next":"p2"},"meta":7"#,
    ] {
        let responder =
            Responder::answering(vec![ok(&format!(r#"{{"data":[{closed}],{members}}}"#))]).await;
        let page = student(&responder)
            .closed_positions(&"chal-1".into(), None)
            .await
            .unwrap();
        let next = page.next.map(|cursor| cursor.raw().to_owned());
        assert_eq!(
            (next.as_deref(), page.incomplete),
            (Some("p2"), false),
            "{members}"
        );
    }
}
