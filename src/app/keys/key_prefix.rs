//! The first key of a sequence, until the second comes.
//!
//! Contract: the first key does nothing, and an unbound second key does nothing either, because it was meant for
//! something else. Keys that close everything work after any first key. The first key is dropped after the time a strip
//! would wait.

use super::keymap::{Chord, Context};
use crate::model::Timestamp;
use std::time::Duration;

/// As long as an unanswered strip stays armed.
pub(crate) const FORGET: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPrefix {
    pub first: Chord,
    pub(crate) place: Context,
    pub(crate) at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            Model,
            account::{pane::Pane, row_id::RowId},
            awaited,
            core::effect::Effect,
            desk::msg::Msg,
            dialogs::overlay::{Overlay, StripAction},
            keys::keymap::Action,
            tables::click_target::ClickTarget,
            testing::{desk, press, wait},
            update::{router::update, wake::wake},
        },
        model::Command,
    };

    fn selected(model: &Model) -> Option<RowId> {
        model.selected_in(Pane::Positions).map(|(_, row)| row)
    }

    fn position(id: &str) -> RowId {
        RowId::Position(id.into())
    }

    #[test]
    fn the_second_key_says_what_is_meant() {
        let mut model = desk();
        press(&mut model, "G");
        assert_eq!(press(&mut model, "g"), []);
        assert!(awaited(&model).is_some());
        assert_eq!(
            selected(&model),
            Some(position("pos-2")),
            "the first alone does nothing"
        );
        press(&mut model, "g");
        assert_eq!(
            (awaited(&model), selected(&model)),
            (None, Some(position("pos-1")))
        );
        press(&mut model, "g h");
        assert_eq!(model.focus.pane, Pane::History);
    }

    #[test]
    fn a_second_key_that_leads_nowhere_does_nothing() {
        for key in ["esc", "j", "b", "1", "q"] {
            let mut model = desk();
            press(&mut model, "z G g");
            assert_eq!(press(&mut model, key), [], "{key}");
            assert_eq!(
                (awaited(&model), selected(&model)),
                (None, Some(position("pos-2"))),
                "{key}"
            );
            assert!(model.overlays.is_empty() && model.focus.zoomed, "{key}");
            let message = format!("{:?}", model.account.activity.toast(model.account.now));
            let answer = format!("g {key} does nothing here: ? lists the keys");
            assert_eq!(message.contains(&answer), key != "esc", "{key}: {message}");
        }
    }

    #[test]
    fn the_ways_out_work_whatever_was_pressed_before() {
        let mut model = desk();
        assert_eq!(press(&mut model, "g ctrl-c"), vec![Effect::Quit]);
        for key in ["X", "F", "K"] {
            let (mut model, mut alone) = (desk(), desk());
            press(&mut model, "g");
            press(&mut model, key);
            press(&mut alone, key);
            assert_eq!(model.overlays, alone.overlays, "{key}");
            assert_eq!((model.overlays.len(), awaited(&model)), (1, None), "{key}");
        }
    }

    #[test]
    fn the_first_key_is_forgotten_after_five_seconds() {
        let mut model = desk();
        press(&mut model, "G g");
        assert!(wake(&model).is_some_and(|at| at <= model.account.now.plus(FORGET)));
        wait(&mut model, 5_000);
        assert_eq!(awaited(&model), None);
        press(&mut model, "h");
        assert_eq!(model.focus.pane, Pane::Positions);
    }

    #[test]
    fn the_hints_of_what_can_follow_can_be_clicked_and_so_can_the_way_back_and_the_way_out() {
        let click = |model: &mut Model, action| {
            let spot = ClickTarget::Key(model.context(), action);
            update(model, model.account.now, Msg::Click(spot))
        };
        let mut model = desk();
        press(&mut model, "z g");
        assert_eq!(click(&mut model, Action::Dismiss), []);
        assert!(awaited(&model).is_none() && model.focus.zoomed);
        press(&mut model, "g");
        click(&mut model, Action::Top);
        assert_eq!(
            (awaited(&model), selected(&model)),
            (None, Some(position("pos-1")))
        );
        press(&mut model, "g");
        click(&mut model, Action::CloseAll);
        let Some(Overlay::Strip(strip)) = model.overlays.last() else {
            panic!("no strip")
        };
        assert!(matches!(
            strip.proposal,
            StripAction::One(Command::CloseAll(_))
        ));
    }
}
