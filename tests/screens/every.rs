//! Every pane, form and overlay at the sizes people have. The names come from the enums: a new order type, pane
//! or overlay is drawn here without being asked for, or does not compile.
//!
//! A snapshot holds the pane, or the part of the screen that is covered, then what is different in header and footer.

use crate::{
    desk,
    dump::{changes, cut, drawn, plain, written},
};
use perpdeck::{
    app::{
        Model, Msg,
        account::{pane::Pane, poll::Answer},
        desk::tour_step::Step,
        dialogs::overlay::{Overlay, OverlayKind},
        forms::form::Form,
        keys::keymap::Chord,
        update,
    },
    model::{
        CloseKind, Curve, Grid, Market, Page, PlaceKind,
        draft::{Field, FieldInput},
    },
    ui::{Theme, picture},
    view,
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::fmt::Write;
use strum::{IntoEnumIterator, VariantArray};

const SIZES: [(u16, u16); 4] = [(200, 60), (120, 40), (80, 24), (60, 16)];
/// From here on a pane is looked at alone: the whole desk has pictures of its own.
const ZOOMED: u16 = 120;

/// Presses keys separated by blanks; what is no key is typed.
fn press(model: &mut Model, keys: &str) {
    for word in keys.split_whitespace() {
        let chords = match word.parse::<Chord>() {
            Ok(chord) => vec![chord],
            Err(_) => word.chars().map(Into::into).collect(),
        };
        for chord in chords {
            let now = model.account.now;
            update(model, now, Msg::Key(chord));
        }
    }
}

fn pressed(keys: &str) -> Model {
    let mut model = desk::full();
    press(&mut model, keys);
    model
}

fn form(model: &Model) -> &Form {
    let open = model.overlays.iter().find_map(Overlay::try_as_form_ref);
    open.unwrap()
}

/// The form that `keys` open, turned into the n-th of its types, with something in every text that must be
/// there and in the exits.
fn filled(keys: &str, kind: Option<usize>) -> Model {
    let mut model = pressed(keys);
    // Every digit must fit, also those that only a market with finer ticks takes.
    let guessed = |market| Market {
        grid: Grid::Guessed,
        ..market
    };
    let markets = desk::markets().into_iter().map(guessed).collect();
    desk::arrive(&mut model, 0, Answer::Markets(Ok(markets)));
    if let Some(number) = kind {
        let is_type = |field: &Field| matches!(field, Field::Kind | Field::Curve);
        let fields = form(&model).draft.fields();
        let type_field = fields.into_iter().find(is_type).unwrap();
        focus(&mut model, type_field);
        press(&mut model, &number.to_string());
    }
    let first = form(&model).draft.fields()[0];
    focus(&mut model, first);
    for field in form(&model).draft.fields() {
        let open = form(&model);
        let is_exit = matches!(field, Field::TakeProfit | Field::StopLoss);
        let is_wanted = open.draft.is_required(field) || is_exit;
        if open.draft.text(field) == Some("") && is_wanted {
            press(&mut model, sample(field));
        }
        press(&mut model, "tab");
    }
    model
}

fn focus(model: &mut Model, field: Field) {
    let fields = form(model).draft.fields();
    for _ in &fields {
        if form(model).focus == field {
            return;
        }
        press(model, "tab");
    }
    assert_eq!(form(model).focus, field, "of {fields:?}");
}

fn sample(field: Field) -> &'static str {
    match (field, field.takes()) {
        (Field::TakeProfit, _) => "70123.5",
        (Field::StopLoss | Field::StartPrice, _) => "61234.5",
        (Field::EndPrice, _) => "59876.5",
        (Field::Rungs, _) => "8",
        (Field::ExtraMargin, _) => "+50",
        (_, FieldInput::Price | FieldInput::WatchedPrice) => "62345.5",
        (_, FieldInput::Size) => "0.33147",
        (_, FieldInput::Number) => "12.5",
        (_, FieldInput::Instant) => "2h",
        (_, FieldInput::Span) => "90m",
        (_, FieldInput::Choice | FieldInput::Market) => "",
    }
}

/// One for each type of a form.
fn of_each_type<T: VariantArray + ToString>(name: &str, keys: &str) -> Vec<(String, Model)> {
    let types = T::VARIANTS.iter().zip(1..);
    types
        .map(|(kind, number)| {
            (
                format!("{name}_{}", kind.to_string()),
                filled(keys, Some(number)),
            )
        })
        .collect()
}

fn forms() -> Vec<(String, Model)> {
    let mut forms = of_each_type::<PlaceKind>("order", "b");
    forms.extend(of_each_type::<CloseKind>("close", "c"));
    forms.extend(of_each_type::<Curve>("sliced", "t"));
    let one = |name: &str, model| (name.to_owned(), model);
    forms.push(one("new_ladder", filled("l", None)));
    forms.push(one("exits", filled("2 e", None)));
    forms.push(one("position_exits", filled("e", None)));
    forms.push(one("moved_stop", filled("2 j e", None)));
    forms.push(one("margin", filled("j m", None)));
    let mut json = filled("b", Some(2));
    press(&mut json, "ctrl-j");
    forms.push(one("exact_json", json));
    forms
}

/// The keys that open each kind of overlay, in every shape it has.
fn keys(kind: OverlayKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        OverlayKind::Help => &[
            ("help", "?"),
            ("help_orders", "2 ?"),
            ("help_search", "? x"),
            ("help_tour", ": tour enter ? tour"),
        ],
        OverlayKind::Glossary => &[
            ("glossary", "? g"),
            ("glossary_search", ": glossary space stop enter"),
        ],
        OverlayKind::Detail => &[
            ("detail_position", "enter"),
            ("detail_order", "2 enter"),
            ("detail_twap", "3 enter"),
            ("detail_ladder", "4 enter"),
            ("detail_closed", "5 enter"),
            ("detail_reject", "6 j j j enter"),
            ("detail_activity", "7 enter"),
            ("detail_call", "8 enter"),
        ],
        OverlayKind::Quality => &[("quality", "i")],
        OverlayKind::Settings => &[("settings", ": config enter")],
        OverlayKind::Limits => &[("limits", "L")],
        OverlayKind::Strip => &[
            ("strip_close_all", "X"),
            ("strip_flatten", "F"),
            ("strip_cancel", "2 x"),
            ("strip_cancel_all", "K"),
        ],
        OverlayKind::Form => &[("empty_form", "b")],
        OverlayKind::Bulk => &[("bulk_close", "* c"), ("bulk_cancel", "2 * x")],
        OverlayKind::Prompt => &[("filter", "2 / siz"), ("command", ": clo")],
        OverlayKind::Export => &[("export", "6 E")],
        OverlayKind::Columns => &[
            ("columns", "C j j J j space"),
            ("columns_orders", "2 C space J j"),
        ],
        // Of several accounts, which one desk alone is not: `accounts` in the pictures of whole screens.
        OverlayKind::Accounts => &[],
        OverlayKind::Markets => &[("markets", "M"), ("markets_search", "M / o")],
        OverlayKind::UserAlerts => &[("user_alerts", "#")],
        OverlayKind::Review => &[("review", "W"), ("review_risk", "W l l l")],
    }
}

fn overlays() -> Vec<(String, Model)> {
    let all = OverlayKind::iter().flat_map(|kind| {
        keys(kind).iter().map(move |(name, keys)| {
            let model = pressed(keys);
            let open = model.overlays.last().map(OverlayKind::from);
            assert_eq!(open, Some(kind), "{name}");
            ((*name).to_owned(), model)
        })
    });
    all.collect()
}

/// The part of the screen that is not as it is without what lies over it; the whole where that is nothing.
fn covered(over: &Buffer, under: &Buffer) -> Rect {
    let area = over.area;
    let changed = between(area)
        .positions()
        .filter(|at| over[*at] != under[*at]);
    let changed = changed.map(|at| Rect::new(at.x, at.y, 1, 1));
    changed.reduce(Rect::union).unwrap_or(Rect::new(0, 0, 0, 0))
}

/// Without header and footer.
fn between(screen: Rect) -> Rect {
    Rect {
        y: screen.y + 1,
        height: screen.height - 2,
        ..screen
    }
}

/// What header and footer have that they have not in `base`.
fn around(base: &Buffer, screen: &Buffer) -> String {
    let mut inside = base.clone();
    for at in between(screen.area).positions() {
        inside[at] = screen[at].clone();
    }
    changes(&inside, screen)
}

/// What lies over the desk at every size.
fn laid_over(model: &mut Model) -> String {
    let open = std::mem::take(&mut model.overlays);
    let under = SIZES.map(|(width, height)| drawn(&*model, width, height, Theme::default()));
    model.overlays = open;
    let mut out = String::new();
    for ((width, height), under) in SIZES.into_iter().zip(under) {
        let over = drawn(&*model, width, height, Theme::default());
        let area = covered(&over, &under);
        writeln!(out, "=== {width}x{height}, at {},{}", area.x, area.y).unwrap();
        out.push_str(&written(&cut(&over, area)));
        out.push_str(&around(&under, &over));
    }
    out
}

#[test]
fn every_form() {
    for (name, mut model) in forms() {
        insta::assert_snapshot!(format!("form_{name}"), laid_over(&mut model));
    }
}

#[test]
fn every_overlay() {
    for (name, mut model) in overlays() {
        insta::assert_snapshot!(format!("over_{name}"), laid_over(&mut model));
    }
}

/// The lines of the tour and what stands around them.
const TOLD: u16 = 6;

#[test]
fn every_step_of_the_tour() {
    for step in Step::iter() {
        let mut model = pressed(": tour enter");
        model.tour.as_mut().unwrap().step = step;
        let mut out = String::new();
        for (width, height) in SIZES {
            let screen = drawn(&model, width, height, Theme::default());
            let bottom = Rect::new(0, height - TOLD, width, TOLD);
            let text = picture::text(&screen);
            assert!(text.contains("Tour "), "{text}");
            writeln!(out, "=== {width}x{height}").unwrap();
            out.push_str(&picture::text(&cut(&screen, bottom)));
        }
        insta::assert_snapshot!(format!("tour_{step:?}").to_lowercase(), out);
    }
}

#[test]
fn every_pane() {
    for (pane, key) in Pane::iter().zip(1..) {
        let mut out = String::new();
        for (width, height) in SIZES {
            let zoom = if width >= ZOOMED { "z" } else { "" };
            let model = pressed(&format!("{key} {zoom}"));
            assert_eq!(model.focus.pane, pane);
            writeln!(out, "=== {width}x{height}").unwrap();
            let screen = drawn(&model, width, height, Theme::default());
            out.push_str(&written(&cut(&screen, between(screen.area))));
            let desk = plain(&desk::full(), width, height);
            out.push_str(&around(&desk, &screen));
        }
        insta::assert_snapshot!(format!("pane_{pane:?}").to_lowercase(), out);
    }
}

#[test]
fn two_exits_that_are_a_pair_are_listed_together_and_say_so() {
    let exit = |id: &str, kind: &str, price: u32, sibling: &str| {
        let json = serde_json::json!({"type": kind, "mode": kind, "side": "sell", "size": 0.75, "status": "resting",
            "reduce_only": true, "trigger_price": price, "target_position_id": "pos_1",
            "oco_sibling_order_id": sibling});
        desk::order(id, "BTC", &json)
    };
    let mut orders = vec![exit("ord_302", "take_profit", 70_000, "ord_301")];
    orders.extend(desk::working());
    orders.push(exit("ord_301", "stop_market", 60_500, "ord_302"));
    let mut model = desk::full();
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "2 z");
    let mut out = String::new();
    for (width, height) in [(160, 40), (80, 24)] {
        let text = picture::text(&drawn(&model, width, height, Theme::default()));
        for line in text.lines().filter(|line| line.contains("OCO")) {
            writeln!(out, "{}", line.trim_end()).unwrap();
        }
    }
    insta::assert_snapshot!("pair_of_exits", out);
}

#[test]
fn at_80x24_every_field_of_a_form_is_seen_or_the_form_says_that_it_scrolls() {
    for (name, model) in forms() {
        let text = picture::text(&drawn(&model, 80, 24, Theme::default()));
        let view = view::forms::form::form(form(&model), &model);
        let is_seen = |label: &str| text.contains(&format!(" {label} "));
        let hidden: Vec<_> = view
            .fields
            .iter()
            .map(|field| field.label)
            .filter(|label| !is_seen(label))
            .collect();
        assert!(
            hidden.is_empty() || text.contains(" more "),
            "{name} hides {hidden:?}\n{text}"
        );
    }
}

#[test]
fn no_heading_of_a_form_stands_over_nothing() {
    let is_rule = |line: &str| line.contains("│ ──") || line.starts_with(" ──");
    for (name, model) in forms() {
        for height in 16..40 {
            let text = picture::text(&drawn(&model, 80, height, Theme::default()));
            let lines: Vec<_> = text.lines().collect();
            for pair in lines.windows(2) {
                let over_nothing = is_rule(pair[0]) && is_rule(pair[1]);
                assert!(!over_nothing, "{name} at {height}\n{text}");
            }
        }
    }
}
