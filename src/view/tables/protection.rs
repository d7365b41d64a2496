//! The stops and targets of a position.

use crate::{
    model::{Market, Num, Order, OrderId, Page, Position, Protection, estimate},
    view::text::{Cell, Scene, Span, Tone, format, words},
};

/// The nearest stop, the share of the position that all stops cover, and how many are at other prices; or `NO STOP`.
/// `STOP ?` if an unreadable order could be one, `past liq` if it is beyond the liquidation price. Unknown until
/// working orders have arrived.
pub(crate) fn stop(position: &Position, scene: &Scene<'_>) -> Span {
    stop_words(position, scene, WordLength::Full)
}

pub(crate) fn stop_cell(position: &Position, scene: &Scene<'_>) -> Cell {
    let brief = stop_words(position, scene, WordLength::Brief);
    Cell::from(stop(position, scene)).or_brief(brief)
}

fn stop_words(position: &Position, scene: &Scene<'_>, form: WordLength) -> Span {
    let Some(orders) = scene.store.orders.value() else {
        return Span::unknown();
    };
    let market = scene.store.market(&position.market_id);
    match guarded(Protection::Stop, position, scene) {
        Some(stops) => {
            let tone = match (stops.is_late, stops.is_whole()) {
                (true, _) => Tone::Alert,
                (false, true) => Tone::Plain,
                (false, false) => Tone::Warn,
            };
            let trail = scene.workflows.trail(&position.id);
            let trail = trail.map_or_else(String::new, |trail| match form {
                WordLength::Full => format!(" {}", trail.words()),
                WordLength::Brief => " trails".to_owned(),
            });
            Span::new(stops.words(market, form) + &trail, tone)
        }
        None if is_unread(orders, position) => Span::warn(UNKNOWN_STOP),
        None => Span::warn(NO_STOP),
    }
}

/// The length of the words.
#[derive(Debug, Clone, Copy)]
enum WordLength {
    /// `63,291 88% of size`
    Full,
    /// `63,291 88%`
    Brief,
}

/// For a position without a stop.
const NO_STOP: &str = "NO STOP";
/// If it is unknown whether there is one.
const UNKNOWN_STOP: &str = "STOP ?";

/// Whether it is certain that no order stops it in time, as in [`stop`].
pub(crate) fn is_bare(position: &Position, scene: &Scene<'_>) -> bool {
    let stop = stop(position, scene);
    stop.text == NO_STOP || stop.tone == Tone::Alert
}

/// An armed order of its market with unknown words: it may be a stop, so no second one should be suggested.
fn may_stop(order: &Order, position: &Position) -> bool {
    let unheard = order.side.known().is_none() || order.kind.known().is_none();
    unheard && order.is_armed() && order.market_id == position.market_id
}

/// `LONG BTC with NO STOP`: the position that loses its last stop if the `canceled` orders go; `order` is one of them.
pub(crate) fn left_bare(
    order: &OrderId,
    canceled: &[&OrderId],
    scene: &Scene<'_>,
) -> Option<String> {
    let positions = scene.store.positions.rows().iter();
    let mut bared = positions.filter(|position| {
        let mut stops = stops_of(position, scene).map(|stop| &stop.id);
        let guards = stops_of(position, scene).any(|stop| stop.id == *order);
        guards && stops.all(|stop| canceled.contains(&stop))
    });
    let position = bared.next()?;
    let side = words::position_side(position.side()).text;
    let symbol = scene.market(&position.market_id).text;
    let known = scene.store.orders.value()?;
    let is_unread = is_unread(known, position);
    let bare = if is_unread { UNKNOWN_STOP } else { NO_STOP };
    Some(format!("{side} {symbol} with {bare}"))
}

/// The orders that stop a position before its liquidation.
fn stops_of<'a>(position: &'a Position, scene: &Scene<'a>) -> impl Iterator<Item = &'a Order> {
    orders_of(position, scene).filter(|order| {
        let in_time = |at| !is_liquidated_before(position, at);
        order.protects(position) == Some(Protection::Stop)
            && order.trigger_price.is_some_and(in_time)
    })
}

/// `the target 68,347 stays, and no longer falls with this stop`: a replacement of one leg is not linked to the other.
pub(crate) fn unpaired(order: &OrderId, scene: &Scene<'_>) -> Option<String> {
    let leg = scene.store.order(order)?;
    let mut positions = scene.store.positions.rows().iter();
    let (position, other) = positions.find_map(|position| {
        let other = orders_of(position, scene).find(|other| leg.is_paired(other, position));
        Some((position, other?))
    })?;
    let (this, that) = leg.protects(position).zip(other.protects(position))?;
    let market = scene.store.market(&position.market_id);
    let price = format::price(other.trigger_price?, market);
    let (this, that) = (this.word(), that.word());
    Some(format!(
        "the {that} {price} stays, and no longer falls with this {this}"
    ))
}

/// Whether an unreadable order could stop it.
fn is_unread(orders: &Page<Order>, position: &Position) -> bool {
    !orders.is_whole() || orders.rows.iter().any(|order| may_stop(order, position))
}

/// The nearest target, and the share that all targets cover, if there is one.
pub(crate) fn target(position: &Position, scene: &Scene<'_>) -> Span {
    let market = scene.store.market(&position.market_id);
    let targets = guarded(Protection::Target, position, scene);
    let words = targets.map(|targets| targets.words(market, WordLength::Brief));
    match missing_targets(position, scene) {
        None => Span::muted(words.unwrap_or_default()),
        Some((missing, _)) => {
            let missing = format!("{missing} UNPLACED");
            Span::warn(words::listed([words, Some(missing)], " "))
        }
    }
}

/// How many targets of a bracket the position lacks, and the words for it.
pub(crate) fn missing_targets(position: &Position, scene: &Scene<'_>) -> Option<(usize, String)> {
    let orders = scene.store.orders.rows();
    let trades = &scene.store.trades;
    let left = trades.left_bracket(position, orders)?;
    let missing = trades.missing_targets(left, position, orders).len();
    Some((missing, left.words(missing)))
}

/// The known stops or targets of a position, if any.
pub(crate) fn known(side: Protection, position: &Position, scene: &Scene<'_>) -> Option<String> {
    let market = scene.store.market(&position.market_id);
    guarded(side, position, scene).map(|orders| orders.words(market, WordLength::Full))
}

/// The orders whose trigger would close some of `position`.
fn orders_of<'a>(position: &'a Position, scene: &Scene<'a>) -> impl Iterator<Item = &'a Order> {
    let orders = scene.store.orders.rows().iter();
    orders.filter(move |order| order.is_armed() && order.closes(position))
}

/// A position's stops, or its targets.
struct Guarded {
    nearest: Num,
    /// Orders at other prices.
    others: usize,
    /// The share of the position that all of them close before its liquidation; may exceed 1.
    share: Option<Num>,
    /// The liquidation comes before the nearest.
    is_late: bool,
}

impl Guarded {
    fn is_whole(&self) -> bool {
        self.share.is_none_or(|share| share >= Num::ONE)
    }

    /// `62,000`, `62,000 40% of size` when all of them cover a part only or more than all of it, `+1` when another is at another price: the
    /// detail lists each.
    fn words(&self, market: Option<&Market>, form: WordLength) -> String {
        let price = format::price(self.nearest, market);
        let part = self.share.filter(|_| !self.is_late);
        let part = part.filter(|part| !is_about_whole(*part));
        // Where room is short the share alone says that there are several.
        let (of, counts) = match form {
            WordLength::Full => (" of size", self.others > 0),
            WordLength::Brief => ("", self.others > 0 && part.is_none()),
        };
        let part = part.map(|part| format!(" {}{of}", format::whole_percent(part)));
        let late = self.is_late.then(|| " past liq".to_owned());
        let others = counts.then(|| format!(" +{}", self.others));
        words::listed([Some(price), part, late, others], "")
    }
}

/// What reads as 100 % and covers all of it needs no word.
fn is_about_whole(share: Num) -> bool {
    share >= Num::ONE && format::whole_percent(share) == format::whole_percent(Num::ONE)
}

/// As the service reports its liquidation price now.
pub(crate) fn is_liquidated_before(position: &Position, stop: Num) -> bool {
    let at = position.side().zip(position.liquidation_price);
    at.is_some_and(|(side, liquidation)| estimate::is_beyond(side, liquidation, stop))
}

/// Price and size of each stop or target, nearest first.
fn legs(wanted: Protection, position: &Position, scene: &Scene<'_>) -> Vec<(Num, Num)> {
    let mut legs: Vec<_> = orders_of(position, scene)
        .filter(|order| order.protects(position) == Some(wanted))
        .filter_map(|order| Some((order.trigger_price?, order.requested_size().abs())))
        .collect();
    wanted.nearest_first(&mut legs, position, |(price, _)| *price);
    legs
}

/// What the position comes to where its stops fire before it is liquidated, the nearest first; `None` where it has none.
pub(crate) fn pnl_at_stops(position: &Position, scene: &Scene<'_>) -> Option<Num> {
    let mut legs = legs(Protection::Stop, position, scene);
    legs.retain(|(price, _)| !is_liquidated_before(position, *price));
    if legs.is_empty() {
        return None;
    }
    estimate::pnl_at_stops(position, legs)
}

/// `58,000 40%` for each of them, where there are several.
pub(crate) fn each(side: Protection, position: &Position, scene: &Scene<'_>) -> Vec<String> {
    let market = scene.store.market(&position.market_id);
    let legs = legs(side, position, scene);
    if legs.len() < 2 {
        return vec![];
    }
    let words = legs.into_iter().map(|(price, size)| {
        let one = Guarded {
            nearest: price,
            others: 0,
            share: size.over(position.quantity()),
            is_late: side == Protection::Stop && is_liquidated_before(position, price),
        };
        one.words(market, WordLength::Brief)
    });
    words.collect()
}

fn guarded(wanted: Protection, position: &Position, scene: &Scene<'_>) -> Option<Guarded> {
    let legs = legs(wanted, position, scene);
    let is_late = |stop: Num| wanted == Protection::Stop && is_liquidated_before(position, stop);
    let in_time = legs.iter().filter(|(price, _)| !is_late(*price));
    let sizes = in_time.map(|(_, size)| *size);
    let covered = sizes.reduce(|all, size| all.plus(size).unwrap_or(all));
    let nearest = legs.first()?.0;
    Some(Guarded {
        nearest,
        is_late: is_late(nearest),
        others: legs.iter().filter(|(price, _)| *price != nearest).count(),
        share: covered.and_then(|covered| covered.over(position.quantity())),
    })
}

/// The nearest stop or target, and the share it closes before the liquidation.
pub(crate) fn cover(
    side: Protection,
    position: &Position,
    scene: &Scene<'_>,
) -> Option<(Num, Option<Num>)> {
    guarded(side, position, scene).map(|guarded| (guarded.nearest, guarded.share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::poll::Answer, testing::*},
        model::{Page, Zone},
    };

    /// The stop cell of a BTC long of 0.5 with armed stops of these prices, sizes and initial sizes.
    fn shown(stops: &[(&str, &str, &str)]) -> Span {
        let mut model = desk();
        let orders = stops.iter().enumerate().map(|(at, (price, size, initial))| {
            let json = format!(
                r#""type":"stop_market","mode":"stop_market","side":"sell","size":{size},"initial_size":{initial},
                "trigger_price":{price},"target_position_id":"pos-1","status":"pending""#
            );
            order(&format!("ord-{at}"), "BTC", &json)
        });
        arrive(&mut model, Answer::Orders(Ok(Page::of(orders.collect()))));
        let zone = Zone::utc();
        let scene = Scene::of(&model, &zone);
        stop(
            model.account.store.position(&"pos-1".into()).unwrap(),
            &scene,
        )
    }

    #[test]
    fn all_stops_together_are_what_covers_a_position() {
        let whole = shown(&[("58000", "0.5", "0.5")]);
        assert_eq!(whole, Span::plain("58,000"));
        let two = shown(&[("58000", "0.01", "0.01"), ("57000", "0.09", "0.09")]);
        assert_eq!(two, Span::warn("58,000 20% of size +1"));
        let both = shown(&[("58000", "0.2", "0.2"), ("57000", "0.3", "0.3")]);
        assert_eq!(both, Span::plain("58,000 +1"));
    }

    #[test]
    fn a_stop_that_the_position_does_not_live_to_see_covers_nothing_of_it() {
        let late = shown(&[("44000", "0.5", "0.5")]);
        assert_eq!(late, Span::alert("44,000 past liq"));
        let half = shown(&[("58000", "0.25", "0.25"), ("44000", "0.25", "0.25")]);
        assert_eq!(half, Span::warn("58,000 50% of size +1"));
    }

    #[test]
    fn a_stop_that_shrank_covers_what_is_left_of_it_and_every_place_says_so() {
        let shrunk = shown(&[("58000", "0.3", "0.4")]);
        assert_eq!(shrunk, Span::warn("58,000 60% of size"));
        let json = r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.3,"initial_size":0.4,
            "filled_size":0,"trigger_price":58000,"status":"pending""#;
        let stop = order("ord-9", "BTC", json);
        assert_eq!(stop.requested_size(), num("0.3"));
        assert_eq!(
            crate::view::text::words::order(&stop, None, &crate::model::MarketNames::default()),
            "SELL 0.3 BTC stop mkt at 58,000"
        );
    }
}
