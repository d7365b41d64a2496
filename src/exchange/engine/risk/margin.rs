//! Equity, margin and liquidation price (docs/engine.md 6.1, 6.3).
//!
//! Everything is computed on demand from the account's positions and resting orders, so no running total can drift. A
//! [`MarginAssumption`] computes the same sums with one position replaced, and one order added or left out.

use std::collections::BTreeMap;

use crate::exchange::engine::{
    core::Engine,
    market::market_state::MarketState,
    state::{
        AccountIx, Lots, MarginMode, MarketIx, NanoPx, OrderId, OrderRecord, OrderStatus,
        PositionState, Px, Side, Usd,
    },
};

/// Assumed differences from the current state.
#[derive(Debug, Clone, Default)]
pub(crate) struct MarginAssumption {
    /// Replaces the position on this market (size 0: none).
    pub(crate) position: Option<PositionState>,
    /// Added to the cash.
    pub(crate) cash: Usd,
    /// An additional resting order.
    pub(crate) resting: Option<RestingHold>,
    /// Resting orders to leave out.
    pub(crate) without: Vec<OrderId>,
}

/// A resting order as the margin sums count it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RestingHold {
    pub(crate) market: MarketIx,
    pub(crate) side: Side,
    pub(crate) px: Px,
    pub(crate) lots: Lots,
    pub(crate) leverage: u32,
}

impl RestingHold {
    pub(crate) fn from_order(row: &OrderRecord) -> Option<Self> {
        Some(Self {
            market: row.market,
            side: row.side,
            px: row.limit_price?,
            lots: row.size,
            leverage: row.leverage,
        })
    }
}

/// The sums of docs/engine.md 6.1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MarginBalance {
    pub(crate) cash: Usd,
    pub(crate) unrealized: Usd,
    pub(crate) cross_unrealized: Usd,
    /// Σ M of isolated positions.
    pub(crate) isolated: Usd,
    /// Σ initial margin of cross positions at mark.
    pub(crate) cross_margin: Usd,
    pub(crate) cross_maintenance: Usd,
    pub(crate) maintenance: Usd,
    pub(crate) open_notional: Usd,
    pub(crate) holds: Usd,
}

impl MarginBalance {
    pub(crate) fn equity(&self) -> Usd {
        self.cash + self.unrealized
    }

    /// What backs the cross positions.
    pub(crate) fn cross_equity(&self) -> Usd {
        self.cash - self.isolated + self.cross_unrealized
    }

    pub(crate) fn available(&self) -> Usd {
        self.cross_equity() - self.cross_margin - self.holds
    }

    fn add(&mut self, position: &PositionState, market: &MarketState) {
        let notional = position.notional(market.mark);
        let unrealized = position.unrealized(market.mark);
        let maintenance = market.maintenance(notional);
        self.unrealized += unrealized;
        self.maintenance += maintenance;
        self.open_notional += notional;
        match position.margin_mode {
            MarginMode::Isolated => self.isolated += position.isolated_margin(),
            MarginMode::Cross => {
                self.cross_unrealized += unrealized;
                self.cross_maintenance += maintenance;
                self.cross_margin += market.initial_margin(notional, position.leverage);
            }
        }
    }
}

impl Engine {
    /// The account's balance without the holds of resting orders. Inlined, because each step values every account twice: a
    /// call copies the result, which is 6 % of a step of a thousand accounts.
    #[inline]
    pub(crate) fn balance(&self, account: AccountIx) -> MarginBalance {
        let mut balance = MarginBalance {
            cash: self.accounts.at(account).cash,
            ..MarginBalance::default()
        };
        for (market, id) in &self.accounts.at(account).open {
            balance.add(self.positions.at(*id), self.markets.at(*market));
        }
        balance
    }

    /// The balance under an assumption, with the holds of resting orders.
    pub(crate) fn balance_if(
        &self,
        account: AccountIx,
        assumption: &MarginAssumption,
    ) -> MarginBalance {
        let mut balance = MarginBalance {
            cash: self.accounts.at(account).cash + assumption.cash,
            ..MarginBalance::default()
        };
        let positions = self.positions_if(account, assumption);
        for (market, position) in &positions {
            balance.add(position, self.markets.at(*market));
        }
        balance.holds = self.holds_if(account, assumption, &positions);
        balance
    }

    pub(crate) fn available(&self, account: AccountIx) -> Usd {
        self.balance_if(account, &MarginAssumption::default())
            .available()
    }

    fn positions_if<'a>(
        &'a self,
        account: AccountIx,
        assumption: &'a MarginAssumption,
    ) -> BTreeMap<MarketIx, &'a PositionState> {
        let open = self.accounts.at(account).open.iter();
        let mut positions: BTreeMap<MarketIx, &PositionState> = open
            .map(|(market, id)| (*market, self.positions.at(*id)))
            .collect();
        if let Some(position) = &assumption.position {
            positions.insert(position.market, position);
        }
        positions
    }

    /// Resting orders hold initial margin and maker fee for the part that would open. The part that would close holds
    /// nothing, and is assigned to the oldest orders.
    fn holds_if(
        &self,
        account: AccountIx,
        assumption: &MarginAssumption,
        positions: &BTreeMap<MarketIx, &PositionState>,
    ) -> Usd {
        let resting = self
            .accounts
            .at(account)
            .working
            .iter()
            .filter(|id| !assumption.without.contains(id))
            .map(|id| self.orders.at(*id))
            .filter(|row| row.status == OrderStatus::Resting && !row.reduce_only)
            .filter_map(RestingHold::from_order);
        let mut reducible: BTreeMap<(MarketIx, Side), Lots> = BTreeMap::new();
        let mut total = Usd::ZERO;
        for hold in resting.chain(assumption.resting) {
            let position = positions.get(&hold.market);
            let free = reducible
                .entry((hold.market, hold.side))
                .or_insert_with(|| position.map_or(Lots::ZERO, |held| held.reducible(hold.side)));
            let closing = hold.lots.min(*free);
            *free -= closing;
            let notional = hold.px * (hold.lots - closing);
            total += notional.mul_ceil(1, i64::from(hold.leverage));
            total += self.fee(
                notional,
                crate::exchange::engine::state::LiquidityRole::Maker,
            );
        }
        total
    }

    /// The price at which this position is liquidated if nothing else moves; `None` if there is none above 0.
    pub(crate) fn liquidation_price(&self, position: &PositionState) -> Option<NanoPx> {
        let market = self.markets.at(position.market);
        let backing = match position.margin_mode {
            MarginMode::Isolated => position.isolated_margin(),
            MarginMode::Cross => self.cross_backing(position, market),
        };
        market.tiers.iter().find_map(|tier| {
            let price = liquidation(
                position,
                backing + tier.deduction,
                tier.max_leverage,
                market.spec.size_decimals,
            )?;
            let notional = price.times(position.size.abs(), market.spec.size_decimals);
            let inside = notional >= tier.lower && tier.upper.is_none_or(|upper| notional < upper);
            inside.then_some(price)
        })
    }

    /// K of docs/engine.md 6.3: what backs a cross position besides its own profit.
    fn cross_backing(&self, position: &PositionState, market: &MarketState) -> Usd {
        let balance = self.balance(position.account);
        let own = market.maintenance(position.notional(market.mark));
        balance.cross_equity()
            - position.unrealized(market.mark)
            - (balance.cross_maintenance - own)
    }
}

/// `P = (side·|q|·E − K) / (|q|·(side − l))`, `l = 1 / (2·max_leverage)`.
fn liquidation(
    position: &PositionState,
    backing: Usd,
    max_leverage: u32,
    size_decimals: u32,
) -> Option<NanoPx> {
    let side = i128::from(position.sign());
    let twice = 2 * i128::from(max_leverage);
    let owed = (side * position.cost.0 - backing.0) * twice * 10_i128.pow(3 + size_decimals);
    let den = i128::from(position.size.abs().0) * (side * twice - 1);
    let nano = crate::exchange::engine::state::ratio(owed, den)?;
    i64::try_from(nano)
        .ok()
        .filter(|nano| *nano > 0)
        .map(NanoPx)
}

impl NanoPx {
    /// Price × size, rounded down to the micro-USD.
    fn times(self, lots: Lots, size_decimals: u32) -> Usd {
        let exact = i128::from(self.0) * i128::from(lots.0);
        Usd(exact.div_euclid(10_i128.pow(3 + size_decimals)))
    }
}
