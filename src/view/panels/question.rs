//! The question about a command that only a person can decide.

use crate::{
    app::{Action, Context, Model, dialogs::overlay::Strip},
    model::{Progress, Ticket},
    view::{
        panels::strip::phrases::{account, button, question_words},
        text::{Scene, Span, passing},
    },
};

/// Added if everything was closed after the command was given.
const REOPENS: &str = "; CLOSED ALL SINCE, this opens a new position";

/// What is known of it, and what the keys do.
pub(crate) fn words(model: &Model, scene: &Scene<'_>, strip: &Strip, ticket: Ticket) -> Vec<Span> {
    let button = |action, does: &str| button(model, Context::Strip, action, does);
    let never_left = never_left(scene, ticket);
    let reopens = scene.store.reopens(ticket);
    let key = if reopens {
        Action::Reopen
    } else {
        Action::Confirm
    };
    let again = if never_left {
        button(key, "send it now")
    } else if scene.own_now < strip.ends_at() {
        let left = scene.until_own(strip.ends_at(), passing::LEFT);
        button(key, &format!("same request again ({left})"))
    } else {
        vec![Span::plain("cannot be sent again")]
    };
    let apart = || vec![Span::plain(" · ")];
    let known = if never_left {
        " was never sent"
    } else {
        " may have executed"
    };
    let head = vec![
        Span::strong(question_words(&strip.proposal, scene) + &account(model)),
        Span::alert(known),
        Span::alert(if reopens { REOPENS } else { "" }),
        Span::plain(":  "),
    ];
    let give_up = button(Action::GiveUp, "give it up");
    let later = button(Action::Dismiss, "later");
    [head, again, apart(), give_up, apart(), later].concat()
}

/// Whether the command was never sent.
fn never_left(scene: &Scene<'_>, ticket: Ticket) -> bool {
    let pending = scene.store.pending.get(&ticket);
    pending.is_some_and(
        |pending| matches!(&pending.progress, Progress::Parked { why, .. } if !why.is_doubtful()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            Msg,
            dialogs::overlay::Overlay,
            testing::{desk, press, wait},
            update,
        },
        model::{Command, Failure, FailureKind, Timestamp, Zone},
    };

    fn asked_of(why: Failure) -> String {
        let (mut model, ticket) = (desk(), Ticket(1_000_007));
        let now = model.account.now;
        let close_all = Command::CloseAll("chal-1".into());
        update(&mut model, now, Msg::Resumed(ticket, close_all));
        let parked = Progress::Parked {
            why,
            replay_until: Timestamp(i64::MAX),
        };
        update(&mut model, now, Msg::Progress(ticket, parked));
        words_on(&model, ticket)
    }

    fn words_on(model: &Model, ticket: Ticket) -> String {
        let Some(Overlay::Strip(strip)) = model.overlays.last() else {
            panic!("{:?}", model.overlays);
        };
        let zone = Zone::utc();
        let spans = words(model, &Scene::of(model, &zone), strip, ticket);
        spans.iter().map(|span| span.text.as_str()).collect()
    }

    #[test]
    fn what_was_given_before_a_close_all_says_that_it_opens_anew_and_by_which_key() {
        let mut model = desk();
        press(&mut model, "b 0 . 1 enter esc X");
        wait(&mut model, 1_500);
        let progress = Progress::Parked {
            why: Failure::new(FailureKind::Unknown, "no answer"),
            replay_until: Timestamp(i64::MAX),
        };
        let now = model.account.now;
        update(&mut model, now, Msg::Progress(Ticket(1), progress));
        let asked = words_on(&model, Ticket(1));
        assert!(
            asked.contains(
                "may have executed; CLOSED ALL SINCE, this opens a new position:  O same request again"
            ),
            "{asked}"
        );
    }

    #[test]
    fn what_never_left_is_not_said_to_have_been_done_perhaps() {
        let unsent = asked_of(Failure::local("the desk stopped before"));
        assert!(
            unsent.contains("was never sent:  y send it now"),
            "{unsent}"
        );
        let doubtful = asked_of(Failure::new(FailureKind::Unknown, "no answer"));
        assert!(doubtful.contains("may have executed:  y same request again"));
    }
}
