//! A sent form closes at once; one key reopens a refused one.

use crate::{
    app::{
        account::pane::Pane,
        core::effect::Effect,
        desk::{model::Model, msg::Msg},
        dialogs::overlay::Overlay,
        testing::*,
        update::router::update,
    },
    model::{Command, Failure, FailureKind, Progress, Ticket, draft::Field},
    view,
};
use std::time::Duration;

fn refused() -> Failure {
    Failure::new(FailureKind::Invalid, "size 0.1 is too small")
}

fn line(model: &Model) -> String {
    let zone = crate::model::Zone::utc();
    let pending = view::pending_commands(&view::Scene::of(model, &zone));
    let words = pending.iter().flat_map(|pending| &pending.words);
    words.map(|span| span.text.clone()).collect()
}

#[test]
fn a_form_that_is_sent_closes_at_once_and_leaves_a_line_that_says_how_it_goes() {
    let mut model = desk();
    assert_eq!(press(&mut model, "b 0.1 enter").len(), 1);
    assert_eq!(model.overlays, vec![]);
    assert!(line(&model).contains("0.1"), "{}", line(&model));
    let now = model.account.now;
    let sending = Progress::Sending { attempt: 1 };
    update(&mut model, now, Msg::Progress(Ticket(1), sending));
    assert!(line(&model).ends_with(": sending"), "{}", line(&model));
    assert_eq!(view::toast(&model), None, "said once");
    settle(&mut model, Ticket(1), Err(refused()));
    assert_eq!(line(&model), "");
    let toast = view::plain_text(&view::toast(&model).unwrap().words);
    assert!(
        toast.contains("size 0.1 is too small; U opens the form again"),
        "{toast}"
    );
}

#[test]
fn the_form_of_a_refused_order_is_opened_again_with_everything_in_it() {
    let mut model = desk();
    press(&mut model, "b 0.1 tab tab tab 40 enter");
    settle(&mut model, Ticket(1), Err(refused()));
    press(&mut model, "j 2 U");
    let form = model
        .overlays
        .last()
        .and_then(Overlay::try_as_form_ref)
        .unwrap();
    let texts = [Field::Size, Field::Slippage].map(|field| form.draft.text(field));
    assert_eq!(texts, [Some("0.1"), Some("40")]);
    assert_eq!(form.failure, Some(refused()));
    let beside = view::forms::form::form(form, &model).fields.into_iter();
    let beside: Vec<_> = beside.filter_map(|field| field.fault).collect();
    assert_eq!(beside, ["size 0.1 is too small"]);
    press(&mut model, "esc esc U");
    assert_eq!(model.overlays, vec![], "it is opened once");
}

#[test]
fn a_second_enter_right_after_the_first_is_meant_for_the_form_that_has_closed() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter enter");
    assert_eq!(model.overlays, vec![]);
    wait(&mut model, 150);
    press(&mut model, "enter");
    assert!(matches!(model.overlays.as_slice(), [Overlay::Detail(_)]));
}

#[test]
fn what_waits_for_a_person_is_not_sent_a_second_time_from_its_form() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter");
    let progress = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: model.account.now.plus(Duration::from_mins(15)),
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Progress(Ticket(1), progress));
    press(&mut model, "esc U");
    assert_eq!(model.overlays, vec![]);
}

/// What can be open or in progress, and whether free text is typed there.
const PLACES: &[(&str, &str, Typing)] = &[
    ("positions", "1", Typing::Nothing),
    ("orders", "2", Typing::Nothing),
    ("twaps", "3", Typing::Nothing),
    ("scaled orders", "4", Typing::Nothing),
    ("closed", "5", Typing::Nothing),
    ("history", "6", Typing::Nothing),
    ("activity", "7", Typing::Nothing),
    ("calls", "8", Typing::Nothing),
    ("the first of two keys", "g", Typing::Nothing),
    ("a held display", "f", Typing::Nothing),
    ("a zoomed pane", "z", Typing::Nothing),
    ("a range", "v", Typing::Nothing),
    ("help", "?", Typing::Text),
    ("glossary", "? g", Typing::Text),
    ("detail", "enter", Typing::Nothing),
    ("chart", "p", Typing::Nothing),
    ("quality", "i", Typing::Nothing),
    ("settings", ": config enter", Typing::Nothing),
    ("limits", "L", Typing::Nothing),
    ("markets", "M", Typing::Nothing),
    ("market search", "M /", Typing::Text),
    ("accounts", "A", Typing::Nothing),
    ("columns", "C", Typing::Nothing),
    ("export", "E", Typing::Nothing),
    ("filter", "/", Typing::Text),
    ("a filter with text", "/ sol", Typing::Text),
    ("command line", ":", Typing::Text),
    ("a command", ": buy", Typing::Text),
    ("strip", "2 x", Typing::Nothing),
    ("cancel all", "K", Typing::Nothing),
    ("list of calls", "* c", Typing::Nothing),
    ("a list that is sent", "* c ! y", Typing::Nothing),
    ("form with its JSON", "b 0.1 ctrl-j", Typing::Nothing),
    ("form that is being left", "b 0.1 esc", Typing::Nothing),
    ("form with a fault", "b enter", Typing::Nothing),
    ("an order being sent", "b 0.1 enter", Typing::Nothing),
    ("a close being sent", "c enter", Typing::Nothing),
    (
        "a form over an order being sent",
        "b 0.1 enter ! s 0.2",
        Typing::Nothing,
    ),
];

/// The keys that open each form; the test tries every field.
const FORMS: &[&str] = &[
    "b",
    "b shift-tab shift-tab shift-tab limit tab tab tab",
    "b shift-tab shift-tab shift-tab chase tab tab tab",
    "s shift-tab shift-tab shift-tab stop_l tab tab tab",
    "b shift-tab shift-tab shift-tab take_p tab tab tab",
    "b shift-tab shift-tab shift-tab cond tab tab tab",
    "t",
    "l",
    "c",
    "1 e",
    "1 j m",
    "2 e",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typing {
    Nothing,
    Text,
}

/// A desk after `keys`; each `!` lets enough time pass to read a question.
fn at(keys: &str) -> Model {
    let mut model = desk();
    for keys in keys.split('!') {
        press(&mut model, keys);
        wait(&mut model, 200);
    }
    model
}

/// The close-all or flatten that the topmost question is about.
fn asks(model: &Model) -> Option<&Command> {
    use crate::app::dialogs::overlay::StripAction;
    let proposal = &model.overlays.last()?.try_as_strip_ref()?.proposal;
    if let StripAction::One(command @ (Command::CloseAll(_) | Command::Flatten(_))) = proposal {
        Some(command)
    } else {
        None
    }
}

fn check(place: &str, keys: &str, typing: Typing) {
    let (close_all, flatten) = (
        Command::CloseAll("chal-1".into()),
        Command::Flatten("chal-1".into()),
    );
    for (key, command, is_plain) in [
        ("X", &close_all, true),
        ("F", &flatten, true),
        ("ctrl-x", &close_all, false),
        ("ctrl-f", &flatten, false),
    ] {
        let mut model = at(keys);
        let before = model.overlays.clone();
        press(&mut model, key);
        if is_plain && typing == Typing::Text {
            assert_eq!(asks(&model), None, "{place}: {key} is text there");
            continue;
        }
        assert_eq!(asks(&model), Some(command), "{place}: {key}");
        // The panel below is there again when it is stopped, and when it was sent.
        let below = |model: &Model| {
            let kinds = model.overlays.iter().map(std::mem::discriminant);
            kinds.collect::<Vec<_>>()
        };
        let kinds: Vec<_> = before
            .iter()
            .filter(|overlay| !matches!(overlay, Overlay::Strip(_)))
            .map(std::mem::discriminant)
            .collect();
        press(&mut model, "esc");
        assert_eq!(below(&model), kinds, "{place}: {key} stopped");
        press(&mut model, key);
        let effects = wait(&mut model, 1_500);
        let is_sent = |effect: &Effect| matches!(effect, Effect::Send(_, sent) if sent == command);
        assert!(effects.iter().any(is_sent), "{place}: {key}: {effects:?}");
        assert_eq!(below(&model), kinds, "{place}: {key} gone");
    }
}

#[test]
fn what_gets_a_trader_out_acts_in_every_pane_and_dialog_and_whatever_is_on_its_way() {
    for (place, keys, typing) in PLACES {
        check(place, keys, *typing);
    }
    assert!(at("8").focus.pane == Pane::Calls && at("M /").overlays.len() == 1);
}

#[test]
fn what_gets_a_trader_out_acts_in_every_field_of_every_form_and_writes_nothing_there() {
    for opens in FORMS {
        let model = at(opens);
        let fields = |model: &Model| {
            let form = model.overlays.last().and_then(Overlay::try_as_form_ref);
            form.map(|form| form.draft.fields().len())
        };
        let count = fields(&model).unwrap_or_else(|| panic!("{opens}: no form is open"));
        for tabs in 0..count {
            let keys = format!("{opens} {}", "tab ".repeat(tabs));
            check(&keys, &keys, Typing::Nothing);
            let (mut pressed, untouched) = (at(&keys), at(&keys));
            press(&mut pressed, "X esc");
            assert_eq!(
                pressed.overlays, untouched.overlays,
                "{keys}: the form keeps its contents"
            );
        }
    }
}
