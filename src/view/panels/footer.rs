//! The keys that work now, most useful first. Read from the key table, never written by hand.

use crate::{
    app::{
        Model, Remote,
        account::{row_id::RowId, successor},
        awaited,
        dialogs::overlay::{Overlay, ReviewTab},
        forms::form::Form,
        has_refused,
        keys::keymap::{Action, Context, Keys},
        links, marked,
        market::own_orders::own_orders,
        rules::guard,
        tables::{marks::Marks, pane::Pane},
    },
    model::{Command, FailureKind, Order, Position, draft::FieldInput},
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
        Context::MarketChart => &[
            Action::OlderCandle,
            Action::ShorterInterval,
            Action::ZoomIn,
            Action::PinMarket,
        ],
        Context::PriceLadder => &[
            Action::Cancel,
            Action::Amend,
            Action::StopHere,
            Action::TargetHere,
            Action::Centre,
        ],
        Context::Positions
        | Context::Twaps
        | Context::Scaled
        | Context::Always
        | Context::Desk
        | Context::Help
        | Context::Detail
        | Context::Bulk
        | Context::Limits
        | Context::Columns
        | Context::Accounts
        | Context::Markets
        | Context::UserAlerts
        | Context::Review
        | Context::Chart
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
        Context::Chart => &[Action::NextChoice, Action::Down, Action::Dismiss],
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
        (Action::Filter, _, Context::Markets) => "search",
        (Action::NextField, _, Context::Export) => "span",
        (Action::NextChoice, _, Context::Export) => "format",
        (Action::ClosePosition, ..) => "close",
        (Action::Exits, ..) if selected_order(model).is_some_and(Order::is_armed) => "move",
        (Action::Exits, ..) => "exits",
        (Action::NextField, ..) => "field",
        (Action::Follow, ..) if is_report(model) => "its rows",
        (Action::Follow, ..) => "follow",
        (Action::NextChoice, _, Context::Chart) => "more time",
        (Action::Down, _, Context::Chart) => "next market",
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
    (Action::Chart, "prices"),
    (Action::OlderCandle, "candle"),
    (Action::ShorterInterval, "interval"),
    (Action::ZoomIn, "wider"),
];

fn short(action: Action) -> &'static str {
    let known = SHORT.iter().find(|(of, _)| *of == action);
    known.map_or_else(|| action.label(), |(_, words)| words)
}

/// A condition for a key to have an effect.
type Need = fn(&Model) -> bool;

/// Keys that work on some rows only; all others always work.
const NEEDS: &[(Action, Need)] = &[
    (Action::CloseAll, |model| {
        can_trade(model) && model.store.closing_all().is_none()
    }),
    (Action::Confirm, |model| match model.overlays.last() {
        Some(Overlay::Bulk(bulk)) => bulk.ends_at().is_some(),
        _ => true,
    }),
    (Action::Flatten, can_flatten),
    (Action::CancelAll, |model| {
        can_trade(model) && model.store.orders.rows().iter().any(Order::is_working)
    }),
    (Action::Mark, |model| {
        Marks::reach(model.focus.pane) && model.selected().is_some()
    }),
    (Action::NextAccount, |model| model.roster.has_others()),
    (Action::Quality, |model| {
        matches!(model.focus.pane, Pane::Closed | Pane::History)
    }),
    (Action::Markets, |model| {
        model
            .store
            .markets
            .value()
            .is_some_and(|all| !all.is_empty())
    }),
    (Action::NextChoice, can_choose),
    (Action::ReadOlder, |model| model.store.closed.has_more()),
    (Action::NextMonth, shows_calendar),
    (Action::EditAlert, has_user_alerts),
    (Action::DeleteAlert, has_user_alerts),
    (Action::NextField, |model| match model.overlays.last() {
        Some(Overlay::Export(export)) => export.is_paged(),
        _ => true,
    }),
    (Action::Limits, |model| !model.guard.gauges.is_empty()),
    (Action::Lift, |model| guard::locked(model).is_some()),
    (Action::Buy, can_add),
    (Action::Sell, can_add),
    (Action::NewTwap, |model| {
        can_add(model) && model.options.dialect.twap_creation.path().is_some()
    }),
    (Action::NewLadder, |model| {
        can_add(model) && model.options.dialect.scaled_creation.path().is_some()
    }),
    (Action::ObservedPrice, can_fill),
    (Action::StepUp, is_stepped),
    (Action::Rearm, |model| model.halted.is_some()),
    (Action::Freeze, |model| model.frozen.is_some()),
    (Action::Decide, |model| {
        model.store.parked().next().is_some()
    }),
    (Action::Correct, has_refused),
    (Action::ClosePosition, is_on_a_position),
    (Action::Flip, is_on_a_position),
    (Action::BreakEven, is_on_a_position),
    (Action::StopDown, is_on_a_position),
    (Action::TargetDown, is_on_a_position),
    (Action::AddTo, is_on_a_position),
    (Action::Reduce, is_on_a_position),
    (Action::Margin, |model| {
        selected_position(model).is_some_and(Position::is_isolated)
    }),
    (Action::Exits, |model| {
        selected_position(model).is_some() || selected_order(model).is_some_and(Order::is_working)
    }),
    (Action::Amend, |model| {
        let can_move = |order: &Order| successor::filled_of(order).is_ok();
        own_at_cursor(model).unwrap_or_else(|| selected_order(model).is_some_and(can_move))
    }),
    (Action::Cancel, |model| {
        own_at_cursor(model).unwrap_or_else(|| can_cancel(model))
    }),
    (Action::Detail, |model| model.selected().is_some()),
    (Action::Follow, |model| {
        is_report(model) || leads_somewhere(model)
    }),
    (Action::NextLink, leads_somewhere),
    (Action::Copy, |model| match model.overlays.last() {
        Some(Overlay::Quality(_)) => false,
        Some(_) => true,
        None => model.selected().is_some(),
    }),
];

fn is_on_a_position(model: &Model) -> bool {
    selected_position(model).is_some()
}

fn is_report(model: &Model) -> bool {
    matches!(model.overlays.last(), Some(Overlay::Quality(_)))
}

fn leads_somewhere(model: &Model) -> bool {
    matches!(model.overlays.last(), Some(Overlay::Detail(detail)) if !links(model, &detail.row).is_empty())
}

/// Whether the key would have an effect on the selection.
pub(crate) fn works(model: &Model, action: Action) -> bool {
    if model.options.read_only && action.sends() {
        return false;
    }
    let mut needs = NEEDS.iter().filter(|(of, _)| *of == action);
    needs.all(|(_, need)| need(model))
}

/// The account is known and its key accepted.
fn can_trade(model: &Model) -> bool {
    model.identity.is_some() && !model.store.health.has(FailureKind::Auth)
}

/// Something is open that it would close.
fn can_flatten(model: &Model) -> bool {
    let store = &model.store;
    let has_ladder = || {
        let ladders = store.scaled.values().filter_map(Remote::value);
        ladders
            .into_iter()
            .any(|ladder| ladder.ended_at().is_none())
    };
    let has_something = !store.positions.rows().is_empty()
        || store.orders.rows().iter().any(Order::is_working)
        || store.active_twaps().next().is_some()
        || has_ladder();
    can_trade(model) && has_something && !is_flattening(model)
}

fn is_flattening(model: &Model) -> bool {
    let mut on_its_way = model.store.flights.values();
    on_its_way.any(|flight| matches!(flight.command, Command::Flatten(_)))
}

/// New entries are allowed, and nothing is about to close what they would open.
fn can_add(model: &Model) -> bool {
    let is_held = model.halted.is_some() || model.second.is_some() || guard::held(model).is_some();
    can_trade(model) && !is_held && model.store.closing_all().is_none()
}

fn shows_calendar(model: &Model) -> bool {
    let review = model.overlays.last().and_then(Overlay::try_as_review_ref);
    review.is_some_and(|review| review.tab == ReviewTab::Days)
}

fn has_user_alerts(model: &Model) -> bool {
    !model.user_alerts.all().is_empty()
}

/// Whether the observed price would go anywhere.
fn can_fill(model: &Model) -> bool {
    form_of(model).is_some_and(|form| form.can_fill(&model.around()))
}

/// In a text field the arrows move the cursor.
fn can_choose(model: &Model) -> bool {
    let is_list = matches!(model.overlays.last(), Some(Overlay::Markets(_)));
    let is_text = |form: &Form| form.draft.text(form.focus).is_some();
    !is_list && !form_of(model).is_some_and(is_text)
}

/// Whether the focused field is a number; an instant has no steps.
fn is_stepped(model: &Model) -> bool {
    let is_number = |form: &Form| {
        form.draft.text(form.focus).is_some() && form.focus.takes() != FieldInput::Instant
    };
    form_of(model).is_some_and(is_number)
}

fn form_of(model: &Model) -> Option<&Form> {
    Some(model.overlays.last()?.try_as_form_ref()?)
}

/// Whether an own order stands at the price that the ladder's cursor is on; `None` where the ladder does not have the keys.
fn own_at_cursor(model: &Model) -> Option<bool> {
    (model.context() == Context::PriceLadder).then_some(())?;
    let ladder = &model.price_ladder;
    let is_there = || {
        let (market, row) = ladder.market().zip(ladder.cursor())?;
        let mut own = own_orders(&model.store, market, ladder.spacing()?);
        Some(own.any(|own| own.row == row))
    };
    Some(is_there().unwrap_or(false))
}

fn can_cancel(model: &Model) -> bool {
    let store = &model.store;
    let works = |order: &Order| order.is_working() && !store.is_over(order);
    match model.selected() {
        Some(RowId::Order(id)) => store.order(&id).is_some_and(works),
        Some(RowId::Twap(id)) => store.active_twaps().any(|twap| twap.id == id),
        Some(RowId::Scaled(id) | RowId::Rung(id, _)) => {
            store.ladder(&id).is_none_or(|l| l.ended_at().is_none())
        }
        Some(RowId::Position(_) | RowId::Line(_)) | None => false,
    }
}

fn selected_position(model: &Model) -> Option<&Position> {
    model.store.position(&model.selected()?.try_as_position()?)
}

fn selected_order(model: &Model) -> Option<&Order> {
    model.store.order(&model.selected()?.try_as_order()?)
}
