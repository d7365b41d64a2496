//! The API key: read before the desk opens, and again when the service refuses it; never shown.

use crate::{
    config::{
        Problem, Secret, SettingOrigin, Settings, problem::unreadable, secrets::keyring, words,
    },
    disk,
};
use secrecy::{ExposeSecret, SecretString, zeroize::Zeroizing};
use std::{
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// A key file is one line; a longer file is something else.
const LONGEST: usize = 4096;
/// What a command may print: the key, and notes below it.
const MOST_PRINTED: usize = 64 * 1024;
/// A longer wait at the start is said.
const ANNOUNCED_AFTER: Duration = Duration::from_secs(2);

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
            Self::Command(command) => Some(from_command(
                command,
                Stdio::null(),
                keyring::UNLOCK_TIMEOUT,
            )),
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
        ApiKeySource::Command(command) => {
            let read = || from_command(&command, Stdio::inherit(), keyring::UNLOCK_TIMEOUT);
            announced("api_key_command", read)
                .map_err(|what| Problem::new(None, &named("api_key_command"), &what))
        }
        ApiKeySource::Keyring(name) => announced("api_key_keyring", || from_keyring(&name))
            .map_err(|what| Problem::new(None, &named("api_key_keyring"), &what)),
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

/// What it complains of goes to `complaints`: at the start that is the terminal, so that a password manager can prompt.
fn from_command(command: &str, complaints: Stdio, patience: Duration) -> Result<Secret, String> {
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", command]).stderr(complaints);
    let answer = keyring::ask(shell, MOST_PRINTED + 1, patience)
        .map_err(|e| format!("cannot be run by sh: {e}"))?;
    let answer = answer.ok_or_else(|| {
        let patience = words::shown(patience);
        format!("printed no key within {patience}; it was ended")
    })?;
    if answer.output.len() > MOST_PRINTED {
        return Err("prints more than 64 KiB: the first line is the key".to_owned());
    }
    if !answer.status.success() {
        return Err(format!("failed ({}); it printed no key", answer.status));
    }
    usable(&answer.output)
}

/// Says on standard error what a start waits for, if that takes long.
fn announced<T>(setting: &str, read: impl FnOnce() -> T) -> T {
    let words = format!("perpdeck: still waiting for the key of {setting}, up to a minute");
    let (end, ended) = channel::<()>();
    thread::spawn(move || {
        if ended.recv_timeout(ANNOUNCED_AFTER) == Err(RecvTimeoutError::Timeout) {
            // Standard error may be closed.
            let _gone = writeln!(io::stderr(), "{words}");
        }
    });
    let read = read();
    drop(end);
    read
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
    fn a_command_that_prints_no_key_in_time_is_ended_and_refused() {
        let patience = Duration::from_millis(20);
        let read = from_command("exec sleep 600", Stdio::null(), patience);
        let why = read.map(drop).unwrap_err();
        assert_eq!(why, "printed no key within 20ms; it was ended");
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
