use super::{served::Served, *};
use serde_json::{Value, json};

/// The verdict on one thing, and why.
fn found<'a>(report: &'a Value, what: &str) -> (&'a str, &'a str) {
    let mut checks = report["checks"].as_array().unwrap().iter();
    let one = checks.find(|check| check["what"] == what);
    let word = |name: &str| one.unwrap()[name].as_str().unwrap();
    (word("verdict"), word("how"))
}

#[test]
fn the_paper_exchange_passes() {
    let served = Served::open(include_str!("../../assets/scenario-demo.toml"));
    let report = served.json(&["doctor"]);
    for what in ["service", "key", "account", "live or test", "markets"] {
        assert_eq!(found(&report, what).0, "ok", "{what}: {report}");
    }
    let checks = report["checks"].as_array().unwrap();
    assert!(
        checks.iter().all(|check| check["verdict"] != "bad"),
        "{report}"
    );
}

#[test]
fn what_the_service_does_not_answer_is_named_and_the_rest_is_still_examined() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "before", "route": "markets", "status": 500 }));
    let (code, out, err) = served.run(&["doctor"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, found(&report, "markets").0), (15, "bad"), "{err}");
    for what in ["service", "key", "account", "clock", "latency"] {
        assert_ne!(found(&report, what).0, "bad", "{what}: {report}");
    }
    let (code, table, _) = served.run(&["doctor", "--output", "table"]);
    assert_eq!(code, 15);
    assert!(table.contains("markets          bad"), "{table}");
}

#[test]
fn an_account_that_is_not_the_keys_is_named_with_those_that_are() {
    let served = Served::bare();
    let (code, out, err) = ran(served
        .verb(&["doctor"])
        .env("PERPDECK_ACCOUNT_ID", "chal-9"));
    let report: Value = serde_json::from_str(&out).unwrap();
    let (verdict, how) = found(&report, "account");
    assert_ne!(code, 0, "{err}");
    assert!(verdict == "bad" && how.contains("chal-9"), "{how}");
}

#[test]
fn a_short_silence_is_waited_out_once_and_everything_is_read_after_it() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "before", "status": 429, "retry_after": 1, "count": 1 }));
    let report = served.json(&["doctor"]);
    for what in ["service", "key", "account", "markets"] {
        assert_eq!(found(&report, what).0, "ok", "{what}: {report}");
    }
}

#[test]
fn a_proxy_of_the_environment_sees_nothing_and_the_doctor_says_so() {
    let home = TempDir::new().unwrap();
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let (_, out, _) = ran(perpdeck(home.path())
        .args(["doctor", "--output", "table"])
        .env("PERPDECK_BASE_URL", "https://service.invalid")
        .env("PERPDECK_API_KEY", "pp_live_x")
        .env("PERPDECK_ACCOUNT_ID", "chal-1")
        .envs(["HTTPS_PROXY", "https_proxy", "ALL_PROXY"].map(|name| (name, &address))));
    assert!(proxy.accept().is_err(), "it was asked for a tunnel");
    let said = "none: requests go directly to the service; the environment variable HTTPS_PROXY is ignored";
    assert!(out.contains(said), "{out}");
}
