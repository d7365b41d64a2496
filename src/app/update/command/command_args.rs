//! A typed line as words and flags with their positions.

use super::{Verb, VerbFlag};
use crate::app::tables::table_view::Fault;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// In characters of the line.
    pub at: Range<usize>,
}

/// The arguments of a command.
#[derive(Debug)]
pub struct CommandArgs {
    pub words: Vec<Word>,
    flags: Vec<Flag>,
    /// The end of the line.
    end: usize,
}

#[derive(Debug)]
struct Flag {
    name: &'static str,
    /// As in the line.
    word: Word,
    value: Option<Word>,
}

impl Word {
    pub fn fault(&self, what: impl Into<String>) -> Fault {
        Fault {
            at: self.at.clone(),
            what: what.into(),
        }
    }
}

/// Words between blanks; single or double quotes keep blanks together.
pub(super) fn words(text: &str) -> Result<Vec<Word>, Fault> {
    let mut words = vec![];
    let mut open: Option<Word> = None;
    let mut quote: Option<(usize, char)> = None;
    for (at, c) in text.chars().enumerate() {
        match (c, quote) {
            (c, Some((_, opened))) if c == opened => quote = None,
            ('"' | '\'', None) => {
                quote = Some((at, c));
                open.get_or_insert(Word {
                    text: String::new(),
                    at: at..at + 1,
                });
            }
            (c, None) if c.is_whitespace() => words.extend(open.take()),
            (c, _) => {
                let word = open.get_or_insert(Word {
                    text: String::new(),
                    at: at..at,
                });
                word.text.push(c);
                word.at.end = at + 1;
            }
        }
    }
    if let Some((at, _)) = quote {
        return Err(Fault {
            at: at..at + 1,
            what: "the quote has no closing mark".to_owned(),
        });
    }
    words.extend(open);
    Ok(words)
}

impl CommandArgs {
    pub(super) fn of(verb: &'static Verb, all: &[Word], length: usize) -> Result<Self, Fault> {
        let mut args = Self {
            words: vec![],
            flags: vec![],
            end: length,
        };
        let mut rest = all.iter().skip(1);
        while let Some(word) = rest.next() {
            let flags = verb.flags();
            let is_short = |flag: &VerbFlag| flag.short() == Some(&*word.text);
            if !word.text.starts_with("--") && !flags.iter().any(is_short) {
                args.words.push(word.clone());
                continue;
            }
            let (name, glued) = match word.text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.text.as_str(), None),
            };
            let mut known = flags.into_iter();
            let Some(flag) = known.find(|flag| flag.name == name || is_short(flag)) else {
                return Err(word.fault(unknown(verb, name)));
            };
            let value = match (flag.takes_value, glued) {
                (false, Some(_)) => return Err(word.fault(format!("{name} takes no value"))),
                (false, None) => None,
                (true, Some(value)) => Some(Word {
                    text: value.to_owned(),
                    at: word.at.clone(),
                }),
                (true, None) => {
                    let value = rest.next().cloned();
                    Some(value.ok_or_else(|| word.fault(format!("{name} what?")))?)
                }
            };
            args.flags.push(Flag {
                name: flag.name,
                word: word.clone(),
                value,
            });
        }
        Ok(args)
    }

    pub(super) fn word(&self, at: usize) -> Option<&Word> {
        self.words.get(at)
    }

    /// The n-th word, or an error that says what is missing.
    pub(super) fn needed(&self, at: usize, what: &str) -> Result<&Word, Fault> {
        self.word(at).ok_or_else(|| self.missing(what))
    }

    /// An error at the end: something is missing.
    pub(super) fn missing(&self, what: &str) -> Fault {
        Fault {
            at: self.end..self.end + 1,
            what: what.to_owned(),
        }
    }

    /// The value of a flag.
    pub(super) fn flag(&self, name: &str) -> Option<&Word> {
        let mut given = self.flags.iter().filter(|flag| flag.name == name);
        given.next_back()?.value.as_ref()
    }

    /// The position of a flag, if it is there.
    pub(super) fn has(&self, name: &str) -> Option<&Word> {
        let given = self.flags.iter().find(|flag| flag.name == name);
        given.map(|flag| &flag.word)
    }

    /// Refuses all flags.
    pub(super) fn no_flags(&self) -> Result<(), Fault> {
        match self.flags.first() {
            Some(flag) => Err(flag.word.fault("this command takes no flags")),
            None => Ok(()),
        }
    }

    /// Refuses more than this many words.
    pub(super) fn at_most(&self, count: usize) -> Result<(), Fault> {
        match self.word(count) {
            Some(word) => Err(word.fault("this command takes no more arguments")),
            None => Ok(()),
        }
    }
}

fn unknown(verb: &Verb, flag: &str) -> String {
    if flag == "--yes" {
        return "leave it out: the desk asks before it sends".to_owned();
    }
    let flags: Vec<_> = verb.flags().iter().map(|flag| flag.name).collect();
    match flags.as_slice() {
        [] => format!("{} takes no flags", verb.name),
        flags => format!("{} takes {}", verb.name, flags.join(", ")),
    }
}
