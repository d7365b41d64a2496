//! What is refused because it is not what it should be, by name and without any effect.

use crate::{
    orders::{body, place},
    support::Paper,
};
use serde_json::{Value, json};

#[tokio::test]
async fn a_wrong_type_or_an_impossible_number_is_400_and_names_the_field() {
    let paper = Paper::bare().await;
    let whole = body(&json!({}));
    for (field, given) in [
        ("size", "\"0.1\""),
        ("size", "null"),
        ("size", "1e400"),
        ("size", "0.1000000000000000000000000000001"),
        ("size", "[0.1]"),
        ("leverage", "5.5"),
        ("leverage", "-1"),
        ("leverage", "99999999999"),
        ("side", "\"BUY\""),
        ("side", "7"),
        ("margin_mode", "{}"),
        ("type", "\"liquidation\""),
        ("reduce_only", "\"true\""),
        ("reduce_only", "null"),
        ("limit_price", "true"),
    ] {
        let mut fields: serde_json::Map<String, Value> = serde_json::from_str(&whole).unwrap();
        fields.remove(field);
        let rest = serde_json::to_string(&fields).unwrap();
        let odd = rest.replacen('{', &format!(r#"{{"{field}":{given},"#), 1);
        let reply = paper.keyed("/v1/orders", "k", &odd).await;
        let (status, _, message) = reply.refusal();
        assert_eq!(status, 400, "{odd}");
        assert!(message.starts_with(field), "{odd}: {message}");
    }
    let orders: Vec<Value> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(orders, [] as [Value; 0]);
}

#[tokio::test]
async fn a_field_given_twice_or_after_the_end_is_400() {
    let paper = Paper::bare().await;
    let whole = body(&json!({}));
    for odd in [
        whole.replacen('{', r#"{"size":0.2,"#, 1),
        format!("{whole} {whole}"),
        whole.replace('}', ""),
        "[]".to_owned(),
        "null".to_owned(),
        String::new(),
        "[".repeat(10_000),
    ] {
        let reply = paper.keyed("/v1/orders", "k", &odd).await;
        assert_eq!(reply.refusal().0, 400, "{odd:.100}");
    }
}

/// Method, path, and a body that says by position what an object would say by name.
const BY_POSITION: [(&str, &str, &str); 10] = [
    (
        "POST",
        "/v1/orders",
        r#"["market","chal-1","paper|BTC","buy",0.01,null,5,"cross",false,null,null,null,null,null,null,null,null,null,null,null]"#,
    ),
    (
        "POST",
        "/v1/positions/pos_000001/close",
        r#"["market",0.01,null,null,null,null,null,null,false]"#,
    ),
    (
        "PUT",
        "/v1/orders/ord_000002/attached-exits",
        "[null,40000]",
    ),
    ("PUT", "/v1/positions/pos_000001/isolated-margin", "[10]"),
    (
        "POST",
        "/v1/twap-orders",
        r#"["chal-1","paper|BTC","buy",0.1,5,"cross",false,"twap",5]"#,
    ),
    (
        "POST",
        "/v1/scaled-orders",
        r#"["chal-1","paper|BTC","buy",0.1,5,"cross",false,60000,50000,2]"#,
    ),
    ("POST", "/sim/clock", "[1000,null,null]"),
    ("POST", "/sim/nudge", r#"["paper|BTC",10]"#),
    ("POST", "/sim/faults", r#"["before",null,1]"#),
    ("POST", "/sim/budgets", r#"{"per_key":[1,0]}"#),
];

#[tokio::test]
async fn an_array_is_no_body_and_nothing_is_done_for_it() {
    let paper = Paper::bare().await;
    let isolated = json!({ "type": "market", "margin_mode": "isolated" });
    assert_eq!(place(&paper, "k-1", isolated).await.status, 201);
    paper.advance(1_000).await;
    let resting = json!({ "type": "limit", "limit_price": 50000, "margin_mode": "isolated" });
    assert_eq!(place(&paper, "k-2", resting).await.status, 201);
    let before = paper.get("/sim/clock").await.text();
    for (method, target, body) in BY_POSITION {
        let key = [("Idempotency-Key", "array")];
        let reply = paper.call(method, target, &key, body).await;
        let (status, code, message) = reply.refusal();
        assert_eq!(
            (status, code.as_str()),
            (400, "invalid_request"),
            "{target}"
        );
        let words = "must be an object, not an array";
        assert!(message.contains(words), "{target}: {message}");
    }
    assert_eq!(paper.get("/sim/clock").await.text(), before);
}

#[tokio::test]
async fn an_id_longer_than_any_id_is_400_in_a_body_and_404_in_a_path() {
    let paper = Paper::bare().await;
    let long = "x".repeat(129);
    for field in ["account_id", "market_id"] {
        let (status, _, message) = place(&paper, "k", json!({ (field): long })).await.refusal();
        assert_eq!(status, 400);
        assert!(
            message.starts_with(&format!(
                "{field}: an id of 129 characters, the limit is 128"
            )),
            "{message}"
        );
    }
    let path = format!("/v1/orders/{long}");
    assert_eq!(paper.delete(&path).await.refusal().0, 404);
}

#[tokio::test]
async fn a_body_that_calls_itself_something_else_is_415() {
    let paper = Paper::bare().await;
    let order = body(&json!({}));
    let bearer = format!("Bearer {}", paper.key());
    for (media, status) in [
        ("application/x-www-form-urlencoded", 415),
        ("text/plain", 415),
        ("application/json-seq", 415),
        ("application/json", 201),
        ("Application/JSON; charset=utf-8", 200),
    ] {
        let headers = [
            ("Content-Type", media),
            ("Idempotency-Key", "k"),
            ("Authorization", &bearer),
        ];
        let reply = paper
            .bare_call("POST", "/v1/orders", &headers, &order)
            .await
            .unwrap();
        assert_eq!(reply.status, status, "{media}: {}", reply.text());
        paper.advance(500).await;
    }
}

#[tokio::test]
async fn a_header_that_may_come_once_is_refused_twice() {
    let paper = Paper::bare().await;
    let bearer = format!("Bearer {}", paper.key());
    let list = "/v1/orders?account_id=chal-1";
    let wrong = "Bearer paper_live_guess";
    for second in [bearer.as_str(), wrong] {
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Authorization", second),
        ];
        let reply = paper.bare_call("GET", list, &headers, "").await.unwrap();
        assert_eq!(reply.status, 401);
    }
    let headers = [
        ("Host", "localhost"),
        ("Host", "localhost"),
        ("Authorization", bearer.as_str()),
    ];
    let reply = paper.bare_call("GET", list, &headers, "").await.unwrap();
    assert_eq!(reply.refusal().0, 400);
}

#[tokio::test]
async fn an_idempotency_key_is_1_to_128_printable_characters() {
    let paper = Paper::bare().await;
    let long = "k".repeat(129);
    for key in ["", " ", "tab\there", "sch\u{f6}n", &long] {
        let (status, _, message) = place(&paper, key, json!({})).await.refusal();
        assert_eq!(status, 400, "{key:?}");
        assert!(message.contains("Idempotency-Key"), "{message}");
    }
    let longest = "~".repeat(128);
    assert_eq!(place(&paper, &longest, json!({})).await.status, 201);
}

#[tokio::test]
async fn an_optional_field_may_be_null_which_is_the_same_as_leaving_it_out() {
    let paper = Paper::bare().await;
    let nulls = json!({"limit_price": null, "time_in_force": null, "slippage_tolerance_bps": null});
    assert_eq!(place(&paper, "k", nulls).await.status, 201);
    assert_eq!(place(&paper, "k", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_fault_that_could_never_happen_is_not_planted() {
    let paper = Paper::bare().await;
    for (field, given) in [
        ("count", 0),
        ("percent", 101),
        ("retry_after", 0),
        ("millis", 600_001),
        ("status", 200),
    ] {
        let kind = if field == "millis" {
            "latency"
        } else {
            "before"
        };
        let body = json!({"kind": kind, (field): given}).to_string();
        let (status, _, message) = paper.post("/sim/faults", &body).await.refusal();
        assert_eq!(status, 400);
        assert!(message.starts_with(field), "{message}");
    }
    let planted: Vec<Value> = paper.get("/sim/faults").await.data();
    assert_eq!(planted, [] as [Value; 0]);
}

#[tokio::test]
async fn head_is_a_get_without_a_body_and_options_is_405() {
    let paper = Paper::bare().await;
    let reply = paper.call("OPTIONS", "/v1/orders", &[], "").await;
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, Some("GET, HEAD, POST"))
    );
    assert_eq!(reply.header("access-control-allow-methods"), None);
    for (target, status) in [
        ("/v1/orders?account_id=chal-1", 200),
        ("/v1/orders", 400),
        ("/sim/openapi.yaml", 200),
        ("/sim/reset", 405),
    ] {
        let whole = paper.get(target).await;
        let head = format!(
            "HEAD {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
            paper.key()
        );
        let answer = String::from_utf8(paper.send(head.as_bytes()).await).unwrap();
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{answer}"
        );
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
        let length = whole.header("content-length").unwrap();
        let told = answer
            .to_lowercase()
            .contains(&format!("content-length: {length}\r\n"));
        assert!(told || status == 405, "{length}: {answer}");
    }
}

#[tokio::test]
async fn a_number_is_whole_by_its_value_not_by_its_spelling() {
    let paper = Paper::bare().await;
    let start = crate::support::START.0;
    let clock: Value = paper
        .post("/sim/clock", r#"{"advance_ms":1000.0}"#)
        .await
        .data();
    assert_eq!(clock["now"], json!(start + 1000));
    let plant = r#"{"kind":"before","route":"orders","count":2.0,"status":503.0}"#;
    let planted: Vec<Value> = paper.post("/sim/faults", plant).await.data();
    assert_eq!(
        (&planted[0]["count"], &planted[0]["status"]),
        (&json!(2), &json!(503))
    );
    let (status, _, message) = paper
        .post("/sim/clock", r#"{"advance_ms":0.5}"#)
        .await
        .refusal();
    assert_eq!(status, 400);
    assert!(
        message.starts_with("advance_ms: must be a whole number"),
        "{message}"
    );
}

#[tokio::test]
async fn a_refusal_names_the_field_as_the_request_spells_it() {
    let paper = Paper::bare().await;
    let mut lacking: Value = serde_json::from_str(&body(&json!({}))).unwrap();
    lacking.as_object_mut().unwrap().remove("side");
    let twice = body(&json!({})).replacen('{', r#"{"size":0.2,"#, 1);
    for (odd, field) in [
        (lacking.to_string(), "side"),
        (twice, "size"),
        (body(&json!({"tif": "ioc"})), "tif"),
        (
            body(&json!({"type": "chase", "chase_offset": -1})),
            "chase_offset",
        ),
        (
            body(&json!({"type": "limit", "limit_price": 60000, "time_in_force": "gtd"})),
            "gtd_expires_at",
        ),
        (
            body(&json!({"type": "limit", "limit_price": 0})),
            "limit_price",
        ),
    ] {
        let reply = paper.keyed("/v1/orders", "k", &odd).await;
        assert_eq!(reply.status, 400, "{odd}");
        assert_eq!(reply.json()["error"]["details"][0]["field"], field, "{odd}");
        let message = reply.error().message;
        assert!(message.raw().contains(field), "{message}");
    }
    let entry = json!({"type": "limit", "limit_price": 60000});
    assert_eq!(place(&paper, "k", entry).await.status, 201);
    for field in ["take_profit_price", "stop_loss_price"] {
        let wrong = if field == "stop_loss_price" {
            61000
        } else {
            59000
        };
        let body = json!({ (field): wrong }).to_string();
        let reply = paper
            .put("/v1/orders/ord_000001/attached-exits", &body)
            .await;
        assert_eq!(reply.status, 422, "{}", reply.text());
        assert_eq!(reply.json()["error"]["details"]["field"], field);
    }
}
