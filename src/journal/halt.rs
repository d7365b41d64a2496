//! Halts: why new entries are refused until a person resumes entries. They are kept in a file beside the log, in space that
//! is already allocated, so that a halt can be recorded when the log has failed.
//!
//! Contract: a halt lasts over restarts until it is withdrawn, and so does an unreadable one. Each account of each
//! service has its own; a failed journal halts all accounts.

use super::JournalError;
use crate::{
    disk::{own_file, private_file, read_own},
    model::AccountId,
};
use std::{
    fs::File,
    io::{self, Read as _},
    mem,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

const FILE: &str = "halted";
/// Bytes written at once, so that changing a halt needs no new disk space.
const RESERVED_BYTES: usize = 4096;
const LONGEST: usize = 300;
const EVERYWHERE: &str = "*";
const UNREADABLE: &str = "an earlier session was halted; the reason cannot be read";

/// The halts of the journal in a directory. Nothing is kept in memory: other processes change the file, too, each under a
/// lock that it holds for that alone.
#[derive(Debug, Clone)]
pub struct Halts {
    path: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HaltNote {
    place: String,
    why: String,
}

impl Halts {
    /// Of the journal in `dir`, which need not exist.
    pub fn of_journal(dir: &Path) -> Self {
        Self {
            path: dir.join(FILE),
        }
    }

    /// Why a change failed.
    pub fn error(&self, why: io::Error) -> JournalError {
        let (path, why) = (self.path.clone(), Arc::new(why));
        JournalError::Halt { path, why }
    }

    /// Creates a missing file, so that a later halt needs no space.
    pub(super) fn create(&self) -> io::Result<()> {
        self.change(|_| ())
    }

    /// The file as it is, to be compared; empty if there is none.
    pub fn bytes(&self) -> Vec<u8> {
        read_own(&self.path).unwrap_or_default()
    }

    /// Why the account is halted, if it is. A file that is there and cannot be read halts, too.
    pub fn of(&self, base_url: &str, account: &AccountId) -> Option<String> {
        let here = place(base_url, account);
        let notes = own_file(&self.path).and_then(|file| {
            file.lock_shared()?;
            notes(&file)
        });
        let notes = match notes {
            Ok((notes, _)) => notes,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return None,
            Err(why) => vec![self.unread(&why)],
        };
        let applies = |note: &HaltNote| note.place == here || note.place == EVERYWHERE;
        Some(notes.into_iter().find(applies)?.why)
    }

    /// In the place of notes that nobody could read: nothing is known about an earlier session, so it is not claimed.
    fn unread(&self, why: &io::Error) -> HaltNote {
        let file = self.path.display();
        HaltNote {
            place: EVERYWHERE.to_owned(),
            why: format!("{file} cannot be read, and an earlier session may be halted: {why}"),
        }
    }

    /// Halts the account, over restarts too. Works on a failed journal and on a full disk.
    pub fn halt(&self, base_url: &str, account: &AccountId, why: &str) -> io::Result<()> {
        self.note(place(base_url, account), why)
    }

    pub(super) fn halt_everywhere(&self, why: &str) -> io::Result<()> {
        self.note(EVERYWHERE.to_owned(), why)
    }

    /// Withdraws the halt of an account.
    pub fn rearm(&self, base_url: &str, account: &AccountId) -> io::Result<()> {
        let here = place(base_url, account);
        self.change(|notes| notes.retain(|note| note.place != here && note.place != EVERYWHERE))
    }

    /// Withdraws all halts and returns their reasons.
    pub(super) fn rearm_all(&self) -> io::Result<Vec<String>> {
        let notes = self.change(mem::take)?;
        Ok(notes.into_iter().map(|note| note.why).collect())
    }

    fn note(&self, place: String, why: &str) -> io::Result<()> {
        let why = plain(why).chars().take(LONGEST).collect();
        self.change(|notes| {
            notes.retain(|note| note.place != place);
            notes.push(HaltNote { place, why });
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<HaltNote>) -> T) -> io::Result<T> {
        let file = private_file(&self.path)?;
        file.lock()?;
        let (before, room) = notes(&file)?;
        let mut notes = before.clone();
        let changed = change(&mut notes);
        if notes == before && room >= RESERVED_BYTES {
            return Ok(changed);
        }
        let lines = notes.iter();
        let lines = lines.map(|note| format!("{}\t{}\n", note.place, note.why));
        let mut bytes = lines.collect::<String>().into_bytes();
        // Overwrites everything that was there.
        bytes.resize(bytes.len().max(room).max(RESERVED_BYTES), b' ');
        file.write_all_at(&bytes, 0)?;
        file.sync_all()?;
        Ok(changed)
    }
}

/// The notes, and the length of the file.
fn notes(mut file: &File) -> io::Result<(Vec<HaltNote>, usize)> {
    let mut bytes = vec![];
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().map(|line| line.trim_matches(['\0', ' ']));
    let notes = lines.filter(|line| !line.is_empty()).map(note).collect();
    Ok((notes, bytes.len()))
}

fn note(line: &str) -> HaltNote {
    let (place, why) = line.split_once('\t').unwrap_or((EVERYWHERE, UNREADABLE));
    HaltNote {
        place: place.to_owned(),
        why: why.to_owned(),
    }
}

fn place(base_url: &str, account: &AccountId) -> String {
    plain(&format!("{} {base_url}", account.raw()))
}

/// On one line and in one field.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const HERE: &str = "https://x.test";

    fn halted(dir: &Path, account: &str) -> Option<String> {
        Halts::of_journal(dir).of(HERE, &account.into())
    }

    #[test]
    fn a_halt_holds_over_restarts_for_its_own_account_until_it_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let halts = Halts::of_journal(dir.path());
        halts.halt(HERE, &"a".into(), "it was\nflattened").unwrap();
        assert_eq!(halted(dir.path(), "a").as_deref(), Some("it was flattened"));
        assert_eq!(halted(dir.path(), "b"), None);
        halts.halt_everywhere("the journal failed").unwrap();
        assert_eq!(
            halted(dir.path(), "b").as_deref(),
            Some("the journal failed")
        );
        halts.rearm(HERE, &"b".into()).unwrap();
        assert_eq!(halted(dir.path(), "b"), None);
        assert_eq!(halts.rearm_all().unwrap(), ["it was flattened"]);
        assert_eq!(halted(dir.path(), "a"), None);
    }

    #[test]
    fn a_note_takes_no_new_space_and_one_that_was_torn_still_halts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let halts = Halts::of_journal(dir.path());
        halts.create().unwrap();
        let room = fs::read(&path).unwrap().len();
        halts.halt(HERE, &"a".into(), &"why ".repeat(400)).unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), room);
        for torn in [&b"a https://x.te"[..], b"\xff\xfe\x01", &[b'x'; 5000]] {
            fs::write(&path, torn).unwrap();
            assert_eq!(halted(dir.path(), "a").as_deref(), Some(UNREADABLE));
        }
        // The file was created, and the power failed before it was written.
        fs::write(&path, [0; RESERVED_BYTES]).unwrap();
        assert_eq!(halted(dir.path(), "a"), None);
    }

    #[test]
    fn a_file_that_cannot_be_opened_halts_and_is_named_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let no_directory = dir.path().join("state");
        fs::write(&no_directory, "").unwrap();
        let why = halted(&no_directory, "a").unwrap();
        let file = no_directory.join(FILE);
        let start = format!("{} cannot be read, and", file.display());
        assert!(why.starts_with(&start), "{why}");
        assert!(why.contains("Not a directory"), "{why}");
    }
}
