//! What closes all and what flattens act everywhere. Places, dialogs and fields are enumerated:
//! a new one that is not reached here fails the test, and so does one that swallows the keys.
#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::type_complexity,
    reason = "a test looks for one variant and names no others"
)]

use super::*;
use crate::{
    app::{
        dialogs::overlay::{Bulk, OverlayKind, Strip},
        forms::form::Form,
        keys::keymap::{Chord, Context},
    },
    model::{
        CloseKind, Curve, PlaceKind, Side, Timestamp,
        draft::{Draft, DraftShape, Field},
    },
};
use std::collections::BTreeSet;
use strum::VariantArray as _;

/// The keys, and what they start.
fn ways_out() -> [(&'static str, &'static str, Command); 2] {
    [
        ("X", "ctrl-x", close_all()),
        ("F", "ctrl-f", Command::Flatten("chal-1".into())),
    ]
}

/// How a screen hears a key: drawn, or too small to draw anything but a strip.
const HEARD_BY: [fn(Chord) -> Msg; 2] = [Msg::Key, Msg::Unseen];

/// Whether `key` starts `command`, within the time that it can be stopped.
fn starts(model: &mut Model, (key, hear): (&str, fn(Chord) -> Msg), command: &Command) -> bool {
    let now = model.account.now;
    let mut effects = update(model, now, hear(key.parse().unwrap()));
    for _ in 0..20 {
        effects.extend(wait(model, 100));
    }
    let is_it = |effect: &Effect| matches!(effect, Effect::Send(_, sent) if sent == command);
    effects.iter().any(is_it)
}

/// Over the settings nothing is typed, although their keys are those of the help.
fn takes_text(model: &Model) -> bool {
    let is_read = matches!(model.overlays.last(), Some(Overlay::Settings { .. }));
    model.takes_text() && !is_read
}

/// Presses every way out in a model that `open` makes; a letter is typed where text is.
fn assert_all_act(place: &str, open: impl Fn() -> Model) {
    for (plain, control, command) in ways_out() {
        for hear in HEARD_BY {
            for key in [plain, control] {
                let mut model = open();
                let is_drawn = matches!(hear('a'.into()), Msg::Key(_));
                let types = key == plain && takes_text(&model) && is_drawn;
                let starts = starts(&mut model, (key, hear), &command);
                assert_eq!(starts, !types, "{place}: {key}, drawn: {is_drawn}");
            }
        }
    }
}

#[test]
fn they_act_in_every_pane() {
    for pane in Pane::iter() {
        assert_all_act(&format!("{pane:?}"), || {
            let mut model = desk();
            model.focus.go(pane);
            model
        });
    }
}

/// Keys that open an overlay of this kind from the desk.
fn opened_by(kind: OverlayKind) -> &'static [&'static str] {
    match kind {
        OverlayKind::Help => &["?"],
        OverlayKind::Glossary => &["? g", ": glossary enter"],
        OverlayKind::Detail => &["enter"],
        OverlayKind::Quality => &["i"],
        OverlayKind::Settings => &[": config enter"],
        OverlayKind::Limits => &["L"],
        OverlayKind::Strip => &["2 x", "K", "I"],
        OverlayKind::Form => &["b", "s", "c", "e", "2 e", "2 j m", "2 j e", "t", "l", "j m"],
        OverlayKind::Bulk => &["* c"],
        OverlayKind::Prompt => &[":", "/"],
        OverlayKind::Export => &["E"],
        OverlayKind::Columns => &["C"],
        OverlayKind::Accounts => &["A"],
        OverlayKind::Markets => &["M", "M /"],
        OverlayKind::UserAlerts => &["#"],
        OverlayKind::Review => &["W"],
    }
}

#[test]
fn they_act_over_everything_that_can_lie_over_the_desk() {
    for kind in OverlayKind::iter() {
        for keys in opened_by(kind) {
            let open = || {
                let mut model = desk();
                press(&mut model, keys);
                wait(&mut model, 200);
                model
            };
            let opened = open().overlays.last().map(OverlayKind::from);
            // Where the service makes none, the form of a TWAP or a scaled order does not open.
            if opened.is_none() && ["t", "l"].contains(keys) {
                continue;
            }
            assert_eq!(opened, Some(kind), "{keys}");
            assert_all_act(&format!("{kind:?} by {keys}"), open);
        }
    }
}

#[test]
fn they_act_wherever_keys_can_be_bound() {
    let keymap = desk().keymap;
    for place in Context::iter().filter(|place| *place != Context::Always) {
        for (plain, control, command) in ways_out() {
            let action = match command {
                Command::Flatten(_) => crate::app::keys::keymap::Action::Flatten,
                _ => crate::app::keys::keymap::Action::CloseAll,
            };
            let [plain, control] = [plain, control].map(|key| key.parse::<Chord>().unwrap());
            assert_eq!(keymap.lookup(place, control), Some(action), "{place}");
            let typed = place.takes_text();
            let expected = (!typed).then_some(action);
            assert_eq!(keymap.lookup(place, plain), expected, "{place}");
        }
    }
}

/// One form of every shape there is.
fn forms(model: &Model) -> Vec<Form> {
    let form_context = model.account.form_context();
    let account = || model.account.account_for("a test").unwrap();
    let btc = "paper|BTC".into();
    let mut forms = vec![];
    for kind in PlaceKind::VARIANTS {
        for reduces in [false, true] {
            let mut form = Form::order(account(), Side::Buy, Some(&btc), &form_context);
            form.be(*kind, &form_context);
            if let Draft::Entry(draft) = &mut form.draft {
                draft.reduce_only = reduces;
                draft.time_in_force = crate::model::TimeInForce::Gtd;
            }
            forms.push(form);
        }
    }
    for shape in [
        DraftShape::Sliced(Curve::Twap),
        DraftShape::Sliced(Curve::Vwap),
        DraftShape::Scaled,
    ] {
        forms.push(Form::of_shape(account(), shape, Some(&btc), &form_context));
    }
    let position = model.account.store.position(&"pos-2".into()).unwrap();
    for kind in CloseKind::VARIANTS {
        let mut form = Form::close(position);
        if let Draft::Close(draft) = &mut form.draft {
            draft.kind = *kind;
        }
        forms.push(form);
    }
    forms.push(Form::margin(position));
    forms.push(Form::exits(
        model.account.store.order(&"ord-1".into()).unwrap(),
    ));
    forms
}

#[test]
fn they_act_in_every_field_of_every_form_and_the_form_keeps_what_was_written() {
    let mut reached = BTreeSet::new();
    for form in forms(&desk()) {
        for field in form.draft.fields() {
            reached.insert(field);
            let open = || {
                let (mut model, mut form) = (desk(), form.clone());
                form.focus = field;
                model.overlays.push(Overlay::Form(Box::new(form)));
                model
            };
            assert_all_act(field.label(), open);
            let mut model = open();
            let before = model.overlays.clone();
            press(&mut model, "X esc");
            assert_eq!(model.overlays, before, "{}", field.label());
        }
    }
    let missed: Vec<_> = Field::iter()
        .filter(|field| !reached.contains(field))
        .collect();
    // Only a verb has a flag for it.
    assert_eq!(missed, [Field::ReplacedExits], "no form here has them");
}

/// A command under way in every state that one can be in.
fn in_flight() -> Vec<Progress> {
    let (at, why) = (
        Timestamp(NOON.0 + 60_000),
        Failure::new(FailureKind::Unknown, "no answer"),
    );
    let then = crate::model::FollowUp::default();
    vec![
        Progress::Queued,
        Progress::Sending { attempt: 1 },
        Progress::Sending { attempt: 3 },
        Progress::Unknown {
            why: why.clone(),
            retry_at: at,
            then,
        },
        Progress::Waiting {
            why: why.clone(),
            retry_at: at,
            then,
        },
        Progress::Parked {
            why,
            replay_until: at,
        },
    ]
}

#[test]
fn they_act_whatever_is_in_flight_and_a_sent_form_holds_no_key() {
    for progress in in_flight() {
        // A new state belongs into the list above, or is one of what is pressed for here.
        match &progress {
            Progress::Queued
            | Progress::Sending { .. }
            | Progress::Unknown { .. }
            | Progress::Waiting { .. }
            | Progress::Parked { .. } => {}
            Progress::Running { .. } | Progress::Flattening(_) => unreachable!(),
        }
        for keys in ["b 0 . 0 1 enter", "c enter", "2 x"] {
            let words = format!("{progress:?} after {keys}");
            assert_all_act(&words, || {
                let mut model = desk();
                press(&mut model, keys);
                wait(&mut model, 200);
                press(&mut model, "y");
                assert_eq!(model.overlays, vec![], "{words}: what was sent is closed");
                let now = model.account.now;
                update(&mut model, now, Msg::Progress(Ticket(1), progress.clone()));
                wait(&mut model, 200);
                model
            });
        }
    }
}

#[test]
fn they_act_while_many_commands_are_sent_one_by_one() {
    assert_all_act("a list that is being sent", || {
        let mut model = desk();
        press(&mut model, "* c");
        wait(&mut model, 200);
        press(&mut model, "y");
        let is_list = |overlay: &Overlay| matches!(overlay, Overlay::Bulk(Bulk { .. }));
        assert!(model.overlays.iter().any(is_list));
        model
    });
}

#[test]
fn one_that_counts_down_gives_way_to_the_other_that_does_more_and_never_the_other_way_round() {
    let mut model = desk();
    press(&mut model, "X F");
    let flatten = Command::Flatten("chal-1".into());
    let proposal = |model: &Model| match model.overlays.as_slice() {
        [Overlay::Strip(Strip { proposal, .. })] => Some(proposal.clone()),
        _ => None,
    };
    assert_eq!(proposal(&model), Some(flatten.clone().into()));
    press(&mut model, "ctrl-x");
    assert_eq!(proposal(&model), Some(flatten.into()));
}
