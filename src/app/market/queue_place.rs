//! How much rests before an own order at its price, as far as that can be derived.
//!
//! Contract: at most what the book reported there when the order was placed, less what has traded there since. An order that
//! was not seen being placed has no place, nor has one where trades are missing since. A moved order is a new one.

use super::{
    own_orders::{OwnOrderKind, PricedOrder},
    tape::Tape,
};
use crate::model::{Book, Num, OrderId, Side, Timestamp};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// An order that was requested longer ago than this was not seen being placed.
const SEEN_PLACED: Duration = Duration::from_secs(5);

/// Of the market that the ladder shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueuePlaces {
    known: BTreeMap<OrderId, QueuePlace>,
    /// What they were derived from.
    from: QueueVersion,
}

/// When the orders were read, and the version of the tape. Keys and ticks change neither.
pub(crate) type QueueVersion = (Option<Timestamp>, Option<u64>);

#[derive(Debug, Clone, PartialEq)]
struct QueuePlace {
    side: Side,
    price: Num,
    /// By the service's clock.
    since: Timestamp,
    /// What rested there then, coin; `None` where it was not reported.
    resting: Option<Num>,
    traded: Num,
}

/// What is known of the market when the places are watched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueScene<'a> {
    /// A live one.
    pub(crate) book: Option<&'a Book>,
    pub(crate) tape: Option<&'a Tape>,
    pub(crate) service_now: Timestamp,
}

impl QueuePlaces {
    /// The most that rests before this order, coin; `None` where it cannot be derived.
    pub fn ahead(&self, order: &OrderId) -> Option<Num> {
        let place = self.known.get(order)?;
        let left = place.resting?.minus(place.traded)?;
        Some(left.max(Num::ZERO))
    }

    /// Whether orders or trades have changed since the last time.
    pub(crate) fn is_outdated(&mut self, version: QueueVersion) -> bool {
        std::mem::replace(&mut self.from, version) != version
    }

    /// Notes new orders, forgets ended ones, and counts what has traded.
    pub(crate) fn watch<'a>(
        &mut self,
        orders: impl Iterator<Item = PricedOrder<'a>>,
        scene: QueueScene<'_>,
    ) {
        let resting = orders.filter(|own| own.kind == OwnOrderKind::Resting);
        let mut seen = BTreeSet::new();
        for own in resting {
            let Some(side) = own.side else {
                continue;
            };
            seen.insert(own.order.id.clone());
            let age = scene.service_now.since(own.order.requested_at);
            self.known
                .entry(own.order.id.clone())
                .or_insert_with(|| QueuePlace {
                    side,
                    price: own.price,
                    since: scene.service_now,
                    resting: scene
                        .book
                        .filter(|_| age <= SEEN_PLACED && scene.tape.is_some())
                        .and_then(|book| size_at(book, side, own.price)),
                    traded: Num::ZERO,
                });
        }
        self.known.retain(|id, _| seen.contains(id));
        for place in self.known.values_mut() {
            place.count(scene.tape);
        }
    }
}

impl QueuePlace {
    fn count(&mut self, tape: Option<&Tape>) {
        let is_whole = |tape: &&Tape| tape.whole_since().is_some_and(|since| since <= self.since);
        let Some(tape) = tape.filter(is_whole) else {
            self.resting = None;
            return;
        };
        let since = tape.trades().take_while(|trade| trade.at > self.since);
        let mut here = since
            .filter(|trade| trade.price == self.price && trade.aggressor == self.side.opposite());
        let traded = here.try_fold(Num::ZERO, |sum, trade| sum.plus(trade.size));
        self.traded = traded.unwrap_or(self.traded);
    }
}

/// What the book reports of a price; `None` behind its last level.
fn size_at(book: &Book, side: Side, price: Num) -> Option<Num> {
    let levels = book.levels(side);
    let last = levels.last()?.price;
    let is_behind = match side {
        Side::Buy => price < last,
        Side::Sell => price > last,
    };
    let level = levels.iter().find(|level| level.price == price);
    (!is_behind).then(|| level.map_or(Num::ZERO, |level| level.size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::{num, order},
        model::{Level, Order, PublicTrade},
    };

    const PLACED: i64 = 1_790_000_000_000;

    fn own(id: &str, at: i64) -> Order {
        let mut own = order(
            id,
            "BTC",
            r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":100,"filled_size":0,"status":"resting""#,
        );
        own.requested_at = Timestamp(at);
        own
    }

    fn priced(order: &Order) -> PricedOrder<'_> {
        PricedOrder {
            order,
            side: Some(Side::Buy),
            kind: OwnOrderKind::Resting,
            price: num("100"),
        }
    }

    fn book() -> Book {
        let level = |price: &str, size: &str| Level {
            price: num(price),
            size: num(size),
        };
        Book::new(
            vec![level("100", "12.4"), level("99", "3")],
            vec![level("101", "1")],
        )
    }

    /// This much sold at this price, so many milliseconds after placing.
    fn sold(tape: &mut Tape, (id, after): (u64, i64), price: &str, size: &str) {
        let trade = PublicTrade {
            id: Some(id),
            price: num(price),
            size: num(size),
            aggressor: Side::Sell,
            at: Timestamp(PLACED + after),
            is_own: None,
        };
        let now = Timestamp(PLACED + after);
        let known = tape.last().copied();
        tape.merge(known.into_iter().chain([trade]).collect(), now, now, None);
    }

    fn watch(places: &mut QueuePlaces, own: &Order, tape: &Tape, after: i64) -> Option<Num> {
        let scene = QueueScene {
            book: Some(&book()),
            tape: Some(tape),
            service_now: Timestamp(PLACED + after),
        };
        places.watch([priced(own)].into_iter(), scene);
        places.ahead(&own.id)
    }

    fn tape() -> Tape {
        let mut tape = Tape::default();
        sold(&mut tape, (1, -9_000), "100", "5");
        tape
    }

    #[test]
    fn what_rested_when_it_was_placed_less_what_traded_there_since() {
        let (mut places, mut tape, order) = (QueuePlaces::default(), tape(), own("ord-1", PLACED));
        assert_eq!(watch(&mut places, &order, &tape, 200), Some(num("12.4")));
        sold(&mut tape, (2, 900), "100", "2.4");
        sold(&mut tape, (3, 950), "99", "1");
        assert_eq!(watch(&mut places, &order, &tape, 1_000), Some(num("10")));
        sold(&mut tape, (4, 1_200), "100", "50");
        assert_eq!(watch(&mut places, &order, &tape, 1_300), Some(Num::ZERO));
    }

    #[test]
    fn a_moved_order_is_at_the_back_and_one_that_was_there_before_has_no_place() {
        let (mut places, mut tape) = (QueuePlaces::default(), tape());
        watch(&mut places, &own("ord-1", PLACED), &tape, 200);
        sold(&mut tape, (2, 900), "100", "2.4");
        let moved = own("ord-2", PLACED + 1_000);
        assert_eq!(watch(&mut places, &moved, &tape, 1_100), Some(num("12.4")));
        assert_eq!(places.ahead(&"ord-1".into()), None);
        let old = own("ord-3", PLACED - 60_000);
        assert_eq!(watch(&mut places, &old, &tape, 1_100), None);
    }

    #[test]
    fn where_trades_are_missing_it_is_unknown() {
        let (mut places, mut tape, order) = (QueuePlaces::default(), tape(), own("ord-1", PLACED));
        watch(&mut places, &order, &tape, 200);
        let far = PublicTrade {
            id: Some(90),
            ..*tape.last().unwrap()
        };
        let (far, now) = (
            PublicTrade {
                at: Timestamp(PLACED + 5_000),
                ..far
            },
            Timestamp(PLACED + 5_100),
        );
        tape.merge(vec![far], now, now, None);
        assert_eq!(watch(&mut places, &order, &tape, 5_200), None);
    }
}
