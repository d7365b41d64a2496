//! Orders of all accounts stand in the public book, and two accounts trade with each other (docs/engine.md 3.6).

use proptest::prelude::*;

use super::desk::{Desk, SOL, usd};
use crate::{exchange::engine::*, model::Num};

/// 10 at 100 bid, 5 at 101 and 20 at 102 offered by other traders.
fn desk() -> Desk {
    let mut desk = Desk::new(1_000_000);
    desk.book(SOL, &[("100", "10")], &[("101", "5"), ("102", "20")], "100");
    desk
}

impl Desk {
    fn other(&self) -> AccountIx {
        self.engine.account("other").unwrap()
    }

    fn places(&mut self, account: AccountIx, order: OrderParams) -> Result<OrderId, Reason> {
        let done = self.engine.apply(account, EngineCommand::Place(order));
        match done.map_err(|refusal| refusal.code)? {
            CommandOutcome::Order(id) => Ok(id),
            CommandOutcome::Cancel(_)
            | CommandOutcome::Position(_)
            | CommandOutcome::Twap(_)
            | CommandOutcome::Scaled(_) => panic!("not an order"),
        }
    }

    fn other_rests(&mut self, side: Side, coins: &str, px: &str) -> OrderId {
        let order = self.limit(SOL, side, coins, px);
        self.places(self.other(), order).unwrap()
    }

    fn rests(&mut self, side: Side, coins: &str, px: &str) -> OrderId {
        self.place(self.limit(SOL, side, coins, px)).unwrap()
    }

    fn order_of_other(&self, id: OrderId) -> OrderRecord {
        self.engine.order(self.other(), id).unwrap().clone()
    }

    /// `"5@101 20@102"`
    fn shown(&self, side: Side) -> String {
        let level = |level: BookLevel| {
            let coins = Num::new(level.size.0, 2).normalized();
            let px = Num::new(level.px.0, 4).normalized();
            format!("{coins}@{px}")
        };
        let levels = self.engine.book_levels(SOL.into(), side);
        levels.map(level).collect::<Vec<_>>().join(" ")
    }

    /// Price and size of the newest trades, newest first.
    fn printed(&self, count: usize) -> Vec<TapeRecord> {
        let trades = self.engine.trades(SOL.into(), None);
        trades.take(count).map(|(_, trade)| *trade).collect()
    }
}

#[test]
fn the_orders_of_all_accounts_are_in_the_public_book() {
    let mut desk = desk();
    desk.rests(Side::Sell, "3", "101.5");
    desk.other_rests(Side::Sell, "2", "101");
    desk.other_rests(Side::Buy, "4", "100.5");
    desk.rests(Side::Buy, "1", "90");
    assert_eq!(desk.shown(Side::Sell), "7@101 3@101.5 20@102");
    assert_eq!(desk.shown(Side::Buy), "4@100.5 10@100 1@90");
    let facts = desk.engine.market_facts(SOL.into());
    assert_eq!(facts.bid, Some(desk.px(SOL, "100.5")));
    let estimate = desk
        .engine
        .fill_estimate(SOL.into(), Side::Buy, desk.lots(SOL, "8"));
    assert_eq!(estimate.unwrap().levels, 2);
    let canceled = desk.engine.working_orders(desk.me).map(|row| row.id);
    for id in canceled.collect::<Vec<_>>() {
        desk.apply(EngineCommand::Cancel(id)).unwrap();
    }
    assert_eq!(desk.shown(Side::Sell), "7@101 20@102");
}

#[test]
fn an_order_takes_the_quotes_and_the_orders_of_another_account_in_price_time_order() {
    let mut desk = desk();
    let behind = desk.other_rests(Side::Sell, "3", "101");
    let better = desk.other_rests(Side::Sell, "2", "100.5");
    let taken = desk.market(SOL, Side::Buy, "8");
    // 2 at 100.5, 5 of other traders at 101, 1 at 101.
    assert_eq!(desk.row(taken).notional, usd("807"));
    assert_eq!(desk.row(taken).fee, usd("0.36315"));
    assert_eq!(desk.order_of_other(better).status, OrderStatus::Filled);
    let behind = desk.order_of_other(behind);
    assert_eq!(behind.filled_size, desk.lots(SOL, "1"));
    assert_eq!(behind.liquidity_role, Some(LiquidityRole::Maker));
    assert_eq!(behind.fee, usd("0.01515"));
    let held = desk.engine.held(desk.other(), SOL.into()).unwrap().size;
    assert_eq!(held, desk.lots(SOL, "-3"));
    assert_eq!(desk.shown(Side::Sell), "2@101 20@102");
}

#[test]
fn a_trade_of_two_accounts_is_one_trade_and_both_of_theirs() {
    let mut desk = desk();
    desk.other_rests(Side::Sell, "2", "100.5");
    desk.market(SOL, Side::Buy, "3");
    let now = desk.engine.now();
    let trade = |px, size, maker| TapeRecord {
        px: desk.px(SOL, px),
        size: desk.lots(SOL, size),
        aggressor: Side::Buy,
        at: now,
        account: Some(desk.me),
        maker,
    };
    let expected = [
        trade("100.5", "2", Some(desk.other())),
        trade("101", "1", None),
    ];
    assert_eq!(desk.printed(2), expected);
    assert_eq!(desk.printed(3).len(), 2);
}

#[test]
fn what_a_taker_leaves_at_a_price_is_the_back_of_the_queue() {
    let mut desk = desk();
    desk.other_rests(Side::Sell, "3", "101");
    desk.market(SOL, Side::Buy, "4");
    // One of the five is left ahead.
    desk.trade(SOL, Side::Buy, "101", "2");
    let held = desk.engine.held(desk.other(), SOL.into()).unwrap().size;
    assert_eq!(held, desk.lots(SOL, "-1"));
}

#[test]
fn orders_of_one_account_never_trade_and_the_newest_ends() {
    let mut desk = desk();
    let own = desk.rests(Side::Sell, "3", "101");
    let working = desk.limit(SOL, Side::Buy, "9", "102");
    let id = desk.place(working).unwrap();
    assert_eq!(
        desk.ending(id),
        (
            OrderStatus::Canceled,
            desk.lots(SOL, "5"),
            Some(Reason::SelfTrade)
        )
    );
    assert_eq!(desk.row(own).status, OrderStatus::Resting);
    let refused = desk.refused(desk.order(SOL, Side::Buy, "1"));
    assert_eq!(refused, (RefusalKind::Rule, Reason::SelfTrade));
    let all = OrderParams {
        tif: Tif::Fok,
        ..desk.limit(SOL, Side::Buy, "1", "102")
    };
    assert_eq!(desk.refused(all).1, Reason::SelfTrade);
    assert_eq!(desk.shown(Side::Sell), "3@101 20@102");
}

#[test]
fn a_venue_may_cancel_the_order_that_rests() {
    let mut desk = desk();
    desk.engine.venue.self_trade = SelfTrade::CancelOldest;
    let own = desk.rests(Side::Sell, "3", "101");
    let taken = desk.market(SOL, Side::Buy, "9");
    // 5 at 101, 4 at 102.
    assert_eq!(desk.row(taken).notional, usd("913"));
    assert_eq!(
        desk.ending(own),
        (OrderStatus::Canceled, Lots::ZERO, Some(Reason::SelfTrade))
    );
}

#[test]
fn an_own_order_keeps_no_position_from_being_closed() {
    let mut desk = desk();
    desk.market(SOL, Side::Buy, "4");
    let own = desk.rests(Side::Buy, "1", "100.5");
    let close = desk.order(SOL, Side::Sell, "4");
    desk.place(Desk::reduce_only(close)).unwrap();
    assert_eq!(desk.position(SOL), None);
    assert_eq!(desk.row(own).reason, Some(Reason::SelfTrade));
}

#[test]
fn a_resting_order_delivers_no_more_than_its_account_can() {
    let mut desk = desk();
    let other = desk.other();
    let bought = desk.order(SOL, Side::Buy, "4");
    desk.places(other, bought).unwrap();
    desk.book(SOL, &[("100", "10")], &[("102", "20")], "100");
    let ids = [0, 1].map(|_| {
        let close = Desk::reduce_only(desk.limit(SOL, Side::Sell, "4", "101"));
        desk.places(other, close).unwrap()
    });
    let all = OrderParams {
        tif: Tif::Fok,
        ..desk.limit(SOL, Side::Buy, "5", "101")
    };
    assert_eq!(desk.refused(all).1, Reason::FokUnfillable);
    desk.market(SOL, Side::Buy, "5");
    let ends = ids
        .map(|id| desk.order_of_other(id))
        .map(|row| (row.status, row.reason));
    let canceled = (OrderStatus::Canceled, Some(Reason::ReduceOnly));
    assert_eq!(ends, [(OrderStatus::Filled, None), canceled]);
    assert_eq!(desk.held(SOL), desk.lots(SOL, "5"), "the last one at 102");
    assert_eq!(desk.shown(Side::Sell), "19@102");
}

#[test]
fn a_chase_follows_other_accounts_and_neither_itself_nor_across_them() {
    let mut desk = desk();
    let offset = desk.px(SOL, "0");
    let chase = OrderParams {
        mode: PlaceMode::Chase { offset, cap: None },
        ..desk.order(SOL, Side::Buy, "1")
    };
    let id = desk.place(chase).unwrap();
    let at = |desk: &Desk| desk.row(id).limit_price.unwrap();
    assert_eq!(at(&desk), desk.px(SOL, "100"));
    desk.other_rests(Side::Buy, "1", "100.7");
    desk.pass(Millis::seconds(1));
    assert_eq!(at(&desk), desk.px(SOL, "100.7"));
    let theirs = desk.engine.working_orders(desk.other()).next().unwrap().id;
    desk.engine
        .apply(desk.other(), EngineCommand::Cancel(theirs))
        .unwrap();
    desk.pass(Millis::seconds(1));
    assert_eq!(at(&desk), desk.px(SOL, "100"));
}

/// A limit order at so many cents from 100, or one at the market.
#[derive(Debug, Clone, Copy)]
struct Ask {
    side: Side,
    lots: Lots,
    cents: Option<i64>,
    /// 0: fill or kill, 1: reduce only, else neither.
    kind: u8,
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Order(usize, Ask),
    Cancel(usize, usize),
    Quotes(i64, i64),
    Trade(Side, i64, i64),
}

fn act() -> impl Strategy<Value = Act> {
    let side = || prop_oneof![Just(Side::Buy), Just(Side::Sell)];
    let price = prop::option::weighted(0.8, -6..7_i64);
    prop_oneof![
        8 => (0..3_usize, side(), 1..900_i64, price, 0..5_u8)
            .prop_map(|(who, side, lots, cents, kind)| {
                Act::Order(who, Ask { side, lots: Lots(lots), cents, kind })
            }),
        1 => (0..3_usize, 0..9_usize).prop_map(|(who, which)| Act::Cancel(who, which)),
        1 => (-4..5_i64, 1..600_i64).prop_map(|(mid, size)| Act::Quotes(mid, size)),
        1 => (side(), -6..7_i64, 1..900_i64).prop_map(|(side, px, size)| Act::Trade(side, px, size)),
    ]
}

/// Three accounts, of which the last one has little money.
struct Crowd {
    engine: Engine,
    accounts: Vec<AccountIx>,
    deposits: Usd,
}

impl Crowd {
    fn new() -> Self {
        let mut desk = Desk::new(3_000);
        let more = AccountSpec {
            id: "poor".to_owned(),
            cash: usd("60"),
            ..desk.engine.account_spec(desk.me).clone()
        };
        desk.engine
            .account_histories
            .push(AccountHistory::default());
        let at = desk.engine.now();
        desk.engine.accounts.push(AccountState::new(more, at));
        let mut crowd = Self {
            accounts: desk.engine.account_ixs().collect(),
            deposits: desk.engine.money(),
            engine: desk.engine,
        };
        crowd.quotes(0, 300);
        crowd
    }

    fn px(cents: i64) -> Px {
        Px(1_000_000 + cents * 100)
    }

    fn step(&mut self, mid: i64, size: i64, trades: Vec<MarketTrade>) {
        let level = |cents: i64| BookLevel {
            px: Self::px(cents),
            size: Lots(size),
        };
        let tick = MarketTick {
            trades,
            bids: (1..4).map(|away| level(mid - away)).collect(),
            asks: (1..4).map(|away| level(mid + away)).collect(),
            oracle: Self::px(mid),
        };
        self.engine.inject(SOL.into(), tick);
        self.engine.advance_to(self.engine.now() + Millis::STEP);
    }

    fn quotes(&mut self, mid: i64, size: i64) {
        self.step(mid, size, Vec::new());
    }

    fn happen(&mut self, act: Act) {
        match act {
            Act::Order(who, ask) => self.order(self.accounts[who], ask),
            Act::Cancel(who, which) => {
                let working: Vec<_> = self
                    .engine
                    .working_orders(self.accounts[who])
                    .map(|row| row.id)
                    .collect();
                if let Some(id) = working.get(which) {
                    self.engine
                        .apply(self.accounts[who], EngineCommand::Cancel(*id))
                        .unwrap();
                }
            }
            Act::Quotes(mid, size) => self.quotes(mid, size),
            Act::Trade(aggressor, cents, size) => {
                let trade = MarketTrade {
                    aggressor,
                    px: Self::px(cents),
                    size: Lots(size),
                };
                self.step(0, 300, vec![trade]);
            }
        }
    }

    fn order(&mut self, who: AccountIx, ask: Ask) {
        let Ask {
            side,
            lots,
            cents,
            kind,
        } = ask;
        let fok = kind == 0;
        let params = OrderParams {
            tif: if fok { Tif::Fok } else { Tif::Gtc },
            reduction: if kind == 1 {
                Reduction::Only
            } else {
                Reduction::May
            },
            mode: cents.map_or(PlaceMode::Market, |cents| PlaceMode::Limit {
                price: Self::px(cents),
            }),
            ..super::desk::order(SOL.into(), side, lots)
        };
        let held = |crowd: &Self, who| {
            crowd
                .engine
                .held(who, SOL.into())
                .map_or(Lots::ZERO, |held| held.size)
        };
        let shown = |crowd: &Self| -> Lots {
            let quotes = crowd
                .engine
                .markets
                .at(SOL.into())
                .book
                .levels(side.opposite());
            quotes.map(|level| level.size).sum()
        };
        let before: Vec<Lots> = self.accounts.iter().map(|who| held(self, *who)).collect();
        let quoted = shown(self);
        let Ok(CommandOutcome::Order(id)) = self.engine.apply(who, EngineCommand::Place(params))
        else {
            return;
        };
        let row = self.engine.order(who, id).unwrap();
        let filled = row.filled_size;
        if fok {
            assert_eq!(filled, row.initial_size, "fok: all or nothing");
        }
        // Every lot is from another account or from the quotes.
        let moved: Lots = self
            .accounts
            .iter()
            .zip(&before)
            .map(|(who, before)| held(self, *who) - *before)
            .sum();
        assert_eq!(
            moved,
            Lots(side.sign() * (quoted - shown(self)).0),
            "{row:?}"
        );
    }

    fn check(&self) {
        assert_eq!(self.engine.money(), self.deposits);
        let book = self.engine.public_book(SOL.into());
        let best = [Side::Buy, Side::Sell].map(|side| book.best(side));
        if let [Some(bid), Some(ask)] = best {
            assert!(bid < ask, "the book is crossed: {bid:?} {ask:?}");
        }
        for side in [Side::Buy, Side::Sell] {
            let rows = self
                .accounts
                .iter()
                .flat_map(|who| self.engine.working_orders(*who));
            let resting = rows.filter(|row| row.side == side && row.status == OrderStatus::Resting);
            let orders: Lots = resting.map(|row| row.size).sum();
            let others = self.engine.markets.at(SOL.into()).book.levels(side);
            let quotes: Lots = others.map(|level| level.size).sum();
            let shown: Lots = book.levels(side).map(|level| level.size).sum();
            assert_eq!(shown, orders + quotes);
        }
    }
}

proptest! {
    #[test]
    fn accounts_that_trade_with_each_other_conserve_money_and_lots(acts in prop::collection::vec(act(), 1..60)) {
        let mut crowd = Crowd::new();
        for act in acts {
            crowd.happen(act);
            crowd.check();
        }
    }
}
