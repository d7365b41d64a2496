//! The secret from which an exchange derives its API keys, cursors and request ids.
//!
//! It is random for every start; with `--data-dir` it is created once, in a file that only its owner may read. It is
//! the seed only if a flag or the scenario says so: then the same start gives the same keys and ids, and whoever knows
//! the seed knows the keys.

use super::bytes::{hex, unhex};
use crate::disk;
use sha2::{Digest, Sha256};
use std::{
    fmt,
    io::{self, Read as _},
    path::Path,
};
use uuid::Uuid;

/// Where the API keys come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeySource {
    #[default]
    Random,
    /// For reproducible runs.
    Seed,
}

/// The service prefix of every key (`docs/service-api.md 1`: it ends in `live_`).
const PREFIX: &str = "paper_live_";

/// An API key in the clear, given to its owner once. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn from_digest(digest: [u8; 32]) -> Self {
        let secret = digest
            .first_chunk::<20>()
            .map_or_else(String::new, |half| hex(half));
        Self(format!("{PREFIX}{secret}"))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ServerSecret(Vec<u8>);

/// Bytes of a random secret.
const SECRET_BYTES: usize = 32;

impl ServerSecret {
    /// For an exchange without a data directory.
    pub(super) fn new(source: KeySource, seed: u64) -> Self {
        match source {
            KeySource::Random => Self::random(),
            KeySource::Seed => Self(seed.to_be_bytes().to_vec()),
        }
    }

    /// 244 random bits from the system, spread evenly.
    fn random() -> Self {
        let [one, other] = [Uuid::new_v4(), Uuid::new_v4()];
        let digest = Sha256::new()
            .chain_update(one.as_bytes())
            .chain_update(other.as_bytes())
            .finalize();
        Self(digest.to_vec())
    }

    /// Reads the secret in the file at `path`; creates a random one if the file is missing or empty.
    pub(super) fn load_or_create(path: &Path) -> io::Result<Self> {
        let mut text = String::new();
        let mut file = disk::private_file(path)?.take(4 * SECRET_BYTES as u64);
        file.read_to_string(&mut text)?;
        if !text.is_empty() {
            let bytes = unhex(text.trim()).filter(|bytes| bytes.len() == SECRET_BYTES);
            return bytes.map(Self).ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!(
                        "{} is damaged; without it the next start makes new API keys",
                        path.display()
                    ),
                )
            });
        }
        let made = Self::random();
        disk::replace(path, hex(&made.0).as_bytes())?;
        Ok(made)
    }

    pub(super) fn api_key(&self, user: &str) -> ApiKey {
        ApiKey::from_digest(self.digest(b"api key", &[user.as_bytes()]))
    }

    pub(super) fn read_only_api_key(&self, user: &str) -> ApiKey {
        ApiKey::from_digest(self.digest(b"read-only api key", &[user.as_bytes()]))
    }

    /// Differs for every purpose, as long as the parts of one purpose each have a fixed length.
    pub(super) fn digest(&self, purpose: &'static [u8], parts: &[&[u8]]) -> [u8; 32] {
        let purpose = Sha256::new().chain_update(purpose).chain_update(&self.0);
        let all = parts.iter().fold(purpose, Digest::chain_update);
        all.finalize().into()
    }
}

impl fmt::Debug for ServerSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt as _};

    #[test]
    fn keys_are_random_unless_they_are_asked_for_by_seed() {
        let key = |source, seed| ServerSecret::new(source, seed).api_key("ann");
        assert_ne!(key(KeySource::Random, 7), key(KeySource::Random, 7));
        assert_eq!(key(KeySource::Seed, 7), key(KeySource::Seed, 7));
        assert_ne!(key(KeySource::Seed, 7), key(KeySource::Seed, 8));
        assert_eq!(format!("{:?}", ServerSecret::random()), "Secret(…)");
    }

    #[test]
    fn a_kept_secret_is_its_owners_and_stays_and_a_damaged_one_is_told() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("secret");
        let first = ServerSecret::load_or_create(&path).unwrap();
        assert_eq!(ServerSecret::load_or_create(&path).unwrap(), first);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(&path, "not it").unwrap();
        let why = ServerSecret::load_or_create(&path).unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::InvalidData);
        assert!(!why.to_string().contains("not it"), "{why}");
    }
}
