//! The differences between two readings of the settings, and when each takes effect on a running desk.
//!
//! Contract: every changed setting is named once. Those in [`LIVE`] take effect at once, all others need a restart. A
//! key is never among the values.

use super::{Loaded, Settings, profiles::OF_THE_DESK};
use crate::model::Num;
use jiff::SignedDuration;
use secrecy::ExposeSecret;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

/// One changed setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Dots between tables; `keys_file` and `theme_file` also if only the file's contents changed.
    pub key: String,
    pub values: SettingValues,
    pub takes: Takes,
    /// Whether it allows orders that were refused before.
    pub leeway: Leeway,
}

/// The old and the new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValues {
    /// As written in a file.
    Told { was: String, is: String },
    /// Too long for a line, or a key.
    Untold,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Now,
    Restart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leeway {
    Same,
    More,
}

/// In which direction a setting is less restrictive.
#[derive(Debug, Clone, Copy)]
enum Looser {
    Never,
    WhenOff,
    /// A greater value; unset is the least restrictive.
    WhenMore,
    /// A shorter time; zero is the least restrictive.
    WhenLess,
}

/// The settings that a running desk applies. A table stands for everything in it; the first match counts.
const LIVE: &[(&str, Looser)] = &[
    ("size_presets", Looser::Never),
    ("size_presets_of", Looser::Never),
    ("bracket", Looser::Never),
    ("bracket_of", Looser::Never),
    ("theme", Looser::Never),
    ("theme_file", Looser::Never),
    ("color", Looser::Never),
    ("keys_file", Looser::Never),
    ("checks.duplicate_within", Looser::WhenLess),
    ("checks.ask_without_price", Looser::WhenOff),
    ("checks.ask_liquidation_within", Looser::WhenLess),
    ("checks.ask_liquidation_ranges", Looser::WhenLess),
    ("checks", Looser::WhenMore),
    ("guard.lock", Looser::WhenOff),
    ("guard.daily_loss", Looser::WhenMore),
    ("guard.drawdown", Looser::WhenMore),
    ("guard", Looser::Never),
];

impl Loaded {
    /// The names of the settings that differ in `newer`, including those of other accounts where they differ from this
    /// one's.
    pub fn changes(&self, newer: &Self) -> Vec<Change> {
        let mut changes = self.own_changes(newer);
        let names = |loaded: &Self| -> BTreeSet<_> {
            let others = loaded.others.iter();
            others.map(|other| other.settings.name.clone()).collect()
        };
        if names(self) != names(newer) {
            changes.push(Change::of_contents("profiles"));
        }
        let name = |loaded: &Self| loaded.settings.name.clone().unwrap_or_default();
        for other in &newer.others {
            let mut before = self.others.iter();
            let before = before.find(|before| name(before) == name(other));
            let Some(before) = before else { continue };
            let mut own = before.own_changes(other);
            own.retain(|change| {
                let is_of_the_desk = OF_THE_DESK.contains(&change.key.as_str());
                !is_of_the_desk && !changes.contains(change)
            });
            changes.extend(own.into_iter().map(|change| Change {
                key: format!("profiles.{}.{}", name(other), change.key),
                ..change
            }));
        }
        changes
    }

    fn own_changes(&self, newer: &Self) -> Vec<Change> {
        let [was, is] = [self, newer].map(|loaded| rows(&loaded.settings));
        let names: BTreeSet<_> = was.keys().chain(is.keys()).collect();
        let value = |rows: &BTreeMap<_, _>, name| rows.get(name).cloned().unwrap_or(Value::Null);
        let changed_settings = names
            .into_iter()
            .filter_map(|name| changed(name, &value(&was, name), &value(&is, name)));
        let is_new_key = secret(&self.settings) != secret(&newer.settings);
        let key = is_new_key.then(|| Change::of_contents("api_key"));
        changed_settings
            .filter(|change| change.key != "api_key")
            .chain(key)
            .collect()
    }

    /// The files that were read, and the files they name that a running desk reads.
    pub fn files(&self) -> Vec<PathBuf> {
        let settings = &self.settings;
        let named = [&settings.keys_file, &settings.theme_file];
        let read = self.layers.files().map(ToOwned::to_owned);
        read.chain(named.into_iter().flatten().cloned()).collect()
    }

    /// A settings file of this reading that is missing in `newer`: its settings must not be dropped silently.
    pub fn lost(&self, newer: &Self) -> Option<PathBuf> {
        let mut files = self.layers.files();
        files
            .find(|file| !newer.layers.files().any(|there| there == *file))
            .map(ToOwned::to_owned)
    }
}

impl Change {
    /// The file that this setting names has other contents now.
    pub fn of_contents(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            values: SettingValues::Untold,
            takes: takes(key),
            leeway: Leeway::Same,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        match (&self.values, self.takes) {
            (_, Takes::Restart) => return Ok(()),
            (SettingValues::Untold, _) => f.write_str(" changed")?,
            (SettingValues::Told { was, is }, Takes::Now) => write!(f, " = {is} (was {was})")?,
        }
        match self.leeway {
            Leeway::More => f.write_str(", LOOSER"),
            Leeway::Same => Ok(()),
        }
    }
}

type SettingRows = BTreeMap<String, Value>;

fn rows(settings: &Settings) -> SettingRows {
    crate::config::rows::rows(settings).into_iter().collect()
}

fn secret(settings: &Settings) -> Option<&str> {
    settings.api_key.as_ref().map(ExposeSecret::expose_secret)
}

fn changed(name: &str, was: &Value, is: &Value) -> Option<Change> {
    let leeway = match live(name) {
        Some(looser) if looser.lets_through(was, is) => Leeway::More,
        Some(_) | None => Leeway::Same,
    };
    (was != is).then(|| Change {
        key: name.to_owned(),
        values: SettingValues::Told {
            was: written(was),
            is: written(is),
        },
        takes: takes(name),
        leeway,
    })
}

fn live(name: &str) -> Option<Looser> {
    let fits = |of: &str| {
        name.strip_prefix(of)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut known = LIVE.iter().filter(|(of, _)| fits(of));
    known.next().map(|(_, looser)| *looser)
}

fn takes(name: &str) -> Takes {
    match live(name) {
        Some(_) => Takes::Now,
        None => Takes::Restart,
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

impl Looser {
    fn lets_through(self, was: &Value, is: &Value) -> bool {
        match self {
            Self::Never => false,
            Self::WhenOff => was == &Value::Bool(true) && is == &Value::Bool(false),
            Self::WhenMore => match (amount(was), amount(is)) {
                (None, _) => false,
                (Some(_), None) => true,
                (Some(was), Some(is)) => is > was,
            },
            Self::WhenLess => amount(is).unwrap_or_default() < amount(was).unwrap_or_default(),
        }
    }
}

/// A limit as a number, a time in milliseconds; unset or zero means no limit.
fn amount(value: &Value) -> Option<Num> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let span = || {
        let span = text.parse::<SignedDuration>().ok()?;
        Some(Num::from(i64::try_from(span.as_millis()).ok()?))
    };
    let number = text.parse::<Num>().ok().or_else(span);
    number.filter(|number| *number != Num::default())
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Sources, load, load::known},
        *,
    };
    use std::{fs, path::Path};

    fn loaded(file: &Path, text: &str) -> Loaded {
        crate::disk::replace(file, text.as_bytes()).unwrap();
        let sources = Sources {
            user_file: Some(file.to_owned()),
            ..Sources::default()
        };
        load(&sources).unwrap()
    }

    fn changed_settings(was: &str, is: &str) -> Vec<(String, Takes, Leeway)> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        let (was, is) = (loaded(&file, was), loaded(&file, is));
        let changed_settings = |change: Change| (change.to_string(), change.takes, change.leeway);
        was.changes(&is).into_iter().map(changed_settings).collect()
    }

    #[test]
    fn nothing_that_reads_the_same_is_a_change() {
        assert_eq!(changed_settings("", "theme = \"dark\" # as it was"), []);
    }

    #[test]
    fn a_limit_of_another_profile_is_named_although_a_profile_came_with_it() {
        let other = |most: &str| {
            format!(
                "base_url = \"http://127.0.0.1:1\"\napi_key = \"k\"\nprofile = \"a\"\n[profiles.a]\naccount_id = \"chal-1\"\n[profiles.b]\naccount_id = \"chal-2\"\n\
                 checks.max_size = {most}\n"
            )
        };
        let more = format!("{}[profiles.c]\naccount_id = \"chal-3\"\n", other("2"));
        let words: Vec<_> = changed_settings(&other("1"), &more)
            .into_iter()
            .map(|(words, ..)| words)
            .collect();
        let named = |name: &str| words.iter().any(|words| words.starts_with(name));
        assert!(
            named("profiles") && named("profiles.b.checks.max_size"),
            "{words:?}"
        );
    }

    #[test]
    fn a_change_says_what_was_and_what_is() {
        assert_eq!(
            changed_settings("", "theme = \"light\"\n[checks]\nmax_size = \"2\""),
            [
                (
                    "checks.max_size = 2 (was none)".to_owned(),
                    Takes::Now,
                    Leeway::Same
                ),
                (
                    "theme = light (was dark)".to_owned(),
                    Takes::Now,
                    Leeway::Same
                ),
            ]
        );
    }

    #[test]
    fn a_setting_that_is_neither_looks_nor_keys_nor_a_limit_needs_a_restart() {
        let service =
            "base_url = \"http://127.0.0.1:9\"\naccount_id = \"a\"\napi_key_file = \"/k\"";
        let changes = changed_settings(
            service,
            "read_only = true\nlog_level = \"off\"\n[poll]\norders = \"2s\"",
        );
        let later: Vec<_> = changes
            .iter()
            .map(|(key, takes, _)| (key.as_str(), *takes))
            .collect();
        assert_eq!(
            later,
            [
                ("account_id", Takes::Restart),
                ("api_key_file", Takes::Restart),
                ("base_url", Takes::Restart),
                ("log_level", Takes::Restart),
                ("poll.orders", Takes::Restart),
                ("read_only", Takes::Restart),
            ]
        );
    }

    #[test]
    fn a_limit_that_is_lifted_or_raised_is_called_looser_and_one_that_is_set_is_not() {
        let more = [
            ("[checks]\nmax_size = \"1\"", ""),
            ("[checks]\nmax_size = \"1\"", "[checks]\nmax_size = \"1.5\""),
            ("", "[checks]\norders_per_second = 0"),
            ("", "[checks]\nfacts_within = \"1m\""),
            ("", "[checks]\nduplicate_within = \"0s\""),
            ("", "[guard]\nlock = false"),
            ("[guard]\ndrawdown = \"5\"", "[guard]\ndrawdown = \"6\""),
        ];
        for (strict, loose) in more {
            let leeways = [
                changed_settings(strict, loose),
                changed_settings(loose, strict),
            ]
            .map(|changed_settings| changed_settings[0].2);
            assert_eq!(leeways, [Leeway::More, Leeway::Same], "{strict} -> {loose}");
        }
    }

    #[test]
    fn another_key_is_told_without_the_key() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let service = "base_url = \"http://127.0.0.1:9\"\naccount_id = \"a\"\n";
        let was = loaded(&file, &format!("{service}api_key = \"sk-1\""));
        let is = loaded(&file, &format!("{service}api_key = \"sk-2\""));
        assert_eq!(was.changes(&is), [Change::of_contents("api_key")]);
        assert_eq!(was.changes(&is)[0].takes, Takes::Restart);
        assert_eq!(was.changes(&was), []);
    }

    #[test]
    fn a_file_that_is_gone_is_known_to_be() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        let was = loaded(&file, "read_only = true\nkeys_file = \"/k\"");
        assert_eq!(was.files(), [file.clone(), "/k".into()]);
        let sources = Sources {
            user_file: Some(file.clone()),
            ..Sources::default()
        };
        fs::remove_file(&file).unwrap();
        let is = load(&sources).unwrap();
        assert_eq!((was.lost(&is), is.lost(&was)), (Some(file), None));
    }

    #[test]
    fn what_takes_effect_at_once_is_a_setting() {
        let known = known();
        let unknown = LIVE.iter().filter(|(of, _)| {
            !known
                .iter()
                .any(|key| key == of || key.starts_with(&format!("{of}.")))
        });
        assert_eq!(
            unknown.map(|(of, _)| *of).collect::<Vec<_>>(),
            Vec::<&str>::new()
        );
    }
}
