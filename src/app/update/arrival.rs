//! Stores the answers of polls, and what follows from them.

use crate::{
    app::{
        account::poll::{Answer, Poll, Source},
        desk::{alerts, freeze, model::Model, older_pages, user_alerts},
        dialogs::effect::Effect,
        rules::guard::{self, ReadOn},
        update::market_data,
    },
    model::PastPage,
};

/// Stores a poll, unless the display is paused.
pub(crate) fn polled(model: &mut Model, poll: Box<Poll>) -> Vec<Effect> {
    let Some(poll) = freeze::hold(model, poll) else {
        return vec![];
    };
    let mut effects = arrive(model, *poll);
    effects.extend(market_data::ask_on_beat(model));
    effects
}

/// Pauses the display, or continues it.
pub(crate) fn hold_or_thaw(model: &mut Model) -> Vec<Effect> {
    if model.frozen.is_some() {
        return thaw(model);
    }
    freeze::start(model);
    vec![]
}

/// Continues the display with the polls that arrived meanwhile.
pub(crate) fn thaw(model: &mut Model) -> Vec<Effect> {
    let held = freeze::end(model).into_iter();
    held.flat_map(|poll| arrive(model, poll)).collect()
}

fn arrive(model: &mut Model, poll: Poll) -> Vec<Effect> {
    // A failed page is not retried at once: the next newest page does it.
    let traces = matches!(
        poll.answer,
        Answer::Scaled(..) | Answer::History(_) | Answer::MoreHistory(_, Ok(_))
    );
    let source = poll.answer.source();
    let pages = ReadOn::after(&poll.answer);
    let was_informed = guard::is_informed(model);
    let ended: Vec<_> = model
        .account
        .store
        .ended_twaps
        .iter()
        .map(|e| e.twap.id.clone())
        .collect();
    if let Answer::Account(Ok(facts)) = &poll.answer
        && let Some(told) = facts.told_at
    {
        model
            .account
            .store
            .clocks
            .figures(told, poll.at, model.account.now);
    }
    let mut news = alerts::arriving(model, &poll);
    let lost = alerts::lost(model, &poll);
    let ladders = model.account.store.arrive(poll);
    model.account.session.seen(&model.account.store);
    news.extend(alerts::arrived(model, source, &ended));
    if matches!(
        source,
        Source::Account | Source::Closed | Source::Positions | Source::Markets
    ) {
        news.extend(guard::measure(model));
    }
    let pages = pages.or((!was_informed).then_some(ReadOn::Past));
    let reads_on = pages.and_then(|pages| guard::read_on(model, pages));
    let watch = (!ladders.is_empty()).then_some(Effect::Watch(ladders));
    let trace = traces.then(|| older_pages::trace(model)).flatten();
    let mut told = alerts::raise(model, news);
    told.extend(user_alerts::arrived(model, source));
    let reads = trace.into_iter().chain(lost).chain(reads_on);
    watch.into_iter().chain(reads).chain(told).collect()
}

/// The journal's record of earlier sessions, or why it could not be read.
pub(crate) fn recalled(model: &mut Model, page: Result<PastPage, String>) -> Vec<Effect> {
    let now = model.account.now;
    match page {
        Ok(page) => {
            model.account.store.trades.recall_commands(&page);
            model.account.activity.recall(page);
        }
        Err(why) => model.account.activity.cannot_recall(&why, now),
    }
    vec![]
}
