//! The API key: read before the desk opens, and again when the service refuses it; never shown.

use crate::{
    config::{
        Problem, Secret, SettingOrigin, Settings,
        problem::unreadable,
        secrets::{child_env::keyless, keyring},
    },
    disk,
};
use secrecy::{ExposeSecret, SecretString, zeroize::Zeroizing};
use std::{
    env,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A key file is one line; a longer file is something else.
const LONGEST: usize = 4096;
/// What a command may print: the key, and notes below it.
const MOST_PRINTED: usize = 64 * 1024;

/// Where a replaced key is found while the desk runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ApiKeySource {
    /// A variable or a settings file, which are read at the start alone.
    #[default]
    Start,
    File(PathBuf),
    Command(String),
    Keyring(String),
}

impl ApiKeySource {
    /// The setting, its file, its command or the keyring: the first that is set, in this order.
    pub(in crate::config) fn of(settings: &Settings) -> Self {
        if settings.api_key.is_some() {
            return Self::Start;
        }
        let file = settings.api_key_file.clone().map(Self::File);
        file.or_else(|| settings.api_key_command.clone().map(Self::Command))
            .or_else(|| settings.api_key_keyring.clone().map(Self::Keyring))
            .unwrap_or_default()
    }

    /// Reads the key again, on a thread that may wait; `None` if it is read at the start alone. A program gets no
    /// terminal, since the desk is on it.
    pub fn read_again(&self) -> Option<Result<Secret, String>> {
        match self {
            Self::Start => None,
            Self::File(path) => Some(from_file(path)),
            Self::Command(command) => Some(from_command_unattended(command)),
            Self::Keyring(name) => Some(from_keyring(name)),
        }
    }
}

/// From its source.
pub(in crate::config) fn find(settings: &Settings) -> Result<Secret, Problem> {
    let named = |key: &str| match &settings.name {
        Some(profile) => format!("profiles.{profile}.{key}"),
        None => key.to_owned(),
    };
    match ApiKeySource::of(settings) {
        ApiKeySource::Start => {
            let key = settings.api_key.as_ref().map(ExposeSecret::expose_secret);
            usable(key.unwrap_or_default())
                .map_err(|what| Problem::new(None, &named("api_key"), &what))
        }
        ApiKeySource::File(path) => from_file(&path)
            .map_err(|what| Problem::new(Some(SettingOrigin::File(path)), "", &what)),
        ApiKeySource::Command(command) => from_command(&command)
            .map_err(|what| Problem::new(None, &named("api_key_command"), &what)),
        ApiKeySource::Keyring(name) => {
            from_keyring(&name).map_err(|what| Problem::new(None, &named("api_key_keyring"), &what))
        }
    }
}

fn from_keyring(name: &str) -> Result<Secret, String> {
    keyring::read(name, LONGEST + 1).and_then(|text| usable(&text))
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
    let mut child = keyless(&mut shell, env::vars_os().map(|(name, _)| name))
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|e| format!("cannot be run by sh: {e}"))?;
    let most = MOST_PRINTED as u64 + 1;
    // Room for all of it: a buffer that grows leaves copies of the key behind.
    let mut said = Zeroizing::new(Vec::with_capacity(MOST_PRINTED + 1));
    let from = child.stdout.take();
    let read = from.map(|from| from.take(most).read_to_end(&mut said));
    let ended = child.wait();
    if said.len() > MOST_PRINTED {
        return Err("prints more than 64 KiB: the first line is the key".to_owned());
    }
    let status = read.transpose().and(ended);
    let status = status.map_err(|e| format!("cannot be read: {e}"))?;
    if !status.success() {
        return Err(format!("failed ({status}); it printed no key"));
    }
    usable(&String::from_utf8_lossy(&said))
}

/// The same while the desk is on the terminal.
fn from_command_unattended(command: &str) -> Result<Secret, String> {
    let mut shell = Command::new("sh");
    let answer = keyring::ask(shell.args(["-c", command]), LONGEST + 1);
    let answer = answer.map_err(|e| format!("cannot be run by sh: {e}"))?;
    let answer = answer.ok_or("did not end within a minute")?;
    if !answer.status.success() {
        return Err(format!("failed ({}); it printed no key", answer.status));
    }
    usable(&answer.output)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn again(source: &ApiKeySource) -> Option<String> {
        let key = source.read_again()?.ok()?;
        Some(key.expose_secret().to_owned())
    }

    #[test]
    fn a_replaced_key_is_found_in_its_file_and_by_its_command() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let command = format!("cat {}", path.display());
        let sources = [
            ApiKeySource::File(path.clone()),
            ApiKeySource::Command(command),
        ];
        for text in ["pd_live_first\n", "pd_live_second\n"] {
            disk::replace(&path, text.as_bytes()).unwrap();
            for source in &sources {
                assert_eq!(again(source).as_deref(), Some(text.trim()));
            }
        }
        assert_eq!(again(&ApiKeySource::Start), None);
    }
}
