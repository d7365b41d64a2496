//! Any sequence of frames and commands: what a fill rests on holds for all of them (docs/engine.md 12).

use std::collections::BTreeMap;

use super::{
    checkpoint::Shelf,
    desk::{START, order},
    venue::{BTC, Venue, px},
};
use crate::exchange::engine::*;
use proptest::prelude::*;

/// Whole dollars around which everything happens.
const MIDDLE: i64 = 100_000;

#[derive(Debug, Clone)]
enum Event {
    Frame(FrameContent),
    /// The frame before once more.
    Again,
    Market(Side, i64),
    Limit(Side, i64, i64),
    Stop(Side, i64),
    Cancel(usize),
    Pass(i64),
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Buy), Just(Side::Sell)]
}

fn depth(from: i64, step: i64, sizes: &[i64]) -> Vec<BookLevel> {
    let prices = (0..).map(|level| px(from + step * level));
    let levels = prices.zip(sizes).filter(|(_, size)| **size > 0);
    levels
        .map(|(px, size)| BookLevel {
            px,
            size: Lots(*size),
        })
        .collect()
}

fn book() -> impl Strategy<Value = FrameContent> {
    let sizes = || prop::collection::vec(0..40_i64, 1..6);
    (-4..5_i64, 1..3_i64, sizes(), sizes()).prop_map(|(shift, spread, bids, asks)| {
        FrameContent::Book(ReceivedBook {
            venue_time: Millis::ZERO,
            bids: depth(MIDDLE + shift, -1, &bids),
            asks: depth(MIDDLE + shift + spread, 1, &asks),
        })
    })
}

fn frame() -> impl Strategy<Value = FrameContent> {
    let trade = (side(), -6..7_i64, 1..60_i64);
    let trades = prop::collection::vec(trade, 1..4).prop_map(|rows| {
        let trade = |(place, (aggressor, shift, size)): (usize, (Side, i64, i64))| ReceivedTrade {
            id: place as u64,
            venue_time: Millis::ZERO,
            aggressor,
            px: px(MIDDLE + shift),
            size: Lots(size),
        };
        FrameContent::Trades(rows.into_iter().enumerate().map(trade).collect())
    });
    let touch = (-4..5_i64, 1..20_i64).prop_map(|(shift, size)| {
        let level = |px| {
            Some(BookLevel {
                px,
                size: Lots(size),
            })
        };
        FrameContent::Touch(ReceivedTouch {
            venue_time: Millis::ZERO,
            bid: level(px(MIDDLE + shift)),
            ask: level(px(MIDDLE + shift + 1)),
        })
    });
    let mark = (-5..6_i64).prop_map(|shift| super::venue::mark(MIDDLE + shift));
    prop_oneof![
        6 => book(),
        4 => trades,
        1 => touch,
        2 => mark,
        1 => Just(FrameContent::GapBegins),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let size = || 1_000..8_000_i64;
    prop_oneof![
        8 => frame().prop_map(Event::Frame),
        1 => Just(Event::Again),
        2 => (side(), size()).prop_map(|(side, size)| Event::Market(side, size)),
        3 => (side(), size(), -6..7_i64).prop_map(|(side, size, at)| Event::Limit(side, size, at)),
        1 => (side(), -5..6_i64).prop_map(|(side, at)| Event::Stop(side, at)),
        1 => (0..8_usize).prop_map(Event::Cancel),
        2 => prop_oneof![Just(250_i64), Just(900), Just(2_500), Just(6_000)].prop_map(Event::Pass),
    ]
}

/// What is checked after every event.
struct Run {
    venue: Venue,
    /// The time of the feed.
    at: i64,
    last: Option<FrameContent>,
    orders: Vec<OrderId>,
    /// The queue ahead of each resting order at the last look.
    ahead: BTreeMap<OrderId, Lots>,
    fills: usize,
}

impl Run {
    fn new(max_delay: i64) -> Self {
        Self {
            venue: Venue::with(ReceivedRules {
                min_delay: Millis::ZERO,
                max_delay: Millis(max_delay),
                ..ReceivedRules::default()
            }),
            at: 1_000,
            last: None,
            orders: vec![],
            ahead: BTreeMap::new(),
            fills: 0,
        }
    }

    fn play(&mut self, event: &Event) {
        let was_frozen = self.venue.engine.is_frozen(BTC);
        match event {
            Event::Frame(content) => {
                let content = dated(content.clone(), self.at);
                self.receive(content);
            }
            Event::Again => {
                if let Some(content) = self.last.clone() {
                    self.receive(content);
                }
            }
            Event::Market(side, lots) => self.place(order(BTC, *side, Lots(*lots))),
            Event::Limit(side, lots, at) => {
                let price = px(MIDDLE + at);
                self.place(OrderParams {
                    mode: PlaceMode::Limit { price },
                    ..order(BTC, *side, Lots(*lots))
                });
            }
            Event::Stop(side, at) => {
                let trigger = px(MIDDLE + at);
                self.place(OrderParams {
                    mode: PlaceMode::StopMarket { trigger },
                    ..order(BTC, *side, Lots(2_000))
                });
            }
            Event::Cancel(place) => {
                if let Some(id) = self.orders.get(*place) {
                    let cancel = EngineCommand::Cancel(*id);
                    // It may have ended.
                    let _ = self.venue.engine.apply(self.venue.me, cancel);
                }
            }
            Event::Pass(span) => {
                self.at += span;
                self.venue.pass(self.at);
            }
        }
        let is_frozen = self.venue.engine.is_frozen(BTC);
        self.check_queues();
        let fills = self.check_fills();
        assert!(
            fills == self.fills || !(was_frozen && is_frozen),
            "a fill inside a gap: {event:?}"
        );
        self.fills = fills;
    }

    fn receive(&mut self, content: FrameContent) {
        self.at += 100;
        self.venue.pass(self.at);
        let frame = self.venue.frame(self.at, content.clone());
        let engine = &self.venue.engine;
        let is_stale = engine.received.at(BTC).stale_since(frame.received_at);
        // A gap that this frame may end, also one that begins with it.
        if engine.is_frozen(BTC) || is_stale.is_some() {
            self.ahead.clear();
        }
        self.venue.line += 1;
        // A book with one empty side may be refused as crossed.
        let _ = self.venue.engine.receive(BTC, &frame);
        self.last = Some(content);
    }

    fn place(&mut self, order: OrderParams) {
        // A refused one has a row, too.
        match self.venue.place(order) {
            Ok(id) => self.orders.push(id),
            Err(refusal) => self.orders.extend(refusal.order),
        }
    }

    /// A queue never grows while its order keeps its place, save by the end of a gap.
    fn check_queues(&mut self) {
        let queues = self.venue.engine.markets.at(BTC).resting.queues();
        let rejoined = self.venue.engine.is_frozen(BTC);
        for (order, ahead) in &queues {
            if let Some(before) = self.ahead.get(order) {
                assert!(
                    ahead <= before || rejoined,
                    "{order}: {before:?}, {ahead:?}"
                );
            }
        }
        self.ahead = if rejoined { BTreeMap::new() } else { queues };
    }

    /// Every booked lot has a frame; no level gave more than it showed, and no print more than its size.
    fn check_fills(&self) -> usize {
        let mut count = 0;
        let mut of_print: BTreeMap<(u64, u64), Lots> = BTreeMap::new();
        for id in &self.orders {
            let evidence = self.venue.evidence(*id);
            let sizes: Lots = evidence.fills.iter().map(|fill| fill.size).sum();
            assert_eq!(sizes, evidence.filled, "{id}");
            assert!(evidence.filled <= evidence.optimistic_filled, "{id}");
            let whole = self.venue.row(*id).initial_size;
            assert!(evidence.optimistic_filled <= whole, "{id}");
            for fill in &evidence.fills {
                count += 1;
                for level in &fill.levels {
                    assert!(level.consumed + level.taken <= level.shown, "{level:?}");
                }
                if let Some(trade) = fill.trade_id {
                    let line = fill.frame.source.line;
                    *of_print.entry((line, trade)).or_default() += fill.size;
                }
            }
        }
        assert!(of_print.values().all(|size| *size <= Lots(60)));
        count
    }
}

/// The venue is 50 ms behind the receiver, and its trades have ids of their own.
fn dated(content: FrameContent, at: i64) -> FrameContent {
    let venue_time = START + Millis(at + 50);
    match content {
        FrameContent::Book(book) => FrameContent::Book(ReceivedBook { venue_time, ..book }),
        FrameContent::Touch(touch) => FrameContent::Touch(ReceivedTouch {
            venue_time,
            ..touch
        }),
        FrameContent::Trades(trades) => {
            let trade = |trade: ReceivedTrade| ReceivedTrade {
                venue_time,
                ..trade
            };
            FrameContent::Trades(trades.into_iter().map(trade).collect())
        }
        other @ (FrameContent::TradeHistory(_)
        | FrameContent::Prices(_)
        | FrameContent::GapBegins) => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_fill_without_a_frame_none_in_a_gap_and_none_beyond_what_was_shown(
        events in prop::collection::vec(event(), 1..80),
        max_delay in prop_oneof![Just(0_i64), Just(700)],
    ) {
        let mut run = Run::new(max_delay);
        for event in &events {
            run.play(event);
        }
    }

    #[test]
    fn the_same_frames_and_commands_give_one_hash_also_across_restarts(
        events in prop::collection::vec(event(), 1..60),
        max_delay in prop_oneof![Just(0_i64), Just(700)],
    ) {
        let (mut through, mut resumed) = (Run::new(max_delay), Run::new(max_delay));
        let mut shelf = Shelf::default();
        for (place, event) in events.iter().enumerate() {
            through.play(event);
            if place % 7 == 0 {
                shelf.restart(&mut resumed.venue.engine);
            }
            resumed.play(event);
        }
        prop_assert_eq!(through.venue.engine.log_hash(), resumed.venue.engine.log_hash());
        for id in &through.orders {
            prop_assert_eq!(through.venue.evidence(*id), resumed.venue.evidence(*id));
        }
    }
}
