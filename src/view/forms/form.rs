//! A form in words: fields, preview, errors.

use crate::{
    app::{
        Action, Context, Model,
        desk::presets,
        forms::form::{Form, Scroll},
        orders::moves::planned,
        workflows::{is_without_effect, plan::MovePlan},
    },
    model::{
        CloseKind, Command, MarketNames, Text,
        draft::{Draft, DraftShape, Field, FieldInput, RelativePrice, Seen},
    },
    view::{
        forms::words::quantity,
        text::{Span, format, words},
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
    ("bracket", "bracket"),
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
    let named = BRIEF.iter().find(|(name, _)| *name == label);
    named.map(|(_, brief)| *brief)
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
    let seen = form.seen(&model.account.form_context());
    let computed = form.resolved(&model.account.form_context());
    FormView {
        title: title(form, model, &seen),
        fields: fields(form, model, &seen),
        preview: bracket(form, &computed, model)
            .into_iter()
            .chain(super::preview::preview(&computed, model, &seen))
            .collect(),
        trouble: super::trouble::trouble(&computed, model, &seen),
        json: form.shows_json.then(|| json(form, model)),
        scroll: form.scroll,
        pages: [Action::PageUp, Action::PageDown].map(|page| key(model, page)),
    }
}

/// What goes with the order, and the key that switches it.
fn bracket(form: &Form, computed: &Form, model: &Model) -> Option<(&'static str, Span)> {
    let context = model.account.form_context();
    let market = form.market_id()?;
    let key = key(model, Action::Bracket);
    let preset = context
        .brackets
        .in_market(market, &model.account.store.names);
    if context.bracket(market).is_none() {
        let is_off = preset.is_attached() && matches!(form.draft, Draft::Entry(_));
        return is_off.then(|| ("bracket", Span::warn(format!("OFF · {key} on"))));
    }
    form.bracket(&context)?;
    let market = model.account.store.market(market);
    let price = |name, field| {
        let price = computed.draft.text(field)?.parse().ok()?;
        Some(format!("{name} {}", format::price(price, market)))
    };
    let later = form.later_targets(&context).unwrap_or_default();
    let later = later.iter().map(|target| {
        let (price, share) = (format::price(target.price, market), target.share);
        Some(format!("then {price} {share}%"))
    });
    let parts = [
        price("stop", Field::StopLoss),
        price("target", Field::TakeProfit),
    ];
    let parts = parts
        .into_iter()
        .chain(later)
        .chain([Some(format!("{key} off"))]);
    Some(("bracket", Span::plain(words::listed(parts, " · "))))
}

fn key(model: &Model, action: Action) -> String {
    words::key(model, Context::Form, action)
}

fn title(form: &Form, model: &Model, seen: &Seen) -> Vec<Span> {
    let names = &model.account.store.names;
    let mut title = match &form.draft {
        Draft::Entry(draft) => {
            let market = draft.market_id.as_ref().map(|id| names.shown(id));
            let what = match draft.shape {
                DraftShape::Order(_) => "new order ",
                DraftShape::Sliced(_) => "new TWAP / VWAP ",
                DraftShape::Scaled => "new scaled order ",
            };
            let of = form.replaces.as_ref();
            let of = of.map(|old| format!(" in place of {}", old.order));
            vec![
                Span::plain(what),
                words::order_side(&draft.side.into()),
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
        Draft::Exits(draft) => {
            let side = seen.order.and_then(|order| order.side.known());
            let order = order_words(seen, names);
            vec![
                Span::plain("exits of "),
                side.map_or_else(Span::unknown, |side| words::order_side(&side.into())),
                Span::plain(format!(" {order} ({})", draft.order_id)),
            ]
        }
    };
    if let Some(identity) = &model.account.identity {
        title.push(Span::muted(format!(" on {}", identity.account_id)));
    }
    title
}

fn about(proposal: &'static str, seen: &Seen, names: &MarketNames) -> Vec<Span> {
    let Some(position) = seen.position else {
        return vec![Span::plain(proposal), Span::unknown()];
    };
    let market = names.shown(&position.market_id);
    let (size, id) = (quantity(position.quantity(), seen), &position.id);
    vec![
        Span::plain(proposal),
        words::position_side(position.side()),
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
            .visible_fault(*field, &model.account.form_context())
            .map(|fault| fault.to_string())
            .or_else(|| super::trouble::issue_of(form, *field)),
    };
    form.draft.fields().iter().map(view).collect()
}

fn value(form: &Form, model: &Model, field: Field) -> ValueView {
    if let Some(choice) = form.choice(field, &model.account.form_context()) {
        return ValueView::Choice {
            chosen: choice.chosen.unwrap_or(choice.options.len()),
            options: choice.options,
        };
    }
    let text = form.draft.text(field).unwrap_or_default().to_owned();
    let focused = form.focus == field;
    let end = text.chars().count();
    let cursor = if focused { form.cursor() } else { end };
    ValueView::Text(TypedText {
        text,
        cursor,
        selected: focused && form.is_selected(),
    })
}

fn hint(form: &Form, model: &Model, field: Field, seen: &Seen) -> String {
    let key = |action| self::key(model, action);
    let (up, down) = (key(Action::StepUp), key(Action::StepDown));
    let choose = || key(Action::PreviousChoice) + &key(Action::NextChoice);
    if let Some(Ok(price)) = form.resolved_price(field, &model.account.form_context()) {
        return format!("→ {}", format::price(price, seen.market_of(field)));
    }
    let unfinished = form.draft.text(field).and_then(RelativePrice::completions);
    if let Some(rest) = unfinished.filter(|_| field.is_price()) {
        return format!("… {rest}");
    }
    match (field, field.takes()) {
        (Field::Size, _) => size_hint(form, model, &up, seen),
        (Field::TakeProfit | Field::StopLoss, _) => {
            format!("empty: none · -1% · {up}{down} one tick")
        }
        (Field::ChaseCap, _) => format!("empty: none · follows no further · {up}{down} one tick"),
        (Field::ChaseOffset, _) => format!("USD from the best price · {up}{down} one tick"),
        (Field::ExpectedPrice, _) => "never used for pricing · empty: the midpoint".to_owned(),
        (Field::Leverage, _) => match seen.market.and_then(|market| market.max_leverage) {
            Some(most) => format!("1 to {most} in this market · the account may take less"),
            None => format!("{up}{down} by one"),
        },
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
        (Field::Share, _) => "1 25% · 2 50% · 3 75% · 4 100% send · ⇥ another size".to_owned(),
        (_, FieldInput::Price | FieldInput::WatchedPrice) => {
            let fill = key(Action::ObservedPrice);
            format!("{fill} mid · bid · +1% · {up}{down} one tick")
        }
        (_, FieldInput::Instant) => "2h · 1d · 18:00 · 2026-01-05 18:00".to_owned(),
        (_, FieldInput::Span) => "30 minutes · 90m · 2h · 1d".to_owned(),
        (_, FieldInput::Market) if form.search.is_empty() => {
            format!("letters search · {} choose", choose())
        }
        (_, FieldInput::Market) => format!("search: {}", Text::from(form.search.as_str())),
        (_, FieldInput::Choice | FieldInput::Size | FieldInput::Number) => {
            format!("{} or a letter choose", choose())
        }
    }
}

fn size_hint(form: &Form, model: &Model, up: &str, seen: &Seen) -> String {
    let preset = size_preset(form, model);
    let last = form.last_size(&model.account.form_context());
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
fn json(form: &Form, model: &Model) -> String {
    let command = match form.command(&model.account.form_context()) {
        Ok(command) => command,
        Err(faults) => return format!("not yet: {faults}"),
    };
    if is_without_effect(&command) {
        return "not yet: nothing is changed".to_owned();
    }
    if let (Command::Place(wanted), Some(old)) = (&command, &form.replaces)
        && let Ok(MovePlan::InPlace(moved)) = planned(&model.account, &old.order, wanted)
    {
        let moved = moved.command(&model.account.store);
        return moved.map_or_else(
            |why| format!("not yet: {why}"),
            |command| words::call(&command),
        );
    }
    words::call(&command)
}
