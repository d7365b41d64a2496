//! The desk's own limits on new orders, against typing mistakes; not the service's rules.
//!
//! Contract: pure, over what the desk knows. Only orders that increase exposure are checked. It fails closed: a limit
//! refuses when the data it needs is missing or older than `facts_within`.

use super::policy;
use crate::{
    app::account::{
        poll::Source,
        session::{Session, as_order},
        store::Store,
    },
    config::Checks,
    model::{Command, Num, PlaceOrder, Side, Timestamp},
};

use std::{collections::BTreeSet, time::Duration};

const SECOND: Duration = Duration::from_secs(1);

/// The data that an order is judged by.
pub(crate) struct Bench<'a> {
    limits: &'a Checks,
    store: &'a Store,
    session: &'a Session,
    now: Timestamp,
}

type Check = fn(&Bench<'_>, &PlaceOrder) -> Option<String>;

const CHECKS: [Check; 10] = [
    shape,
    size,
    leverage,
    notional,
    open_notional,
    collar,
    through,
    repeat,
    rate,
    session_loss,
];

/// Why `command` must not be sent, if so.
pub fn objection(
    limits: &Checks,
    store: &Store,
    session: &Session,
    now: Timestamp,
    command: &Command,
) -> Option<String> {
    let order = as_order(command)?;
    if order.reduce_only {
        return None;
    }
    let bench = Bench {
        limits,
        store,
        session,
        now,
    };
    let own = CHECKS.iter().find_map(|check| check(&bench, &order));
    own.or_else(|| policy::objection(store, &order))
}

/// What `limits` are judged by that streams report too: it has to be read as often as without them.
pub fn read_by(limits: &Checks) -> BTreeSet<Source> {
    let positions = limits.max_open_notional.map(|_| Source::Positions);
    positions.into_iter().collect()
}

impl Bench<'_> {
    /// Older data does not count.
    fn is_fresh(&self, at: Timestamp) -> bool {
        self.now.since(at) <= self.limits.facts_within
    }

    /// The midpoint of the market, if it is known and fresh.
    fn reference(&self, order: &PlaceOrder) -> Option<Num> {
        let at = self.store.polled_at(Source::Markets)?;
        let market = self.store.market(&order.market_id)?;
        market.mid().filter(|_| self.is_fresh(at))
    }

    /// USD, at its own prices or the midpoint, whichever is more.
    fn notional(&self, order: &PlaceOrder) -> Option<Num> {
        let middle = self.reference(order)?;
        order.size.times(prices(order).fold(middle, Num::max))
    }

    fn open_notional(&self) -> Option<Num> {
        let (at, open) = (
            // What a stream reported since may be incomplete: only a read counts.
            self.store.positions.at()?,
            self.store.positions.value()?,
        );
        // A missing or unreadable row may have any value.
        if !self.is_fresh(at) || !open.is_whole() {
            return None;
        }
        open.rows.iter().try_fold(Num::ZERO, |sum, position| {
            let price = self.store.mark(&position.market_id)?;
            sum.plus(position.quantity().times(price)?)
        })
    }
}

/// The prices of its own market that an order names: it may trade there, whatever the market is now.
fn prices(order: &PlaceOrder) -> impl Iterator<Item = Num> {
    let watched = order.trigger_market_id.as_ref();
    let is_own = watched.is_none_or(|watched| *watched == order.market_id);
    let trigger = order.trigger_price.filter(|_| is_own);
    order.limit_price.into_iter().chain(trigger)
}

/// Errors of an order under any limits.
fn shape(_: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let fine = order.size.is_positive() && order.leverage.is_positive();
    (!fine).then(|| "size and leverage must be above zero".to_owned())
}

fn size(bench: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let most = bench.limits.max_size?;
    (order.size > most).then(|| format!("size {} is above max_size {most}", order.size))
}

fn leverage(bench: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let most = bench.limits.max_leverage?;
    (order.leverage > most)
        .then(|| format!("leverage {} is above max_leverage {most}", order.leverage))
}

fn notional(bench: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let most = bench.limits.max_notional?;
    above("notional", bench.notional(order), "max_notional", most)
}

fn open_notional(bench: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let most = bench.limits.max_open_notional?;
    let whole = bench.open_notional().zip(bench.notional(order));
    let whole = whole.and_then(|(open, order)| open.plus(order));
    above("open notional", whole, "max_open_notional", most)
}

fn above(what: &str, value: Option<Num>, limit: &str, most: Num) -> Option<String> {
    match value {
        None => Some(format!(
            "{limit} is set, but the {what} is not known from fresh figures"
        )),
        Some(value) if value > most => Some(format!(
            "{what} {} USD is above {limit} {most}",
            value.rounded(2)
        )),
        Some(_) => None,
    }
}

/// A limit far on the wrong side of the market trades at once; a trigger that far away is as easily a typing mistake.
fn collar(bench: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let bps = bench.limits.price_collar_bps?;
    let Some(middle) = bench.reference(order) else {
        return Some("price_collar_bps is set and no fresh price is known".to_owned());
    };
    let limit = match order.side {
        Side::Buy => prices(order).max(),
        Side::Sell => prices(order).min(),
    }?;
    let worse = match order.side {
        Side::Buy => limit.minus(middle),
        Side::Sell => middle.minus(limit),
    };
    let worse = worse.and_then(|worse| worse.over(middle)?.times(Num::from(10_000_u32)));
    let Some(worse) = worse else {
        return Some(format!(
            "price_collar_bps is set, but the distance of {limit} from the market at {middle} cannot be computed"
        ));
    };
    (worse > bps).then(|| {
        format!(
            "{limit} is {} bps worse than the market at {middle}; price_collar_bps is {bps}",
            worse.rounded(0)
        )
    })
}

/// A limit that fills at once, at a price that nobody means. What waits for a trigger is judged where that fires, which is
/// not known; without a fresh price the form asks.
fn through(bench: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let most = bench.limits.refuse_through_market?;
    let at = bench.store.polled_at(Source::Markets)?;
    let market = bench.store.market(&order.market_id)?;
    let limit = order
        .limit_price
        .filter(|_| order.trigger_price.is_none())?;
    let (best, percent) = market.through(order.side, limit)?;
    (bench.is_fresh(at) && percent > most).then(|| {
        format!(
            "the limit {limit} is {} % through the market, {best}; refuse_through_market is {most} %",
            percent.rounded(1)
        )
    })
}

fn repeat(bench: &Bench<'_>, order: &PlaceOrder) -> Option<String> {
    let span = bench.limits.duplicate_within;
    // A newly observed price does not make it another order.
    let same = |sent: &PlaceOrder| {
        let expected_price = order.expected_price;
        PlaceOrder {
            expected_price,
            ..sent.clone()
        } == *order
    };
    let repeated = bench.session.within(span, bench.now).any(same);
    repeated.then(|| format!(
            "the same order was sent less than {} s ago (duplicate_within); a verb sends it under its own --idempotency-key",
            span.as_secs()
        ))
}

fn rate(bench: &Bench<'_>, _: &PlaceOrder) -> Option<String> {
    let most = usize::try_from(bench.limits.orders_per_second).unwrap_or(usize::MAX);
    let sent = bench.session.within(SECOND, bench.now).count();
    (most > 0 && sent >= most).then(|| format!("{sent} orders left within a second already"))
}

fn session_loss(bench: &Bench<'_>, _: &PlaceOrder) -> Option<String> {
    let most = bench.limits.max_session_loss?;
    let account = &bench.store.account;
    let at = bench.store.polled_at(Source::Account);
    let fresh = at.is_some_and(|at| bench.is_fresh(at));
    let equity = account
        .value()
        .filter(|_| fresh)
        .and_then(|facts| facts.equity);
    let lost = bench
        .session
        .first_equity
        .zip(equity)
        .and_then(|(first, now)| first.minus(now));
    match lost {
        None => Some("max_session_loss is set and no fresh equity is known".to_owned()),
        Some(lost) if lost >= most => Some(format!(
            "this session has lost {} USD; max_session_loss is {most}",
            lost.rounded(2)
        )),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::account::{
            poll::{Answer, Poll},
            streamed::StreamState,
        },
        model::{AccountFacts, Market, Page, PlaceKind, Position},
    };

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    fn num(text: &str) -> Option<Num> {
        text.parse().ok()
    }

    fn buy(size: &str, limit: Option<&str>) -> PlaceOrder {
        let size = size.parse().unwrap();
        PlaceOrder {
            kind: PlaceKind::Limit,
            leverage: "5".parse().unwrap(),
            limit_price: limit.and_then(num),
            ..PlaceOrder::market("chal-1".into(), "paper|BTC".into(), Side::Buy, size)
        }
    }

    /// BTC at 100, 2 BTC open, equity 900.
    fn store(equity: &str) -> Store {
        let mut store = Store::default();
        let market = Market {
            mark: num("100"),
            ..Market::new("paper|BTC".into())
        };
        let position: Position =
            serde_json::from_str(r#"{"id":"p","market_id":"paper|BTC","size":-2}"#).unwrap();
        let facts = AccountFacts {
            equity: num(equity),
            ..AccountFacts::default()
        };
        for answer in [
            Answer::Markets(Ok(vec![market])),
            Answer::Positions(Ok(Page::of(vec![position]))),
            Answer::Account(Ok(facts)),
        ] {
            store.arrive(Poll { at: NOW, answer });
        }
        store
    }

    fn judged(limits: &Checks, order: PlaceOrder, late: u64) -> Option<String> {
        let mut session = Session::default();
        session.seen(&store("1000"));
        let now = NOW.plus(Duration::from_secs(late));
        let command = Command::Place(Box::new(order));
        objection(limits, &store("900"), &session, now, &command)
    }

    fn limits(set: impl Fn(&mut Checks)) -> Checks {
        let mut limits = Checks {
            facts_within: Duration::from_secs(5),
            ..Checks::default()
        };
        set(&mut limits);
        limits
    }

    #[test]
    fn each_limit_holds_what_is_above_it_and_lets_what_is_at_it_go() {
        type Row = (Checks, &'static str, Option<&'static str>, &'static str);
        let table: [Row; 6] = [
            (limits(|l| l.max_size = num("1")), "1", None, "1.01"),
            (limits(|l| l.max_notional = num("100")), "1", None, "1.01"),
            (
                limits(|l| l.max_open_notional = num("300")),
                "1",
                None,
                "1.01",
            ),
            (
                limits(|l| l.price_collar_bps = num("500")),
                "1",
                Some("105"),
                "1",
            ),
            (limits(|l| l.max_session_loss = num("101")), "1", None, "1"),
            (limits(|l| l.max_leverage = num("5")), "1", None, "1"),
        ];
        for (limits, fits, limit, above) in table {
            assert_eq!(judged(&limits, buy(fits, limit), 0), None, "{limits:?}");
            let tighter = Checks {
                price_collar_bps: limits.price_collar_bps.and(num("499")),
                max_session_loss: limits.max_session_loss.and(num("100")),
                max_leverage: limits.max_leverage.and(num("4")),
                ..limits
            };
            assert!(
                judged(&tighter, buy(above, limit), 0).is_some(),
                "{tighter:?}"
            );
        }
    }

    #[test]
    fn a_limit_whose_measure_is_old_or_missing_refuses() {
        for limits in [
            limits(|l| l.max_notional = num("1000000")),
            limits(|l| l.max_open_notional = num("1000000")),
            limits(|l| l.price_collar_bps = num("10000")),
            limits(|l| l.max_session_loss = num("1000000")),
        ] {
            assert_eq!(judged(&limits, buy("1", Some("100")), 5), None);
            let why = judged(&limits, buy("1", Some("100")), 6).unwrap();
            assert!(why.contains(" is set") && why.contains("fresh"), "{why}");
            let nothing = Store::default();
            let command = Command::Place(Box::new(buy("1", None)));
            let session = Session::default();
            assert!(objection(&limits, &nothing, &session, NOW, &command).is_some());
        }
    }

    #[test]
    fn the_open_notional_is_judged_by_reads_alone_however_fresh_the_stream_is() {
        let limits = limits(|l| l.max_open_notional = num("1000000"));
        assert_eq!(read_by(&limits), [Source::Positions].into());
        assert_eq!(read_by(&Checks::default()), BTreeSet::new());
        let now = NOW.plus(Duration::from_secs(6));
        let mut store = store("900");
        store.streams.account = StreamState::Up(now);
        let market = store.market(&"paper|BTC".into()).unwrap().clone();
        store.arrive(Poll {
            at: now,
            answer: Answer::Markets(Ok(vec![market])),
        });
        let command = Command::Place(Box::new(buy("1", None)));
        let why = objection(&limits, &store, &Session::default(), now, &command).unwrap();
        assert!(why.contains("open notional is not known"), "{why}");
    }

    #[test]
    fn a_list_of_positions_that_is_not_whole_tells_no_open_notional() {
        let held = r#"{"id":"p","market_id":"paper|BTC","size":-2}"#;
        let whole = || Page::of(vec![serde_json::from_str::<Position>(held).unwrap()]);
        let unreadable = Page {
            unreadable: vec!["a row does not read".into()],
            ..whole()
        };
        let incomplete = Page {
            incomplete: true,
            ..whole()
        };
        let limits = limits(|l| l.max_open_notional = num("1000000"));
        for (page, leaves) in [(whole(), true), (unreadable, false), (incomplete, false)] {
            let mut store = store("900");
            store.arrive(Poll {
                at: NOW,
                answer: Answer::Positions(Ok(page)),
            });
            let command = Command::Place(Box::new(buy("1", None)));
            let said = objection(&limits, &store, &Session::default(), NOW, &command);
            assert_eq!(said.is_none(), leaves, "{said:?}");
        }
    }

    #[test]
    fn a_limit_that_cannot_be_compared_with_the_market_is_held_back() {
        let collar = limits(|l| l.price_collar_bps = num("500"));
        let huge = Some("100000000000000000000");
        for mid in ["0", "0.00001"] {
            let mut store = store("900");
            let market = Market {
                mark: num(mid),
                ..store.market(&"paper|BTC".into()).unwrap().clone()
            };
            store.arrive(Poll {
                at: NOW,
                answer: Answer::Markets(Ok(vec![market])),
            });
            let command = Command::Place(Box::new(buy("1", huge)));
            let said = objection(&collar, &store, &Session::default(), NOW, &command);
            assert!(
                said.as_ref()
                    .is_some_and(|why| why.contains("cannot be computed")),
                "{mid}: {said:?}"
            );
        }
    }

    #[test]
    fn a_stop_is_worth_what_it_costs_where_it_fires() {
        let stop = |side, watched: Option<&str>, price: &str| PlaceOrder {
            kind: PlaceKind::StopMarket,
            side,
            trigger_price: Some(price.parse().unwrap()),
            trigger_market_id: watched.map(Into::into),
            trigger_direction: None,
            ..buy("1", None)
        };
        let far = || stop(Side::Buy, None, "130");
        for limits in [
            limits(|l| l.max_notional = num("129")),
            limits(|l| l.max_open_notional = num("329")),
            limits(|l| l.price_collar_bps = num("2999")),
        ] {
            assert!(judged(&limits, far(), 0).is_some(), "{limits:?}");
            let elsewhere = stop(Side::Buy, Some("paper|ETH"), "130");
            assert_eq!(judged(&limits, elsewhere, 0), None, "{limits:?}");
        }
        let collar = limits(|l| l.price_collar_bps = num("2999"));
        assert!(judged(&collar, stop(Side::Sell, Some("paper|BTC"), "70"), 0).is_some());
        assert_eq!(judged(&collar, stop(Side::Sell, None, "130"), 0), None);
        let wide = limits(|l| l.max_notional = num("130"));
        assert_eq!(judged(&wide, far(), 0), None);
    }

    #[test]
    fn what_reduces_is_never_held_back() {
        let strict = limits(|l| {
            l.max_size = num("0");
            l.max_notional = num("0");
            l.orders_per_second = 1;
        });
        let reducing = PlaceOrder {
            reduce_only: true,
            ..buy("5", None)
        };
        assert_eq!(judged(&strict, reducing, 60), None);
        let close_all = Command::CloseAll("chal-1".into());
        let (store, session) = (Store::default(), Session::default());
        assert_eq!(objection(&strict, &store, &session, NOW, &close_all), None);
    }

    #[test]
    fn the_same_order_twice_and_too_many_of_any_kind_are_held_back() {
        let limits = limits(|l| {
            l.duplicate_within = Duration::from_secs(2);
            l.orders_per_second = 2;
        });
        let (store, mut session) = (store("900"), Session::default());
        let order = |size, seen: &str| {
            let order = buy(size, None);
            Command::Place(Box::new(PlaceOrder {
                expected_price: num(seen),
                ..order
            }))
        };
        session.sent(&order("1", "100"), NOW);
        let ask = |session: &Session, command: &Command, millis| {
            let now = NOW.plus(Duration::from_millis(millis));
            objection(&limits, &store, session, now, command)
        };
        assert!(
            ask(&session, &order("1", "101"), 1_999)
                .unwrap()
                .contains("same order")
        );
        assert_eq!(ask(&session, &order("1", "101"), 2_000), None);
        assert_eq!(ask(&session, &order("2", "100"), 10), None);
        session.sent(&order("2", "100"), NOW);
        assert!(
            ask(&session, &order("3", "100"), 999)
                .unwrap()
                .contains("2 orders")
        );
        assert_eq!(ask(&session, &order("3", "100"), 1_000), None);
    }

    mod any_order {
        use super::*;
        use proptest::prelude::*;

        /// Hundredths, as a number.
        fn hundredths(value: i64) -> Num {
            Num::new(value, 2)
        }

        /// The limits in hundredths; `None` is unset.
        #[derive(Debug, Clone)]
        struct Set {
            size: Option<i64>,
            notional: Option<i64>,
            open: Option<i64>,
            leverage: Option<i64>,
            collar: Option<i64>,
            loss: Option<i64>,
        }

        prop_compose! {
            fn any_set()(
                size in proptest::option::of(0_i64..500),
                notional in proptest::option::of(0_i64..50_000),
                open in proptest::option::of(0_i64..100_000),
                leverage in proptest::option::of(0_i64..1_000),
                collar in proptest::option::of(0_i64..100_000),
                loss in proptest::option::of(0_i64..20_000),
            ) -> Set {
                Set { size, notional, open, leverage, collar, loss }
            }
        }

        fn checks(set: &Set) -> Checks {
            limits(|limits| {
                limits.max_size = set.size.map(hundredths);
                limits.max_notional = set.notional.map(hundredths);
                limits.max_open_notional = set.open.map(hundredths);
                limits.max_leverage = set.leverage.map(hundredths);
                limits.price_collar_bps = set.collar.map(hundredths);
                limits.max_session_loss = set.loss.map(hundredths);
            })
        }

        fn order(way: Side, (size, leverage, limit): (i64, i64, Option<i64>)) -> PlaceOrder {
            PlaceOrder {
                side: way,
                size: hundredths(size),
                leverage: hundredths(leverage),
                limit_price: limit.map(hundredths),
                ..buy("1", None)
            }
        }

        /// Computed by hand, in ten thousandths: BTC at 100, 2 BTC open, 100 USD lost.
        fn fits(set: &Set, way: Side, (size, leverage, limit): (i64, i64, Option<i64>)) -> bool {
            let at_most = |value: i64, most: Option<i64>| most.is_none_or(|most| value <= most);
            let price = limit.map_or(10_000, |limit| limit.max(10_000));
            let notional = size * price;
            let worse = limit.map_or(0, |limit| match way {
                Side::Buy => limit - 10_000,
                Side::Sell => 10_000 - limit,
            });
            size > 0
                && leverage > 0
                && at_most(size, set.size)
                && at_most(leverage, set.leverage)
                && at_most(notional, set.notional.map(|most| most * 100))
                && at_most(2_000_000 + notional, set.open.map(|most| most * 100))
                && at_most(worse * 100, set.collar)
                && set.loss.is_none_or(|most| 10_000 < most)
        }

        fn any_side() -> impl Strategy<Value = Side> {
            prop_oneof![Just(Side::Buy), Just(Side::Sell)]
        }

        fn any_numbers() -> impl Strategy<Value = (i64, i64, Option<i64>)> {
            (
                -10_i64..600,
                -10_i64..1_200,
                proptest::option::of(1_i64..30_000),
            )
        }

        proptest! {
            #[test]
            fn leaves_exactly_when_every_limit_that_is_set_holds(
                set in any_set(), side in any_side(), numbers in any_numbers(),
            ) {
                let said = judged(&checks(&set), order(side, numbers), 0);
                prop_assert_eq!(said.is_none(), fits(&set, side, numbers), "{:?}", said);
            }

            #[test]
            fn stays_when_what_a_limit_is_measured_by_is_old_or_unknown(
                set in any_set(), side in any_side(), numbers in any_numbers(), late in 6_u64..100_000,
            ) {
                let measured = [set.notional, set.open, set.collar, set.loss];
                prop_assume!(measured.iter().any(Option::is_some));
                let order = order(side, numbers);
                prop_assert!(judged(&checks(&set), order.clone(), late).is_some());
                let (store, session) = (Store::default(), Session::default());
                let command = Command::Place(Box::new(order));
                prop_assert!(objection(&checks(&set), &store, &session, NOW, &command).is_some());
            }

            #[test]
            fn that_only_reduces_leaves_whatever_is_set_known_or_sent(
                set in any_set(), side in any_side(), numbers in any_numbers(), late in 0_u64..100,
            ) {
                let reducing = PlaceOrder { reduce_only: true, ..order(side, numbers) };
                prop_assert_eq!(judged(&checks(&set), reducing.clone(), late), None);
                let mut session = Session::default();
                let command = Command::Place(Box::new(reducing));
                for _ in 0..20 {
                    session.sent(&command, NOW);
                }
                let strict = Checks { orders_per_second: 1, duplicate_within: Duration::from_mins(1), ..checks(&set) };
                let store = Store::default();
                prop_assert_eq!(objection(&strict, &store, &session, NOW, &command), None);
            }
        }
    }
}
