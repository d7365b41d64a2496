//! Takes the news of the streams in.

use crate::{
    app::{
        account::{
            poll::{Answer, Source},
            streamed::{StreamState, StreamedRows, VenueMarkets, figures},
        },
        core::{account::Account, effect::Effect},
        desk::model::Model,
        market::streamed::StreamNews,
        update::{arrival, market_data},
    },
    model::{AccountFacts, MarketId, StreamKind, Timestamp},
};

/// Takes in what came at `at`.
pub(crate) fn streamed(model: &mut Model, at: Timestamp, news: StreamNews) -> Vec<Effect> {
    match news {
        StreamNews::Up(kind) => *model.account.store.stream_mut(kind) = StreamState::Up(at),
        StreamNews::Alive(kind) => model.account.store.stream_mut(kind).alive(at),
        StreamNews::Down(kind) => {
            *model.account.store.stream_mut(kind) = StreamState::Down;
            if kind == StreamKind::Market {
                model.account.market_polls.stream_lost();
                return market_data::ask_on_beat(model);
            }
        }
        StreamNews::ByVenue(markets) => return serve_by_venue(model, at, markets),
        StreamNews::Account(rows) => {
            model.account.store.streams.account.alive(at);
            return account(&mut model.account, at, rows);
        }
        StreamNews::Markets { answers, prices } => {
            model.account.store.streams.market.alive(at);
            let mut effects = vec![];
            if !prices.is_empty() {
                model.account.store.arrive_prices(prices, at);
                effects.extend(arrival::arrived(
                    &mut model.account,
                    Source::Markets,
                    &[],
                    vec![],
                ));
            }
            effects.extend(market_data::arrive_streamed(model, at, answers));
            return effects;
        }
    }
    vec![]
}

/// What another source has said of a market is requested again: its trades are numbered differently.
fn serve_by_venue(model: &mut Model, at: Timestamp, markets: VenueMarkets) -> Vec<Effect> {
    let known = std::mem::replace(&mut model.account.store.streams.by_venue, markets);
    let now = &model.account.store.streams.by_venue;
    let is_other = |market: &MarketId| known.includes(market) != now.includes(market);
    model.account.market_polls.source_changed(is_other);
    model.account.market_data.source_changed(is_other, at);
    market_data::ask_on_beat(model)
}

fn account(account: &mut Account, at: Timestamp, rows: StreamedRows) -> Vec<Effect> {
    let known = account.store.account.value();
    let facts: Option<AccountFacts> = rows
        .account
        .zip(known)
        .map(|(row, known)| figures(*row, known));
    let positions = rows.positions.map(|page| Answer::Positions(Ok(page)));
    let orders = rows.orders.map(|page| Answer::Orders(Ok(page)));
    let facts = facts.map(|facts| Answer::Account(Ok(facts)));
    let answers = positions.into_iter().chain(orders).chain(facts);
    answers
        .flat_map(|answer| arrival::streamed(account, at, answer))
        .collect()
}
