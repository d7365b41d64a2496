//! A form at every size: no digit of it is cut, nothing runs into its neighbour, nothing is hidden silently.

use crate::{
    desk,
    dump::{drawn, press},
};
use perpdeck::{
    app::{Model, Msg, dialogs::overlay::Overlay, update},
    model::Zone,
    ui::{self, DrawState, Theme, Turn, picture},
    view::forms::form::{FormView, form},
};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

const KEYS: &[&str] = &[
    "b0.33147",
    "b99999999999999999",
    "b0.123456789012345678",
    "c0.25",
    "c",
    "jm+50",
    "2e",
    "2m",
];

fn pressed(keys: &str) -> Model {
    let mut model = desk::full();
    press(&mut model, keys);
    model
}

fn view_of(model: &Model) -> FormView {
    let open = model.overlays.iter().find_map(|overlay| match overlay {
        Overlay::Form(form) => Some(form),
        Overlay::Help { .. }
        | Overlay::Quality(_)
        | Overlay::Settings { .. }
        | Overlay::Glossary(_)
        | Overlay::Detail(_)
        | Overlay::Limits { .. }
        | Overlay::UserAlerts(_)
        | Overlay::Review(_)
        | Overlay::Export(_)
        | Overlay::Columns(_)
        | Overlay::Accounts(_)
        | Overlay::Markets(_)
        | Overlay::Strip(_)
        | Overlay::Prompt(_)
        | Overlay::Bulk(_) => None,
    });
    form(open.unwrap(), model)
}

fn lines(model: &Model, width: u16, height: u16) -> Vec<String> {
    let text = picture::text(&drawn(model, width, height, Theme::default()));
    text.lines().map(str::to_owned).collect()
}

#[test]
fn what_follows_is_whole_beside_its_label_and_apart_from_its_neighbour() {
    for keys in KEYS {
        let model = pressed(keys);
        let view = view_of(&model);
        for width in 60..=200 {
            let shown = lines(&model, width, 60);
            for (label, value) in &view.preview {
                assert!(
                    shown.iter().any(|line| stands_in(line, label, &value.text)),
                    "{keys} at {width}: {label} {}\n{}",
                    value.text,
                    shown.join("\n")
                );
            }
        }
    }
}

/// Whether the value, or as much of it as fits on its line, stands beside its label, ending with a word and
/// with room after it.
fn stands_in(line: &str, label: &str, value: &str) -> bool {
    // A pane beside the form may have a column of the same name.
    line.split(&format!(" {label}  ")).skip(1).any(|after| {
        let shown = after.trim_start().split("  ").next().unwrap_or_default();
        let shown = shown.trim_end_matches([' ', '│']);
        let is_rest_below = value.len() > 30 && value.starts_with(&format!("{shown} "));
        shown == value || is_rest_below
    })
}

#[test]
fn a_form_that_is_too_long_says_how_much_is_hidden() {
    let mut model = pressed("b0.33147");
    let border = |shown: &[String]| {
        let border = shown.iter().find(|line| line.contains("lines more"));
        border.cloned().unwrap_or_else(|| shown.join("\n"))
    };
    let shown = border(&lines(&model, 60, 16));
    assert!(shown.contains('↓') && !shown.contains('↑'), "{shown}");
    while view_of(&model)
        .fields
        .last()
        .is_some_and(|field| !field.focused)
    {
        press(&mut model, "\t");
    }
    let shown = border(&lines(&model, 60, 16));
    assert!(!shown.contains('↓') && shown.contains('↑'), "{shown}");
}

#[test]
fn what_an_order_will_do_is_in_sight_whatever_has_the_keys_and_whatever_is_scrolled() {
    for (keys, size) in [
        ("b0.33147", (60, 16)),
        ("b0.33147", (80, 24)),
        ("c0.25", (60, 16)),
    ] {
        let mut model = pressed(keys);
        for then in ["tab", "ctrl-j", "ctrl-d", "ctrl-d", "ctrl-b", "tab"] {
            let shown = lines(&model, size.0, size.1);
            let text = shown.join("\n");
            for part in ["size ", "notional ", "→ LONG"] {
                assert!(text.contains(part), "{part} of {keys} at {size:?}\n{text}");
            }
            assert_eq!(text.matches("─ preview ─").count(), 1, "{text}");
            let now = model.account.now;
            update(&mut model, now, Msg::Key(then.parse().unwrap()));
        }
    }
}

#[test]
fn what_is_wrong_is_in_sight_whatever_is_scrolled() {
    let mut model = pressed("b90");
    for then in ["ctrl-d", "ctrl-d", "tab"] {
        let text = lines(&model, 60, 16).join("\n");
        assert!(
            text.contains("USD of margin; 84,120.50 is available"),
            "{text}"
        );
        let now = model.account.now;
        update(&mut model, now, Msg::Key(then.parse().unwrap()));
    }
}

#[test]
fn what_is_hidden_of_a_form_is_brought_into_sight_by_the_keys_on_its_border_and_by_the_wheel() {
    let mut model = pressed("b0.33147");
    let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
    let look = |model: &Model, draw_state: &mut DrawState| {
        let mut frame = Buffer::empty(Rect::new(0, 0, 60, 16));
        ui::render(&mut frame, model, draw_state);
        picture::text(&frame)
    };
    let press_chord = |model: &mut Model, chord: &str| {
        let now = model.account.now;
        update(model, now, Msg::Key(chord.parse().unwrap()));
    };
    let top = look(&model, &mut draw_state);
    assert!(
        top.contains("type ") && top.contains("lines more ^d "),
        "{top}"
    );
    press_chord(&mut model, "ctrl-d");
    press_chord(&mut model, "ctrl-d");
    let further = look(&model, &mut draw_state);
    assert!(
        further.contains("leverage") && further.contains("↑"),
        "{further}"
    );
    press_chord(&mut model, "ctrl-b");
    press_chord(&mut model, "ctrl-b");
    press_chord(&mut model, "ctrl-b");
    assert_eq!(look(&model, &mut draw_state), top);
    let turned = draw_state.turn(Position::new(30, 8), Turn::Down(1));
    let (spot, seen) = turned.unwrap();
    let now = model.account.now;
    update(&mut model, now, Msg::Scrolled(spot, seen));
    assert!(look(&model, &mut draw_state).contains('↑'));
    press(&mut model, "1");
    let typed = look(&model, &mut draw_state);
    assert!(typed.contains("0.331471"), "what is typed is seen: {typed}");
}

#[test]
fn hints_and_faults_are_never_cut() {
    for keys in ["b", "babc\n", "c", "jm", "2e"] {
        let model = pressed(keys);
        let view = view_of(&model);
        for width in 60..=200 {
            let shown = lines(&model, width, 60);
            let whole = shown.join(" ");
            for field in &view.fields {
                let hint = Some(&field.hint).filter(|_| field.focused);
                for word in hint
                    .into_iter()
                    .chain(&field.fault)
                    .flat_map(|t| t.split(' '))
                {
                    assert!(
                        whole.contains(word),
                        "{keys} at {width}: {word}\n{}",
                        shown.join("\n")
                    );
                }
            }
        }
    }
}
