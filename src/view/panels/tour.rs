//! The current step of the tour in words, with the bound keys.

use crate::{
    app::{Action, Context, Model, Pane, awaited, desk::tour_step::Step},
    view::{
        panels::{strip::phrases::button, toast::NoticeView},
        text::{Span, Tone},
    },
};

/// `None` while a panel or the second key of a sequence has the keys.
pub fn tour(model: &Model) -> Option<NoticeView> {
    let is_free = model.overlays.is_empty() && awaited(model).is_none();
    let tour = model.tour.as_ref().filter(|_| is_free)?;
    let (number, of) = tour.step.number();
    let here = model.context();
    let mut words = vec![Span::plain(words(model, tour.step)), Span::plain("  ")];
    if number < of {
        words.extend(button(model, here, Action::NextStep, "next"));
        words.push(Span::plain(" · "));
    }
    words.extend(button(model, here, Action::Dismiss, "ends the tour"));
    Some(NoticeView {
        tone: Tone::Accent,
        head: format!("Tour {number}/{of}"),
        words,
        is_news: false,
    })
}

/// The mark in the border of the step's pane.
pub(crate) fn mark(model: &Model, pane: Pane) -> Option<Span> {
    let tour = model.tour.as_ref().filter(|_| model.overlays.is_empty())?;
    (tour.step.pane() == pane).then(|| Span::accent("◀ tour"))
}

fn words(model: &Model, step: Step) -> String {
    let key = |place, action| {
        let chord = model.keymap.chord(place, action);
        chord.map_or_else(|| "(no key)".to_owned(), |chord| chord.to_string())
    };
    let desk = |action| key(Context::Desk, action);
    match step {
        Step::Move => format!(
            "{} and {} move through your positions: how far each is from its liquidation (to liq), and its stop.",
            desk(Action::Down),
            desk(Action::Up)
        ),
        Step::Detail => format!(
            "{} shows every field of the selected row, and its related rows; {} goes back.",
            desk(Action::Detail),
            key(Context::Detail, Action::Dismiss)
        ),
        Step::Orders => format!(
            "{} goes to the working orders, each below the TWAP or scaled order that placed it; {} cancels one there.",
            desk(Action::Orders),
            key(Context::Orders, Action::Cancel)
        ),
        Step::Buy => format!(
            "{} opens a new order with a preview of its fill, margin and risk; {} sends it, {} drops it.",
            desk(Action::Buy),
            key(Context::Form, Action::Submit),
            key(Context::Form, Action::Dismiss)
        ),
        Step::Twaps => format!(
            "{} goes to the TWAPs: filled share against due share, and the drift between them.",
            desk(Action::Twaps)
        ),
        Step::History => format!(
            "{} {} {} {} select the tabs below: closed positions, order history, activity, API calls.",
            desk(Action::Closed),
            desk(Action::History),
            desk(Action::Activity),
            desk(Action::Calls)
        ),
        Step::CloseAll => format!(
            "{} closes every position after a countdown; {} starts it at once, {} stops it.",
            desk(Action::CloseAll),
            key(Context::Strip, Action::Confirm),
            key(Context::Strip, Action::Dismiss)
        ),
        Step::Help => format!(
            "{} lists every key, {} takes commands, and {}tour shows this tour again.",
            desk(Action::Help),
            desk(Action::Command),
            desk(Action::Command)
        ),
    }
}
