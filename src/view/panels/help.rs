//! The help: every key that works where it was opened, in groups.

use crate::{
    app::{
        Model,
        keys::keymap::{Action, Binding, Context, Keymap, UnboundAction},
        update::command::{VERBS, Verb},
    },
    view::text::format::UNKNOWN,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpSection {
    pub title: &'static str,
    /// Keys and their actions.
    pub lines: Vec<(String, &'static str)>,
}

/// The groups of the desk's own keys; all others are under "Desk".
const GROUPS: &[(&str, &[Action])] = &[
    (
        "Trade",
        &[
            Action::Buy,
            Action::Sell,
            Action::CloseAll,
            Action::CancelAll,
            Action::Flatten,
            Action::Decide,
            Action::Correct,
            Action::Rearm,
        ],
    ),
    (
        "Panes",
        &[
            Action::Positions,
            Action::Orders,
            Action::Twaps,
            Action::Scaled,
            Action::Closed,
            Action::History,
            Action::Activity,
            Action::Calls,
            Action::NextPane,
            Action::PreviousPane,
        ],
    ),
    (
        "Move",
        &[
            Action::Down,
            Action::Up,
            Action::PageDown,
            Action::PageUp,
            Action::Top,
            Action::Bottom,
        ],
    ),
    (
        "Find",
        &[
            Action::Filter,
            Action::Command,
            Action::Sort,
            Action::SortDirection,
            Action::Columns,
            Action::Freeze,
            Action::Zoom,
            Action::Markets,
        ],
    ),
];

/// Symbols on the screen and their meaning.
const LEGEND: &[(&str, &str)] = &[
    ("–", "not known; never 0"),
    ("late OLD", "past 3, 10 poll intervals"),
    ("100+", "there are older ones; histories read on"),
    ("bps +", "filled better than expected, or than its trigger"),
    ("bps -", "filled worse"),
    ("drift -", "behind its schedule"),
    ("RO", "reduce-only"),
    ("▸ ◆", "the market shown; pinned"),
    ("┃ █", "a candle up, down; ▲▼ own fills"),
];

/// The help lines that contain the search text: in a key, an action or a section's title.
pub fn help(model: &Model, of: Context, search: &str) -> Vec<HelpSection> {
    let wanted = search.to_lowercase();
    let mut sections = all(model, of, search);
    for section in &mut sections {
        let is_named = section.title.to_lowercase().contains(&wanted);
        section.lines.retain(|(key, does)| {
            // `x` and `X` are two keys.
            is_named || does.to_lowercase().contains(&wanted) || key.contains(search)
        });
    }
    sections.retain(|section| !section.lines.is_empty());
    sections
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
    let group_of = |action: Action| {
        let group = GROUPS.iter().find(|(_, actions)| actions.contains(&action));
        group.map_or("Desk", |(title, _)| title)
    };
    let mut sections = vec![section(name(of), own.copied())];
    for title in ["Trade", "Desk", "Find", "Panes", "Move"] {
        let of_group = desk.iter().filter(|b| group_of(b.action) == title);
        sections.push(section(title, of_group.copied().copied()));
    }
    sections.push(keyless(keymap, of));
    sections.push(section("Everywhere", keymap.always()));
    if of != Context::Form && of != Context::Strip {
        let signs = LEGEND
            .iter()
            .map(|(sign, means)| ((*sign).to_owned(), *means));
        let is_listed = |verb: &&Verb| !search.is_empty() || !verb.has_key();
        let commands = VERBS.iter().filter(is_listed);
        let lines = commands.map(|verb| (format!(":{}", verb.name), verb.does));
        sections.push(HelpSection {
            title: "Commands",
            lines: lines.collect(),
        });
        sections.push(HelpSection {
            title: "Signs",
            lines: signs.collect(),
        });
    }
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// Actions that the person's own bindings left without a key, and how to run them.
fn keyless(keymap: &Keymap, of: Context) -> HelpSection {
    let here = |lost: &&UnboundAction| of.includes(lost.context);
    let lines = keymap.keyless().iter().filter(here).map(|lost| {
        let command = lost.command().unwrap_or_else(|| UNKNOWN.to_owned());
        (command, lost.action.label())
    });
    HelpSection {
        title: "Without a key",
        lines: lines.collect(),
    }
}

fn section<'a>(title: &'static str, bindings: impl Iterator<Item = &'a Binding>) -> HelpSection {
    let lines = bindings.map(|binding| {
        let keys: Vec<_> = binding.keys.iter().map(ToString::to_string).collect();
        (keys.join(" "), binding.action.label())
    });
    HelpSection {
        title,
        lines: lines.collect(),
    }
}

fn name(context: Context) -> &'static str {
    match context {
        Context::Always => "Always",
        Context::Desk => "Desk",
        Context::Positions => "This position",
        Context::Orders => "This order",
        Context::Twaps => "This TWAP",
        Context::Scaled => "This ladder",
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
