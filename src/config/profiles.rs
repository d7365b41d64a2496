//! Named accounts: each profile is a table `[profiles.NAME]` of settings that overrides all others.
//!
//! Contract: a profile inherits everything it does not set, with two exceptions. A key goes only to the service it was
//! set for: a profile with its own address or key inherits no other key, and one with its own address no stream.
//! Read-only at the top level applies to every profile. The top level is an account too if it sets `account_id`; it
//! comes before the profiles.

use super::{Loaded, Problem, SettingOrigin, Settings, SettingsError, Sources, layers::Layers};

/// Settings of the desk as a whole, whichever account it shows.
pub(super) const OF_THE_DESK: &[&str] = &[
    "profile",
    "profiles",
    "market_data",
    "venues",
    "theme",
    "theme_file",
    "color",
    "motion",
    "keys_file",
    "state_dir",
    "journal_days",
    "export_dir",
    "log_level",
    "event_log",
    "dry_run",
    "tour",
];

/// The badge has no room for more.
const LONGEST_NAME: usize = 16;

/// A profile that is being applied.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProfileLayer<'a> {
    pub(super) name: &'a str,
    pub(super) above: Option<&'a Settings>,
}

impl ProfileLayer<'_> {
    /// Removes what a profile must not inherit, and reports what it must not set.
    pub(super) fn lay_over(self, settings: &mut Settings, layers: &Layers) -> Vec<Problem> {
        settings.name = Some(self.name.to_owned());
        settings.read_only |= self.above.is_some_and(|above| above.read_only);
        self.keep_own_key(settings, layers);
        let desk_wide = OF_THE_DESK.iter().filter(|key| layers.is_own(key));
        let mut problems: Vec<_> = desk_wide
            .map(|key| {
                let what = "applies to the whole desk, not to a profile: set it above the profiles";
                problem(layers, key, what)
            })
            .collect();
        if !is_name(self.name) {
            let what = format!(
                "{:?} is not a valid profile name: letters, digits, - and _, at most {LONGEST_NAME}",
                self.name
            );
            problems.push(Problem::new(None, "profiles", &what));
        }
        problems
    }

    fn keep_own_key(self, settings: &mut Settings, layers: &Layers) {
        let [key, file, command, keyring] = [
            "api_key",
            "api_key_file",
            "api_key_command",
            "api_key_keyring",
        ]
        .map(|key| layers.is_own(key));
        let above = self.above.and_then(|above| above.base_url.as_deref());
        let bare = |url: &str| url.trim_end_matches('/').to_owned();
        let elsewhere = layers.is_own("base_url")
            && above
                .is_some_and(|above| settings.base_url.as_deref().map(bare) != Some(bare(above)));
        if !(key || file || command || keyring || elsewhere) {
            return;
        }
        if elsewhere {
            let own = layers.is_own("account_stream_url");
            settings.account_stream_url = settings.account_stream_url.take().filter(|_| own);
            let own = layers.is_own("market_stream_url");
            settings.market_stream_url = settings.market_stream_url.take().filter(|_| own);
        }
        settings.api_key = settings.api_key.take().filter(|_| key);
        settings.api_key_file = settings.api_key_file.take().filter(|_| file);
        settings.api_key_command = settings.api_key_command.take().filter(|_| command);
        settings.api_key_keyring = settings.api_key_keyring.take().filter(|_| keyring);
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(plain)
}

fn problem(layers: &Layers, key: &str, what: &str) -> Problem {
    let origin = layers.find(key).map(|(origin, _)| origin);
    Problem::new(origin, &layers.spelled(key), what)
}

/// The chosen account, with the others beside it. `all` begins with the top level.
pub(super) fn chosen(mut all: Vec<Loaded>, sources: &Sources) -> Result<Loaded, SettingsError> {
    let has_profiles = all.len() > 1;
    let top = all.first();
    let wanted = top.and_then(|top| top.settings.profile.clone());
    let wanted = wanted.filter(|name| !name.is_empty());
    let wanted_by = top.and_then(|top| top.origin("profile"));
    if has_profiles && top.is_some_and(|top| top.settings.account_id.is_none()) {
        all.remove(0);
    }
    let at = match &wanted {
        None => Some(0),
        Some(_) => all
            .iter()
            .position(|account| account.settings.name == wanted),
    };
    let at = at.ok_or_else(|| unknown(wanted.as_deref().unwrap_or_default(), wanted_by, &all))?;
    let mut problems = twins(&all);
    all.rotate_left(at);
    let mut rest = all.into_iter();
    let Some(mut loaded) = rest.next() else {
        return Err(unknown("", None, &[]).into());
    };
    loaded.others = rest.collect();
    problems.extend(overruled(&loaded, sources));
    if problems.is_empty() {
        Ok(loaded)
    } else {
        Err(SettingsError(problems))
    }
}

impl Loaded {
    /// The same with this profile's account first; `None` if it is no longer set.
    pub fn led_by(mut self, name: Option<&str>) -> Option<Self> {
        let is_it = |loaded: &Self| loaded.settings.name.as_deref() == name;
        if is_it(&self) {
            return Some(self);
        }
        let at = self.others.iter().position(is_it)?;
        let mut first = self.others.remove(at);
        let others = std::mem::take(&mut self.others);
        first.others = std::iter::once(self).chain(others).collect();
        Some(first)
    }
}

fn unknown(name: &str, origin: Option<SettingOrigin>, all: &[Loaded]) -> Problem {
    let names = all
        .iter()
        .filter_map(|account| account.settings.name.as_deref());
    let names = names.collect::<Vec<_>>().join(", ");
    let what = if names.is_empty() {
        format!(
            "there is no profile {name:?}: none is set; write [profiles.{name}] in a settings file"
        )
    } else {
        format!("there is no profile {name:?}: {names}")
    };
    Problem::new(origin, "profile", &what)
}

/// One account under two names would be polled and journaled twice.
fn twins(all: &[Loaded]) -> Vec<Problem> {
    let place = |account: &Loaded| {
        let settings = &account.settings;
        let url = settings.base_url.clone().unwrap_or_default();
        let id = settings.account_id.clone()?;
        Some((url.trim_end_matches('/').to_owned(), id))
    };
    let mut problems = vec![];
    for (number, account) in all.iter().enumerate() {
        let before = all.iter().take(number);
        let is_same = |other: &&Loaded| place(account).is_some() && place(other) == place(account);
        let Some(twin) = before.into_iter().find(is_same) else {
            continue;
        };
        let what = match &twin.settings.name {
            Some(name) => format!("is the account of profile {name}: an account has one profile"),
            None => {
                "is the account that is set above the profiles: leave one of them out".to_owned()
            }
        };
        problems.push(problem(&account.layers, "account_id", &what));
    }
    problems
}

/// A flag that the chosen profile overrides would have no effect, which is reported.
fn overruled(chosen: &Loaded, sources: &Sources) -> Vec<Problem> {
    let Some(name) = &chosen.settings.name else {
        return vec![];
    };
    let idle = sources
        .flags
        .iter()
        .filter(|flag| flag.key != "read_only" && chosen.layers.is_own(flag.key));
    idle.map(|flag| {
        let what = format!(
            "profile {name} sets {} itself: leave the flag out, or choose another profile",
            flag.key
        );
        Problem::new(Some(SettingOrigin::Flag(flag.name)), flag.key, &what)
    })
    .collect()
}

#[cfg(test)]
mod tests;
