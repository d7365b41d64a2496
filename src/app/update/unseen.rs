//! Keys on a screen too small to draw anything but a strip.
//!
//! Contract: what is not drawn gets no keys, so a hidden form, list or line sends nothing. Keys that close everything
//! still work, and so does the strip, which is drawn.

use super::press;
use crate::app::{
    desk::model::Model,
    dialogs::{next::Next, overlay::Overlay},
    keys::keymap::{Action, Chord, Context},
    update::way_out,
};

pub(crate) fn press_unseen(model: &mut Model, chord: Chord) -> Next {
    if let Some(Overlay::Strip(_)) = model.overlays.last() {
        return press::press(model, chord).unwrap_or(Next::Stay);
    }
    match model.keymap.lookup(Context::Desk, chord) {
        Some(Action::QuitNow) => Next::Leave,
        Some(Action::Dismiss) => {
            way_out::stop(model);
            Next::Stay
        }
        Some(Action::Quit) if model.overlays.is_empty() => Next::Press(Action::Quit),
        Some(action) if action.is_way_out() => Next::Press(action),
        Some(_) | None => Next::Stay,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{core::effect::Effect, desk::msg::Msg, testing::*, update::router::update},
        model::Command,
    };

    fn press_unseen(model: &mut Model, keys: &str) -> Vec<Effect> {
        let chords = keys.split_whitespace().map(|key| key.parse().unwrap());
        let now = model.account.now;
        chords
            .flat_map(|chord| update(model, now, Msg::Unseen(chord)))
            .collect()
    }

    #[test]
    fn a_form_a_list_or_a_line_that_is_not_drawn_sends_nothing_and_stays_as_it_is() {
        for keys in ["b 0.1", "* c", ": buy space btc"] {
            let mut model = desk();
            press(&mut model, keys);
            wait(&mut model, 200);
            let before = model.overlays.clone();
            assert!(!before.is_empty(), "{keys}");
            assert_eq!(
                press_unseen(&mut model, "enter y 7 esc q"),
                vec![],
                "{keys}"
            );
            assert_eq!(model.overlays, before, "{keys}");
        }
    }

    #[test]
    fn the_ways_out_and_their_strips_work_on_any_screen_and_over_what_waits() {
        let mut model = desk();
        press(&mut model, "b 0.1");
        press_unseen(&mut model, "X");
        assert_eq!(model.overlays.len(), 2);
        wait(&mut model, 200);
        let sent = press_unseen(&mut model, "y");
        let [Effect::Send(_, Command::CloseAll(_))] = sent.as_slice() else {
            panic!("{sent:?}");
        };
        assert!(matches!(model.overlays.as_slice(), [Overlay::Form(_)]));
        press_unseen(&mut model, "F");
        assert_eq!(model.overlays.len(), 2);
        press_unseen(&mut model, "esc");
        assert_eq!(model.overlays.len(), 1);
    }

    #[test]
    fn nothing_is_chosen_on_a_desk_that_is_not_seen_and_it_can_be_left() {
        let mut model = desk();
        assert_eq!(press_unseen(&mut model, "c x K b enter 2 j"), vec![]);
        assert_eq!(model.overlays, vec![]);
        assert_eq!(press_unseen(&mut model, "q"), vec![Effect::Quit]);
        // Asks first while an order is in progress.
        press(&mut model, "b 0.1 enter");
        assert_eq!(press_unseen(&mut model, "q"), vec![]);
        wait(&mut model, 200);
        assert_eq!(press_unseen(&mut model, "q"), vec![Effect::Quit]);
    }
}
