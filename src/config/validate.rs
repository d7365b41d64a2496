//! The rules between settings.

use super::{Problem, Settings, layers::Layers, secrets::keyring, service::reach::loopback, words};
use crate::model::Venue;
use std::time::Duration;
use strum::IntoEnumIterator as _;
use url::Url;

/// A faster poller would spend the request budget on changes that nobody can see.
const POLL: (Duration, Duration) = (Duration::from_millis(100), Duration::from_hours(1));
/// After more than a minute the purpose of the strip is forgotten.
const DELAY: (Duration, Duration) = (Duration::ZERO, Duration::from_mins(1));

/// Every broken rule, in the order of `assets/default.toml`.
pub(super) fn problems(settings: &Settings, layers: &Layers) -> Vec<Problem> {
    let mut found = FoundProblems(vec![]);
    service(settings, &mut found);
    streams(settings, &mut found);
    venues(settings, &mut found);
    intervals(settings, &mut found);
    found
        .0
        .into_iter()
        .map(|(key, what)| {
            let origin = layers.find(&key).map(|(origin, _)| origin);
            Problem::new(origin, &layers.spelled(&key), &what)
        })
        .collect()
}

struct FoundProblems(Vec<(String, String)>);

impl FoundProblems {
    fn add(&mut self, key: &str, what: &str) {
        self.0.push((key.to_owned(), what.to_owned()));
    }
}

fn service(settings: &Settings, found: &mut FoundProblems) {
    service_is_whole(settings, found);
    if let Some(why) = settings.base_url.as_deref().and_then(unfit_base) {
        found.add("base_url", &why);
    }
    let keyring = settings.api_key_keyring.as_deref();
    if keyring.is_some_and(|name| !keyring::is_name(name)) {
        found.add(
            "api_key_keyring",
            "is not a valid entry name: letters, digits and -_.@:/+ without blanks, at most 128, and no - first",
        );
    }
    if settings
        .account_id
        .as_deref()
        .is_some_and(|id| id.trim().is_empty() || id.contains(char::is_control))
    {
        found.add(
            "account_id",
            "is not an id: it is empty or holds control characters",
        );
    }
}

/// A service needs an address and a key: both or none, and an account is one of a service.
fn service_is_whole(settings: &Settings, found: &mut FoundProblems) {
    let key_set = settings.api_key.is_some()
        || settings.api_key_file.is_some()
        || settings.api_key_command.is_some()
        || settings.api_key_keyring.is_some();
    let set = [
        (
            "base_url",
            settings.base_url.is_some(),
            "set base_url, --base-url or PERPDECK_BASE_URL",
        ),
        (
            "account_id",
            settings.account_id.is_some(),
            "set account_id, --account-id or PERPDECK_ACCOUNT_ID",
        ),
        (
            "api_key",
            key_set,
            "set PERPDECK_API_KEY, api_key_file, api_key_command or api_key_keyring",
        ),
    ];
    // With profiles, a top-level address or key alone is shared by them.
    let is_shared = !settings.profiles.0.is_empty() && settings.account_id.is_none();
    let given: Vec<_> = set
        .iter()
        .filter(|(_, is_set, _)| *is_set)
        .map(|(key, ..)| *key)
        .collect();
    // Without an account_id the service lists the accounts of the key.
    let missing = set
        .iter()
        .filter(|(key, is_set, _)| !is_set && *key != "account_id");
    for (key, _, how) in missing {
        match &settings.name {
            Some(name) => found.add(&format!("profiles.{name}.{key}"), &missing_in(name, key)),
            None if given.is_empty() || is_shared => {}
            None => found.add(key, &missing_beside(&given, how)),
        }
    }
}

/// Some settings of a service are there, so that it needs the others.
fn missing_beside(given: &[&str], how: &str) -> String {
    let asks = if given.len() == 1 { "asks" } else { "ask" };
    let given = given.join(" and ");
    format!(
        "is missing, and {given} {asks} for a service: {how} (or unset {given} to trade on paper)"
    )
}

/// A profile is of a service: it needs address and key.
fn missing_in(profile: &str, key: &str) -> String {
    let how = if key == "api_key" {
        "set api_key_file, api_key_command or api_key_keyring in its table; the key of another service, or one set above a key of its \
         own, is not taken"
            .to_owned()
    } else {
        format!("set {key} in its table or above the profiles")
    };
    format!("is missing, and profile {profile} is an account of a service: {how}")
}

/// Why this cannot be the service's address, or `None`.
fn unfit_base(text: &str) -> Option<String> {
    let url = match safe_url(text) {
        Ok(url) => url,
        Err(why) => return Some(why),
    };
    let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    (!bare)
        .then(|| "must be scheme, host and port only, as in \"http://127.0.0.1:8080\"".to_owned())
}

const IN_THE_CLEAR: &str = "plain http would send the key in the clear: use https (http is only for 127.0.0.1, ::1 \
                            and localhost)";

fn safe_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|e| {
        format!("{text:?} is not a URL ({e}): write \"https://host\" or \"http://127.0.0.1:8080\"")
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not carry a user name or password".to_owned());
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if loopback(&url) => Ok(url),
        "http" => Err(IN_THE_CLEAR.to_owned()),
        scheme => Err(format!(
            "must begin with https:// or, on this machine, http://, not {scheme}:"
        )),
    }
}

/// Addresses of streams: of a service, encrypted or on this machine, and no key leaves the service's own host.
fn streams(settings: &Settings, found: &mut FoundProblems) {
    let own = [
        ("market_stream_url", &settings.market_stream_url),
        ("account_stream_url", &settings.account_stream_url),
    ];
    for (key, url) in own {
        let Some(text) = url else { continue };
        let is_shared = settings.name.is_none() && !settings.profiles.0.is_empty();
        if settings.base_url.is_none() && !is_shared {
            found.add(key, "is of a service, and base_url is not set: set it, or leave this out to trade on paper");
        }
        match other_url(text, "wss", "ws") {
            Ok(url) if key == "account_stream_url" => {
                let base = settings
                    .base_url
                    .as_deref()
                    .and_then(|base| Url::parse(base).ok());
                if base.is_some_and(|base| base.host() != url.host()) {
                    found.add(
                        key,
                        "is on another host than base_url, and would get its key there",
                    );
                }
            }
            Ok(_) => {}
            Err(why) => found.add(key, &why),
        }
    }
}

/// Addresses of venues. Each venue has its own paths.
fn venues(settings: &Settings, found: &mut FoundProblems) {
    for venue in Venue::iter() {
        let urls = settings.venues.of(venue);
        if let Err(why) = place(&urls.rest_url, "https", "http") {
            found.add(&format!("venues.{venue}.rest_url"), &why);
        }
        let stream = match venue {
            Venue::Hyperliquid => ending(&urls.stream_url, "/ws"),
            Venue::Binance => place(&urls.stream_url, "wss", "ws"),
            Venue::Bybit => ending(&urls.stream_url, "/v5/public/linear"),
        };
        if let Err(why) = stream {
            found.add(&format!("venues.{venue}.stream_url"), &why);
        }
    }
}

/// A venue's address of scheme, host and port; `local` is the scheme of this machine alone.
fn place(text: &str, scheme: &str, local: &str) -> Result<(), String> {
    let url = other_url(text, scheme, local)?;
    if !matches!(url.path(), "" | "/") {
        return Err(format!(
            "must be scheme, host and port only, as in \"{scheme}://venue.example\""
        ));
    }
    Ok(())
}

/// The address of a venue's stream, with the end that this venue has.
fn ending(text: &str, path: &str) -> Result<(), String> {
    let url = other_url(text, "wss", "ws")?;
    if !url.path().ends_with(path) {
        return Err(format!(
            "must end in {path}, as in \"wss://venue.example{path}\""
        ));
    }
    Ok(())
}

/// An address beside the service's own; `local` is the scheme of this machine alone. What cannot be read may hold a
/// password, and is not repeated.
fn other_url(text: &str, scheme: &str, local: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|why| format!("is not a URL ({why})"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not carry a user name or password".to_owned());
    }
    // The parser takes `WSS:host` too; whoever connects reads what is written.
    let begins = |scheme: &str| text.starts_with(&format!("{scheme}://"));
    let is_safe = begins(scheme) || begins(local) && loopback(&url);
    if !is_safe {
        return Err(format!(
            "must begin with {scheme}:// or, for 127.0.0.1, ::1 and localhost, {local}://"
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must end after its path: no ? and no #".to_owned());
    }
    Ok(url)
}

fn intervals(settings: &Settings, found: &mut FoundProblems) {
    let poll = &settings.poll;
    let table = [
        ("close_all_delay", settings.close_all_delay, DELAY),
        ("poll.positions", poll.positions, POLL),
        ("poll.orders", poll.orders, POLL),
        ("poll.twaps", poll.twaps, POLL),
        ("poll.scaled", poll.scaled, POLL),
        ("poll.markets", poll.markets, POLL),
        ("poll.account", poll.account, POLL),
        ("poll.history", poll.history, POLL),
        ("poll.closed", poll.closed, POLL),
    ];
    for (key, value, (least, most)) in table {
        if value < least || value > most {
            let [value, least, most] = [value, least, most].map(words::shown);
            found.add(key, &format!("{value} is out of range: {least} to {most}"));
        }
    }
}
