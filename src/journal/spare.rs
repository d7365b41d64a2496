//! Keys for closing everything when the journal cannot be written: on disk already, each in a place of its
//! own, so that using one changes bytes in place and needs no new disk space.
//!
//! Contract: [`Spares::take`] marks one key as used (for which service and account, when) before it is
//! sent; the next desk that opens the journal takes the used ones in as intents of unknown outcome and
//! puts fresh keys in their places.

use super::{Journal, JournalError, Window};
use crate::{
    disk::private_file,
    model::{AccountId, IdempotencyKey, Timestamp},
};
use rusqlite::params;
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};
use uuid::Uuid;

const FILE: &str = "spare-keys";
const SLOTS: u64 = 8;
/// Bytes of a slot, its line end included; an account and an address longer than this are cut.
const SLOT: usize = 512;

/// What a spare key was used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    pub key: IdempotencyKey,
    pub at: Timestamp,
    pub credential: String,
    pub account_id: AccountId,
    pub base_url: String,
    /// The path it was sent to.
    pub target: String,
}

#[derive(Debug)]
pub(super) struct Spares {
    file: File,
    free: Vec<(u64, String)>,
}

impl Spares {
    /// Opens the file, or makes it; answers with what was used since it was last opened.
    pub(super) fn open(dir: &Path) -> io::Result<(Self, Vec<Used>)> {
        let mut file = private_file(&dir.join(FILE))?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let (mut free, mut used) = (vec![], vec![]);
        for slot in 0..SLOTS {
            let line = usize::try_from(slot).ok().and_then(|n| text.lines().nth(n));
            match line.map(read) {
                Some(Slot::Free(key)) => free.push((slot, key)),
                Some(Slot::Used(what)) => used.push(what),
                Some(Slot::Unreadable) | None => {}
            }
        }
        Ok((Self { file, free }, used))
    }

    /// Puts a fresh key into every slot that has none: call it once what was used is safe elsewhere.
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

    /// A key for closing everything, marked as used. That the mark may not reach the disk changes nothing:
    /// the caller shows the key to the trader.
    pub(super) fn take(&mut self, used: impl FnOnce(IdempotencyKey) -> Used) -> Option<Used> {
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

impl Journal {
    /// Keys that were used while the journal was down become intents; the rest stays ready. Without
    /// them the desk trades on, it only has no spare key then.
    pub(super) fn open_spares(&mut self, dir: &Path) {
        let Ok((mut spares, used)) = Spares::open(dir) else {
            return;
        };
        if self.failed.is_some() {
            // Those that were used wait for a journal that works.
            self.spares = Some(spares);
            return;
        }
        let kept = used.iter().all(|used| self.take_in(used).is_ok());
        if kept && spares.refill().is_ok() {
            self.spares = Some(spares);
        }
    }

    fn take_in(&mut self, used: &Used) -> Result<(), JournalError> {
        self.write(|page| {
            page.insert(
                "INSERT OR IGNORE INTO intents (created_at, base_url, account_id, credential, method,
                     target, body, key, risk, command, resource, state, replay_until)
                 VALUES (?1, ?2, ?3, ?4, 'POST', ?7, x'', ?5, 'reducing',
                     'close all positions on ' || ?3, ?3, 'unknown', ?6)",
                params![
                    used.at.0,
                    used.base_url,
                    used.account_id.raw(),
                    used.credential,
                    used.key.raw(),
                    Window::since(used.at).until().0,
                    used.target,
                ],
            )?;
            Ok(())
        })
    }

    /// A key for closing everything that needs no new disk space, marked as used.
    pub fn spare(&mut self, used: impl FnOnce(IdempotencyKey) -> Used) -> Option<Used> {
        self.spares.as_mut()?.take(used)
    }
}

enum Slot {
    Free(String),
    Used(Used),
    Unreadable,
}

fn read(line: &str) -> Slot {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    match words.as_slice() {
        [key] if Uuid::try_parse(key).is_ok() => Slot::Free((*key).to_owned()),
        [key, at, credential, account_id, base_url, target] => match at.parse() {
            Ok(at) => Slot::Used(Used {
                key: (*key).into(),
                at: Timestamp(at),
                credential: (*credential).to_owned(),
                account_id: (*account_id).into(),
                base_url: (*base_url).to_owned(),
                target: (*target).to_owned(),
            }),
            Err(_) => Slot::Unreadable,
        },
        _ => Slot::Unreadable,
    }
}

/// A word of a line; what has none is a dash.
fn word(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if plain.is_empty() {
        "-".to_owned()
    } else {
        plain
    }
}
