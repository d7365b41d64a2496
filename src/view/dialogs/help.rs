//! The help: every key that works where it was opened, in groups.

use crate::{
    app::{
        Action, Context, Model,
        keys::{
            fuzzy::scored,
            keymap::{Binding, HelpGroup, Keymap, UnboundAction},
        },
        update::command::{VERBS, Verb},
    },
    view::text::format::UNKNOWN,
};
use std::{cmp::Reverse, collections::BTreeMap};
use strum::IntoEnumIterator as _;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpSection {
    pub title: &'static str,
    /// Keys and their actions.
    pub lines: Vec<HelpLine>,
}

/// A key, and what it does.
type HelpLine = (String, &'static str);

impl HelpSection {
    pub(super) fn new(title: &'static str, lines: impl Iterator<Item = HelpLine>) -> Self {
        let lines = lines.collect();
        Self { title, lines }
    }
}

/// What a newcomer asks first: the keys of the answer, and the answer.
const QUESTIONS: &[(Action, &str)] = &[
    (
        Action::Positions,
        "where is my stop? column stop; NO STOP without one",
    ),
    (
        Action::Closed,
        "what did that trade cost? Enter: gross, fees, funding, net",
    ),
    (
        Action::Refresh,
        "is this number old? each pane's title has its age; r reads again",
    ),
    (
        Action::Quit,
        "what happens if I quit now? orders stay at the service; a demo is forgotten",
    ),
    (
        Action::Flatten,
        "how do I start over? this closes everything; a new demo has a new account",
    ),
];

/// Symbols on the screen and their meaning.
const LEGEND: &[(&str, &str)] = &[
    ("–", "not known; never 0"),
    ("late OLD", "past 3, 10 poll intervals"),
    ("100+", "older rows exist; scroll to read them"),
    ("bps +", "filled better than expected price or trigger"),
    ("bps -", "filled worse"),
    ("drift -", "behind its schedule"),
    ("RO", "reduce-only"),
    ("▸ ◆", "the market shown; pinned"),
    ("┃ █", "a candle up, down; ▲▼ own fills"),
];

/// The help lines that the search finds: in a key, an action or a section's title. The section with the best match comes
/// first, and in it the best line.
pub fn help(model: &Model, of: Context, search: &str) -> Vec<HelpSection> {
    let sections = all(model, of, search);
    if search.is_empty() {
        return sections;
    }
    // Letters that lie apart are in nearly every sentence: they count where no line has the whole text.
    let wanted = search.to_lowercase();
    let has_text = |(_, does): &(String, &str)| does.to_lowercase().contains(&wanted);
    let is_written = sections.iter().flat_map(|s| &s.lines).any(has_text);
    let found = sections.into_iter().map(|section| {
        let mut lines: Vec<_> = scores(&section, search).zip(section.lines).collect();
        lines.retain(|(score, line)| *score == Some(EXACT) || !is_written || has_text(line));
        lines.retain(|(score, _)| score.is_some());
        lines.sort_by_key(|(score, _)| Reverse(*score));
        let best = lines.first().and_then(|(score, _)| *score);
        let lines = lines.into_iter().map(|(_, line)| line);
        (best, HelpSection::new(section.title, lines))
    });
    let mut found: Vec<_> = found.filter(|(best, _)| best.is_some()).collect();
    found.sort_by_key(|(best, _)| Reverse(*best));
    found.into_iter().map(|(_, section)| section).collect()
}

/// The score of a line whose key or section is meant.
const EXACT: u32 = u32::MAX / 4;

/// How well each line matches, if it does. `x` and `X` are two keys.
fn scores(section: &HelpSection, search: &str) -> std::vec::IntoIter<Option<u32>> {
    let title = section.title.to_lowercase();
    let is_named = title.contains(&search.to_lowercase());
    let lines = section.lines.iter().enumerate();
    let found = scored(lines.clone(), search, |(_, (_, does))| (*does).to_owned());
    let found = found.into_iter().map(|(score, (at, _))| (at, score));
    let found: BTreeMap<_, _> = found.collect();
    let score = |(at, (key, _)): (usize, &(String, &str))| {
        let is_exact = is_named || key.contains(search);
        is_exact.then_some(EXACT).or(found.get(&at).copied())
    };
    lines.map(score).collect::<Vec<_>>().into_iter()
}

/// How to search, and the key of the glossary.
pub fn help_hint(model: &Model) -> String {
    let key = model.keymap.chord(Context::Help, Action::Glossary);
    let glossary = key.map_or_else(String::new, |key| format!(" · {key} glossary"));
    format!("keys that work here · type to search{glossary}")
}

/// The keys of `of` first, then the desk's in groups. A search also covers commands with a key.
fn all(model: &Model, of: Context, search: &str) -> Vec<HelpSection> {
    let keymap = &model.keymap;
    let bindings: Vec<&Binding> = keymap.hints(of).collect();
    let own = bindings.iter().filter(|b| b.context == of);
    // The tour's key works only during the tour.
    let works = |action: Action| action != Action::NextStep || model.tour.is_some();
    let listed = |b: &&&Binding| b.context != of && works(b.action);
    let desk: Vec<_> = bindings.iter().filter(listed).collect();
    let is_form = of == Context::Form || of == Context::Strip;
    let mut sections: Vec<_> = (!is_form).then(|| questions(keymap)).into_iter().collect();
    sections.push(section(name(of), own.copied()));
    for group in HelpGroup::iter() {
        let of_group = desk.iter();
        let of_group = of_group.filter(|b| keymap.presented.help_group(b.action) == group);
        sections.push(section(group.into(), of_group.copied().copied()));
    }
    sections.push(keyless(keymap, of));
    sections.push(section("Everywhere", keymap.always()));
    if !is_form {
        let is_listed = |verb: &&Verb| !search.is_empty() || !verb.has_key();
        let commands = VERBS.iter().filter(is_listed);
        let commands = commands.map(|verb| (format!(":{}", verb.name), verb.does));
        let signs = LEGEND
            .iter()
            .map(|(sign, means)| ((*sign).to_owned(), *means));
        sections.push(HelpSection::new("Commands", commands));
        sections.push(HelpSection::new("Signs", signs));
    }
    sections.retain(|section| !section.lines.is_empty());
    sections
}

fn questions(keymap: &Keymap) -> HelpSection {
    let key = |action: &Action| Some(keymap.chord(Context::Desk, *action)?.to_string());
    let lines = QUESTIONS
        .iter()
        .map(|(action, answer)| (key(action).unwrap_or_default(), *answer));
    HelpSection::new("Questions", lines)
}

/// Actions that the person's own bindings left without a key, and how to run them.
fn keyless(keymap: &Keymap, of: Context) -> HelpSection {
    let here = |lost: &&UnboundAction| of.includes(lost.context);
    let lines = keymap.keyless().iter().filter(here).map(|lost| {
        let command = lost.command().unwrap_or_else(|| UNKNOWN.to_owned());
        (command, lost.action.label())
    });
    HelpSection::new("Without a key", lines)
}

fn section<'a>(title: &'static str, bindings: impl Iterator<Item = &'a Binding>) -> HelpSection {
    let lines = bindings.map(|binding| {
        let keys: Vec<_> = binding.keys.iter().map(ToString::to_string).collect();
        (keys.join(" "), binding.action.label())
    });
    HelpSection::new(title, lines)
}

fn name(context: Context) -> &'static str {
    match context {
        Context::Always => "Always",
        Context::Desk => "Desk",
        Context::Positions => "This position",
        Context::Orders => "This order",
        Context::Twaps => "This TWAP",
        Context::Scaled => "This scaled order",
        Context::Closed => "Closed positions",
        Context::History => "Order history",
        Context::Activity => "Activity",
        Context::Calls => "Calls",
        Context::MarketChart => "Chart",
        Context::PriceLadder => "Price ladder",
        Context::Form => "Form",
        Context::Strip => "Strip",
        Context::Bulk => "List of calls",
        Context::Limits => "Challenge limits",
        Context::Export => "Export",
        Context::Columns => "Columns",
        Context::Help => "Help",
        Context::Detail => "Detail",
        Context::Markets => "Markets",
        Context::UserAlerts => "Your alerts",
        Context::Review => "Review",
        Context::Accounts => "Accounts",
        Context::Prompt => "Line",
    }
}
