//! Invariants that hold for any sequence of commands (docs/engine.md 6.10).
//!
//! 1 000 sequences by default. A long run is `PROPTEST_CASES=50000 cargo test --release --lib sequences --
//! --nocapture`; it also runs as many of the service's (invariants 14 to 17, `exchange/tests/sequences.rs`) and prints
//! how many ran and what they reached. The numbers in the messages are those of the invariants: 1 to 4, 8, 11 to 13 are
//! checked here after every act, 5 to 7 at every fill (`replay.rs`), 9 and 10 in tests of their own below. `reached.rs`
//! checks that the sequences reach every case: sequences in which nothing happens prove nothing.

use std::collections::BTreeMap;

use proptest::{prelude::*, test_runner::TestRunner};

use super::{
    checkpoint::Shelf,
    desk::{Desk, ETH, SOL, lax, markets, order},
    kept_sequences::KeptDesk,
    reached::{EVERYTHING, Reached},
    replay::Replay,
};
use crate::exchange::{
    engine::*,
    tests::sequences::{Tally, config},
};

/// One act; `Story` gives its small numbers a meaning.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    Market(Terms),
    Limit(Terms, i64),
    /// At this distance from the price on the side it waits for; negative on the other side.
    Trigger(Terms, i64),
    /// A stop for one of the open positions, at this distance from the price.
    Stop(usize, i64),
    Chase(Terms),
    Twap(Terms),
    Scaled(Terms, i64),
    CancelOne(usize),
    StopTwaps,
    CancelScaled,
    /// Closes this much of the oldest position, in one of three ways, at this distance from the price.
    CloseSome(u8, i64),
    ForceClose,
    Extra(u8),
    Exits(usize, i64),
    /// A new price, and with some a new size.
    Modify(usize, i64),
    /// A pair of exits for an open position, at this distance, in place of one or beside it.
    Batch(usize, i64),
    /// The price moves by tenths of a percent, the book gets this depth, and one side may be empty.
    Move(usize, i64, i64, Option<Side>),
    Trade(usize, Side, i64, i64),
    Wait(u8),
    /// To the next hour, when funding is paid, skipping the time between.
    Hour,
    /// To the next day.
    Midnight,
    /// Stored and restored.
    Restart,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    market: usize,
    side: Side,
    size: i64,
    leverage: u32,
    margin_mode: MarginMode,
    reduction: Reduction,
    tif: u8,
    bracket: bool,
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Buy), Just(Side::Sell)]
}

/// Cross on one market and isolated on the other, mostly.
fn terms() -> impl Strategy<Value = Terms> {
    let reduction = prop_oneof![5 => Just(Reduction::May), 1 => Just(Reduction::Only)];
    (
        (ETH..=SOL, side(), 1..4_000_i64, 1..22_u32),
        (prop::bool::weighted(0.1), reduction, 0..6_u8, any::<bool>()),
    )
        .prop_map(
            |((market, side, size, leverage), (forgets, reduction, tif, bracket))| Terms {
                market,
                side,
                size,
                leverage,
                margin_mode: if (market == ETH) == forgets {
                    MarginMode::Isolated
                } else {
                    MarginMode::Cross
                },
                reduction,
                tif,
                bracket,
            },
        )
}

/// Tenths of a percent from the price; sometimes at an invalid distance.
fn away() -> impl Strategy<Value = i64> {
    prop_oneof![29 => -30..30_i64, 1 => Just(1_990)]
}

fn gap() -> impl Strategy<Value = i64> {
    prop_oneof![6 => -60..60_i64, 1 => -400..400_i64, 1 => Just(-300), 1 => Just(300)]
}

pub(super) fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => terms().prop_map(Act::Market),
        4 => (terms(), away()).prop_map(|(terms, away)| Act::Limit(terms, away)),
        6 => (terms(), -5..30_i64).prop_map(|(terms, away)| Act::Trigger(terms, away)),
        4 => (0..3_usize, 1..40_i64).prop_map(|(which, away)| Act::Stop(which, away)),
        1 => terms().prop_map(Act::Chase),
        2 => terms().prop_map(Act::Twap),
        1 => (terms(), 1..30_i64).prop_map(|(terms, away)| Act::Scaled(terms, away)),
        1 => (0..9_usize).prop_map(Act::CancelOne),
        1 => Just(Act::StopTwaps),
        1 => Just(Act::CancelScaled),
        2 => (any::<u8>(), -30..30_i64).prop_map(|(part, away)| Act::CloseSome(part, away)),
        1 => Just(Act::ForceClose),
        1 => any::<u8>().prop_map(Act::Extra),
        1 => (0..9_usize, -30..30_i64).prop_map(|(which, away)| Act::Exits(which, away)),
        3 => (0..9_usize, -30..30_i64).prop_map(|(which, away)| Act::Modify(which, away)),
        3 => (0..3_usize, -5..30_i64).prop_map(|(which, away)| Act::Batch(which, away)),
        6 => (ETH..=SOL, gap(), 1..400_i64, prop::option::weighted(0.05, side()))
            .prop_map(|(market, by, depth, gone)| Act::Move(market, by, depth, gone)),
        4 => (ETH..=SOL, side(), -20..20_i64, 1..3_000_i64)
            .prop_map(|(market, side, away, size)| Act::Trade(market, side, away, size)),
        3 => (1..200_u8).prop_map(Act::Wait),
        1 => Just(Act::Hour),
        1 => Just(Act::Midnight),
        1 => Just(Act::Restart),
    ]
}

/// How far from the price, in tenths of a percent, and how deep; one just beyond each slippage cap.
const LEVELS: [(i64, i64); 6] = [(1, 1), (3, 2), (26, 2), (31, 2), (51, 4), (101, 40)];

pub(super) struct Story {
    pub(super) desk: Desk,
    /// The same, with rows that go some time after their end.
    kept: Option<KeptDesk>,
    price: [i64; 3],
    depth: [i64; 3],
    /// Ended rows as first seen.
    ended: BTreeMap<OrderId, OrderRecord>,
    replay: Replay,
    shelf: Shelf,
    reached: Reached,
}

impl Story {
    pub(super) fn new(cash: i64, rules: ChallengeRules) -> Self {
        let desk = Desk::with(cash, rules, markets());
        Self {
            replay: Replay::new(&desk),
            reached: Reached::new(&desk),
            desk,
            // In tenths of a percent of the opening prices.
            price: [1_000; 3],
            depth: [200; 3],
            ended: BTreeMap::new(),
            shelf: Shelf::default(),
            kept: None,
        }
    }

    /// What happens to one desk happens to the other.
    pub(super) fn with_kept(self, kept: KeptDesk) -> Self {
        let kept = Some(kept);
        Self { kept, ..self }
    }

    pub(super) fn kept(&self) -> &Desk {
        &self.kept.as_ref().unwrap().desk
    }

    fn both(&mut self, happen: impl Fn(&mut Desk)) {
        happen(&mut self.desk);
        if let Some(kept) = &mut self.kept {
            happen(&mut kept.desk);
        }
    }

    fn tick(&mut self, market: usize, tick: &MarketTick) {
        self.both(|desk| {
            desk.engine.inject(market.into(), tick.clone());
            desk.step();
        });
    }

    fn restart(&mut self) {
        self.shelf.restart(&mut self.desk.engine);
        if let Some(kept) = &mut self.kept {
            kept.restart();
        }
    }

    /// A valid price `away` tenths of a percent from the present one.
    fn px(&self, market: usize, away: i64) -> Px {
        let spec = self.desk.engine.market_spec(market.into());
        let raw = spec.start_price.0 * (self.price[market] + away) / 1_000;
        Px(raw.max(1)).round_passive(Side::Buy, spec.size_decimals)
    }

    /// A bracket around a price so far from the present one, for those that have one.
    fn exits(&self, terms: Terms, away: i64) -> AttachedExits {
        let profit = 20 * terms.side.sign();
        if terms.bracket && terms.reduction == Reduction::May {
            AttachedExits {
                take_profit: Some(self.px(terms.market, away + profit)),
                stop_loss: Some(self.px(terms.market, away - profit)),
            }
        } else {
            AttachedExits::default()
        }
    }

    fn tif(&self, terms: Terms) -> Tif {
        let expires_at = self.desk.engine.now() + Millis(5_000);
        match terms.tif {
            0 => Tif::Ioc,
            1 => Tif::Fok,
            2 => Tif::Gtd { expires_at },
            _ => Tif::Gtc,
        }
    }

    fn market(&self, terms: Terms) -> OrderParams {
        OrderParams {
            tif: if terms.tif == 1 { Tif::Fok } else { Tif::Gtc },
            slippage: (terms.tif == 2).then_some(Bps(30)),
            exits: self.exits(terms, 0),
            overlap: if terms.tif > 3 {
                ExitOverlap::Replaced
            } else {
                ExitOverlap::Refused
            },
            ..base(terms)
        }
    }

    fn limit(&self, terms: Terms, away: i64) -> OrderParams {
        OrderParams {
            mode: PlaceMode::Limit {
                price: self.px(terms.market, away),
            },
            tif: self.tif(terms),
            exits: self.exits(terms, away),
            ..base(terms)
        }
    }

    fn chase(&self, terms: Terms) -> OrderParams {
        OrderParams {
            mode: PlaceMode::Chase {
                offset: Px(i64::from(terms.tif) * 100),
                cap: terms
                    .bracket
                    .then(|| self.px(terms.market, 3 * terms.side.sign())),
            },
            ..base(terms)
        }
    }

    fn trigger(&self, terms: Terms, away: i64) -> OrderParams {
        let away = match terms.tif {
            2..=4 => -away * terms.side.sign(),
            _ => away * terms.side.sign(),
        };
        let trigger = self.px(terms.market, away);
        let price = self.px(terms.market, away + 15 * terms.side.sign());
        let mode = match terms.tif {
            0 => PlaceMode::StopMarket { trigger },
            1 => PlaceMode::StopLimit { trigger, price },
            2 => PlaceMode::TakeMarket { trigger },
            3 => PlaceMode::TakeLimit { trigger, price },
            4 => PlaceMode::TakeProfit {
                trigger,
                target: None,
            },
            _ => self.conditional(terms, away),
        };
        let expires_at = self.desk.engine.now() + Millis(30_000);
        OrderParams {
            mode,
            tif: if terms.bracket {
                Tif::Gtd { expires_at }
            } else {
                Tif::Gtc
            },
            ..base(terms)
        }
    }

    fn stop(&self, held: &PositionRecord, away: i64) -> OrderParams {
        let market = usize::from(held.market);
        let side = if held.size.0 > 0 {
            Side::Sell
        } else {
            Side::Buy
        };
        let trigger = self.px(market, away * side.sign());
        Desk::reduce_only(OrderParams {
            mode: PlaceMode::StopMarket { trigger },
            margin_mode: held.margin_mode,
            ..order(held.market, side, held.size.abs())
        })
    }

    /// Triggers on the other market's price.
    fn conditional(&self, terms: Terms, away: i64) -> PlaceMode {
        let watched = if terms.market == ETH { SOL } else { ETH };
        PlaceMode::Conditional {
            market: watched.into(),
            trigger: self.px(watched, away),
            direction: if away > 0 {
                TriggerDirection::Above
            } else {
                TriggerDirection::Below
            },
        }
    }

    fn twap(&self, terms: Terms) -> EngineCommand {
        let base = base(terms);
        EngineCommand::PlaceTwap(TwapParams {
            kind: if terms.bracket {
                Curve::Vwap
            } else {
                Curve::Twap
            },
            market: base.market,
            side: base.side,
            size: base.size,
            leverage: base.leverage,
            margin_mode: base.margin_mode,
            reduction: base.reduction,
            duration_minutes: 5,
            slice_interval_seconds: None,
            pacing: if terms.tif > 2 {
                Pacing::Randomized
            } else {
                Pacing::Even
            },
            trigger_price: (terms.tif == 0).then(|| self.px(terms.market, 10)),
            max_price: (terms.tif == 1).then(|| self.px(terms.market, 15)),
            min_price: (terms.tif == 2).then(|| self.px(terms.market, -15)),
        })
    }

    fn scaled(&self, terms: Terms, away: i64) -> EngineCommand {
        let base = base(terms);
        EngineCommand::PlaceScaled(ScaledParams {
            market: base.market,
            side: base.side,
            size: base.size,
            leverage: base.leverage,
            margin_mode: base.margin_mode,
            reduction: base.reduction,
            start_price: self.px(terms.market, -terms.side.sign()),
            end_price: self.px(terms.market, -away * terms.side.sign()),
            rung_count: 2 + u32::from(terms.tif),
            distribution: Distribution::Ascending,
        })
    }

    fn working(&self, which: usize) -> Option<OrderId> {
        let mut working = self.desk.engine.working_orders(self.desk.me);
        working.nth(which).map(|row| row.id)
    }

    /// Ended or not.
    fn any_order(&self, which: usize) -> Option<OrderId> {
        let mut orders = self.desk.engine.orders(self.desk.me, None);
        orders.nth(which).map(|row| row.id)
    }

    fn command(&self, act: Act) -> Option<EngineCommand> {
        let place = |order| Some(EngineCommand::Place(order));
        let open = self.desk.engine.open_positions(self.desk.me);
        let first = open.first().map(|row| row.id);
        let isolated = open
            .iter()
            .find(|row| row.margin_mode == MarginMode::Isolated)
            .map(|row| row.id);
        match act {
            Act::Market(terms) => place(self.market(terms)),
            Act::Limit(terms, away) => place(self.limit(terms, away)),
            Act::Trigger(terms, away) => place(self.trigger(terms, away)),
            Act::Stop(which, away) => open.get(which).and_then(|row| place(self.stop(row, away))),
            Act::Chase(terms) => place(self.chase(terms)),
            Act::Twap(terms) => Some(self.twap(terms)),
            Act::Scaled(terms, away) => Some(self.scaled(terms, away)),
            Act::CancelOne(which) => match which % 3 {
                0 => self.any_order(which).map(EngineCommand::Cancel),
                1 => self.working(which).map(EngineCommand::Cancel),
                _ => self.working(which).map(EngineCommand::QueueCancel),
            },
            Act::StopTwaps => {
                let mut live = self.desk.engine.live_twaps(self.desk.me);
                live.next().map(|row| EngineCommand::StopTwap(row.id))
            }
            Act::CancelScaled => {
                let mut scaled = self.desk.engine.scaled_orders(self.desk.me);
                scaled.next().map(|row| EngineCommand::CancelScaled(row.id))
            }
            Act::CloseSome(part, away) => open.first().map(|row| {
                EngineCommand::Close(CloseParams {
                    position: row.id,
                    size: Some(Lots(1 + row.size.0.abs() * i64::from(part) / 256)),
                    expected_price: None,
                    how: self.close_how(usize::from(row.market), away),
                    client_order_id: None,
                })
            }),
            Act::ForceClose => {
                let mut closed = self.desk.engine.closed_positions(self.desk.me, None);
                let last = || closed.next().map(|row| row.id);
                first.or_else(last).map(EngineCommand::ForceClose)
            }
            Act::Extra(dollars) => isolated.or(first).map(|position| {
                EngineCommand::SetIsolatedMargin(SetIsolatedMargin {
                    position,
                    extra: Usd::dollars(i64::from(dollars) * 10),
                })
            }),
            Act::Exits(which, away) => self.working(which).map(|order| self.move_stop(order, away)),
            Act::Modify(which, away) => self.working(which).map(|order| self.modify(order, away)),
            Act::Batch(which, away) => open.get(which).map(|row| self.batch(row, away)),
            Act::Move(..)
            | Act::Trade(..)
            | Act::Wait(_)
            | Act::Hour
            | Act::Midnight
            | Act::Restart => None,
        }
    }

    fn move_stop(&self, order: OrderId, away: i64) -> EngineCommand {
        let market = usize::from(self.desk.row(order).market);
        EngineCommand::SetExits(SetAttachedExits {
            order,
            take_profit: ExitChange::Remove,
            stop_loss: ExitChange::Set(self.px(market, away)),
        })
    }

    fn modify(&self, order: OrderId, away: i64) -> EngineCommand {
        let row = self.desk.row(order);
        let market = row.trigger_market.unwrap_or(row.market);
        EngineCommand::Modify(OrderChange {
            order,
            price: self.px(usize::from(market), away),
            size: (away % 2 == 0).then_some(Lots(row.size.0 / 2 + 1)),
        })
    }

    /// Half of the position; the first exit is moved, canceled or left.
    fn batch(&self, held: &PositionRecord, away: i64) -> EngineCommand {
        let market = usize::from(held.market);
        let sign = held.size.0.signum();
        let exits = self.desk.engine.position_exits(self.desk.me, held.id);
        let known = exits.first().and_then(|exit| match away % 3 {
            0 => Some(ExitBatchStep::Cancel(exit.id)),
            1 => Some(ExitBatchStep::Modify(OrderChange {
                order: exit.id,
                price: self.px(market, -away * sign),
                size: None,
            })),
            _ => None,
        });
        let next = usize::from(known.is_some());
        let exit = |group, away: i64, pair| {
            ExitBatchStep::Place(NewExit {
                group,
                execution: if away % 2 == 0 {
                    ExecutionType::Limit
                } else {
                    ExecutionType::Market
                },
                price: self.px(market, away),
                size: Lots(held.size.0.abs() / 2 + 1),
                pair,
            })
        };
        let operations = known.into_iter().chain([
            exit(ExitGroup::Sl, -away * sign, Some(next + 1)),
            exit(ExitGroup::Tp, away * sign, None),
        ]);
        EngineCommand::ChangeExits(ChangeExits {
            position: held.id,
            operations: operations.collect(),
        })
    }

    fn close_how(&self, market: usize, away: i64) -> CloseHow {
        match away.rem_euclid(3) {
            0 => CloseHow::Market { slippage: None },
            1 => CloseHow::Limit {
                price: self.px(market, away),
                crossing: if away > 0 {
                    Crossing::Acknowledged
                } else {
                    Crossing::Unacknowledged
                },
            },
            _ => CloseHow::Conditional {
                market: None,
                trigger: self.px(market, away),
                direction: if away > 0 {
                    TriggerDirection::Above
                } else {
                    TriggerDirection::Below
                },
                slippage: None,
            },
        }
    }

    /// A new book around the present price, without the side that is `gone`.
    fn refresh(&mut self, market: usize, gone: Option<Side>) {
        let level = |away: i64, depth: i64| BookLevel {
            px: self.px(market, away),
            size: Lots(self.depth[market] * depth),
        };
        let levels = |side: Side| -> Vec<BookLevel> {
            let there = LEVELS.iter().filter(|_| gone != Some(side));
            there
                .map(|(away, depth)| level(-side.sign() * away, *depth))
                .collect()
        };
        let tick = MarketTick {
            trades: Vec::new(),
            bids: levels(Side::Buy),
            asks: levels(Side::Sell),
            oracle: self.px(market, 0),
        };
        self.replay.refreshed(market.into(), &tick);
        self.tick(market, &tick);
    }

    /// Somebody else trades; the rest of the book stays.
    fn trade(&mut self, market: usize, trade: MarketTrade) {
        let tick = MarketTick {
            oracle: self.px(market, 0),
            ..self.replay.traded(market.into(), trade)
        };
        self.tick(market, &tick);
    }

    pub(super) fn happen(&mut self, act: Act) {
        match act {
            Act::Move(market, by, depth, gone) => {
                let to = self.price[market] * (1_000 + by) / 1_000;
                self.price[market] = to.clamp(200, 5_000);
                self.depth[market] = depth;
                self.refresh(market, gone);
            }
            Act::Trade(market, aggressor, away, size) => {
                let trade = MarketTrade {
                    aggressor,
                    px: self.px(market, away),
                    size: Lots(size),
                };
                self.trade(market, trade);
            }
            Act::Wait(quarters) => self.both(|desk| desk.pass(Millis(i64::from(quarters) * 250))),
            Act::Hour => self.both(Desk::next_hour),
            Act::Midnight => self.both(Desk::next_day),
            Act::Restart => self.restart(),
            Act::Market(_)
            | Act::Limit(..)
            | Act::Trigger(..)
            | Act::Stop(..)
            | Act::Chase(_)
            | Act::Twap(_)
            | Act::Scaled(..)
            | Act::CancelOne(_)
            | Act::StopTwaps
            | Act::CancelScaled
            | Act::CloseSome(..)
            | Act::ForceClose
            | Act::Extra(_)
            | Act::Exits(..)
            | Act::Modify(..)
            | Act::Batch(..) => self.ask(act),
        }
    }

    /// An accepted opening order leaves no margin shortfall.
    fn ask(&mut self, act: Act) {
        let Some(command) = self.command(act) else {
            return;
        };
        let gross = |desk: &Desk| desk.facts().open_notional;
        let before = gross(&self.desk);
        let single = matches!(act, Act::Market(_) | Act::Limit(..) | Act::Chase(_));
        let done = self.desk.apply(command.clone());
        if let Some(kept) = &mut self.kept {
            kept.apply(&command, &done);
        }
        self.reached.command(&command, &done);
        if done.is_ok() && single && gross(&self.desk) > before {
            assert!(
                self.desk.facts().available_margin >= Usd::ZERO,
                "8: {:?} left {}",
                act,
                self.desk.facts().available_margin
            );
        }
    }

    pub(super) fn check(&mut self) {
        let rows: Vec<OrderRecord> = self
            .desk
            .engine
            .orders(self.desk.me, None)
            .cloned()
            .collect();
        self.money(&rows);
        self.positions(&rows);
        for row in &rows {
            self.order(row, &rows);
        }
        self.strategies(&rows);
        self.replay.follow(&self.desk);
        self.reached.events(&self.desk);
        self.indexes(&rows);
    }

    /// Invariants 1 and 2: cash is the sum of its flows, the rows agree, and money is conserved. No account owes
    /// anything: profit of open cross positions covers negative cash.
    fn money(&self, rows: &[OrderRecord]) {
        let deposits: Usd = self
            .desk
            .engine
            .accounts
            .ids()
            .map(|account| self.desk.engine.accounts.at(account).spec.cash)
            .sum();
        assert_eq!(self.desk.engine.money(), deposits, "2: zero sum");
        let account = self.desk.engine.accounts.at(self.desk.me);
        let flows = account.flows;
        let expected =
            account.spec.cash + flows.realized - flows.fees + flows.funding + flows.insurance;
        assert_eq!(account.cash, expected, "1: cash");
        let facts = self.desk.facts();
        assert!(facts.cash >= Usd::ZERO, "cash {}", facts.cash);
        let balance = self.desk.engine.balance(self.desk.me);
        let profit = balance.cross_unrealized.max(Usd::ZERO);
        assert!(facts.insurance_advance <= profit, "advance of {profit}");
        let roots = || rows.iter().filter(|row| row.partial_of.is_none());
        let fees: Usd = roots().map(|row| row.fee).sum();
        let realized: Usd = roots().filter_map(|row| row.realized_pnl).sum();
        assert_eq!((fees, realized), (flows.fees, flows.realized), "1: rows");
    }

    /// Invariant 3: a position is the sum of its fills.
    fn positions(&self, rows: &[OrderRecord]) {
        for market in self.desk.engine.market_ixs() {
            let filled: Lots = rows
                .iter()
                .filter(|row| row.partial_of.is_none() && row.market == market)
                .map(|row| Lots(row.side.sign() * row.filled_size.0))
                .sum();
            assert_eq!(self.desk.held(usize::from(market)), filled, "3");
        }
        let open = self.desk.engine.open_positions(self.desk.me);
        assert!(open.iter().all(|row| !row.size.is_zero()));
    }

    fn order(&mut self, row: &OrderRecord, rows: &[OrderRecord]) {
        family(row, rows);
        if row.status.is_working() {
            self.pair(row);
            let whole = row.size + row.filled_size;
            let exact = whole == row.initial_size;
            let shrunk = row.reduce_only && whole < row.initial_size;
            assert!(exact || shrunk, "4: {row:?}");
            assert_eq!((row.settled_at, row.canceled_at), (None, None), "13");
            return;
        }
        assert!(row.settled_at.is_some() != row.canceled_at.is_some(), "13");
        let first = self.ended.entry(row.id).or_insert_with(|| row.clone());
        // A later leg may be linked to an ended entry; no visible field changes.
        first.links = row.links;
        assert_eq!(first, row, "13: ended rows stay");
    }

    /// Two working exits name each other, or neither.
    fn pair(&self, row: &OrderRecord) {
        if let Some(sibling) = row.links.oco.map(|id| self.desk.row(id)) {
            assert!(sibling.status.is_working(), "{row:?} and {sibling:?}");
            assert_eq!(sibling.links.oco, Some(row.id));
        }
    }

    /// 11, 12.
    fn strategies(&self, rows: &[OrderRecord]) {
        for twap in self.desk.engine.twaps.ids() {
            let twap = self.desk.engine.twaps.at(twap);
            let children: Lots = rows
                .iter()
                .filter(|row| row.twap == Some(twap.id) && row.partial_of.is_none())
                .map(|row| row.filled_size)
                .sum();
            assert_eq!(children, twap.filled_size.abs(), "11");
            assert!(twap.filled_size.abs() <= twap.total_size.abs(), "11");
            assert!(twap.slices_attempted <= twap.slice_count, "11");
        }
        for scaled in self.desk.engine.scaled_orders(self.desk.me) {
            let total: Lots = scaled.rungs.iter().map(|rung| rung.size).sum();
            assert_eq!(total, scaled.total_size, "12");
            assert_eq!(
                scaled.placed_count + scaled.rejected_count,
                scaled.rung_count,
                "12"
            );
            let works = scaled
                .rungs
                .iter()
                .filter_map(|rung| rung.order)
                .any(|id| self.desk.row(id).status.is_working());
            assert_eq!(works, scaled.status == ScaledStatus::Working, "12");
        }
    }

    /// Every index holds exactly the orders that its rows name.
    fn indexes(&self, rows: &[OrderRecord]) {
        let engine = &self.desk.engine;
        let mut working: Vec<OrderId> = rows
            .iter()
            .filter(|row| row.status.is_working())
            .map(|row| row.id)
            .collect();
        working.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
        let listed: Vec<OrderId> = engine
            .working_orders(self.desk.me)
            .map(|row| row.id)
            .collect();
        assert_eq!(working, listed);
        for market in engine.market_ixs() {
            let resting = rows
                .iter()
                .filter(|row| row.market == market && row.status == OrderStatus::Resting)
                .count();
            assert_eq!(engine.markets.at(market).resting.len(), resting);
        }
        for row in rows
            .iter()
            .filter(|row| row.status.is_working() && row.reduce_only)
        {
            assert!(row.size <= engine.reducible(row), "5: {row:?}");
        }
    }
}

/// The cash that backs no isolated position.
struct Stake {
    free: Usd,
    all_isolated: bool,
    seen: u64,
}

impl Stake {
    fn new(desk: &Desk) -> Self {
        let facts = desk.facts();
        let open = desk.engine.open_positions(desk.me);
        let isolated = |row: &PositionRecord| row.margin_mode == MarginMode::Isolated;
        Self {
            free: facts.cash - facts.insurance_advance - facts.isolated_margin,
            all_isolated: open.iter().all(isolated),
            seen: desk.engine.log_len(),
        }
    }

    fn limits(&self, desk: &Desk) {
        let new = desk.engine.recent_events();
        let mut new = new.take_while(|(number, _)| *number >= self.seen);
        let opens = |(_, event): &(u64, EngineEvent)| {
            if let EngineEvent::Filled { row, .. } = *event {
                !desk.row(row).reduce_only
            } else {
                false
            }
        };
        let free = Self::new(desk).free;
        if self.all_isolated && !new.any(opens) {
            assert!(free >= self.free, "{free} of {}", self.free);
        }
    }
}

fn base(terms: Terms) -> OrderParams {
    OrderParams {
        market: terms.market.into(),
        side: terms.side,
        size: Lots(if terms.market == ETH {
            terms.size * 20
        } else {
            terms.size
        }),
        leverage: terms.leverage,
        margin_mode: terms.margin_mode,
        expected_price: NanoPx::ZERO,
        reduction: terms.reduction,
        tif: Tif::Gtc,
        slippage: None,
        exits: AttachedExits::default(),
        overlap: ExitOverlap::Refused,
        mode: PlaceMode::Market,
        client_order_id: None,
    }
}

/// The default challenge; rules that never apply; and a challenge that is passed or lost soon, on a venue with gradual
/// liquidation.
pub(super) fn rules() -> impl Strategy<Value = ChallengeRules> {
    let quick = ChallengeRules {
        max_daily_loss: Bps(1_000_000),
        drawdown: Drawdown::Trailing,
        max_account_leverage: 3,
        max_position_multiple: 1,
        max_open_positions: 1,
        profit_target: Bps(1),
        min_trading_days: 1,
        consistency: Bps(10_000),
        ..ChallengeRules::default()
    };
    prop_oneof![Just(ChallengeRules::default()), Just(lax()), Just(quick)]
}

#[test]
fn the_books_balance_whatever_happens() {
    let told = std::cell::RefCell::new(Tally::default());
    let cash = prop_oneof![Just(3_000_i64), Just(50_000)];
    let acts = prop::collection::vec(act(), 1..60);
    let stories = (cash, rules(), any::<bool>(), acts);
    let done = TestRunner::new(config()).run(&stories, |(cash, rules, gradual, acts)| {
        let mut story = Story::new(cash, rules);
        if gradual {
            story.desk.engine.venue.liquidation = LiquidationMode::Gradual;
        }
        for act in acts {
            let before = Stake::new(&story.desk);
            story.happen(act);
            story.check();
            if !matches!(act, Act::Extra(_)) {
                before.limits(&story.desk);
            }
        }
        told.borrow_mut().add(story.reached.tally);
        Ok(())
    });
    if let Err(why) = done {
        panic!("{why}");
    }
    told.borrow().tell("the books balance", EVERYTHING);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_position_is_liquidated_past_its_liquidation_price_and_not_before(
        long in any::<bool>(),
        size in 1..50_000_i64,
        leverage in 1..20_u32,
        extra in 0..2_000_i64,
    ) {
        let mut desk = Desk::new(10_000_000);
        let side = if long { Side::Buy } else { Side::Sell };
        let order = OrderParams {
            size: Lots(size),
            leverage,
            margin_mode: MarginMode::Isolated,
            ..desk.order(SOL, side, "1")
        };
        prop_assume!(size >= 10);
        desk.place(order).unwrap();
        let id = desk.position(SOL).unwrap().id;
        desk.engine.positions.at_mut(id).extra = Usd::dollars(extra);
        let position = desk.engine.positions.at(id).clone();
        if let Some(price) = desk.engine.liquidation_price(&position) {
            // One price unit is 100 000 nano-USD here.
            let floor = Px(price.0.div_euclid(100_000));
            let towards = i64::from(long);
            let mut liquidated_at = |px: Px| {
                desk.engine.markets.at_mut(SOL.into()).mark = px;
                desk.engine.is_liquidatable(&position)
            };
            let (past, before) = if towards == 1 {
                (floor - Px(1), floor + Px(2))
            } else {
                (floor + Px(2), floor - Px(1))
            };
            prop_assert!(past <= Px::ZERO || liquidated_at(past));
            prop_assert!(!liquidated_at(before));
        }
    }

    /// Invariant 10: whatever the gap and the depth of the book, an isolated position loses at most its margin, and the
    /// account's other positions do not change.
    #[test]
    fn an_isolated_position_never_costs_more_than_its_margin_and_never_touches_its_neighbour(
        (long, lots, leverage, extra) in (any::<bool>(), 10..20_000_i64, 1..20_u32, 0..500_i64),
        (isolated, neighbour_long) in (any::<bool>(), any::<bool>()),
        (gap, depth) in (-950..2_000_i64, 0..30_000_i64),
    ) {
        let mut desk = Desk::new(10_000_000);
        let side = |long| if long { Side::Buy } else { Side::Sell };
        let other = desk.order(ETH, side(neighbour_long), "2");
        let margin_mode = if isolated { MarginMode::Isolated } else { MarginMode::Cross };
        desk.place(OrderParams { margin_mode, ..other }).unwrap();
        let order = OrderParams {
            size: Lots(lots),
            leverage,
            margin_mode: MarginMode::Isolated,
            ..desk.order(SOL, side(long), "1")
        };
        desk.place(order).unwrap();
        desk.set_extra(SOL, &extra.to_string()).unwrap();
        let margin = desk.margin(SOL);
        // The backing of a cross position moves with the cash; its other fields do not.
        let neighbour = |desk: &Desk| PositionRecord {
            liquidation_price: None,
            ..desk.position(ETH).unwrap()
        };
        let before = (desk.facts().cash, neighbour(&desk));
        let to = Px(1_000_000 * (1_000 + gap) / 1_000).round_passive(Side::Buy, 2);
        let level = |px: Px| BookLevel { px, size: Lots(depth) };
        let book = |px: Px| if depth == 0 { vec![] } else { vec![level(px)] };
        let tick = MarketTick {
            trades: Vec::new(),
            bids: book(to - Px(10)),
            asks: book(to + Px(10)),
            oracle: to,
        };
        desk.engine.inject(SOL.into(), tick);
        desk.step();
        let lost = before.0 - desk.facts().cash;
        prop_assert!(lost <= margin, "10: lost {lost} of {margin}");
        prop_assert_eq!(neighbour(&desk), before.1, "10: the neighbour");
        prop_assert_eq!(desk.engine.money(), Usd::dollars(20_000_000), "2");
    }
}

/// Invariant 4: a row's price, size and notional agree, and the slices of an order sum to its own row.
fn family(row: &OrderRecord, rows: &[OrderRecord]) {
    if row.status == OrderStatus::Filled {
        assert_eq!(row.size, row.filled_size, "4: {row:?}");
    }
    let slices: Vec<_> = rows
        .iter()
        .filter(|slice| slice.partial_of == Some(row.id))
        .collect();
    if slices.is_empty() {
        return;
    }
    let lots: Lots = slices.iter().map(|slice| slice.filled_size).sum();
    let notional: Usd = slices.iter().map(|slice| slice.notional).sum();
    let fee: Usd = slices.iter().map(|slice| slice.fee).sum();
    let realized: Usd = slices.iter().filter_map(|slice| slice.realized_pnl).sum();
    assert_eq!(
        (lots, notional, fee, realized),
        (
            row.filled_size,
            row.notional,
            row.fee,
            row.realized_pnl.unwrap_or(Usd::ZERO)
        ),
        "4: family of {}",
        row.id
    );
}
