//! Stores the answers of polls, and what follows from them.

use crate::{
    app::{
        account::{
            poll::{Answer, Poll, Source},
            store::Store,
        },
        activity::alerts::Alert,
        core::{account::Account, alerts, effect::Effect, user_alerts},
        desk::{frozen::Frozen, model::Model, older_pages},
        rules::guard::{self, ReadOn},
        update::market_data,
    },
    model::{PastPage, ScaledId, Timestamp, TwapId},
};

/// Stores a poll. A page that was requested by scrolling is shown by a frozen display, too.
pub(crate) fn polled(model: &mut Model, poll: Box<Poll>) -> Vec<Effect> {
    let is_scrolled_to = matches!(
        poll.answer,
        Answer::MoreClosed(..) | Answer::MoreHistory(..)
    );
    if let Some(shown) = model.frozen.as_mut().and_then(Frozen::shown)
        && is_scrolled_to
    {
        shown.arrive(Poll::clone(&poll));
    }
    let mut effects = arrive(&mut model.account, *poll);
    effects.extend(market_data::ask_on_beat(model));
    effects
}

/// Stores a list that the account's stream reported at `at`.
pub(crate) fn streamed(account: &mut Account, at: Timestamp, answer: Answer) -> Vec<Effect> {
    take(account, Poll { at, answer }, |store, poll| {
        store.arrive_streamed(poll.answer)
    })
}

fn arrive(account: &mut Account, poll: Poll) -> Vec<Effect> {
    take(account, poll, Store::arrive)
}

/// What follows from an answer that `store` puts into the store.
fn take(
    account: &mut Account,
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
    let was_informed = guard::is_informed(account);
    let ended: Vec<_> = account
        .store
        .ended_twaps
        .iter()
        .map(|e| e.twap.id.clone())
        .collect();
    if let Answer::Account(Ok(facts)) = &poll.answer
        && let Some(answered_at) = facts.answered_at
    {
        account
            .store
            .clocks
            .figures(answered_at, poll.at, account.now);
    }
    let news = alerts::arriving(account, &poll);
    let lost = alerts::lost(account, &poll);
    let scaled = store(&mut account.store, poll);
    account.session.seen(&account.store);
    let effects = arrived(account, source, &ended, news);
    let pages = pages.or((!was_informed).then_some(ReadOn::Past));
    let reads_on = pages.and_then(|pages| guard::read_on(account, pages));
    let watch = (!scaled.is_empty()).then_some(Effect::Watch(scaled));
    let trace = traces.then(|| older_pages::trace(account)).flatten();
    let reads = trace.into_iter().chain(lost).chain(reads_on);
    watch.into_iter().chain(reads).chain(effects).collect()
}

/// What new data of `source` mean for limits and alerts, beside `news` of it; `ended` TWAPs were known before.
pub(crate) fn arrived(
    account: &mut Account,
    source: Source,
    ended: &[TwapId],
    mut news: Vec<Alert>,
) -> Vec<Effect> {
    news.extend(alerts::arrived(account, source, ended));
    if matches!(
        source,
        Source::Account | Source::Closed | Source::Positions | Source::Markets
    ) {
        news.extend(guard::measure(account));
    }
    let mut effects = alerts::raise(account, news);
    effects.extend(user_alerts::arrived(account, source));
    effects
}

/// The journal's record of earlier sessions, or why it could not be read.
pub(crate) fn recalled(account: &mut Account, page: Result<PastPage, String>) -> Vec<Effect> {
    match page {
        Ok(page) => {
            account.store.trades.recall_commands(&page);
            account.activity.recall(page);
        }
        Err(why) => account.activity.cannot_recall(&why, account.now),
    }
    vec![]
}

/// What another process that shares the journal has done.
pub(crate) fn done_elsewhere(account: &mut Account, rows: &PastPage) -> Vec<Effect> {
    account.store.trades.settled_elsewhere(rows);
    vec![]
}
