//! The keys that work now, most useful first. Read from the key table, never written by hand.

use super::key_needs::{is_report, selected_order, works};
use crate::{
    app::{
        Model, awaited,
        keys::keymap::{Action, Context, Keys},
        marked,
        tables::pane::Pane,
    },
    model::Order,
};

/// One key and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    pub action: Action,
    pub key: String,
    pub label: &'static str,
    /// It closes every position: shown before all others.
    pub is_way_out: bool,
    /// Kept in a narrow window: help and quit.
    pub is_kept: bool,
}

/// Keys that close everything, then open questions.
const FIRST: &[Action] = &[
    Action::CloseAll,
    Action::Flatten,
    Action::Decide,
    Action::Correct,
    Action::Rearm,
    Action::Lift,
    Action::Freeze,
];

/// The most used keys. The others are in the help.
const ORDER: &[Action] = &[
    Action::Confirm,
    Action::Submit,
    Action::ClosePosition,
    Action::Cancel,
    Action::Exits,
    Action::Amend,
    Action::Margin,
    Action::Buy,
    Action::Sell,
    Action::Command,
    Action::Flip,
    Action::BreakEven,
    Action::Filter,
    Action::Detail,
    Action::Limits,
    Action::StopDown,
    Action::TargetDown,
    Action::AddTo,
    Action::Reduce,
    Action::Zoom,
    Action::Quality,
    Action::NewTwap,
    Action::NewLadder,
    Action::Mark,
    Action::CancelAll,
    Action::Copy,
    Action::Export,
    Action::ShowColumn,
    Action::Keep,
    Action::MoveDown,
    Action::Reset,
    Action::NextField,
    Action::NextChoice,
    Action::StepUp,
    Action::ObservedPrice,
    Action::ShowJson,
    Action::PreviousField,
    Action::ShowAccount,
    Action::NextAccount,
    Action::Chart,
    Action::NextPane,
    Action::Refresh,
    Action::Markets,
    Action::Help,
    Action::Quit,
];

/// Keys that work while the second key of a sequence is awaited.
const AWAITING: &[Action] = &[
    Action::CloseAll,
    Action::Flatten,
    Action::CancelAll,
    Action::Dismiss,
];

/// The keys that can follow the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Following {
    /// The first key, as pressed.
    pub first: String,
    pub hints: Vec<Hint>,
}

/// While the second key is awaited.
pub fn following(model: &Model) -> Option<Following> {
    let chain = awaited(model)?;
    let known = model.keymap.following(model.context(), chain.first);
    let known = known
        .into_iter()
        .filter(|(_, action)| works(model, *action));
    let hints = known.map(|(then, action)| Hint {
        action,
        key: then.to_string(),
        label: action.label(),
        is_way_out: false,
        is_kept: true,
    });
    Some(Following {
        first: chain.first.to_string(),
        hints: hints.collect(),
    })
}

/// What acts at the cursor comes before what changes the view.
const ON_CHART: &[Action] = &[
    Action::Drop,
    Action::OlderCandle,
    Action::Up,
    Action::Cancel,
    Action::Amend,
    Action::Buy,
    Action::Sell,
    Action::StopHere,
    Action::TargetHere,
    Action::ShorterInterval,
    Action::ZoomIn,
    Action::PreviousMarket,
    Action::NextMark,
    Action::AlertHere,
    Action::PinMarket,
];

const ON_LADDER: &[Action] = &[
    Action::Drop,
    Action::Cancel,
    Action::Amend,
    Action::Buy,
    Action::Sell,
    Action::StopHere,
    Action::TargetHere,
    Action::Centre,
    Action::NextMark,
    Action::AlertHere,
];

/// A pane's own keys, before those of every pane.
fn own(context: Context) -> &'static [Action] {
    match context {
        Context::Orders => &[
            Action::Cancel,
            Action::Exits,
            Action::Amend,
            Action::CancelAll,
        ],
        Context::Closed | Context::History => &[
            Action::Detail,
            Action::Quality,
            Action::Export,
            Action::Filter,
        ],
        Context::Activity | Context::Calls => &[Action::Detail, Action::Export, Action::Filter],
        Context::Detail => &[Action::Follow, Action::NextLink, Action::Down],
        Context::MarketChart => ON_CHART,
        Context::PriceLadder => ON_LADDER,
        Context::Positions
        | Context::Twaps
        | Context::Scaled
        | Context::Always
        | Context::Desk
        | Context::Help
        | Context::Bulk
        | Context::Limits
        | Context::Columns
        | Context::Accounts
        | Context::Markets
        | Context::UserAlerts
        | Context::Review
        | Context::Form
        | Context::Strip
        | Context::Prompt
        | Context::Export => &[],
    }
}

/// The keys at the end of the footer.
fn last(context: Context) -> &'static [Action] {
    match context {
        Context::Help
        | Context::Detail
        | Context::Bulk
        | Context::Limits
        | Context::Columns
        | Context::Markets
        | Context::Accounts => &[
            Action::Follow,
            Action::NextLink,
            Action::Down,
            Action::Dismiss,
        ],
        Context::UserAlerts => &[
            Action::EditAlert,
            Action::AlertHere,
            Action::DeleteAlert,
            Action::Down,
            Action::Dismiss,
        ],
        Context::Review => &[
            Action::NextChoice,
            Action::NextMonth,
            Action::ReadOlder,
            Action::Down,
            Action::Dismiss,
        ],
        Context::Prompt => &[Action::Down, Action::Dismiss],
        Context::Form | Context::Strip | Context::Export => &[Action::Dismiss],
        Context::Always
        | Context::Desk
        | Context::Positions
        | Context::Orders
        | Context::Twaps
        | Context::Scaled
        | Context::Closed
        | Context::History
        | Context::Activity
        | Context::Calls
        | Context::MarketChart
        | Context::PriceLadder => &[],
    }
}

/// The footer's hints; keys that close everything come first and are marked.
pub fn footer(model: &Model) -> Vec<Hint> {
    let context = model.context();
    let parts = if awaited(model).is_some() {
        [AWAITING, &[], &[], &[]]
    } else {
        [FIRST, own(context), ORDER, last(context)]
    };
    let actions = parts.into_iter().flatten();
    let mut hints: Vec<Hint> = vec![];
    for action in actions.filter(|action| works(model, **action)) {
        let Some(chord) = model.keymap.chord(context, *action) else {
            continue;
        };
        let hint = Hint {
            action: *action,
            key: keys(model, *action, chord),
            label: label(model, *action),
            is_way_out: action.is_way_out(),
            is_kept: matches!(action, Action::Help | Action::Quit | Action::Dismiss),
        };
        let is_said = |known: &Hint| (&known.key, known.label) == (&hint.key, hint.label);
        if !hints.iter().any(is_said) {
            hints.push(hint);
        }
    }
    hints
}

/// Keys that act in two directions.
const PAIRS: &[(Action, Action)] = &[
    (Action::StepUp, Action::StepDown),
    (Action::MoveDown, Action::MoveUp),
    (Action::StopDown, Action::StopUp),
    (Action::TargetDown, Action::TargetUp),
    (Action::OlderCandle, Action::NewerCandle),
    (Action::Up, Action::Down),
    (Action::PreviousMarket, Action::NextMarket),
    (Action::ShorterInterval, Action::LongerInterval),
    (Action::ZoomIn, Action::ZoomOut),
];

/// Such a pair is shown as one hint.
fn keys(model: &Model, action: Action, chord: Keys) -> String {
    let mut pairs = PAIRS.iter().filter(|(of, _)| *of == action);
    let other = pairs.next();
    let other = other.and_then(|(_, other)| model.keymap.chord(model.context(), *other));
    let other = other.map(|other| other.to_string());
    format!("{chord}{}", other.unwrap_or_default())
}

/// The brief words of a key in a place of its own.
const BRIEF: &[(Context, Action, &str)] = &[
    (Context::UserAlerts, Action::EditAlert, "change"),
    (Context::UserAlerts, Action::DeleteAlert, "delete"),
    (Context::UserAlerts, Action::AlertHere, "new alert"),
    (Context::MarketChart, Action::Up, "price"),
    (Context::Review, Action::NextChoice, "next part"),
    (Context::Review, Action::ReadOlder, "read older"),
    (Context::Review, Action::Down, "scroll"),
];

fn label(model: &Model, action: Action) -> &'static str {
    let (place, mut brief) = (model.context(), BRIEF.iter());
    if let Some((_, _, words)) = brief.find(|(of, does, _)| (*of, *does) == (place, action)) {
        return words;
    }
    if matches!(action, Action::Cancel | Action::ClosePosition) && !marked(model).is_empty() {
        return if action == Action::Cancel {
            "cancel marked"
        } else {
            "close marked"
        };
    }
    match (action, model.focus.pane, model.context()) {
        (Action::Dismiss, _, Context::Strip) | (Action::Exits, Pane::Positions, _) => "stop",
        (Action::Dismiss, _, Context::Form) => "leave",
        (Action::Cancel, Pane::Orders, _) => "cancel order",
        (Action::Cancel, Pane::Twaps, _) => "stop TWAP",
        (Action::Cancel, Pane::Scaled, _) => "cancel ladder",
        (Action::Confirm, _, Context::Bulk) => "send",
        (Action::Submit, _, Context::Export) => "write",
        (Action::Submit, _, Context::Prompt) => "keep",
        (Action::Dismiss, _, Context::Prompt) => "show all",
        (Action::Filter, _, Context::Markets | Context::Accounts) => "search",
        (Action::NextField, _, Context::Export) => "span",
        (Action::NextChoice, _, Context::Export) => "format",
        (Action::ClosePosition, ..) => "close",
        (Action::Exits, ..) if selected_order(model).is_some_and(Order::is_armed) => "move",
        (Action::Exits, ..) => "exits",
        (Action::NextField, ..) => "field",
        (Action::Follow, ..) if is_report(model) => "its rows",
        (Action::Follow, ..) => "follow",
        (Action::NextChoice, ..) => "choice",
        (Action::PinMarket, ..) if model.market_screen.is_pinned() => "unpin",
        (Action::PinMarket, ..) => "pin",
        (Action::Quality, Pane::Closed, _) => "by market",
        (Action::Quality, ..) => "quality",
        (Action::Down, _, Context::Detail) if is_report(model) => "move",
        (Action::Down, _, Context::Help | Context::Detail) => "scroll",
        (Action::Amend | Action::Down, ..) => "move",
        _ => short(action),
    }
}

/// Shorter words than the action's own, wherever it stands.
const SHORT: &[(Action, &str)] = &[
    (Action::Drop, "drop it"),
    (Action::NextMark, "next of yours"),
    (Action::AlertHere, "alert"),
    (Action::PreviousMarket, "market"),
    (Action::StopHere, "stop here"),
    (Action::TargetHere, "target here"),
    (Action::Centre, "centre"),
    (Action::MoveDown, "move it"),
    (Action::ShowColumn, "on/off"),
    (Action::Freeze, "unfreeze"),
    (Action::Decide, "DECIDE"),
    (Action::Correct, "correct"),
    (Action::Rearm, "RE-ARM"),
    (Action::CancelAll, "cancel all"),
    (Action::Command, "command"),
    (Action::Limits, "limits"),
    (Action::Export, "export"),
    (Action::Margin, "margin"),
    (Action::StopDown, "stop tick"),
    (Action::TargetDown, "target tick"),
    (Action::AddTo, "add"),
    (Action::Reduce, "reduce"),
    (Action::NewTwap, "TWAP"),
    (Action::NewLadder, "ladder"),
    (Action::NextAccount, "account"),
    (Action::ShowAccount, "show it"),
    (Action::Refresh, "refresh"),
    (Action::NextPane, "pane"),
    (Action::PreviousField, "back"),
    (Action::StepUp, "tick"),
    (Action::ObservedPrice, "mid"),
    (Action::ShowJson, "JSON"),
    (Action::NextLink, "link"),
    (Action::Chart, "chart"),
    (Action::OlderCandle, "candle"),
    (Action::ShorterInterval, "interval"),
    (Action::ZoomIn, "wider"),
];

fn short(action: Action) -> &'static str {
    let known = SHORT.iter().find(|(of, _)| *of == action);
    known.map_or_else(|| action.label(), |(_, words)| words)
}
