//! The layers of settings, kept apart so that each value can name its origin.

use super::{Problem, Proxy, Secret, origin::SettingOrigin};
use crate::disk;
use config::{Config, ConfigError, Environment, Map, Source, Value, ValueKind};
use secrecy::{ExposeSecret as _, zeroize::Zeroizing};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    io::Read as _,
    path::{Path, PathBuf},
};

/// The lowest layer, and the reference of all settings.
pub(super) const DEFAULTS: &str = include_str!("../../assets/default.toml");

/// Names the file of `--config`, so it is not a setting.
const FILE_VARIABLE: &str = "PERPDECK_CONFIG";

/// The sources of settings, as data: no other files are read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Read if it exists.
    pub user_file: Option<PathBuf>,
    /// Named by `--config`: must exist.
    pub named_file: Option<PathBuf>,
    /// The whole environment; only `PERPDECK_…` counts. Any value may be a key.
    pub environment: HashMap<String, Secret>,
    pub flags: Vec<SettingFlag>,
}

impl Sources {
    /// A proxy variable of other programs, if one is set; perpdeck uses only its own setting.
    pub fn idle_proxy(&self) -> Option<&'static str> {
        const NAMES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
        let is_set = |name: &&str| {
            let value = self.environment.get(*name);
            value.is_some_and(|value| !value.expose_secret().is_empty())
        };
        NAMES.into_iter().find(is_set)
    }
}

/// A setting from the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFlag {
    /// The setting: `base_url`.
    pub key: &'static str,
    /// As typed: `--base-url`.
    pub name: &'static str,
    pub value: String,
}

/// Lowest first.
#[derive(Clone)]
pub(super) struct Layers(Vec<Layer>);

/// The settings of one source. Keys and passwords are moved out as soon as they are read, into memory that is wiped
/// after use; a marker that they are set remains among the values.
#[derive(Clone)]
struct Layer {
    place: LayerPlace,
    values: Map<String, Value>,
    /// By the setting's name.
    secrets: BTreeMap<String, Secret>,
}

/// Shows only the origins.
impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|layer| &layer.place))
            .finish()
    }
}

/// The marker for a key among the values.
const SET: &str = "(set)";

/// The origin of a whole layer; the environment and flags name each value on its own.
#[derive(Debug, Clone)]
enum LayerPlace {
    Default,
    File(PathBuf),
    Environment,
    Flags(Vec<SettingFlag>),
    /// A profile's table within another layer.
    Profile(String, Box<LayerPlace>),
}

/// The table of all profiles.
const PROFILES: &str = "profiles";

/// A layer that is part of another.
#[derive(Debug, Clone)]
struct LayerTable(Map<String, Value>);

impl Source for LayerTable {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        Ok(self.0.clone())
    }
}

impl Layer {
    fn of(place: LayerPlace, mut values: Map<String, Value>) -> Result<Self, Problem> {
        let mut secrets = BTreeMap::new();
        take_secrets("", &mut values, &mut secrets);
        if let Some(profiles) = values.get_mut(PROFILES)
            && let ValueKind::Table(profiles) = &mut profiles.kind
        {
            for (name, profile) in profiles {
                if let ValueKind::Table(own) = &mut profile.kind {
                    take_secrets(&format!("{PROFILES}.{name}."), own, &mut secrets);
                }
            }
        }
        let values = Config::builder().add_source(LayerTable(values)).build();
        let values = values.and_then(|all| all.collect());
        let values = values.map_err(|e| Problem::new(None, "settings", &e.to_string()))?;
        Ok(Self {
            place,
            values,
            secrets,
        })
    }

    fn value(&self, key: &str) -> Option<Value> {
        within(&self.values, key)
    }

    /// The first secret in it, its own or a profile's, that nobody else may read.
    fn secret(&self) -> Option<&'static str> {
        let is_key = |name: &String| name.ends_with("api_key");
        if self.secrets.keys().any(is_key) {
            return Some("api_key");
        }
        (!self.secrets.is_empty()).then_some("the password of a proxy")
    }
}

/// Moves the secrets out of `table`, whose settings are named `prefix` plus their key.
fn take_secrets(
    prefix: &str,
    table: &mut Map<String, Value>,
    secrets: &mut BTreeMap<String, Secret>,
) {
    if let Some(value) = table.get_mut("api_key")
        // Any other type is not a key and is refused later.
        && !matches!(value.kind, ValueKind::Table(_) | ValueKind::Array(_) | ValueKind::Nil)
    {
        let shown = Value::new(None, ValueKind::String(SET.to_owned()));
        if let Ok(text) = std::mem::replace(value, shown).into_string() {
            secrets.insert(format!("{prefix}api_key"), text.into());
        }
    }
    if let Some(value) = table.get_mut("proxy")
        && let ValueKind::String(text) = &value.kind
        // An address without a user name holds no password.
        && text.contains('@')
        && let Ok(proxy) = text.parse::<Proxy>()
    {
        let shown = ValueKind::String(proxy.to_string());
        let written = std::mem::replace(&mut value.kind, shown);
        if let ValueKind::String(text) = written {
            secrets.insert(format!("{prefix}proxy"), text.into());
        }
    }
}

impl Layers {
    pub(super) fn read(sources: &Sources) -> Result<Self, Problem> {
        let defaults = parsed(DEFAULTS, Path::new("default.toml"))?;
        let mut layers = vec![Layer::of(LayerPlace::Default, defaults)?];
        let user_file = sources.user_file.iter().filter(|path| path.exists());
        for path in user_file.chain(&sources.named_file) {
            layers.push(file(path)?);
        }
        layers.push(environment(&sources.environment)?);
        let flags = (
            LayerPlace::Flags(sources.flags.clone()),
            flags(&sources.flags)?,
        );
        layers.push(Layer::of(flags.0, flags.1)?);
        Ok(Self(layers))
    }

    pub(super) fn merged(&self) -> Result<Config, Problem> {
        self.0
            .iter()
            .fold(Config::builder(), |builder, layer| {
                builder.add_source(LayerTable(layer.values.clone()))
            })
            .build()
            .map_err(|e| Problem::new(None, "settings", &e.to_string()))
    }

    /// The secret of `key`, if the value that counts is one.
    pub(super) fn secret(&self, key: &str) -> Option<&Secret> {
        let mut layers = self.0.iter().rev();
        let layer = layers.find(|layer| layer.value(key).is_some())?;
        layer.secrets.get(key)
    }

    /// The files of these layers.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter_map(|layer| layer.place.file())
    }

    /// The origin of the value that counts for `key` (`poll.orders`), and the value as written.
    pub(super) fn find(&self, key: &str) -> Option<(SettingOrigin, Value)> {
        let (place, value) = self.place(key)?;
        Some((place.origin(key), value))
    }

    fn place(&self, key: &str) -> Option<(&LayerPlace, Value)> {
        let mut layers = self.0.iter().rev();
        layers.find_map(|layer| Some((&layer.place, layer.value(key)?)))
    }

    /// Every profile that any layer defines.
    pub(super) fn profiles(&self) -> Result<BTreeSet<String>, Problem> {
        let mut names = BTreeSet::new();
        for layer in &self.0 {
            let Some(value) = layer.value(PROFILES) else {
                continue;
            };
            let place = &layer.place;
            let ValueKind::Table(profiles) = value.kind else {
                return Err(no_table(place, PROFILES));
            };
            for (name, value) in profiles {
                if !matches!(value.kind, ValueKind::Table(_)) {
                    return Err(no_table(place, &format!("{PROFILES}.{name}")));
                }
                names.insert(name);
            }
        }
        Ok(names)
    }

    /// These layers with the profile's settings, from any layer, on top.
    pub(super) fn of_profile(&self, name: &str) -> Result<Self, Problem> {
        let table = format!("{PROFILES}.{name}");
        let mut layers = self.0.clone();
        for layer in &self.0 {
            let Some(ValueKind::Table(own)) = layer.value(&table).map(|value| value.kind) else {
                continue;
            };
            let place = LayerPlace::Profile(name.to_owned(), Box::new(layer.place.clone()));
            let mut own = Layer::of(place, own)?;
            // Secrets were moved out of the values.
            let mine = layer.secrets.iter().filter_map(|(key, secret)| {
                let key = key.strip_prefix(&table)?.strip_prefix('.')?;
                Some((key.to_owned(), secret.clone()))
            });
            own.secrets = mine.collect();
            layers.push(own);
        }
        Ok(Self(layers))
    }

    /// Whether the profile itself sets `key`.
    pub(super) fn is_own(&self, key: &str) -> bool {
        let place = self.place(key);
        place.is_some_and(|(place, _)| matches!(place, LayerPlace::Profile(..)))
    }

    /// The setting's full name in the layer that counts: `profiles.main.account_id` if a profile sets it or should.
    pub(super) fn spelled(&self, key: &str) -> String {
        let place = match self.place(key) {
            Some((place, _)) => Some(place),
            None => self.0.last().map(|layer| &layer.place),
        };
        match place {
            Some(place @ LayerPlace::Profile(..)) if !key.starts_with("profiles.") => {
                place.spelled(key)
            }
            Some(_) | None => key.to_owned(),
        }
    }
}

fn no_table(place: &LayerPlace, key: &str) -> Problem {
    let name = key.strip_prefix("profiles.").unwrap_or("NAME");
    let what = format!("is not a table: write [profiles.{name}] and its settings below");
    Problem::new(Some(place.origin(key)), key, &what)
}

impl LayerPlace {
    fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Profile(_, place) => place.file(),
            Self::Default | Self::Environment | Self::Flags(_) => None,
        }
    }

    fn spelled(&self, key: &str) -> String {
        match self {
            Self::Profile(name, _) => format!("{PROFILES}.{name}.{key}"),
            Self::Default | Self::File(_) | Self::Environment | Self::Flags(_) => key.to_owned(),
        }
    }

    fn origin(&self, key: &str) -> SettingOrigin {
        match self {
            Self::Profile(_, place) => place.origin(&self.spelled(key)),
            Self::Default => SettingOrigin::Default,
            Self::File(path) => SettingOrigin::File(path.clone()),
            Self::Environment => SettingOrigin::Variable(variable(key)),
            Self::Flags(flags) => flags
                .iter()
                .find(|flag| flag.key == key)
                .map_or(SettingOrigin::Default, |flag| {
                    SettingOrigin::Flag(flag.name)
                }),
        }
    }
}

/// The variable of a setting: `poll.orders` is `PERPDECK_POLL__ORDERS`.
pub(super) fn variable(key: &str) -> String {
    format!("PERPDECK_{}", key.replace('.', "__").to_uppercase())
}

/// Walks the tables one name at a time.
fn within(table: &Map<String, Value>, key: &str) -> Option<Value> {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    let value = table.get(first)?;
    match (rest, &value.kind) {
        (None, kind) => Some(Value::new(None, kind.clone())),
        (Some(rest), ValueKind::Table(inner)) => within(inner, rest),
        (Some(_), _) => None,
    }
}

/// The longest settings file.
const LONGEST: u64 = 1024 * 1024;

fn file(path: &Path) -> Result<Layer, Problem> {
    let whole = |what: &str| Problem::new(Some(SettingOrigin::File(path.to_owned())), "", what);
    // The file may name a command to run, and where a key goes.
    let mut file =
        disk::trusted_file(path).map_err(|why| whole(&crate::config::problem::unreadable(&why)))?;
    let mut text = Zeroizing::new(String::new());
    let read = disk::at_most(LONGEST, &mut file).read_to_string(&mut text);
    read.map_err(|why| whole(&crate::config::problem::unreadable(&why)))?;
    let layer = Layer::of(LayerPlace::File(path.to_owned()), parsed(&text, path)?)?;
    if let Some(secret) = layer.secret() {
        let private = disk::must_be_private(path, &file);
        private.map_err(|what| whole(&format!("holds {secret}, and {what}")))?;
    }
    Ok(layer)
}

fn parsed(text: &str, path: &Path) -> Result<Map<String, Value>, Problem> {
    toml::from_str(text).map_err(|e| {
        Problem::new(
            Some(SettingOrigin::File(path.to_owned())),
            "",
            &syntax(text, &e),
        )
    })
}

/// The library's message quotes the line, which may hold a key: this one gives only the position and the error.
fn syntax(text: &str, error: &toml::de::Error) -> String {
    let line = error
        .span()
        .and_then(|span| text.get(..span.start))
        .map_or(1, |before| before.matches('\n').count() + 1);
    format!("line {line}: {}", error.message())
}

fn environment(all: &HashMap<String, Secret>) -> Result<Layer, Problem> {
    let ours = all
        .iter()
        .filter(|(name, _)| name.as_str() != FILE_VARIABLE)
        .filter(|(name, _)| name.to_uppercase().starts_with("PERPDECK"))
        .filter(|(_, value)| !value.expose_secret().is_empty());
    let (keys, plain): (Vec<_>, Vec<_>) =
        ours.partition(|(name, _)| name.to_uppercase().ends_with("API_KEY"));
    let named = keys
        .iter()
        .map(|(name, _)| ((*name).clone(), SET.to_owned()));
    let shown =
        |(name, value): (&String, &Secret)| (name.clone(), value.expose_secret().to_owned());
    let source = Environment::with_prefix("PERPDECK")
        .prefix_separator("_")
        .separator("__")
        .source(Some(plain.into_iter().map(shown).chain(named).collect()));
    let values = Config::builder()
        .add_source(source)
        .build()
        .and_then(|all| all.collect())
        .map_err(|e| Problem::new(None, "PERPDECK_…", &e.to_string()))?;
    let mut layer = Layer::of(LayerPlace::Environment, values)?;
    // No other value contains a key.
    for (name, value) in keys {
        let name = name.to_lowercase().replace("__", ".");
        let setting = name.trim_start_matches("perpdeck_").to_owned();
        layer.secrets.insert(setting, value.clone());
    }
    Ok(layer)
}

fn flags(flags: &[SettingFlag]) -> Result<Map<String, Value>, Problem> {
    let build = || {
        let mut builder = Config::builder();
        for flag in flags {
            builder = builder.set_override(flag.key, flag.value.as_str())?;
        }
        builder.build()?.collect()
    };
    build().map_err(|e| Problem::new(None, "flags", &e.to_string()))
}
