use super::{served::Served, *};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::TcpListener,
    thread,
};

fn ids(rows: &Value) -> BTreeSet<String> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_list_in_json_has_all_that_the_service_sent_as_it_was_sent() {
    let served = Served::bare();
    served.post("/sim/clock", &json!({ "paused": true }));
    served.holding("paper|ETH", 1.5, "isolated");
    served.waiting("limit");
    served.waiting("stop_market");
    for (verb, target) in [
        (
            &["orders"][..],
            "/v1/orders?account_id=chal-1&status=working",
        ),
        (&["orders", "--history"], "/v1/orders?account_id=chal-1"),
        (&["positions"], "/v1/positions?account_id=chal-1"),
        (
            &["positions", "--closed"],
            "/v1/positions?account_id=chal-1&status=closed",
        ),
        (&["twap", "list"], "/v1/twap-orders?account_id=chal-1"),
    ] {
        // What follows from a row stands beside it.
        let (shown, sent) = (served.json(verb), served.get(target));
        let [shown, sent] = [&shown, &sent].map(|rows| rows.as_array().unwrap());
        assert_eq!(shown.len(), sent.len(), "{verb:?}");
        for (shown, sent) in shown.iter().zip(sent) {
            for (name, value) in sent.as_object().unwrap() {
                assert_eq!(&shown[name], value, "{verb:?} {name}");
            }
        }
    }
}

#[test]
fn a_ladder_is_shown_with_its_rungs() {
    let served = Served::bare();
    let id = &served.ladder();
    assert_eq!(
        served.json(&["scaled", "show", id])["rungs"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    let (code, table, _) = served.run(&["scaled", "show", id, "--output", "table"]);
    assert_eq!(code, 0);
    assert_eq!(
        table.matches("working").count(),
        5,
        "the ladder and its rungs: {table}"
    );
    let (code, error) = served.error(&["scaled", "show", "scl_none"]);
    assert_eq!((code, &error["status"]), (13, &json!(404)));
}

/// As on the desk: the account could lose the whole position.
#[test]
fn a_position_that_nothing_liquidates_says_none_and_not_that_it_is_unknown() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.01, "cross");
    let (code, table, _) = served.run(&["positions", "--output", "table"]);
    assert_eq!(code, 0);
    let row = table.lines().nth(1).unwrap();
    assert_eq!(row.matches(" none ").count(), 3, "{table}");
}

#[test]
fn a_table_has_ids_to_act_on_and_csv_numbers_to_compute_with() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.5, "cross");
    let (code, table, _) = served.run(&["positions", "--output", "table"]);
    assert_eq!(code, 0);
    let mut lines = table.lines();
    assert!(lines.next().unwrap().starts_with("id "), "{table}");
    let row = lines.next().unwrap();
    assert!(
        row.starts_with(&position) && row.contains("LONG"),
        "{table}"
    );

    let (code, csv, _) = served.run(&["positions", "--output", "csv"]);
    assert_eq!(code, 0);
    let mut lines = csv.split("\r\n");
    let names: Vec<_> = lines.next().unwrap().split(',').collect();
    let cells: Vec<_> = lines.next().unwrap().split(',').collect();
    assert_eq!(names.len(), cells.len(), "{csv}");
    let at = names
        .iter()
        .position(|name| *name == "entry_price")
        .unwrap();
    assert!(cells[at].parse::<f64>().unwrap() > 1_000.0, "{csv}");
}

#[test]
fn every_page_of_a_history_is_read_when_all_of_it_is_wanted() {
    let served = Served::bare();
    let placed: BTreeSet<_> = (0..120).map(|_| served.waiting("limit")).collect();
    assert_eq!(ids(&served.json(&["orders", "--history", "--all"])), placed);
    assert_eq!(ids(&served.json(&["orders"])), placed);

    let (code, out, err) = served.run(&["orders", "--history", "--limit", "70"]);
    let rows: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, ids(&rows).len()), (0, 70));
    assert!(err.contains("the newest 70 rows"), "{err}");
    let (_, out, _) = served.run(&["orders", "--history"]);
    assert_eq!(ids(&serde_json::from_str(&out).unwrap()).len(), 50);
}

/// A service that answers every request with the same page.
fn always(page: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _read = stream.read(&mut request);
            let length = page.len();
            let _sent = write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{page}"
            );
        }
    });
    format!("http://{address}")
}

fn at(base_url: &str, home: &TempDir, args: &[&str]) -> (i32, String, String) {
    ran(perpdeck(home.path())
        .env("PERPDECK_BASE_URL", base_url)
        .env("PERPDECK_ACCOUNT_ID", "chal-1")
        .env("PERPDECK_API_KEY", "k")
        .args(args))
}

#[test]
fn rows_that_cannot_be_read_are_counted_and_the_exit_code_says_so() {
    let home = TempDir::new().unwrap();
    let service = always(
        r#"{"data":[{"id":"pos-1","market_id":"x|BTC","size":1},{"id":"pos-2"}],"has_more":false}"#,
    );
    let (code, out, err) = at(&service, &home, &["positions"]);
    let rows: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, ids(&rows)),
        (15, BTreeSet::from(["pos-1".to_owned()]))
    );
    assert!(err.contains("1 row could not be read: data[1]"), "{err}");
}

#[test]
fn a_verb_calls_no_market_flat_while_a_position_cannot_be_read() {
    let home = TempDir::new().unwrap();
    let service = always(r#"{"data":[{"id":"pos-2"}],"has_more":false}"#);
    for verb in [
        &["close", "x|BTC", "--yes"][..],
        &["flip", "x|BTC", "--yes"],
        &["stop", "x|BTC", "60000", "--yes"],
        &["position", "x|BTC"],
    ] {
        let (code, _, err) = at(&service, &home, verb);
        assert!(
            code == 12 && err.contains("1 row cannot be read (data[0]"),
            "{verb:?}: {code} {err}"
        );
    }
}

#[test]
fn a_service_that_leads_in_a_circle_is_left_and_the_list_is_called_incomplete() {
    let home = TempDir::new().unwrap();
    let service = always(
        r#"{"data":[{"id":"pos-1","market_id":"x|BTC","size":1,"closed_at":1790000000000}],"has_more":true,"next_cursor":"c"}"#,
    );
    let (code, out, err) = at(&service, &home, &["positions", "--closed", "--all"]);
    let rows: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, ids(&rows).len()), (15, 1));
    assert!(err.contains("the list is incomplete"), "{err}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let served = Served::bare();
    served.waiting("limit");
    for format in ["json", "table", "csv"] {
        let mut orders = served.verb(&["orders", "--output", format]);
        let (code, _, err) = ran(orders.stdout(read_no_more()));
        assert_eq!((code, err.as_str()), (0, ""), "{format}");
    }
}

#[test]
fn how_many_rows_is_asked_of_every_list() {
    let served = Served::bare();
    for _ in 0..3 {
        served.waiting("limit");
    }
    let (code, out, err) = served.run(&["orders", "--limit", "2"]);
    assert_eq!((code, out.lines().count()), (0, 4), "{err}");
    assert!(err.contains("the newest 2 rows"), "{err}");
    for all in [
        &["orders"][..],
        &["orders", "--all"],
        &["orders", "--limit", "3"],
    ] {
        let (code, out, err) = served.run(all);
        assert_eq!(
            (code, out.lines().count(), err.as_str()),
            (0, 5, ""),
            "{all:?}"
        );
    }
    let served = Served::bare();
    for (verb, flag) in [("orders", "--history"), ("positions", "--closed")] {
        for cut in [&["--limit", "3"][..], &["--all"]] {
            let args = [&[verb][..], cut].concat();
            let (code, out, _) = served.run(&args);
            assert_eq!((code, out.as_str()), (0, "[]\n"), "{args:?}");
            let (code, out, _) = served.run(&[&args[..], &[flag]].concat());
            assert_eq!((code, out.as_str()), (0, "[]\n"), "{args:?}");
        }
    }
}

#[test]
fn a_program_reads_what_is_wrong_with_the_settings_as_json_too() {
    let served = Served::bare();
    let mut verb = served.verb(&["orders"]);
    let (code, out, err) = ran(verb.env("PERPDECK_BASE_URL", "ftp://x"));
    let error = served::last_error(&err);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(
        (&error["kind"], &error["exit_code"]),
        (&json!("usage"), &json!(2))
    );
    let said = error["message"].as_str().unwrap();
    assert!(
        said.starts_with("PERPDECK_BASE_URL: must begin with https://"),
        "{said}"
    );
}

#[test]
fn a_person_reads_how_long_a_service_wants_to_be_left_alone() {
    let served = Served::bare();
    served.plant(&json!({
        "kind": "before", "route": "orders", "count": 50, "status": 429, "retry_after": 100,
    }));
    let (code, _, err) = served.run(&["orders", "--output", "table"]);
    assert!(
        code == 11 && err.contains("perpdeck: try again in 100 s, not sooner\n"),
        "{code} {err}"
    );
}

fn in_order(list: &Value) -> Vec<&str> {
    let rows = list.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap()).collect()
}

#[test]
fn ended_twaps_are_listed_the_newest_end_first() {
    let served = Served::bare();
    let (first, second, third) = (served.twap(), served.twap(), served.twap());
    for twap in [&second, &first] {
        served.json(&["twap", "stop", twap, "--yes"]);
        served.post("/sim/clock", &json!({ "advance_ms": 1_000 }));
    }
    let ended = served.json(&["twap", "list", "--ended"]);
    assert_eq!(in_order(&ended), [&first, &second], "{ended}");
    served.post("/sim/clock", &json!({ "advance_ms": 2_400_000 }));
    let ended = served.json(&["twap", "list", "--ended", "--limit", "2"]);
    assert_eq!(in_order(&ended), [&third, &first], "the third is completed");
    assert_eq!(served.json(&["twap", "list"]), json!([]));
    let none = served.json(&["twap", "list", "--ended", "--side", "sell"]);
    assert_eq!(none, json!([]));
    assert_eq!(
        served
            .run(&["twap", "list", "--ended", "--status", "armed"])
            .0,
        2
    );
}

#[test]
fn scaled_list_lists_the_working_and_the_ended_ladders() {
    let served = Served::bare();
    let (first, second) = (served.ladder(), served.ladder());
    served.json(&["scaled", "cancel", &first, "--yes"]);
    let listed = served.json(&["scaled", "list"]);
    assert_eq!(in_order(&listed), [&second, &first], "{listed}");
    assert_eq!(listed[0], served.json(&["scaled", "show", &second]));
    assert_eq!(
        in_order(&served.json(&["scaled", "list", "--limit", "1"])),
        [&second]
    );
    let (code, table, err) = served.run(&["scaled", "list", "--output", "table"]);
    assert_eq!((code, table.lines().count()), (0, 3), "{table} {err}");
    assert!(table.contains(&first) && table.contains(&second), "{table}");
    let (_, rungs, _) = served.run(&["scaled", "list", "--output", "csv"]);
    assert_eq!(rungs.lines().count(), 1 + 2 * 4, "{rungs}");
    assert_eq!(served.run(&["scaled", "show", &first, "--all"]).0, 2);
}

#[test]
fn fills_are_read_from_their_own_list() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    served.plant(&json!({ "kind": "before", "route": "orders", "status": 503 }));
    let fills = served.json(&["fills"]);
    assert_eq!(fills.as_array().unwrap().len(), 1, "{fills}");
}
