use super::{served::Served, *};
use serde_json::{Value, json};

fn settled(report: &Value, what: &str) -> (String, String) {
    let all = report["assumptions"].as_array().unwrap();
    let one = all.iter().find(|a| a["what"] == what).unwrap();
    let word = |name: &str| one[name].as_str().unwrap().to_owned();
    (word("settled"), word("how"))
}

#[test]
fn the_paper_exchange_passes_and_every_assumption_has_its_setting() {
    let served = Served::open(include_str!("../../assets/scenario-demo.toml"));
    let report = served.json(&["doctor"]);
    let verdicts = report["checks"].as_array().unwrap();
    assert!(
        verdicts.iter().all(|check| check["verdict"] != "bad"),
        "{report}"
    );
    for what in [
        "working filter",
        "positions",
        "TWAP account",
        "paging",
        "prices",
        "account figures",
    ] {
        assert_eq!(settled(&report, what).0, "asked", "{what}");
    }
    for what in ["time in force", "trigger side", "timestamps", "sizes"] {
        assert_eq!(settled(&report, what).0, "seen", "{what}");
    }
    assert_eq!(settled(&report, "slippage").0, "assumed");
    let names: Vec<_> = report["assumptions"].as_array().unwrap().iter().collect();
    assert_eq!(
        names.iter().filter(|a| a["setting"].is_null()).count(),
        1,
        "paging is no setting"
    );
}

#[test]
fn an_assumption_that_does_not_hold_is_named_and_the_rest_is_still_asked() {
    let served = Served::bare();
    served.waiting("limit");
    let (code, out, _) = ran(served
        .verb(&["doctor"])
        .env("PERPDECK_DIALECT__POSITION_SELECTOR", "which")
        .env("PERPDECK_DIALECT__TIMESTAMP_UNIT", "seconds"));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 15);
    assert_eq!(settled(&report, "positions").0, "wrong");
    assert_eq!(
        settled(&report, "timestamps"),
        (
            "wrong".to_owned(),
            "timestamps have the magnitude of milliseconds".to_owned()
        )
    );
    assert_eq!(settled(&report, "working filter").0, "asked");
}

#[test]
fn the_words_say_what_is_wrong_and_which_setting_mends_it() {
    let served = Served::bare();
    let (code, out, _) = ran(served
        .verb(&["doctor", "--output", "table"])
        .env("PERPDECK_DIALECT__WORKING_FILTER__NAME", "show"));
    assert_eq!(code, 15);
    assert!(
        out.contains("working filter   wrong        show=working"),
        "{out}"
    );
    assert!(out.contains("dialect.working_filter"), "{out}");
}

#[test]
fn a_read_the_service_had_no_time_for_settles_nothing_and_is_not_called_wrong() {
    let served = Served::bare();
    for (status, words) in [(429, "limited"), (503, "unavailable")] {
        served.plant(&json!({
            "kind": "before", "route": "twap_orders", "status": status, "retry_after": 40
        }));
        let (code, out, err) = served.run(&["doctor"]);
        served.clear_faults();
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(code, 15, "{err}");
        let expected = (
            "not_settled".to_owned(),
            format!("{words}, try again in 40 s"),
        );
        assert_eq!(settled(&report, "TWAP account"), expected);
        let all = report["assumptions"].as_array().unwrap();
        assert!(all.iter().all(|a| a["settled"] != "wrong"), "{report}");
    }
}

#[test]
fn a_short_silence_is_waited_out_once_and_everything_is_settled_after_it() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "before", "status": 429, "retry_after": 1, "count": 1 }));
    let report = served.json(&["doctor"]);
    for what in ["working filter", "positions", "TWAP account", "prices"] {
        assert_eq!(settled(&report, what).0, "asked", "{what}");
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
