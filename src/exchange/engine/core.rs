//! The engine: the data of all markets and accounts, and the only way to change it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    market::{
        feed::{FeedGenerator, RngStream},
        history::{HistoryOrigin, MarketHistory},
        market_state::MarketState,
        public_book::PublicBook,
        received::ReceivedMarket,
    },
    state::{
        AccountHistory, AccountIx, AccountState, Arena, Bps, CommandOutcome, CommandRefusal,
        CommandResult, Counterparty, EngineCommand, EngineConfig, EngineEvent, FeeRates,
        FillEvidence, HashedEventLog, LiquidityRole, MarketIx, Millis, OrderId, OrderRecord,
        PositionId, PositionState, PriceFeed, RowRing, ScaledId, ScaledRecord, TwapId, TwapRecord,
        Usd, VenueSpec,
    },
};

/// The whole exchange: markets, accounts, orders and the clock. Rows and histories are kept apart by a checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub struct Engine {
    pub(crate) now: Millis,
    pub(crate) fees: FeeRates,
    pub(crate) venue: VenueSpec,
    #[serde(skip)]
    pub(crate) markets: Arena<MarketIx, MarketState>,
    /// One of each market if they are received, else none.
    #[serde(skip)]
    pub(crate) received: Arena<MarketIx, ReceivedMarket>,
    #[serde(skip)]
    pub(crate) accounts: Arena<AccountIx, AccountState>,
    #[serde(skip)]
    pub(crate) orders: Arena<OrderId, OrderRecord>,
    #[serde(skip)]
    pub(crate) positions: Arena<PositionId, PositionState>,
    #[serde(skip)]
    pub(crate) twaps: Arena<TwapId, TwapRecord>,
    #[serde(skip)]
    pub(crate) scaled: Arena<ScaledId, ScaledRecord>,
    #[serde(skip)]
    pub(crate) market_histories: Arena<MarketIx, MarketHistory>,
    #[serde(skip)]
    pub(crate) account_histories: Arena<AccountIx, AccountHistory>,
    /// One of each received market.
    #[serde(skip)]
    pub(crate) evidence: Arena<MarketIx, RowRing<FillEvidence>>,
    pub(crate) counterparty: Counterparty,
    /// Orders with an expiry, armed or resting.
    pub(crate) expiring: BTreeSet<(Millis, OrderId)>,
    /// Armed orders that the next step cancels.
    pub(crate) cancel_queue: Vec<OrderId>,
    /// Active strategies by the time of their next slice.
    pub(crate) slices_due: BTreeSet<(Millis, TwapId)>,
    /// The next position number in a queue.
    pub(crate) priority: u64,
    pub(crate) generator: Option<FeedGenerator>,
    pub(crate) rng: RngStream,
    pub(crate) log: HashedEventLog,
    /// How long rows stay after their end; `None`: for ever. A checkpoint does not store it.
    #[serde(skip)]
    pub(crate) keep: Option<Millis>,
}

impl Engine {
    pub fn new(config: EngineConfig) -> Self {
        let generator = match config.feed {
            PriceFeed::Synthetic => Some(FeedGenerator::new(config.seed, &config.markets)),
            PriceFeed::Scripted | PriceFeed::Received(_) => None,
        };
        let mut engine = Self {
            now: config.start,
            fees: config.fees,
            venue: config.venue,
            markets: Arena::default(),
            received: Arena::default(),
            accounts: Arena::default(),
            orders: Arena::default(),
            positions: Arena::default(),
            twaps: Arena::default(),
            scaled: Arena::default(),
            market_histories: Arena::default(),
            account_histories: Arena::default(),
            evidence: Arena::default(),
            counterparty: Counterparty::default(),
            expiring: BTreeSet::new(),
            cancel_queue: Vec::new(),
            slices_due: BTreeSet::new(),
            priority: 0,
            generator,
            rng: RngStream::new(config.seed, "strategies"),
            log: HashedEventLog::default(),
            keep: None,
        };
        for spec in config.markets {
            let (at, px) = (config.start, spec.start_price);
            let origin = HistoryOrigin { at, px };
            engine.market_histories.push(MarketHistory::new(origin));
            engine.markets.push(MarketState::new(spec, at));
            if let PriceFeed::Received(rules) = config.feed {
                engine.received.push(ReceivedMarket::new(rules));
                engine.evidence.push(FillEvidence::none());
            }
        }
        for spec in config.accounts {
            engine.account_histories.push(AccountHistory::default());
            engine.accounts.push(AccountState::new(spec, config.start));
        }
        engine.open_markets();
        engine.sample_equity();
        engine
    }

    /// Virtual time: the end of the last whole step.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Carries out one command at the current virtual time. A refusal that names an order recorded it as rejected;
    /// any other refusal changed nothing. An unknown account is refused as not found.
    pub fn apply(
        &mut self,
        account: AccountIx,
        command: EngineCommand,
    ) -> CommandResult<CommandOutcome> {
        if self.accounts.get(account).is_none() {
            return Err(CommandRefusal::not_found("account"));
        }
        match command {
            EngineCommand::Place(order) => self.place(account, &order).map(CommandOutcome::Order),
            EngineCommand::Close(close) => self.close(account, &close).map(CommandOutcome::Order),
            EngineCommand::Cancel(id) => self.cancel(account, id).map(CommandOutcome::Cancel),
            EngineCommand::QueueCancel(id) => {
                self.queue_cancel(account, id).map(CommandOutcome::Cancel)
            }
            EngineCommand::SetExits(exits) => {
                self.set_exits(account, exits).map(CommandOutcome::Order)
            }
            EngineCommand::SetIsolatedMargin(margin) => self
                .set_isolated_margin(account, margin)
                .map(CommandOutcome::Position),
            EngineCommand::PlaceTwap(twap) => {
                self.place_twap(account, &twap).map(CommandOutcome::Twap)
            }
            EngineCommand::StopTwap(id) => self.stop_twap(account, id).map(CommandOutcome::Twap),
            EngineCommand::PlaceScaled(scaled) => self
                .place_scaled(account, &scaled)
                .map(CommandOutcome::Scaled),
            EngineCommand::CancelScaled(id) => {
                self.cancel_scaled(account, id).map(CommandOutcome::Scaled)
            }
            EngineCommand::Modify(modify) => {
                self.modify(account, modify).map(CommandOutcome::Order)
            }
            EngineCommand::ChangeExits(change) => self
                .change_exits(account, &change)
                .map(CommandOutcome::Position),
            EngineCommand::ForceClose(id) => {
                self.force_close(account, id).map(CommandOutcome::Order)
            }
        }
    }

    /// Moves the synthetic price of a market by `by` from the next step on, within the bounds of [`Engine::has_room`].
    pub fn nudge(&mut self, market: MarketIx, by: Bps) {
        if let Some(generator) = &mut self.generator {
            generator.nudge(market, by);
        }
    }

    /// Whether a nudge would leave the price within one price unit and
    /// `MAX_COUNT` of them.
    pub fn has_room(&self, market: MarketIx, by: Bps) -> bool {
        let generator = self.generator.as_ref();
        generator.is_none_or(|generator| generator.has_room(market, by))
    }

    pub(crate) fn record(&mut self, event: EngineEvent) {
        self.log.record(self.now, event);
    }

    /// Fee of a notional, rounded down to the micro-USD (docs/engine.md 3.5).
    pub(crate) fn fee(&self, notional: Usd, role: LiquidityRole) -> Usd {
        notional.mul_floor(self.fee_rate(role), 100_000)
    }

    /// In hundred-thousandths of the notional.
    pub fn fee_rate(&self, role: LiquidityRole) -> i64 {
        match role {
            LiquidityRole::Taker => self.fees.taker,
            LiquidityRole::Maker => self.fees.maker,
        }
    }

    pub(crate) fn next_priority(&mut self) -> u64 {
        self.priority += 1;
        self.priority
    }

    /// Whether a gap in what is received keeps a market from being matched.
    pub(crate) fn is_frozen(&self, market: MarketIx) -> bool {
        let received = self.received.get(market);
        received.is_some_and(ReceivedMarket::is_frozen)
    }

    pub(crate) fn public_book(&self, market: MarketIx) -> PublicBook<'_> {
        let state = self.markets.at(market);
        let is_received = self.received.get(market).is_some();
        PublicBook {
            others: &state.book,
            accounts: (!is_received).then_some(&state.resting),
        }
    }

    /// The account's open position on a market.
    pub(crate) fn held(&self, account: AccountIx, market: MarketIx) -> Option<&PositionState> {
        let id = self.accounts.at(account).open.get(&market)?;
        Some(self.positions.at(*id))
    }
}
