//! Halts: why new entries are refused until a person re-arms. They are kept in a file beside the log, in space that
//! is already allocated, so that a halt can be recorded when the log has failed.
//!
//! Contract: a halt lasts over restarts until it is withdrawn, and so does an unreadable one. Each account of each
//! service has its own; a failed journal halts all accounts.

use crate::{disk::private_file, model::AccountId};
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

const FILE: &str = "halted";
/// Bytes written at once, so that changing a halt needs no new disk space.
const RESERVED_BYTES: usize = 4096;
const LONGEST: usize = 300;
const EVERYWHERE: &str = "*";
const UNREADABLE: &str = "an earlier session was halted; the reason cannot be read";

#[derive(Debug)]
pub(super) struct Halts {
    file: File,
    notes: Vec<HaltNote>,
    room: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HaltNote {
    place: String,
    why: String,
}

impl Halts {
    /// Opens or creates the file.
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        let mut file = private_file(&dir.join(FILE))?;
        let mut bytes = vec![];
        file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(|line| line.trim_matches(['\0', ' ']));
        let notes = lines.filter(|line| !line.is_empty()).map(read).collect();
        let mut halts = Self {
            file,
            notes,
            room: bytes.len().max(RESERVED_BYTES),
        };
        if bytes.len() < RESERVED_BYTES {
            halts.write()?;
        }
        Ok(halts)
    }

    /// Reads the file, whoever writes it; `None` if there is none.
    pub(super) fn read_file(dir: &Path) -> Option<Self> {
        dir.join(FILE).is_file().then(|| Self::open(dir).ok())?
    }

    /// Why the account is halted, if it is.
    pub(super) fn of(&self, base_url: &str, account: &AccountId) -> Option<&str> {
        let here = place(base_url, account);
        let mut notes = self.notes.iter();
        let note = notes.find(|note| note.place == here || note.place == EVERYWHERE)?;
        Some(&note.why)
    }

    pub(super) fn halt(
        &mut self,
        base_url: &str,
        account: &AccountId,
        why: &str,
    ) -> io::Result<()> {
        self.note(place(base_url, account), why)
    }

    pub(super) fn halt_everywhere(&mut self, why: &str) -> io::Result<()> {
        self.note(EVERYWHERE.to_owned(), why)
    }

    /// Withdraws the halt of an account.
    pub(super) fn rearm(&mut self, base_url: &str, account: &AccountId) -> io::Result<()> {
        let here = place(base_url, account);
        self.notes
            .retain(|note| note.place != here && note.place != EVERYWHERE);
        self.write()
    }

    /// Withdraws all halts and returns their reasons.
    pub(super) fn rearm_all(&mut self) -> io::Result<Vec<String>> {
        let notes = std::mem::take(&mut self.notes);
        self.write()?;
        Ok(notes.into_iter().map(|note| note.why).collect())
    }

    /// Moves the halts of `other` here.
    pub(super) fn take_over(&mut self, other: &mut Self) -> io::Result<()> {
        for note in &other.notes {
            self.note(note.place.clone(), &note.why)?;
        }
        if !other.notes.is_empty() {
            other.rearm_all()?;
        }
        Ok(())
    }

    fn note(&mut self, place: String, why: &str) -> io::Result<()> {
        self.notes.retain(|note| note.place != place);
        let why = plain(why).chars().take(LONGEST).collect();
        self.notes.push(HaltNote { place, why });
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let lines = self.notes.iter();
        let lines = lines.map(|note| format!("{}\t{}\n", note.place, note.why));
        let mut bytes = lines.collect::<String>().into_bytes();
        // Overwrites everything that was there.
        self.room = self.room.max(bytes.len());
        bytes.resize(self.room, b' ');
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&bytes)?;
        self.file.sync_all()
    }
}

fn read(line: &str) -> HaltNote {
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
        let halts = Halts::open(dir).unwrap();
        halts.of(HERE, &account.into()).map(str::to_owned)
    }

    #[test]
    fn a_halt_holds_over_restarts_for_its_own_account_until_it_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut halts = Halts::open(dir.path()).unwrap();
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
        let mut halts = Halts::open(dir.path()).unwrap();
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
}
