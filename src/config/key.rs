//! The API key: found once, before the desk opens, and never shown.

use super::{Origin, Problem, Secret, Settings, keyring};
use crate::disk;
use secrecy::{ExposeSecret, SecretString, zeroize::Zeroizing};
use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Read as _},
    path::Path,
    process::{Command, Stdio},
};

/// A key file is one line; what is longer is some other file.
const LONGEST: usize = 4096;

/// From the setting itself, its file, its command or the keyring, whichever is set first in that order.
pub(super) fn find(settings: &Settings) -> Result<Secret, Problem> {
    let named = |key: &str| match &settings.name {
        Some(profile) => format!("profiles.{profile}.{key}"),
        None => key.to_owned(),
    };
    if let Some(key) = &settings.api_key {
        let key = usable(key.expose_secret());
        return key.map_err(|what| Problem::new(None, &named("api_key"), &what));
    }
    if let Some(path) = &settings.api_key_file {
        return from_file(path)
            .map_err(|what| Problem::new(Some(Origin::File(path.clone())), "", &what));
    }
    if let Some(command) = &settings.api_key_command {
        let key = from_command(command);
        return key.map_err(|what| Problem::new(None, &named("api_key_command"), &what));
    }
    let name = settings.api_key_keyring.as_deref().unwrap_or_default();
    let key = keyring::read(name, LONGEST + 1).and_then(|text| usable(&text));
    key.map_err(|what| Problem::new(None, &named("api_key_keyring"), &what))
}

fn from_file(path: &Path) -> Result<Secret, String> {
    let mut text = Zeroizing::new(String::new());
    let read = disk::secret_file(path)
        .and_then(|file| file.take(LONGEST as u64 + 1).read_to_string(&mut text));
    read.map_err(|why| unreadable(&why))?;
    usable(&text)
}

/// Its standard error stays the terminal, so that a password manager can ask.
fn from_command(command: &str) -> Result<Secret, String> {
    let mut shell = Command::new("sh");
    let output = keyless(&mut shell, env::vars_os().map(|(name, _)| name))
        .args(["-c", command])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot be run by sh: {e}"))?;
    if !output.status.success() {
        return Err(format!("failed ({}); it printed no key", output.status));
    }
    let said = Zeroizing::new(output.stdout);
    usable(&String::from_utf8_lossy(&said))
}

/// Takes every variable that may hold a key, or a proxy's password, out of what `child` inherits; `names` are those of
/// the environment.
pub fn keyless(child: &mut Command, names: impl Iterator<Item = OsString>) -> &mut Command {
    for name in names.filter(|name| is_secret_variable(name)) {
        child.env_remove(name);
    }
    child
}

/// Whether a variable of this name may hold a key, or the password of a proxy.
pub fn is_secret_variable(name: &OsStr) -> bool {
    let known = name.to_string_lossy().to_uppercase();
    known.starts_with("PERPDECK_") && (known.ends_with("API_KEY") || known.ends_with("PROXY"))
}

/// The first line, when it can be a header value.
fn usable(text: &str) -> Result<Secret, String> {
    let key = text.lines().next().unwrap_or_default().trim();
    if key.is_empty() {
        return Err("holds no key on its first line".to_owned());
    }
    if key.len() > LONGEST || !key.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("does not hold a key: one is printable ASCII without blanks".to_owned());
    }
    Ok(SecretString::from(key))
}

/// What is not ours alone says so itself.
pub(super) fn unreadable(why: &io::Error) -> String {
    let is_ours_to_say =
        why.kind() == io::ErrorKind::PermissionDenied && why.raw_os_error().is_none();
    if is_ours_to_say {
        return why.to_string();
    }
    format!("cannot be read: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_inherits_no_key() {
        let mut child = Command::new("sh");
        let names = [
            "PERPDECK_API_KEY",
            "PERPDECK_PROFILES__SWING__API_KEY",
            "PERPDECK_PROXY",
            "PERPDECK_API_KEY_FILE",
            "HTTPS_PROXY",
            "PATH",
        ];
        keyless(&mut child, names.into_iter().map(OsString::from));
        let changed = child.get_envs();
        let changed: Vec<_> = changed
            .map(|(name, value)| (name.to_str(), value))
            .collect();
        let gone = [
            "PERPDECK_API_KEY",
            "PERPDECK_PROFILES__SWING__API_KEY",
            "PERPDECK_PROXY",
        ];
        assert_eq!(changed, gone.map(|name| (Some(name), None)));
    }
}
