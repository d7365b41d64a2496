//! What a disk does to the files of a journal that a death has left, and what must hold when it is opened again.
//!
//! Nothing is lost without a word, and nothing is sent that is not what was recorded.

use perpdeck::journal::{IntentRow, Journal};
use std::{fs, path::Path};
use strum::{Display, VariantArray};

const LOG: &str = "journal.jsonl";
const NEWEST: &str = "journal.newest";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, VariantArray)]
pub(crate) enum Damage {
    /// Nothing was damaged: then nothing is halted.
    None,
    FirstLine,
    MiddleLine,
    LastLine,
    LineDoubled,
    LineLost,
    LogCut,
    LogGone,
    /// No log at all, by its bytes.
    LogBad,
    NewestGone,
    NewestBad,
}

impl Damage {
    /// Whether the files are otherwise than before.
    pub(crate) fn befall(self, dir: &Path) -> bool {
        let lines = |edit: fn(&mut Vec<String>)| {
            change(&dir.join(LOG), |log| {
                let text = String::from_utf8(log.clone()).unwrap();
                let mut lines = text.split_inclusive('\n').map(str::to_owned).collect();
                edit(&mut lines);
                *log = lines.concat().into_bytes();
            })
        };
        match self {
            Self::None => false,
            Self::FirstLine => lines(|lines| flip(lines, |_| 0)),
            Self::MiddleLine => lines(|lines| flip(lines, |written| written / 2)),
            Self::LastLine => lines(|lines| flip(lines, |written| written - 1)),
            Self::LineDoubled => lines(|lines| {
                if let Some(line) = lines.get(1).cloned() {
                    lines.insert(1, line);
                }
            }),
            Self::LineLost => lines(|lines| {
                if lines.len() > 1 {
                    lines.remove(1);
                }
            }),
            Self::LogCut => change(&dir.join(LOG), |log| {
                log.truncate(log.trim_ascii_end().len() / 2);
            }),
            Self::LogGone => fs::remove_file(dir.join(LOG)).is_ok(),
            Self::LogBad => change(&dir.join(LOG), |file| spoil(file)),
            Self::NewestGone => fs::remove_file(dir.join(NEWEST)).is_ok(),
            Self::NewestBad => change(&dir.join(NEWEST), |file| spoil(file)),
        }
    }
}

/// A bit of one of the lines that were written.
fn flip(lines: &mut [String], which: impl FnOnce(usize) -> usize) {
    let written = lines.iter().filter(|line| line.ends_with('\n')).count();
    if written > 0 {
        let line = &mut lines[which(written)];
        let mut bytes = line.clone().into_bytes();
        bytes[line.len() / 2] ^= 1;
        *line = String::from_utf8(bytes).unwrap();
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

/// What is wrong with how the files in `dir` open, of which `before` was known; nothing is sent meanwhile.
pub(crate) fn complaints(before: &[IntentRow], dir: &Path, damage: Damage) -> Vec<String> {
    let mut wrong = vec![];
    let mut say = |what: String| wrong.push(format!("{damage}: {what}"));
    let journal = match Journal::open(dir) {
        Ok(journal) => journal,
        Err(why) => {
            say(format!("it does not open: {why}"));
            return wrong;
        }
    };
    let here = before.first().map(|entry| &entry.intent);
    let halted = here.and_then(|one| journal.halts().of(&one.base_url, &one.account_id));
    let (is_halted, is_said) = (halted.is_some(), journal.damage().is_some());
    if damage == Damage::None && (is_halted || is_said) {
        say(format!("whole, and halted: {:?}", journal.damage()));
    }
    if is_said && here.is_some() && !is_halted {
        say("damaged, and not halted".to_owned());
    }
    let now = journal.recent(99).unwrap();
    for was in before {
        let found = now.iter().find(|entry| entry.id == was.id);
        let what = compared(was, found, (damage, is_said));
        wrong.extend(what.map(|what| format!("{damage}: row {}: {what}", was.id.0)));
    }
    wrong
}

/// What is wrong with a row as it is `found`.
fn compared(
    was: &IntentRow,
    found: Option<&IntentRow>,
    (damage, is_said): (Damage, bool),
) -> Option<String> {
    let Some(entry) = found else {
        return (!is_said).then(|| format!("{} and gone, without a word", was.state));
    };
    let is_settled = was.state.is_open() && !entry.state.is_open();
    // A last line that no number knows may have been torn by the power cut: what it told is found out once more.
    let is_known_again = damage == Damage::LastLine && entry.state.is_open();
    let wrong = [
        (entry.intent != was.intent, "changed"),
        (
            entry != was && !is_said && !is_known_again,
            "changed, without a word",
        ),
        (is_settled, "settled"),
        (
            was.maybe_executed && !entry.maybe_executed,
            "not sent any more",
        ),
    ];
    let what = wrong.iter().find(|(is_wrong, _)| *is_wrong);
    what.map(|(_, what)| format!("{}, and {what}: {}", was.state, entry.state))
}
