use super::*;
use crate::{
    app::{MarketAnswer, MarketRequest, account::poll::Answer},
    client::{
        Timeouts,
        testing::responder::{ORDER, Reply, Responder, Seen, client, connection, error, ok},
    },
    config::{Connection, ServiceKind},
    model::{Cursor, MarketId, Side, Timestamp},
};
use std::sync::atomic::{AtomicUsize, Ordering};
use strum::IntoEnumIterator;
use tokio::sync::mpsc::{Receiver, channel};

const NOW: Timestamp = Timestamp(1_790_000_000_000);

fn context(responder: &Responder) -> (PollContext, Receiver<Msg>) {
    let (client, _calls) = responder.client();
    let (events, mail) = channel(64);
    let context = PollContext {
        client,
        clock: Clock::Frozen(NOW),
        events,
        in_flight: InFlight::default(),
        queue: Arc::default(),
        beat: Beat::start(),
        markets: MarketQueue::default(),
        activity: PollActivity::default(),
        cover: StreamCover::default(),
        wanted: watch::Sender::default(),
    };
    (context, mail)
}

fn source_task(context: PollContext, interval: Duration) -> (SourceTask, Arc<Notify>) {
    let nudge = Arc::new(Notify::new());
    let source_task = SourceTask {
        source: Source::Orders,
        context,
        nudge: Arc::clone(&nudge),
        recoveries: watch::Sender::default(),
        backoff: PollBackoff::new(1),
        intervals: Arc::new(BTreeMap::from([(Source::Orders, interval)])),
        visibility: watch::Sender::default().subscribe(),
        jitter: Jitter::seeded(1),
    };
    (source_task, nudge)
}

/// Skips the countdowns to a retry, which have a test of their own.
async fn next(mail: &mut Receiver<Msg>) -> Msg {
    loop {
        let msg = mail.recv().await.unwrap();
        if !matches!(msg, Msg::TriesAgain(..)) {
            return msg;
        }
    }
}

async fn polled(mail: &mut Receiver<Msg>) -> Answer {
    let msg = next(mail).await;
    let Msg::Polled(poll) = msg else {
        panic!("{msg:?}")
    };
    assert_eq!(poll.at, NOW);
    poll.answer
}

fn empty() -> Reply {
    ok(r#"{"data":[],"has_more":false}"#)
}

const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn every_source_is_asked_at_once_and_told_on_its_own() {
    // Nothing listens: each source still reports that itself.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let (client, _calls) = client(connection(&format!("http://{address}")));
    let (events, mut mail) = channel(64);
    let hourly = Source::iter().map(|source| (source, HOUR)).collect();
    let _poller = Poller::spawn(
        client,
        Clock::Frozen(NOW),
        hourly,
        1,
        (events, InFlight::default()),
    );
    let mut result = BTreeSet::new();
    // Seven: no scaled order is known yet.
    while result.len() < 7 {
        let answer = polled(&mut mail).await;
        result.insert(format!("{answer:?}").split('(').next().unwrap().to_owned());
    }
    let all = [
        "Account",
        "Closed",
        "History",
        "Markets",
        "Orders",
        "Positions",
        "Twaps",
    ];
    assert!(result.iter().eq(all), "{result:?}");
}

#[tokio::test]
async fn a_source_asked_for_is_polled_at_once() {
    let responder = Responder::answering(vec![empty(), empty()]).await;
    let (context, mut mail) = context(&responder);
    let (source, nudge) = source_task(context, HOUR);
    let task = tokio::spawn(source.repeat(PollRequest::Positions));
    assert!(matches!(polled(&mut mail).await, Answer::Positions(Ok(_))));
    nudge.notify_one();
    assert!(matches!(polled(&mut mail).await, Answer::Positions(Ok(_))));
    task.abort();
}

#[tokio::test]
async fn a_list_that_an_event_changed_while_it_was_read_is_read_again_before_it_is_shown() {
    let cover = StreamCover::default();
    let (events, least) = (cover.clone(), AtomicUsize::new(0));
    let answer = move |_: &Seen| {
        let order = if least.fetch_add(1, Ordering::Relaxed) == 0 {
            events.changed(&[Source::Orders].into());
            "older"
        } else {
            "newer"
        };
        let order = ORDER.replace("o-1", order);
        ok(&format!(r#"{{"data":[{order}],"has_more":false}}"#))
    };
    let responder = Responder::playing(answer, || ()).await;
    let (mut context, mut mail) = context(&responder);
    context.cover = cover;
    context
        .ask(PollRequest::Orders, &mut Jitter::seeded(1))
        .await;
    let Answer::Orders(Ok(page)) = polled(&mut mail).await else {
        panic!()
    };
    assert_eq!(page.rows[0].id, "newer".into());
    assert!(mail.try_recv().is_err(), "the older one is not shown");
}

#[tokio::test]
async fn an_older_page_comes_with_the_cursor_it_was_asked_by() {
    let responder = Responder::answering(vec![empty()]).await;
    let (context, mut mail) = context(&responder);
    let cursor = Cursor::from("p2".to_owned());
    let question = PollRequest::History(Some(cursor.clone()));
    let result = context.ask(question, &mut Jitter::seeded(1)).await;
    assert!(result.trouble.is_none());
    let answer = polled(&mut mail).await;
    assert!(matches!(answer, Answer::MoreHistory(least, Ok(_)) if least == cursor));
    assert!(responder.seen()[0].line.contains("cursor=p2"));
}

#[tokio::test]
async fn scaled_orders_are_polled_by_id_and_one_that_is_gone_does_not_stop_the_others() {
    let live = ok(r#"{"data":{"id":"b","market_id":"paper|BTC"}}"#);
    let script = vec![error("404 Not Found", ""), live];
    let responder = Responder::answering(script).await;
    let (context, mut mail) = context(&responder);
    let (source, _nudge) = source_task(context, HOUR);
    let (_ids, known) = watch::channel(BTreeSet::from(["a".into(), "b".into()]));
    let task = tokio::spawn(source.scaled(known));
    let first = polled(&mut mail).await;
    assert!(matches!(first, Answer::Scaled(id, Err(_)) if id.raw() == "a"));
    let second = polled(&mut mail).await;
    assert!(matches!(second, Answer::Scaled(id, Ok(_)) if id.raw() == "b"));
    task.abort();
}

#[tokio::test]
async fn a_scaled_order_that_has_ended_is_read_once_more_and_then_never_again() {
    let ended =
        || ok(r#"{"data":{"id":"a","market_id":"paper|BTC","completed_at":1790000000000}}"#);
    let live = || ok(r#"{"data":{"id":"b","market_id":"paper|BTC"}}"#);
    let script = vec![ended(), live(), ended(), live(), live(), live()];
    let responder = Responder::answering(script).await;
    let (context, mut mail) = context(&responder);
    let (source, nudge) = source_task(context, HOUR);
    let (_ids, known) = watch::channel(BTreeSet::from(["a".into(), "b".into()]));
    let task = tokio::spawn(source.scaled(known));
    let mut rounds = vec![];
    for _ in 0..4 {
        let mut round = String::new();
        while !round.ends_with('b') {
            let Answer::Scaled(id, Ok(_)) = polled(&mut mail).await else {
                panic!("not a scaled order");
            };
            round.push_str(id.raw());
        }
        rounds.push(round);
        nudge.notify_one();
    }
    assert_eq!(rounds, ["ab", "ab", "b", "b"]);
    task.abort();
}

/// A source that waits; nothing is sent.
fn resting() -> (SourceTask, Arc<Notify>) {
    let (client, _calls) = client(connection("http://127.0.0.1:1"));
    let (events, _mail) = channel(1);
    let clock = Clock::Frozen(NOW);
    let context = PollContext {
        client,
        clock,
        events,
        in_flight: InFlight::default(),
        queue: Arc::default(),
        beat: Beat::start(),
        markets: MarketQueue::default(),
        activity: PollActivity::default(),
        cover: StreamCover::default(),
        wanted: watch::Sender::default(),
    };
    source_task(context, Duration::from_secs(1))
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_stands_even_when_the_trader_asks() {
    let busy = Failure {
        retry_after: Some(Duration::from_secs(20)),
        ..Failure::new(FailureKind::Unavailable, "busy")
    };
    let (mut source, nudge) = resting();
    let start = tokio::time::Instant::now();
    nudge.notify_one();
    assert!(source.rest(Some(&busy)).await);
    assert_eq!(start.elapsed(), Duration::from_secs(20));
    nudge.notify_one();
    assert!(source.rest(None).await);
    assert_eq!(start.elapsed(), Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_only_the_desk_has_made_longer_ends_when_the_trader_asks() {
    let busy = Failure {
        retry_after: Some(Duration::from_secs(1)),
        ..Failure::new(FailureKind::Unavailable, "busy")
    };
    let (mut source, nudge) = resting();
    source.intervals = Arc::new(BTreeMap::from([(Source::Orders, Duration::from_secs(8))]));
    for _ in 0..4 {
        source.backoff.after(Duration::from_secs(8), Some(&busy));
    }
    let start = tokio::time::Instant::now();
    nudge.notify_one();
    assert!(source.rest(Some(&busy)).await);
    assert_eq!(
        start.elapsed(),
        Duration::from_secs(1),
        "not before the service wants it"
    );
    assert!(!source.rest(Some(&busy)).await);
    assert!(start.elapsed() > Duration::from_secs(25), "nobody asked");
}

#[tokio::test(start_paused = true)]
async fn a_refused_key_is_tried_again_by_itself_and_at_once_when_asked() {
    let refused = Failure::new(FailureKind::Auth, "revoked");
    let (mut source, nudge) = resting();
    let start = tokio::time::Instant::now();
    assert!(!source.rest(Some(&refused)).await);
    let alone = start.elapsed();
    assert!(alone > Duration::from_secs(25) && alone < Duration::from_secs(35));
    nudge.notify_one();
    assert!(source.rest(Some(&refused)).await);
    assert_eq!(start.elapsed(), alone);
}

#[tokio::test(start_paused = true)]
async fn when_one_source_is_answered_again_those_that_failed_ask_at_once() {
    let down = Failure::new(FailureKind::Unreachable, "down");
    let (mut waiting, _nudge) = resting();
    let (mut first, _other) = resting();
    first.recoveries = waiting.recoveries.clone();
    first.backoff.after(Duration::from_secs(1), Some(&down));
    let start = tokio::time::Instant::now();
    tokio::join!(
        async {
            waiting.rest(Some(&down)).await;
            assert_eq!(start.elapsed(), Duration::from_millis(50));
        },
        async {
            sleep(Duration::from_millis(50)).await;
            let _its_own_interval = timeout(Duration::from_millis(1), first.rest(None)).await;
        },
    );
}

#[tokio::test(start_paused = true)]
async fn a_source_in_trouble_says_when_it_asks_again() {
    let down = Failure::new(FailureKind::Unavailable, "busy");
    let (client, _calls) = client(connection("http://127.0.0.1:1"));
    let (events, mut mail) = channel(4);
    let context = PollContext {
        client,
        clock: Clock::Frozen(NOW),
        events,
        in_flight: InFlight::default(),
        queue: Arc::default(),
        beat: Beat::start(),
        markets: MarketQueue::default(),
        activity: PollActivity::default(),
        cover: StreamCover::default(),
        wanted: watch::Sender::default(),
    };
    let (mut source, _nudge) = source_task(context, Duration::from_secs(2));
    let start = tokio::time::Instant::now();
    source.rest(Some(&down)).await;
    let Some(Msg::TriesAgain(Source::Orders, at)) = mail.recv().await else {
        panic!("it does not say when");
    };
    assert_eq!(at, NOW.plus(start.elapsed()));
    source.rest(None).await;
    assert!(mail.try_recv().is_err());
}

#[tokio::test]
async fn orders_are_looked_for_page_by_page_until_all_are_found() {
    let page = |id: &str| {
        let terms = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
        let order = crate::app::testing::order(id, "BTC", terms);
        let order = serde_json::to_string(&order).unwrap();
        let next = format!("after-{id}");
        ok(&format!(
            r#"{{"data":[{order}],"has_more":true,"next_cursor":"{next}"}}"#
        ))
    };
    let pages = vec![page("o3"), page("o2"), page("o1")];
    let responder = Responder::answering(pages).await;
    let (context, mut mail) = context(&responder);
    context
        .trace(vec!["o2".into()], &mut Jitter::seeded(1))
        .await;
    let Msg::Traced(least, found) = next(&mut mail).await else {
        panic!("nothing was found")
    };
    let found: Vec<_> = found.iter().map(|order| order.id.raw()).collect();
    assert_eq!((least, found), (vec!["o2".into()], vec!["o2"]));
    assert_eq!(responder.seen().len(), 2);
}

#[tokio::test]
async fn evidence_whose_answer_is_lost_is_read_again_and_where_there_is_none_it_is_not() {
    let known = ok(r#"{"data":{"order_id":"o-1","filled_size":1,"fills":[]}}"#);
    let none = || error("404 Not Found", "");
    for (script, reads, comes) in [
        (vec![Reply::Drop, known], 2, true),
        (vec![none(), none()], 1, false),
    ] {
        let responder = Responder::answering(script).await;
        let (mut context, mut mail) = context(&responder);
        let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
        let hurried = Timeouts::divided_by(100);
        context.client =
            Client::with_timeouts(responder.connection(), calls, || NOW, hurried).unwrap();
        context
            .evidence(&"o-1".into(), &mut Jitter::seeded(1))
            .await;
        let result = mail.try_recv();
        assert_eq!(
            result.is_ok_and(|msg| matches!(msg, Msg::Evidence(_))),
            comes
        );
        assert_eq!(responder.seen().len(), reads);
    }
}

#[tokio::test]
async fn a_question_about_a_market_is_answered_with_what_came_or_why_nothing_did() {
    let book = r#"{"data":{"bids":[{"price":99,"size":1}],"asks":[{"price":101,"size":2}]}}"#;
    let script = vec![
        ok(book),
        error("503 Service Unavailable", ""),
        error("404 Not Found", ""),
    ];
    let responder = Responder::answering(script).await;
    let (context, mut mail) = context(&responder);
    let mut jitter = Jitter::seeded(1);
    let mut answers = vec![];
    for request in [
        MarketRequest::Book { depth: Some(5) },
        MarketRequest::Trades { limit: 9 },
        MarketRequest::Trades { limit: 9 },
    ] {
        context
            .market("paper|BTC".into(), request, &mut jitter)
            .await;
        let Msg::MarketData(market, NOW, answer) = next(&mut mail).await else {
            panic!("something else");
        };
        assert_eq!(market.raw(), "paper|BTC");
        answers.push(match answer {
            MarketAnswer::Book(Ok(Some(book))) => {
                format!("{} bid", book.value.levels(Side::Buy).len())
            }
            MarketAnswer::Trades(Err(why)) => why.kind.word().to_owned(),
            MarketAnswer::Book(_)
            | MarketAnswer::Trades(_)
            | MarketAnswer::Candles(..)
            | MarketAnswer::Quote(_) => panic!("another answer"),
        });
    }
    assert_eq!(answers, ["1 bid", "unavailable", "not found"]);
}

/// A minute of polls in which every source answers at once, and how many there were. The first round, in which the desk
/// reads everything, counts too.
async fn requests_of_a_minute(kind: ServiceKind, happens: fn(&PollActivity)) -> usize {
    let connection = Connection {
        kind,
        ..connection("http://127.0.0.1:1")
    };
    let (events, _mail) = channel(1);
    let context = PollContext {
        client: client(connection).0,
        clock: Clock::Frozen(NOW),
        events,
        in_flight: InFlight::default(),
        queue: Arc::default(),
        beat: Beat::start(),
        markets: MarketQueue::default(),
        activity: PollActivity::default(),
        cover: StreamCover::default(),
        wanted: watch::Sender::default(),
    };
    happens(&context.activity);
    let set = |source: Source| (source, Duration::from_secs(2));
    let intervals = Arc::new(Source::iter().map(set).collect::<BTreeMap<_, _>>());
    let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for source in Source::iter() {
        let (mut task, _nudge) = source_task(context.clone(), HOUR);
        (task.source, task.intervals) = (source, Arc::clone(&intervals));
        let count = Arc::clone(&count);
        tasks.spawn(async move {
            loop {
                count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                task.rest(None).await;
            }
        });
    }
    sleep(Duration::from_secs(59)).await;
    // The policy of the account is read once a minute.
    count.load(std::sync::atomic::Ordering::Relaxed) + 1
}

fn order_works(activity: &PollActivity) {
    let order = serde_json::from_str(crate::client::testing::responder::ORDER).unwrap();
    activity.learn(&Answer::Orders(Ok(crate::model::Page::of(vec![order]))));
}

#[tokio::test(start_paused = true)]
async fn an_idle_desk_makes_at_most_sixty_requests_a_minute_and_a_busy_one_never_two_hundred() {
    let idle = requests_of_a_minute(ServiceKind::Unknown, |_| ()).await;
    assert!((30..=60).contains(&idle), "{idle}");
    let working = requests_of_a_minute(ServiceKind::Unknown, order_works).await;
    assert!(working > idle && working <= 60, "{working}");
    let attended = requests_of_a_minute(ServiceKind::Unknown, |activity| {
        // Somebody presses keys all the time.
        let activity = activity.clone();
        tokio::spawn(async move {
            loop {
                activity.attend();
                sleep(Duration::from_secs(1)).await;
            }
        });
    });
    let attended = attended.await;
    assert!(attended > working && attended <= 160, "{attended}");
}

#[tokio::test(start_paused = true)]
async fn a_simulator_is_asked_as_the_settings_say() {
    let count = requests_of_a_minute(ServiceKind::Simulator, |_| ()).await;
    assert!(count >= 8 * 30, "{count}");
}

#[tokio::test(start_paused = true)]
async fn a_key_ends_the_slow_wait_of_an_idle_desk() {
    let (mut source, _nudge) = resting();
    source.context.client = client(Connection {
        kind: ServiceKind::Unknown,
        ..connection("http://127.0.0.1:1")
    })
    .0;
    let activity = source.context.activity.clone();
    let start = tokio::time::Instant::now();
    let key = async {
        sleep(Duration::from_secs(1)).await;
        activity.attend();
    };
    tokio::join!(source.rest(None), key);
    assert_eq!(start.elapsed(), Duration::from_secs(3), "and not ten");
}

/// A position that comes after the first read of the markets has a price at once.
#[tokio::test(start_paused = true)]
async fn a_market_that_is_newly_held_is_priced_at_once_and_not_on_the_next_beat() {
    let (source, _nudge) = resting();
    let mut context = source.context;
    context.client = client(Connection {
        kind: ServiceKind::Unknown,
        ..connection("http://127.0.0.1:1")
    })
    .0;
    let nudge = Arc::clone(&context.activity.markets_nudge);
    let polled = async || {
        timeout(Duration::from_secs(1), nudge.notified())
            .await
            .is_ok()
    };
    let btc = BTreeSet::from([MarketId::from("paper|BTC")]);
    context.price(&context.activity.show(btc.clone()));
    assert!(polled().await);
    context.price(&context.activity.show(btc));
    assert!(!polled().await, "it has been asked for");
}
