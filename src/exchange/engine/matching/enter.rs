//! An order enters the market: it is checked and recorded, then trades, rests or is armed
//! (docs/engine.md 2.2, 2.4, 3.1).

use super::walk::Walk;
use crate::exchange::engine::{
    core::Engine,
    market::book::{PriceAndSize, cap, lots, notional},
    risk::margin::{MarginAssumption, RestingHold},
    state::{
        Bps, CommandRefusal, CommandResult, FeeClass, FillPart, LiquidityRole, Lots, MarginMode,
        OrderId, OrderMode, OrderRecord, OrderStatus, OrderType, PositionState, Px, Reason,
        Remainder, TimeInForce, Usd, refuse,
    },
};

/// Default slippage caps of market executions, in basis points (docs/engine.md 2.5).
pub(super) const MARKET_SLIPPAGE: Bps = Bps(500);
const TRIGGERED_SLIPPAGE: Bps = Bps(1_000);
pub(crate) const CLOSE_SLIPPAGE: Bps = Bps(250);
pub(crate) const SLICE_SLIPPAGE: Bps = Bps(300);

/// What an order does when it enters.
#[derive(Debug, Clone)]
pub(crate) struct ExecutionPlan {
    /// What it takes now.
    walk: Walk,
    /// The size that rests in the book.
    rests: Lots,
}

/// What an order is about to get, for the check of its account's margin.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpectedFill<'a> {
    pub(super) slices: &'a [PriceAndSize],
    pub(super) rests: Lots,
    pub(super) role: LiquidityRole,
    /// The orders whose holds it replaces.
    pub(super) orders: &'a [OrderId],
}

/// How a placed order starts.
pub(crate) enum Admission {
    Now(ExecutionPlan),
    Chase,
    Armed,
}

impl Engine {
    /// Records an order and lets it enter; the row of a rejected one says why.
    pub(crate) fn submit(&mut self, mut row: OrderRecord) -> CommandResult<OrderId> {
        self.clamp(&mut row);
        let verdict = self.admit(&mut row);
        let id = self.push_order(row);
        match verdict {
            Ok(entry) => {
                match entry {
                    Admission::Now(_) if self.takes_time(id) => self.delay(id),
                    Admission::Now(_) | Admission::Chase | Admission::Armed => {
                        self.begin(id, entry);
                    }
                }
                Ok(id)
            }
            Err(refusal) => {
                self.finish(id, OrderStatus::Rejected, Some(refusal.code));
                Err(CommandRefusal {
                    order: Some(id),
                    ..refusal
                })
            }
        }
    }

    /// Whether an order would be accepted, without recording it.
    pub(crate) fn would_admit(&self, row: &OrderRecord) -> CommandResult<()> {
        let mut row = row.clone();
        self.clamp(&mut row);
        self.admit(&mut row).map(|_| ())
    }

    /// A reduce-only order larger than the position is clamped to the position, and does not grow with it later.
    ///
    /// A reduce-only order never grows (docs/engine.md 2.6), and an exit leg has the size that its own entry filled
    /// (2.7). Some venues read the position again when a full-size exit fires. Here every order has a fixed size, which
    /// the desk and bots rely on: two targets, each for its own part, would otherwise both close everything at the
    /// nearer price. To protect an increase, place another order, or attach exits to the entry: those grow with it.
    pub(crate) fn clamp(&self, row: &mut OrderRecord) {
        let reducible = self.reducible(row);
        if row.reduce_only && reducible > Lots::ZERO {
            row.size = row.size.min(reducible);
        }
    }

    pub(super) fn admit(&self, row: &mut OrderRecord) -> CommandResult<Admission> {
        self.check_placement(row)?;
        if row.waits() {
            return Ok(Admission::Armed);
        }
        if row.mode == OrderMode::Chase {
            row.limit_price = Some(self.chase_start(row)?);
            self.check_band(row)?;
            let fill = ExpectedFill {
                slices: &[],
                rests: row.size,
                role: LiquidityRole::Maker,
                orders: &[row.id],
            };
            self.check_margin(row, fill)?;
            return Ok(Admission::Chase);
        }
        self.plan(row).map(Admission::Now)
    }

    pub(super) fn begin(&mut self, id: OrderId, entry: Admission) {
        match entry {
            Admission::Now(plan) => self.execute(id, &plan),
            Admission::Chase => self.rest(id),
            Admission::Armed => self.arm(id),
        }
    }

    /// An armed order's trigger fired: it enters now, or ends (docs/engine.md 2.2). It is never armed again.
    pub(crate) fn activate(&mut self, id: OrderId) {
        if self.orders.at(id).status != OrderStatus::Pending {
            return;
        }
        if self.holds_back(id) {
            return;
        }
        self.record(crate::exchange::engine::state::EngineEvent::Triggered { order: id });
        self.orders.at_mut(id).triggered_at = Some(self.now);
        self.enter(id);
    }

    /// A recorded order enters the market, or ends.
    pub(super) fn enter(&mut self, id: OrderId) {
        let mut row = self.orders.at(id).clone();
        self.clamp(&mut row);
        let plan = self.check_activation(&row).and_then(|()| self.plan(&row));
        match plan {
            Ok(plan) => {
                self.orders.at_mut(id).size = row.size;
                self.execute(id, &plan);
            }
            Err(refusal) if has_no_position(refusal.code) => {
                self.finish(id, OrderStatus::Canceled, Some(Reason::ReduceOnly));
            }
            Err(refusal) => self.finish(id, OrderStatus::Rejected, Some(refusal.code)),
        }
    }

    /// What the order gets from the current book, if its terms and the account's margin allow it.
    fn plan(&self, row: &OrderRecord) -> CommandResult<ExecutionPlan> {
        let walk = if self.is_frozen(row.market) {
            Walk::default()
        } else {
            self.walk(row, self.price_limit(row))
        };
        let slices = walk.slices();
        let got = lots(&slices);
        let limit = row.is_limit();
        if let Some(own) = walk.stopped_at
            && (got.is_zero() || row.time_in_force == TimeInForce::Fok)
        {
            let message =
                format!("it would trade with {own} of the same account: cancel that first");
            return refuse(Reason::SelfTrade, message);
        }
        match (row.time_in_force, limit) {
            (TimeInForce::Fok, _) if got < row.size => {
                let message = "fok: the book cannot fill all of it now";
                return refuse(Reason::FokUnfillable, message);
            }
            (TimeInForce::Ioc, true) if got.is_zero() => {
                let message = "ioc: nothing in the book matches limit_price";
                return refuse(Reason::IocNoMatch, message);
            }
            (_, false) if got.is_zero() => {
                let message = "nothing in the book inside the slippage cap";
                return refuse(Reason::NoLiquidity, message);
            }
            _ => {}
        }

        let rests = match (limit, row.time_in_force) {
            (true, TimeInForce::Gtc | TimeInForce::Gtd) if walk.stopped_at.is_none() => {
                row.size - got
            }
            _ => Lots::ZERO,
        };
        let fill = ExpectedFill {
            slices: &slices,
            rests,
            role: LiquidityRole::Taker,
            orders: &[row.id],
        };
        self.check_margin(row, fill)?;
        Ok(ExecutionPlan { walk, rests })
    }

    /// The worst price the order may trade at; `None` for forced closes, which have no cap.
    fn price_limit(&self, row: &OrderRecord) -> Option<Px> {
        let market = self.markets.at(row.market);
        if matches!(row.order_type, OrderType::Liquidation | OrderType::CloseOut) {
            return None;
        }
        if row.is_limit() {
            return row.limit_price;
        }
        let default = if row.mode == OrderMode::Market {
            MARKET_SLIPPAGE
        } else {
            TRIGGERED_SLIPPAGE
        };
        let slippage = row.slippage.unwrap_or(default);
        // Only reducing orders reach this without a mid (`checks::tradable`): the mark replaces it.
        let decimals = market.spec.size_decimals;
        Some(cap(market.twice_mid(), row.side, slippage, decimals))
    }

    /// An order that opens must leave margin (docs/engine.md 6.1); one that only reduces need not.
    pub(super) fn check_margin(
        &self,
        row: &OrderRecord,
        fill: ExpectedFill<'_>,
    ) -> CommandResult<()> {
        let ExpectedFill {
            slices,
            rests,
            role,
            orders,
        } = fill;
        let parts: Vec<FillPart> = slices.iter().map(FillPart::from).collect();
        let fee = self.fee(notional(slices), role);
        let traded = self.traded(row, &parts);
        let reducible = self.reducible(row);
        if row.reduce_only || lots(slices) + rests <= reducible {
            return Ok(());
        }
        let resting = RestingHold::from_order(row).map(|hold| RestingHold {
            lots: rests,
            ..hold
        });
        let assumption = MarginAssumption {
            cash: traded.realized - fee + traded.excess(fee),
            position: traded.after().cloned(),
            resting,
            without: orders.to_vec(),
        };
        let left = self.balance_if(row.account, &assumption).available();
        if left < Usd::ZERO {
            refuse(
                Reason::InsufficientMargin,
                format!(
                    "the order needs {} USD more margin than the {} available",
                    -left,
                    self.available(row.account)
                ),
            )
        } else {
            traded
                .after()
                .map_or(Ok(()), |after| self.check_stands(after))
        }
    }

    /// A position must not be liquidated by the order that opens it. A cross one cannot be: its initial margin, which was
    /// there, is more than its maintenance.
    fn check_stands(&self, after: &PositionState) -> CommandResult<()> {
        match after.margin_mode {
            MarginMode::Isolated if self.is_liquidatable(after) => refuse(
                Reason::InsufficientMargin,
                "the position would be below its maintenance margin at once, and liquidated: use less leverage",
            ),
            MarginMode::Isolated | MarginMode::Cross => Ok(()),
        }
    }

    fn execute(&mut self, id: OrderId, plan: &ExecutionPlan) {
        let walk = &plan.walk;
        let remainder = if plan.rests.is_zero() && walk.stopped_at.is_none() {
            Remainder::Drops
        } else {
            Remainder::Works
        };
        if self.orders.at(id).status == OrderStatus::Pending {
            self.detach(id);
        }
        self.end_reached(walk);
        let taken = lots(&walk.slices());
        if !taken.is_zero() {
            if remainder == Remainder::Drops {
                let limit = self.price_limit(self.orders.at(id));
                self.note_unfilled(id, limit, taken);
            }
            let parts = self.take(id, walk);
            self.fill(id, &parts, FeeClass::Taker, remainder);
        }
        if self.orders.at(id).status != OrderStatus::Pending {
            return;
        }
        if walk.stopped_at.is_some() {
            self.finish(id, OrderStatus::Canceled, Some(Reason::SelfTrade));
        } else {
            self.rest(id);
        }
    }
}

/// A reduce-only order whose position is gone or reversed when it fires.
fn has_no_position(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::ReduceOnlyNoPosition | Reason::ReduceOnlyWouldIncrease
    )
}
