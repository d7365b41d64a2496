//! Trailing stops: the key that begins and ends one, and the moves that it wants.
//!
//! Contract: each move goes through the same checks, workflow and journal as one by hand. What an earlier session trailed is
//! said once, and not taken up: nobody watched it in between.

use super::{control, moves};
use crate::{
    app::{
        account::poll::Source,
        activity::{notice::Tone, user_alerts::Freshness},
        core::{account::Account, effect::Effect, user_alerts::keep_trades},
        desk::model::Model,
        workflows::{
            Trail, TrailBy, TrailRequest, TrailSeen,
            goals::{ExitGoals, Moved},
        },
    },
    model::{
        Command, Num, Page, Position, PositionId, Protection, READ_ONLY, Side, Tick,
        draft::{Distance, DistanceBasis},
    },
};

#[cfg(test)]
mod tests;

/// Ends the trailing stop of a position, or begins one.
pub(crate) fn turn(model: &mut Model, position: &Position) -> Result<Vec<Effect>, String> {
    let account = &mut model.account;
    if account.workflows.end_trail(&position.id) {
        let symbol = account.store.names.shown(&position.market_id);
        account.say(
            Tone::Plain,
            format!("{symbol}: the stop trails no longer and stays where it is"),
        );
        return Ok(vec![note(account, &position.id, None)]);
    }
    let bracket = account
        .options
        .brackets
        .in_market(&position.market_id, &account.store.names);
    let trail = bracket.trail;
    begin(model, position, trail)
}

/// Begins one at this distance; without it as far as the stop is now.
pub(crate) fn begin(
    model: &mut Model,
    position: &Position,
    distance: Option<Distance>,
) -> Result<Vec<Effect>, String> {
    let account = &mut model.account;
    if account.options.read_only {
        return Err(READ_ONLY.to_owned());
    }
    let side = position.side().ok_or("its side is not known")?;
    let mark = mark(account, position).ok_or("the mark is not current: nothing trails it")?;
    let stop = control::guards(account, position, Protection::Stop);
    let stop = stop.first().map(|(_, price)| *price);
    let stop = stop.ok_or("no stop of this position is known: e sets one")?;
    let tick = control::tick(account, &position.market_id, mark);
    let (by, words) = match distance {
        Some(distance) => (
            by(account, position, (distance, mark, tick))?,
            distance.to_string(),
        ),
        None => as_far((side, mark, stop), tick).ok_or("the mark is beyond its stop")?,
    };
    let trail = Trail::new((position.id.clone(), side), (by, words), (mark, stop));
    let symbol = account.store.names.shown(&position.market_id);
    account.say(
        Tone::Good,
        format!("{symbol}: {}, while this desk runs", trail.words()),
    );
    let mut effects = vec![note(account, &position.id, Some(trail.distance()))];
    account.workflows.end_trail(&position.id);
    account.workflows.trails.push(trail);
    effects.extend(proceed(model));
    Ok(effects)
}

fn by(
    account: &Account,
    position: &Position,
    (distance, price, tick): (Distance, Num, Tick),
) -> Result<TrailBy, String> {
    if let Distance::Percent(share) = distance {
        return Ok(TrailBy::Percent(share));
    }
    let basis = DistanceBasis {
        price,
        tick,
        size: Some(position.quantity()),
        range: account.form_context().range(&position.market_id),
    };
    let far = distance.usd(basis).map_err(|why| why.to_string())?;
    Ok(TrailBy::Usd(far))
}

/// The present distance, in whole ticks.
fn as_far((side, mark, stop): (Side, Num, Num), tick: Tick) -> Option<(TrailBy, String)> {
    let far = match side {
        Side::Buy => mark.minus(stop),
        Side::Sell => stop.minus(mark),
    };
    let far = tick.below(far.filter(|far| *far >= tick.step())?);
    let ticks = far.over(tick.step())?.normalized();
    Some((TrailBy::Usd(far), format!("{ticks}t")))
}

/// Does what the trailing stops want now.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    let mut effects = vec![];
    for mut trail in std::mem::take(&mut model.account.workflows.trails) {
        let seen = seen(model, &trail.position);
        match trail.next(seen, model.account.now) {
            TrailRequest::Wait => {}
            // One that is refused is counted once lists show that it was not made.
            TrailRequest::Move(order, price) => {
                effects.extend(moves::to(model, &order, price).unwrap_or_default());
            }
            TrailRequest::End(why) => {
                effects.push(end(&mut model.account, &trail, &why));
                continue;
            }
        }
        model.account.workflows.trails.push(trail);
    }
    effects.extend(tell_of_earlier(&mut model.account));
    effects
}

fn end(account: &mut Account, trail: &Trail, why: &str) -> Effect {
    let words = format!("{}: {} has ended: {why}", trail.position, trail.words());
    let is_held = account.store.position(&trail.position).is_some();
    let tone = if is_held { Tone::Alert } else { Tone::Plain };
    account.say(tone, words);
    note(account, &trail.position, None)
}

/// Says which positions a session trailed that has ended.
fn tell_of_earlier(account: &mut Account) -> Vec<Effect> {
    let trailing = account.store.trades.trailing().iter();
    let earlier = trailing.filter_map(|(id, distance)| {
        let position = account.store.position(id)?;
        let is_on = account.workflows.trail(id).is_some();
        (!is_on).then(|| (id.clone(), position.market_id.clone(), distance.clone()))
    });
    let mut effects = vec![];
    for (id, market, distance) in earlier.collect::<Vec<_>>() {
        let symbol = account.store.names.shown(&market);
        let words = format!(
            "{symbol}: the stop trailed by {distance} until that session ended, and stays where it is"
        );
        account.say(Tone::Warn, words);
        effects.push(note(account, &id, None));
    }
    effects
}

/// Kept at once: a session that is killed says nothing any more, and the next one says that the stop trailed.
fn note(account: &mut Account, id: &PositionId, distance: Option<&str>) -> Effect {
    account.store.trades.trails(id, distance);
    keep_trades(account)
}

fn seen(model: &Model, id: &PositionId) -> TrailSeen {
    let account = &model.account;
    let is_current = |source| account.freshness(source) == Freshness::Fresh;
    let is_whole = account.store.positions.value().is_some_and(Page::is_whole)
        && account.store.orders.value().is_some_and(Page::is_whole);
    let ends_everything = account.store.in_progress().any(Command::ends_everything);
    let moves = Moved::Exits(ExitGoals::moving(id.clone(), vec![]));
    let is_known = is_whole
        && [Source::Positions, Source::Orders]
            .into_iter()
            .all(is_current)
        && !ends_everything
        && !account.workflows.move_beside(&moves)
        && account.workflows.unlisted_exits(&account.store).is_none();
    if !is_known {
        return TrailSeen::Unknown;
    }
    let Some(position) = account.store.position(id) else {
        return TrailSeen::Gone;
    };
    // A batch of targets names every exit as it is.
    let places = account.workflows.is_placing_targets(&position.market_id);
    let Some(side) = position.side().filter(|_| !places) else {
        return TrailSeen::Unknown;
    };
    let stops = control::guards(account, position, Protection::Stop);
    let stop = stops.into_iter().next();
    let stop = stop.map(|(order, price)| (order.id, price));
    let near = stop.as_ref().map_or(Num::ONE, |(_, price)| *price);
    TrailSeen::Held {
        side,
        stop,
        mark: mark(account, position),
        tick: control::tick(account, &position.market_id, near),
    }
}

/// The mark of now, of a market whose prices are in order.
fn mark(account: &Account, position: &Position) -> Option<Num> {
    let market = account.store.market(&position.market_id)?;
    let is_crossed = market
        .bid
        .zip(market.ask)
        .is_some_and(|(bid, ask)| bid >= ask);
    let is_current = account.freshness(Source::Markets) == Freshness::Fresh;
    market.mark.filter(|_| is_current && !is_crossed)
}
