//! The API key: read once, before the desk opens, and never shown.

use crate::{
    config::{
        Problem, Secret, SettingOrigin, Settings,
        problem::unreadable,
        secrets::{child_env::keyless, keyring},
    },
    disk,
};
use secrecy::{ExposeSecret as _, SecretString, zeroize::Zeroizing};
use std::{
    env,
    io::Read as _,
    path::Path,
    process::{Command, Stdio},
};

/// A key file is one line; a longer file is something else.
const LONGEST: usize = 4096;

/// From the setting, its file, its command or the keyring: the first that is set, in this order.
pub(in crate::config) fn find(settings: &Settings) -> Result<Secret, Problem> {
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
            .map_err(|what| Problem::new(Some(SettingOrigin::File(path.clone())), "", &what));
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

/// Its standard error stays the terminal, so that a password manager can prompt.
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

/// The first line, if it is a valid header value.
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
