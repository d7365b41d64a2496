//! What the shell gets at Tab.

use super::{served::Served, *};
use std::time::{Duration, Instant};

/// The candidates of the last word, as bash gets them, and standard error.
fn offered(command: &mut Command, words: &[&str]) -> (Vec<String>, String) {
    let index = words.len().to_string();
    command
        .env("COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", index)
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "true")
        .args(["--", "perpdeck"])
        .args(words);
    let (code, out, err) = ran(command);
    assert_eq!(code, 0, "{words:?}: {err}");
    (out.lines().map(str::to_owned).collect(), err)
}

fn from(served: &Served, words: &[&str]) -> Vec<String> {
    let mut command = perpdeck(served.home.path());
    let (found, err) = offered(command.envs(served.environment()), words);
    assert_eq!(err, "", "{words:?}");
    found
}

#[test]
fn ids_and_markets_are_those_of_the_service() {
    let served = Served::bare();
    let (one, two) = (served.waiting("limit"), served.waiting("stop_market"));
    let position = served.holding("paper|ETH", 1.0, "cross");
    let mut orders = from(&served, &["cancel", "ord"]);
    orders.sort();
    let mut known = vec![one, two];
    known.sort();
    assert_eq!(orders, known);
    assert_eq!(from(&served, &["close", "pos"]), [position.as_str()]);
    assert_eq!(from(&served, &["book", "b"]), ["BTC"]);
    assert_eq!(from(&served, &["place", "--market", "et"]), ["ETH"]);
    assert_eq!(
        from(&served, &["cancel", "--yes", "none"]),
        Vec::<String>::new()
    );
    // Verbs and flags are offered as ever.
    assert_eq!(from(&served, &["close-"]), ["close-all"]);
    assert!(from(&served, &["place", "--side", ""]).contains(&"sell".to_owned()));
}

#[test]
fn profiles_are_those_of_the_settings_that_the_line_names() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("desk.toml");
    fs::write(
        &file,
        "base_url = 'https://x.example'\n[profiles.main]\naccount_id = 'a'\napi_key_file = '~/none'\n\
         [profiles.swing]\naccount_id = 'b'\napi_key_file = '~/none'\n",
    )
    .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let words = ["orders", "--config", "desk.toml", "--profile", "s"];
    assert_eq!(
        offered(&mut perpdeck(home.path()), &words),
        (vec!["swing".to_owned()], String::new())
    );
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the real program runs in real time"
)]
fn a_service_that_does_not_answer_or_is_none_delays_nothing_and_says_nothing() {
    // It takes connections and never answers.
    let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mute = format!("http://{}", mute.local_addr().unwrap());
    for base_url in [
        Some(mute.as_str()),
        Some("http://127.0.0.1:9"),
        Some("no address"),
        None,
    ] {
        let home = TempDir::new().unwrap();
        let mut command = perpdeck(home.path());
        if let Some(base_url) = base_url {
            command.env("PERPDECK_BASE_URL", base_url);
            command
                .env("PERPDECK_ACCOUNT_ID", "chal-1")
                .env("PERPDECK_API_KEY", "k");
        }
        let began = Instant::now();
        let found = offered(&mut command, &["cancel", "ord"]);
        assert_eq!(found, (vec![], String::new()), "{base_url:?}");
        assert!(began.elapsed() < Duration::from_secs(4), "{base_url:?}");
        // Nothing is started or written.
        let left: Vec<_> = fs::read_dir(home.path()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn no_program_is_run_for_a_key() {
    let home = TempDir::new().unwrap();
    let ran_it = home.path().join("ran");
    let mut command = perpdeck(home.path());
    command
        .env("PERPDECK_BASE_URL", "http://127.0.0.1:9")
        .env("PERPDECK_ACCOUNT_ID", "chal-1")
        .env(
            "PERPDECK_API_KEY_COMMAND",
            format!("touch {}", ran_it.display()),
        );
    assert_eq!(
        offered(&mut command, &["cancel", "ord"]).0,
        Vec::<String>::new()
    );
    assert!(!ran_it.exists());
}

#[test]
fn the_script_that_asks_the_program_is_printed_for_each_shell() {
    let home = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, _) =
            ran(perpdeck(home.path()).args(["completions", shell, "--dynamic"]));
        assert!(
            code == 0 && script.contains("COMPLETE"),
            "{shell}: {script}"
        );
    }
}
