use super::*;

#[test]
fn show_says_every_setting_and_where_it_stands() {
    let home = TempDir::new().unwrap();
    let (code, out, err) = ran(perpdeck(home.path())
        .env("PERPDECK_POLL__ORDERS", "2s")
        .args(["config", "show", "--theme", "light"]));
    assert_eq!((code, err.as_str()), (0, ""));
    let line = |start: &str| {
        let line = out.lines().find(|line| line.starts_with(start)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("theme"), "theme = \"light\" # --theme");
    assert_eq!(
        line("poll.orders"),
        "poll.orders = \"2s\" # PERPDECK_POLL__ORDERS"
    );
    assert_eq!(
        line("close_all_delay"),
        "close_all_delay = \"1s 500ms\" # default"
    );
    assert_eq!(
        line("# base_url"),
        "# base_url is not set (PERPDECK_BASE_URL)"
    );
}

#[test]
fn show_never_prints_the_key() {
    let home = TempDir::new().unwrap();
    let (code, out, err) = ran(perpdeck(home.path())
        .env("PERPDECK_BASE_URL", "https://paper.example")
        .env("PERPDECK_ACCOUNT_ID", "chal-1")
        .env("PERPDECK_API_KEY", "sk-4711")
        .args(["config", "show"]));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("api_key = \"(set, not shown)\""), "{out}");
    assert!(!out.contains("4711"), "{out}");
}

#[test]
fn init_starts_a_private_file_that_the_program_then_reads() {
    let home = TempDir::new().unwrap();
    let file = home.path().join(".config/perpdeck/config.toml");
    let (code, out, _) = ran(perpdeck(home.path()).args(["config", "init"]));
    assert_eq!((code, out), (0, format!("{}\n", file.display())));
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );

    let (code, _, err) = ran(perpdeck(home.path()).args(["config", "init"]));
    assert_eq!(
        (code, said(&err)),
        (1, format!("{} exists and is not changed\n", file.display()))
    );

    let text = fs::read_to_string(&file)
        .unwrap()
        .replace("# theme = \"dark\"", "them = \"dark\"");
    fs::write(&file, text).unwrap();
    let (code, _, err) = ran(perpdeck(home.path()).args(["config", "check"]));
    assert_eq!(
        (code, said(&err)),
        (
            2,
            format!(
                "{}: them: no such setting; did you mean theme?\n",
                file.display()
            )
        )
    );
}

#[test]
fn a_wrong_value_names_the_variable_or_the_flag() {
    let home = TempDir::new().unwrap();
    let (code, _, err) = ran(perpdeck(home.path())
        .env("PERPDECK_THEME", "drak")
        .args(["config", "check"]));
    assert_eq!(
        (code, said(&err).as_str()),
        (
            2,
            "PERPDECK_THEME: \"drak\" is not one of \"dark\", \"light\", \"contrast\", \"blue_orange\", \"red_up\"\n"
        )
    );
    let (code, _, err) =
        ran(perpdeck(home.path()).args(["config", "check", "--close-all-delay", "soon"]));
    assert_eq!(code, 2);
    assert_eq!(
        said(&err),
        "--close-all-delay: \"soon\" is not a duration: write a number and its unit, as in \"250ms\", \"1.5s\" or \"2m\"\n"
    );
}

#[test]
fn check_finds_a_key_that_cannot_be_had() {
    let home = TempDir::new().unwrap();
    let key = home.path().join("key");
    fs::write(&key, "pp_live_4711").unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let (code, _, err) = ran(perpdeck(home.path())
        .env("PERPDECK_CONFIG", "desk.toml")
        .args(["config", "check"]));
    assert_eq!(code, 2);
    assert!(
        said(&err).starts_with("desk.toml: cannot be read: "),
        "{err}"
    );

    fs::write(
        home.path().join("desk.toml"),
        "base_url = 'https://x.example'\naccount_id = 'a'\napi_key_file = '~/key'\n",
    )
    .unwrap();
    let (code, _, err) =
        ran(perpdeck(home.path()).args(["--config", "desk.toml", "config", "check"]));
    assert_eq!(
        (code, said(&err)),
        (
            2,
            format!(
                "{0}: other users of this machine can reach it (mode 644): run chmod 600 '{0}'\n",
                key.display()
            )
        )
    );
}

/// Whoever may write the file would decide what this user runs.
#[test]
fn a_settings_file_that_others_may_write_or_own_is_refused_and_its_command_does_not_run() {
    let home = TempDir::new().unwrap();
    let (file, ran_it) = (home.path().join("desk.toml"), home.path().join("ran"));
    let text = format!(
        "base_url = 'https://x.example'\naccount_id = 'a'\napi_key_command = 'touch {}; echo pd_live_x'\n",
        ran_it.display()
    );
    fs::write(&file, text).unwrap();
    let refused = |words: &str| {
        let (code, _, err) =
            ran(perpdeck(home.path()).args(["--config", "desk.toml", "config", "check"]));
        assert!(code == 2 && err.contains(words), "{err}");
        assert!(!ran_it.exists(), "its command ran");
    };
    let mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&file, 0o666);
    refused("other users of this machine may write to desk.toml (mode 666): run chmod go-w");
    mode(&file, 0o600);
    mode(home.path(), 0o777);
    refused("other users of this machine may write to the directory");
    mode(home.path(), 0o700);
    // Only root gives files away; elsewhere there is nobody to give them to.
    if std::os::unix::fs::chown(&file, Some(54_321), None).is_ok() {
        refused("desk.toml belongs to user 54321, and you are user 0");
    }
}

/// The same of a place for the journal.
#[test]
fn a_state_directory_of_another_user_is_not_taken() {
    let home = TempDir::new().unwrap();
    let state = home.path().join("state");
    fs::create_dir(&state).unwrap();
    // As above: only root can try it.
    if std::os::unix::fs::chown(&state, Some(54_321), None).is_err() {
        return;
    }
    let (code, _, err) =
        ran(perpdeck(home.path()).args(["journal", "list", "--state-dir", "state"]));
    assert!(
        code == 1 && err.contains("state belongs to user 54321, and you are user 0"),
        "{err}"
    );
    assert_eq!(fs::read_dir(&state).unwrap().count(), 0);
}

#[test]
fn a_directory_for_the_paper_account_is_for_the_commands_that_have_one() {
    let home = TempDir::new().unwrap();
    let (code, out, err) = ran(perpdeck(home.path()).args(["--data-dir", "d", "config", "show"]));
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(said(&err), "--data-dir must follow desk, demo or serve\n");
}

#[test]
fn check_reads_the_keys_and_the_colors_too_and_says_everything_that_is_wrong() {
    let home = TempDir::new().unwrap();
    fs::write(
        home.path().join("keys.toml"),
        "[desk]\nno_such_thing = 'x'\n",
    )
    .unwrap();
    let (code, out, err) = ran(perpdeck(home.path()).args([
        "config",
        "check",
        "--keys-file",
        "~/keys.toml",
        "--theme-file",
        "~/none.toml",
    ]));
    assert_eq!((code, out.as_str()), (2, ""));
    let [keys, theme] = ["keys.toml", "none.toml"].map(|name| home.path().join(name));
    let told = said(&err);
    let lines: Vec<_> = told.lines().collect();
    assert!(
        lines[0].starts_with(&format!("keys_file {}: ", keys.display())),
        "{err}"
    );
    let unread = format!("theme_file {} cannot be read: ", theme.display());
    assert!(lines[1].starts_with(&unread), "{err}");
    fs::write(&keys, "").unwrap();
    let (code, out, err) =
        ran(perpdeck(home.path()).args(["config", "check", "--keys-file", "~/keys.toml"]));
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (0, "settings: ok\n", "")
    );
}

#[test]
fn who_turns_on_the_data_of_venues_is_told_what_they_see() {
    let home = TempDir::new().unwrap();
    let checked = |choice| {
        let mut check = perpdeck(home.path());
        let (code, out, err) = ran(check
            .env("PERPDECK_MARKET_DATA", choice)
            .args(["config", "check"]));
        assert_eq!((code, out.as_str()), (0, "settings: ok\n"));
        err
    };
    assert_eq!(checked("off"), "");
    let told = checked("venue");
    assert!(told.contains("see the address of this machine"), "{told}");
}

#[test]
fn the_schema_tells_every_setting_that_show_does() {
    let home = TempDir::new().unwrap();
    let (code, out, err) = ran(perpdeck(home.path()).args(["config", "schema"]));
    assert_eq!((code, err.as_str()), (0, ""));
    let schema: serde_json::Value = serde_json::from_str(&out).unwrap();
    let (_, shown, _) = ran(perpdeck(home.path()).args(["config", "show"]));
    for line in shown.lines() {
        let name = line.trim_start_matches("# ").split(' ').next().unwrap();
        let at = name
            .split('.')
            .fold(&schema, |node, name| &node["properties"][name]);
        assert!(at.is_object(), "{name}");
    }
    let orders = &schema["properties"]["poll"]["properties"]["orders"];
    assert_eq!(
        (&orders["type"], &orders["default"], &orders["description"]),
        (&"string".into(), &"1s".into(), &"working orders".into())
    );
}
