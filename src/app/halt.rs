//! The desk halted: exposure only goes down until the trader re-arms it.
//!
//! It halts after a flatten, when the service contradicts itself, and where the last desk on this journal was halted or its
//! journal failed; the runtime decides and holds back, the app says so.

use super::{
    Effect, Model, Next,
    notice::Tone,
    overlay::{Deed, Overlay, Strip},
};
use crate::model::{Command, Risk};

/// The runtime has halted the desk, or taken a halt back.
pub(super) fn halt(model: &mut Model, why: Option<String>) -> Vec<Effect> {
    let (tone, text) = match &why {
        Some(why) => (
            Tone::Alert,
            format!(
                "HALTED: {why}. Nothing that raises exposure is sent before you re-arm the desk"
            ),
        ),
        None => (Tone::Good, "re-armed: orders are sent again".to_owned()),
    };
    model.halted = why;
    model.say(tone, text);
    vec![]
}

/// The key that trades on: it asks first.
pub(super) fn rearm(model: &Model) -> Next {
    if model.halted.is_none() {
        return Next::Refuse("the desk is not halted".to_owned());
    }
    let strip = Strip::confirm(Deed::Rearm, model.now);
    Next::Open(Box::new(Overlay::Strip(strip)))
}

/// Why `command` is not sent while the desk is halted, if so.
pub(super) fn objection(model: &Model, command: &Command) -> Option<String> {
    let why = model.halted.as_ref()?;
    let raises = command.risk() == Risk::Increasing;
    raises.then(|| format!("the desk is HALTED: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Msg, notice::Event, testing::*, update};

    fn halted() -> Model {
        let mut model = desk();
        let now = model.now;
        let why = Msg::Halted(Some("it was flattened".to_owned()));
        assert_eq!(update(&mut model, now, why), vec![]);
        model
    }

    #[test]
    fn a_halted_desk_refuses_a_new_order_with_the_reason_and_closes_all_the_same() {
        let mut model = halted();
        assert_eq!(press(&mut model, "b 0 . 1 enter"), vec![]);
        let said = model
            .activity
            .toast(model.now)
            .map(|notice| notice.event.clone());
        let why = "the desk is HALTED: it was flattened".to_owned();
        assert_eq!(said, Some(Event::Said(Tone::Warn, why)));
        press(&mut model, "esc esc X");
        let effects = wait(&mut model, 1_500);
        assert!(matches!(
            effects.as_slice(),
            [Effect::Send(_, Command::CloseAll(_))]
        ));
    }

    #[test]
    fn trading_on_takes_a_key_and_a_yes_and_is_the_runtimes_to_grant() {
        let mut model = halted();
        press(&mut model, "R");
        assert_eq!(press(&mut model, "y"), vec![], "the strip is still deaf");
        wait(&mut model, 200);
        assert_eq!(press(&mut model, "y"), vec![Effect::Rearm]);
        assert!(model.halted.is_some(), "not before the runtime says so");
        let now = model.now;
        update(&mut model, now, Msg::Halted(None));
        assert_eq!(model.halted, None);
        press(&mut model, "R");
        assert_eq!(model.overlays, vec![], "there is nothing to re-arm");
    }
}
