//! Stores the answers of polls, and what follows from them.

use crate::{
    app::{
        account::{
            poll::{Answer, Poll, Source},
            store::Store,
            streamed::StreamState,
        },
        activity::alerts::Alert,
        desk::{alerts, freeze, model::Model, older_pages, user_alerts},
        dialogs::effect::Effect,
        rules::guard::{self, ReadOn},
        update::market_data,
    },
    model::{PastPage, ScaledId, Timestamp, TwapId},
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
    let mut effects: Vec<_> = held.flat_map(|poll| arrive(model, poll)).collect();
    // What the stream told meanwhile was left out.
    if model.account.store.streams.account != StreamState::None {
        effects.push(Effect::Poll(vec![Source::Orders, Source::Positions]));
    }
    effects
}

/// Stores a list that the account's stream told at `at`.
pub(crate) fn streamed(model: &mut Model, at: Timestamp, answer: Answer) -> Vec<Effect> {
    take(model, Poll { at, answer }, |store, poll| {
        store.arrive_streamed(poll.answer)
    })
}

fn arrive(model: &mut Model, poll: Poll) -> Vec<Effect> {
    take(model, poll, Store::arrive)
}

/// What follows from an answer that `store` puts into the store.
fn take(
    model: &mut Model,
    poll: Poll,
    store: impl FnOnce(&mut Store, Poll) -> Vec<ScaledId>,
) -> Vec<Effect> {
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
    let news = alerts::arriving(model, &poll);
    let lost = alerts::lost(model, &poll);
    let ladders = store(&mut model.account.store, poll);
    model.account.session.seen(&model.account.store);
    let told = arrived(model, source, &ended, news);
    let pages = pages.or((!was_informed).then_some(ReadOn::Past));
    let reads_on = pages.and_then(|pages| guard::read_on(model, pages));
    let watch = (!ladders.is_empty()).then_some(Effect::Watch(ladders));
    let trace = traces.then(|| older_pages::trace(model)).flatten();
    let reads = trace.into_iter().chain(lost).chain(reads_on);
    watch.into_iter().chain(reads).chain(told).collect()
}

/// What new data of `source` mean for limits and alerts, beside `news` of it; `ended` TWAPs were known before.
pub(crate) fn arrived(
    model: &mut Model,
    source: Source,
    ended: &[TwapId],
    mut news: Vec<Alert>,
) -> Vec<Effect> {
    news.extend(alerts::arrived(model, source, ended));
    if matches!(
        source,
        Source::Account | Source::Closed | Source::Positions | Source::Markets
    ) {
        news.extend(guard::measure(model));
    }
    let mut told = alerts::raise(model, news);
    told.extend(user_alerts::arrived(model, source));
    told
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
