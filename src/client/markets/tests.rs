use super::*;
use crate::{
    client::{
        Client,
        testing::responder::{Reply, Responder, Seen, client, error, json, ok},
    },
    config::Connection,
    model::Num,
};

const LIST: &str = r#"{"data":[
    {"market_id":"binance|BTCUSDT","provider":"binance","symbol":"BTC","coin":"BTCUSDT","size_decimals":5,
     "max_leverage":40,"trading_enabled":true},
    {"market_id":"hyperliquid|xyz:TSLA","provider":"hyperliquid","symbol":"TSLA","coin":"xyz:TSLA","size_decimals":3,
     "max_leverage":10,"trading_enabled":true,"reduce_only":true}]}"#;

const QUOTE: &str = r#"{"data":{"bid":64000,"ask":"64000.2","mid":64000.1,"time":1790000000000}}"#;

/// A service that is no simulator, whose quotes are these.
async fn service(quote: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Responder {
    let part = move |seen: &Seen| match seen.line.split(' ').nth(1).unwrap_or_default() {
        "/v1" => ok(r#"{"name":"x","version":"1.0.0","environment":"test"}"#),
        "/v1/markets" => ok(LIST),
        path if path.contains("/quote") => quote(path),
        _ => error("404 Not Found", ""),
    };
    Responder::playing(part, || ()).await
}

fn desk(responder: &Responder) -> Client {
    let connection = Connection {
        kind: ServiceKind::Unknown,
        ..responder.connection()
    };
    client(connection).0
}

fn lines(responder: &Responder) -> Vec<String> {
    let lines = responder.seen().into_iter();
    lines
        .filter_map(|seen| seen.line.split(' ').nth(1).map(str::to_owned))
        .collect()
}

fn wanted(ids: &[&str]) -> BTreeSet<MarketId> {
    ids.iter().map(|id| MarketId::from(*id)).collect()
}

#[tokio::test]
async fn a_market_has_its_names_from_the_list_and_its_price_from_a_quote_of_its_own_time() {
    let responder = service(|_| ok(QUOTE)).await;
    let client = desk(&responder);
    for _ in 0..2 {
        let page = client
            .markets(&wanted(&["binance|BTCUSDT"]), 1)
            .await
            .unwrap();
        let [btc, tesla] = page.rows.as_slice() else {
            panic!("{page:?}");
        };
        assert_eq!((btc.symbol.raw(), btc.coin.raw()), ("BTC", "BTCUSDT"));
        assert_eq!(btc.mark, Some(Num::new(640_001, 1)));
        assert_eq!(btc.updated_at, Some(Timestamp(1_790_000_000_000)));
        assert_eq!(
            (tesla.mark, tesla.reduce_only, tesla.coin.raw()),
            (None, Some(true), "xyz:TSLA")
        );
    }
    let asked = ["/v1", "/v1/markets", "/v1/markets/binance%7CBTCUSDT/quote"];
    assert_eq!(lines(&responder)[..3], asked);
    assert_eq!(lines(&responder).len(), 4, "the list is read once");
}

#[tokio::test]
async fn a_market_without_a_middle_is_valued_by_the_mark_that_the_service_tells_of_a_size() {
    const BARE: &str = r#"{"data":{"bid":64000,"ask":64002,"mid":null,"time":1790000000000}}"#;
    const SIZED: &str = r#"{"data":{"bid":64000,"ask":64002,"mid":null,"time":1790000000000,"fillable":true,
        "reference_price":64001.7,"reference_kind":"venue_mark"}}"#;
    for (told, mark) in [(Some(SIZED), "64001.7".parse().ok()), (None, None)] {
        let answer = move |path: &str| match (path.split_once('?'), told) {
            (None, _) => ok(BARE),
            (Some((_, "side=buy&size=0.00001")), Some(sized)) => ok(sized),
            (Some(_), _) => error("400 Bad Request", ""),
        };
        let responder = service(answer).await;
        let client = desk(&responder);
        let page = client.markets(&wanted(&["binance|BTCUSDT"]), 1).await;
        let page = page.unwrap();
        let btc = page.rows.first().unwrap();
        let prices = (btc.mark, btc.bid, btc.ask);
        assert_eq!(prices, (mark, "64000".parse().ok(), "64002".parse().ok()));
    }
}

#[tokio::test]
async fn new_markets_are_quoted_together_and_then_the_one_asked_for_longest_ago() {
    let responder = service(|_| ok(QUOTE)).await;
    let client = desk(&responder);
    let both = wanted(&["binance|BTCUSDT", "hyperliquid|xyz:TSLA"]);
    for _ in 0..3 {
        client.markets(&both, 1).await.unwrap();
    }
    let asked = lines(&responder).into_iter();
    let asked: Vec<_> = asked.filter(|line| line.ends_with("quote")).collect();
    assert_eq!(asked.len(), 4);
    assert_ne!(asked[0], asked[1]);
    assert_ne!(asked[2], asked[3]);
}

#[tokio::test]
async fn prices_that_can_be_none_or_are_hours_old_are_left_out_and_said() {
    let answered = "Date: Mon, 21 Sep 2026 16:13:21 GMT\r\n";
    for (quote, words) in [
        (
            r#"{"data":{"bid":64000,"ask":63999,"mid":64000}}"#,
            "the prices of binance|BTCUSDT are crossed: bid 64000 is not below ask 63999",
        ),
        (
            r#"{"data":{"bid":null,"ask":null,"mid":0}}"#,
            "the mark of binance|BTCUSDT is 0, not above 0",
        ),
        (QUOTE, "the prices of binance|BTCUSDT are 2 h old"),
    ] {
        let responder = service(move |_| json("200 OK", answered, quote)).await;
        let client = desk(&responder);
        let wanted = wanted(&["binance|BTCUSDT"]);
        let page = client.markets(&wanted, 1).await.unwrap();
        assert_eq!((page.rows.len(), page.rows[0].mark), (2, None));
        assert_eq!(page.unreadable, [words.into()]);
    }
}

#[tokio::test]
async fn a_market_without_a_fresh_book_keeps_the_quote_it_had() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let responder =
        service(
            move |_| match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
                0 => ok(QUOTE),
                _ => error("503 Service Unavailable", "Retry-After: 1\r\n"),
            },
        )
        .await;
    let client = desk(&responder);
    let wanted = wanted(&["binance|BTCUSDT"]);
    for _ in 0..2 {
        let page = client.markets(&wanted, 1).await.unwrap();
        assert_eq!(page.rows[0].updated_at, Some(Timestamp(1_790_000_000_000)));
    }
    assert_eq!(lines(&responder).len(), 4);
}

#[tokio::test]
async fn a_simulator_tells_all_prices_at_once_and_its_list_tells_what_they_are_called() {
    let part = |seen: &Seen| match seen.line.as_str() {
        "GET /v1 HTTP/1.1" => ok(r#"{"name":"perpdeck","environment":"test","simulator":"/sim"}"#),
        "GET /sim/markets HTTP/1.1" => ok(
            r#"{"data":[{"market_id":"hyperliquid|xyz:TSLA","mark_price":5,"gap_since":1790000000000,"unreadable_lines":2}]}"#,
        ),
        "GET /v1/markets HTTP/1.1" => ok(LIST),
        _ => error("404 Not Found", ""),
    };
    let responder = Responder::playing(part, || ()).await;
    let client = desk(&responder);
    for _ in 0..2 {
        let page = client.markets(&BTreeSet::new(), 1).await.unwrap();
        let tsla = &page.rows[0];
        assert_eq!(tsla.mark, Some(Num::from(5_u32)));
        assert_eq!((tsla.symbol.raw(), tsla.coin.raw()), ("TSLA", "xyz:TSLA"));
        let feed = (tsla.gap_since, tsla.unreadable_lines);
        assert_eq!(feed, (Some(Timestamp(1_790_000_000_000)), 2));
    }
    let asked = ["/v1", "/sim/markets", "/v1/markets", "/sim/markets"];
    assert_eq!(lines(&responder), asked);
}

#[tokio::test]
async fn no_undocumented_route_of_a_service_is_ever_asked_for() {
    let responder = service(|_| ok(QUOTE)).await;
    let mut connection = responder.connection();
    connection.kind = ServiceKind::Unknown;
    let (client, _calls) = client(connection);
    let btc = MarketId::from("binance|BTCUSDT");
    assert_eq!(client.book(&btc, None).await, Ok(None));
    assert_eq!(client.trades(&btc, 5).await, Ok(None));
    let minute = crate::model::Interval::Minute1;
    assert_eq!(client.candles(&btc, minute, None, 5).await, Ok(None));
    assert_eq!(lines(&responder), ["/v1"]);
}
