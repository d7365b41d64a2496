//! The keys that work now, most useful first. Read from the key table, never written by hand.

use super::{
    key_needs::{is_report, selected_order, works},
    toast::NoticeView,
};
use crate::{
    app::{Action, Context, Model, awaited, has_two_charts, keys::keymap::Keys, marked},
    model::Order,
    view::text::{Span, Tone},
};

/// One key and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    pub action: Action,
    pub key: String,
    pub label: String,
    /// It closes every position: shown before all others.
    pub closes_all: bool,
    /// Kept in a narrow window: help and quit.
    pub is_kept: bool,
}

impl Hint {
    /// A click on either presses the key.
    pub(crate) fn spans(&self) -> [Span; 2] {
        let (key, label) = if self.closes_all {
            (Tone::Alert, Tone::Warn)
        } else {
            (Tone::Accent, Tone::Muted)
        };
        [
            Span::new(self.key.clone(), key).pressing(self.action),
            Span::new(format!(" {}", self.label), label).pressing(self.action),
        ]
    }
}

/// Keys that work while the second key of a sequence is awaited.
const AWAITING: &[Action] = &[
    Action::CloseAll,
    Action::Flatten,
    Action::CancelAll,
    Action::Dismiss,
];

/// The keys that can follow the first one, while the second is awaited.
pub fn following(model: &Model) -> Option<NoticeView> {
    let chain = awaited(model)?;
    let known = model.keymap.following(model.context(), chain.first);
    let known = known
        .into_iter()
        .filter(|(_, action)| works(model, *action));
    let hints = known.map(|(then, action)| Hint {
        action,
        key: then.to_string(),
        label: action.label().to_owned(),
        closes_all: false,
        is_kept: true,
    });
    let words = hints.flat_map(|hint| hint.spans().into_iter().chain([Span::plain("  ")]));
    Some(NoticeView {
        tone: Tone::Strong,
        head: format!("{} …", chain.first),
        words: words.collect(),
        is_news: false,
    })
}

/// The footer's hints; keys that close everything come first and are marked.
pub fn footer(model: &Model) -> Vec<Hint> {
    let context = model.context();
    let actions = match awaited(model) {
        Some(_) => AWAITING.to_vec(),
        None => model.keymap.presented.footer(context),
    };
    let works = actions.into_iter().filter(|action| works(model, *action));
    let hints = works.filter_map(|action| {
        let chord = model.keymap.chord(context, action)?;
        Some(Hint {
            action,
            key: keys(model, action, chord),
            label: label(model, action),
            closes_all: action.closes_all(),
            is_kept: matches!(action, Action::Help | Action::Quit | Action::Dismiss),
        })
    });
    hints.collect()
}

/// Two keys that act in opposite directions are one hint.
fn keys(model: &Model, action: Action, chord: Keys) -> String {
    let context = model.context();
    let other = model.keymap.presented.pair(context, action);
    let other = other.and_then(|other| model.keymap.chord(context, other));
    let other = other.map(|other| other.to_string());
    format!("{chord}{}", other.unwrap_or_default())
}

fn label(model: &Model, action: Action) -> String {
    let has_marks = || !marked(model).is_empty();
    let word = match (action, is_report(model)) {
        (Action::Cancel, _) if has_marks() => "cancel marked",
        (Action::ClosePosition, _) if has_marks() => "close marked",
        (Action::Exits, _) if is_on_a_trigger(model) => "move",
        (Action::Follow, true) => "its rows",
        (Action::Down, true) => "move",
        (Action::TwoCharts, _) if has_two_charts(model) => "one chart",
        (Action::NextPane, _) if has_two_charts(model) => "other chart",
        (Action::PinMarket, _) if model.market_screen.is_pinned() => "unpin",
        _ => model.keymap.presented.word(model.context(), action),
    };
    word.to_owned()
}

/// Whether the exits key moves a trigger: that of the selected order.
fn is_on_a_trigger(model: &Model) -> bool {
    model.context() == Context::Orders && selected_order(model).is_some_and(Order::is_armed)
}
