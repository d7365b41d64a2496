//! The newest notice, while it lasts, on lines of its own above the keys.

use super::strip::phrases::account;
use crate::{
    app::{
        Action, Context, Model,
        activity::notice::{self, Event, Notice},
        corrects,
        dialogs::overlay::Overlay,
    },
    view::{
        tables::activity,
        text::{Span, Tone, words},
    },
};

/// Some lines above the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeView {
    /// That of the head.
    pub tone: Tone,
    pub head: String,
    pub words: Vec<Span>,
    /// Whether it reports what happened: a click dismisses it.
    pub is_news: bool,
}

/// The newest notice while it lasts; what is under way shows as a pending command. Below a form, which says itself what
/// became of it, stands only what must be known although it is open: bad news, and why a key did nothing.
pub fn toast(model: &Model) -> Option<NoticeView> {
    let notice = model.account.activity.toast(model.account.now)?;
    let tone = notice.event.tone();
    let is_bad = matches!(tone, notice::Tone::Warn | notice::Tone::Alert);
    if (shows_itself(model) && !is_bad) || is_tracked(model, notice) {
        return None;
    }
    // While a strip or a form asks, the key answers that.
    let is_dialog = matches!(model.overlays.last(), Some(Overlay::Strip(_))) || shows_itself(model);
    let stays = model.account.activity.toast_ends_at().is_none() && !is_dialog;
    let dismiss = model.keymap.chord(Context::Desk, Action::Dismiss);
    let elsewhere = toast_words(notice, &account(model));
    let mut words = vec![
        Span::plain(elsewhere + &correct(model, notice)),
        Span::muted(references(&notice.event)),
    ];
    if let Some(key) = dismiss.filter(|_| stays) {
        words.push(Span::plain("  "));
        words.push(Span::accent(key.to_string()).pressing(Action::Dismiss));
        words.push(Span::muted(" dismiss").pressing(Action::Dismiss));
    }
    Some(NoticeView {
        tone: tone.into(),
        head: activity::kind(&notice.event).to_owned(),
        words,
        is_news: true,
    })
}

/// What was sent by a form has its own line while it is on its way.
fn is_tracked(model: &Model, notice: &Notice) -> bool {
    let is_sent = matches!(notice.event, Event::Sent(_));
    notice.ticket.filter(|_| is_sent).is_some_and(|ticket| {
        let is_under_way = model.account.store.pending.contains_key(&ticket);
        is_under_way && model.sent_forms.contains_key(&ticket)
    })
}

/// What helps to look it up.
fn references(event: &Event) -> String {
    match event {
        Event::Settled(_, Err(why)) => activity::references(why),
        Event::Elsewhere(elsewhere) => references(&elsewhere.notice.event),
        Event::Settled(_, Ok(_))
        | Event::Sent(_)
        | Event::Progress(..)
        | Event::Message(..)
        | Event::Alert(_)
        | Event::Past(_) => String::new(),
    }
}

/// The key that opens the form again of which this says that it was refused.
fn correct(model: &Model, notice: &Notice) -> String {
    let key = model.keymap.chord(Context::Desk, Action::Correct);
    let key = key.filter(|_| corrects(model, notice));
    key.map_or_else(String::new, |key| format!("; {key} opens the form again"))
}

fn shows_itself(model: &Model) -> bool {
    let does = |overlay: &Overlay| matches!(overlay, Overlay::Form(_) | Overlay::Bulk(_));
    model.overlays.iter().any(does)
}

/// `account` is where it was asked, where no word of it says that.
fn toast_words(notice: &Notice, account: &str) -> String {
    let on_account = |words: String| {
        let is_named = words.contains(account.trim_start());
        if is_named { words } else { words + account }
    };
    let command_words = |command| on_account(words::command(command, &notice.about));
    match &notice.event {
        Event::Settled(command, Err(why)) if why.is_doubtful() => {
            format!("{}: may or may not have executed", command_words(command))
        }
        Event::Settled(command, Err(why)) => format!("{}: {}", command_words(command), why.message),
        Event::Elsewhere(elsewhere) => {
            let words = toast_words(&elsewhere.notice, "");
            format!("{}: {words}", elsewhere.account)
        }
        Event::Settled(_, Ok(_)) | Event::Sent(_) | Event::Progress(..) => {
            on_account(activity::plain_words(notice))
        }
        Event::Message(..) | Event::Alert(_) | Event::Past(_) => activity::plain_words(notice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{Effect, Msg, testing::*, update},
        model::{Command, Order, Receipt, Ticket},
        view::plain_text,
    };

    #[test]
    fn a_toast_about_a_command_names_market_side_and_account() {
        let mut model = desk();
        press(&mut model, "b 0 . 0 1 enter");
        let filled = order(
            "ord-9",
            "BTC",
            r#""type":"market","mode":"market","side":"buy","size":0.01,"status":"filled",
            "filled_size":0.01,"fill_price":64001"#,
        );
        let receipt = Receipt::Order {
            order: Box::new(filled),
            queued: false,
        };
        let now = model.account.now;
        update(&mut model, now, Msg::Settled(Ticket(1), Ok(receipt)));
        let shown = plain_text(&toast(&model).unwrap().words);
        for word in ["BTC", "BUY", "chal-1"] {
            assert!(shown.contains(word), "{shown}");
        }
    }

    #[test]
    fn that_an_order_is_not_as_asked_is_not_covered_by_its_fill() {
        let mut model = desk();
        let sent = press(&mut model, "b 0 . 1 enter");
        let [.., Effect::Send(ticket, Command::Place(asked))] = sent.as_slice() else {
            panic!("{sent:?}");
        };
        let filled = order(
            "ord-9",
            "BTC",
            r#""type":"market","mode":"market","side":"sell","size":0.1,"status":"filled","filled_size":0.1,
            "fill_price":64001"#,
        );
        let filled = Order {
            leverage: asked.leverage,
            ..filled
        };
        let receipt = Receipt::Order {
            order: Box::new(filled),
            queued: false,
        };
        let now = model.account.now;
        update(&mut model, now, Msg::Settled(*ticket, Ok(receipt)));
        let shown = plain_text(&toast(&model).unwrap().words);
        assert!(shown.starts_with("side sell instead of buy: "), "{shown}");
        assert_eq!(
            model.account.activity.toast_ends_at(),
            None,
            "it waits to be dismissed"
        );
    }
}
