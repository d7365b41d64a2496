//! The layers settings come in, kept apart so that each value can say where it stands.

use super::{Problem, Secret, key};
use config::{Config, ConfigError, Environment, File, FileFormat, Map, Source, Value, ValueKind};
use secrecy::ExposeSecret as _;
use std::{
    collections::{BTreeSet, HashMap},
    fmt, fs,
    path::{Path, PathBuf},
};

/// The lowest layer, and the reference of every setting.
pub(super) const DEFAULTS: &str = include_str!("../../assets/default.toml");

/// Names the file of `--config`, so it is no setting itself.
const FILE_VARIABLE: &str = "PERPDECK_CONFIG";

/// Where settings are read from, as data: only the files named here are looked at.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Read when it is there.
    pub user_file: Option<PathBuf>,
    /// Asked for by name (`--config`): must be there.
    pub named_file: Option<PathBuf>,
    /// All of the environment; only `PERPDECK_…` counts. Any of it may be a key.
    pub environment: HashMap<String, Secret>,
    pub flags: Vec<Flag>,
}

impl Sources {
    /// A variable that sends other programs through a proxy, as far as one is set; here the setting alone counts.
    pub fn idle_proxy(&self) -> Option<&'static str> {
        const NAMES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
        let is_set = |name: &&str| {
            let value = self.environment.get(*name);
            value.is_some_and(|value| !value.expose_secret().is_empty())
        };
        NAMES.into_iter().find(is_set)
    }
}

/// A setting given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The setting it sets: `base_url`.
    pub key: &'static str,
    /// As the person types it: `--base-url`.
    pub name: &'static str,
    pub value: String,
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(PathBuf),
    Variable(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Lowest first.
#[derive(Clone)]
pub(super) struct Layers(Vec<(Place, Config)>);

/// Names the places only: the values may hold a key.
impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(place, _)| place))
            .finish()
    }
}

/// Where a whole layer stands; the environment and the flags name each value on its own.
#[derive(Debug, Clone)]
enum Place {
    Default,
    File(PathBuf),
    Environment,
    Flags(Vec<Flag>),
    /// The table of this profile in one of the others.
    Profile(String, Box<Place>),
}

/// The table all profiles stand in.
const PROFILES: &str = "profiles";

/// A layer that is a part of another.
#[derive(Debug, Clone)]
struct Table(Map<String, Value>);

impl Source for Table {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        Ok(self.0.clone())
    }
}

impl Layers {
    pub(super) fn read(sources: &Sources) -> Result<Self, Problem> {
        let mut layers = vec![(Place::Default, parsed(DEFAULTS, Path::new("default.toml"))?)];
        let user_file = sources.user_file.iter().filter(|path| path.exists());
        for path in user_file.chain(&sources.named_file) {
            layers.push((Place::File(path.clone()), file(path)?));
        }
        layers.push((Place::Environment, environment(&sources.environment)?));
        layers.push((Place::Flags(sources.flags.clone()), flags(&sources.flags)?));
        Ok(Self(layers))
    }

    pub(super) fn merged(&self) -> Result<Config, Problem> {
        self.0
            .iter()
            .fold(Config::builder(), |builder, (_, layer)| {
                builder.add_source(layer.clone())
            })
            .build()
            .map_err(|e| Problem::new(None, "settings", &e.to_string()))
    }

    /// The files among them.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter_map(|(place, _)| place.file())
    }

    /// The place of the value that counts for `key` (`poll.orders`), and the value as written.
    pub(super) fn find(&self, key: &str) -> Option<(Origin, Value)> {
        let (place, value) = self.place(key)?;
        Some((place.origin(key), value))
    }

    fn place(&self, key: &str) -> Option<(&Place, Value)> {
        self.0.iter().rev().find_map(|(place, layer)| {
            let value = within(layer.collect().ok()?, key)?;
            Some((place, value))
        })
    }

    /// Every profile that has a table anywhere.
    pub(super) fn profiles(&self) -> Result<BTreeSet<String>, Problem> {
        let mut names = BTreeSet::new();
        for (place, layer) in &self.0 {
            let Some(value) = layer.collect().ok().and_then(|all| within(all, PROFILES)) else {
                continue;
            };
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

    /// These layers with what the profile sets, wherever that stands, over them all.
    pub(super) fn of_profile(&self, name: &str) -> Result<Self, Problem> {
        let table = format!("{PROFILES}.{name}");
        let mut layers = self.0.clone();
        for (place, layer) in &self.0 {
            let value = layer.collect().ok().and_then(|all| within(all, &table));
            let Some(ValueKind::Table(own)) = value.map(|value| value.kind) else {
                continue;
            };
            let layer = Config::builder().add_source(Table(own)).build();
            let layer = layer.map_err(|e| Problem::new(None, &table, &e.to_string()))?;
            let place = Place::Profile(name.to_owned(), Box::new(place.clone()));
            layers.push((place, layer));
        }
        Ok(Self(layers))
    }

    /// Whether the profile of these layers sets `key` itself.
    pub(super) fn is_own(&self, key: &str) -> bool {
        let place = self.place(key);
        place.is_some_and(|(place, _)| matches!(place, Place::Profile(..)))
    }

    /// The setting as the place that counts spells it: `profiles.main.account_id` where a profile sets it, or is the
    /// one to.
    pub(super) fn spelled(&self, key: &str) -> String {
        let place = match self.place(key) {
            Some((place, _)) => Some(place),
            None => self.0.last().map(|(place, _)| place),
        };
        match place {
            Some(place @ Place::Profile(..)) if !key.starts_with("profiles.") => place.spelled(key),
            Some(_) | None => key.to_owned(),
        }
    }
}

fn no_table(place: &Place, key: &str) -> Problem {
    let name = key.strip_prefix("profiles.").unwrap_or("NAME");
    let what = format!("is no table: write [profiles.{name}] and what it sets below");
    Problem::new(Some(place.origin(key)), key, &what)
}

impl Place {
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

    fn origin(&self, key: &str) -> Origin {
        match self {
            Self::Profile(_, place) => place.origin(&self.spelled(key)),
            Self::Default => Origin::Default,
            Self::File(path) => Origin::File(path.clone()),
            Self::Environment => Origin::Variable(variable(key)),
            Self::Flags(flags) => flags
                .iter()
                .find(|flag| flag.key == key)
                .map_or(Origin::Default, |flag| Origin::Flag(flag.name)),
        }
    }
}

/// The variable of a setting: `poll.orders` is `PERPDECK_POLL__ORDERS`.
pub(super) fn variable(key: &str) -> String {
    format!("PERPDECK_{}", key.replace('.', "__").to_uppercase())
}

/// Walks the tables one name at a time.
fn within(mut table: Map<String, Value>, key: &str) -> Option<Value> {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    let value = table.remove(first)?;
    match (rest, value.kind) {
        (None, kind) => Some(Value::new(None, kind)),
        (Some(rest), ValueKind::Table(inner)) => within(inner, rest),
        (Some(_), _) => None,
    }
}

fn file(path: &Path) -> Result<Config, Problem> {
    let whole = |what: &str| Problem::new(Some(Origin::File(path.to_owned())), "", what);
    let text = fs::read_to_string(path).map_err(|e| whole(&format!("cannot be read: {e}")))?;
    let layer = parsed(&text, path)?;
    if let Some(secret) = secret(&layer) {
        key::must_be_private(path).map_err(|what| whole(&format!("holds {secret}, and {what}")))?;
    }
    Ok(layer)
}

/// What nobody else may read in it, of its own or of a profile.
fn secret(layer: &Config) -> Option<&'static str> {
    let all = layer.collect().unwrap_or_default();
    let profiles = match within(all.clone(), PROFILES).map(|value| value.kind) {
        Some(ValueKind::Table(profiles)) => profiles,
        _ => Map::new(),
    };
    let own = profiles.into_values().filter_map(|value| {
        let ValueKind::Table(own) = value.kind else {
            return None;
        };
        Some(own)
    });
    let tables: Vec<_> = std::iter::once(all).chain(own).collect();
    let holds = |name: &str, is: fn(&Value) -> bool| {
        let mut values = tables.iter().filter_map(|table| table.get(name));
        values.any(is)
    };
    if holds("api_key", |_| true) {
        return Some("api_key");
    }
    // Whoever has no password to give is known by an address alone.
    let names_itself = |proxy: &Value| proxy.to_string().contains('@');
    holds("proxy", names_itself).then_some("the password of a proxy")
}

fn parsed(text: &str, path: &Path) -> Result<Config, Problem> {
    Config::builder()
        .add_source(File::from_str(text, FileFormat::Toml))
        .build()
        .map_err(|e| Problem::new(Some(Origin::File(path.to_owned())), "", &syntax(text, &e)))
}

/// The library's own text quotes the line, and the line may hold a key: say where it is and what is wrong with it.
fn syntax(text: &str, error: &config::ConfigError) -> String {
    let config::ConfigError::FileParse { cause, .. } = error else {
        return error.to_string();
    };
    let Some(cause) = cause.downcast_ref::<toml::de::Error>() else {
        return "is not TOML".to_owned();
    };
    let line = cause
        .span()
        .and_then(|span| text.get(..span.start))
        .map_or(1, |before| before.matches('\n').count() + 1);
    format!("line {line}: {}", cause.message())
}

fn environment(all: &HashMap<String, Secret>) -> Result<Config, Problem> {
    let ours = all
        .iter()
        .filter(|(name, _)| name.as_str() != FILE_VARIABLE)
        .filter(|(name, _)| name.to_uppercase().starts_with("PERPDECK"))
        .map(|(name, value)| (name.clone(), value.expose_secret().to_owned()))
        .collect();
    let source = Environment::with_prefix("PERPDECK")
        .prefix_separator("_")
        .separator("__")
        .ignore_empty(true)
        .source(Some(ours));
    Config::builder()
        .add_source(source)
        .build()
        .map_err(|e| Problem::new(None, "PERPDECK_…", &e.to_string()))
}

fn flags(flags: &[Flag]) -> Result<Config, Problem> {
    let build = || {
        let mut builder = Config::builder();
        for flag in flags {
            builder = builder.set_override(flag.key, flag.value.as_str())?;
        }
        builder.build()
    };
    build().map_err(|e| Problem::new(None, "flags", &e.to_string()))
}
