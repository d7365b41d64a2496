//! Keys for close-alls while the journal cannot be written. They are already on disk, each in its own slot, so using
//! one overwrites bytes in place and needs no new disk space.
//!
//! Contract: [`ReservedKeys::take`] marks a key as used (service, account, time) before it is sent. The next desk that
//! opens the journal records the used keys as intents of unknown outcome and replaces them with fresh ones.

use super::{Intent, ReplayWindow};
use crate::{
    disk::private_file,
    model::{AccountId, IdempotencyKey, Risk, Timestamp},
};
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};
use uuid::Uuid;

const FILE: &str = "spare-keys";
const SLOTS: u64 = 8;
/// Bytes of a slot with its line end; a longer account and address are cut.
const SLOT: usize = 512;

/// What a reserved key was used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedKey {
    pub key: IdempotencyKey,
    pub at: Timestamp,
    pub credential: String,
    pub account_id: AccountId,
    pub base_url: String,
    /// The path it was sent to.
    pub target: String,
}

impl UsedKey {
    /// The close-all that was sent with it.
    pub(super) fn intent(&self) -> Intent {
        Intent {
            base_url: self.base_url.clone(),
            account_id: self.account_id.clone(),
            credential: self.credential.clone(),
            method: "POST".to_owned(),
            target: self.target.clone(),
            body: vec![],
            key: Some(self.key.clone()),
            risk: Risk::Reducing,
            command: format!("close all positions on {}", self.account_id.raw()),
            resource: Some(self.account_id.raw().to_owned()),
            parent: None,
            deadline: Timestamp(0),
            replay_until: ReplayWindow::since(self.at).until(),
        }
    }
}

#[derive(Debug)]
pub(super) struct ReservedKeys {
    file: File,
    free: Vec<(u64, String)>,
}

impl ReservedKeys {
    /// Opens or creates the file; returns the keys used since it was last opened.
    pub(super) fn open(dir: &Path) -> io::Result<(Self, Vec<UsedKey>)> {
        let mut file = private_file(&dir.join(FILE))?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let (mut free, mut used) = (vec![], vec![]);
        for slot in 0..SLOTS {
            let line = usize::try_from(slot).ok().and_then(|n| text.lines().nth(n));
            match line.map(read) {
                Some(KeySlot::Free(key)) => free.push((slot, key)),
                Some(KeySlot::Used(what)) => used.push(what),
                Some(KeySlot::Unreadable) | None => {}
            }
        }
        Ok((Self { file, free }, used))
    }

    /// Puts a fresh key into every used slot. Call it once the used keys are recorded elsewhere.
    pub(super) fn refill(&mut self) -> io::Result<()> {
        for slot in 0..SLOTS {
            if self.free.iter().all(|(free, _)| *free != slot) {
                let key = Uuid::new_v4().to_string();
                self.write(slot, &key)?;
                self.free.push((slot, key));
            }
        }
        self.file.sync_all()
    }

    /// A key for a close-all, marked as used. The mark may not reach the disk; the caller also shows the key to the
    /// trader.
    pub(super) fn take(&mut self, used: impl FnOnce(IdempotencyKey) -> UsedKey) -> Option<UsedKey> {
        let (slot, key) = self.free.pop()?;
        let used = used(key.into());
        let line = format!(
            "{} {} {} {} {} {}",
            used.key.raw(),
            used.at.0,
            word(&used.credential),
            word(used.account_id.raw()),
            word(&used.base_url),
            word(&used.target)
        );
        let _unmarked = self.write(slot, &line).and_then(|()| self.file.sync_data());
        Some(used)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.free.len()
    }

    fn write(&mut self, slot: u64, line: &str) -> io::Result<()> {
        let mut bytes = line.as_bytes().to_vec();
        bytes.resize(SLOT - 1, b' ');
        bytes.push(b'\n');
        self.file.seek(SeekFrom::Start(slot * SLOT as u64))?;
        self.file.write_all(&bytes)
    }
}

enum KeySlot {
    Free(String),
    Used(UsedKey),
    Unreadable,
}

fn read(line: &str) -> KeySlot {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    match words.as_slice() {
        [key] if Uuid::try_parse(key).is_ok() => KeySlot::Free((*key).to_owned()),
        [key, at, credential, account_id, base_url, target] => match at.parse() {
            Ok(at) => KeySlot::Used(UsedKey {
                key: (*key).into(),
                at: Timestamp(at),
                credential: (*credential).to_owned(),
                account_id: (*account_id).into(),
                base_url: (*base_url).to_owned(),
                target: (*target).to_owned(),
            }),
            Err(_) => KeySlot::Unreadable,
        },
        _ => KeySlot::Unreadable,
    }
}

/// One word of a line; an empty one is written as a dash.
fn word(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if plain.is_empty() {
        "-".to_owned()
    } else {
        plain
    }
}
