//! A form in words: fields, preview, errors.

use crate::{
    app::{
        Model,
        desk::presets,
        forms::form::{Form, Scroll},
        keys::keymap::{Action, Context},
        orders::moves::{self, MovePlan},
    },
    model::{
        CloseKind, Command, MarketNames, Side, Text,
        draft::{Draft, DraftShape, Field, FieldInput, RelativePrice, Seen},
    },
    view::{
        forms::words::{position_side, quantity, unknown},
        text::{
            format,
            span::{Span, Tone},
            words,
        },
    },
};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormView {
    /// The command, its object and its account.
    pub title: Vec<Span>,
    pub fields: Vec<FieldView>,
    /// Label and value of each consequence: notional, margin, liquidation estimate, resulting position.
    pub preview: Vec<(&'static str, Span)>,
    /// The service's response, or what prevents sending: one span per line.
    pub trouble: Vec<Span>,
    /// The exact body that would be sent, on request.
    pub json: Option<String>,
    /// The visible part, and the keys that scroll.
    pub scroll: Scroll,
    pub pages: [String; 2],
}

/// The consequences that stay visible in a small window, and their short labels.
const BRIEF: &[(&str, &str)] = &[
    ("size", "size"),
    ("notional", "notional"),
    ("initial margin", "margin"),
    ("extra margin", "extra margin"),
    ("liquidation", "liquidation"),
    ("at stop", "at stop"),
    ("R:R", "R:R"),
    ("gross profit", "gross"),
    ("position", ""),
];

/// The short label of a consequence; `None` if it may be hidden.
pub fn brief(label: &str) -> Option<&'static str> {
    let mut named = BRIEF.iter().filter(|(name, _)| *name == label);
    named.next().map(|(_, brief)| *brief)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldView {
    pub field: Field,
    pub label: &'static str,
    pub value: ValueView,
    pub focused: bool,
    /// What the field accepts, shown while focused.
    pub hint: String,
    pub fault: Option<String>,
}

/// Typed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedText {
    pub text: String,
    /// In characters from the start.
    pub cursor: usize,
    /// The next typed character replaces all of it.
    pub selected: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueView {
    Text(TypedText),
    /// One of a closed set; `chosen` is outside `options` if nothing is available.
    Choice {
        options: Vec<String>,
        chosen: usize,
    },
}

pub fn form(form: &Form, model: &Model) -> FormView {
    let seen = form.seen(&model.form_context());
    let reckoned = form.resolved(&model.form_context());
    FormView {
        title: title(form, model, &seen),
        fields: fields(form, model, &seen),
        preview: super::preview::preview(&reckoned, model, &seen),
        trouble: super::trouble::trouble(&reckoned, model, &seen),
        json: form.shows_json.then(|| json(form, model, &seen)),
        scroll: form.scroll,
        pages: [Action::PageUp, Action::PageDown].map(|action| {
            let chord = model.keymap.chord(Context::Form, action);
            chord.map_or_else(String::new, |chord| chord.to_string())
        }),
    }
}

fn title(form: &Form, model: &Model, seen: &Seen) -> Vec<Span> {
    let names = &model.account.store.names;
    let mut title = match &form.draft {
        Draft::Entry(draft) => {
            let market = draft.market_id.as_ref().map(|id| names.shown(id));
            let what = match draft.shape {
                DraftShape::Order(_) => "new order ",
                DraftShape::Sliced(_) => "new TWAP / VWAP ",
                DraftShape::Ladder => "new ladder ",
            };
            let of = form.replaces.as_ref();
            let of = of.map(|old| format!(" in place of {}", old.order));
            vec![
                Span::plain(what),
                order_side(draft.side),
                Span::plain(format!(" {}", market.unwrap_or_default())),
                Span::plain(of.unwrap_or_default()),
            ]
        }
        Draft::Close(draft) if draft.kind == CloseKind::Conditional => {
            about("stop or target of ", seen, names)
        }
        Draft::Close(_) => about("close ", seen, names),
        Draft::Margin(_) => about("isolated margin of ", seen, names),
        Draft::Protect(_) => about("stop and target of ", seen, names),
        Draft::Exits(draft) => vec![
            Span::plain("exits of "),
            seen.order
                .and_then(|o| o.side.known())
                .map_or_else(unknown, order_side),
            Span::plain(format!(
                " {} ({})",
                order_words(seen, names),
                draft.order_id
            )),
        ],
    };
    if let Some(identity) = &model.account.identity {
        let account = format!(" on {}", identity.account_id);
        title.push(Span::new(account, Tone::Muted));
    }
    title
}

fn about(proposal: &'static str, seen: &Seen, names: &MarketNames) -> Vec<Span> {
    let Some(position) = seen.position else {
        return vec![Span::plain(proposal), unknown()];
    };
    let market = names.shown(&position.market_id);
    let (size, id) = (quantity(position.quantity(), seen), &position.id);
    vec![
        Span::plain(proposal),
        position_side(position.side()),
        Span::plain(format!(" {size} {market} ({id})")),
    ]
}

fn order_words(seen: &Seen, names: &MarketNames) -> String {
    let Some(order) = seen.order else {
        return format::UNKNOWN.to_owned();
    };
    let size = quantity(order.size, seen);
    let market = names.shown(&order.market_id);
    match order.limit_price {
        Some(limit) => format!("{size} {market} @ {}", format::price(limit, seen.market)),
        None => format!("{size} {market}"),
    }
}

fn fields(form: &Form, model: &Model, seen: &Seen) -> Vec<FieldView> {
    let view = |field: &Field| FieldView {
        field: *field,
        label: field.label(),
        value: value(form, model, *field),
        focused: form.focus == *field,
        hint: hint(form, model, *field, seen),
        fault: form
            .visible_fault(*field, &model.form_context())
            .map(|fault| fault.to_string())
            .or_else(|| super::trouble::said_of(form, *field)),
    };
    form.draft.fields().iter().map(view).collect()
}

fn value(form: &Form, model: &Model, field: Field) -> ValueView {
    if let Some(choice) = form.choice(field, &model.form_context()) {
        return ValueView::Choice {
            chosen: choice.chosen.unwrap_or(choice.options.len()),
            options: choice.options,
        };
    }
    let text = form.draft.text(field).unwrap_or_default().to_owned();
    let focused = form.focus == field;
    let cursor = if focused {
        form.cursor()
    } else {
        text.chars().count()
    };
    ValueView::Text(TypedText {
        text,
        cursor,
        selected: focused && form.is_selected(),
    })
}

fn hint(form: &Form, model: &Model, field: Field, seen: &Seen) -> String {
    let key = |action| {
        let chord = model.keymap.chord(Context::Form, action);
        chord.map_or_else(String::new, |chord| chord.to_string())
    };
    let (up, down) = (key(Action::StepUp), key(Action::StepDown));
    if let Some(Ok(price)) = form.meant(field, &model.form_context()) {
        return format!("→ {}", format::price(price, seen.market_of(field)));
    }
    let begun = form.draft.text(field).and_then(RelativePrice::begun);
    if let Some(rest) = begun.filter(|_| field.is_price()) {
        return format!("… {rest}");
    }
    match (field, field.takes()) {
        (Field::Size, _) => size_hint(form, model, (&up, seen)),
        (Field::TakeProfit | Field::StopLoss, _) => {
            format!("empty: none · -1% · {up}{down} one tick")
        }
        (Field::ChaseCap, _) => format!("empty: none · follows no further · {up}{down} one tick"),
        (Field::ChaseOffset, _) => format!("USD from the best price · {up}{down} one tick"),
        (Field::ExpectedPrice, _) => "never used for pricing · empty: the midpoint".to_owned(),
        (Field::Leverage, _) => seen
            .market
            .and_then(|market| market.max_leverage)
            .map_or_else(
                || format!("{up}{down} by one"),
                |most| format!("1 to {most} in this market · the account may take less"),
            ),
        (Field::Slippage, _) => "basis points · empty: as the service does".to_owned(),
        (Field::MinPrice | Field::MaxPrice, _) => {
            format!("empty: never · {up}{down} one tick")
        }
        (Field::TriggerPrice, _) if !form.draft.is_required(field) => {
            format!("empty: starts at once · {up}{down} one tick")
        }
        (Field::Rungs, _) => "2 or more".to_owned(),
        (Field::SliceInterval, _) => {
            "30 to half of the duration · empty: the service's choice".to_owned()
        }
        (Field::ExtraMargin, _) => "+50 more · -50 less · =200 in all, USD".to_owned(),
        (Field::Share, _) => {
            let (back, on) = (key(Action::PreviousChoice), key(Action::NextChoice));
            format!("{back}{on} choose · or type 0.5, 30%, $1000")
        }
        (_, FieldInput::Price | FieldInput::WatchedPrice) => {
            let fill = key(Action::ObservedPrice);
            format!("{fill} mid · bid · +1% · {up}{down} one tick")
        }
        (_, FieldInput::Instant) => "2h · 1d · 18:00 · 2026-01-05 18:00".to_owned(),
        (_, FieldInput::Span) => "30 minutes · 90m · 2h · 1d".to_owned(),
        (_, FieldInput::Market) => market_hint(form, &key),
        (_, FieldInput::Choice | FieldInput::Size | FieldInput::Number) => {
            let (back, on) = (key(Action::PreviousChoice), key(Action::NextChoice));
            format!("{back}{on} or a letter choose")
        }
    }
}

fn market_hint(form: &Form, key: &impl Fn(Action) -> String) -> String {
    if form.search.is_empty() {
        let (back, on) = (key(Action::PreviousChoice), key(Action::NextChoice));
        return format!("letters search · {back}{on} choose");
    }
    format!("search: {}", Text::from(form.search.as_str()))
}

fn size_hint(form: &Form, model: &Model, (up, seen): (&str, &Seen)) -> String {
    let preset = size_preset(form, model);
    let last = form.last_size(&model.form_context());
    if let Some(last) = last.filter(|_| form.draft.text(Field::Size) == Some("")) {
        return format!("{preset}{up} as last time, {}", Text::from(last));
    }
    format!("{preset}{}", size_words(form, seen))
}

/// The key that writes the size preset, and what it writes.
fn size_preset(form: &Form, model: &Model) -> String {
    let preset = presets::offered(model).filter(|_| form.focus == Field::Size);
    let key = model.keymap.chord(Context::Form, Action::NextSize);
    let both = preset.zip(key);
    both.map_or_else(String::new, |(preset, key)| format!("{key} {preset} · "))
}

fn size_words(form: &Form, seen: &Seen) -> &'static str {
    match &form.draft {
        Draft::Entry(draft) if !draft.only_reduces() => {
            match (seen.free_margin, draft.has(Field::StopLoss)) {
                (Some(_), true) => "$1000 · 50% margin · r25 at stop",
                (Some(_), false) => "0.5 coin · $1000 · 50% margin",
                (None, true) => "0.5 · $1000 · r25 at the stop",
                (None, false) => "0.5 coin · $1000",
            }
        }
        Draft::Protect(_) => "empty: the whole position · 0.5 coin · 50%",
        Draft::Entry(_) | Draft::Close(_) | Draft::Exits(_) | Draft::Margin(_) => {
            "0.5 coin · 50% · $1000"
        }
    }
}

/// Method, path and body exactly as they would be sent, or why that is not possible yet.
fn json(form: &Form, model: &Model, seen: &Seen) -> String {
    let command = match form.draft.command(seen) {
        Ok(command) => command,
        Err(faults) => return format!("not yet: {faults}"),
    };
    if moves::is_without_effect(&command) {
        return "not yet: nothing is changed".to_owned();
    }
    if let (Command::Place(wanted), Some(old)) = (&command, &form.replaces)
        && let Ok(MovePlan::InPlace(moved)) = moves::planned(model, &old.order, wanted)
    {
        let moved = moved.command(&model.account.store);
        return moved.map_or_else(
            |why| format!("not yet: {why}"),
            |command| words::call(&command),
        );
    }
    words::call(&command)
}

fn order_side(side: Side) -> Span {
    match side {
        Side::Buy => Span::new("BUY", Tone::Good),
        Side::Sell => Span::new("SELL", Tone::Bad),
    }
}
