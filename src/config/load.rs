//! Builds validated settings from the layers.

use super::{
    Escape, LogLevel, MarketData, Motion, Problem, SettingOrigin, Settings, SettingsError, Sources,
    Theme, Tint,
    layers::{Layers, variable},
    loaded::Loaded,
    profiles::{self, ProfileLayer},
    rows,
    settings::ColorChoice,
    validate,
};
use config::ConfigError;
use std::{collections::BTreeSet, fmt::Display};
use strum::VariantArray;

/// Returns all errors at once: every unknown setting and the first wrong type, or else every broken rule, including
/// those of profiles.
pub fn load(sources: &Sources) -> Result<Loaded, SettingsError> {
    let layers = Layers::read(sources)?;
    let names = layers.profiles()?;
    let top = settled(layers.clone(), None);
    let above = top.as_ref().ok().map(|loaded| loaded.settings.clone());
    let mut loaded = vec![top];
    for name in &names {
        let of = ProfileLayer {
            name,
            above: above.as_ref(),
        };
        loaded.push(settled(layers.of_profile(name)?, Some(of)));
    }
    let (mut accounts, mut problems) = (vec![], vec![]);
    for result in loaded {
        match result {
            Ok(account) => accounts.push(account),
            // Errors of the top level would repeat in every profile: they are reported once.
            Err(SettingsError(found)) => problems.extend(found),
        }
    }
    let mut reported: Vec<Problem> = vec![];
    problems.retain(|problem| {
        let is_new = !reported.contains(problem);
        reported.push(problem.clone());
        is_new
    });
    if problems.is_empty() {
        Ok(profiles::chosen(accounts, sources)?)
    } else {
        Err(SettingsError(problems))
    }
}

/// The settings of these layers, if they are valid.
fn settled(layers: Layers, profile: Option<ProfileLayer<'_>>) -> Result<Loaded, SettingsError> {
    let mut unknown = BTreeSet::new();
    let merged = layers.merged()?;
    let read: Result<Settings, _> = serde_ignored::deserialize(merged, |path| {
        unknown.insert(path.to_string().replace(".?", ""));
    });
    let mut problems: Vec<_> = unknown.iter().map(|key| stray(&layers, key)).collect();
    match read {
        Ok(mut settings) => {
            settings.unlock(&layers);
            if let Some(profile) = profile {
                problems.extend(profile.lay_over(&mut settings, &layers));
            }
            problems.extend(validate::problems(&settings, &layers));
            if problems.is_empty() {
                return Ok(Loaded {
                    settings,
                    layers,
                    others: vec![],
                });
            }
        }
        Err(error) => problems.push(ill_typed(&layers, error)),
    }
    Err(SettingsError(problems))
}

fn stray(layers: &Layers, key: &str) -> Problem {
    let origin = layers.find(key).map(|(origin, _)| origin);
    let near = nearest(key).map(|name| match &origin {
        Some(SettingOrigin::Variable(_)) => variable(&name),
        _ => name,
    });
    let advice = near.map_or_else(
        || "\"perpdeck config show\" lists every setting".to_owned(),
        |name| format!("did you mean {name}?"),
    );
    let key = layers.spelled(key);
    Problem::new(origin, &key, &format!("no such setting; {advice}"))
}

/// The known setting most similar to `key`: as a whole, or by its last name (`orders` for `poll.orders`).
fn nearest(key: &str) -> Option<String> {
    const ALIKE: f64 = 0.85;
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let wanted = key.to_lowercase();
    known()
        .into_iter()
        .map(|name| {
            let whole = strsim::jaro_winkler(&wanted, &name);
            let tail = strsim::jaro_winkler(&last(&wanted), &last(&name));
            (whole.max(tail), name)
        })
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// The default settings.
pub(super) fn defaults() -> Option<Settings> {
    let layers = Layers::read(&Sources::default()).ok()?;
    layers.merged().ok()?.try_deserialize().ok()
}

/// Every setting, with dots between tables.
pub(super) fn known() -> Vec<String> {
    let keys = defaults().map(|all| rows::rows(&all)).unwrap_or_default();
    keys.into_iter().map(|(key, _)| key).collect()
}

fn ill_typed(layers: &Layers, error: ConfigError) -> Problem {
    let (key, what) = key_and_complaint(error);
    let found = layers.find(&key);
    let what = match (&found, allowed(&key)) {
        (_, None) if key == "api_key" => "expected a string".to_owned(),
        (Some((_, value)), Some(words)) => format!("\"{value}\" is not one of {words}"),
        _ => what,
    };
    let key = layers.spelled(&key);
    Problem::new(found.map(|(origin, _)| origin), &key, &what)
}

/// The library wraps the error once per table.
fn key_and_complaint(error: ConfigError) -> (String, String) {
    if let ConfigError::At { error, key, .. } = error {
        return (key.unwrap_or_default(), key_and_complaint(*error).1);
    }
    if let ConfigError::Type {
        unexpected,
        expected,
        key,
        ..
    } = error
    {
        let complaint = if expected.contains("integer") {
            "must be a whole number, 0 or above".to_owned()
        } else {
            format!("{unexpected} is not {expected}")
        };
        return (key.unwrap_or_default(), complaint);
    }
    if let ConfigError::NotFound(key) = error {
        return (key, "is needed".to_owned());
    }
    (String::new(), error.to_string())
}

/// The allowed values of a setting, if they are few.
fn allowed(key: &str) -> Option<String> {
    if is_switch(key) {
        return Some("true, false".to_owned());
    }
    let quoted = choices(key)?.into_iter().map(|word| format!("\"{word}\""));
    Some(quoted.collect::<Vec<_>>().join(", "))
}

/// Whether its default is true or false.
fn is_switch(key: &str) -> bool {
    let all = defaults().map(|all| rows::rows(&all)).unwrap_or_default();
    all.iter()
        .any(|(name, value)| name == key && value.is_boolean())
}

/// The allowed words of a setting, if they are few.
pub(super) fn choices(key: &str) -> Option<Vec<String>> {
    match key {
        "theme" => Some(words::<Theme>()),
        "color" => Some(words::<ColorChoice>()),
        "log_level" => Some(words::<LogLevel>()),
        "market_data" => Some(words::<MarketData>()),
        "motion" => Some(words::<Motion>()),
        "badge_color" => Some(words::<Tint>()),
        "alerts.desktop_escape" => Some(words::<Escape>()),
        _ => None,
    }
}

fn words<T: VariantArray + Display>() -> Vec<String> {
    T::VARIANTS.iter().map(ToString::to_string).collect()
}
