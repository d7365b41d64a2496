//! Asks for what is shown of the markets, and takes the answers in.

use crate::{
    app::{
        account::{labels::Visibility, poll::Source},
        core::effect::{Effect, ReadOnce},
        desk::{
            market_shown::{self, series_of},
            model::Model,
        },
        market::{
            answer::MarketAnswer,
            data::RequestTime,
            poll::PollTime,
            two_charts::ShownChart,
            wanted_data::{QuoteWant, ShownMarkets, WantedMarketData},
            width_tier::WidthTier,
        },
    },
    model::{MarketId, Timestamp},
};
use std::{collections::BTreeSet, time::Duration};

/// How often candles are renewed where no interval of the prices is set.
const PRICE_INTERVAL: Duration = Duration::from_secs(1);
/// A request about the markets leaves this much early to leave with those about the account.
const BEAT_LEAD: Duration = Duration::from_millis(100);

/// All that is shown of the markets now: what an account in the background would show is not requested, and nothing while
/// the terminal is too small for the desk.
pub(crate) fn wanted_data(model: &Model) -> WantedMarketData {
    let mut wanted_data = WantedMarketData::default();
    let is_drawn = model.market_screen.tier != WidthTier::TooSmall;
    if model.account.visibility == Visibility::Background || !is_drawn {
        return wanted_data;
    }
    wanted_data.is_held = model.frozen.is_some();
    market_shown::want_shown(model, &mut wanted_data);
    let form = model.overlays.last().and_then(|top| top.try_as_form_ref());
    if let Some((form, market)) = form.and_then(|form| Some((form, form.market_id()?))) {
        wanted_data.want_form_book(market.clone());
        let taken = form.taken(&model.account.form_context());
        let taken = taken.filter(|_| model.account.market_polls.has_no_book(market));
        wanted_data.quote = taken.map(|(side, size)| QuoteWant {
            market_id: market.clone(),
            side,
            size,
        });
    }
    wanted_data
}

/// The markets on the screen.
pub(crate) fn markets_shown(model: &Model) -> ShownMarkets {
    let wanted_data = wanted_data(model);
    ShownMarkets {
        books: wanted_data.books.into_keys().collect(),
        trades: wanted_data.trades.map(|trades| trades.market_id),
        candles: wanted_data
            .candles
            .into_iter()
            .map(|chart| (chart.market_id, chart.interval))
            .collect(),
    }
}

/// Asks for what is shown and due, and for what is due soon: with a beat of the account, so that the answers to all are
/// one frame.
pub(crate) fn ask_on_beat(model: &mut Model) -> Vec<Effect> {
    ask_ahead(model, BEAT_LEAD)
}

/// Asks for what is shown and due.
fn ask(model: &mut Model) -> Vec<Effect> {
    ask_ahead(model, Duration::ZERO)
}

fn ask_ahead(model: &mut Model, lead: Duration) -> Vec<Effect> {
    let wanted_data = wanted_data(model);
    let time = PollTime {
        lead,
        ..time(model)
    };
    let charts = wanted_data.candles.iter();
    let charts = charts.map(|chart| (chart.market_id.clone(), Some(chart.interval)));
    let trades = wanted_data
        .trades
        .iter()
        .filter(|_| wanted_data.candles.is_empty());
    let trades = trades.map(|trades| (trades.market_id.clone(), None));
    let shown: BTreeSet<_> = charts.chain(trades).collect();
    if !shown.is_empty() {
        model.account.market_data.show(shown, time.now);
    }
    build(model, &wanted_data);
    let requests =
        model
            .account
            .market_polls
            .ask(&wanted_data, &mut model.account.market_data, time);
    let effects = requests.into_iter();
    effects
        .map(|(market, request)| Effect::Read(ReadOnce::Market(market, request)))
        .collect()
}

/// When something is due next; `None` while nothing is shown that is polled.
pub(crate) fn due(model: &Model) -> Option<Timestamp> {
    let polls = &model.account.market_polls;
    polls.next_due(&wanted_data(model), &model.account.market_data, time(model))
}

/// Takes an answer in, to a request that was sent at `at`.
pub(crate) fn arrive(
    model: &mut Model,
    market: MarketId,
    at: Timestamp,
    answer: MarketAnswer,
) -> Vec<Effect> {
    model.account.market_polls.answered(&market, &answer);
    if model.frozen.is_some() && !is_scrolled_to(&answer) {
        return vec![];
    }
    take(model, market, at, answer);
    ask(model)
}

/// Takes in what a stream reported at `at`; while the display is held, nothing.
pub(crate) fn arrive_streamed(
    model: &mut Model,
    at: Timestamp,
    answers: Vec<(MarketId, MarketAnswer)>,
) -> Vec<Effect> {
    if model.frozen.is_some() {
        return vec![];
    }
    for (market, answer) in answers {
        model.account.market_polls.streamed(&market, &answer, at);
        take(model, market, at, answer);
    }
    ask(model)
}

fn take(model: &mut Model, market: MarketId, at: Timestamp, answer: MarketAnswer) {
    match answer {
        MarketAnswer::Book(Ok(None)) => {}
        MarketAnswer::Book(result) => {
            let result = result.map(Option::unwrap_or_default);
            model.account.store.books.arrive(market, result, at);
        }
        MarketAnswer::Quote(result) => model.account.store.ticket_quote.arrive(market, result, at),
        MarketAnswer::Candles(..) | MarketAnswer::Trades(_) => {
            let at = RequestTime {
                desk: at,
                service: model.account.service_at(at),
            };
            model.account.market_data.arrive(&market, at, answer);
            return_from_future(model);
        }
    }
}

/// A market that began anew has no candle where the chart was: it follows the newest.
fn return_from_future(model: &mut Model) {
    let data = &model.account.market_data;
    let newest = |shown: ShownChart<'_>| Some(series_of(data, shown)?.newest()?.open_time);
    model.market_screen.leave_future(newest);
}

/// While the display is held, only what a person scrolls to comes.
fn is_scrolled_to(answer: &MarketAnswer) -> bool {
    matches!(answer, MarketAnswer::Candles(_, Some(_), _))
}

/// Where the service reports no candles of a market on the screen, the marks seen make them.
fn build(model: &mut Model, wanted_data: &WantedMarketData) {
    let charts = wanted_data
        .candles
        .iter()
        .filter(|_| model.frozen.is_none());
    for chart in charts {
        if model.account.market_data.builds_candles(&chart.market_id)
            && let Some(seen) = model.account.store.prices.get(&chart.market_id)
        {
            let data = &mut model.account.market_data;
            data.build(&chart.market_id, chart.interval, seen);
        }
    }
}

fn time(model: &Model) -> PollTime {
    let interval = model.account.options.intervals.get(&Source::Markets);
    PollTime {
        now: model.account.now,
        service_now: model.account.service_now(),
        price_interval: interval.copied().unwrap_or(PRICE_INTERVAL),
        lead: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests;
