use super::super::{FarEnd, Loaded, SettingFlag, SettingsError, Sources, load};
use secrecy::ExposeSecret as _;
use std::{fs, os::unix::fs::PermissionsExt as _};
use tempfile::TempDir;

/// Loads a settings file, variables and flags; errors call the file `my.toml`.
fn read(
    text: &str,
    environment: &[(&str, &str)],
    flags: &[(&'static str, &'static str, &str)],
) -> Result<Loaded, String> {
    read_at(0o600, text, environment, flags)
}

fn read_at(
    mode: u32,
    text: &str,
    environment: &[(&str, &str)],
    flags: &[(&'static str, &'static str, &str)],
) -> Result<Loaded, String> {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("my.toml");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    let pairs = environment.iter();
    let sources = Sources {
        named_file: Some(path.clone()),
        environment: pairs
            .map(|(name, value)| ((*name).to_owned(), (*value).into()))
            .collect(),
        flags: flags
            .iter()
            .map(|(key, name, value)| SettingFlag {
                key,
                name,
                value: (*value).to_owned(),
            })
            .collect(),
        ..Sources::default()
    };
    let shown = |why: SettingsError| why.to_string().replace(path.to_str().unwrap(), "my.toml");
    load(&sources).map_err(shown)
}

/// Name, account, key and address of every account, the chosen one first.
fn accounts(loaded: &Loaded) -> Vec<(Option<&str>, String)> {
    let place = |settings: &super::Settings| {
        let FarEnd::LiveApi(connection) = settings.far_end().unwrap() else {
            panic!("paper")
        };
        let key = connection.api_key.expose_secret();
        format!("{} {key} {}", connection.account_id, connection.base_url)
    };
    let all = loaded.accounts();
    all.map(|settings| (settings.name.as_deref(), place(settings)))
        .collect()
}

const TWO: &str = "
base_url = 'https://paper.example'
close_all_confirm = true
[profiles.swing]
account_id = 'chal-2'
api_key = 'two'
badge_color = 'violet'
close_all_confirm = false
[profiles.main]
account_id = 'chal-1'
api_key = 'one'
[profiles.main.guard]
daily_loss = 500
";

#[test]
fn profiles_stand_by_name_with_what_is_set_above_them_where_they_set_nothing() {
    let loaded = read(TWO, &[], &[]).unwrap();
    let at = "https://paper.example";
    let expected = [
        (Some("main"), format!("chal-1 one {at}")),
        (Some("swing"), format!("chal-2 two {at}")),
    ];
    assert_eq!(accounts(&loaded), expected);
    let (main, swing) = (&loaded.settings, &loaded.others[0].settings);
    assert!(main.close_all_confirm && !swing.close_all_confirm);
    assert_eq!(main.guard.daily_loss, Some(500_i64.into()));
    assert_eq!(swing.guard.daily_loss, None);
}

#[test]
fn the_first_is_chosen_by_a_setting_a_variable_or_a_flag_and_none_other_will_do() {
    let first = |environment: &[(&str, &str)], flags: &[(&'static str, &'static str, &str)]| {
        let loaded = read(&format!("profile = 'swing'\n{TWO}"), environment, flags);
        loaded.map(|loaded| loaded.settings.name.unwrap())
    };
    let variable = [("PERPDECK_PROFILE", "main")];
    assert_eq!(first(&[], &[]).unwrap(), "swing");
    assert_eq!(first(&variable, &[]).unwrap(), "main");
    let flag = [("profile", "--profile", "swing")];
    assert_eq!(first(&variable, &flag).unwrap(), "swing");
    let unknown = first(&[("PERPDECK_PROFILE", "scalp")], &[]).unwrap_err();
    assert_eq!(
        unknown,
        "PERPDECK_PROFILE: there is no profile \"scalp\": main, swing"
    );
    let none = read("", &[], &[("profile", "--profile", "main")]).unwrap_err();
    assert_eq!(
        none,
        "--profile: there is no profile \"main\": none is set; write [profiles.main] in a settings file"
    );
}

#[test]
fn what_is_set_above_is_an_account_too_when_it_names_one() {
    let environment = [
        ("PERPDECK_BASE_URL", "https://other.example"),
        ("PERPDECK_ACCOUNT_ID", "chal-9"),
        ("PERPDECK_API_KEY", "nine"),
        (
            "PERPDECK_PROFILES__SWING__BASE_URL",
            "https://paper.example",
        ),
        ("PERPDECK_PROFILES__MAIN__BASE_URL", "https://paper.example"),
    ];
    let loaded = read(TWO, &environment, &[]).unwrap();
    let expected = [
        (None, "chal-9 nine https://other.example".to_owned()),
        (Some("main"), "chal-1 one https://paper.example".to_owned()),
        (Some("swing"), "chal-2 two https://paper.example".to_owned()),
    ];
    assert_eq!(accounts(&loaded), expected);
}

#[test]
fn a_key_goes_to_no_other_service_and_no_other_key_beside_its_own() {
    let missing = "api_key: is missing, and profile b is an account of a service: set api_key_file, api_key_command or \
                   api_key_keyring in its table; the key of another service, or one set above a key of its own, is not taken";
    let elsewhere =
        "base_url = 'https://a.example'\napi_key = 'above'\n[profiles.b]\naccount_id = 'b'\n";
    let same = read(elsewhere, &[], &[]).unwrap();
    assert_eq!(
        accounts(&same),
        [(Some("b"), "b above https://a.example".to_owned())]
    );
    let other = format!("{elsewhere}base_url = 'https://b.example'");
    let why = read(&other, &[], &[]).unwrap_err();
    assert_eq!(why, format!("profiles.b.{missing}"));

    let dir = TempDir::new().unwrap();
    let own = dir.path().join("key");
    fs::write(&own, "own\n").unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).unwrap();
    let filed = format!("{elsewhere}api_key_file = '{}'", own.display());
    let loaded = read(&filed, &[("PERPDECK_API_KEY", "above")], &[]).unwrap();
    assert_eq!(
        accounts(&loaded),
        [(Some("b"), "b own https://a.example".to_owned())]
    );
}

/// A keyring entry follows the rules of the other sources of a key.
#[test]
fn an_entry_of_the_keyring_is_a_key_of_its_own_and_every_other_place_goes_before_it() {
    let text = "base_url = 'https://a.example'\napi_key_file = '/above'\n[profiles.b]\naccount_id = 'b'\n\
                api_key_keyring = 'mine'\n";
    let program = |more: &str| {
        let loaded = read(&format!("{text}{more}"), &[], &[]).unwrap();
        loaded.settings.key_program()
    };
    assert_eq!(program(""), Some("api_key_keyring"));
    assert_eq!(program("api_key_command = 'pass'"), Some("api_key_command"));
    assert_eq!(program("api_key_file = '/own'"), None);
    assert_eq!(program("api_key = 'own'"), None);
    let why = read(&text.replace("'mine'", "'-w'"), &[], &[]).unwrap_err();
    assert!(
        why.contains("profiles.b.api_key_keyring: is not a valid entry name"),
        "{why}"
    );
}

#[test]
fn read_only_above_is_read_only_in_every_profile() {
    let text = format!("{TWO}\n[profiles.swing.checks]\nmax_size = 1\n");
    let only = |flags| read(&text, &[], flags).unwrap().settings.read_only;
    assert!(!only(&[]));
    assert!(only(&[("read_only", "--read-only", "true")]));
    let own = TWO.replace("api_key = 'two'", "api_key = 'two'\nread_only = true");
    let loaded = read(&own, &[], &[]).unwrap();
    let all: Vec<_> = loaded.accounts().map(|account| account.read_only).collect();
    assert_eq!(all, [false, true]);
}

#[test]
fn what_is_wrong_in_a_profile_says_where_and_what_to_do() {
    let wrong = |more: &str| read(&format!("{TWO}{more}"), &[], &[]).unwrap_err();
    assert_eq!(
        wrong("[profiles.swing.poll]\nordres = '1s'"),
        "my.toml: profiles.swing.poll.ordres: no such setting; did you mean poll.orders?"
    );
    assert_eq!(
        wrong("[profiles.third]\napi_key = 'three'\nbadge_color = 'pink'"),
        "my.toml: profiles.third.badge_color: \"pink\" is not one of \"blue\", \"cyan\", \"violet\", \"magenta\", \
         \"orange\", \"yellow\", \"grey\""
    );
    assert_eq!(
        wrong("[profiles.third]\naccount_id = 'chal-3'\napi_key = 'three'\ntheme = 'light'"),
        "my.toml: profiles.third.theme: applies to the whole desk, not to a profile: set it above the profiles"
    );
    assert_eq!(
        wrong("[profiles.third]\naccount_id = 'chal-3'\napi_key = 'three'\ndry_run = true"),
        "my.toml: profiles.third.dry_run: applies to the whole desk, not to a profile: set it above the profiles"
    );
    assert_eq!(
        wrong("[profiles.third]\naccount_id = 'chal-1'\napi_key = 'three'"),
        "my.toml: profiles.third.account_id: is the account of profile main: an account has one profile"
    );
    assert_eq!(
        wrong("[profiles.'a b']\naccount_id = 'chal-3'\napi_key = 'three'"),
        "profiles: \"a b\" is not a valid profile name: letters, digits, - and _, at most 16"
    );
    assert_eq!(
        read("profiles = 3", &[], &[]).unwrap_err(),
        "my.toml: profiles: is not a table: write [profiles.NAME] and its settings below"
    );
    assert_eq!(
        read("[profiles]\nmain = 'chal-1'", &[], &[]).unwrap_err(),
        "my.toml: profiles.main: is not a table: write [profiles.main] and its settings below"
    );
}

#[test]
fn what_is_wrong_above_the_profiles_is_said_once() {
    let why = read(&format!("log_levl = 'off'\n{TWO}"), &[], &[]).unwrap_err();
    assert_eq!(
        why,
        "my.toml: log_levl: no such setting; did you mean log_level?"
    );
}

#[test]
fn a_flag_that_the_chosen_profile_would_overrule_is_refused() {
    let flags = [("account_id", "--account-id", "chal-7")];
    let with_profile = [("profile", "--profile", "main"), flags[0]];
    let text = format!("api_key = 'above'\n{TWO}");
    let why = read(&text, &[], &with_profile).unwrap_err();
    assert_eq!(
        why,
        "--account-id: profile main sets account_id itself: leave the flag out, or choose another profile"
    );
    let free = read(&text, &[], &flags).unwrap();
    assert_eq!(free.settings.name, None, "the flag names the account above");
}

#[test]
fn a_file_with_a_profiles_key_must_be_ones_own_and_no_key_is_shown() {
    let why = read_at(0o644, TWO, &[], &[]).unwrap_err();
    assert!(
        why.starts_with(
            "my.toml: holds api_key, and other users of this machine can reach it (mode 644)"
        ),
        "{why}"
    );
    let loaded = read(TWO, &[], &[]).unwrap();
    let shown = loaded.to_string();
    for line in [
        "account_id = \"chal-1\"",
        "profiles.swing.account_id = \"chal-2\"",
        "profiles.swing.api_key = \"(set, not shown)\"",
        "profiles.swing.badge_color = \"violet\"",
        "profiles.swing.close_all_confirm = false",
    ] {
        assert!(shown.contains(line), "{line} in\n{shown}");
    }
    let printed = format!("{shown}{loaded:?}");
    assert!(
        !printed.contains("\"two\"") && !printed.contains("\"one\""),
        "{printed}"
    );
    assert!(shown.contains(", profile main"), "{shown}");
}
