//! A second desk, while another desk holds the journal: it closes, cancels and reduces, and takes over when the other
//! ends.

use crate::{
    app::{activity::notice::Tone, core::account::Account, core::effect::Effect},
    model::{Command, Dispatch, JournalRole, ProcessKind},
};

/// Another desk holds the journal from now on, or this one does.
pub(crate) fn take(account: &mut Account, first: Option<String>) -> Vec<Effect> {
    let (tone, text) = match &first {
        Some(first) => (
            Tone::Warn,
            format!(
                "{first} has the journal: this is a SECOND DESK. It sends closes, cancels and reductions only; when \
                 that one ends, this one takes over"
            ),
        ),
        None => (
            Tone::Good,
            "the other desk has ended: this one has the journal now and settles the commands that one left open"
                .to_owned(),
        ),
    };
    account.second = first;
    account.say(tone, text);
    vec![]
}

/// Why `command` is not sent from a second desk, if so.
pub(crate) fn objection(account: &Account, command: &Command) -> Option<String> {
    let dispatch = JournalRole::Client.dispatch(ProcessKind::Desk, command);
    (dispatch == Dispatch::Refused).then(|| words(account))?
}

/// That new entries are refused, why, and what to do.
pub fn words(account: &Account) -> Option<String> {
    let first = account.second.as_ref()?;
    Some(format!(
        "this is a second desk, {first} has the journal: trade there, or quit it and this one takes over"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{
        activity::notice::Event,
        desk::{model::Model, msg::Msg},
        testing::*,
        update::router::update,
    };

    fn second() -> Model {
        let mut model = desk();
        let now = model.account.now;
        let first = "another perpdeck (process 7)".to_owned();
        assert_eq!(update(&mut model, now, Msg::Second(Some(first))), vec![]);
        model
    }

    #[test]
    fn a_second_desk_names_the_first_one_where_it_refuses_an_order_and_gets_out_all_the_same() {
        let mut model = second();
        assert_eq!(press(&mut model, "b 0 . 1 enter"), vec![]);
        let said = model
            .account
            .activity
            .toast(model.account.now)
            .map(|notice| notice.event.clone());
        let why = "this is a second desk, another perpdeck (process 7) has the journal: trade there, or quit it and \
                   this one takes over";
        assert_eq!(said, Some(Event::Message(Tone::Warn, why.to_owned())));
        press(&mut model, "esc esc X");
        let effects = wait(&mut model, 1_500);
        assert!(matches!(
            effects.as_slice(),
            [Effect::Send(_, Command::CloseAll(_))]
        ));
    }

    #[test]
    fn a_desk_that_has_taken_over_sends_orders_again() {
        let mut model = second();
        let now = model.account.now;
        update(&mut model, now, Msg::Second(None));
        let sent = press(&mut model, "b 0 . 1 enter");
        assert!(matches!(
            sent.as_slice(),
            [Effect::Send(_, Command::Place(_))]
        ));
    }
}
