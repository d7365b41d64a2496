//! Fills over a received book (docs/engine.md 12): what a taker gets, what moves a queue, and what no order gets.

use super::{
    desk::{START, order},
    venue::{BTC, Venue, book, levels, lots, mark, px, trades},
};
use crate::exchange::engine::*;

const BIDS: &str = "3.2@105055 0.15@105054 0.16@105053 0.4@105051 1.1@105050";
const ASKS: &str = "6.4@105056 0.1@105057 0.1@105058 0.2@105060 0.3@105062";

fn open() -> Venue {
    let mut venue = Venue::new();
    venue.book(0, -300, BIDS, ASKS);
    venue
}

#[test]
fn a_taker_walks_the_book_and_gets_nothing_beyond_its_last_level() {
    let mut venue = open();
    let buy = venue.market(Side::Buy, "8").unwrap();
    assert_eq!(
        venue.fills(buy),
        ["walk 0: 6.4@105056 0.1@105057 0.1@105058 0.2@105060 0.3@105062"]
    );
    let row = venue.row(buy);
    assert_eq!(
        (row.status, row.filled_size),
        (OrderStatus::Filled, lots("7.1"))
    );
}

#[test]
fn what_was_taken_stays_taken_as_far_as_the_level_still_shows_it() {
    let mut venue = open();
    let first = venue.market(Side::Buy, "6.4").unwrap();
    assert_eq!(venue.fills(first), ["walk 0: 6.4@105056"]);
    let second = venue.market(Side::Buy, "0.12").unwrap();
    assert_eq!(venue.fills(second), ["walk 0: 0.1@105057 0.02@105058"]);

    venue.book(500, 200, BIDS, "7.5@105056");
    let more = venue.market(Side::Buy, "7.5").unwrap();
    assert_eq!(venue.fills(more), ["walk 1: 1.1@105056"], "7.5 less 6.4");
    assert_eq!(
        venue.evidence(more).fills[0].levels,
        [EvidenceLevel {
            px: px(105_056),
            shown: lots("7.5"),
            consumed: lots("6.4"),
            taken: lots("1.1"),
        }]
    );
    venue.book(1_000, 700, BIDS, "6@105056");
    venue.book(1_500, 1_200, BIDS, "1.5@105056");
    venue.book(2_000, 1_700, BIDS, "6@105056");
    let grown = venue.market(Side::Buy, "9").unwrap();
    assert_eq!(
        venue.fills(grown),
        ["walk 4: 4.5@105056"],
        "1.5 stayed taken"
    );
    venue.book(2_500, 2_200, BIDS, "1@105057");
    venue.book(3_000, 2_700, BIDS, "6@105056");
    let back = venue.market(Side::Buy, "9").unwrap();
    assert_eq!(
        venue.fills(back),
        ["walk 6: 6@105056"],
        "the level had gone"
    );
}

#[test]
fn a_size_that_was_taken_a_minute_ago_is_there_again() {
    let mut venue = open();
    venue.market(Side::Buy, "6.4").unwrap();
    for second in 1..=60 {
        venue.book(second * 1_000, second * 1_000 - 300, BIDS, ASKS);
    }
    let again = venue.market(Side::Buy, "6.4").unwrap();
    assert_eq!(venue.fills(again), ["walk 60: 6.4@105056"]);
}

#[test]
fn a_newer_touch_takes_levels_away_and_adds_none() {
    let mut venue = open();
    let touch = |venue_time: i64, ask: &str| {
        FrameContent::Touch(ReceivedTouch {
            venue_time: START + Millis(venue_time),
            bid: levels("3.2@105055").first().copied(),
            ask: levels(ask).first().copied(),
        })
    };
    venue.receive(100, touch(-400, "0.2@105060"));
    let older = venue.market(Side::Buy, "0.1").unwrap();
    assert_eq!(
        venue.fills(older),
        ["walk 0: 0.1@105056"],
        "older than the book"
    );
    venue.receive(200, touch(0, "9@105060"));
    let newer = venue.market(Side::Buy, "9").unwrap();
    assert_eq!(venue.fills(newer), ["walk 0: 0.2@105060 0.3@105062"]);
}

#[test]
fn a_print_through_the_limit_fills_its_size_and_a_crossing_book_the_rest() {
    let mut venue = open();
    let buy = venue.limit(Side::Buy, "0.5", 105_054);
    assert_eq!(venue.bracket(buy), (Lots::ZERO, Lots::ZERO));
    venue.sells(900, 550, "0.12@105055 0.15@105054 0.14@105053 0.19@105051");
    assert_eq!(
        venue.fills(buy),
        ["through 1: 0.14@105054", "through 1: 0.19@105054"],
        "the print at its price only clears the queue"
    );
    assert_eq!(venue.bracket(buy), (lots("0.33"), lots("0.5")));
    venue.book(1_500, 1_200, "0.2@105051", "4@105052 0.7@105054 0.7@105055");
    assert_eq!(venue.fills(buy)[2..], ["cross 2: 0.17@105054"]);
    let crossed = &venue.evidence(buy).fills[2].levels;
    let taken: Vec<_> = crossed
        .iter()
        .map(|level| (level.px, level.taken))
        .collect();
    assert_eq!(taken, [(px(105_052), lots("0.17"))]);
    let row = venue.row(buy);
    assert_eq!(row.status, OrderStatus::Filled);
    assert_eq!(
        row.fill_price,
        Some(px(105_054).nano(5)),
        "at its own limit"
    );
    assert_eq!(row.liquidity_role, Some(LiquidityRole::Maker));
}

#[test]
fn a_queue_moves_by_prints_and_shrinking_levels_and_never_back() {
    let mut venue = open();
    let buy = venue.limit(Side::Buy, "0.1", 105_050);
    let deep = |size: &str| format!("3.2@105055 0.4@105051 {size}@105050 1@105049");
    venue.book(500, 200, &deep("1.5"), ASKS);
    venue.sells(900, 700, "0.3@105050");
    assert_eq!(venue.fills(buy), [""; 0], "0.8 are ahead");
    venue.book(1_000, 800, &deep("0.5"), ASKS);
    venue.sells(1_400, 790, "0.6@105050");
    assert_eq!(
        venue.fills(buy),
        [""; 0],
        "that print is in the book already"
    );
    venue.sells(1_500, 900, "0.56@105050");
    assert_eq!(venue.fills(buy), ["trade 5: 0.06@105050"]);
    let fill = venue.evidence(buy).fills[0];
    assert_eq!(
        (fill.ahead, fill.trade_id),
        (Some(lots("0.5")), Some(90_000))
    );
    venue.book(2_000, 1_800, "3.2@105055 1@105049", ASKS);
    venue.sells(2_500, 2_200, "0.01@105050");
    assert_eq!(
        venue.fills(buy)[1..],
        ["trade 7: 0.01@105050"],
        "the level is gone, and with it who stood there"
    );
}

#[test]
fn a_place_beyond_the_book_is_unknown_and_fills_only_by_what_goes_through_it() {
    let mut venue = open();
    let buy = venue.limit(Side::Buy, "1", 105_040);
    venue.sells(500, 200, "5@105040");
    assert_eq!(venue.fills(buy), [""; 0]);
    venue.sells(600, 300, "0.4@105039");
    assert_eq!(venue.fills(buy), ["through 2: 0.4@105040"]);
    venue.book(1_000, 700, "1@105041 2@105040", ASKS);
    venue.sells(1_500, 1_200, "2.1@105040");
    assert_eq!(
        venue.fills(buy)[1..],
        ["trade 4: 0.1@105040"],
        "behind the 2 seen"
    );
}

#[test]
fn trades_from_before_the_subscription_or_the_order_fill_nothing() {
    let mut venue = Venue::new();
    venue.book(0, -300, BIDS, ASKS);
    let buy = venue.limit(Side::Buy, "1", 105_057 - 4);
    let old = trades(Side::Sell, 0, "9@105050");
    venue.receive(300, FrameContent::TradeHistory(old.clone()));
    venue.receive(400, FrameContent::Trades(old));
    assert_eq!(venue.fills(buy), [""; 0]);
    assert_eq!(venue.ahead(buy), Some(lots("0.16")));
    let late = venue.limit(Side::Buy, "1", 105_053);
    venue.sells(900, 390, "9@105050");
    assert_eq!(venue.fills(late), [""; 0], "traded before it was placed");
    assert_eq!(venue.fills(buy), ["through 3: 1@105053"]);
}

#[test]
fn a_print_is_spent_once_over_the_orders_it_reaches_and_counts_once() {
    let mut venue = open();
    let better = venue.limit(Side::Buy, "0.3", 105_053);
    let worse = venue.limit(Side::Buy, "0.3", 105_052);
    let print = trades(Side::Sell, 600, "0.4@105051");
    venue.receive(900, FrameContent::Trades(print.clone()));
    venue.receive(950, FrameContent::Trades(print));
    assert_eq!(venue.fills(better), ["through 1: 0.3@105053"]);
    assert_eq!(venue.fills(worse), ["through 1: 0.1@105052"]);
}

#[test]
fn an_order_that_is_changed_queues_at_the_back() {
    let mut venue = open();
    let buy = venue.limit(Side::Buy, "0.1", 105_050);
    venue.sells(500, 300, "1.1@105050");
    let change = OrderChange {
        order: buy,
        price: px(105_050),
        size: Some(lots("0.2")),
    };
    venue
        .engine
        .apply(venue.me, EngineCommand::Modify(change))
        .unwrap();
    venue.sells(900, 600, "1.1@105050");
    assert_eq!(venue.fills(buy), [""; 0], "1.1 are ahead again");
    venue.sells(1_000, 700, "0.05@105050");
    assert_eq!(venue.fills(buy), ["trade 3: 0.05@105050"]);
}

/// A level of 3.03622 grows behind the order and then shrinks to 0.12468 without a trade: nobody is in front of the order
/// in the optimistic queue, and everybody in the booked one.
#[test]
fn an_optimistic_queue_fills_by_prints_that_only_shorten_the_booked_one() {
    let mut venue = Venue::new();
    let shows = |venue: &mut Venue, at: i64, size: &str| {
        venue.book(at, at - 300, &format!("{size}@105055 0.1428@105054"), ASKS);
    };
    shows(&mut venue, 0, "3.03622");
    let buy = venue.limit(Side::Buy, "0.05", 105_055);
    for (at, size) in [(500, "3.27523"), (1_000, "3.03623"), (1_500, "0.12468")] {
        shows(&mut venue, at, size);
    }
    venue.sells(1_900, 1_600, "0.00036@105055");
    assert_eq!(venue.bracket(buy), (Lots::ZERO, lots("0.00036")));
    shows(&mut venue, 2_000, "0.12432");
    venue.sells(2_400, 2_100, "0.00427@105055");
    assert_eq!(venue.bracket(buy), (Lots::ZERO, lots("0.00463")));
    shows(&mut venue, 2_500, "0.12005");
    assert_eq!(venue.ahead(buy), Some(lots("0.12005")));
    venue.sells(2_900, 2_600, "0.12005@105055 0.1428@105054");
    assert_eq!(venue.fills(buy), ["through 8: 0.05@105055"]);
    assert_eq!(venue.bracket(buy), (lots("0.05"), lots("0.05")));
}

#[test]
fn an_optimistic_taker_has_the_better_of_two_books() {
    let mut venue = open();
    let short = venue.market(Side::Buy, "8").unwrap();
    assert_eq!(venue.bracket(short), (lots("7.1"), lots("7.1")));
    venue.book(500, 200, BIDS, "9@105057");
    assert_eq!(venue.bracket(short), (lots("7.1"), lots("8")));
    venue.book(900, 700, BIDS, "9@105057");
    assert_eq!(venue.bracket(short), (lots("7.1"), lots("8")));
}

#[test]
fn a_delayed_order_meets_the_book_of_when_it_takes_effect() {
    let rules = ReceivedRules {
        min_delay: Millis(380),
        max_delay: Millis(380),
        ..ReceivedRules::default()
    };
    let mut venue = Venue::with(rules);
    venue.book(0, -300, BIDS, ASKS);
    let buy = venue.market(Side::Buy, "0.5").unwrap();
    assert_eq!(venue.row(buy).status, OrderStatus::Pending);
    venue.book(300, 100, BIDS, "1@105070");
    assert_eq!(venue.row(buy).status, OrderStatus::Pending);
    venue.book(400, 200, BIDS, "1@105090");
    assert_eq!(venue.fills(buy), ["walk 1: 0.5@105070"]);
}

#[test]
fn a_drawn_delay_is_the_same_for_the_same_seed_and_within_its_bounds() {
    let effects = || {
        let rules = ReceivedRules {
            min_delay: Millis(500),
            max_delay: Millis(2_500),
            ..ReceivedRules::default()
        };
        let mut venue = Venue::with(rules);
        venue.book(0, -300, BIDS, ASKS);
        let orders: Vec<_> = (0..8)
            .map(|_| venue.market(Side::Buy, "0.01").unwrap())
            .collect();
        for at in 1..=30 {
            venue.book(at * 100, at * 100 - 300, BIDS, ASKS);
        }
        let at = |id: &OrderId| venue.evidence(*id).fills[0].frame.received_at - START;
        orders.iter().map(at).collect::<Vec<_>>()
    };
    let first = effects();
    assert_eq!(first, effects());
    assert!(
        first
            .iter()
            .all(|at| (Millis(400)..=Millis(2_500)).contains(at)),
        "{first:?}"
    );
    assert!(first.iter().any(|at| *at != first[0]), "{first:?}");
}

#[test]
fn a_market_without_a_new_book_for_five_seconds_takes_limits_and_cancels_only() {
    let mut venue = open();
    venue.receive(10, mark(105_055));
    let resting = venue.limit(Side::Buy, "0.1", 105_050);
    venue.pass(5_000);
    venue.market(Side::Buy, "0.1").unwrap();
    venue.pass(5_250);
    let refusal = venue.market(Side::Buy, "0.1").unwrap_err();
    assert_eq!(
        (refusal.kind, refusal.code),
        (RefusalKind::Conflict, Reason::MarketUnavailable)
    );
    assert_eq!(venue.engine.gap_since(BTC), Some(START));
    let crossing = venue.limit(Side::Buy, "0.1", 105_056);
    assert_eq!(venue.row(crossing).status, OrderStatus::Resting);
    let cancel = EngineCommand::Cancel(resting);
    venue.engine.apply(venue.me, cancel).unwrap();
    venue.sells(6_000, 5_700, "9@105000");
    assert_eq!(venue.fills(crossing), [""; 0], "nothing fills inside a gap");

    venue.book(7_000, 6_700, BIDS, ASKS);
    assert_eq!(venue.fills(crossing), [""; 0], "there is no mark yet");
    venue.receive(7_100, mark(105_055));
    assert_eq!(venue.engine.gap_since(BTC), None);
    assert_eq!(venue.fills(crossing), ["cross 3: 0.1@105056"]);
    assert_eq!(venue.evidence(crossing).fills[0].after_gap, AfterGap::Yes);
    let after = venue.market(Side::Buy, "0.1").unwrap();
    assert_eq!(venue.evidence(after).fills[0].after_gap, AfterGap::No);
}

#[test]
fn a_gap_that_the_feed_reports_begins_at_once_and_sends_orders_to_the_back() {
    let mut venue = open();
    let buy = venue.limit(Side::Buy, "0.1", 105_050);
    venue.sells(500, 300, "1.1@105050");
    venue.receive(600, FrameContent::GapBegins);
    assert!(venue.market(Side::Sell, "0.1").is_err());
    venue.book(1_600, 1_300, BIDS, ASKS);
    venue.sells(2_000, 1_200, "9@105049");
    assert_eq!(venue.fills(buy), [""; 0], "traded before the first book");
    venue.sells(2_100, 1_700, "1.15@105050");
    assert_eq!(
        venue.fills(buy),
        ["trade 5: 0.05@105050"],
        "1.1 are ahead again"
    );
}

fn stop(venue: &mut Venue, trigger: i64) -> OrderId {
    let stop = OrderParams {
        mode: PlaceMode::StopMarket {
            trigger: px(trigger),
        },
        ..order(BTC, Side::Sell, lots("0.5"))
    };
    venue.place(stop).unwrap()
}

/// The stop is at 104,900; the market prints 104,500 inside the gap.
fn gap_over_a_stop(fresh_mark: i64) -> (Venue, OrderId) {
    let mut venue = open();
    venue.receive(10, mark(105_000));
    let stop = stop(&mut venue, 104_900);
    venue.receive(100, FrameContent::GapBegins);
    venue.receive(15_000, mark(104_500));
    venue.sells(16_000, 15_800, "1@104500");
    venue.book(30_000, 29_700, "2@104850 2@104840", "2@104960");
    venue.receive(30_100, mark(fresh_mark));
    (venue, stop)
}

#[test]
fn a_stop_fires_by_the_first_mark_after_a_gap_and_by_none_inside_it() {
    let (venue, stop) = gap_over_a_stop(104_950);
    assert_eq!(venue.row(stop).status, OrderStatus::Pending);
    let (mut venue, stop) = gap_over_a_stop(104_850);
    assert_eq!(venue.fills(stop), ["walk 5: 0.5@104850"]);
    assert_eq!(venue.evidence(stop).fills[0].after_gap, AfterGap::Yes);
    venue.receive(30_200, mark(104_800));
    assert_eq!(venue.evidence(stop).fills.len(), 1);
}

#[test]
fn a_liquidation_walks_the_received_book() {
    let mut venue = Venue::new();
    venue.book(0, -300, "9@99999", "9@100000");
    venue.receive(10, mark(100_000));
    let long = OrderParams {
        leverage: 20,
        margin_mode: MarginMode::Isolated,
        ..order(BTC, Side::Buy, lots("1"))
    };
    venue.place(long).unwrap();
    venue.book(500, 200, "0.4@96210 0.5@96205 9@90000", "9@96220");
    venue.receive(600, mark(96_300));
    assert_eq!(venue.engine.open_positions(venue.me).len(), 1);
    venue.receive(700, mark(96_150));
    let sold = venue.engine.orders(venue.me, None);
    let sold = sold
        .into_iter()
        .find(|row| row.mode == OrderMode::Liquidation);
    let sold = sold.unwrap().id;
    assert_eq!(venue.fills(sold), ["walk 2: 0.4@96210 0.5@96205 0.1@90000"]);
}

#[test]
fn a_gap_over_two_hours_pays_their_funding_afterwards_at_the_last_known_rate() {
    let mut venue = Venue::new();
    let hour = 3_600_000;
    let rate = |rate| {
        FrameContent::Prices(ReceivedPrices {
            mark: Some(px(100_000)),
            oracle: Some(px(100_000)),
            funding: Some(NanoRate(rate)),
            next_funding_at: None,
        })
    };
    venue.pass(hour - 10_000);
    venue.book(hour - 9_000, hour - 9_300, "9@99999", "9@100000");
    venue.receive(hour - 8_900, rate(10_000));
    venue.market(Side::Buy, "1").unwrap();
    venue.receive(hour - 8_000, FrameContent::GapBegins);
    venue.pass(2 * hour + 20_000);
    assert_eq!(venue.engine.funding_payments(venue.me, None).count(), 0);
    venue.book(2 * hour + 21_000, 2 * hour + 20_700, "9@99999", "9@100000");
    venue.receive(2 * hour + 21_100, rate(30_000));
    let payments = venue.engine.funding_payments(venue.me, None);
    let paid = payments.map(|(_, paid)| (paid.rate, venue.engine.is_estimated(paid)));
    let paid: Vec<_> = paid.collect();
    assert_eq!(paid, [(NanoRate(30_000), true); 2]);
}

fn funding(rate: i64) -> FrameContent {
    FrameContent::Prices(ReceivedPrices {
        funding: Some(NanoRate(rate)),
        ..ReceivedPrices::default()
    })
}

#[test]
fn frames_that_no_market_sends_are_refused_and_change_nothing() {
    let mut venue = open();
    let before = venue.engine.log_hash();
    let refused = [
        (book(0, "1@105057", "1@105056"), FrameFault::Disordered),
        (book(0, "1@105050 1@105051", ""), FrameFault::Disordered),
        (book(0, "0@105050", ""), FrameFault::OutOfRange),
        (book(-301, BIDS, ASKS), FrameFault::Late),
        (mark(0), FrameFault::OutOfRange),
        (funding(40_000_001), FrameFault::OutOfRange),
        (funding(i64::MIN), FrameFault::OutOfRange),
        (
            FrameContent::Trades(trades(Side::Buy, 1, "0@105050")),
            FrameFault::OutOfRange,
        ),
    ];
    for (content, fault) in refused {
        let frame = venue.frame(100, content);
        assert_eq!(venue.engine.receive(BTC, &frame), Err(fault));
    }
    assert_eq!(venue.engine.log_hash(), before);
}
