//! What a disk does to the files of a journal that a death has left, and what must hold when it is opened again.
//!
//! Nothing is lost without a word, and nothing is sent that is not what was recorded.

use perpdeck::{
    journal::{IntentRow, Journal, UsedKey},
    model::Timestamp,
};
use rusqlite::Connection;
use std::{fs, path::Path};
use strum::{Display, VariantArray};

const DATABASE: &str = "journal.sqlite3";
const LOG: &str = "journal.sqlite3-wal";
const MEMORY: &str = "journal.sqlite3-shm";
const RING: &str = "journal.ring";
/// Bytes of the header of the log, and of a frame with its page.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, VariantArray)]
pub(crate) enum Damage {
    /// Nothing was damaged: then nothing is halted.
    None,
    FirstFrame,
    MiddleFrame,
    LastFrame,
    LogCut,
    /// A bit of the text of the newest row, in the main file.
    Row,
    OldRing,
    RingGone,
    DatabaseGone,
    /// No database at all, by its bytes.
    DatabaseBad,
    BothBad,
}

/// A ring as it was once.
pub(crate) struct OldRing(Vec<u8>);

impl OldRing {
    pub(crate) fn of(dir: &Path) -> Self {
        Self(fs::read(dir.join(RING)).unwrap_or_default())
    }
}

impl Damage {
    /// Whether the files are otherwise than before.
    pub(crate) fn befall(self, dir: &Path, old: &OldRing) -> bool {
        match self {
            Self::None => false,
            Self::FirstFrame => flip_frame(dir, |_| 0),
            Self::MiddleFrame => flip_frame(dir, |frames| frames / 2),
            Self::LastFrame => flip_frame(dir, |frames| frames - 1),
            Self::LogCut => change(&dir.join(LOG), |log| log.truncate(log.len() / 2)),
            Self::Row => flip_row(dir),
            Self::OldRing => change(&dir.join(RING), |ring| ring.clone_from(&old.0)),
            Self::RingGone => fs::remove_file(dir.join(RING)).is_ok(),
            Self::DatabaseGone => {
                let gone = [DATABASE, LOG, MEMORY].map(|file| fs::remove_file(dir.join(file)));
                gone.iter().any(Result::is_ok)
            }
            Self::DatabaseBad => change(&dir.join(DATABASE), |file| spoil(file)),
            Self::BothBad => {
                change(&dir.join(RING), |file| spoil(file))
                    | change(&dir.join(DATABASE), |file| spoil(file))
            }
        }
    }
}

fn spoil(bytes: &mut [u8]) {
    bytes.fill(0x5a);
}

/// Whether there was anything to change in it.
fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> bool {
    let Ok(before) = fs::read(path) else {
        return false;
    };
    let mut after = before.clone();
    change(&mut after);
    fs::write(path, &after).unwrap();
    after != before
}

/// A bit of the page of one of the frames that a start would take in.
fn flip_frame(dir: &Path, which: impl FnOnce(usize) -> usize) -> bool {
    change(&dir.join(LOG), |log| {
        let Some(salt) = log.get(16..24).map(<[u8]>::to_vec) else {
            return;
        };
        let frames = log[HEADER..].chunks_exact(FRAME);
        let frames = frames.take_while(|frame| frame[8..16] == salt).count();
        if frames > 0 {
            log[HEADER + which(frames) * FRAME + 24 + 700] ^= 4;
        }
    })
}

/// Of what the newest row says was asked for.
fn flip_row(dir: &Path) -> bool {
    let path = dir.join(DATABASE);
    let raw = Connection::open(&path).unwrap();
    // All of it in the main file, as when a desk was closed.
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let newest =
        "SELECT iif(length(body) > 0, body, CAST(target AS BLOB)) FROM intents ORDER BY id DESC";
    let said: Result<Vec<u8>, _> = raw.query_row(newest, [], |row| row.get(0));
    raw.close().unwrap();
    let Ok(said) = said else { return false };
    change(&path, |file| {
        let places = file.windows(said.len()).rposition(|some| some == said);
        if let Some(at) = places {
            file[at + said.len() / 2] ^= 1;
        }
    })
}

/// What is wrong with how the files in `dir` open, of which `before` was known; nothing is sent meanwhile.
pub(crate) fn complaints(before: &[IntentRow], dir: &Path, damage: Damage) -> Vec<String> {
    // Made with the journal, and not before it is used for the first time.
    let has_keys = fs::read(dir.join("spare-keys"))
        .is_ok_and(|keys| keys.len() == 8 * 512 && !keys.contains(&0));
    let mut wrong = vec![];
    let mut say = |what: String| wrong.push(format!("{damage}: {what}"));
    let mut journal = match Journal::open(dir) {
        Ok(journal) => journal,
        Err(why) => {
            say(format!("it does not open: {why}"));
            return wrong;
        }
    };
    let here = before.first().map(|entry| &entry.intent);
    let halted = here.and_then(|one| journal.halted(&one.base_url, &one.account_id));
    let (is_halted, is_said) = (halted.is_some(), journal.damage().is_some());
    if damage == Damage::None && (is_halted || is_said) {
        say(format!("whole, and halted: {:?}", journal.damage()));
    }
    if is_said && here.is_some() && !is_halted {
        say("damaged, and not halted".to_owned());
    }
    let taken = journal.take_reserved_key(|key| UsedKey {
        key,
        at: Timestamp(1),
        credential: String::new(),
        account_id: "run-0".into(),
        base_url: "http://x.test".to_owned(),
        target: "/v1/accounts/run-0/close-all-positions".to_owned(),
    });
    if has_keys && taken.is_none() {
        say("no reserved key for the way out".to_owned());
    }
    if let Some(refused) = journal.failure() {
        let why = refused.to_string();
        // Of files that are both bad nobody knows a number.
        let named = |entry: &IntentRow| why.contains(&entry.id.0.to_string());
        if damage != Damage::BothBad && !before.iter().filter(|entry| is_open(entry)).all(named) {
            say(format!(
                "refused without the numbers of what was in doubt: {why}"
            ));
        }
        return wrong;
    }
    let now = journal.recent(99).unwrap();
    for was in before {
        let found = now
            .iter()
            .find(|entry| entry.id == was.id || same_key(entry, was));
        let what = compared(was, found, (damage, is_said));
        wrong.extend(what.iter().map(|what| format!("{damage}: {what}")));
    }
    wrong
}

/// What is wrong with a row as it is `found`.
fn compared(
    was: &IntentRow,
    found: Option<&IntentRow>,
    (damage, is_said): (Damage, bool),
) -> Vec<String> {
    let id = was.id.0;
    let Some(entry) = found else {
        let is_wrong = !is_said || is_open(was);
        let what = is_wrong.then(|| format!("row {id} ({}) is gone", was.state));
        return what.into_iter().collect();
    };
    let may_go = entry.is_replayable(Timestamp(was.created_at.0 + 1));
    let is_changed = entry.intent != was.intent;
    let is_other = is_changed || entry.state != was.state;
    // Of the last commit of a log nobody knows what it held: an outcome is found out once more.
    let is_intact = matches!(damage, Damage::None | Damage::OldRing | Damage::RingGone);
    let is_settled = is_open(was) && !is_open(entry);
    let is_reopened = is_intact && !is_open(was) && is_open(entry);
    let wrong = [
        (is_changed && !is_said, "is changed, without a word"),
        (is_changed && may_go, "is changed, and may be sent"),
        (
            is_open(was) && is_said && may_go && is_other,
            "was in doubt, and may be sent again",
        ),
        (is_settled || is_reopened, "stands otherwise"),
    ];
    let wrong = wrong.iter().filter(|(is_wrong, _)| *is_wrong);
    wrong
        .map(|(_, what)| format!("row {id} {what}: {} is {}", was.state, entry.state))
        .collect()
}

fn is_open(entry: &IntentRow) -> bool {
    entry.state.is_open()
}

fn same_key(one: &IntentRow, other: &IntentRow) -> bool {
    one.intent.key.is_some() && one.intent.key == other.intent.key
}
