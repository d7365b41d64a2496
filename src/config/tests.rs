use super::*;
use secrecy::ExposeSecret;
use std::{collections::HashMap, fs, os::unix::fs::PermissionsExt, path::PathBuf, time::Duration};
use tempfile::TempDir;

fn environment(pairs: &[(&str, &str)]) -> HashMap<String, Secret> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).into()))
        .collect()
}

fn from_environment(pairs: &[(&str, &str)]) -> Result<Loaded, SettingsError> {
    load(&Sources {
        environment: environment(pairs),
        ..Sources::default()
    })
}

/// Of an account on a service.
fn connection(settings: &Settings) -> Connection {
    match settings.far_end().unwrap() {
        FarEnd::LiveApi(connection) => *connection,
        FarEnd::Paper => panic!("paper"),
    }
}

fn file(dir: &TempDir, name: &str, mode: u32, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn complaint(text: &str) -> String {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "my.toml", 0o600, text);
    let sources = Sources {
        named_file: Some(path.clone()),
        ..Sources::default()
    };
    load(&sources)
        .unwrap_err()
        .to_string()
        .replace(path.to_str().unwrap(), "my.toml")
}

const SERVICE: [(&str, &str); 3] = [
    ("PERPDECK_BASE_URL", "https://paper.example"),
    ("PERPDECK_API_KEY", "pp_live_secret"),
    ("PERPDECK_ACCOUNT_ID", "chal-1"),
];

#[test]
fn with_nothing_set_the_desk_trades_on_paper() {
    let settings = load(&Sources::default()).unwrap().settings;
    assert!(matches!(settings.far_end().unwrap(), FarEnd::Paper));
    assert_eq!(settings.close_all_delay, Duration::from_millis(1500));
    assert_eq!(settings.poll.history, Duration::from_secs(5));
}

#[test]
fn address_key_and_account_make_a_live_desk() {
    let settings = from_environment(&SERVICE).unwrap().settings;
    let connection = connection(&settings);
    assert_eq!(connection.base_url, "https://paper.example");
    assert_eq!(connection.api_key.expose_secret(), "pp_live_secret");
    assert_eq!(connection.account_id.raw(), "chal-1");
    assert_eq!(connection.kind, ServiceKind::Unknown);
}

#[test]
fn half_a_service_says_what_is_missing_and_how_to_set_it() {
    let error = from_environment(&SERVICE[..1]).unwrap_err().to_string();
    assert_eq!(
        error,
        "api_key: is missing, and base_url asks for a service: set PERPDECK_API_KEY, api_key_file, \
         api_key_command or api_key_keyring (or unset base_url to trade on paper)"
    );
}

#[test]
fn address_and_key_are_enough_and_the_account_is_that_of_the_key() {
    let pairs = SERVICE
        .into_iter()
        .filter(|(name, _)| !name.contains("ACCOUNT"));
    let pairs: Vec<_> = pairs.collect();
    let settings = from_environment(&pairs).unwrap().settings;
    let connection = connection(&settings);
    assert!(connection.needs_account());
}

#[test]
fn the_later_layer_wins_and_each_value_knows_its_place() {
    let dir = TempDir::new().unwrap();
    let user = file(
        &dir,
        "user.toml",
        0o644,
        "theme = 'light'\nlog_level = 'debug'\n[poll]\norders = '3s'\ntwaps = '4s'\n",
    );
    let named = file(
        &dir,
        "named.toml",
        0o644,
        "log_level = 'warn'\n[poll]\ntwaps = '5s'\nmarkets = '6s'\n",
    );
    let flag = SettingFlag {
        key: "color",
        name: "--color",
        value: "never".to_owned(),
    };
    let loaded = load(&Sources {
        user_file: Some(user.clone()),
        named_file: Some(named.clone()),
        environment: environment(&[
            ("PERPDECK_POLL__MARKETS", "7s"),
            ("PERPDECK_COLOR", "always"),
            ("PERPDECK_BASE_URL", ""),
            ("PERPDECK_CONFIG", "x"),
        ]),
        flags: vec![flag],
    })
    .unwrap();
    let seen = |key: &str| loaded.origin(key).unwrap();
    assert_eq!(seen("theme"), SettingOrigin::File(user.clone()));
    assert_eq!(seen("poll.orders"), SettingOrigin::File(user));
    assert_eq!(seen("log_level"), SettingOrigin::File(named.clone()));
    assert_eq!(seen("poll.twaps"), SettingOrigin::File(named));
    assert_eq!(
        seen("poll.markets"),
        SettingOrigin::Variable("PERPDECK_POLL__MARKETS".to_owned())
    );
    assert_eq!(seen("color"), SettingOrigin::Flag("--color"));
    assert_eq!(seen("poll.account"), SettingOrigin::Default);
    let poll = loaded.settings.poll;
    assert_eq!(
        [poll.orders, poll.twaps, poll.markets].map(|d| d.as_secs()),
        [3, 5, 7]
    );
    assert_eq!(loaded.settings.color, ColorChoice::Never);
}

#[test]
fn every_unknown_setting_is_named_at_once_with_the_likely_one() {
    assert_eq!(
        complaint(
            "Base_URL = 'x'\nxyzzy = 1\n[poll]\npositons = \
             '1s'\n"
        ),
        "my.toml: Base_URL: no such setting; did you mean base_url?\n\
         my.toml: poll.positons: no such setting; did you mean poll.positions?\n\
         my.toml: xyzzy: no such setting; \"perpdeck config show\" lists every setting"
    );
    assert_eq!(
        from_environment(&[("PERPDECK_POLL__ORDER", "1s")])
            .unwrap_err()
            .to_string(),
        "PERPDECK_POLL__ORDER: no such setting; did you mean PERPDECK_POLL__ORDERS?"
    );
}

#[test]
fn a_wrong_setting_names_its_place_and_what_is_allowed() {
    for (text, said) in [
        (
            "theme = 'drak'",
            "theme: \"drak\" is not one of \"dark\", \"light\", \"contrast\", \"blue_orange\", \"red_up\"",
        ),
        (
            "close_all_confirm = 'maybe'",
            "close_all_confirm: \"maybe\" is not one of true, false",
        ),
        (
            "close_all_delay = 2",
            "close_all_delay: \"2\" is not a duration: write a number and its unit, as in \"250ms\", \"1.5s\" or \
             \"2m\"",
        ),
        (
            "close_all_delay = '-1s'",
            "close_all_delay: \"-1s\" is not a duration: write a number and its unit, as in \"250ms\", \"1.5s\" or \
             \"2m\"",
        ),
        (
            "close_all_delay = '2m'",
            "close_all_delay: 2m is out of range: 0s to 1m",
        ),
        (
            "[poll]\norders = '0s'",
            "poll.orders: 0s is out of range: 100ms to 1h",
        ),
        (
            "poll = 3",
            "poll: invalid type: integer `3`, expected a table, [poll]",
        ),
        (
            "journal_days = -1",
            "journal_days: must be a whole number, 0 or above",
        ),
        ("theme = = 'dark'", "line 1: extra `=`, expected nothing"),
    ] {
        assert_eq!(complaint(text), format!("my.toml: {said}"), "{text}");
    }
}

#[test]
fn a_service_that_would_leak_the_key_is_refused() {
    for (url, said) in [
        (
            "http://paper.example",
            "plain http would send the key in the clear: use https (http is only for 127.0.0.1, ::1 and localhost)",
        ),
        (
            "https://me:pw@paper.example",
            "must not carry a user name or password",
        ),
        (
            "https://paper.example/v1",
            "must be scheme, host and port only, as in \"http://127.0.0.1:8080\"",
        ),
    ] {
        let mut pairs = SERVICE.to_vec();
        pairs[0].1 = url;
        let error = from_environment(&pairs).unwrap_err().to_string();
        assert_eq!(error, format!("PERPDECK_BASE_URL: {said}"));
    }
}

#[test]
fn no_error_and_no_listing_repeats_the_key() {
    for text in [
        "api_key = sk-4711",
        "api_key = ['sk-4711']",
        "api_key = 'sk-4711'\ntheme = 'drak'",
        "api_key = 'sk-4711'\nbase_url = 'pp_live_4711'\naccount_id = 'a'",
    ] {
        let said = complaint(text);
        assert!(!said.contains("4711"), "{said}");
    }
    let loaded = from_environment(&SERVICE).unwrap();
    let shown = format!("{loaded} {loaded:?}");
    assert!(shown.contains("api_key = \"(set, not shown)\""), "{shown}");
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn once_read_a_key_is_kept_as_a_secret_only() {
    let dir = TempDir::new().unwrap();
    let text = "base_url = 'https://paper.example'\napi_key = 'sk-4711'\naccount_id = 'a'\n\
                proxy = 'http://desk:4711@proxy.test'\n\
                [profiles.swing]\naccount_id = 'b'\napi_key = 4711\n";
    let loaded = load(&Sources {
        user_file: Some(file(&dir, "my.toml", 0o600, text)),
        environment: environment(&[("PERPDECK_PROFILES__SWING__API_KEY", "env-4711")]),
        ..Sources::default()
    })
    .unwrap();
    let keys = loaded.accounts().map(|settings| {
        let connection = connection(settings);
        let proxy = connection.proxy.unwrap();
        assert_eq!(proxy.url(), "http://desk:4711@proxy.test");
        connection.api_key.expose_secret().to_owned()
    });
    assert_eq!(keys.collect::<Vec<_>>(), ["sk-4711", "env-4711"]);
    let all = [&loaded].into_iter().chain(&loaded.others);
    for layers in all.map(|loaded| &loaded.layers) {
        for key in ["api_key", "proxy", "profiles.swing.api_key", "profiles"] {
            let (_, kept) = layers.find(key).unwrap();
            assert!(!kept.to_string().contains("4711"), "{key}: {kept}");
        }
    }
    let origin = loaded.others[0].origin("api_key");
    let variable = "PERPDECK_PROFILES__SWING__API_KEY".to_owned();
    assert_eq!(origin, Some(SettingOrigin::Variable(variable)));
}

#[test]
fn a_settings_file_that_is_too_long_is_refused_and_never_read_in_part() {
    let comment = "# a comment that makes the file long\n".repeat(30_000);
    let text = format!("{comment}max_order_notional = 5\n");
    assert_eq!(
        complaint(&text),
        "my.toml: cannot be read: it is longer than 1024 KiB"
    );
}

#[test]
fn a_file_with_the_key_in_it_must_be_private() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "open.toml", 0o644, "api_key = 'pp_live_x'");
    let sources = Sources {
        user_file: Some(path.clone()),
        ..Sources::default()
    };
    let path = path.display();
    assert_eq!(
        load(&sources).unwrap_err().to_string(),
        format!(
            "{path}: holds api_key, and other users of this machine can reach it (mode 644): run chmod 600 '{path}'"
        )
    );
}

#[test]
fn a_proxy_is_named_wherever_settings_are_shown_and_its_password_nowhere() {
    let with = |proxy: &str| {
        let mut pairs = SERVICE.to_vec();
        pairs.push(("PERPDECK_PROXY", proxy));
        from_environment(&pairs)
    };
    let loaded = with("http://desk:hunter2@proxy.test:3128").unwrap();
    let shown = format!("{loaded} {loaded:?}");
    assert!(
        shown.contains("proxy = \"http://proxy.test:3128\""),
        "{shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");
    for wrong in ["hunter2", "desk:hunter2@proxy.test", "ftp://x:hunter2@y"] {
        let said = with(wrong).unwrap_err().to_string();
        assert!(said.starts_with("PERPDECK_PROXY: "), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    let dir = TempDir::new().unwrap();
    let text = "proxy = 'http://desk:hunter2@proxy.test'";
    let sources = Sources {
        user_file: Some(file(&dir, "open.toml", 0o644, text)),
        ..Sources::default()
    };
    let said = load(&sources).unwrap_err().to_string();
    assert!(
        said.contains("holds the password of a proxy, and"),
        "{said}"
    );
}

#[test]
fn a_profile_can_take_back_the_proxy_that_is_set_above_it() {
    let dir = TempDir::new().unwrap();
    let text = "base_url = 'https://paper.example'\nproxy = 'http://proxy.test'\n\
                [profiles.a]\naccount_id = '1'\napi_key = 'k'\n\
                [profiles.b]\naccount_id = '2'\napi_key = 'k'\nproxy = ''\n";
    let sources = Sources {
        user_file: Some(file(&dir, "my.toml", 0o600, text)),
        ..Sources::default()
    };
    let loaded = load(&sources).unwrap();
    let proxies = loaded.accounts().map(|settings| {
        let connection = connection(settings);
        connection.proxy.map(|proxy| proxy.to_string())
    });
    let proxies: Vec<_> = proxies.collect();
    assert_eq!(proxies, [Some("http://proxy.test".to_owned()), None]);
}

#[test]
fn the_key_comes_from_a_private_file_or_a_command_too() {
    let dir = TempDir::new().unwrap();
    let key = file(&dir, "key", 0o600, "pp_live_file\n");
    let with = |name: &str, value: &str| {
        let pairs = [SERVICE[0], SERVICE[2], (name, value)];
        let FarEnd::LiveApi(connection) = from_environment(&pairs).unwrap().settings.far_end()?
        else {
            panic!("paper")
        };
        Ok::<_, SettingsError>(connection.api_key.expose_secret().to_owned())
    };
    assert_eq!(
        with("PERPDECK_API_KEY_FILE", key.to_str().unwrap()).unwrap(),
        "pp_live_file"
    );
    assert_eq!(
        with("PERPDECK_API_KEY_COMMAND", "echo pp_live_asked").unwrap(),
        "pp_live_asked"
    );
    assert_eq!(
        with("PERPDECK_API_KEY_COMMAND", "echo pp_live_no; exit 3")
            .unwrap_err()
            .to_string(),
        "api_key_command: failed (exit status: 3); it printed no key"
    );
    assert_eq!(
        with("PERPDECK_API_KEY_COMMAND", "yes pp_live_endless")
            .unwrap_err()
            .to_string(),
        "api_key_command: prints more than 64 KiB: the first line is the key"
    );
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let refused = with("PERPDECK_API_KEY_FILE", key.to_str().unwrap())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("mode 640): run chmod 600"), "{refused}");
}

#[test]
fn a_named_file_must_be_there_and_the_users_own_need_not() {
    let missing = Some(PathBuf::from("/nowhere/perpdeck.toml"));
    assert!(
        load(&Sources {
            user_file: missing.clone(),
            ..Sources::default()
        })
        .is_ok()
    );
    let error = load(&Sources {
        named_file: missing,
        ..Sources::default()
    })
    .unwrap_err()
    .to_string();
    assert!(
        error.starts_with("/nowhere/perpdeck.toml: cannot be read: "),
        "{error}"
    );
}

#[test]
fn the_default_file_documents_every_setting() {
    let undocumented: Vec<_> = load::known()
        .into_iter()
        .filter(|key| {
            let name = key.rsplit('.').next().unwrap();
            !layers::DEFAULTS.lines().any(|line| {
                line.trim_start_matches(['#', ' '])
                    .starts_with(&format!("{name} ="))
            })
        })
        .collect();
    assert_eq!(undocumented, Vec::<String>::new());
}

#[test]
fn a_fresh_settings_file_explains_everything_and_changes_nothing() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "fresh.toml", 0o600, &template());
    let fresh = load(&Sources {
        user_file: Some(path),
        ..Sources::default()
    })
    .unwrap();
    assert_eq!(
        fresh.to_string(),
        load(&Sources::default()).unwrap().to_string()
    );
    assert!(template().contains("\n# theme = \"dark\"\n"));
}

/// The leaves of the schema, by name.
fn leaves(prefix: &str, node: &serde_json::Value, out: &mut Vec<(String, serde_json::Value)>) {
    let fields = node["properties"].as_object().unwrap();
    for (name, field) in fields {
        let key = crate::config::rows::joined(prefix, name);
        if field["properties"].is_object() {
            leaves(&key, field, out);
        } else {
            out.push((key, field.clone()));
        }
    }
}

#[test]
fn settings_that_comments_of_the_assets_name_exist() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let mut all = vec![];
    leaves("", &schema, &mut all);
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let folders = [assets.to_owned(), format!("{assets}/themes")];
    let files = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    let mut seen = 0;
    for file in files.filter(|file| file.extension().is_some_and(|kind| kind == "toml")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let comments = text
            .lines()
            .filter_map(|line| line.split_once('#'))
            .map(|(_, words)| words);
        let comments: Vec<_> = comments
            .map(|words| words.trim_start_matches(['#', ' ']))
            .collect();
        let comments = comments.join(" ");
        // "`name` in the settings", "the setting `name`".
        let quoted = comments
            .split('`')
            .enumerate()
            .filter(|(at, _)| at % 2 == 1);
        for (at, name) in quoted {
            let after = comments.split('`').nth(at + 1).unwrap_or_default();
            let before = comments.split('`').nth(at - 1).unwrap_or_default();
            if after.starts_with(" in the settings") || before.ends_with("the setting ") {
                seen += 1;
                let known = all.iter().any(|(key, _)| key == name);
                assert!(known, "{}: there is no setting `{name}`", file.display());
            }
        }
    }
    assert!(seen > 0);
}

#[test]
fn the_schema_takes_what_the_settings_take_and_says_what_each_means() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let mut all = vec![];
    leaves("", &schema, &mut all);
    all.retain(|(key, _)| key != "profiles");
    let names: Vec<_> = all.iter().map(|(key, _)| key.as_str()).collect();
    let rows = crate::config::rows::rows(&load::defaults().unwrap());
    let mut known: Vec<_> = rows.iter().map(|(key, _)| key.as_str()).collect();
    known.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, known);
    for (key, field) in &all {
        assert!(field["description"].is_string(), "{key}");
        let is_text = field["type"] == "string" && field["examples"].is_null();
        let value = if is_text { "a" } else { "no such word" };
        let sources = Sources {
            environment: [(layers::variable(key), value.into())].into(),
            ..Sources::default()
        };
        let refused = load(&sources).is_err();
        let needs_more = ["base_url", "account_id", "api_key", "profile"]
            .iter()
            .any(|n| key.starts_with(n));
        assert!(needs_more || refused != is_text, "{key}: {field}");
    }
}

#[test]
fn the_schema_knows_what_may_stand_in_a_profile() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let profile = &schema["properties"]["profiles"]["additionalProperties"];
    assert_eq!(profile["additionalProperties"], false);
    let may = |key: &str| profile["properties"][key].is_object();
    assert!(
        [
            "base_url",
            "api_key_file",
            "badge_color",
            "guard",
            "read_only"
        ]
        .into_iter()
        .all(may)
    );
    assert!(
        !["profile", "profiles", "theme", "state_dir"]
            .into_iter()
            .any(may)
    );
}

#[test]
fn what_settings_are_read_from_never_shows_the_key_it_holds() {
    let sources = Sources {
        environment: environment(&[("PERPDECK_API_KEY", "sk-4711")]),
        ..Sources::default()
    };
    let shown = format!("{sources:?}");
    assert!(shown.contains("PERPDECK_API_KEY") && !shown.contains("4711"));
}

#[test]
fn a_stream_is_encrypted_or_on_this_machine_and_the_one_with_the_key_on_the_services_own_host() {
    let said = |market: &str, account: &str| {
        let mut pairs = SERVICE.to_vec();
        pairs.push(("PERPDECK_MARKET_STREAM_URL", market));
        pairs.push(("PERPDECK_ACCOUNT_STREAM_URL", account));
        from_environment(&pairs).err().map(|why| why.to_string())
    };
    let (market, account) = (
        "wss://data.example/v1/market-data",
        "wss://paper.example:444/v1/stream",
    );
    assert_eq!(said(market, account), None);
    assert_eq!(said("ws://127.0.0.1:8080/v1/market-data", account), None);
    for (market, account, why) in [
        ("https://data.example", account, "must begin with wss://"),
        ("ws://data.example", account, "must begin with wss://"),
        ("WSS:data.example", account, "must begin with wss://"),
        ("wss://me:pw@data.example", account, "user name or password"),
        (
            "wss://data.example?key=1",
            account,
            "must end after its path",
        ),
        (
            market,
            "wss://other.example/v1/stream",
            "on another host than base_url",
        ),
    ] {
        let said = said(market, account).unwrap();
        assert!(said.contains(why) && !said.contains("pw"), "{said}");
    }
    let alone = from_environment(&[("PERPDECK_MARKET_STREAM_URL", market)]);
    assert!(
        alone
            .unwrap_err()
            .to_string()
            .contains("base_url is not set")
    );
}

#[test]
fn a_profile_with_an_address_of_its_own_inherits_no_stream() {
    let dir = TempDir::new().unwrap();
    let text = "base_url = 'https://paper.example'\naccount_id = 'a'\napi_key_command = 'echo k'\n\
                market_stream_url = 'wss://paper.example/m'\naccount_stream_url = 'wss://paper.example/a'\n\
                [profiles.here]\naccount_id = 'b'\n\
                [profiles.there]\nbase_url = 'https://other.example'\naccount_id = 'c'\napi_key_command = 'echo k'\n";
    let sources = Sources {
        user_file: Some(file(&dir, "my.toml", 0o600, text)),
        ..Sources::default()
    };
    let loaded = load(&sources).unwrap();
    let streams = loaded.accounts().map(|settings| {
        let connection = connection(settings);
        (
            connection.streams.market.is_some(),
            connection.streams.account.is_some(),
        )
    });
    let streams: Vec<_> = streams.collect();
    assert_eq!(streams, [(true, true), (true, true), (false, false)]);
}

#[test]
fn venues_are_off_until_a_person_uses_them_and_have_the_public_addresses() {
    let venues = |pairs: &[(&str, &str)]| {
        let pairs = [&SERVICE[..], pairs].concat();
        connection(&from_environment(&pairs).unwrap().settings).venues
    };
    assert_eq!(venues(&[]), None);
    let mirror = "wss://mirror.example/ws";
    let used = [
        ("PERPDECK_MARKET_DATA", "venue"),
        ("PERPDECK_VENUES__HYPERLIQUID__STREAM_URL", mirror),
    ];
    let venues = venues(&used).unwrap();
    assert_eq!(venues.hyperliquid.stream_url, mirror);
    assert_eq!(venues.hyperliquid.rest_url, "https://api.hyperliquid.xyz");
    assert_eq!(venues.binance.rest_url, "https://fapi.binance.com");
    assert_eq!(venues.binance.stream_url, "wss://fstream.binance.com");
    assert_eq!(
        venues.bybit.stream_url,
        "wss://stream.bybit.com/v5/public/linear"
    );
    let said = from_environment(&[("PERPDECK_MARKET_DATA", "binance")]);
    let said = said.unwrap_err().to_string();
    assert!(said.contains("\"off\", \"venue\""), "{said}");
}

#[test]
fn the_address_of_a_venue_has_the_form_that_its_paths_need() {
    let said = |name: &str, url: &str| {
        let variable = format!("PERPDECK_VENUES__{name}");
        let said = from_environment(&[(&variable, url)]).err();
        said.map(|why| why.to_string())
    };
    for (name, url) in [
        ("HYPERLIQUID__REST_URL", "http://127.0.0.1:8080"),
        ("HYPERLIQUID__STREAM_URL", "ws://localhost:9/mirror/ws"),
        ("BINANCE__STREAM_URL", "wss://mirror.example:444/"),
        ("BYBIT__STREAM_URL", "ws://[::1]:1/v5/public/linear"),
    ] {
        assert_eq!(said(name, url), None, "{name} {url}");
    }
    for (name, url, why) in [
        (
            "HYPERLIQUID__REST_URL",
            "https://x.test/info",
            "must be scheme, host and port only",
        ),
        (
            "HYPERLIQUID__REST_URL",
            "http://x.test",
            "must begin with https://",
        ),
        ("HYPERLIQUID__REST_URL", "x.test", "is not a URL"),
        ("BINANCE__REST_URL", "https://me:pw@", "is not a URL"),
        ("HYPERLIQUID__STREAM_URL", "wss://x.test", "must end in /ws"),
        (
            "HYPERLIQUID__STREAM_URL",
            "ws://x.test/ws",
            "must begin with wss://",
        ),
        (
            "BINANCE__STREAM_URL",
            "wss://x.test/stream",
            "must be scheme, host and port only",
        ),
        (
            "BINANCE__REST_URL",
            "https://me:pw@x.test",
            "user name or password",
        ),
        (
            "BYBIT__STREAM_URL",
            "wss://x.test/v5/public/spot",
            "must end in /v5/public/linear",
        ),
        (
            "BYBIT__REST_URL",
            "https://x.test?a=1",
            "must end after its path",
        ),
    ] {
        let said = said(name, url).unwrap();
        assert!(
            said.contains(why) && !said.contains("pw@"),
            "{name}: {said}"
        );
    }
}
