//! Says why a key did nothing, and which key to use.
//!
//! Contract: every key that does nothing gets a message; one that works elsewhere gets the way there. The message
//! never hides bad news that waits to be dismissed.

use crate::app::{
    account::{pane::Pane, row_id::RowId},
    desk::model::Model,
    dialogs::next::Reply,
    keys::keymap::{Action, Chord, Context},
};
use std::fmt::Display;
use strum::IntoEnumIterator;

/// For a key that changed nothing where it was pressed.
pub(crate) fn why(model: &Model, chord: Chord) -> String {
    let known = match model.keymap.lookup(model.context(), chord) {
        Some(action) if action.moves(0, 0).is_some() => {
            Some(format!("{chord}: nothing lies further that way"))
        }
        Some(_) => None,
        None if model.overlays.is_empty() => in_another_pane(model, chord),
        None => on_the_desk(model, chord),
    };
    known.unwrap_or_else(|| nowhere(model, chord))
}

/// For a click that changed nothing.
pub(crate) fn click(model: &Model) -> String {
    let context = model.context();
    let back = model.keymap.chord(context, Action::Dismiss);
    match back.filter(|_| !model.overlays.is_empty()) {
        Some(key) => format!("a click does nothing here; {key} closes this"),
        None => "a click does nothing here: click a row, a tab, a field or a key that is shown"
            .to_owned(),
    }
}

/// For a key, or two keys one after another, that mean nothing.
pub(super) fn nowhere(model: &Model, keys: impl Display) -> String {
    let context = model.context();
    let back = model.keymap.chord(context, Action::Dismiss);
    let back = back.filter(|_| !model.overlays.is_empty());
    let back = back.map_or_else(String::new, |key| format!("; {key} closes this"));
    let help = model.keymap.chord(Context::Desk, Action::Help);
    let help = help.map_or_else(String::new, |key| format!(": {key} lists the keys"));
    format!("{keys} does nothing here{help}{back}")
}

fn in_another_pane(model: &Model, chord: Chord) -> Option<String> {
    let keymap = &model.keymap;
    let hits = Pane::iter().filter_map(|pane| {
        let here = keymap.meanings(chord);
        let mut here = here.filter(|(place, _)| *place == pane.context());
        let does = here.find_map(|(place, action)| keymap.presented.elsewhere(place, action))?;
        Some((pane, does))
    });
    let elsewhere: Vec<_> = hits
        .map(|(pane, does)| {
            let way = keymap.chord(Context::Desk, pane.focus_action());
            way.map_or_else(|| does.to_owned(), |key| format!("{does} ({key})"))
        })
        .collect();
    if elsewhere.is_empty() {
        return None;
    }
    let pane = model.focus.pane.context();
    let mut own = keymap.presented.footer(pane).into_iter();
    let own_key = own.find_map(|action| {
        let does = keymap.presented.elsewhere(pane, action)?;
        Some((keymap.chord(model.context(), action)?, does))
    });
    let own_key = own_key.map_or_else(String::new, |(key, does)| format!("; here {key} {does}"));
    Some(format!("{chord} {}{own_key}", elsewhere.join(", ")))
}

fn on_the_desk(model: &Model, chord: Chord) -> Option<String> {
    let action = model.keymap.lookup(model.focus.pane.context(), chord)?;
    let back = model.keymap.chord(model.context(), Action::Dismiss)?;
    let says_nothing = action.moves(0, 0).is_some() || action == Action::Dismiss;
    let label = action.label();
    (!says_nothing).then(|| format!("close this dialog first ({back}); then {chord} is {label}"))
}

/// For a key that does not apply to the selected row, or has no row.
pub(crate) fn not_for(model: &Model, row: Option<&RowId>) -> Reply {
    let pane = model.focus.pane;
    let is_filtered = model
        .table_views
        .of(pane)
        .is_some_and(|l| l.filter.is_some());
    let why = match row {
        None if is_filtered => "the filter hides every row: Esc shows them",
        None => "there is no row here to act on",
        Some(RowId::Position(_)) => "this position is not open any more",
        Some(RowId::Order(_)) => {
            "the service does not report this order: choose one of those below it"
        }
        Some(RowId::Twap(_)) => "this line is a TWAP: it can only be stopped",
        Some(RowId::Scaled(_) | RowId::Rung(..)) => {
            "this line is a scaled order, which can only be canceled: choose one of its orders"
        }
        Some(RowId::Line(_)) => "a line of this record cannot be changed",
    };
    Err(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{
        activity::notice::Event,
        dialogs::overlay::Overlay,
        keys::keymap::default_bindings,
        testing::{bare_desk, desk, press, wait},
    };

    fn message(model: &Model) -> Option<String> {
        match model
            .account
            .activity
            .toast(model.account.now)
            .map(|line| &line.event)
        {
            Some(Event::Message(_, words)) => Some(words.clone()),
            Some(other) => panic!("{other:?}"),
            None => None,
        }
    }

    fn message_after(keys: &str) -> String {
        let mut model = desk();
        assert_eq!(press(&mut model, keys), [], "{keys}");
        assert_eq!(model.overlays, [], "{keys}");
        message(&model).unwrap_or_else(|| panic!("{keys}: nothing is said"))
    }

    #[test]
    fn a_key_of_another_pane_says_what_it_does_there_and_what_does_it_here() {
        let expected = [
            (
                "x",
                "x cancels an order (2), stops a TWAP (3), cancels a scaled order (4); here c closes a position",
            ),
            ("2 c", "c closes a position (1); here x cancels an order"),
            (
                "3 m",
                "m changes isolated margin (1), moves an order (2); here x stops a TWAP",
            ),
            ("5 c", "c closes a position (1)"),
        ];
        for (keys, words) in expected {
            assert_eq!(message_after(keys), words);
        }
    }

    #[test]
    fn a_key_that_is_held_down_is_answered_once() {
        let mut model = desk();
        press(&mut model, "x x x x");
        assert_eq!(model.account.activity.lines.len(), 1);
        press(&mut model, "2 c c x");
        assert_eq!(model.account.activity.lines.len(), 2);
    }

    #[test]
    fn where_there_is_no_row_every_key_that_needs_one_says_so() {
        for pane in ["1", "2", "3", "4"] {
            for key in ["c", "x", "e", "m", "enter", "y", "space", "v", "*"] {
                let mut model = bare_desk();
                press(&mut model, pane);
                press(&mut model, key);
                assert!(message(&model).is_some(), "{pane} {key}");
            }
        }
        let mut model = desk();
        press(&mut model, "/ n o n e enter c");
        let words = "the filter hides every row: Esc shows them".to_owned();
        assert_eq!(message(&model), Some(words));
    }

    /// Everything that can be opened from the desk and takes no text.
    const OPENED: &[&str] = &[
        "M",
        "enter",
        "L",
        "i",
        "A",
        "C",
        "E",
        "K",
        "* c",
        ": config enter",
    ];

    /// Keys that cycle through the parts of a panel, which may have only one.
    const GO_ROUND: &[Action] = &[
        Action::NextLink,
        Action::PreviousLink,
        Action::NextField,
        Action::NextChoice,
        Action::PreviousChoice,
        Action::MoveUp,
        Action::MoveDown,
        Action::Reset,
    ];

    #[test]
    fn over_everything_that_takes_no_text_a_key_of_the_desk_works_or_says_why_not() {
        let is_of_desk = |context| context == Context::Desk || context == Context::Positions;
        let bindings = default_bindings().into_iter();
        let bindings: Vec<_> = bindings
            .filter(|b| is_of_desk(b.context) && b.action.moves(0, 0).is_none())
            .collect();
        for opened in OPENED {
            for chord in bindings.iter().flat_map(|b| &b.keys) {
                let mut model = desk();
                press(&mut model, opened);
                wait(&mut model, 200);
                let before = model.overlays.clone();
                assert_ne!(before, [], "{opened}");
                let effects = press(&mut model, &chord.first.to_string());
                let works = model.overlays != before || !effects.is_empty();
                let place = before.last().map_or(Context::Desk, Overlay::context);
                let own = model.keymap.lookup(place, chord.first);
                let is_exempt =
                    chord.then.is_some() || own.is_some_and(|own| GO_ROUND.contains(&own));
                assert!(
                    works || is_exempt || message(&model).is_some(),
                    "{opened}, then {chord}: nothing happens and nothing is said"
                );
            }
        }
    }

    #[test]
    fn the_command_line_and_the_help_open_over_what_only_shows() {
        for opened in ["M", "enter", "p", "L", "i", "A"] {
            let mut model = desk();
            press(&mut model, opened);
            let looked_at = model.overlays.clone();
            press(&mut model, ":");
            assert!(
                matches!(model.overlays.last(), Some(Overlay::Prompt(_))),
                "{opened}"
            );
            press(&mut model, "b esc ?");
            assert!(matches!(model.overlays.last(), Some(Overlay::Help { .. })));
            press(&mut model, "esc");
            assert_eq!(model.overlays, looked_at, "{opened}");
            press(&mut model, ": orders enter");
            let there = (model.overlays.len(), model.focus.pane);
            assert_eq!(there, (0, Pane::Orders), "{opened}");
        }
    }
}
