//! A received market: the test plays the feed, frame by frame.

use super::desk::{START, lax, order, spec};
use crate::exchange::engine::*;

pub(super) const BTC: MarketIx = MarketIx(0);

pub(super) struct Venue {
    pub(super) engine: Engine,
    pub(super) me: AccountIx,
    /// The line of the next frame.
    pub(super) line: u64,
}

/// Prices count 0.1 USD, sizes 0.00001 coins.
pub(super) fn lots(coins: &str) -> Lots {
    let (whole, part) = coins.split_once('.').unwrap_or((coins, ""));
    Lots(format!("{whole}{part:0<5}").parse().unwrap())
}

pub(super) fn px(dollars: i64) -> Px {
    Px(dollars * 10)
}

/// `"6.5@105056 0.2@105057"`
pub(super) fn levels(text: &str) -> Vec<BookLevel> {
    let level = |text: &str| {
        let (size, price) = text.split_once('@').unwrap();
        BookLevel {
            px: px(price.parse().unwrap()),
            size: lots(size),
        }
    };
    text.split_whitespace().map(level).collect()
}

/// `(milliseconds after the start, at the venue)`, as every frame of the tests.
pub(super) fn book(venue: i64, bids: &str, asks: &str) -> FrameContent {
    FrameContent::Book(ReceivedBook {
        venue_time: START + Millis(venue),
        bids: levels(bids),
        asks: levels(asks),
    })
}

/// A trade per level, all at one time.
pub(super) fn trades(aggressor: Side, venue: i64, of: &str) -> Vec<ReceivedTrade> {
    let trade = |(place, level): (usize, BookLevel)| ReceivedTrade {
        id: u64::try_from(venue).unwrap() * 100 + place as u64,
        venue_time: START + Millis(venue),
        aggressor,
        px: level.px,
        size: level.size,
    };
    levels(of).into_iter().enumerate().map(trade).collect()
}

pub(super) fn mark(dollars: i64) -> FrameContent {
    FrameContent::Prices(ReceivedPrices {
        mark: Some(px(dollars)),
        oracle: Some(px(dollars)),
        ..ReceivedPrices::default()
    })
}

impl Venue {
    pub(super) fn new() -> Self {
        Self::with(ReceivedRules::default())
    }

    pub(super) fn with(rules: ReceivedRules) -> Self {
        let account = AccountSpec {
            id: "me".to_owned(),
            cash: Usd::dollars(10_000_000),
            rules: lax(),
            terms: AccountTerms::default(),
        };
        let engine = Engine::new(EngineConfig {
            seed: 1,
            start: START,
            feed: PriceFeed::Received(rules),
            fees: FeeRates::default(),
            venue: VenueSpec::default(),
            markets: vec![spec("BTC", 5, 40, "105056")],
            accounts: vec![account],
        });
        Self {
            me: engine.account("me").unwrap(),
            engine,
            line: 0,
        }
    }

    /// The frame of the next line, received so many milliseconds after the start.
    pub(super) fn frame(&self, at: i64, content: FrameContent) -> ReceivedFrame {
        ReceivedFrame {
            source: FrameSource {
                feed: "test".to_owned(),
                origin: FrameOrigin::File("btc.gz".to_owned()),
                line: self.line,
            },
            received_at: START + Millis(at),
            content,
        }
    }

    pub(super) fn receive(&mut self, at: i64, content: FrameContent) {
        let frame = self.frame(at, content);
        self.line += 1;
        self.pass(at);
        self.engine.receive(BTC, &frame).unwrap();
    }

    /// Time passes without a frame.
    pub(super) fn pass(&mut self, to: i64) {
        self.engine.advance_to(START + Millis(to));
    }

    pub(super) fn book(&mut self, at: i64, venue: i64, bids: &str, asks: &str) {
        self.receive(at, book(venue, bids, asks));
    }

    pub(super) fn sells(&mut self, at: i64, venue: i64, of: &str) {
        let sells = trades(Side::Sell, venue, of);
        self.receive(at, FrameContent::Trades(sells));
    }

    pub(super) fn place(&mut self, order: OrderParams) -> CommandResult<OrderId> {
        let done = self.engine.apply(self.me, EngineCommand::Place(order))?;
        let CommandOutcome::Order(id) = done else {
            panic!("an order was placed, not {done:?}")
        };
        Ok(id)
    }

    pub(super) fn market(&mut self, side: Side, coins: &str) -> CommandResult<OrderId> {
        self.place(order(BTC, side, lots(coins)))
    }

    pub(super) fn limit(&mut self, side: Side, coins: &str, dollars: i64) -> OrderId {
        let price = px(dollars);
        self.place(OrderParams {
            mode: PlaceMode::Limit { price },
            ..order(BTC, side, lots(coins))
        })
        .unwrap()
    }

    pub(super) fn row(&self, id: OrderId) -> &OrderRecord {
        self.engine.order(self.me, id).unwrap()
    }

    pub(super) fn evidence(&self, id: OrderId) -> OrderEvidence<'_> {
        self.engine.order_evidence(self.me, id).unwrap()
    }

    /// `"walk 0: 6.5@105056 0.2@105057"`, one for each fill: cause, line, levels or size.
    pub(super) fn fills(&self, id: OrderId) -> Vec<String> {
        let shown = |lots: Lots, px: Px| format!(" {}@{}", lots.shown(5), px.0 / 10);
        let fill = |fill: &&FillEvidence| {
            let cause: &str = fill.cause.into_str();
            let levels = fill.levels.iter();
            let levels: String = levels.map(|level| shown(level.taken, level.px)).collect();
            let own = self.row(id).limit_price.unwrap_or_default();
            let parts = match fill.cause {
                FillCause::Walk => levels,
                FillCause::Trade | FillCause::Through | FillCause::Cross => shown(fill.size, own),
            };
            format!("{cause} {}:{parts}", fill.frame.source.line)
        };
        self.evidence(id).fills.iter().map(fill).collect()
    }

    /// What is ahead of a resting order at its price, if that is known.
    pub(super) fn ahead(&self, id: OrderId) -> Option<Lots> {
        let queues = self.engine.markets.at(BTC).resting.queues();
        queues.get(&id).copied()
    }

    /// Booked, and in the optimistic queue.
    pub(super) fn bracket(&self, id: OrderId) -> (Lots, Lots) {
        let evidence = self.evidence(id);
        (evidence.filled, evidence.optimistic_filled)
    }
}
